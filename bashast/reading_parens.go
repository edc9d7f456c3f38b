package bashast

// openParen reads a parenthesis that opens something: an arithmetic command or
// loop, a subshell, a function's parentheses, a case pattern.
func (l *lexer) openParen(s *list) {
	start := l.i
	second := l.next(start)
	switch {
	case s.pattern:
		l.i++
		s.last = tokWord // so that esac is a pattern
		return
	case s.last == tokFor:
		l.arithmeticFor(s, start, second)
		return
	case s.last == tokFunctionName:
		l.functionParens(s)
		return
	case s.last == tokWord && s.named && s.canBeName && s.before != tokCoproc:
		l.functionName(s)
		return
	}
	if !s.acceptsReserved() {
		l.fail(ProblemSyntax, start, "a parenthesis where bash expects none")
		return
	}
	l.dropCoprocName(s)
	if l.peek(second) == '(' {
		if l.arithmeticCommand(s, start, second) || l.failed {
			return
		}
		if s.undone == 0 {
			s.undone = s.parens + 1
			l.undone++
		}
	}
	if !l.enter() {
		return
	}
	l.i = start + 1
	l.emit("(", start, classToken, noLandmark)
	s.any = true
	s.parens++
	s.command = command{}
	l.separated(s, tokSeparate)
}

// functionName takes back the word before ( ): it names a function.
func (l *lexer) functionName(s *list) {
	at, out, marks := s.nameAt, s.nameOut, s.nameMarks
	l.out, l.marks = l.out[:out], l.marks[:marks]
	l.land(at, markFunction)
	s.command = command{}
	s.needSep = false
	l.functionParens(s)
}

// functionParens reads ( ) after a function's name.
func (l *lexer) functionParens(s *list) {
	start := l.i
	l.i++
	l.blanks()
	switch {
	case l.peek(l.i) == ')':
		l.i++
	case s.last == tokFunctionName:
		l.i = start
		l.insert(start, "()") // function name (subshell)
	default:
		l.fail(ProblemSyntax, l.i, "a parenthesis where bash expects none")
		return
	}
	s.advance(tokReserved)
}

// closeParen reads a parenthesis that ends a case pattern or a subshell.
func (l *lexer) closeParen(s *list) {
	start := l.i
	l.i++
	switch {
	case s.pattern:
		l.emit(")", -1, classToken, 0)
		s.pattern = false
		l.separated(s, tokReserved)
	case s.parens > 0:
		l.endCommand(s)
		if s.parens == s.undone {
			s.undone = 0
			l.undone--
		}
		s.parens--
		l.closeLevel(s)
		l.emit(")", -1, classToken, 0)
		l.closed(s)
	default:
		l.fail(ProblemSyntax, start, "a parenthesis closes nothing")
	}
}

// closeLevel leaves the level of nesting that a compound command entered.
func (l *lexer) closeLevel(s *list) {
	if l.depth > s.floor {
		l.leave()
	}
}

// closed notes the end of a compound command.
func (l *lexer) closed(s *list) {
	s.command = command{}
	s.needSep, s.any = true, true
	s.advance(tokClose)
}

// arithmeticCommand reads (( )) as an arithmetic command, when it is one: bash
// reads it as two subshells when the parentheses do not close together.
func (l *lexer) arithmeticCommand(s *list, start, second int) bool {
	saved := l.save()
	l.emit("x", -1, classWord, 0)
	l.i = second + 1
	if !l.arithmetic(start, "))") {
		l.restoreTo(saved)
		l.insert(second, " ")
		return false
	}
	l.land(start, markArith)
	l.closed(s)
	return true
}

// arithmeticFor reads the header for (( ; ; )). tree-sitter gets a while loop.
func (l *lexer) arithmeticFor(s *list, start, second int) {
	l.emit("while", s.nameAt, classToken, markFor)
	l.emit("x", -1, classWord, 0)
	l.i = second + 1
	if l.peek(second) != '(' || !l.arithmetic(start, "))") {
		l.fail(ProblemSyntax, start, "a for loop without a name")
		return
	}
	l.out = append(l.out, " ;"...)
	s.any = true
	l.blanks()
	if l.peek(l.i) == ';' {
		l.i++
	}
	s.command = command{}
	l.separated(s, tokSeparate)
}

// saved is what a reading that may be wrong has to put back.
type saved struct {
	i, out, marks, landmarks, patches, grafts, simple, problems, bodies, commands, depth int
}

func (l *lexer) save() saved {
	return saved{
		l.i, len(l.out), len(l.marks), len(l.landmarks), len(l.patches), len(l.grafts),
		len(l.simple), len(l.problems), len(l.bodies), l.commands, l.depth,
	}
}

func (l *lexer) restoreTo(s saved) {
	if l.failed {
		return
	}
	l.i, l.commands, l.depth = s.i, s.commands, s.depth
	l.out, l.marks, l.landmarks = l.out[:s.out], l.marks[:s.marks], l.landmarks[:s.landmarks]
	l.patches, l.grafts, l.simple = l.patches[:s.patches], l.grafts[:s.grafts], l.simple[:s.simple]
	l.problems, l.bodies = l.problems[:s.problems], l.bodies[:s.bodies]
}
