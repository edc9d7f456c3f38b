package bashast

import (
	"slices"
	"strings"
	"testing"
)

// nodeKind is a line with a command X1 planted in a node of one kind of the
// grammar; beside it where the kind holds only text.
type nodeKind struct {
	Kind  string
	Line  string
	Holds bool
}

// rawNodes is the tree that tree-sitter itself makes of a line.
func rawNodes(t testing.TB, line string) []treeNode {
	t.Helper()
	p := treeParsers.Get().(*treeParser)
	defer treeParsers.Put(p)
	nodes := p.parse([]byte(line))
	if len(nodes) == 0 {
		t.Fatalf("tree-sitter gives no tree for %q", line)
	}
	return slices.Clone(nodes)
}

// A command planted in every kind of node of the grammar is seen (B23).
func TestCommandInEveryNodeKind(t *testing.T) {
	language := bashLanguage()
	missing := map[string]bool{}
	for symbol := range language.NodeKindCount() {
		if language.NodeKindIsVisible(uint16(symbol)) && language.NodeKindIsNamed(uint16(symbol)) {
			missing[language.NodeKindForId(uint16(symbol))] = true
		}
	}
	for _, k := range readLines[nodeKind](t, "nodekinds.jsonl") {
		delete(missing, k.Kind)
		planted := uint32(strings.Index(k.Line, "X1"))
		found := slices.ContainsFunc(rawNodes(t, k.Line), func(n treeNode) bool {
			return language.NodeKindForId(uint16(n.symbol)) == k.Kind &&
				(!k.Holds || uint32(n.start) <= planted && planted < uint32(n.end))
		})
		if !found {
			t.Errorf("%s: %q holds no such node around the command", k.Kind, k.Line)
		}
		got := read(k.Line)
		if len(got.problems) > 0 || !slices.Contains(namesOf(got), "X1") {
			t.Errorf("%s: %q: X1 is not seen: %q %v", k.Kind, k.Line, namesOf(got), got.problems)
		}
	}
	for kind := range missing {
		t.Errorf("no line for the node kind %s", kind)
	}
}

// A substitution in the place of any word of an ordinary line is seen, or the
// line is unresolved (B23).
func TestSubstitutionInPlaceOfEveryWord(t *testing.T) {
	type row struct{ Line string }
	language := bashLanguage()
	for _, r := range readLines[row](t, "ordinary.jsonl") {
		for _, n := range rawNodes(t, r.Line) {
			switch language.NodeKindForId(uint16(n.symbol)) {
			case "word", "number", "simple_expansion", "expansion", "string", "raw_string", "concatenation":
			default:
				continue
			}
			line := r.Line[:n.start] + "$(X1)" + r.Line[n.end:]
			got := read(line)
			if len(got.problems) == 0 && !slices.Contains(namesOf(got), "X1") {
				t.Errorf("%q: X1 is not seen: %q", line, namesOf(got))
			}
		}
	}
}

// Every kind of node that is not known is refused, never passed over.
func TestUnknownNodeKindIsRefused(t *testing.T) {
	l := &lexer{}
	l.reset("a")
	l.list(0)
	nodes := rawNodes(t, "echo $((1))")
	if treeSkeleton(l, nodes) {
		t.Error("an arithmetic expansion, which the lexer never writes, was passed over")
	}
}
