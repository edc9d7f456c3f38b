package bashast

import (
	"strings"
	"unicode/utf8"
)

// maxMatchSteps bounds the work of one match.
const maxMatchSteps = 100_000

// matcher matches texts against one pattern (bash manual 3.5.8.1). A
// backslash in the pattern makes the next character stand for itself.
type matcher struct {
	pat  string
	ext  tri
	fold tri
	// failed is true once a match was given up.
	failed bool
	steps  int
}

func matcherOf(pat string, o options) *matcher {
	return &matcher{pat: pat, ext: o.get(optExtglob), fold: o.get(optNocasematch)}
}

// unsure reports whether it is not known how the pattern matches v: where an
// option is not known, or a character may count as several.
func (m *matcher) unsure(v Value) bool {
	if m.fold == maybe || m.ext == maybe && strings.Contains(m.pat, "(") {
		return true
	}
	if !strings.ContainsAny(m.pat, "?[") {
		return false
	}
	return !ascii(v) || !ascii(Known(m.pat))
}

// match reports whether the pattern matches the whole of s.
func (m *matcher) match(s string) bool {
	m.steps = maxMatchSteps
	return m.here(m.pat, s)
}

// here matches p against the whole of s.
func (m *matcher) here(p, s string) bool {
	for p != "" {
		if m.steps--; m.steps < 0 {
			m.failed = true
			return false
		}
		if m.ext == yes && len(p) > 1 && p[1] == '(' && strings.IndexByte("?*+@!", p[0]) >= 0 {
			if end := groupEnd(p); end > 0 {
				return m.group(p[0], p[2:end], p[end+1:], s)
			}
		}
		switch p[0] {
		case '*':
			return m.star(strings.TrimLeft(p, "*"), p, s)
		case '?':
			if s == "" {
				return false
			}
			p, s = p[1:], s[validRune(s):]
			continue
		case '[':
			if n, ok, hit := m.class(p, s); ok {
				if !hit {
					return false
				}
				p, s = p[n:], s[validRune(s):]
				continue
			}
		case '\\':
			if len(p) > 1 {
				p = p[1:]
			}
		}
		if s == "" || !m.same(p[0], s[0]) {
			return false
		}
		p, s = p[1:], s[1:]
	}
	return s == ""
}

// star matches a run of * and the rest behind it. whole is the pattern with
// the star, where the last of the run may begin an extended pattern.
func (m *matcher) star(rest, whole, s string) bool {
	if m.ext == yes && strings.HasPrefix(rest, "(") {
		rest = whole[len(whole)-len(rest)-1:]
	}
	if rest == "" {
		return true
	}
	for i := 0; i <= len(s); i++ {
		if m.here(rest, s[i:]) {
			return true
		}
		if m.steps < 0 {
			return false
		}
	}
	return false
}

func (m *matcher) same(a, b byte) bool {
	return a == b || m.fold == yes && upperByte(a) == upperByte(b)
}

// groupEnd is the index of the parenthesis that closes the one at index 1.
func groupEnd(p string) int {
	depth := 0
	for i := 1; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// alternatives splits the inside of an extended pattern.
func alternatives(p string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				out = append(out, p[start:i])
				start = i + 1
			}
		}
	}
	return append(out, p[start:])
}

// group matches an extended pattern and what follows it.
func (m *matcher) group(op byte, inside, rest, s string) bool {
	alts := alternatives(inside)
	switch op {
	case '?':
		return m.here(rest, s) || m.oneOf(alts, s, func(tail string) bool { return m.here(rest, tail) })
	case '@':
		return m.oneOf(alts, s, func(tail string) bool { return m.here(rest, tail) })
	case '*':
		return m.here(rest, s) || m.repeat(alts, rest, s)
	case '+':
		return m.repeat(alts, rest, s)
	}
	for i := 0; i <= len(s) && m.steps > 0; i++ {
		none := true
		for _, a := range alts {
			none = none && !m.here(a, s[:i])
		}
		if none && m.here(rest, s[i:]) {
			return true
		}
	}
	return false
}

// oneOf matches one of alts at the front of s, and then what follows.
func (m *matcher) oneOf(alts []string, s string, then func(string) bool) bool {
	for _, a := range alts {
		for i := 0; i <= len(s) && m.steps > 0; i++ {
			if m.here(a, s[:i]) && then(s[i:]) {
				return true
			}
		}
	}
	return false
}

// repeat matches one or more of alts.
func (m *matcher) repeat(alts []string, rest, s string) bool {
	return m.oneOf(alts, s, func(tail string) bool {
		if m.here(rest, tail) {
			return true
		}
		return len(tail) < len(s) && m.repeat(alts, rest, tail)
	})
}

// class matches a bracket expression at the front of p against the first
// character of s. ok is false where the bracket is no expression.
func (m *matcher) class(p, s string) (n int, ok, hit bool) {
	i := 1
	negate := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negate {
		i++
	}
	var c rune
	if s != "" {
		c, _ = utf8.DecodeRuneInString(s)
	}
	first := true
	for ; i < len(p); first = false {
		if p[i] == ']' && !first {
			return i + 1, true, s != "" && hit != negate
		}
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i:], ":]"); end > 0 {
				hit = hit || inClass(p[i+2:i+end], c)
				i += end + 2
				continue
			}
		}
		lo, size := m.bracketChar(p[i:])
		i += size
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, size = m.bracketChar(p[i+1:])
			i += 1 + size
		}
		hit = hit || lo <= c && c <= hi
		if m.fold == yes {
			o := otherCase(c)
			hit = hit || lo <= o && o <= hi
		}
	}
	return 0, false, false
}

