package bashast

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// operate makes the expansions that have an operator and a word (bash manual
// 3.5.3).
func (e *evaluator) operate(sh *shell, s subject, p *syntax.ParamExp, q quoting, out []piece) []piece {
	x := p.Exp
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return e.byPresence(sh, s, x, q, out)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return e.emit(sh, e.remove(sh, s, x), q, out)
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return e.emit(sh, e.changeCase(sh, s, x), q, out)
	case syntax.OtherParamOps:
		return e.emit(sh, e.transform(sh, s, x), q, out)
	}
	e.programProblem(ProblemSyntax, "an expansion that bash does not have", sh.span(p))
	return append(out, piece{v: Unknown("an expansion that bash does not have"), many: q == unquoted})
}

// present says whether a parameter is set, and for the operators with a colon
// not empty either.
func present(s subject, colon bool) tri {
	if !colon || s.set == no {
		return s.set
	}
	if s.list {
		if s.open {
			return maybe
		}
		if len(s.vals) == 1 {
			return present(subject{val: s.vals[0], set: yes}, true)
		}
		return triOf(len(s.vals) > 0)
	}
	empty := no
	switch {
	case s.val.Kind() == KnownKind:
		empty = triOf(s.val.text == "")
	case s.val.MayBe(""):
		empty = maybe
	}
	if empty == yes {
		return no
	}
	if s.set == maybe || empty == maybe {
		return maybe
	}
	return yes
}

// byPresence makes the expansions that ask whether a parameter is set.
func (e *evaluator) byPresence(sh *shell, s subject, x *syntax.Expansion, q quoting, out []piece) []piece {
	colon, alternate := false, false
	switch x.Op {
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.ErrorUnsetOrNull:
		colon = true
	case syntax.AlternateUnsetOrNull:
		colon, alternate = true, true
	case syntax.AlternateUnset:
		alternate = true
	}
	there := present(s, colon)
	if alternate {
		return e.alternative(sh, there, x.Word, q, out)
	}
	if there == yes {
		return e.emit(sh, s, q, out)
	}
	if x.Op == syntax.ErrorUnset || x.Op == syntax.ErrorUnsetOrNull {
		return e.required(sh, s, there, x, q, out)
	}
	assigns := x.Op == syntax.AssignUnset || x.Op == syntax.AssignUnsetOrNull
	if there == no && !assigns {
		return e.operand(sh, x.Word, q, out)
	}
	v, one := e.optional(sh, there, x.Word, q)
	if there == maybe {
		v = Join(v, s.nonEmpty(colon))
	}
	if !one && !assigns {
		return append(out, piece{v: Unknown("a default of any number of words"), many: true})
	}
	if assigns {
		e.assignSubject(sh, s, v)
	}
	if s.list {
		return append(out, piece{v: Unknown("the arguments, or a default"), many: q == unquoted})
	}
	return append(out, piece{v: v, kind: splitKind(q)})
}

// optional evaluates an operand that may not be needed, without losing what
// the shell is if it is not. one is false where it is not a single word.
func (e *evaluator) optional(sh *shell, there tri, w *syntax.Word, q quoting) (v Value, one bool) {
	way := sh
	if there != no {
		way = sh.fork()
	}
	ps := e.operand(way, w, q, nil)
	if there != no {
		sh.become(way, sh.fork())
	}
	one = true
	for i := range ps {
		one = one && !ps[i].brk && !ps[i].many && ps[i].kind != pieceNone
	}
	return joinPieces(ps), one
}

// nonEmpty is the value of a parameter that is taken only if it is there.
func (s subject) nonEmpty(colon bool) Value {
	v := s.val
	if s.list {
		return Unknown("the elements of " + s.name)
	}
	if !colon || v.Kind() != OneOfKind {
		return v
	}
	var texts []string
	for _, t := range v.Texts() {
		if t != "" {
			texts = append(texts, t)
		}
	}
	return OneOf(texts...)
}

func (e *evaluator) alternative(sh *shell, there tri, w *syntax.Word, q quoting, out []piece) []piece {
	switch there {
	case yes:
		return e.operand(sh, w, q, out)
	case no:
		return append(out, piece{v: Known(""), kind: splitKind(q)})
	}
	v, one := e.optional(sh, maybe, w, q)
	if !one {
		return append(out, piece{v: Unknown("an alternative of any number of words"), many: true})
	}
	return append(out, piece{v: Join(Known(""), v), kind: splitKind(q)})
}

// required is ${x?message}, which ends the shell where x is missing.
func (e *evaluator) required(sh *shell, s subject, there tri, x *syntax.Expansion, q quoting, out []piece) []piece {
	_, _ = e.optional(sh, there, x.Word, q)
	if there == no {
		e.abort(sh)
		return append(out, piece{v: Known(""), kind: splitKind(q)})
	}
	s.set = yes
	if !s.list {
		s.val = s.nonEmpty(x.Op == syntax.ErrorUnsetOrNull)
	}
	return e.emit(sh, s, q, out)
}

