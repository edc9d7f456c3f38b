package main

import (
	"context"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
)

// testOracle is an oracle that holds a to account.
func testOracle(t *testing.T, a analyzer) *oracle {
	t.Helper()
	return &oracle{
		kit: testKit(t), grammar: testGrammar(t), jobs: 1,
		analyzer: func(context.Context) (analyzer, error) { return a, nil },
	}
}

// saying is an analysis that is made up.
type saying func(line string) claim

func (f saying) analyze(line string) (claim, error) { return f(line), nil }

// judge holds the analysis to account for lines.
func (o *oracle) judgeLines(t *testing.T, fixed bool, lines ...string) []outcome {
	t.Helper()
	var got []outcome
	s := source{len(lines), func(n int) sample { return sample{Line: lines[n], Fixed: fixed, Writers: true} }}
	if err := o.run(t.Context(), s, func(out outcome) { got = append(got, out) }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWrongAnalysesAreCaught(t *testing.T) {
	nothing := saying(func(string) claim { return claim{} })
	elsewhere := saying(func(line string) claim {
		return claim{Commands: []claimCommand{in(known(strings.Fields(line)...), bashast.Known("/tmp"))}}
	})
	plain := saying(func(line string) claim { return claim{Commands: []claimCommand{known(strings.Fields(line)...)}} })
	silent := saying(func(string) claim { return claim{Unresolved: true, Reasons: []string{"all"}} })
	panics := saying(func(string) claim { panic("at once") })
	for _, tt := range []struct {
		name     string
		analysis analyzer
		lines    []string
		want     findingKind
	}{
		{"lists nothing", nothing, []string{"X", "X $(Y)", "nosuch", "eval X", "trap X EXIT", "X | Y &", "v=X; $v", "bash -c X", "xargs X < /dev/null"}, missStart},
		{"lists no writes", nothing, []string{"> o", "echo a > a.txt", "exec 3> o", "> empty.log", "echo a >> ~/notes.txt"}, missWrite},
		{"lists the wrong directory", elsewhere, []string{"X a"}, missDir},
		{"keeps quotes", plain, []string{"X 'a'", `X \a`, "X {a,b}", "X *.txt", "X a;", "X $HOME"}, missStart},
		{"lists no writes of programs", plain, []string{"rm a.txt", "cp a.txt b", "touch n", "rm -rf src", "mkdir -p p/q"}, missWrite},
		{"knows nothing", silent, []string{"X", "v=1", "X > o"}, overAsk},
		{"panics", panics, []string{"X"}, crash},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, out := range testOracle(t, tt.analysis).judgeLines(t, true, tt.lines...) {
				if !out.has(tt.want) {
					t.Errorf("%q: no %s among %v", out.Line, tt.want, out.Findings)
				}
			}
		})
	}
}

func TestRightAnalysesPass(t *testing.T) {
	right := saying(func(line string) claim { return claim{Commands: []claimCommand{known(strings.Fields(line)...)}} })
	for _, out := range testOracle(t, right).judgeLines(t, true, "X a b", "nosuch", "rm", "/usr/bin/Y -x") {
		if len(out.Findings) > 0 {
			t.Errorf("%q: %v", out.Line, out.Findings)
		}
	}
}

func TestShrink(t *testing.T) {
	// This analysis sees nothing where there is a Z, and asks about all else.
	blind := saying(func(line string) claim {
		if strings.Contains(line, "<<") {
			return claim{Unresolved: true}
		}
		return claim{Unresolved: !strings.Contains(line, "Z")}
	})
	o := testOracle(t, blind)
	w, err := o.newWorker(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Run("a miss by its text", func(t *testing.T) {
		begin := outcome{sample: sample{Line: `if X; then (cd src && Y "$(X; Z a b | Y)") > out.txt; fi; X`}}
		s := &shrinker{worker: w}
		if got := s.shrink(t.Context(), begin, missStart); got.Line != "Z" {
			t.Errorf("became %q", got.Line)
		}
	})
	t.Run("over-asking by its choices", func(t *testing.T) {
		for number := range uint64(100000) {
			made := makeLine(o.grammar, drawn(4, number), "")
			if !made.Fixed || !strings.Contains(made.Line, "<<") || len(made.Line) < 60 {
				continue
			}
			s := &shrinker{worker: w}
			got := s.shrink(t.Context(), outcome{sample: made}, overAsk)
			if !got.Fixed || len(got.Line) > 30 {
				t.Errorf("%q became %q, fixed: %v", made.Line, got.Line, got.Fixed)
			}
			return
		}
		t.Fatal("no line to begin with")
	})
}

func TestReportGroups(t *testing.T) {
	r := newReport()
	for number, line := range []string{"X a; Y", "X b; Y", "rm c; Z", "X"} {
		out := outcome{sample: sample{Line: line, Fixed: true, Path: []string{"stmt/x", "word/y"}}, Number: number}
		if number < 3 {
			out.Findings = []finding{{missStart, "Y"}}
		} else {
			out.Findings = []finding{{overAsk, "bound: 12 stages"}}
		}
		r.add(out)
	}
	groups := r.byKind()
	if len(groups) != 2 || groups[0].Kind != missStart || groups[0].Count != 3 || groups[1].Kind != overAsk {
		t.Errorf("groups: %+v", groups)
	}
	if r.MissLines != 3 || r.Fixed != 4 || r.OverAsked != 1 || r.overAsking() != 0.25 {
		t.Errorf("numbers: %+v", r)
	}
	if len(merge([]*group{groups[0], {Kind: missStart, Count: 2, Examples: []outcome{{sample: sample{Line: "X a; Z"}}}}})) != 1 {
		t.Error("groups of one shape were not merged")
	}
}
