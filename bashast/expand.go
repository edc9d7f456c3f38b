package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// quoting is where a part of a word stands.
type quoting uint8

const (
	unquoted  quoting = iota
	inQuotes          // inside double quotes
	inHereDoc         // in a here-document, where " is a plain character
)

// pieceKind says what is still to be done to a piece of a word.
type pieceKind uint8

const (
	pieceQuoted  pieceKind = iota // nothing: it was quoted
	pieceLiteral                  // it stands in the word: matched as a pattern, not split
	pieceSplit                    // the result of an expansion: split and matched as a pattern
	pieceNone                     // "$@" without parameters: makes no word, unlike an empty one
)

// piece is one part of a word after its expansion and before word splitting.
type piece struct {
	v    Value
	kind pieceKind
	// brk is true when a word ends before this piece, as between the
	// parameters of "$@".
	brk bool
	// many is true when the piece may be any number of words, none included.
	many   bool
	stream *Value
}

// words expands the words of a command (bash manual 3.5). There is more than
// one list where the number of words depends on what is not known.
func (e *evaluator) words(sh *shell, ws []*syntax.Word) [][]Word {
	if len(ws) == 0 {
		return [][]Word{nil}
	}
	first := make([]Word, 0, len(ws))
	var choices [][]Word
	for _, w := range ws {
		if text, quoted, ok := plainLiteral(w); ok {
			word := Word{Value: Known(text), Span: sh.span(w), Quoted: quoted}
			if choices == nil {
				first = append(first, word)
				continue
			}
			for i := range choices {
				choices[i] = append(choices[i], word)
			}
			continue
		}
		e.steps--
		more := e.word(sh, w)
		switch {
		case choices == nil && len(more) == 1:
			first = append(first, more[0]...)
		case choices == nil:
			choices = [][]Word{first}
			fallthrough
		default:
			choices = multiply(choices, more, sh.span(w))
		}
	}
	if choices == nil {
		return [][]Word{first}
	}
	return choices
}

// multiply puts each of more behind each of choices. Past a bound it is one
// word that may be anything.
func multiply(choices, more [][]Word, span Span) [][]Word {
	if len(choices)*len(more) > maxChoices {
		more = [][]Word{{{Value: Unknown("more than a few possible words"), Span: span, Many: true}}}
	}
	out := make([][]Word, 0, len(choices)*len(more))
	for _, c := range choices {
		for _, m := range more {
			out = append(out, append(c[:len(c):len(c)], m...))
		}
	}
	return out
}

// wordsJoined expands words where the caller cannot follow several lists.
func (e *evaluator) wordsJoined(sh *shell, ws []*syntax.Word) []Word {
	choices := e.words(sh, ws)
	if len(choices) == 1 {
		return choices[0]
	}
	same := true
	for _, c := range choices {
		same = same && len(c) == len(choices[0]) && !hasMany(c)
	}
	if same {
		out := append([]Word(nil), choices[0]...)
		for _, c := range choices[1:] {
			for i := range out {
				out[i].Value = Join(out[i].Value, c[i].Value)
			}
		}
		return out
	}
	var all []Word
	for _, c := range choices {
		all = append(all, c...)
	}
	if len(all) == 0 {
		return nil
	}
	return []Word{{Value: joinItems(all), Span: all[0].Span, Many: true}}
}

// plainLiteral is the text of a word that no expansion touches.
func plainLiteral(w *syntax.Word) (text string, quoted, ok bool) {
	if len(w.Parts) != 1 {
		return "", false, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "\\*?[{~") && p.Value != "[" {
			return "", false, false
		}
		return p.Value, false, true
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, true, true
		}
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			return "", true, true
		}
		if lit, ok := p.Parts[0].(*syntax.Lit); ok && len(p.Parts) == 1 && strings.IndexByte(lit.Value, '\\') < 0 {
			return lit.Value, true, true
		}
	}
	return "", false, false
}

