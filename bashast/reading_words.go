package bashast

import "strings"

// wordRole says what a word may be where it stands.
type wordRole uint8

const (
	wordPlain   wordRole = iota
	wordAssign           // an assignment, by its form
	wordDeclare          // an argument of a declaration: name=( ) is an array
	wordSilent           // nothing is written: a loop's variable, a function's name
	wordTest             // in [[ ]]: blanks in pattern groups belong to it
	wordRegex            // after =~: so do all parentheses
)

// word passes one word (bash's read_token_word) that starts at start, which is
// where i is but for a redirect. It writes an x and the substitutions of the
// word, and reports whether the word is an assignment.
func (l *lexer) word(start int, role wordRole) (assigned bool) {
	out, marks := len(l.out), len(l.marks)
	l.out = append(l.out, 'x')
	name := 0 // length of the name the word begins with; -1 when it is none
	for l.i < l.end && !l.failed {
		c := l.text[l.i]
		switch byteClass[c] {
		case byteWord:
			l.i++
			continue
		case byteBlank, byteNewline:
			return l.endWord(out, marks, role, assigned)
		case byteMeta:
			if c == '(' && l.groupOpens(start, role) {
				l.group()
				continue
			}
			if role == wordRegex && (c == '(' || c == '|') {
				l.regexParens(c)
				continue
			}
			return l.endWord(out, marks, role, assigned)
		case byteArrow:
			if l.peek(l.next(l.i)) != '(' {
				return l.endWord(out, marks, role, assigned)
			}
			l.processSubst()
		case byteQuote:
			l.quoting(false)
		case byteAssign:
			assigned = l.assignByte(start, role, &name, assigned)
		}
	}
	return l.endWord(out, marks, role, assigned)
}

// endWord finishes what word wrote. An assignment is written v=x for
// tree-sitter.
func (l *lexer) endWord(out, marks int, role wordRole, assigned bool) bool {
	switch {
	case role == wordSilent:
		l.out, l.marks = l.out[:out], l.marks[:marks]
	case role == wordAssign && assigned:
		l.out = append(l.out, "v="...)
		copy(l.out[out+2:], l.out[out:])
		copy(l.out[out:], "v=")
		for i := marks; i < len(l.marks); i++ {
			l.marks[i].out += 2
		}
	}
	return assigned
}

// assignByte reads one of = [ # and CR in a word.
func (l *lexer) assignByte(start int, role wordRole, name *int, assigned bool) bool {
	c := l.text[l.i]
	canAssign := !assigned && *name >= 0 && (role == wordAssign || role == wordDeclare)
	switch c {
	case '\r':
		l.patch(l.i, insteadOfCR)
	case '#':
		if l.i > start {
			l.patchHash()
		}
	case '[':
		if !canAssign || *name > 0 || nameLength(l.text[start:l.i]) != l.i-start || l.i == start {
			break
		}
		*name = -1
		at := l.i
		l.i++
		if !l.arithmetic(at, "]") {
			l.fail(ProblemSyntax, at, "a subscript is not closed")
			return false
		}
		next := l.i
		if l.peek(next) == '+' {
			next = l.next(next)
		}
		if l.peek(next) == '=' {
			l.i = next + 1
			return true
		}
		return false
	case '=':
		if !canAssign || !isAssignName(l.text[start:l.i]) {
			break
		}
		l.i++
		l.joinLines()
		if l.peek(l.i) == '(' && l.i < l.end {
			l.array()
		}
		return true
	}
	l.i++
	return assigned
}

// isAssignName reports whether s is a name with an optional + after it, any
// continuation lines taken out.
func isAssignName(s string) bool {
	if strings.Contains(s, "\\\n") {
		s = strings.ReplaceAll(s, "\\\n", "")
	}
	n := nameLength(s)
	return n > 0 && (n == len(s) || n == len(s)-1 && s[n] == '+')
}

// patchHash hides a # in the middle of a word: mvdan.cc/sh takes it for a
// comment after a quoted part inside a substitution.
func (l *lexer) patchHash() {
	switch l.text[l.i-1] {
	case '"', '\'', '`', ')', '}', ']', '\n':
		l.patch(l.i, insteadOfHash)
	}
}

