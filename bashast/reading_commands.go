package bashast

import "strings"

// token is what the lexer read last in a list of commands, as far as bash's
// choice of reserved words depends on it.
type token uint8

const (
	tokStart    token = iota // nothing yet
	tokSeparate              // ; & newline | || && |& ;; ;& ;;& (
	tokReserved              // a reserved word after which a command may start
	tokClose                 // ) } fi done esac ]] )): redirects or a separator follow
	tokWord                  // a word, or the target of a redirect
	tokAssign
	tokFor // for, select
	tokForName
	tokCase
	tokCaseWord
	tokIn
	tokFunction
	tokFunctionName
	tokCoproc
	tokTime
	tokPipe // | and |&, after which time is no reserved word
)

// list is the state of one list of commands: the line, or the inside of one
// substitution.
type list struct {
	last, before token
	parens       int    // open subshells
	undone       int    // the first of them that began as (( and is not, from 1
	cases        int    // open case commands
	pattern      bool   // between in or ;; and the ) that ends the patterns
	forLoop      bool   // between for and its do
	listed       int    // items of a loop so far
	items        bool   // between in and the end of a loop's items
	noItem       bool   // and none was read yet
	floor        int    // the depth this list began at
	braces       []bool // open groups; true for one that is the body of a for
	stages       int    // of the pipeline so far
	command             // the simple command so far
	needSep      bool   // out ends with something a separator must follow
	any          bool   // something was written to out
}

// command is the state of one simple command.
type command struct {
	open     bool // a word, assignment, redirect or prefix was read
	args     int  // its arguments so far, or assignments before a name
	prefixes int  // of !, time and coproc
	begun    bool // a word, assignment or redirect was read
	named    bool // its name was read
	hidden   bool // its name is patched to be an ordinary word
	declares bool // its name is a declaration builtin: arguments may be arrays
	let      bool // its name is let
	coproc   bool // it is a coproc's
	coprocAt int
	timeAt   int  // where its time is
	first    int  // where the first word, assignment or redirect after coproc is
	wantBody bool // out needs a command even when no word comes
	start    int
	stop     int
	// what to take back when the first word turns out to be no command's name:
	// a function's or a coprocess's.
	canBeName          bool
	nameOut, nameMarks int
	nameAt             int
}

// acceptsReserved reports whether a reserved word counts here (bash's
// reserved_word_acceptable).
func (s *list) acceptsReserved() bool {
	switch s.last {
	case tokStart, tokSeparate, tokReserved, tokClose, tokCoproc, tokTime, tokPipe:
		return true
	case tokWord:
		return s.before == tokCoproc
	case tokFunctionName:
		return true
	}
	return false
}

// acceptsAssignment reports whether name=value is an assignment here.
func (s *list) acceptsAssignment() bool {
	if s.pattern {
		return false
	}
	return s.last == tokAssign || (s.acceptsReserved() && s.last != tokFunctionName) ||
		(s.open && !s.named && s.last == tokWord)
}

func (s *list) advance(t token) { s.before, s.last = s.last, t }

// list reads commands up to close, or to the end of the text when close is 0.
// It leaves i after close.
func (l *lexer) list(close byte) {
	floor := l.depth
	defer func() { l.depth = floor }()
	if !l.enter() {
		return
	}
	pending := l.pending
	l.pending = nil
	s := list{floor: l.depth}
	for !l.failed {
		l.blanks()
		if l.i >= l.end {
			break
		}
		c := l.text[l.i]
		switch byteClass[c] {
		case byteNewline:
			l.newline(&s)
		case byteMeta:
			if c == ')' && close == ')' && s.parens == 0 && !s.pattern {
				l.i++
				l.endList(&s, pending)
				return
			}
			l.operator(&s)
		case byteArrow:
			if l.peek(l.next(l.i)) == '(' {
				l.listWord(&s)
			} else {
				l.redirect(&s, l.i)
			}
		default:
			l.listWord(&s)
		}
	}
	if !l.failed && close != 0 {
		l.fail(ProblemSyntax, l.end-1, "a parenthesis is not closed")
	}
	l.endList(&s, pending)
}

func (l *lexer) endList(s *list, outer []heredoc) {
	l.endCommand(s)
	if len(l.pending) > 0 && !l.failed {
		l.problem(ProblemReadings, l.pending[0].at, l.i, "a here-document without its text")
	}
	l.pending = outer
	if !s.any {
		l.emit("x", -1, classWord, 0)
	}
}