// word expands one word into fields.
func (e *evaluator) word(sh *shell, w *syntax.Word) [][]Word {
	lists := [][]syntax.WordPart{w.Parts}
	if mayBrace(w.Parts) {
		switch sh.opts.get(optBraceExpand) {
		case yes:
			var ok bool
			if lists, ok = braceExpand(w.Parts); !ok {
				e.overBound(sh, "a brace expansion into more words than are followed")
				return [][]Word{{{Value: Unknown("a large brace expansion"), Span: sh.span(w), Many: true}}}
			}
		case maybe:
			for _, p := range w.Parts {
				e.part(sh, p, unquoted, nil)
			}
			return [][]Word{{{Value: Unknown("a brace expansion that may be off"), Span: sh.span(w), Many: true}}}
		}
	}
	span, quoted := sh.span(w), isQuoted(w)
	choices := [][]Word{nil}
	for _, parts := range lists {
		var buf [4]piece
		ps := e.pieces(sh, parts, buf[:0])
		more := e.fields(sh, ps, span)
		for _, list := range more {
			for i := range list {
				list[i].Quoted = quoted
			}
		}
		if len(choices) == 1 && len(more) == 1 {
			choices[0] = append(choices[0], more[0]...)
			continue
		}
		choices = multiply(choices, more, span)
	}
	return choices
}

// pieces expands the parts of an unquoted word.
func (e *evaluator) pieces(sh *shell, parts []syntax.WordPart, out []piece) []piece {
	for i, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			out = e.part(sh, p, unquoted, out)
			continue
		}
		text := lit.Value
		if i == 0 && strings.HasPrefix(text, "~") {
			out, text = e.tilde(sh, text, len(parts) == 1, out)
		} else if i == 0 {
			if eq := assignmentEnd(text); eq > 0 && strings.Contains(text[eq:], "~") {
				out = e.tildes(sh, text, eq, len(parts) == 1, out)
				continue
			}
		}
		out = literalPieces(text, out)
	}
	return out
}

// assignmentEnd is the index behind the = of a word that looks like an
// assignment, or 0.
func assignmentEnd(text string) int {
	eq := strings.IndexByte(text, '=')
	if eq <= 0 || !validName(text[:eq]) {
		return 0
	}
	return eq + 1
}

func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// literalPieces adds unquoted text from which the backslashes are taken.
func literalPieces(text string, out []piece) []piece {
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			break
		}
		if i > 0 {
			out = append(out, piece{v: Known(text[:i]), kind: pieceLiteral})
		}
		_, n := firstRune(text[i+1:])
		if text[i+1] != '\n' {
			out = append(out, piece{v: Known(text[i+1 : i+1+n])})
		}
		text = text[i+1+n:]
	}
	if text != "" {
		out = append(out, piece{v: Known(text), kind: pieceLiteral})
	}
	return out
}

