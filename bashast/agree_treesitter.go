package bashast

import "sync"

// nodeClass says what a node of tree-sitter's tree means for a skeleton.
type nodeClass uint8

const (
	nodeUnknown nodeClass = iota // a kind that out can never hold: refused
	nodeNothing                  // it decides nothing itself
	nodeWord
	nodeName // command_name
	nodeAssign
	nodeSubst
	nodeToken // a token with a landmark of its own
)

// nodeMeaning is the class of a node kind and the landmark of a token.
type nodeMeaning struct {
	class nodeClass
	kind  landmarkKind
}

// nodeKinds gives the kinds of nodes that can stand in the text the lexer
// writes. All others are refused: what is not known is never passed over.
var nodeKinds = map[string]nodeMeaning{
	"program": {nodeNothing, 0}, "command": {nodeNothing, 0}, "pipeline": {nodeNothing, 0},
	"list": {nodeNothing, 0}, "redirected_statement": {nodeNothing, 0}, "file_redirect": {nodeNothing, 0},
	"variable_assignments": {nodeNothing, 0}, "if_statement": {nodeNothing, 0}, "elif_clause": {nodeNothing, 0},
	"else_clause": {nodeNothing, 0}, "while_statement": {nodeNothing, 0}, "for_statement": {nodeNothing, 0},
	"do_group": {nodeNothing, 0}, "case_statement": {nodeNothing, 0}, "case_item": {nodeNothing, 0},
	"compound_statement": {nodeNothing, 0}, "subshell": {nodeNothing, 0}, "variable_name": {nodeNothing, 0},
	"extglob_pattern": {nodeWord, markWord},

	"word": {nodeWord, markWord}, "concatenation": {nodeWord, markWord},
	"command_name":         {nodeName, markName},
	"variable_assignment":  {nodeAssign, markAssign},
	"command_substitution": {nodeSubst, markSubst},

	";": {nodeNothing, 0}, ";;": {nodeNothing, 0}, ";&": {nodeNothing, 0}, ";;&": {nodeNothing, 0},
	")": {nodeNothing, 0}, "}": {nodeNothing, 0}, "$(": {nodeNothing, 0}, ">": {nodeNothing, 0}, "=": {nodeNothing, 0},
	"then": {nodeNothing, 0}, "fi": {nodeNothing, 0}, "do": {nodeNothing, 0}, "done": {nodeNothing, 0},
	"in": {nodeNothing, 0}, "esac": {nodeNothing, 0},
	"if": {nodeToken, markIf}, "elif": {nodeToken, markElif}, "else": {nodeToken, markElse},
	"while": {nodeToken, markWhile}, "until": {nodeToken, markUntil}, "for": {nodeToken, markFor},
	"select": {nodeToken, markSelect}, "case": {nodeToken, markCase},
	"{": {nodeToken, markGroup}, "(": {nodeToken, markSubshell},
	"|": {nodeToken, markPipe}, "|&": {nodeToken, markPipeAll}, "&&": {nodeToken, markAnd},
	"||": {nodeToken, markOr}, "&": {nodeToken, markBackground},
}

// grammarTable is nodeKinds by the grammar's symbols.
type grammarTable struct {
	meanings    []nodeMeaning
	wordParents []bool // a word below it is a word of the skeleton
	caseItem    uint16
}

var grammar = sync.OnceValue(func() *grammarTable {
	language := bashLanguage()
	n := int(language.NodeKindCount())
	g := &grammarTable{meanings: make([]nodeMeaning, n), wordParents: make([]bool, n)}
	for symbol := range n {
		kind := language.NodeKindForId(uint16(symbol))
		g.meanings[symbol] = nodeKinds[kind]
		switch kind {
		case "command", "for_statement", "case_statement", "case_item", "file_redirect":
			g.wordParents[symbol] = true
		}
		if kind == "case_item" {
			g.caseItem = uint16(symbol)
		}
	}
	return g
})

// treeSkeleton adds to l.landmarks those that tree-sitter finds in what the
// lexer wrote. It reports false when the tree has errors or does not fit.
func treeSkeleton(l *lexer, nodes []treeNode) bool {
	g := grammar()
	next := 0 // the first mark that is not behind the node
	for i := range nodes {
		n := &nodes[i]
		if n.flags&(treeError|treeMissing) != 0 || int(n.symbol) >= len(g.meanings) {
			return false
		}
		meaning := g.meanings[n.symbol]
		kind, class := meaning.kind, classWord
		switch meaning.class {
		case nodeUnknown:
			return false
		case nodeNothing:
			continue
		case nodeWord:
			if !g.wordParents[n.parent] {
				continue
			}
		case nodeSubst:
			class = classSubst
		case nodeToken:
			if kind == markPipe && uint16(n.parent) == g.caseItem {
				continue
			}
			class = classToken
		}
		for next < len(l.marks) && l.marks[next].out < int32(n.start) {
			next++
		}
		m, ok := findMark(l.marks[next:], int32(n.start), class)
		if !ok {
			if meaning.class == nodeWord && n.end-n.start == 1 {
				continue // the made-up item of a loop
			}
			return false
		}
		if m.pos < 0 {
			continue
		}
		if m.as != noLandmark {
			kind = m.as
		}
		l.landmarks = append(l.landmarks, landmark{m.pos, kind})
	}
	return true
}

func findMark(marks []mark, out int32, class markClass) (mark, bool) {
	for _, m := range marks {
		if m.out != out {
			break
		}
		if m.class == class {
			return m, true
		}
	}
	return mark{}, false
}
