package bashast

import (
	"strings"
	"unicode/utf8"
)

// separators is what is known of IFS.
type separators struct {
	chars string
	known bool
}

func (sh *shell) separators() separators {
	v := sh.lookup("IFS")
	if v.set == no {
		return separators{" \t\n", true}
	}
	text, ok := v.val.Text()
	if !ok || v.set == maybe {
		return separators{}
	}
	return separators{text, true}
}

func (s separators) has(c byte) bool { return strings.IndexByte(s.chars, c) >= 0 }

// white reports whether c is a separator that is white space, of which a run
// counts once.
func (s separators) white(c byte) bool {
	return (c == ' ' || c == '\t' || c == '\n') && s.has(c)
}

// fields splits pieces into words and matches patterns (bash manual 3.5.7 and
// 3.5.8). There is more than one list where the number of words depends on
// which of several texts a piece is.
func (e *evaluator) fields(sh *shell, ps []piece, span Span) [][]Word {
	ifs := sh.separators()
	open := -1
	n := 1
	for i := range ps {
		p := &ps[i]
		if p.kind != pieceSplit || p.v.Kind() != OneOfKind {
			continue
		}
		if ifs.known && isAtom(p.v) && !strings.ContainsAny(strings.Join(p.v.Texts(), ""), ifs.chars) {
			p.kind = pieceQuoted
			continue
		}
		open = i
		n *= len(p.v.Texts())
	}
	if open < 0 {
		b := fieldBuilder{e: e, sh: sh, ifs: ifs, span: span}
		return [][]Word{b.build(ps)}
	}
	if n > maxChoices {
		for i := range ps {
			if ps[i].kind == pieceSplit && ps[i].v.Kind() == OneOfKind {
				ps[i].v = Unknown("more than a few possible words")
			}
		}
		b := fieldBuilder{e: e, sh: sh, ifs: ifs, span: span}
		return [][]Word{b.build(ps)}
	}
	return e.choose(sh, ps, ifs, span)
}

// choose splits the pieces once for each combination of what they may be.
func (e *evaluator) choose(sh *shell, ps []piece, ifs separators, span Span) [][]Word {
	for i := range ps {
		if ps[i].kind != pieceSplit || ps[i].v.Kind() != OneOfKind {
			continue
		}
		var out [][]Word
		single := true
		for _, text := range ps[i].v.Texts() {
			one := append([]piece(nil), ps...)
			one[i].v = Known(text)
			for _, words := range e.choose(sh, one, ifs, span) {
				single = single && len(words) == 1 && !words[0].Many
				out = append(out, words)
			}
		}
		if !single {
			return out
		}
		joined := out[0][0]
		for _, words := range out[1:] {
			joined.Value = Join(joined.Value, words[0].Value)
		}
		return [][]Word{{joined}}
	}
	b := fieldBuilder{e: e, sh: sh, ifs: ifs, span: span}
	return [][]Word{b.build(ps)}
}

// fieldBuilder makes words of pieces none of which is one of several texts
// that split differently.
type fieldBuilder struct {
	e    *evaluator
	sh   *shell
	ifs  separators
	span Span
	out  []Word

	// cur is the word being made; has is true once there is one.
	cur Value
	has bool
	// pat is cur as a pattern, in which what was quoted stands for itself.
	pat Value
	// magic is true when pat holds what may be a pattern character.
	magic bool
	// lost is true behind an unknown number of words: what follows up to the
	// next break belongs to one of them.
	lost   bool
	stream *Value
}

func (b *fieldBuilder) build(ps []piece) []Word {
	b.reset()
	for i := range ps {
		p := &ps[i]
		if p.brk {
			b.end()
		}
		switch {
		case p.kind == pieceNone:
		case p.many:
			b.unknown(p.v)
		case p.kind == pieceQuoted:
			b.add(p.v, p.v.mapText("", escapePattern))
			b.stream = p.stream
		case p.kind == pieceLiteral:
			b.add(p.v, p.v)
			b.magic = b.magic || mayMatch(p.v)
		default:
			b.split(p.v)
		}
	}
	b.end()
	return b.out
}

func (b *fieldBuilder) reset() {
	b.cur, b.pat, b.has, b.magic, b.lost, b.stream = Known(""), Known(""), false, false, false, nil
}

// add puts v at the end of the word.
func (b *fieldBuilder) add(v, pat Value) {
	if b.lost {
		return
	}
	b.has = true
	b.cur, b.pat = Concat(b.cur, v), Concat(b.pat, pat)
}

// end ends the word.
func (b *fieldBuilder) end() {
	if b.has && !b.lost {
		if b.magic {
			b.out = append(b.out, b.e.glob(b.sh, b.pat, b.cur, b.span)...)
		} else {
			b.out = append(b.out, Word{Value: b.cur, Span: b.span, Stream: b.stream})
		}
	}
	b.reset()
}

// split adds the result of an unquoted expansion.
func (b *fieldBuilder) split(v Value) {
	text, ok := v.Text()
	switch {
	case ok && text == "":
		return
	case !b.ifs.known:
		b.unknown(Unknown("a word that a separator which is not known splits"))
		return
	case ok:
		b.splitText(text)
		return
	case isAtom(v) && !strings.ContainsAny(b.ifs.chars, "0123456789-+._"):
		b.add(v, v)
		return
	}
	if prefix := v.Prefix(); prefix != "" {
		b.splitText(prefix)
	}
	b.unknown(Unknown(v.Why()))
}

// splitText splits text as known separators do.
func (b *fieldBuilder) splitText(text string) {
	for i := 0; i < len(text); {
		if !b.ifs.has(text[i]) {
			j := i
			for j < len(text) && !b.ifs.has(text[j]) {
				j++
			}
			v := Known(text[i:j])
			b.add(v, v)
			b.magic = b.magic || mayMatch(v)
			i = j
			continue
		}
		hard := false
		for i < len(text) && b.ifs.has(text[i]) {
			if !b.ifs.white(text[i]) {
				if hard {
					// Two separators that are no white space hold a word
					// without characters between them.
					break
				}
				hard = true
			}
			i++
		}
		if hard && !b.has && !b.lost {
			b.has = true
		}
		b.end()
	}
}

// unknown adds what may be any number of words. A word that has begun keeps
// its beginning.
func (b *fieldBuilder) unknown(v Value) {
	if b.lost {
		return
	}
	why := v.Why()
	if b.has && b.cur.Prefix() != "" && !mayMatch(b.cur) {
		b.out = append(b.out, Word{Value: Partial(b.cur.Prefix(), "", why), Span: b.span, Many: true})
	}
	b.reset()
	b.lost = true
	b.out = append(b.out, Word{Value: Unknown(why), Span: b.span, Many: true})
}

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// mayMatch reports whether v may hold characters that make it a pattern.
func mayMatch(v Value) bool {
	switch v.Kind() {
	case KnownKind:
		return strings.ContainsAny(v.text, "*?[(")
	case OneOfKind:
		for _, t := range v.Texts() {
			if strings.ContainsAny(t, "*?[(") {
				return true
			}
		}
		return false
	}
	return !isAtom(v)
}
