package bashast

import (
	"slices"
	"strings"
	"testing"
)

// wholeEnv is a whole environment, in a project without files.
var wholeEnv = Env{
	Dir: "/proj", Project: "/proj", Home: "/home/u", Sealed: true,
	Vars: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
}

// starts are the commands of p called X, Y or Z, as texts.
func starts(p *Program) (argvs []string, known bool) {
	known = true
	for i := range p.Commands {
		c := &p.Commands[i]
		if len(c.Words) == 0 || c.Function || !strings.Contains("XYZ", c.Words[0].String()) {
			continue
		}
		var words []string
		for _, w := range c.Words {
			words = append(words, w.String())
			known = known && w.Kind() == KnownKind && !w.Many
		}
		argvs = append(argvs, strings.Join(words, "\x1f"))
	}
	return argvs, known
}

// What bash 5.2 starts for a line is listed, word for word, and nothing about
// the line is unknown. "also" holds what bash does not reach and is listed all
// the same.
func TestEvaluateAsBash(t *testing.T) {
	type row struct {
		Line   string
		Starts [][]string
		Also   [][]string
	}
	for _, r := range readLines[row](t, "evaluate.jsonl") {
		p := Analyze(r.Line, wholeEnv)
		got, known := starts(p)
		if p.Unresolved() || !known {
			t.Errorf("%q: not known: %v %q", r.Line, p.Problems, got)
		}
		var want []string
		for _, argv := range append(slices.Clone(r.Starts), r.Also...) {
			argv := strings.Join(argv, "\x1f")
			want = append(want, argv)
			if !slices.Contains(got, argv) {
				t.Errorf("%q: %q is not listed, only %q", r.Line, argv, got)
			}
		}
		for _, argv := range got {
			if !slices.Contains(want, argv) {
				t.Errorf("%q: %q is listed and never runs", r.Line, argv)
			}
		}
	}
}

// What a line does not fix is said to be unknown: each row names the code of
// a problem that the line has.
func TestEvaluateUnknown(t *testing.T) {
	type row struct{ Line, Code string }
	for _, r := range readLines[row](t, "unknown.jsonl") {
		p := Analyze(r.Line, wholeEnv)
		codes := problemCodes(p)
		if !slices.Contains(codes, r.Code) {
			t.Errorf("%q: problems %q, want %q", r.Line, codes, r.Code)
		}
	}
}

func problemCodes(p *Program) []string {
	var codes []string
	for _, q := range p.Problems {
		codes = append(codes, string(q.Code))
	}
	for i := range p.Commands {
		for _, q := range p.Commands[i].Problems {
			codes = append(codes, string(q.Code))
		}
	}
	return codes
}

// The directory in force is that of bash (B3).
func TestEvaluateDirectory(t *testing.T) {
	type row struct{ Line, Dir string }
	for _, r := range readLines[row](t, "directory.jsonl") {
		p := Analyze(r.Line, wholeEnv)
		dir := "no command X"
		for i := range p.Commands {
			if p.Commands[i].Name() == "X" {
				dir = p.Commands[i].Dir.String()
			}
		}
		if dir != r.Dir {
			t.Errorf("%q: X runs in %s, want %s", r.Line, dir, r.Dir)
		}
	}
}

// FuzzAnalyze looks for lines on which the analysis panics, gives two answers,
// or lists more than its bounds allow.
func FuzzAnalyze(f *testing.F) {
	type row struct{ Line string }
	for _, name := range []string{"evaluate.jsonl", "unknown.jsonl", "directory.jsonl"} {
		for _, r := range readLines[row](f, name) {
			f.Add(r.Line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		a, b := Analyze(line, wholeEnv), Analyze(line, wholeEnv)
		if len(a.Commands) != len(b.Commands) || len(a.Problems) != len(b.Problems) || a.Unresolved() != b.Unresolved() {
			t.Fatalf("two answers for %q", line)
		}
		if len(a.Commands) > maxListed+maxChoices {
			t.Fatalf("%d commands for %q", len(a.Commands), line)
		}
		var out strings.Builder
		if err := a.Explain(&out); err != nil || out.Len() == 0 && line != "" {
			t.Fatalf("no explanation of %q: %v", line, err)
		}
	})
}

// The report says what the program says.
func TestReport(t *testing.T) {
	r := Analyze("cd src && X $(Y) > out; Z", wholeEnv).Report()
	if len(r.Commands) != 4 || r.Commands[1].Argv[0] != "X" || r.Commands[1].Cwd != "/proj/src" {
		t.Errorf("commands %+v", r.Commands)
	}
	if got := r.Commands[1].Unresolved; !slices.Equal(got, []int{1}) {
		t.Errorf("the words of X that are not known: %v", got)
	}
	if got := r.Commands[3].Cwds; !slices.Equal(got, []string{"/proj/src", "/proj"}) {
		t.Errorf("Z runs in %q", got)
	}
	if len(r.Redirects) != 1 || r.Redirects[0].Target != "/proj/src/out" || r.Unresolved {
		t.Errorf("redirects %+v, unresolved %v", r.Redirects, r.Unresolved)
	}
}

// A person is told the value of a word, the way to a command, and what is not
// known.
func TestExplain(t *testing.T) {
	var b strings.Builder
	if err := Analyze(`d=build; rm -rf "$d"; sh -c "X $(Y)"; cd lib && Z > "$1"`, wholeEnv).Explain(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"$d" is build`, "deletes /proj/build and all below", "  by $( )", "in /proj/lib",
		"the script that sh -c runs is not known", "! ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
