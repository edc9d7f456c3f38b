package bashast

import (
	"strconv"
	"strings"
)

// commandWord reads an assignment, a command's name or an argument.
func (l *lexer) commandWord(s *list, text string, plain bool) {
	start := l.i
	s.begin(start)
	role := wordPlain
	switch {
	case s.acceptsAssignment():
		role = wordAssign
	case s.declares:
		role = wordDeclare
	}
	out, marks := len(l.out), len(l.marks)
	assigned := false
	switch s.args++; {
	case s.let && !l.bold:
		l.emit("", -1, classWord, 0) // its arguments are expressions, not words
		assigned = l.word(start, role)
	case s.named:
		assigned = l.argument(start, s.args, markWord, role)
	default:
		l.emit("", start, classWord, 0)
		first := len(l.marks)
		if assigned = l.word(start, role); assigned && s.args > maxArguments && len(l.marks) == first {
			l.out, l.marks = l.out[:out], l.marks[:marks]
			l.land(start, markAssign)
		}
	}
	l.computedDescriptor(start)
	s.open, s.needSep, s.any = true, true, true
	s.stop = l.i
	if assigned && role == wordAssign {
		s.advance(tokAssign)
		return
	}
	if !s.named {
		first := !s.wantBody && s.last != tokAssign
		s.canBeName = first
		s.nameOut, s.nameMarks, s.nameAt = out, marks, start
		s.named, s.args = true, 0
		s.declares = plain && isDeclaration(text)
		s.let = plain && text == "let"
		if l.bold && plain && (s.let || s.last == tokWord && isReserved(text)) {
			l.insert(start, insteadOfWord)
			s.hidden = true
		}
	} else {
		s.canBeName = false
	}
	s.advance(tokWord)
}

// argument reads the nth argument or item. Those past a number tree-sitter sees
// only for the substitutions in them.
func (l *lexer) argument(start, n int, kind landmarkKind, role wordRole) bool {
	out, marks := len(l.out), len(l.marks)
	if n <= maxArguments {
		l.emit("", start, classWord, 0)
		return l.word(start, role)
	}
	l.land(start, kind)
	l.emit("", -1, classWord, 0)
	first := len(l.marks)
	assigned := l.word(start, role)
	if len(l.marks) == first {
		l.out, l.marks = l.out[:out], l.marks[:marks]
	}
	return assigned
}

// descriptor passes a number or {name} that stands right before a redirect.
func (l *lexer) descriptor(s *list, text string) bool {
	end := l.i
	if l.text[l.i:min(l.i+len(text), l.end)] != text {
		return false // in pieces: left to the parsers to disagree about
	}
	end += len(text)
	c := l.peek(end)
	if (c != '<' && c != '>') || text == "" || l.peek(l.next(end)) == '(' {
		return false
	}
	if !isDescriptorNumber(text) && !isDescriptorName(text) {
		return false
	}
	start := l.i
	l.i = end
	l.redirect(s, start)
	return true
}

// computedDescriptor looks at the word just read: {name[subscript]} right before
// a redirect is a descriptor's name even with quotes or expansions in it.
func (l *lexer) computedDescriptor(start int) {
	c := l.peek(l.i)
	if c != '<' && c != '>' || l.i >= l.end {
		return
	}
	if text := l.text[start:l.i]; text[0] == '{' && text[len(text)-1] == '}' && strings.Contains(text, "[") {
		l.problem(ProblemReadings, start, l.i, "a descriptor's name that is computed")
	}
}

// isDescriptorNumber reports whether s is a number that bash takes for a
// descriptor; a larger one is a word.
func isDescriptorNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	_, err := strconv.ParseInt(s, 10, 32)
	return err == nil
}

// isDescriptorName reports whether s is {name} or {name[subscript]}.
func isDescriptorName(s string) bool {
	if len(s) < 3 || s[0] != '{' || s[len(s)-1] != '}' {
		return false
	}
	name := s[1 : len(s)-1]
	n := nameLength(name)
	return n > 0 && (n == len(name) || (name[n] == '[' && name[len(name)-1] == ']' && len(name) > n+2))
}

// nameLength is the length of the shell name that s begins with.
func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		return i
	}
	return len(s)
}

// isReserved reports whether name is a word that mvdan.cc/sh gives a meaning of
// its own at the start of a command. bash gives it none after a redirect.
func isReserved(name string) bool {
	switch name {
	case "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case", "esac",
		"{", "}", "!", "[[", "]]", "time", "coproc", "function", "let",
		"declare", "typeset", "local", "export", "readonly", "nameref":
		return true
	}
	return false
}

// isDeclaration reports whether name is a builtin whose arguments bash reads
// as assignments.
func isDeclaration(name string) bool {
	switch name {
	case "declare", "typeset", "local", "export", "readonly", "alias", "eval", "let":
		return true
	}
	return false
}