// groupOpens reports whether the parenthesis at i opens an extended pattern.
func (l *lexer) groupOpens(start int, role wordRole) bool {
	if l.i == start || !l.extglob && role != wordTest {
		return false
	}
	switch l.text[l.i-1] {
	case '?', '*', '+', '@', '!':
		return true
	}
	return false
}

// group reads the parentheses of an extended pattern.
func (l *lexer) group() {
	start := l.i
	live := len(l.marks)
	l.parens()
	if len(l.marks) > live {
		l.problem(ProblemReadings, start, l.i, "a substitution in an extended pattern")
	}
}

// regexParens reads what bash takes into a word only after =~.
func (l *lexer) regexParens(c byte) {
	if c == '|' {
		l.i++
		return
	}
	l.parens()
}

// parens passes matching parentheses inside a word, quoting and substitutions
// included (bash's parse_matched_pair).
func (l *lexer) parens() {
	if !l.enter() {
		return
	}
	defer l.leave()
	open := l.i
	l.i++
	for depth := 1; l.i < l.end && !l.failed; {
		switch c := l.text[l.i]; c {
		case '(':
			depth++
			l.i++
		case ')':
			l.i++
			if depth--; depth == 0 {
				return
			}
		case '\'', '"', '`', '$', '\\':
			l.quoting(false)
		case '<', '>':
			if l.peek(l.next(l.i)) == '(' {
				l.processSubst()
			} else {
				l.i++
			}
		case '\r':
			l.patch(l.i, insteadOfCR)
			l.i++
		default:
			l.i++
		}
	}
	l.fail(ProblemSyntax, open, "a parenthesis is not closed")
}

// quoting reads one quoted part or one expansion: ' " ` $ or \ is at i. In
// double quotes (double) a single quote is nothing special.
func (l *lexer) quoting(double bool) {
	switch l.text[l.i] {
	case '\\':
		l.escape()
	case '\'':
		if double {
			l.i++
		} else {
			l.single()
		}
	case '"':
		l.double()
	case '`':
		l.backquotes(double)
	default:
		l.dollar(double)
	}
}

// escape passes a backslash and the byte it quotes.
func (l *lexer) escape() {
	l.i = min(l.i+2, l.end)
	if l.text[l.i-1] == '\r' {
		l.patch(l.i-1, insteadOfCR)
	}
}

// single passes a single-quoted string.
func (l *lexer) single() {
	open := l.i
	n := strings.IndexByte(l.text[open+1:l.end], '\'')
	if n < 0 {
		l.fail(ProblemSyntax, open, "a single quote is not closed")
		return
	}
	l.i = open + n + 2
	l.patchCR(open, l.i)
}

// patchCR hides the CRs of a range that is passed at once.
func (l *lexer) patchCR(start, end int) {
	for i := start; i < end; i++ {
		n := strings.IndexByte(l.text[i:end], '\r')
		if n < 0 {
			return
		}
		i += n
		l.patch(i, insteadOfCR)
	}
}

// ansi passes $'…', whose quote is at i.
func (l *lexer) ansi() {
	open := l.i
	for l.i++; l.i < l.end; l.i++ {
		switch l.text[l.i] {
		case '\\':
			l.i++
		case '\'':
			l.i++
			l.patchCR(open, l.i)
			return
		}
	}
	l.fail(ProblemSyntax, open, "a single quote is not closed")
}

// double passes a double-quoted string.
func (l *lexer) double() {
	if !l.enter() {
		return
	}
	defer l.leave()
	open := l.i
	l.i++
	if l.quoted('"') {
		return
	}
	l.fail(ProblemSyntax, open, "a double quote is not closed")
}

// quoted passes text that is read as in double quotes, up to and with the byte
// close; 0 is none. It reports whether close was found.
func (l *lexer) quoted(close byte) bool {
	for l.i < l.end && !l.failed {
		switch c := l.text[l.i]; {
		case c == close && close != 0:
			l.i++
			return true
		case c == '\\':
			l.escape()
		case c == '`':
			l.backquotes(true)
		case c == '$':
			l.dollar(true)
		case c == '\r':
			l.patch(l.i, insteadOfCR)
			l.i++
		default:
			l.i++
		}
	}
	return false
}
