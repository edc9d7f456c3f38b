package bashast

// array reads the words of name=( ), whose parenthesis is at i. They are
// written as more of the same word.
func (l *lexer) array() {
	if !l.enter() {
		return
	}
	defer l.leave()
	open := l.i
	l.i++
	for !l.failed {
		l.blanks()
		if l.i >= l.end {
			break
		}
		c := l.text[l.i]
		switch byteClass[c] {
		case byteNewline:
			l.i++
			continue
		case byteMeta:
			if c == ')' {
				l.i++
				return
			}
			l.fail(ProblemSyntax, l.i, "an operator in an array")
			return
		case byteArrow:
			if l.peek(l.next(l.i)) != '(' {
				l.fail(ProblemSyntax, l.i, "an operator in an array")
				return
			}
		}
		l.element()
	}
	l.fail(ProblemSyntax, open, "an array is not closed")
}

// element reads one word of an array, with its subscript.
func (l *lexer) element() {
	start := l.i
	if l.text[start] == '[' {
		saved := l.save()
		l.i++
		if !l.arithmetic(start, "]") || l.peek(l.i) != '=' && l.peek(l.i) != '+' {
			l.restoreTo(saved)
			l.land(start, markElement)
		} else if next := l.i; l.peek(next) == '=' && l.endsWord(next+1) {
			l.i++
			return
		}
	} else {
		l.land(start, markElement)
	}
	l.word(start, wordPlain)
}

// endsWord reports whether no word goes on at i.
func (l *lexer) endsWord(i int) bool {
	if i >= l.end {
		return true
	}
	c := byteClass[l.text[i]]
	return c == byteBlank || c == byteNewline || c == byteMeta
}

// conditional reads [[ … ]], which tree-sitter gets as a command of its words.
func (l *lexer) conditional(s *list) {
	start := l.i
	l.land(start, markTest)
	l.passPlain()
	l.emit("x", -1, classWord, 0)
	s.any = true
	role := wordTest
	parens := 0
	for !l.failed {
		l.blanks()
		if l.i >= l.end {
			break
		}
		c := l.text[l.i]
		switch byteClass[c] {
		case byteNewline:
			l.i++
			continue
		case byteMeta:
			if role == wordRegex && (c == '(' || c == '|') {
				break
			}
			if c == '(' {
				parens++
			} else if c == ')' {
				parens--
			}
			if parens > maxNesting {
				l.fail(ProblemBound, l.i, "nested too deeply")
			}
			l.i++
			continue
		case byteArrow:
			if l.peek(l.next(l.i)) != '(' {
				l.i++
				continue
			}
		}
		text, plain := l.plainWord()
		if plain && text == "]]" && role != wordRegex {
			l.passPlain()
			l.closed(s)
			return
		}
		role = l.testWord(text, plain, role)
	}
	l.fail(ProblemSyntax, start, "a conditional is not closed")
}

// testWord reads one word of a conditional and says how the next one is read.
func (l *lexer) testWord(text string, plain bool, role wordRole) wordRole {
	if l.commands++; l.commands > maxCommands {
		l.fail(ProblemBound, l.i, "too many words in a conditional")
	}
	l.emit("", -1, classWord, 0)
	l.word(l.i, role)
	if plain && text == "=~" && role != wordRegex {
		return wordRegex
	}
	return wordTest
}
