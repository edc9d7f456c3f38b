package bashast

import "strings"

// dollar reads what a dollar begins; double says that it stands in double
// quotes or where bash expands as there.
func (l *lexer) dollar(double bool) {
	start := l.i
	second := l.next(start)
	switch c := l.peek(second); {
	case c == '(':
		third := l.next(second)
		if l.peek(third) == '(' && l.arithmeticExpansion(start, third) {
			return
		}
		l.i = second + 1
		l.substitution(start, ')')
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

// substitution reads the commands of $( or <( up to close and writes them.
func (l *lexer) substitution(start int, close byte) {
	l.openSubst(start)
	l.list(close)
	l.out = append(l.out, " )"...)
}

// openSubst writes the opening of a substitution that starts at start.
func (l *lexer) openSubst(start int) {
	l.marks = append(l.marks, mark{int32(len(l.out)), l.at(start), classSubst, noLandmark})
	l.out = append(l.out, "$("...)
}

// processSubst reads <( ) or >( ).
func (l *lexer) processSubst() {
	start := l.i
	l.i = l.next(start) + 1
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
	inner := part{l.text, l.src, start + 1, i}
	if escaped {
		inner = l.unescaped(start+1, i, double)
	}
	l.openSubst(start)
	outer := part{l.text, l.src, i + 1, l.end}
	l.readPart(inner, func() { l.list(0) })
	if !l.failed {
		l.text, l.src, l.i, l.end = outer.text, outer.src, outer.start, outer.end
	}
	l.out = append(l.out, " )"...)
}

// readPart reads a part of a text with read. The caller goes back to its own.
func (l *lexer) readPart(p part, read func()) {
	l.text, l.src, l.i, l.end = p.text, p.src, p.start, p.end
	read()
}

// unescaped is the text between backquotes as bash reads it again.
func (l *lexer) unescaped(start, end int, double bool) part {
	var text strings.Builder
	var src []int32
	for i := start; i < end; i++ {
		if l.text[i] == '\\' && i+1 < end {
			switch c := l.text[i+1]; {
			case c == '\n':
				i++
				continue
			case c == '$' || c == '`' || c == '\\' || c == '"' && double:
				i++
			}
		}
		text.WriteByte(l.text[i])
		src = append(src, l.at(i))
	}
	return part{text.String(), src, 0, len(src)}
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
	if close == "]" || l.failed {
		return false
	}
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
	if l.failed && l.depth > maxNesting {
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
	literalQuotes := l.parameter(start) && double
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
	l.fail(ProblemSyntax, start, "a parameter expansion is not closed")
}

// parameter passes the parameter, its subscript and the operator of ${ }. It
// reports whether single quotes in the word that follows are literal within
// double quotes: they are after the operators that give a word or a number,
// not after those that give a pattern.
func (l *lexer) parameter(start int) bool {
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
			return false
		}
	}
	l.joinLines()
	switch l.peek(l.i) {
	case '#', '%', '/', '^', ',', '~', '@':
		return false
	}
	return true
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
	if strings.ContainsAny(l.text[open:close], "\"{}\\") {
		l.problem(ProblemReadings, open, close+1, "quotes within quotes that bash reads twice, in two ways")
	}
	l.patch(open, insteadOfQuote)
	l.patch(close, insteadOfQuote)
	end := l.end
	l.i, l.end = open+1, close
	l.quoted(0)
	if l.failed {
		return
	}
	l.i, l.end = close+1, end
}
