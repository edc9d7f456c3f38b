package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxFields bounds the words that one word may become.
const maxFields = 2048

// piece is a stretch of a word after expansion, before splitting.
type piece struct {
	val Value
	// quoted protects it from splitting and from pattern matching.
	quoted bool
	// literal is unquoted text of the line itself: it is not split, but its
	// pattern characters count.
	literal bool
	// next begins a new word: "$@" and "${a[@]}".
	next bool
	// vanish is an expansion to no word at all, such as an empty "$@".
	vanish bool
	// many is an expansion to a number of words that is not known.
	many bool
}

// words expands the words of a command to its argv (bash manual 3.5).
func (e *evaluator) words(sh *shell, list []*syntax.Word) []Word {
	out := make([]Word, 0, len(list))
	for _, w := range list {
		if !e.step(sh) {
			return out
		}
		out = e.appendFields(sh, out, w)
	}
	return out
}

func (e *evaluator) appendFields(sh *shell, out []Word, w *syntax.Word) []Word {
	span := sh.span(w)
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && plainLiteral(lit.Value) {
			return append(out, Word{Value: Known(lit.Value), Span: span})
		}
	}
	if sh.opts.get(optBraceExpand) == no || !hasBrace(w) {
		return e.splitFields(sh, out, w, span)
	}
	parts, ok := braces(w)
	if !ok {
		e.overBound(sh, "a brace expansion makes more words than are followed")
		return append(out, Word{Value: Unknown("a long brace expansion"), Span: span, Many: true})
	}
	for _, p := range parts {
		out = e.splitFields(sh, out, p, span)
	}
	return out
}

// plainLiteral reports whether text is a word without any expansion.
func plainLiteral(text string) bool {
	return !strings.ContainsAny(text, "\\~{}*?[]!()'\"$`") && text != ""
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.ContainsRune(lit.Value, '{') {
			return true
		}
		if _, ok := p.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// braces expands the braces of a word (bash manual 3.5.1), or reports that
// there are too many words.
func braces(w *syntax.Word) ([]*syntax.Word, bool) {
	c := *w
	c.Parts = append([]syntax.WordPart(nil), w.Parts...)
	syntax.SplitBraces(&c)
	if braceCount(&c) > maxFields {
		return nil, false
	}
	return expand.Braces(&c), true
}

func braceCount(w *syntax.Word) int {
	n := 1
	for _, p := range w.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		sum := 0
		if b.Sequence {
			sum = sequenceCount(b)
		} else {
			for _, el := range b.Elems {
				sum += braceCount(el)
			}
		}
		n *= max(sum, 1)
		if n > maxFields {
			return n
		}
	}
	return n
}

func sequenceCount(b *syntax.BraceExp) int {
	from, ok1 := smallNumber(b.Elems[0].Lit())
	to, ok2 := smallNumber(b.Elems[1].Lit())
	if ok1 && ok2 {
		return max(from-to, to-from) + 1
	}
	if len(b.Elems[0].Lit()) == 1 && len(b.Elems[1].Lit()) == 1 {
		return 128
	}
	return maxFields + 1
}

func smallNumber(s string) (int, bool) {
	n, ok := parseInteger(s)
	if !ok || n > 1<<40 || n < -1<<40 {
		return 0, false
	}
	return int(n), true
}

// splitFields expands one word that has no braces left.
func (e *evaluator) splitFields(sh *shell, out []Word, w *syntax.Word, span Span) []Word {
	pieces := e.pieces(sh, w.Parts, false)
	s := splitter{sh: sh, e: e, span: span, out: out, ifs: sh.ifs()}
	for _, p := range pieces {
		s.add(p)
	}
	s.flush()
	if stream := procStream(w); stream != nil && len(s.out) > 0 {
		s.out[len(s.out)-1].Stream = e.streams[stream]
	}
	return s.out
}

func procStream(w *syntax.Word) *syntax.ProcSubst {
	if len(w.Parts) != 1 {
		return nil
	}
	p, _ := w.Parts[0].(*syntax.ProcSubst)
	return p
}

// scalar expands a word where it is neither split nor matched against files:
// an assignment, a here-string, the word of a case (bash manual 3.4, 3.6.7).
func (e *evaluator) scalar(sh *shell, w *syntax.Word) Value {
	if w == nil {
		return Known("")
	}
	return e.joined(sh, e.pieces(sh, w.Parts, false))
}

