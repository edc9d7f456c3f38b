package bashast

import "mvdan.cc/sh/v3/syntax"

// reading is one line as both parsers read it. The evaluator walks file; its
// problems already say where the two readings differ.
type reading struct {
	// file holds every statement that was read. On a syntax error it holds
	// those before it, which bash would run.
	file *syntax.File
	// extra holds statements that only the other reading sees: they are
	// listed too, so that a rule can still match what they may start.
	extra []*syntax.Stmt
	// problems says what was not read whole.
	problems []Problem
}

// inner is one thing that a command starts besides itself: the command behind
// a wrapper, the script given to a shell, the file a program runs. The tables
// find it; the evaluator evaluates it in turn.
type inner struct {
	kind innerKind
	// words is the command for innerArgv.
	words []Word
	// script is the text for innerShell and innerCode.
	script Value
	// args are the positional parameters $0, $1, … that a shell script gets.
	args []Word
	// dir is the directory it runs in where the wrapper changes it; the zero
	// value keeps that of the command.
	dir *Value
	// assigns are environment changes the wrapper makes (env X=1 cmd).
	assigns []Assign
	// sameShell is true when the script runs in the current shell, so that
	// its assignments and cd last: eval, source, trap.
	sameShell bool
	// keepStdin is true when it reads the command's standard input.
	keepStdin bool
	via       Via
	// file is the absolute path of the script followed, "" for inline text.
	file string
	// problem is set when something runs that cannot be known; the other
	// fields then hold what is known.
	problem *Problem
}

// innerKind is the kind of an inner.
type innerKind uint8

const (
	innerArgv  innerKind = iota // words are run as a command
	innerShell                  // script is run by a shell
	innerCode                   // script is run by another interpreter
)
