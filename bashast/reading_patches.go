package bashast

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// patch gives mvdan.cc/sh other bytes in place of one byte of the line, or
// before it, where it would misread the line.
type patch struct {
	pos    int32
	before bool
	to     string
}

// Bytes that stand in the patched text for bytes of the line; restore puts
// these back into the tree. They are control characters: a line that holds one
// itself is not patched but unresolved.
const (
	insteadOfCR     = "\x01" // a CR, which is no blank
	insteadOfHash   = "\x02" // a # within a word
	insteadOfQuote  = "\x03" // a single quote within double quotes
	insteadOfDollar = "\x05" // a dollar in a here-document's delimiter
	insteadOfWord   = "\x04" // put before a reserved word that is none here
)

var originals = strings.NewReplacer(insteadOfCR, "\r", insteadOfHash, "#", insteadOfQuote, "'", insteadOfWord, "", insteadOfDollar, "$")

// patch puts to in place of byte i.
func (l *lexer) patch(i int, to string) {
	l.patches = append(l.patches, patch{l.at(i), false, to})
}

// insert puts text before byte i.
func (l *lexer) insert(i int, text string) {
	l.patches = append(l.patches, patch{l.at(i), true, text})
}

// joined takes the continuation lines within an operator out of what
// mvdan.cc/sh reads, which does not look behind them.
func (l *lexer) joined(start, end int) {
	if !l.bold || end-start < 3 {
		return
	}
	for i := start; i+1 < end; i++ {
		if l.text[i] == '\\' && l.text[i+1] == '\n' {
			l.patch(i, "")
			l.patch(i+1, "")
		}
	}
}

// graft is a part of the line that mvdan.cc/sh takes for plain text, or whose
// frame it gets wrong; it is read by itself and put into the tree.
type graft struct {
	kind  graftKind
	text  string
	start int32
	end   int32
}

type graftKind uint8

const (
	graftProcess graftKind = iota // <( ) in the word of ${v:-word}
	graftCoproc                   // coproc, at end, of the command at start
)

// patched is the line as mvdan.cc/sh gets it and, where the lengths differ,
// where each of its bytes comes from.
func (l *lexer) patched(text string) (string, []int32) {
	if len(l.patches) == 0 {
		return text, nil
	}
	if i := strings.IndexAny(text, insteadOfCR+insteadOfHash+insteadOfQuote+insteadOfWord+insteadOfDollar); i >= 0 {
		l.problems = append(l.problems, Problem{ProblemReadings, "control characters in the line", Span{i, i + 1}})
		return text, nil
	}
	slices.SortStableFunc(l.patches, func(a, b patch) int {
		switch {
		case a.pos != b.pos:
			return int(a.pos - b.pos)
		case a.before && !b.before:
			return -1
		case b.before && !a.before:
			return 1
		}
		return 0
	})
	out := make([]byte, 0, len(text)+16)
	var from []int32
	moved := slices.ContainsFunc(l.patches, func(p patch) bool { return p.before || len(p.to) != 1 })
	if moved {
		from = make([]int32, 0, len(text)+16)
	}
	put := func(s string, pos int32) {
		out = append(out, s...)
		if moved {
			for range len(s) {
				from = append(from, pos)
			}
		}
	}
	next := int32(0)
	for i, p := range l.patches {
		for ; next < p.pos; next++ {
			put(text[next:next+1], next)
		}
		if !p.before && i+1 < len(l.patches) && l.patches[i+1].pos == p.pos {
			continue // a later patch of the same byte stands
		}
		put(p.to, p.pos)
		if !p.before {
			next = p.pos + 1
		}
	}
	for ; int(next) < len(text); next++ {
		put(text[next:next+1], next)
	}
	return string(out), from
}

// restore puts back into the tree what patched changed: bytes, and places when
// from is given, and adds the grafts.
func (l *lexer) restore(f *syntax.File, from []int32) {
	if from != nil {
		for _, s := range f.Stmts {
			moveBack(reflect.ValueOf(s), from)
		}
	}
	if len(l.patches) > 0 {
		syntax.Walk(f, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Lit:
				n.Value = originals.Replace(n.Value)
			case *syntax.SglQuoted:
				n.Value = originals.Replace(n.Value)
			}
			return true
		})
	}
	for _, g := range slices.Backward(l.grafts) {
		if g.kind == graftCoproc {
			wrapCoproc(f, g)
		} else if part := processSubstitution(g); part != nil {
			graftInto(f, g, part)
		}
	}
}