// operand expands the word behind an operator. Unquoted parts of it are split
// where the whole expansion is.
func (e *evaluator) operand(sh *shell, w *syntax.Word, q quoting, out []piece) []piece {
	start := len(out)
	if w == nil || len(w.Parts) == 0 {
		return append(out, piece{v: Known(""), kind: splitKind(q)})
	}
	if q == unquoted {
		out = e.pieces(sh, w.Parts, out)
		for i := start; i < len(out); i++ {
			if out[i].kind == pieceLiteral {
				out[i].kind = pieceSplit
			}
		}
		return out
	}
	for _, p := range w.Parts {
		out = e.quotedOperand(sh, p, q, out)
	}
	for i := start; i < len(out); i++ {
		if out[i].kind != pieceNone {
			out[i].kind = pieceQuoted
		}
	}
	return out
}

// quotedOperand expands a part of an operand inside double quotes: a single
// quote is a plain character there, whatever the parser took it for.
func (e *evaluator) quotedOperand(sh *shell, p syntax.WordPart, q quoting, out []piece) []piece {
	switch p := p.(type) {
	case *syntax.Lit:
		// A backslash quotes the brace that would end the expansion.
		return append(out, piece{v: Known(unescapeIn(strings.ReplaceAll(p.Value, `\}`, "}"), q))})
	case *syntax.SglQuoted:
		mark := "'"
		if p.Dollar {
			return append(out, piece{v: Known(ansiC(p.Value))})
		}
		return append(out, piece{v: Concat(Concat(Known(mark), e.textDocument(sh, p.Value)), Known("'"))})
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			out = e.part(sh, inner, inQuotes, out)
		}
		return out
	case *syntax.ProcSubst:
		return append(out, e.process(sh, p))
	}
	return e.part(sh, p, q, out)
}

// each applies f to the value, or to each element of a list.
func (s subject) each(f func(Value) Value) subject {
	if !s.list {
		s.val = f(s.maybeEmpty())
		s.set = yes
		return s
	}
	vals := make([]Value, len(s.vals))
	for i, v := range s.vals {
		vals[i] = f(v)
	}
	s.vals = vals
	return s
}

// remove takes a pattern off the beginning or end.
func (e *evaluator) remove(sh *shell, s subject, x *syntax.Expansion) subject {
	pat := e.pattern(sh, x.Word)
	prefix := x.Op == syntax.RemSmallPrefix || x.Op == syntax.RemLargePrefix
	longest := x.Op == syntax.RemLargePrefix || x.Op == syntax.RemLargeSuffix
	return s.each(func(v Value) Value {
		return e.removeFrom(sh, v, pat, prefix, longest)
	})
}

func (e *evaluator) removeFrom(sh *shell, v, pat Value, prefix, longest bool) Value {
	why := "a part of a value"
	p, ok := pat.Text()
	if !ok {
		return Unknown(why)
	}
	m := matcherOf(p, sh.opts)
	if v.Kind() == PartialKind {
		return m.removePartial(v, prefix)
	}
	if m.unsure(v) {
		return Unknown(why)
	}
	out := v.mapText(why, func(t string) string { return m.remove(t, prefix, longest) })
	if m.failed {
		return Unknown(why)
	}
	return out
}

// changeCase is ${x^}, ${x^^}, ${x,} and ${x,,}.
func (e *evaluator) changeCase(sh *shell, s subject, x *syntax.Expansion) subject {
	pat := Known("?")
	if x.Word != nil && len(x.Word.Parts) > 0 {
		pat = e.pattern(sh, x.Word)
	}
	p, ok := pat.Text()
	if p == "" {
		p = "?"
	}
	return s.each(func(v Value) Value {
		if !ok || v.Resolved() && !ascii(v) {
			return Unknown("a value in another case")
		}
		m := matcherOf(p, sh.opts)
		return v.mapText("a value in another case", func(t string) string {
			return mapCase(t, m, x.Op == syntax.UpperFirst || x.Op == syntax.UpperAll,
				x.Op == syntax.UpperFirst || x.Op == syntax.LowerFirst)
		})
	})
}

