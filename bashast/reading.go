package bashast

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// read reads text with both parsers and says where they differ (B1, B12).
//
// The tree is that of mvdan.cc/sh. The second reading is a tokenizer that
// follows bash's own (lexer) with tree-sitter-bash as its grammar. They agree
// when every word, assignment, redirect, substitution, operator and compound
// command starts at the same byte in both; otherwise the line is unresolved and
// what only the second reading sees is in extra.
func read(text string) reading {
	if len(text) > maxText {
		return unread(text, Problem{ProblemBound, "the line is too long to be read", Span{0, len(text)}})
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return unread(text, Problem{ProblemSyntax, "the line holds a NUL byte, where bash would cut it", Span{i, i + 1}})
	}
	if !utf8.ValidString(text) {
		return unread(text, Problem{ProblemSyntax, "the line is not valid UTF-8", Span{0, len(text)}})
	}
	r := readers.Get().(*reader)
	defer readers.Put(r)
	return r.read(text)
}

func unread(_ string, p Problem) reading {
	return reading{file: &syntax.File{}, problems: []Problem{p}}
}

// reader holds what a reading needs and the next one can use again. Everything
// in it is emptied before use, so that no line changes how another is read.
type reader struct {
	lexer    lexer
	skeleton skeleton
	parser   *syntax.Parser
	text     strings.Reader
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// read reads text as it is; where the readings differ then, it reads it once
// more with every patch that is known, which costs more and is seldom needed.
func (r *reader) read(text string) reading {
	out := r.once(text, false)
	if len(out.problems) > 0 && !r.lexer.failed {
		if again := r.once(text, true); len(again.problems) == 0 {
			return withDormant(text, again)
		}
		out = r.once(text, false)
	}
	if len(out.problems) > 0 && !r.lexer.over {
		out.extra = r.others()
	}
	return withDormant(text, out)
}

// withDormant adds what quoted data would run.
func withDormant(text string, out reading) reading {
	problems, stmts := dormant(text, out.file)
	out.problems = append(out.problems, problems...)
	out.extra = append(out.extra, stmts...)
	return out
}

func (r *reader) once(text string, bold bool) reading {
	l := &r.lexer
	l.reset(text)
	l.bold = bold
	l.list(0)
	l.readBodies()
	lexed := !l.failed
	var out reading
	if l.over {
		out.file, out.problems = &syntax.File{}, slices.Clone(l.problems)
		return out
	}
	k := &r.skeleton
	k.landmarks, k.unknown = k.landmarks[:0], false
	patched, from := l.patched(text)
	var err error
	out.file, err = r.parse(patched)
	out.problems = slices.Clone(l.problems)
	if err != nil {
		out.problems = append(out.problems, syntaxProblem(err, from, len(text)))
	}
	l.restore(out.file, from)
	k.stmts(out.file.Stmts)
	if lexed {
		r.agree(text, &out)
	}
	return out
}

// agree compares the two readings.
func (r *reader) agree(text string, out *reading) {
	l, k := &r.lexer, &r.skeleton
	tree := treeParsers.Get().(*treeParser)
	fits := treeSkeleton(l, tree.parse(l.out))
	treeParsers.Put(tree)
	sortLandmarks(l.landmarks)
	sortLandmarks(k.landmarks)
	if len(out.problems) > 0 {
		return
	}
	if !fits || k.unknown {
		out.problems = append(out.problems, Problem{ProblemReadings, "one of two parsers cannot read this line as a whole", Span{0, len(text)}})
		return
	}
	if at, ok := differ(l.landmarks, k.landmarks, len(text)); ok {
		out.problems = append(out.problems, Problem{
			ProblemReadings, "two parsers read this line differently from here on", Span{at, len(text)},
		})
	}
}

// differ is the first place where two skeletons are not the same.
func differ(a, b []landmark, end int) (int, bool) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return int(min(a[i].pos, b[i].pos)), true
		}
	}
	switch {
	case len(a) > len(b):
		return int(a[len(b)].pos), true
	case len(b) > len(a):
		return int(b[len(a)].pos), true
	}
	return end, false
}

// parse reads text with mvdan.cc/sh. On a syntax error the file holds the
// statements before it: bash runs those.
func (r *reader) parse(text string) (*syntax.File, error) {
	if r.parser == nil {
		r.parser = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	r.text.Reset(text)
	f, err := r.parser.Parse(&r.text, "")
	if err != nil {
		r.parser = nil // never used again after an error
	}
	return f, err
}

func syntaxProblem(err error, from []int32, end int) Problem {
	at, why := 0, err.Error()
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &parse):
		at, why = int(parse.Pos.Offset()), parse.Text
	case errors.As(err, &lang):
		at, why = int(lang.Pos.Offset()), lang.Feature
	}
	if from != nil {
		at = int(original(uint(at), from))
	}
	return Problem{ProblemSyntax, "not read as valid bash: " + why, Span{min(at, end), end}}
}

// others are the simple commands that only the second reading sees.
func (r *reader) others() []*syntax.Stmt {
	var extra []*syntax.Stmt
	length := 0
	for _, c := range r.lexer.simple {
		if r.skeleton.starts(c.pos) {
			continue
		}
		if length += len(c.text); len(extra) >= maxExtra || length > maxExtraText {
			break
		}
		stmts := parseAt(c.text, c.pos)
		if len(stmts) == 0 && c.call != "" {
			stmts = parseAt(c.call, c.name)
		}
		extra = append(extra, stmts...)
	}
	return extra
}

// starts reports whether a simple command starts at pos.
func (k *skeleton) starts(pos int32) bool {
	i, _ := slices.BinarySearchFunc(k.landmarks, pos, func(l landmark, pos int32) int { return int(l.pos - pos) })
	for ; i < len(k.landmarks) && k.landmarks[i].pos == pos; i++ {
		switch kind := k.landmarks[i].kind; kind {
		case markName, markAssign, markNot, markTime, markCoproc:
			return true
		default:
			if kind >= markRedirect {
				return true
			}
		}
	}
	return false
}

// blankReader gives n blanks, so that what is read after them has its places.
type blankReader struct{ n int }

func (b *blankReader) Read(p []byte) (int, error) {
	if b.n == 0 {
		return 0, io.EOF
	}
	n := min(len(p), b.n)
	for i := range n {
		p[i] = ' '
	}
	b.n -= n
	return n, nil
}

// reset makes l ready for text.
func (l *lexer) reset(text string) {
	*l = lexer{
		text: text, end: len(text), size: len(text), extglob: strings.Contains(text, "extglob"),
		out: l.out[:0], marks: l.marks[:0], landmarks: l.landmarks[:0], patches: l.patches[:0], grafts: l.grafts[:0],
		simple: l.simple[:0], bodies: l.bodies[:0], scratch: l.scratch,
	}
}
