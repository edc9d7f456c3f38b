package bashast

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// tilde expands the tilde that text begins with (bash manual 3.5.2) and
// returns the rest of text. whole is true when the word ends with text.
func (e *evaluator) tilde(sh *shell, text string, whole bool, out []piece) ([]piece, string) {
	return e.tildeUpTo(sh, text, "/", whole, out)
}

func (e *evaluator) tildeUpTo(sh *shell, text, ends string, whole bool, out []piece) ([]piece, string) {
	end := strings.IndexAny(text, ends)
	if end < 0 {
		if !whole {
			return out, text
		}
		end = len(text)
	}
	user := text[1:end]
	if strings.ContainsAny(user, "\\") {
		return out, text
	}
	v, ok := e.home(sh, user)
	if !ok {
		return out, text
	}
	return append(out, piece{v: v}), text[end:]
}

// home is what a tilde in front of user stands for.
func (e *evaluator) home(sh *shell, user string) (Value, bool) {
	switch user {
	case "":
		if v := sh.lookup("HOME"); v.set == yes {
			return v.val, true
		}
		return Unknown("the home directory"), true
	case "+":
		v := sh.lookup("PWD")
		return v.val, v.set != no
	case "-":
		v := sh.lookup("OLDPWD")
		if v.set == maybe {
			return Unknown("~- where $OLDPWD is not known"), true
		}
		return v.val, v.set != no
	}
	if strings.ContainsAny(user, "*?[") {
		return Value{}, false
	}
	return Unknown("the home directory of ~" + user), true
}

// tildes expands the tildes of an assignment's value that begins at from:
// there, and behind each colon.
func (e *evaluator) tildes(sh *shell, text string, from int, whole bool, out []piece) []piece {
	out = literalPieces(text[:from], out)
	rest := text[from:]
	for {
		if strings.HasPrefix(rest, "~") {
			out, rest = e.tildeUpTo(sh, rest, "/:", whole, out)
		}
		colon := strings.IndexByte(rest, ':')
		if colon < 0 {
			return literalPieces(rest, out)
		}
		out = literalPieces(rest[:colon+1], out)
		rest = rest[colon+1:]
	}
}

// ansiC is the text of $'…' (bash manual 3.1.2.4).
func ansiC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		n, stop := ansiEscape(&b, s[i+1:])
		if stop {
			break
		}
		i += 1 + n
	}
	text, _, _ := strings.Cut(b.String(), "\x00")
	return text
}

// ansiEscape writes what the escape at the beginning of s, its backslash taken
// off, stands for. It returns its length, and whether the string ends there:
// bash stops at a NUL.
func ansiEscape(b *strings.Builder, s string) (n int, stop bool) {
	switch c := s[0]; c {
	case 'a', 'b', 'e', 'E', 'f', 'n', 'r', 't', 'v':
		const from, to = "abeEfnrtv", "\a\b\x1b\x1b\f\n\r\t\v"
		b.WriteByte(to[strings.IndexByte(from, c)])
		return 1, false
	case '\\', '\'', '"', '?':
		b.WriteByte(c)
		return 1, false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, n := digits(s, 3, 8)
		b.WriteByte(byte(v))
		return n, byte(v) == 0
	case 'x':
		return ansiHex(b, s)
	case 'u', 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		v, n := digits(s[1:], width, 16)
		if n == 0 {
			b.WriteByte('\\')
			b.WriteByte(c)
			return 1, false
		}
		if v > 0x10ffff {
			v = utf8.RuneError
		}
		b.WriteString(string(rune(v)))
		return 1 + n, v == 0
	case 'c':
		return ansiControl(b, s)
	}
	b.WriteByte('\\')
	b.WriteByte(s[0])
	return 1, false
}

