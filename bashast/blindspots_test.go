package bashast

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// blindSpot is a line that one parser or both are known to misread. Runs are
// the programs that bash 5.2 started for it, found by running it in a jail with
// commands X1, X2 and so on that do nothing.
type blindSpot struct {
	Kind   string
	Line   string
	Runs   []string
	Read   bool // it is read whole, otherwise it is unresolved
	Unseen bool // Runs cannot be listed, which is why it is unresolved
	Error  bool // bash calls it a syntax error, after running Runs
}

// Every line of a known blind spot is read as bash reads it, or unresolved;
// what bash runs is listed in either case.
func TestBlindSpots(t *testing.T) {
	for _, b := range readLines[blindSpot](t, "blindspots.jsonl") {
		got := read(b.Line)
		if read := len(got.problems) == 0; read != b.Read {
			t.Errorf("%s: %q: read %v, want %v: %v", b.Kind, b.Line, read, b.Read, got.problems)
		}
		if b.Unseen {
			continue
		}
		names := namesOf(got)
		for _, name := range b.Runs {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %q: bash runs %q, seen are only %q", b.Kind, b.Line, name, names)
			}
		}
	}
}

// namesOf are the names of all commands of a reading as far as they are
// literal; "" stands for one that is not.
func namesOf(r reading) []string {
	var names []string
	add := func(s *syntax.Stmt) {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				names = append(names, literal(c.Args[0]))
			}
			return true
		})
	}
	for _, s := range r.file.Stmts {
		add(s)
	}
	for _, s := range r.extra {
		add(s)
	}
	return names
}

// literal is the text of a word after quote removal, "" when it has expansions.
func literal(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(withoutEscapes(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				l, ok := q.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(l.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}