// unescapeIn takes away the backslashes that quote inside double quotes or in a
// here-document (bash manual 3.1.2.3).
func unescapeIn(text string, q quoting) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			switch c := text[i+1]; {
			case c == '\n':
				i++
				continue
			case c == '$', c == '`', c == '\\', c == '"' && q == inQuotes:
				i++
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// part expands one part of a word.
func (e *evaluator) part(sh *shell, p syntax.WordPart, q quoting, out []piece) []piece {
	kind := pieceSplit
	if q != unquoted {
		kind = pieceQuoted
	}
	switch p := p.(type) {
	case *syntax.Lit:
		if q == unquoted {
			return literalPieces(p.Value, out)
		}
		return append(out, piece{v: Known(unescapeIn(p.Value, q))})
	case *syntax.SglQuoted:
		if p.Dollar {
			return append(out, piece{v: Known(ansiC(p.Value))})
		}
		return append(out, piece{v: Known(p.Value)})
	case *syntax.DblQuoted:
		return e.doubleQuoted(sh, p, out)
	case *syntax.ParamExp:
		return e.param(sh, p, q, out)
	case *syntax.CmdSubst:
		return append(out, piece{v: e.substitute(sh, p), kind: kind})
	case *syntax.ArithmExp:
		return append(out, piece{v: e.arith(sh, p.X).value(), kind: kind})
	case *syntax.ProcSubst:
		return append(out, e.process(sh, p))
	case *syntax.ExtGlob:
		return append(out, piece{v: e.extGlob(sh, p), kind: pieceLiteral})
	}
	e.programProblem(ProblemSyntax, "a part of a word that bash does not have", sh.span(p))
	return append(out, piece{v: Unknown("a part of a word that is not known"), kind: kind})
}

// doubleQuoted expands what stands between double quotes. It is a word even
// if it is empty, unless it is nothing but "$@" without parameters.
func (e *evaluator) doubleQuoted(sh *shell, p *syntax.DblQuoted, out []piece) []piece {
	start := len(out)
	none := false
	for _, part := range p.Parts {
		before := len(out)
		out = e.part(sh, part, inQuotes, out)
		for _, ps := range out[before:] {
			none = none || ps.kind == pieceNone
		}
	}
	if len(out) == start {
		return append(out, piece{v: Known("")})
	}
	if none && len(p.Parts) > 1 {
		// A parameter list of nothing beside other parts: the word stays.
		for i := start; i < len(out); i++ {
			if out[i].kind != pieceNone {
				return out
			}
		}
	}
	return out
}

// extGlob is the text of an extended pattern, whose expansions are made.
func (e *evaluator) extGlob(sh *shell, p *syntax.ExtGlob) Value {
	text := p.Pattern.Value
	v := Known(text)
	if strings.ContainsAny(text, "$`<>\"'\\") {
		v = e.patternText(sh, text)
	}
	return Concat(Concat(Known(p.Op.String()), v), Known(")"))
}

// patternText is the pattern that text inside an extended pattern stands for.
func (e *evaluator) patternText(sh *shell, text string) Value {
	w := e.parseWord(text)
	if w == nil {
		e.programProblem(ProblemReadings, "a pattern that is not read", Span{0, len(e.prog.Text)})
		return Unknown("a pattern that is not read")
	}
	inside := sh.fork()
	return e.pattern(e.within(sh, inside), w)
}

// joinPieces is the text that pieces are together, without word splitting.
func joinPieces(ps []piece) Value {
	v := Known("")
	for i, p := range ps {
		if p.kind == pieceNone {
			continue
		}
		if p.many {
			v = Concat(v, Unknown(p.v.Why()))
			continue
		}
		if p.brk && i > 0 {
			v = Concat(v, Known(" "))
		}
		v = Concat(v, p.v)
	}
	return v
}

// scalar expands a word where no word splitting is done: an assignment, a
// here-string, the word of case.
func (e *evaluator) scalar(sh *shell, w *syntax.Word) Value {
	if w == nil {
		return Known("")
	}
	if text, _, ok := plainLiteral(w); ok {
		return Known(text)
	}
	var buf [4]piece
	return joinPieces(e.pieces(sh, w.Parts, buf[:0]))
}

// assigned expands the value of an assignment, in which a tilde counts behind
// each colon as well.
func (e *evaluator) assignedValue(sh *shell, w *syntax.Word) Value {
	if w == nil {
		return Known("")
	}
	if text, _, ok := plainLiteral(w); ok {
		return Known(text)
	}
	var buf [4]piece
	out := buf[:0]
	for i, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if ok && strings.Contains(lit.Value, "~") && (i == 0 || strings.Contains(lit.Value, ":~")) {
			from := 0
			if i > 0 {
				from = strings.IndexByte(lit.Value, ':') + 1
			}
			out = e.tildes(sh, lit.Value, from, i == len(w.Parts)-1, out)
			continue
		}
		out = e.part(sh, p, unquoted, out)
	}
	return joinPieces(out)
}

// pattern expands a word that is a pattern: what is quoted in it stands for
// itself, by a backslash in front of each character that has a meaning.
func (e *evaluator) pattern(sh *shell, w *syntax.Word) Value {
	if w == nil {
		return Known("")
	}
	var buf [4]piece
	v := Known("")
	for _, p := range e.pieces(sh, w.Parts, buf[:0]) {
		if p.kind == pieceNone {
			continue
		}
		if p.kind == pieceQuoted {
			v = Concat(v, p.v.mapText("", escapePattern))
			continue
		}
		v = Concat(v, p.v)
	}
	return v
}

// substitute is the output of a command substitution, without the newlines at
// its end (bash manual 3.5.4).
func (e *evaluator) substitute(sh *shell, c *syntax.CmdSubst) Value {
	child, ok := e.substitution(sh, "$( )")
	if !ok {
		return Unknown("a substitution too deep to be followed")
	}
	child.capture, child.out, child.outMoved = true, Known(""), false
	if sh.opts.get(optInheritErrexit) == no && sh.opts.get(optPosix) == no {
		child.opts = child.opts.with(optErrexit, no)
	}
	e.stmts(child, c.Stmts)
	e.finish(child)
	e.keepFiles(sh, child, false)
	sh.status, sh.substituted = child.status, true
	return trimNewlines(child.out)
}