// ansiHex is \xHH, or \x{H…}, which bash reads as well.
func ansiHex(b *strings.Builder, s string) (int, bool) {
	if strings.HasPrefix(s, "x{") {
		v, n := digits(s[2:], len(s), 16)
		if n > 0 {
			n += 2
			if n < len(s) && s[n] == '}' {
				n++
			}
			b.WriteByte(byte(v))
			return n, byte(v) == 0
		}
	}
	v, n := digits(s[1:], 2, 16)
	if n == 0 {
		b.WriteString(`\x`)
		return 1, false
	}
	b.WriteByte(byte(v))
	return 1 + n, byte(v) == 0
}

// ansiControl is \cX.
func ansiControl(b *strings.Builder, s string) (int, bool) {
	if len(s) < 2 {
		b.WriteString(`\c`)
		return 1, false
	}
	n, c := 2, s[1]
	if c == '\\' && len(s) > 2 && s[2] == '\\' {
		n = 3
	}
	if c == '?' {
		c = 0x7f
	} else {
		c = upperByte(c) & 0x1f
	}
	b.WriteByte(c)
	return n, c == 0
}

func upperByte(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// digits reads at most width digits of a base from the front of s.
func digits(s string, width int, base uint) (v uint, n int) {
	for n < len(s) && n < width {
		d := uint(99)
		switch c := s[n]; {
		case '0' <= c && c <= '9':
			d = uint(c - '0')
		case 'a' <= c && c <= 'f':
			d = uint(c-'a') + 10
		case 'A' <= c && c <= 'F':
			d = uint(c-'A') + 10
		}
		if d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}

// mayBrace reports whether the parts of a word hold a brace expansion at all.
func mayBrace(parts []syntax.WordPart) bool {
	open := false
	for _, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			if !open && strings.IndexByte(lit.Value, '{') >= 0 {
				open = true
			}
			if open && strings.IndexByte(lit.Value, '}') >= 0 {
				return true
			}
		}
	}
	return false
}

// maxBraces bounds the words that one brace expansion makes.
const maxBraces = 4096

// braceToken is one character of a word that matters to brace expansion, or
// what lies between two such.
type braceToken struct {
	mark byte // '{', '}', ',', or 0
	part syntax.WordPart
}

// braceExpand makes the brace expansions of a word (bash manual 3.5.1). It
// reports false when they make too many words.
func braceExpand(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	b := braces{budget: maxBraces}
	out := b.expand(braceTokens(parts))
	if b.budget < 0 {
		return nil, false
	}
	lists := make([][]syntax.WordPart, len(out))
	for i, tokens := range out {
		lists[i] = braceParts(tokens)
	}
	return lists, true
}

// braceTokens cuts the literal parts of a word at the characters that matter.
func braceTokens(parts []syntax.WordPart) []braceToken {
	var out []braceToken
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			out = append(out, braceToken{part: p})
			continue
		}
		text, start := lit.Value, 0
		flush := func(end int) {
			if end > start {
				out = append(out, braceToken{part: &syntax.Lit{Value: text[start:end], ValuePos: lit.ValuePos, ValueEnd: lit.ValueEnd}})
			}
		}
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '{', '}', ',':
				flush(i)
				out = append(out, braceToken{mark: text[i]})
				start = i + 1
			}
		}
		flush(len(text))
	}
	return out
}