// joined is the pieces as one text.
func (e *evaluator) joined(sh *shell, pieces []piece) Value {
	v := Known("")
	for i, p := range pieces {
		if p.next && i > 0 {
			v = Concat(v, Known(" "))
		}
		if p.many {
			return Concat(v, Unknown(p.val.Why()))
		}
		v = Concat(v, p.val)
	}
	return v
}

// pieces expands the parts of a word. dquoted is true between double quotes.
func (e *evaluator) pieces(sh *shell, parts []syntax.WordPart, dquoted bool) []piece {
	var out []piece
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			out = e.literal(sh, out, p.Value, dquoted, i == 0)
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = ansiC(text)
			}
			out = append(out, piece{val: Known(text), quoted: true})
		case *syntax.DblQuoted:
			inner := e.pieces(sh, p.Parts, true)
			if len(inner) == 0 {
				inner = []piece{{val: Known(""), quoted: true}}
			}
			out = append(out, inner...)
		case *syntax.ParamExp:
			out = append(out, e.param(sh, p, dquoted)...)
		case *syntax.CmdSubst:
			out = append(out, piece{val: e.cmdSubst(sh, p), quoted: dquoted})
		case *syntax.ArithmExp:
			out = append(out, piece{val: e.arith(sh, p.X).value(), quoted: dquoted})
		case *syntax.ProcSubst:
			out = append(out, piece{val: e.procSubst(sh, p), quoted: true})
		case *syntax.ExtGlob:
			out = append(out, e.extGlob(sh, p)...)
		default:
			e.programProblem(ProblemSyntax, "an expansion that bash does not have", sh.span(part))
			out = append(out, piece{val: Unknown("an expansion that bash does not have"), many: true})
		}
	}
	return out
}

func (e *evaluator) extGlob(sh *shell, p *syntax.ExtGlob) []piece {
	if strings.ContainsAny(p.Pattern.Value, "$`") {
		e.programProblem(ProblemReadings, "an expansion inside an extended pattern", sh.span(p))
	}
	return []piece{{val: Unknown("an extended pattern"), many: true}}
}

// literal adds unquoted or double-quoted text of the line with its
// backslashes removed (bash manual 3.1.2.1, 3.1.2.3).
func (e *evaluator) literal(sh *shell, out []piece, text string, dquoted, first bool) []piece {
	if dquoted {
		return append(out, piece{val: Known(unescapeDouble(text)), quoted: true})
	}
	if first && strings.HasPrefix(text, "~") {
		var head Value
		head, text = e.tilde(sh, text)
		out = append(out, piece{val: head, quoted: true})
		if text == "" {
			return out
		}
	}
	if first && strings.Contains(text, "=~") {
		out, text = e.assignmentTilde(sh, out, text)
	}
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 >= len(text) {
			continue
		}
		if i > start {
			out = append(out, piece{val: Known(text[start:i]), literal: true})
		}
		if text[i+1] != '\n' {
			out = append(out, piece{val: Known(text[i+1 : i+2]), quoted: true})
		}
		i++
		start = i + 1
	}
	if start < len(text) {
		out = append(out, piece{val: Known(text[start:]), literal: true})
	}
	return out
}

// assignmentTilde expands the tilde of a word that looks like an assignment:
// bash does so in any argument (bash manual 3.5.2).
func (e *evaluator) assignmentTilde(sh *shell, out []piece, text string) ([]piece, string) {
	name, rest, _ := strings.Cut(text, "=")
	if !isName(name) || !strings.HasPrefix(rest, "~") {
		return out, text
	}
	head, tail := e.tilde(sh, rest)
	return append(out, piece{val: Known(name + "="), quoted: true}, piece{val: head, quoted: true}), tail
}