func mapCase(t string, m *matcher, upper, first bool) string {
	var b strings.Builder
	for i, r := range t {
		if (i == 0 || !first) && m.match(string(r)) {
			if upper {
				r = unicode.ToUpper(r)
			} else {
				r = unicode.ToLower(r)
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// transform is ${x@op}.
func (e *evaluator) transform(sh *shell, s subject, x *syntax.Expansion) subject {
	op, _ := e.scalar(sh, x.Word).Text()
	why := "${" + s.name + "@" + op + "}"
	switch op {
	case "Q":
		if s.set == no {
			return s
		}
		return s.each(func(v Value) Value {
			if v.Resolved() && !ascii(v) {
				return Unknown(why)
			}
			return v.mapText(why, quoteWord)
		})
	case "U":
		return s.each(func(v Value) Value { return caseOf(v, why, strings.ToUpper) })
	case "L":
		return s.each(func(v Value) Value { return caseOf(v, why, strings.ToLower) })
	case "u":
		return s.each(func(v Value) Value {
			return caseOf(v, why, func(t string) string {
				if t == "" {
					return t
				}
				return strings.ToUpper(t[:1]) + t[1:]
			})
		})
	case "E":
		return s.each(func(v Value) Value { return v.mapText(why, ansiC) })
	case "P":
		return s.each(func(v Value) Value { return e.prompt(sh, v) })
	case "a":
		return s.each(func(Value) Value { return Unknown(why) })
	}
	if s.list {
		if len(s.vals) > 0 {
			s.vals, s.keys, s.open = nil, nil, true
		}
		return s
	}
	s.val, s.set = Unknown(why), yes
	return s
}

func caseOf(v Value, why string, f func(string) string) Value {
	if v.Resolved() && !ascii(v) {
		return Unknown(why)
	}
	return v.mapText(why, f)
}

// prompt expands a value as a prompt, in which substitutions run.
func (e *evaluator) prompt(sh *shell, v Value) Value {
	for _, t := range v.Texts() {
		out := e.textDocument(sh, t)
		if text, ok := out.Text(); ok && text == t && v.Kind() == KnownKind && !strings.Contains(t, `\`) {
			return out
		}
	}
	return Unknown("a text expanded as a prompt")
}

// quoteWord quotes text as bash does for ${x@Q}.
func quoteWord(t string) string {
	for _, r := range t {
		if r < ' ' || r == 0x7f {
			return "$'" + ansiQuoted(t) + "'"
		}
	}
	return "'" + strings.ReplaceAll(t, "'", `'\''`) + "'"
}

func ansiQuoted(t string) string {
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		const from, to = "\a\b\x1b\f\n\r\t\v\\'", `abEfnrtv\'`
		if j := strings.IndexByte(from, t[i]); j >= 0 {
			b.WriteByte('\\')
			b.WriteByte(to[j])
			continue
		}
		if t[i] < ' ' || t[i] == 0x7f {
			const octal = "01234567"
			b.WriteByte('\\')
			b.WriteByte(octal[t[i]>>6])
			b.WriteByte(octal[t[i]>>3&7])
			b.WriteByte(octal[t[i]&7])
			continue
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// replace is ${x/pattern/text} and its variants.
func (e *evaluator) replace(sh *shell, s subject, r *syntax.Replace, q quoting) subject {
	pat := e.pattern(sh, r.Orig)
	with := Known("")
	amp := false
	if r.With != nil {
		with, amp = e.replacement(sh, r.With, q)
	}
	p, ok := pat.Text()
	anchor := byte(0)
	if !r.All && ok && p != "" && (p[0] == '#' || p[0] == '%') && !isQuotedStart(r.Orig) {
		anchor, p = p[0], p[1:]
	}
	t, fixed := with.Text()
	return s.each(func(v Value) Value {
		if k, known := v.Text(); known && k == "" {
			if p == "" || !strings.Contains(p, "*") || !ok {
				if ok {
					return v
				}
			}
		}
		if !ok || !fixed || amp {
			return Unknown("a value with parts replaced")
		}
		m := matcherOf(p, sh.opts)
		if m.unsure(v) {
			return Unknown("a value with parts replaced")
		}
		out := v.mapText("a value with parts replaced", func(text string) string { return m.replace(text, t, r.All, anchor) })
		if m.failed {
			return Unknown("a value with parts replaced")
		}
		return out
	})
}

// replacement expands the text that replaces. An & that is not quoted stands
// for what was matched, which is not followed.
func (e *evaluator) replacement(sh *shell, w *syntax.Word, q quoting) (Value, bool) {
	v, amp := Known(""), false
	for _, p := range w.Parts {
		var ps []piece
		if lit, ok := p.(*syntax.Lit); ok && q != unquoted {
			ps = literalPieces(lit.Value, nil)
		} else {
			ps = e.pieces(sh, []syntax.WordPart{p}, nil)
		}
		for _, x := range ps {
			if x.kind != pieceQuoted && strings.Contains(x.v.String(), "&") || !x.v.Resolved() {
				amp = true
			}
			v = Concat(v, x.v)
		}
	}
	return v, amp
}

func isQuotedStart(w *syntax.Word) bool {
	if w == nil || len(w.Parts) == 0 {
		return false
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	return !ok || strings.HasPrefix(lit.Value, `\`)
}

// validRune is the length of the character at the front of s.
func validRune(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return max(n, 1)
}