// endCommand ends a simple command at a separator.
func (l *lexer) endCommand(s *list) {
	if !s.open {
		return
	}
	if s.wantBody && !s.needSep {
		l.emit("v=x", -1, classWord, 0)
		s.needSep, s.any = true, true
	}
	if s.coproc && s.first > 0 && l.bold {
		l.hideCoproc(s)
	}
	if s.begun && s.start <= s.stop && s.stop <= len(l.text) {
		c := simpleCommand{text: l.text[s.start:s.stop], pos: l.at(s.start)}
		if s.named && s.nameAt > s.start && s.nameAt <= s.stop {
			c.name = l.at(s.nameAt)
			c.call = l.text[s.nameAt:s.stop]
		}
		l.simple = append(l.simple, c)
	}
	if l.commands++; l.commands > maxCommands {
		l.fail(ProblemBound, l.i, "too many commands")
	}
	s.command = command{}
}

// hideCoproc takes coproc out of what mvdan.cc/sh reads, which looks for a name
// after it even before a simple command. A graft puts it back.
func (l *lexer) hideCoproc(s *list) {
	const word = "coproc"
	if !strings.HasPrefix(l.text[s.coprocAt:], word) {
		return
	}
	for i := range len(word) {
		l.patch(s.coprocAt+i, " ")
	}
	l.grafts = append(l.grafts, graft{kind: graftCoproc, start: l.at(s.first), end: l.at(s.coprocAt)})
}

// begin notes that a word, assignment or redirect of a simple command starts.
func (s *list) begin(start int) {
	if !s.begun {
		s.begun, s.start = true, start
	}
	if s.coproc && s.first == 0 {
		s.first = start
	}
}

// separate writes a separator for tree-sitter where one is missing, as before
// the } of { (a) }.
func (l *lexer) separate(s *list) {
	if s.needSep {
		l.out = append(l.out, " ;"...)
		s.needSep = false
	}
}

// newline reads a newline, which ends a command where one is open, and then
// the here-documents it is due.
func (l *lexer) newline(s *list) {
	l.i++
	if len(l.pending) > 0 {
		l.heredocBodies()
	}
	switch s.last {
	case tokCaseWord, tokFunctionName, tokPipe, tokForName:
		return
	}
	if s.pattern {
		return
	}
	l.endItems(s)
	l.endCommand(s)
	l.separate(s)
	l.separated(s, tokSeparate)
}

// endItems ends the items of a loop, and writes one where there is none, which
// bash allows.
func (l *lexer) endItems(s *list) {
	if s.items && s.noItem {
		l.emit("x", -1, classWord, 0)
		s.needSep = true
	}
	s.items = false
}

// operator reads one of ; & | ( ) and what begins with them.
func (l *lexer) operator(s *list) {
	start := l.i
	second := l.next(start)
	c, d := l.text[start], l.peek(second)
	defer func() {
		if d == c || d == '&' {
			l.joined(start, second+1)
		}
	}()
	switch {
	case c == '(':
		l.openParen(s)
	case c == ')':
		l.closeParen(s)
	case c == '|' && s.pattern:
		l.i++
		l.emit("|", -1, classToken, 0)
	case c == ';' && (d == ';' || d == '&'):
		l.caseEnd(s, start, second)
	case c == ';':
		l.i++
		l.endItems(s)
		l.endCommand(s)
		l.out = append(l.out, " ;"...)
		l.separated(s, tokSeparate)
	case c == '&' && d == '>':
		l.redirect(s, start)
	case c == '&' && d == '&':
		l.i = second + 1
		l.join(s, "&&", start, markAnd, tokSeparate)
	case c == '&':
		l.i++
		l.join(s, "&", start, markBackground, tokSeparate)
	case d == '|':
		l.i = second + 1
		l.join(s, "||", start, markOr, tokSeparate)
	case d == '&':
		l.i = second + 1
		l.join(s, "|&", start, markPipeAll, tokPipe)
	default:
		l.i++
		l.join(s, "|", start, markPipe, tokPipe)
	}
}

func (l *lexer) separated(s *list, t token) {
	s.needSep = false
	if t != tokPipe {
		s.stages = 0
	}
	s.advance(t)
}

// join writes an operator between two commands. Past a number of stages it
// writes a separator instead and notes the operator itself, since tree-sitter
// takes a time that grows with the square of the stages.
func (l *lexer) join(s *list, op string, start int, kind landmarkKind, t token) {
	l.endCommand(s)
	if t == tokPipe {
		s.stages++
	}
	if s.stages > maxPipeline {
		l.land(start, kind)
		l.out = append(l.out, " ;"...)
	} else {
		l.emit(op, start, classToken, noLandmark)
	}
	l.separated(s, t)
}

// caseEnd reads ;; ;& or ;;&.
func (l *lexer) caseEnd(s *list, start, second int) {
	if s.cases == 0 {
		l.fail(ProblemSyntax, start, "two separators in a row")
		return
	}
	l.endCommand(s)
	l.separate(s)
	l.i = second + 1
	if third := l.next(second); l.text[second] == ';' && l.peek(third) == '&' {
		l.i = third + 1
	}
	l.out = append(l.out, " ;;"...)
	s.pattern = true
	l.separated(s, tokSeparate)
}
