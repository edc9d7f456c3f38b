package bashast

import (
	"strings"
)

// codeToken is one token of program text.
type codeToken struct {
	kind tokenKind
	// text is a name with its parts joined by dots, an operator, or for a
	// string nothing.
	text string
	// value is what a string is; its unknown parts are interpolations.
	value Value
	// used is true once a rule has accounted for the token.
	used bool
}

type tokenKind uint8

const (
	tokenName   tokenKind = iota // a name, with what follows its dots
	tokenString                  // a string literal
	tokenShell                   // a string that a shell runs: backticks, %x, qx
	tokenNumber
	tokenOp // an operator or bracket, or a newline
)

// lexicon says how a language is written.
type lexicon struct {
	comments []string // what begins a comment up to the end of the line
	block    bool     // /* */ is a comment
	quotes   string   // bytes that open a string
	triple   bool     // three quotes open a long string
	prefixes string   // letters that may stand in front of a quote
	interp   string   // quotes in which names are interpolated
	mark     byte     // '$' for ${x}, '#' for #{x}, '{' for f-strings
	sigils   string   // bytes that begin the name of a variable
	ticks    bool     // backticks run a shell
	regex    bool     // / may open a regular expression
	letters  bool     // q, qq, qw, qx, m, s, tr and y quote (Perl)
	percent  bool     // %w, %q and %x quote (Ruby)
	bare     bool     // calls need no parentheses
}

// codeLexer splits program text into tokens.
type codeLexer struct {
	lexicon
	text string
	i    int
	out  []codeToken
	deep int
}

func (l *codeLexer) run() []codeToken {
	for l.i < len(l.text) {
		l.next()
	}
	return l.out
}

func (l *codeLexer) emit(t codeToken) { l.out = append(l.out, t) }

func (l *codeLexer) next() {
	c := l.text[l.i]
	rest := l.text[l.i:]
	switch {
	case c == '\n':
		l.emit(codeToken{kind: tokenOp, text: "\n"})
		l.i++
	case c <= ' ' || c == '\\':
		l.i++
	case l.comment(rest):
	case strings.IndexByte(l.quotes, c) >= 0:
		l.stringAt(l.i, "")
	case c == '`' && l.ticks:
		text, n := quoted(rest, '`')
		l.emitInterpolated(tokenShell, text, true)
		l.i += n
	case c == '/' && l.regex && l.regexMayStart():
		_, n := quoted(rest, '/')
		l.i += n
		l.flags()
		l.emit(codeToken{kind: tokenString, value: Unknown("a regular expression")})
	case c == '%' && l.percent && l.percentString(rest):
	case c >= '0' && c <= '9':
		l.number()
	case isNameByte(c) || c == '$' && l.sigils == "" || strings.IndexByte(l.sigils, c) >= 0 && len(rest) > 1 && (isNameByte(rest[1]) || rest[1] == '{' && c == '$'):
		l.name()
	case c == '.' && len(rest) > 1 && isNameByte(rest[1]) && l.afterValue():
		l.name()
	default:
		l.operator(rest)
	}
}

// comment skips a comment and reports whether there was one.
func (l *codeLexer) comment(rest string) bool {
	if l.block && strings.HasPrefix(rest, "/*") {
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			end = len(rest) - 4
		}
		l.i += end + 4
		return true
	}
	for _, mark := range l.comments {
		if !strings.HasPrefix(rest, mark) {
			continue
		}
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			l.i += end
		} else {
			l.i = len(l.text)
		}
		return true
	}
	return false
}

// afterValue reports whether the last token ends an expression.
func (l *codeLexer) afterValue() bool {
	if len(l.out) == 0 {
		return false
	}
	t := l.out[len(l.out)-1]
	return t.kind != tokenOp || t.text == ")" || t.text == "]" || t.text == "}"
}

func (l *codeLexer) regexMayStart() bool {
	if len(l.out) == 0 {
		return true
	}
	t := l.out[len(l.out)-1]
	switch t.kind {
	case tokenName:
		return isOneOf(t.text, "return", "typeof", "if", "unless", "and", "or", "not", "split", "grep", "when", "while", "case", "in", "of", "puts", "print")
	case tokenOp:
		return t.text != ")" && t.text != "]" && t.text != "}"
	}
	return false
}

func (l *codeLexer) flags() {
	for l.i < len(l.text) && l.text[l.i] >= 'a' && l.text[l.i] <= 'z' {
		l.i++
	}
}

func (l *codeLexer) number() {
	for l.i < len(l.text) && (isNameByte(l.text[l.i]) || l.text[l.i] == '.') {
		l.i++
	}
	l.emit(codeToken{kind: tokenNumber})
}

