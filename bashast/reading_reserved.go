package bashast

// listWord reads a word of a list of commands: a reserved word, an assignment,
// a command's name, an argument, or a word that a compound command expects.
func (l *lexer) listWord(s *list) {
	start := l.i
	switch {
	case s.pattern:
		l.patternWord(s)
		return
	case s.last == tokFor:
		l.forName(s)
		return
	case s.last == tokCase:
		l.emit("", start, classWord, 0)
		l.word(start, wordPlain)
		s.needSep, s.any = true, true
		s.advance(tokCaseWord)
		return
	case s.last == tokFunction:
		l.word(start, wordSilent)
		s.advance(tokFunctionName)
		return
	case s.items:
		s.noItem = false
		s.listed++
		l.argument(start, s.listed, markWord, wordPlain)
		s.needSep = true
		s.advance(tokWord)
		return
	}
	text, plain := l.plainWord()
	if plain && (s.last == tokForName || s.last == tokCaseWord) && l.afterName(s, text) {
		return
	}
	if plain && s.acceptsReserved() && l.reserved(s, text) {
		return
	}
	if s.last == tokFunctionName {
		s.advance(tokReserved) // a body that is no compound command: a syntax error for bash
	}
	if plain && l.descriptor(s, text) {
		return
	}
	l.commandWord(s, text, plain)
}

// plainWord looks at the word at i without passing it: its text when no
// quoting or expansion is in it.
func (l *lexer) plainWord() (string, bool) {
	i := l.i
	for i < l.end && (byteClass[l.text[i]] == byteWord || byteClass[l.text[i]] == byteAssign) {
		i++
	}
	if i >= l.end || byteClass[l.text[i]] != byteQuote {
		return l.text[l.i:i], true
	}
	if l.text[i] != '\\' || l.peek(i+1) != '\n' {
		return "", false
	}
	// Only continuation lines: bash joins the pieces first.
	joined := append(l.scratch[:0], l.text[l.i:i]...)
	for i < l.end {
		switch c := l.text[i]; {
		case c == '\\' && l.peek(i+1) == '\n':
			i += 2
		case byteClass[c] == byteQuote:
			return "", false
		case byteClass[c] != byteWord && byteClass[c] != byteAssign:
			return string(joined), true
		default:
			joined = append(joined, c)
			i++
		}
	}
	return string(joined), true
}

// passPlain passes the plain word at i.
func (l *lexer) passPlain() {
	for l.i < l.end {
		c := l.text[l.i]
		switch {
		case c == '\\' && l.peek(l.i+1) == '\n':
			l.i += 2
		case byteClass[c] != byteWord && byteClass[c] != byteAssign:
			return
		default:
			l.i++
		}
	}
}

// patternWord reads a pattern of a case command, or its esac.
func (l *lexer) patternWord(s *list) {
	start := l.i
	if text, plain := l.plainWord(); plain && text == "esac" && s.last != tokWord {
		s.pattern = false
		l.reserved(s, text)
		return
	}
	l.emit("", start, classWord, 0)
	l.word(start, wordPlain)
	s.advance(tokWord)
}

// forName reads the variable of a for or select.
func (l *lexer) forName(s *list) {
	if l.text[s.nameAt] == 's' {
		l.emit("select", s.nameAt, classToken, noLandmark)
	} else {
		l.emit("for", s.nameAt, classToken, noLandmark)
	}
	l.word(l.i, wordSilent)
	l.out = append(l.out, " x"...)
	s.needSep, s.any = true, true
	s.advance(tokForName)
}

// afterName reads in, or do, after the name of a loop or the word of a case.
func (l *lexer) afterName(s *list, text string) bool {
	switch {
	case text == "in" && s.last == tokCaseWord:
		s.pattern = true
		s.cases++
	case text == "in":
		s.items, s.noItem, s.listed = true, true, 0
	case text == "do" && s.last == tokForName:
		return l.reserved(s, text)
	default:
		return false
	}
	l.passPlain()
	l.out = append(l.out, " in"...)
	s.needSep = false
	s.command = command{}
	s.advance(tokIn)
	return true
}

// reserved reads a reserved word where one counts. It reports false for every
// other word.
func (l *lexer) reserved(s *list, text string) bool {
	start := l.i
	switch text {
	case "if", "while", "until":
		l.opens(s, text)
	case "case":
		l.opens(s, text)
		s.last = tokCase
	case "{":
		l.openBrace(s)
	case "for", "select":
		l.dropCoprocName(s)
		if !l.enter() {
			return true
		}
		l.passPlain()
		s.command = command{nameAt: start}
		s.forLoop = true
		s.advance(tokFor)
	case "then", "else", "elif":
		l.continues(s, text)
	case "do":
		l.continues(s, text)
		s.forLoop = false
	case "fi", "done":
		l.closes(s, text)
	case "esac":
		s.cases = max(s.cases-1, 0)
		l.closes(s, text)
	case "}":
		l.closeBrace(s)
	case "[[":
		l.dropCoprocName(s)
		l.conditional(s)
	case "function":
		l.dropCoprocName(s)
		l.passPlain()
		l.land(start, markFunction)
		s.advance(tokFunction)
	case "!", "time", "coproc":
		return l.prefix(s, text)
	default:
		return false
	}
	return true
}