var positionType = reflect.TypeFor[syntax.Pos]()

// moveBack makes every position below v one of the line. It is as slow as
// reflection is; so are lines that need it rare.
func moveBack(v reflect.Value, from []int32) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			moveBack(v.Elem(), from)
		}
	case reflect.Slice:
		for i := range v.Len() {
			moveBack(v.Index(i), from)
		}
	case reflect.Struct:
		if v.Type() == positionType {
			if pos := v.Interface().(syntax.Pos); pos.IsValid() {
				v.Set(reflect.ValueOf(syntax.NewPos(original(pos.Offset(), from), pos.Line(), pos.Col())))
			}
			return
		}
		for i := range v.NumField() {
			moveBack(v.Field(i), from)
		}
	}
}

func original(at uint, from []int32) uint {
	switch {
	case int(at) < len(from):
		return uint(from[at])
	case len(from) == 0:
		return 0
	}
	return uint(from[len(from)-1]) + 1
}

// parseAt reads text by itself; its places are those of the line.
func parseAt(text string, pos int32) []*syntax.Stmt {
	f, err := syntax.NewParser().Parse(io.MultiReader(&blankReader{int(pos)}, strings.NewReader(text)), "")
	if err != nil && len(f.Stmts) == 0 {
		return nil
	}
	return f.Stmts
}

// processSubstitution reads the text of a graft.
func processSubstitution(g graft) syntax.WordPart {
	stmts := parseAt(g.text, g.start)
	if len(stmts) != 1 {
		return nil
	}
	call, ok := stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 || len(call.Args[0].Parts) != 1 {
		return nil
	}
	return call.Args[0].Parts[0]
}

// graftInto puts part in the place of the parts of the word that hold its text.
func graftInto(f *syntax.File, g graft, part syntax.WordPart) {
	syntax.Walk(f, func(n syntax.Node) bool {
		word, ok := n.(*syntax.Word)
		if !ok || len(word.Parts) == 0 {
			return true
		}
		first := slices.IndexFunc(word.Parts, func(p syntax.WordPart) bool { return int32(p.End().Offset()) > g.start })
		last := slices.IndexFunc(word.Parts, func(p syntax.WordPart) bool { return int32(p.End().Offset()) >= g.end })
		if first < 0 || last < 0 || int32(word.Parts[first].Pos().Offset()) > g.start {
			return true
		}
		head, headOK := word.Parts[first].(*syntax.Lit)
		tail, tailOK := word.Parts[last].(*syntax.Lit)
		if !headOK || !tailOK {
			return true
		}
		var parts []syntax.WordPart
		parts = append(parts, word.Parts[:first]...)
		if n := int(g.start) - int(head.Pos().Offset()); n > 0 && n <= len(head.Value) {
			parts = append(parts, &syntax.Lit{ValuePos: head.ValuePos, ValueEnd: part.Pos(), Value: head.Value[:n]})
		}
		parts = append(parts, part)
		if n := int(g.end) - int(tail.Pos().Offset()); n >= 0 && n < len(tail.Value) {
			parts = append(parts, &syntax.Lit{ValuePos: part.End(), ValueEnd: tail.ValueEnd, Value: tail.Value[n:]})
		}
		word.Parts = append(parts, word.Parts[last+1:]...)
		return true
	})
}

// wrapCoproc makes the command at g.start that of a coproc.
func wrapCoproc(f *syntax.File, g graft) {
	syntax.Walk(f, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok || s.Cmd == nil && len(s.Redirs) == 0 || int32(s.Pos().Offset()) != g.start {
			return true
		}
		switch s.Cmd.(type) {
		case nil, *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause:
		default:
			return true
		}
		inner := *s
		inner.Negated, inner.Background, inner.Semicolon = false, false, syntax.Pos{}
		s.Cmd = &syntax.CoprocClause{Coproc: syntax.NewPos(uint(g.end), 1, 1), Stmt: &inner}
		s.Redirs = nil
		return false
	})
}