// stringAt reads the string whose quote is at i; prefix is what stands in
// front of it.
func (l *codeLexer) stringAt(i int, prefix string) {
	q := l.text[i]
	body, n := quoted(l.text[i:], q)
	triple := strings.Repeat(string(q), 3)
	if l.triple && strings.HasPrefix(l.text[i:], triple) {
		end := strings.Index(l.text[i+3:], triple)
		if end < 0 {
			end = len(l.text) - i - 6
		}
		body, n = l.text[i+3:max(i+3, i+3+end)], min(end+6, len(l.text)-i)
	}
	l.i = i + max(n, 1)
	lower := strings.ToLower(prefix)
	interpolated := strings.IndexByte(l.interp, q) >= 0 || strings.Contains(lower, "f") && l.mark == '{'
	raw := strings.Contains(lower, "r") || q == '\'' && l.letters
	if interpolated {
		l.emitInterpolated(tokenString, body, !raw)
		return
	}
	if !raw {
		body = unescapeC(body)
	}
	l.emit(codeToken{kind: tokenString, value: Known(body)})
}

// interpolated is the operator around the tokens of an expression that stands
// in a string.
const interpolated = "${}"

// emitInterpolated adds a string with expressions in it. The expressions are
// tokens of their own behind the string, so that what they do is seen.
func (l *codeLexer) emitInterpolated(kind tokenKind, body string, escapes bool) {
	v, nested := l.interpolate(body, escapes)
	l.emit(codeToken{kind: kind, value: v})
	if l.deep >= maxCommandDepth {
		return
	}
	for _, expr := range nested {
		inner := codeLexer{lexicon: l.lexicon, text: expr, deep: l.deep + 1}
		l.emit(codeToken{kind: tokenOp, text: interpolated})
		l.out = append(l.out, inner.run()...)
		l.emit(codeToken{kind: tokenOp, text: interpolated})
	}
}

// interpolate is the value of a string and the texts of its expressions.
func (l *codeLexer) interpolate(body string, escapes bool) (Value, []string) {
	v := Known("")
	var nested []string
	for body != "" {
		i, length, expr := l.interpolation(body)
		text := body[:i]
		if escapes {
			text = unescapeC(text)
		}
		v = Concat(v, Known(text))
		if length == 0 {
			break
		}
		nested = append(nested, expr)
		v = Concat(v, Unknown("a part of a string that is computed"))
		body = body[i+length:]
	}
	return v, nested
}

// interpolation finds the next interpolated expression of body: where it
// begins, its length, and its text.
func (l *codeLexer) interpolation(body string) (at, length int, expr string) {
	for i := 0; i < len(body); i++ {
		rest := body[i:]
		switch {
		case body[i] == '\\':
			i++
		case l.mark == '{' && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			i++
		case l.mark == '{' && body[i] == '{':
			expr, n := braced(rest)
			return i, n, expr
		case l.mark != '{' && body[i] == l.mark && len(rest) > 1 && rest[1] == '{':
			expr, n := braced(rest[1:])
			return i, n + 1, expr
		case l.letters && strings.HasPrefix(rest, "@{"):
			expr, n := braced(rest[1:])
			return i, n + 1, expr
		case l.sigils != "" && (body[i] == '$' || body[i] == '@' && l.letters) && len(rest) > 1 && (isNameByte(rest[1]) || rest[1] == '$'):
			n := 1
			for n < len(rest) && (isNameByte(rest[n]) || rest[n] == '$') {
				n++
			}
			return i, n, rest[:n]
		}
	}
	return len(body), 0, ""
}

// braced is the text in the braces that s begins with, up to its end where
// they are not closed, and the length with them.
func braced(s string) (string, int) {
	n := balanced(s)
	return strings.TrimSuffix(s[1:n], "}"), n
}