// substitution is a subshell for what stands in a substitution.
func (e *evaluator) substitution(sh *shell, name string) (*shell, bool) {
	if sh.ctx.depth >= maxDepth {
		e.overBound(sh, "substitutions too deep to be followed")
		return nil, false
	}
	child := sh.subshell()
	ctx := child.ctx
	ctx.depth++
	ctx.errOut, ctx.cond = false, false
	ctx.via = append(ctx.via[:len(ctx.via):len(ctx.via)], Via{Kind: ViaSubstitution, Name: name})
	return child, true
}

// trimNewlines takes the newlines off the end, and NUL bytes, which the shell
// drops.
func trimNewlines(v Value) Value {
	trim := func(t string) string {
		if strings.IndexByte(t, 0) >= 0 {
			t = strings.ReplaceAll(t, "\x00", "")
		}
		return strings.TrimRight(t, "\n")
	}
	if v.Kind() != PartialKind {
		if v.Resolved() {
			return v.mapText("", trim)
		}
		return v
	}
	prefix, suffix := v.Prefix(), trim(v.Suffix())
	if suffix == "" {
		prefix = trim(prefix)
	}
	out := Partial(prefix, suffix, v.Why())
	out.atom = v.core() && (prefix == "" || plainWord(prefix)) && (suffix == "" || plainWord(suffix))
	if v.Below() && out.Kind() == PartialKind {
		out.more.below = true
	}
	return out
}

// process evaluates a process substitution. Its word is the name of a file
// from which its output is read, or to which its input is written.
func (e *evaluator) process(sh *shell, p *syntax.ProcSubst) piece {
	name := p.Op.String() + " )"
	file := Partial("/dev/fd/", "", "the file of a process substitution")
	child, ok := e.substitution(sh, name)
	if !ok {
		return piece{v: file}
	}
	if p.Op == syntax.CmdOut {
		child.in = source{val: Unknown("what is written to a process substitution"), piped: true}
		child.outMoved = true
		e.stmts(child, p.Stmts)
		e.finish(child)
		e.keepFiles(sh, child, true)
		return piece{v: file}
	}
	child.capture, child.out, child.outMoved = true, Known(""), false
	e.stmts(child, p.Stmts)
	e.finish(child)
	e.keepFiles(sh, child, true)
	out := child.out
	return piece{v: file, stream: &out}
}

// within gives child the place of sh for text that is not the line itself.
func (e *evaluator) within(sh, child *shell) *shell {
	ctx := *sh.ctx
	if !ctx.inside {
		ctx.inside, ctx.at = true, Span{0, len(e.prog.Text)}
	}
	child.ctx = &ctx
	return child
}

// textDocument expands text as if it stood between double quotes, as the shell
// does with prompts, arithmetic and subscripts.
func (e *evaluator) textDocument(sh *shell, text string) Value {
	if !strings.ContainsAny(text, "$`\\") {
		return Known(text)
	}
	w := e.parseDocument(text)
	if w == nil {
		e.programProblem(ProblemReadings, "a text with expansions that is not read", Span{0, len(e.prog.Text)})
		return Unknown("a text that is not read")
	}
	outer := sh.ctx
	e.within(sh, sh)
	v := e.document(sh, w.Parts, false)
	sh.ctx = outer
	return v
}

func (e *evaluator) parseDocument(text string) *syntax.Word {
	w, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(text))
	if err != nil {
		return nil
	}
	return w
}

// parseWord reads text as the inside of a pattern: one word, blanks included.
func (e *evaluator) parseWord(text string) *syntax.Word {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var all *syntax.Word
	for w, err := range p.WordsSeq(strings.NewReader(strings.ReplaceAll(text, "|", `\|`))) {
		if err != nil {
			return nil
		}
		if all == nil {
			all = &syntax.Word{}
		}
		all.Parts = append(all.Parts, w.Parts...)
	}
	return all
}
