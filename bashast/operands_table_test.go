package bashast

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// testCommand is a command made of the words of a line: quotes and backslashes
// are as in a shell, $x is a quoted word that is not known, @x an unquoted one.
func testCommand(line string) *Command {
	c := &Command{Dir: Known("/p")}
	for _, w := range testWords(line) {
		switch {
		case w == "$x":
			c.Words = append(c.Words, Word{Value: Unknown("x"), Quoted: true})
		case w == "@x":
			c.Words = append(c.Words, Word{Value: Unknown("x"), Many: true})
		case strings.Contains(w, "$x"):
			before, after, _ := strings.Cut(w, "$x")
			c.Words = append(c.Words, Word{Value: Partial(before, after, "x")})
		default:
			c.Words = append(c.Words, Word{Value: Known(w)})
		}
	}
	return c
}

func testWords(line string) []string {
	var words []string
	var b strings.Builder
	in := false
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		ch := line[i]
		switch {
		case quote != 0 && ch == quote:
			quote = 0
		case quote == '\'' || quote == '"' && (ch != '\\' || i+1 < len(line) && strings.IndexByte(`"\$`, line[i+1]) < 0):
			b.WriteByte(ch)
		case ch == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
			in = true
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote, in = ch, true
		case quote == 0 && ch == ' ':
			words, in = appendPiece(words, &b, in), false
		default:
			b.WriteByte(ch)
			in = true
		}
	}
	return appendPiece(words, &b, in)
}

// testEnv is an environment whose project is a directory of the test.
func testEnv(t *testing.T, files map[string]string) Env {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Env{Dir: "/p", Project: "/p", Home: "/h", Files: testFiles{dir}}
}

// facts are what the tables say of a command, one text each, in order.
func facts(c *Command, env Env) []string {
	var out []string
	for _, in := range lookThrough(c, env) {
		out = append(out, innerFacts(in)...)
	}
	for _, e := range effects(c, env) {
		out = append(out, effectFact(e))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func innerFacts(in inner) []string {
	var out []string
	switch {
	case in.problem != nil && in.kind == innerArgv && len(in.words) == 0:
		return []string{"problem " + string(in.problem.Code)}
	case in.problem != nil:
		out = append(out, "problem "+string(in.problem.Code))
	case in.kind == innerArgv:
		var words []string
		for _, w := range in.words {
			words = append(words, w.String())
		}
		out = append(out, "run "+strings.Join(words, " "))
	case in.file != "":
		out = append(out, "follow "+in.file)
	case in.kind == innerShell:
		out = append(out, "shell "+in.script.String())
	}
	if in.dir != nil {
		out = append(out, "dir "+in.dir.String())
	}
	for _, a := range in.assigns {
		out = append(out, "assign "+a.Name+"="+a.Value.String())
	}
	return out
}

func effectFact(e Effect) string {
	kind := map[EffectKind]string{Read: "read", Write: "write", Delete: "delete", Execute: "exec", Chmod: "chmod", Network: "net"}[e.Kind]
	if e.Metadata {
		kind = "look"
	}
	if e.Send {
		kind = "send"
	}
	if e.Recursive {
		kind += "/"
	}
	return kind + " " + e.Target.String()
}

// TestRowExamples runs the examples of every row of the table.
func TestRowExamples(t *testing.T) {
	env := testEnv(t, nil)
	seen := map[string]string{}
	names, err := tableFiles.ReadDir("data")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range names {
		text, err := tableFiles.ReadFile("data/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !gjson.ValidBytes(text) {
			t.Errorf("%s is not JSON", f.Name())
		}
		rows := gjson.ParseBytes(text)
		rows.ForEach(func(key, _ gjson.Result) bool {
			for _, n := range strings.Fields(key.Str) {
				if other, ok := seen[n]; ok {
					t.Errorf("%s has a row in %s and in %s", n, other, f.Name())
				}
				seen[n] = f.Name()
			}
			return true
		})
		checkRows(t, env, f.Name(), "", rows)
	}
}

func checkRows(t *testing.T, env Env, file, path string, object gjson.Result) {
	object.ForEach(func(key, row gjson.Result) bool {
		name := strings.TrimSpace(path + " " + key.Str)
		t.Run(fmt.Sprintf("%s/%s", file, name), func(t *testing.T) {
			if row.Get("why").Str == "" {
				t.Error("the row has no reason")
			}
			if !row.Get("examples").Exists() {
				t.Error("the row has no examples")
			}
			for _, ex := range row.Get("examples").Array() {
				checkExample(t, env, ex)
			}
		})
		if subs := row.Get("subs"); subs.Exists() {
			checkRows(t, env, file, name, subs)
		}
		return true
	})
}

func checkExample(t *testing.T, env Env, ex gjson.Result) {
	var want []string
	items := ex.Array()
	for _, w := range items[1:] {
		want = append(want, w.Str)
	}
	slices.Sort(want)
	line := items[0].Str
	if got := facts(testCommand(line), env); !slices.Equal(got, want) {
		t.Errorf("%s\n%s", line, cmp.Diff(want, got))
	}
}

// TestRowsCompile compiles every row: an unknown role or a condition that
// names no option of its row is an error of the table.
func TestRowsCompile(t *testing.T) {
	seen := map[*row]bool{}
	for name := range table() {
		checkRow(t, name, rowOf(name), seen)
	}
}

func checkRow(t *testing.T, name string, r *row, seen map[*row]bool) {
	if seen[r] {
		return
	}
	seen[r] = true
	conditions := []condition{r.deep, r.send}
	for _, w := range r.when {
		conditions = append(conditions, w.cond, w.and)
		for _, o := range w.opts {
			if r.byName[o.name] == nil {
				t.Errorf("row %s overrides %s, which it does not have", name, o.name)
			}
		}
	}
	for _, c := range conditions {
		for _, n := range c.names {
			if n != "*" && r.byName[n] == nil {
				t.Errorf("row %s has a condition on %s, which it does not have", name, n)
			}
		}
	}
	for sub, lazy := range r.subs {
		checkRow(t, name+" "+sub, lazy.get(), seen)
	}
}