// opens writes the word that opens a compound command.
func (l *lexer) opens(s *list, word string) {
	l.dropCoprocName(s)
	if !l.enter() {
		return
	}
	l.emit(word, l.i, classToken, noLandmark)
	l.passPlain()
	s.any = true
	s.command = command{}
	l.separated(s, tokReserved)
}

// continues writes a word in the middle of a compound command.
func (l *lexer) continues(s *list, word string) {
	l.endCommand(s)
	l.separate(s)
	l.emit(word, l.i, classToken, noLandmark)
	l.passPlain()
	l.separated(s, tokReserved)
}

// closes writes the word that closes a compound command.
func (l *lexer) closes(s *list, word string) {
	l.endCommand(s)
	l.separate(s)
	l.emit(word, -1, classToken, 0)
	l.passPlain()
	l.closeLevel(s)
	l.closed(s)
}

// openBrace reads a group, or the body of a for loop written as one.
func (l *lexer) openBrace(s *list) {
	s.braces = append(s.braces, s.forLoop)
	if s.forLoop {
		s.forLoop = false
		l.continues(s, "do")
		return
	}
	l.opens(s, "{")
}

func (l *lexer) closeBrace(s *list) {
	if len(s.braces) == 0 {
		l.fail(ProblemSyntax, l.i, "a brace closes nothing")
		return
	}
	body := s.braces[len(s.braces)-1]
	s.braces = s.braces[:len(s.braces)-1]
	if body {
		l.endCommand(s)
		l.separate(s)
		l.emit("done", -1, classToken, 0)
		l.passPlain()
		l.closeLevel(s)
		l.closed(s)
		return
	}
	l.closes(s, "}")
}

// prefix reads !, time or coproc, which tree-sitter does not see.
func (l *lexer) prefix(s *list, text string) bool {
	start := l.i
	if text == "time" && s.last == tokPipe {
		l.insert(start, insteadOfWord)
		return false
	}
	l.passPlain()
	s.open, s.wantBody = true, true
	if s.prefixes++; s.prefixes > maxPrefixes {
		l.fail(ProblemBound, start, "too many prefixes")
	}
	switch text {
	case "!":
		l.negation(s, start)
	case "time":
		l.land(start, markTime)
		s.timeAt = start
		l.timeOptions()
		s.advance(tokTime)
	case "coproc":
		l.land(start, markCoproc)
		s.coproc, s.coprocAt = true, start
		s.advance(tokCoproc)
	}
	return true
}

// negation reads ! and any more of them: mvdan.cc/sh knows but one, so pairs
// are taken out of what it reads. And it knows none after time.
func (l *lexer) negation(s *list, start int) {
	if l.peek(l.i) == '(' {
		if l.extglob {
			l.problem(ProblemReadings, start, l.i, "a negation or a pattern, as extglob is set when bash comes here")
		}
		l.insert(l.i, " ") // no extended pattern
	}
	for {
		l.blanks()
		again := l.i
		text, plain := l.plainWord()
		if !plain || text != "!" {
			break
		}
		l.passPlain()
		l.patch(start, " ")
		l.patch(again, " ")
		l.blanks()
		if text, plain = l.plainWord(); !plain || text != "!" {
			s.advance(tokReserved)
			return
		}
		start = l.i
		l.passPlain()
	}
	if l.bold && s.last == tokTime {
		l.insert(s.timeAt, "! ")
		l.patch(start, " ")
		start = s.timeAt
	}
	l.land(start, markNot)
	s.advance(tokReserved)
}

// timeOptions passes -p and --, the second of which mvdan.cc/sh does not know.
func (l *lexer) timeOptions() {
	l.blanks()
	if text, plain := l.plainWord(); plain && text == "-p" {
		l.passPlain()
		l.blanks()
	}
	if text, plain := l.plainWord(); plain && text == "--" {
		for i := l.i; i < l.i+len(text); i++ {
			if l.text[i] == '-' {
				l.patch(i, " ")
			}
		}
		l.passPlain()
	}
}

// dropCoprocName takes back the word after coproc when a compound command
// follows: it names the coprocess.
func (l *lexer) dropCoprocName(s *list) {
	if s.last != tokWord || s.before != tokCoproc {
		return
	}
	l.out, l.marks = l.out[:s.nameOut], l.marks[:s.nameMarks]
	s.needSep = false
	s.coproc = false
}