func unescapeDouble(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			switch text[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// tilde expands a leading tilde prefix (bash manual 3.5.2) and gives the rest.
func (e *evaluator) tilde(sh *shell, text string) (Value, string) {
	end := strings.IndexByte(text, '/')
	if end < 0 {
		end = len(text)
	}
	prefix, rest := text[:end], text[end:]
	switch prefix {
	case "~":
		home := sh.lookup("HOME")
		if home.set == no {
			return Unknown("the home directory"), rest
		}
		return home.val, rest
	case "~+":
		return sh.dir, rest
	case "~-":
		if old := sh.lookup("OLDPWD"); old.set == yes {
			return old.val, rest
		}
		return Known(prefix), rest
	}
	if strings.ContainsAny(prefix, "\\") {
		return Known(""), text
	}
	return Partial("/", "", "the home directory of "+prefix[1:]), rest
}

// splitter makes words of pieces: splitting, then patterns (bash manual
// 3.5.7, 3.5.8).
type splitter struct {
	e    *evaluator
	sh   *shell
	span Span
	ifs  Value
	out  []Word

	val     Value
	pattern strings.Builder
	started bool
	quoted  bool
	glob    bool
	many    bool
}

func (s *splitter) add(p piece) {
	if p.next && s.started {
		s.flush()
	}
	if p.vanish {
		return
	}
	switch {
	case p.many:
		s.extend(p.val, false)
		s.many = true
	case p.quoted:
		s.extend(p.val, true)
		s.quoted = true
	case p.literal:
		s.extend(p.val, false)
	default:
		s.split(p.val)
	}
}

// extend adds to the word in progress.
func (s *splitter) extend(v Value, quoted bool) {
	if !s.started {
		s.started, s.val = true, Known("")
	}
	s.val = Concat(s.val, v)
	if text, known := v.Text(); known {
		s.pattern.WriteString(quotePattern(text, quoted))
		if !quoted && strings.ContainsAny(text, "*?[") {
			s.glob = true
		}
	}
}

func quotePattern(text string, quoted bool) string {
	if !quoted || !strings.ContainsAny(text, "*?[]\\") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte("*?[]\\", text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// split adds an unquoted expansion.
func (s *splitter) split(v Value) {
	ifs, known := s.ifs.Text()
	if !known {
		s.extend(Unknown("splitting with an IFS that is not known"), false)
		s.many = true
		return
	}
	if text, ok := v.Text(); ok {
		s.splitText(text, ifs)
		return
	}
	if isAtom(v) && !strings.ContainsAny(ifs, "0123456789-+.") || v.Kind() == OneOfKind && s.unsplit(v, ifs) {
		s.extend(v, true)
		return
	}
	s.extend(v, false)
	s.many = true
}

// unsplit reports whether every possible text is one word as it stands.
func (s *splitter) unsplit(v Value, ifs string) bool {
	for _, t := range v.Texts() {
		if t == "" || strings.ContainsAny(t, ifs) || strings.ContainsAny(t, "*?[\\") {
			return false
		}
	}
	return true
}

func (s *splitter) splitText(text, ifs string) {
	blank := func(c byte) bool { return strings.IndexByte(ifs, c) >= 0 && (c == ' ' || c == '\t' || c == '\n') }
	for i := 0; i < len(text); {
		if c := text[i]; strings.IndexByte(ifs, c) < 0 {
			end := i
			for end < len(text) && strings.IndexByte(ifs, text[end]) < 0 {
				end++
			}
			s.extend(Known(text[i:end]), false)
			i = end
			continue
		}
		delimiter := false
		for i < len(text) && strings.IndexByte(ifs, text[i]) >= 0 {
			if !blank(text[i]) {
				if delimiter {
					break
				}
				delimiter = true
			}
			i++
		}
		if delimiter && !s.started {
			s.started, s.val, s.quoted = true, Known(""), true
		}
		s.flush()
	}
}

// flush ends the word in progress.
func (s *splitter) flush() {
	if !s.started {
		return
	}
	w := Word{Value: s.val, Span: s.span, Quoted: s.quoted, Many: s.many}
	pattern, glob := s.pattern.String(), s.glob
	s.started, s.quoted, s.glob, s.many = false, false, false, false
	s.pattern.Reset()
	if w.Many {
		w.Value = manyValue(w.Value)
	}
	if text, known := w.Text(); known && text == "" && !w.Quoted {
		return
	}
	if len(s.out) > maxFields {
		s.e.overBound(s.sh, "the line makes more words than are followed")
		return
	}
	if !glob || firstMeta(pattern) == len(pattern) || s.sh.opts.get(optNoglob) == yes {
		s.out = append(s.out, w)
		return
	}
	s.out = s.e.glob(s.sh, s.out, w, pattern)
}

// manyValue is what is known of each of the words that a value of several
// words may become: nothing of its beginning or end holds for all of them.
func manyValue(v Value) Value {
	if _, ok := v.Pattern(); ok {
		return v
	}
	return Unknown(v.Why())
}

// ifs is the IFS in force.
func (sh *shell) ifs() Value {
	v := sh.lookup("IFS")
	if v.set == no {
		return Known(" \t\n")
	}
	if v.set == maybe {
		return Unknown("IFS")
	}
	return v.val
}
