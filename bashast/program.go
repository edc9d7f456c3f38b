// Package bashast turns a bash command line into a Program: every command it
// would start, with the value of each word, every redirect, the directory in
// force, and whatever could not be known. It decides nothing about policy,
// reads no clock, and touches files only through a Lookup (spec rows B1 to
// B13, B18 to B24).
package bashast

import "io/fs"

// Program is what a command line would do. The zero value is an empty line.
type Program struct {
	// Text is the line as it was given.
	Text string
	// Commands holds every simple command the line would start, in the order
	// of the text, those behind wrappers and in followed scripts included
	// (B1, B4, B6). A wrapper and the command it runs are both listed.
	Commands []Command
	// Redirects holds every redirect of the line, of simple and of compound
	// commands alike. Those of a simple command are in Command.Redirects too.
	Redirects []Redirect
	// Effects holds every effect on paths and hosts that belongs to no single
	// command; those of a command are in Command.Effects.
	Effects []Effect
	// Problems says what is not known. A program without problems, whose
	// words are all known, is resolved.
	Problems []Problem
	// ParseError is true when the line was not read whole: a syntax error, a
	// bound that was passed, or two readings that differ (B12).
	ParseError bool
}

// Unresolved reports whether any part of the program is unknown in a way that
// matters to a judgement: a problem of the program or of any command (B11).
func (p *Program) Unresolved() bool {
	if p.ParseError || len(p.Problems) > 0 {
		return true
	}
	for i := range p.Commands {
		if len(p.Commands[i].Problems) > 0 {
			return true
		}
	}
	return false
}

// Span is a half-open range of bytes of Program.Text. For a command of a
// followed script it is the range of the word that led there.
type Span struct{ Start, End int }

// Word is one word of a command after all expansions (bash manual 3.5).
type Word struct {
	Value
	// Span is where the word stands in the line.
	Span Span
	// Quoted is true when any part of the word was quoted or escaped.
	Quoted bool
	// Many is true when the word may become any number of words, none
	// included: an unquoted expansion that is not known, an unbounded glob.
	// Each of them is then as Value says.
	Many bool
	// Stream is, for a process substitution <( ), the text that can be read
	// from the file which the word names; nil for every other word.
	Stream *Value
}

// Command is one simple command (bash manual 3.2.2) or one command that a
// wrapper, an interpreter or a script starts.
type Command struct {
	// Words is the command's name and its arguments. Empty for a line that
	// has only assignments or redirects.
	Words []Word
	// Assigns holds the assignments in front of the name, or, with no name,
	// those made in the shell.
	Assigns []Assign
	// Redirects holds the redirects of this command.
	Redirects []Redirect
	// Dir is the absolute directory in force where the command starts (B3).
	Dir Value
	// Via is the way from the line to this command, outermost first: empty
	// for a command that stands in the line itself (B4, B6).
	Via []Via
	// Stdin is the text on standard input where it is fixed by the line: a
	// here-document, a here-string, the output of printf or echo. Its kind is
	// Unknown where it is not.
	Stdin Value
	// Piped is true when standard input comes from another command.
	Piped bool
	// PipedFrom holds the indexes in Program.Commands of the commands whose
	// output is this command's standard input.
	PipedFrom []int
	// Effects says which paths the command reads, writes, creates or deletes
	// and which hosts it speaks to (B19).
	Effects []Effect
	// Problems says what about this command is not known.
	Problems []Problem
	// Span is the range of the command in the line.
	Span Span
	// Function is true when the name is a function defined in the line. Its
	// body's commands are listed as well.
	Function bool
	// Builtin is true when the name is a builtin of bash that starts no program.
	Builtin bool
}

// Name is the command's name with any directory taken off, or "" when it is
// not known.
func (c *Command) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	name, ok := c.Words[0].Text()
	if !ok {
		return ""
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[i+1:]
		}
	}
	return name
}

// Assign is one assignment to a shell variable (bash manual 3.4).
type Assign struct {
	Name  string
	Value Value
	// Append is true for +=.
	Append bool
	// Exported is true when programs see it: in front of a command, or by
	// export or declare -x.
	Exported bool
	Span     Span
}

// Redirect is one redirection (bash manual 3.6).
type Redirect struct {
	// Op is the operator as written: ">", ">>", "<", "<>", ">|", "&>", "&>>",
	// "<&", ">&", "<<", "<<-", "<<<".
	Op string
	// FD is the descriptor: -1 when none is written or it is a variable.
	FD int
	// Target is the file, absolute, or the descriptor digits of a
	// duplication. For a here-document it is the body.
	Target Word
	// Duplicate is true when the target is a descriptor, not a file.
	Duplicate bool
}

