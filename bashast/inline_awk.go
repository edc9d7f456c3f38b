package bashast

import "strings"

// scanAwk reads a program of awk (POSIX awk, gawk manual): system() and pipes
// run commands, redirections of print and getline open files.
func scanAwk(text string) []finding {
	a := awkScanner{tokens: awkTokens(text)}
	for a.i = 0; a.i < len(a.tokens); a.i++ {
		a.token()
	}
	return a.out
}

// awkToken is one token: a string, a name, a regular expression, or an operator.
type awkToken struct {
	kind byte // 's' string, 'n' name or number, 'r' regular expression, 'o' operator
	text string
}

func awkTokens(text string) []awkToken {
	var out []awkToken
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '"':
			s, n := quoted(text[i:], '"')
			out = append(out, awkToken{'s', unescapeC(s)})
			i += n
		case c == '/' && regexMayStart(out):
			_, n := quoted(text[i:], '/')
			out = append(out, awkToken{'r', ""})
			i += n
		case isNameByte(c):
			j := i
			for j < len(text) && isNameByte(text[j]) {
				j++
			}
			out = append(out, awkToken{'n', text[i:j]})
			i = j
		default:
			n := 1
			for _, op := range []string{"||", "&&", ">>", "|&", ">=", "<=", "==", "!=", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--"} {
				if strings.HasPrefix(text[i:], op) {
					n = 2
				}
			}
			out = append(out, awkToken{'o', text[i : i+n]})
			i += n
		}
	}
	return out
}

// quoted reads up to the closing quote and returns what is between, escapes
// kept, and how many bytes it read.
func quoted(s string, quote byte) (string, int) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return s[1:i], i + 1
		}
	}
	return s[1:], len(s)
}

// unescapeC replaces the backslash escapes of C strings.
func unescapeC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	s = strings.ReplaceAll(s, `\/`, "/")
	s = strings.ReplaceAll(s, "\\\n", "")
	text, _ := unescape(strings.ReplaceAll(s, `\c`, "c"), false)
	return text
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 128
}

func regexMayStart(before []awkToken) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	switch last.kind {
	case 'n':
		switch last.text {
		case "print", "return", "case", "in", "else", "do", "printf":
			return true
		}
		return false
	case 'o':
		return last.text != ")" && last.text != "]" && last.text != "$" && last.text != "++" && last.text != "--"
	}
	return false
}

type awkScanner struct {
	tokens []awkToken
	i      int
	// printing is true inside a print statement, depth counts the
	// parentheses open in it.
	printing bool
	depth    int
	out      []finding
}

func (a *awkScanner) at(i int) awkToken {
	if i < 0 || i >= len(a.tokens) {
		return awkToken{'o', ";"}
	}
	return a.tokens[i]
}

func (a *awkScanner) token() {
	t := a.tokens[a.i]
	switch {
	case t.kind == 'n' && (t.text == "print" || t.text == "printf"):
		a.printing, a.depth = true, 0
	case t.kind == 'n' && t.text == "system":
		a.system()
	case t.kind != 'o':
	case t.text == ";" || t.text == "}" || t.text == "{" || t.text == "\n":
		a.printing = false
	case t.text == "(":
		a.depth++
	case t.text == ")":
		a.depth--
	case t.text == "@":
		a.out = append(a.out, opaque("awk loads or calls what is not known"))
	case t.text == "|" || t.text == "|&":
		a.pipe()
	case (t.text == ">" || t.text == ">>") && a.printing && a.depth <= 0:
		a.out = append(a.out, finding{kind: findEffect, effect: Write, value: a.operand(a.i + 1)})
	case t.text == "<" && a.at(a.i-1).text == "getline":
		a.out = append(a.out, finding{kind: findEffect, effect: Read, value: a.operand(a.i + 1)})
	}
}

// system is a call of system().
func (a *awkScanner) system() {
	if a.at(a.i+1).text != "(" {
		return
	}
	a.out = append(a.out, shellFinding(a.operand(a.i+2)))
}

// pipe is print | "cmd" or "cmd" | getline.
func (a *awkScanner) pipe() {
	if next := a.at(a.i + 1); next.kind == 'n' && next.text == "getline" {
		v := Unknown("a command of awk")
		if t := a.at(a.i - 1); t.kind == 's' && a.endsOperand(a.i-2) {
			v = Known(t.text)
		}
		a.out = append(a.out, shellFinding(v))
		return
	}
	if a.printing {
		a.out = append(a.out, shellFinding(a.operand(a.i+1)))
	}
}

// endsOperand reports whether the token at i cannot be joined to one behind it.
func (a *awkScanner) endsOperand(i int) bool {
	t := a.at(i)
	return t.kind == 'o' && t.text != ")" && t.text != "]" || t.kind == 'n' && (t.text == "while" || t.text == "do" || t.text == "else")
}

// operand is the value of an expression that begins at token i: known where
// it is a string alone, known in part where a string is joined to others.
func (a *awkScanner) operand(i int) Value {
	for a.at(i).text == "(" && a.at(i).kind == 'o' {
		i++
	}
	first := a.at(i)
	if first.kind != 's' {
		return Unknown("awk computes it")
	}
	next := a.at(i + 1)
	if next.kind == 'o' && strings.IndexByte(";})\n|,", next.text[0]) >= 0 {
		return Known(first.text)
	}
	return Partial(first.text, "", "awk computes it")
}
