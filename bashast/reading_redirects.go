package bashast

// redirect reads a redirect whose descriptor, if any, starts at start and
// whose operator is at i.
func (l *lexer) redirect(s *list, start int) {
	s.begin(start)
	kind := l.redirectOperator()
	if kind == redirHeredoc || kind == redirDashdoc {
		l.heredocWord(kind == redirDashdoc)
	} else {
		l.target(s, kind)
	}
	s.stop = l.i
	s.canBeName = false
	if l.bold && s.declares && !s.hidden {
		// mvdan.cc/sh ends a declaration at a redirect.
		l.insert(s.nameAt, insteadOfWord)
		s.hidden = true
	}
	if s.last != tokClose {
		s.open, s.wantBody = true, true
		s.advance(tokWord)
	}
}

// redirectOperator passes the operator at i.
func (l *lexer) redirectOperator() landmarkKind {
	start := l.i
	second := l.next(start)
	third := l.next(second)
	kind, end := redirOut, start+1
	switch c, d, e := l.text[start], l.peek(second), l.peek(third); {
	case c == '&' && e == '>':
		kind, end = redirBothApp, third+1
	case c == '&':
		kind, end = redirBoth, second+1
	case c == '>' && d == '>':
		kind, end = redirAppend, second+1
	case c == '>' && d == '|':
		kind, end = redirClobber, second+1
	case c == '>' && d == '&':
		kind, end = redirDupOut, second+1
	case c == '>':
	case d == '<' && e == '<':
		kind, end = redirString, third+1
	case d == '<' && e == '-':
		kind, end = redirDashdoc, third+1
	case d == '<':
		kind, end = redirHeredoc, second+1
	case d == '>':
		kind, end = redirInOut, second+1
	case d == '&':
		kind, end = redirDupIn, second+1
	default:
		kind = redirIn
	}
	l.land(start, markRedirect+kind)
	l.joined(start, end)
	l.i = end
	return kind
}

// target reads the word of a redirect. tree-sitter sees it only for the
// substitutions in it: as an assignment before a command's name, as an argument
// after it, as a redirect after a compound command.
func (l *lexer) target(s *list, kind landmarkKind) {
	l.blanks()
	if l.i >= l.end || byteClass[l.text[l.i]] == byteNewline || byteClass[l.text[l.i]] == byteMeta ||
		byteClass[l.text[l.i]] == byteArrow && l.peek(l.next(l.i)) != '(' {
		l.fail(ProblemSyntax, l.i, "a redirect without a target")
		return
	}
	l.land(l.i, markTarget)
	if (kind == redirDupIn || kind == redirDupOut) && l.text[l.i] == '-' {
		l.i++
		return
	}
	out, marks := len(l.out), len(l.marks)
	if s.last == tokClose {
		l.out = append(l.out, " >"...)
	}
	l.emit("", -1, classWord, 0)
	if s.last != tokClose && !s.named {
		l.out = append(l.out, "v="...)
	}
	first := len(l.marks)
	l.word(l.i, wordPlain)
	if len(l.marks) == first {
		l.out, l.marks = l.out[:out], l.marks[:marks]
		return
	}
	if s.last != tokClose {
		s.needSep, s.any = true, true
	}
}