// braceParts makes a word of tokens; literal text that touches is one part.
func braceParts(tokens []braceToken) []syntax.WordPart {
	var out []syntax.WordPart
	for _, t := range tokens {
		p := t.part
		if t.mark != 0 {
			p = &syntax.Lit{Value: string(t.mark)}
		}
		lit, ok := p.(*syntax.Lit)
		if n := len(out); ok && n > 0 {
			if last, ok := out[n-1].(*syntax.Lit); ok {
				out[n-1] = &syntax.Lit{Value: last.Value + lit.Value, ValuePos: last.ValuePos, ValueEnd: lit.ValueEnd}
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// braces makes brace expansions.
type braces struct{ budget int }

// expand returns the words that tokens become.
func (b *braces) expand(tokens []braceToken) [][]braceToken {
	for i, t := range tokens {
		if t.mark != '{' {
			continue
		}
		end, commas := matchBrace(tokens, i)
		if end < 0 {
			continue
		}
		var middle [][]braceToken
		if len(commas) > 0 {
			from := i + 1
			for _, c := range append(commas, end) {
				middle = append(middle, b.expand(tokens[from:c])...)
				from = c + 1
			}
		} else if seq, ok := b.sequence(tokens[i+1 : end]); ok {
			middle = seq
		} else {
			continue
		}
		return b.product(tokens[:i], middle, b.expand(tokens[end+1:]))
	}
	return [][]braceToken{tokens}
}

func (b *braces) product(head []braceToken, middle, tails [][]braceToken) [][]braceToken {
	var out [][]braceToken
	for _, m := range middle {
		for _, t := range tails {
			if b.budget--; b.budget < 0 {
				return out
			}
			word := make([]braceToken, 0, len(head)+len(m)+len(t))
			word = append(append(append(word, head...), m...), t...)
			out = append(out, word)
		}
	}
	return out
}

// matchBrace finds the brace that closes the one at open, and the commas
// between them that belong to it.
func matchBrace(tokens []braceToken, open int) (end int, commas []int) {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i].mark {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i, commas
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		}
	}
	return -1, nil
}

// sequence is the expansion of {x..y} or {x..y..step}.
func (b *braces) sequence(tokens []braceToken) ([][]braceToken, bool) {
	if len(tokens) != 1 || tokens[0].mark != 0 {
		return nil, false
	}
	lit, ok := tokens[0].part.(*syntax.Lit)
	if !ok {
		return nil, false
	}
	f := strings.Split(lit.Value, "..")
	if len(f) != 2 && len(f) != 3 {
		return nil, false
	}
	step := int64(0)
	if len(f) == 3 {
		n, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return nil, false
		}
		step = n
	}
	words, ok := b.numbers(f[0], f[1], step)
	if !ok {
		if words, ok = b.letters(f[0], f[1], step); !ok {
			return nil, false
		}
	}
	out := make([][]braceToken, len(words))
	for i, w := range words {
		out[i] = []braceToken{{part: &syntax.Lit{Value: w}}}
		if w == `\` {
			// The backslash quotes nothing, which leaves an empty word.
			out[i] = []braceToken{{part: &syntax.SglQuoted{}}}
		}
	}
	return out, true
}

func (b *braces) numbers(x, y string, step int64) ([]string, bool) {
	from, err1 := strconv.ParseInt(x, 10, 64)
	to, err2 := strconv.ParseInt(y, 10, 64)
	if err1 != nil || err2 != nil {
		return nil, false
	}
	width := 0
	if zeroPadded(x) || zeroPadded(y) {
		width = max(len(x), len(y))
	}
	var out []string
	b.count(from, to, step, func(n int64) {
		s := strconv.FormatInt(n, 10)
		for len(s) < width {
			if n < 0 {
				s = "-0" + s[1:]
			} else {
				s = "0" + s
			}
		}
		out = append(out, s)
	})
	return out, true
}

func zeroPadded(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0'
}

func (b *braces) letters(x, y string, step int64) ([]string, bool) {
	if len(x) != 1 || len(y) != 1 || !isLetter(x[0]) || !isLetter(y[0]) {
		return nil, false
	}
	var out []string
	b.count(int64(x[0]), int64(y[0]), step, func(n int64) {
		out = append(out, string(rune(n)))
	})
	return out, true
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// count goes from one number to another, both included.
func (b *braces) count(from, to, step int64, each func(int64)) {
	step = max(step, -step, 1)
	if from <= to {
		for n := from; n <= to && b.budget >= 0; n += step {
			b.budget--
			each(n)
			if n > to-step {
				break
			}
		}
		return
	}
	for n := from; n >= to && b.budget >= 0; n -= step {
		b.budget--
		each(n)
		if n < to+step {
			break
		}
	}
}
