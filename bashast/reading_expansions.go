package bashast

import "strings"

// dollar reads what a dollar begins; double says that it stands in double
// quotes or where bash expands as there.
func (l *lexer) dollar(double bool) {
	start := l.i
	second := l.next(start)
	l.joined(start, second)
	switch c := l.peek(second); {
	case c == '(':
		l.parenthesised(start, second)
	case c == '{':
		l.i = second + 1
		l.braces(start, double)
	case c == '[':
		l.i = second + 1
		if !l.arithmetic(start, "]") {
			l.fail(ProblemSyntax, start, "an arithmetic expansion is not closed")
		}
	case c == '\'' && !double:
		l.i = second
		l.ansi()
	case c == '"' && !double:
		l.i = second
		l.double()
	case strings.IndexByte("@*#?$!-0123456789", c) >= 0 && second < l.end:
		l.i = second + 1
	default:
		l.i = start + 1
	}
}

// parenthesised reads $( ) or $(( )). What begins as the second may turn out to
// be the first, with a subshell at its start.
func (l *lexer) parenthesised(start, second int) {
	if third := l.next(second); l.peek(third) == '(' {
		l.joined(second, third)
		if l.arithmeticExpansion(start, third) || l.failed {
			return
		}
		l.undone++
		defer func() { l.undone-- }()
	}
	l.i = second + 1
	l.substitution(start, ')')
}

// substitution reads the commands of $( or <( up to close and writes them.
func (l *lexer) substitution(start int, close byte) {
	l.openSubst(start)
	l.list(close)
	l.out = append(l.out, " )"...)
}

// openSubst writes the opening of a substitution that starts at start.
func (l *lexer) openSubst(start int) {
	l.count(start)
	l.marks = append(l.marks, mark{int32(len(l.out)), l.at(start), classSubst, noLandmark})
	l.out = append(l.out, "$("...)
}

// processSubst reads <( ) or >( ).
func (l *lexer) processSubst() {
	start := l.i
	l.i = l.next(start) + 1
	l.joined(start, l.i)
	l.substitution(start, ')')
}

// backquotes reads `…`, whose text bash reads again after it has taken out
// some of the backslashes.
func (l *lexer) backquotes(double bool) {
	start := l.i
	escaped := false
	i := start + 1
	for ; i < l.end && l.text[i] != '`'; i++ {
		if l.text[i] == '\\' {
			i++
			escaped = true
		}
	}
	if i >= l.end {
		l.fail(ProblemSyntax, start, "a backquote is not closed")
		return
	}
	inner := passage{l.text, l.src, start + 1, i}
	if escaped {
		inner = l.unescaped(start+1, i, double)
	}
	if l.bold {
		l.patch(start, "$( ")
		l.patch(i, "\n)")
	}
	l.openSubst(start)
	outer := passage{l.text, l.src, i + 1, l.end}
	l.readPassage(inner, func() { l.list(0) })
	l.text, l.src, l.i, l.end = outer.text, outer.src, outer.start, outer.end
	if l.over {
		l.i = l.end
	}
	l.out = append(l.out, " )"...)
}

// readPassage reads a passage with read. The caller goes back to its own. What
// is wrong in it is an error when bash comes to run it, and no reason for bash
// not to read on.
func (l *lexer) readPassage(p passage, read func()) {
	l.text, l.src, l.i, l.end = p.text, p.src, p.start, p.end
	read()
	if !l.over {
		l.failed = false
	}
}

// unescaped is the text between backquotes as bash reads it again.
func (l *lexer) unescaped(start, end int, double bool) passage {
	var text strings.Builder
	var src []int32
	for i := start; i < end; i++ {
		if l.text[i] == '\\' && i+1 < end {
			switch c := l.text[i+1]; {
			case c == '\n':
				l.drop(i, i+2)
				i++
				continue
			case c == '$' || c == '`' || c == '\\' || c == '"' && double:
				l.drop(i, i+1)
				i++
			}
		}
		text.WriteByte(l.text[i])
		src = append(src, l.at(i))
	}
	return passage{text.String(), src, 0, len(src)}
}

// drop takes bytes out of what mvdan.cc/sh reads when backquotes are given to
// it as $( ).
func (l *lexer) drop(start, end int) {
	for i := start; l.bold && i < end; i++ {
		l.patch(i, "")
	}
}

// arithmeticExpansion reads $(( )) whose second parenthesis is at second, when
// it is one.
func (l *lexer) arithmeticExpansion(start, second int) bool {
	saved := l.save()
	l.i = second + 1
	if l.arithmetic(start, "))") {
		return true
	}
	l.restoreTo(saved)
	l.insert(second, " ")
	return false
}