// bracketChar is one character inside a bracket expression.
func (m *matcher) bracketChar(p string) (rune, int) {
	if p[0] == '\\' && len(p) > 1 {
		r, n := utf8.DecodeRuneInString(p[1:])
		return r, n + 1
	}
	if len(p) > 4 && p[0] == '[' && (p[1] == '.' || p[1] == '=') && p[3] == p[1] && p[4] == ']' {
		return rune(p[2]), 5
	}
	return utf8.DecodeRuneInString(p)
}

func otherCase(c rune) rune {
	switch {
	case 'a' <= c && c <= 'z':
		return c - 'a' + 'A'
	case 'A' <= c && c <= 'Z':
		return c - 'A' + 'a'
	}
	return c
}

// inClass reports whether an ASCII character is in a named class.
func inClass(name string, c rune) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	alnum := lower || upper || digit
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return alnum
	case "word":
		return alnum || c == '_'
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return '!' <= c && c <= '~' && !alnum
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "print":
		return ' ' <= c && c <= '~'
	case "graph":
		return '!' <= c && c <= '~'
	case "ascii":
		return c < 0x80
	}
	return false
}

// remove takes the shortest or longest match off an end of t.
func (m *matcher) remove(t string, prefix, longest bool) string {
	for i := 0; i <= len(t); i++ {
		n := i
		if longest {
			n = len(t) - i
		}
		if prefix && m.match(t[:n]) {
			return t[n:]
		}
		if !prefix && m.match(t[len(t)-n:]) {
			return t[:len(t)-n]
		}
	}
	return t
}

// removePartial takes a match off an end of a value of which only the ends
// are known.
func (m *matcher) removePartial(v Value, prefix bool) Value {
	why := v.Why()
	if !hasMeta(m.pat, m.ext) {
		lit := unescapePattern(m.pat)
		switch {
		case prefix && strings.HasPrefix(v.Prefix(), lit):
			return Partial(v.Prefix()[len(lit):], v.Suffix(), why)
		case !prefix && strings.HasSuffix(v.Suffix(), lit):
			return Partial(v.Prefix(), strings.TrimSuffix(v.Suffix(), lit), why)
		}
		return Unknown(why)
	}
	if prefix && m.pat == "*/" && !strings.Contains(v.Suffix(), "/") {
		return Partial("", v.Suffix(), why)
	}
	return Unknown(why)
}

// replace puts with in the place of the longest match, at the anchor where
// there is one ('#' the beginning, '%' the end).
func (m *matcher) replace(t, with string, all bool, anchor byte) string {
	if m.pat == "" {
		switch anchor {
		case '#':
			return with + t
		case '%':
			return t + with
		}
		return t
	}
	switch anchor {
	case '#':
		for n := len(t); n >= 0; n-- {
			if m.match(t[:n]) {
				return with + t[n:]
			}
		}
		return t
	case '%':
		for n := len(t); n >= 0; n-- {
			if m.match(t[len(t)-n:]) {
				return t[:len(t)-n] + with
			}
		}
		return t
	}
	return m.replaceAll(t, with, all)
}

func (m *matcher) replaceAll(t, with string, all bool) string {
	if len(t) > 2048 {
		m.failed = true
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); {
		n := m.longest(t[i:])
		if n < 0 || n == 0 {
			b.WriteByte(t[i])
			i++
			continue
		}
		b.WriteString(with)
		i += n
		if !all {
			b.WriteString(t[i:])
			break
		}
	}
	return b.String()
}

// longest is the length of the longest match at the front of t, or -1.
func (m *matcher) longest(t string) int {
	for n := len(t); n >= 0; n-- {
		if m.match(t[:n]) {
			return n
		}
	}
	return -1
}

// matchValue says whether the pattern pat matches v, as case and [[ do.
func matchValue(pat, v Value, o options) tri {
	p, ok := pat.Text()
	if !ok {
		return maybe
	}
	if p == "*" {
		return yes
	}
	m := matcherOf(p, o)
	if !v.Resolved() {
		if !hasMeta(p, m.ext) && m.fold == no && !v.MayBe(unescapePattern(p)) {
			return no
		}
		return maybe
	}
	if m.unsure(v) {
		return maybe
	}
	texts := v.Texts()
	out := triOf(m.match(texts[0]))
	for _, t := range texts[1:] {
		out = joinTri(out, triOf(m.match(t)))
	}
	if m.failed {
		return maybe
	}
	return out
}

// escapePattern makes text a pattern that matches only itself.
func escapePattern(text string) string {
	if !strings.ContainsAny(text, `*?[]()|\!@+^-`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(`*?[]()|\!@+^-`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unescapePattern is the text that a pattern without wildcards matches.
func unescapePattern(p string) string {
	if strings.IndexByte(p, '\\') < 0 {
		return p
	}
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' && i+1 < len(p) {
			i++
		}
		b.WriteByte(p[i])
	}
	return b.String()
}

// hasMeta reports whether p holds a wildcard.
func hasMeta(p string, ext tri) bool {
	first, _ := metaRange(p, ext)
	return first >= 0
}

// metaRange is where the first wildcard of p begins and the last ends, or -1.
func metaRange(p string, ext tri) (first, last int) {
	first, last = -1, -1
	note := func(from, to int) {
		if first < 0 {
			first = from
		}
		last = to
	}
	for i := 0; i < len(p); i++ {
		if ext != no && i+1 < len(p) && p[i+1] == '(' && strings.IndexByte("?*+@!", p[i]) >= 0 {
			if end := groupEnd(p[i:]); end > 0 {
				note(i, i+end+1)
				i += end
				continue
			}
		}
		switch p[i] {
		case '\\':
			i++
		case '*', '?':
			note(i, i+1)
		case '[':
			if n, ok, _ := (&matcher{}).class(p[i:], ""); ok {
				note(i, i+n)
				i += n - 1
			}
		}
	}
	return first, last
}
