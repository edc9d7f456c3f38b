package bashast

// #include "treesitter.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"
	tree_sitter_bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
)

// treeNode is one visible node of a tree-sitter tree, as C lays it out.
type treeNode = C.guard_node

// The flags of a treeNode.
const (
	treeNamed   = C.GUARD_NAMED
	treeMissing = C.GUARD_MISSING
	treeError   = C.GUARD_ERROR
)

// treeParser parses with tree-sitter-bash. It is not safe for concurrent use;
// treeParsers hands them out. A parse always runs to its end: limits.go bounds
// the text, so that none has to be cancelled, after which tree-sitter v0.25
// would abort the process on the parser's next use.
type treeParser struct {
	parser *C.TSParser
	nodes  []treeNode
}

var treeParsers = sync.Pool{New: func() any {
	p := &treeParser{
		parser: C.guard_parser_new(tree_sitter_bash.Language()),
		nodes:  make([]treeNode, 256),
	}
	if p.parser != nil {
		runtime.AddCleanup(p, func(c *C.TSParser) { C.guard_parser_delete(c) }, p.parser)
	}
	return p
}}

// parse returns the nodes of text in preorder, nil when tree-sitter is not
// there or gives no tree. The slice is overwritten by the next parse.
func (p *treeParser) parse(text []byte) []treeNode {
	if p.parser == nil || len(text) == 0 {
		return nil
	}
	for {
		n := int(C.guard_parse(p.parser, (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)),
			&p.nodes[0], C.uint32_t(len(p.nodes))))
		if n <= len(p.nodes) {
			return p.nodes[:n]
		}
		p.nodes = make([]treeNode, n+n/4)
	}
}

// bashLanguage is the grammar, for the names of its node kinds.
var bashLanguage = sync.OnceValue(func() *tree_sitter.Language {
	return tree_sitter.NewLanguage(tree_sitter_bash.Language())
})