// balanced is the length of s up to the brace that closes its first byte.
func balanced(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// name reads a name and what is joined to it by dots, arrows and colons.
func (l *codeLexer) name() {
	start := l.i
	l.word()
	first := l.text[start:l.i]
	if l.i < len(l.text) {
		c := l.text[l.i]
		if strings.IndexByte(l.quotes, c) >= 0 && len(first) <= 2 && strings.Trim(strings.ToLower(first), l.prefixes) == "" && l.prefixes != "" {
			l.stringAt(l.i, first)
			return
		}
	}
	if l.letters && l.quoteLetters(first) {
		return
	}
	name := strings.Builder{}
	name.WriteString(strings.Trim(first, "."))
	for l.i < len(l.text) {
		n := joint(l.text[l.i:])
		if n == 0 {
			break
		}
		l.i += n
		from := l.i
		l.word()
		name.WriteByte('.')
		name.WriteString(l.text[from:l.i])
	}
	text := name.String()
	if first[0] == '.' {
		text = "." + text
	}
	l.emit(codeToken{kind: tokenName, text: text})
}

func (l *codeLexer) word() {
	if l.i < len(l.text) && (l.text[l.i] == '.' || strings.IndexByte(l.sigils, l.text[l.i]) >= 0) {
		l.i++
		if l.i < len(l.text) && l.text[l.i] == '{' {
			l.i += balanced(l.text[l.i:])
			return
		}
	}
	for l.i < len(l.text) && (isNameByte(l.text[l.i]) || l.text[l.i] == '$' && l.sigils == "") {
		l.i++
	}
	if l.i < len(l.text) && l.bare && (l.text[l.i] == '!' || l.text[l.i] == '?') && !l.letters && !strings.HasPrefix(l.text[l.i:], "!=") {
		l.i++
	}
}

// joint is the length of what joins two parts of a name: . ?. -> ::
func joint(s string) int {
	for _, j := range []string{"?.", "->", "::", "."} {
		if strings.HasPrefix(s, j) && len(s) > len(j) && (s[len(j)] == '$' && j == "." && len(s) > 2 && s[2] == '`' || isNameByte(s[len(j)]) && (s[len(j)] < '0' || s[len(j)] > '9')) {
			return len(j)
		}
	}
	return 0
}

func (l *codeLexer) operator(rest string) {
	for _, op := range []string{"===", "!==", "**=", "<<=", ">>=", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "+=", "-=", "*=", "/=", ".=", ":=", "++", "--", "->", "::", "..", "<<", ">>", "=~", "<-"} {
		if strings.HasPrefix(rest, op) {
			l.emit(codeToken{kind: tokenOp, text: op})
			l.i += len(op)
			return
		}
	}
	l.emit(codeToken{kind: tokenOp, text: rest[:1]})
	l.i++
}

// quoteLetters reads the quoting operators of Perl.
func (l *codeLexer) quoteLetters(word string) bool {
	if !isOneOf(word, "q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y") || l.i >= len(l.text) {
		return false
	}
	i := l.i
	for i < len(l.text) && l.text[i] == ' ' {
		i++
	}
	if i >= len(l.text) || isNameByte(l.text[i]) || strings.IndexByte(" \n;,)=", l.text[i]) >= 0 || i > l.i && l.text[i] == '#' {
		return false
	}
	l.i = i
	body := l.delimited()
	switch word {
	case "qx":
		l.emitInterpolated(tokenShell, body, true)
	case "q":
		l.emit(codeToken{kind: tokenString, value: Known(body)})
	case "qq":
		l.emitInterpolated(tokenString, body, true)
	case "qw":
		for _, w := range strings.Fields(body) {
			l.emit(codeToken{kind: tokenString, value: Known(w)})
			l.emit(codeToken{kind: tokenOp, text: ","})
		}
	case "s", "tr", "y":
		l.replacement(word, body)
	default:
		l.flags()
		l.emit(codeToken{kind: tokenString, value: Unknown("a regular expression")})
	}
	return true
}

// replacement reads the second half of s, tr or y; with the flag e it is code.
func (l *codeLexer) replacement(word, _ string) {
	closing := l.text[l.i-1]
	if strings.IndexByte(")]}>", closing) >= 0 {
		for l.i < len(l.text) && l.text[l.i] <= ' ' {
			l.i++
		}
	} else {
		l.i--
	}
	body := ""
	if l.i < len(l.text) {
		body = l.delimited()
	}
	from := l.i
	l.flags()
	l.emit(codeToken{kind: tokenString, value: Unknown("a replacement")})
	if flags := l.text[from:l.i]; word == "s" && strings.Contains(flags, "e") && l.deep < maxCommandDepth {
		if strings.Count(flags, "e") > 1 {
			l.emit(codeToken{kind: tokenName, text: "eval"})
			l.emit(codeToken{kind: tokenOp, text: "("})
			l.emit(codeToken{kind: tokenOp, text: ")"})
		}
		inner := codeLexer{lexicon: l.lexicon, text: body, deep: l.deep + 1}
		l.emit(codeToken{kind: tokenOp, text: ";"})
		l.out = append(l.out, inner.run()...)
		l.emit(codeToken{kind: tokenOp, text: ";"})
	}
}

// delimited reads a quoted text whose delimiter is at the current byte.
func (l *codeLexer) delimited() string {
	open := l.text[l.i]
	closing := open
	if i := strings.IndexByte("([{<", open); i >= 0 {
		closing = ")]}>"[i]
	}
	depth := 0
	start := l.i + 1
	for i := l.i; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\':
			i++
		case c == open && closing != open:
			depth++
		case c == closing && i > l.i:
			if depth--; depth <= 0 {
				l.i = i + 1
				return l.text[start:i]
			}
		}
	}
	l.i = len(l.text)
	return l.text[min(start, len(l.text)):]
}

// percentString reads %w[], %q(), %x() of Ruby.
func (l *codeLexer) percentString(rest string) bool {
	if len(rest) < 3 || strings.IndexByte("wWqQxiIr", rest[1]) < 0 || strings.IndexByte("([{<|!/", rest[2]) < 0 {
		return false
	}
	if last := len(l.out) - 1; l.afterValue() && (l.out[last].kind != tokenName || l.text[l.i-1] != ' ') {
		return false
	}
	kind := rest[1]
	l.i += 2
	body := l.delimited()
	switch kind {
	case 'x':
		l.emitInterpolated(tokenShell, body, true)
	case 'q':
		l.emit(codeToken{kind: tokenString, value: Known(body)})
	case 'Q':
		l.emitInterpolated(tokenString, body, true)
	default:
		l.emit(codeToken{kind: tokenString, value: Unknown("a list or a regular expression")})
	}
	return true
}