// Effect is one thing a command does to the world outside its process.
type Effect struct {
	Kind EffectKind
	// Target is an absolute path, or for Network a host or URL.
	Target Value
	// Word is the index in Command.Words it comes from, -1 for a redirect or
	// an effect that no word names (tar xf writes into the directory in force).
	Word int
	// Recursive is true when everything below the target is meant.
	Recursive bool
	// Send is true for a Network effect that carries local data out.
	Send bool
	// Metadata is true for a Read of names, sizes and times alone: ls, stat,
	// test -f. The content stays unread.
	Metadata bool
	Span     Span
}

// EffectKind is the kind of an Effect.
type EffectKind uint8

// The kinds of effects (B19).
const (
	Read    EffectKind = iota // the content or metadata of a path is read
	Write                     // the path is created or its content changed
	Delete                    // the path is removed
	Execute                   // the path is run as a program or script
	Chmod                     // mode, owner or attributes are changed
	Network                   // a host is spoken to
)

// Via is one step between the line and a command.
type Via struct {
	// Kind says what the step is.
	Kind ViaKind
	// Name is the wrapper or interpreter ("sudo", "xargs", "bash -c"), the
	// make target, the script.
	Name string
	// File and Line name the place in a followed script, Line from 1 (B6).
	File string
	Line int
	// Foreign is true when what follows runs on another host or in a
	// container, where paths are not those of this machine.
	Foreign bool
}

// ViaKind is the kind of a Via.
type ViaKind uint8

// The kinds of steps.
const (
	ViaWrapper      ViaKind = iota // a program that runs its operands
	ViaShell                       // a script handed to a shell by -c, stdin or eval
	ViaInterpreter                 // code of another language
	ViaScript                      // a file of the project that was read
	ViaFunction                    // a function defined in the line
	ViaSubstitution                // $( ), backticks, <( ), >( )
	ViaTrap                        // a handler set by trap, PROMPT_COMMAND and the like
)

// Problem is one thing that is not known, with a reason a person can read.
type Problem struct {
	Code   ProblemCode
	Reason string
	Span   Span
}

// ProblemCode says which kind of thing is not known.
type ProblemCode string

// The kinds of problems (B11, B12).
const (
	ProblemSyntax    ProblemCode = "syntax"    // not valid bash
	ProblemReadings  ProblemCode = "readings"  // two parsers read it differently
	ProblemBound     ProblemCode = "bound"     // too long, too deep, too many
	ProblemName      ProblemCode = "name"      // a command name that is not known
	ProblemScript    ProblemCode = "script"    // a script or program text that is not known
	ProblemInline    ProblemCode = "inline"    // inline code that does what cannot be seen
	ProblemDirectory ProblemCode = "directory" // a directory in force that is not known
	ProblemOperand   ProblemCode = "operand"   // a path of a mutating command that is not known
	ProblemRedirect  ProblemCode = "redirect"  // a redirect target that is not known
	ProblemOption    ProblemCode = "option"    // options that the tables do not know
	ProblemLookup    ProblemCode = "lookup"    // an assignment that changes which program runs
)

// Lookup is the only way the analysis sees files. Paths are absolute. All
// methods are bounded by their implementation; an error of any kind means
// "not known". Nothing is ever run or opened for writing (B13).
type Lookup interface {
	// ReadFile returns at most limit+1 bytes of a regular file.
	ReadFile(path string, limit int) ([]byte, error)
	// ReadDir returns at most limit+1 entries of a directory.
	ReadDir(path string, limit int) ([]fs.DirEntry, error)
	// Stat follows symlinks.
	Stat(path string) (fs.FileInfo, error)
	// Lstat does not.
	Lstat(path string) (fs.FileInfo, error)
	// EvalSymlinks returns the canonical form of an existing path.
	EvalSymlinks(path string) (string, error)
}

// Env is what is known of the shell that will run the line.
type Env struct {
	// Dir is the absolute directory the line starts in.
	Dir string
	// Project is the root inside which globs are resolved and scripts are
	// followed. Empty: neither is done.
	Project string
	// Home is what a tilde and $HOME mean.
	Home string
	// Vars holds the environment variables whose values are known. A
	// variable that is not named here and not set by the line is unknown,
	// and may be unset.
	Vars map[string]string
	// Sealed is true when Vars holds the whole environment, so that a name
	// it lacks is surely unset.
	Sealed bool
	// Files is how files are seen. nil: none can be.
	Files Lookup
}
