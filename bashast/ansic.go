package bashast

import (
	"strings"
	"unicode/utf8"
)

// ansiC decodes the escapes of $'…' (bash manual 3.1.2.4).
func ansiC(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 >= len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		n := ansiEscape(&b, text[i+1:])
		if n == 0 {
			return b.String() // bash cuts the string at a NUL
		}
		i += 1 + n
	}
	return b.String()
}

var simpleEscapes = map[byte]byte{
	'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// ansiEscape writes the escape at the start of s, which follows a backslash,
// and returns its length; 0 for a NUL.
func ansiEscape(b *strings.Builder, s string) int {
	c := s[0]
	if r, ok := simpleEscapes[c]; ok {
		b.WriteByte(r)
		return 1
	}
	switch {
	case c >= '0' && c <= '7':
		n, v := digits(s, 3, 8)
		return writeByte(b, byte(v), n)
	case c == 'x':
		if strings.HasPrefix(s[1:], "{") {
			n, v := digits(s[2:], len(s), 16)
			if n > 0 {
				end := 2 + n
				if end < len(s) && s[end] == '}' {
					end++
				}
				return writeByte(b, byte(v), end)
			}
		}
		n, v := digits(s[1:], 2, 16)
		if n == 0 {
			b.WriteString("\\x")
			return 1
		}
		return writeByte(b, byte(v), 1+n)
	case c == 'u' || c == 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		n, v := digits(s[1:], width, 16)
		if n == 0 {
			b.WriteByte('\\')
			b.WriteByte(c)
			return 1
		}
		if v == 0 {
			return 0
		}
		b.WriteString(string(utf8.AppendRune(nil, rune(v))))
		return 1 + n
	case c == 'c' && len(s) > 1:
		n := 2
		x := s[1]
		if x == '\\' && len(s) > 2 && s[2] == '\\' {
			n = 3
		}
		if x == '?' {
			return writeByte(b, 127, n)
		}
		return writeByte(b, upper(x)&31^0, n)
	}
	b.WriteByte('\\')
	b.WriteByte(c)
	return 1
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 32
	}
	return c
}

func writeByte(b *strings.Builder, c byte, n int) int {
	if c == 0 {
		return 0
	}
	b.WriteByte(c)
	return n
}

func digits(s string, limit, base int) (n, v int) {
	for n < limit && n < len(s) {
		d := hexDigit(s[n])
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return n, v
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