// arithmetic passes an arithmetic expression up to and with close, "))" or
// "]", as bash expands it: like the inside of double quotes, with the double
// quotes gone and single quotes nothing special. It reports false, with i
// anywhere, when the expression does not end so; then it is none.
func (l *lexer) arithmetic(start int, close string) bool {
	if l.notArith[l.at(start)] || !l.enter() {
		return false
	}
	defer l.leave()
	begin, depth := l.i, 0
	for l.i < l.end && !l.failed {
		switch c := l.text[l.i]; {
		case c == close[0] && depth == 0:
			if close == "]" {
				return l.endArithmetic(begin, l.i+1)
			}
			if second := l.next(l.i); l.peek(second) == ')' {
				return l.endArithmetic(begin, second+1)
			}
			return l.noArithmetic(start)
		case c == '(' || c == '[' && close == "]":
			if depth++; depth > maxNesting {
				l.fail(ProblemBound, l.i, "nested too deeply")
			}
			l.i++
		case c == ')' || c == ']' && close == "]":
			depth--
			l.i++
		case c == '\'':
			l.i++
		case c == '\\' || c == '"' || c == '`' || c == '$':
			l.quoting(true)
		case c == '\r':
			l.patch(l.i, insteadOfCR)
			l.i++
		default:
			l.i++
		}
	}
	if close == "]" || l.over {
		return false
	}
	l.failed = false // as arithmetic; perhaps not as commands
	return l.noArithmetic(start)
}

func (l *lexer) endArithmetic(begin, end int) bool {
	if end-begin > maxArithmetic {
		l.fail(ProblemBound, begin, "an arithmetic expression is too long")
		return false
	}
	l.i = end
	return true
}

// noArithmetic remembers that the double parenthesis at start is none.
func (l *lexer) noArithmetic(start int) bool {
	if l.over {
		return false
	}
	if l.retries++; l.retries > maxRetries {
		l.fail(ProblemBound, start, "too many nested parentheses")
		return false
	}
	if l.notArith == nil {
		l.notArith = map[int32]bool{}
	}
	l.notArith[l.at(start)] = true
	return false
}

// braces reads the inside of ${ }.
func (l *lexer) braces(start int, double bool) {
	if !l.enter() {
		return
	}
	defer l.leave()
	if c := l.peek(l.i); c == ' ' || c == '\t' || c == '\n' || c == '|' {
		l.problem(ProblemReadings, start, l.i, "bash before 5.3 does not run commands in ${ }, later ones do")
	}
	quotes := l.parameter()
	literalQuotes := quotes == quotesNever || quotes == quotesOutside && double
	for l.i < l.end && !l.failed {
		switch c := l.text[l.i]; c {
		case '}':
			l.i++
			return
		case '\'':
			if literalQuotes {
				l.literalQuotes()
			} else {
				l.single()
			}
		case '$':
			// $'…' counts here even in double quotes.
			if second := l.next(l.i); l.peek(second) == '\'' {
				l.i = second
				l.ansi()
			} else {
				l.dollar(double)
			}
		case '"', '`', '\\':
			l.quoting(double)
		case '<', '>':
			if !double && l.peek(l.next(l.i)) == '(' {
				at := l.i
				l.processSubst()
				if l.bold && l.src == nil {
					l.grafts = append(l.grafts, graft{graftProcess, l.text[at:l.i], l.at(at), l.at(l.i)})
				}
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
	l.fail(ProblemSyntax, start, "a parameter expansion is not closed")
}

// quotesCount says where single quotes quote in the word of a ${ }.
type quotesCount uint8

const (
	quotesAlways  quotesCount = iota // in a pattern
	quotesOutside                    // in a word, unless it is in double quotes
	quotesNever                      // in a number
)

// parameter passes the parameter, its subscript and the operator of ${ }. It
// says where single quotes count in the word that follows.
func (l *lexer) parameter() quotesCount {
	l.joinLines()
	if c := l.peek(l.i); c == '!' || c == '#' {
		// ${#} ${!} ${#-x} name themselves; ${#v} ${!v} do not.
		l.i++
		l.joinLines()
	}
	if n := nameLength(l.text[l.i:l.end]); n > 0 {
		l.i += n
	} else if strings.IndexByte("@*#?$!-", l.peek(l.i)) >= 0 && l.i < l.end && l.peek(l.i+1) != '\'' {
		l.i++
	}
	for l.i < l.end && l.text[l.i] >= '0' && l.text[l.i] <= '9' {
		l.i++
	}
	l.joinLines()
	if l.peek(l.i) == '[' {
		at := l.i
		l.i++
		if !l.arithmetic(at, "]") {
			l.fail(ProblemSyntax, at, "a subscript is not closed")
			return quotesAlways
		}
	}
	l.joinLines()
	switch l.peek(l.i) {
	case '#', '%', '/', '^', ',', '~', '@':
		return quotesAlways
	case ':':
		if strings.IndexByte("-=?+", l.peek(l.next(l.i))) < 0 {
			return quotesNever
		}
	}
	return quotesOutside
}

// literalQuotes reads '…' in the word of "${v:-…}". bash finds the end of the
// expansion with the quotes pairing, and then expands what is between them:
// the quotes are characters of the value.
func (l *lexer) literalQuotes() {
	open := l.i
	n := strings.IndexByte(l.text[open+1:l.end], '\'')
	if n < 0 {
		l.fail(ProblemSyntax, open, "a single quote is not closed")
		return
	}
	close := open + 1 + n
	l.patch(open, insteadOfQuote)
	l.patch(close, insteadOfQuote)
	end := l.end
	l.i, l.end = open+1, close
	for l.i < l.end && !l.failed {
		switch c := l.text[l.i]; c {
		case '`', '$':
			l.quoting(true)
		case '"', '{', '}', '\\':
			l.problem(ProblemReadings, open, close+1, "quotes within quotes that bash reads twice, in two ways")
			l.i++
		default:
			l.i++
		}
	}
	l.end = end
	if !l.failed {
		l.i = close + 1
	} else {
		l.i = end
	}
}
