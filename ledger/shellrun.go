package ledger

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellRun follows a line through bash with unknown programs.
type shellRun struct {
	text     string // the text that positions refer to
	verifier string
	words    []string // the verifier's words when it is a simple command
	dirs     func(string) bool
	all      bool // every program is a verifier: the line is the profile's own

	// What was met.
	seen      bool // the verifier is run as written
	mentioned bool // its words occur otherwise
	targeted  bool // with more arguments
	// verifierDir is where it runs; unknownDir once two places differ.
	verifierDir string
	// poison says why no status of this line proves anything.
	poison string
	// reason is the first thing that separates the line's status from the
	// verifier's.
	reason string

	names map[string]int // slots of tracked variables
	depth int
	steps int
}

// shellEnv is the part of the shell's condition that does not depend on what
// programs return.
type shellEnv struct {
	dir      string // "" unknown
	pipefail bool
	errexit  bool
	// condition is true where errexit is ignored.
	condition bool
}

// maxShellDepth bounds scripts within scripts, maxShellSteps the commands
// followed: nested subshells after one another double the courses.
const (
	maxShellDepth = 8
	maxShellSteps = 5000
)

func newShellRun(text, verifier, cwd string, dirs func(string) bool) *shellRun {
	r := &shellRun{text: text, verifier: verifier, dirs: dirs, names: map[string]int{}, verifierDir: cwd}
	if file, err := parseBash(verifier); err == nil && len(file.Stmts) == 1 {
		if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Assigns) == 0 {
			r.words, _ = literals(call.Args)
		}
	}
	return r
}

// lineEnds follows a whole line from its beginning.
func (r *shellRun) lineEnds(stmts []*syntax.Stmt, env *shellEnv) states {
	begin := newStates()
	begin.add(state{vars: [trackedVars]uint8{valueUnknown, valueUnknown, valueUnknown, valueUnknown}})
	return r.list(stmts, begin, env)
}

// because keeps the first reason.
func (r *shellRun) because(reason string) {
	if r.reason == "" {
		r.reason = reason
	}
}

// spoil makes the whole line prove nothing.
func (r *shellRun) spoil(reason string) {
	if r.poison == "" {
		r.poison = reason
	}
}

// list follows statements one after the other.
func (r *shellRun) list(stmts []*syntax.Stmt, in states, env *shellEnv) states {
	for i, stmt := range stmts {
		before := r.seen
		in = r.stmt(stmt, in, env)
		if i < len(stmts)-1 && r.seen && !before && !env.errexit {
			r.because("what follows `;` or a new line sets the status")
		}
		if env.errexit && !env.condition {
			in = r.errexit(stmt, in)
		}
	}
	return in
}

// errexit ends the courses that set -e ends after a statement. Which part of a
// list of && and || failed is not known: both may be.
func (r *shellRun) errexit(stmt *syntax.Stmt, in states) states {
	if stmt.Negated || stmt.Background {
		return in
	}
	logic := false
	if bin, ok := stmt.Cmd.(*syntax.BinaryCmd); ok {
		logic = bin.Op == syntax.AndStmt || bin.Op == syntax.OrStmt
	}
	return in.each(func(s state, out states) {
		if s.status != 0 {
			out.exit(s)
		}
		if s.status == 0 || logic {
			out.add(s)
		}
	})
}

// stmt follows one statement with its redirections, negation and background.
func (r *shellRun) stmt(stmt *syntax.Stmt, in states, env *shellEnv) states {
	in, refused := r.redirections(stmt.Redirs, in, env)
	out := r.performed(stmt, in, env)
	out.join(refused)
	return out
}

// performed follows a statement whose redirections have been made.
func (r *shellRun) performed(stmt *syntax.Stmt, in states, env *shellEnv) states {
	if stmt.Background || stmt.Coprocess {
		before := r.seen
		sub := *env
		ends := r.subshell(in, func(s states) states { return r.command(stmt.Cmd, s, &sub) })
		if r.seen && !before {
			r.because("`&` does not wait for the command")
		}
		ends.join(in)
		return ends.each(func(s state, out states) { out.add(s.with(0)) })
	}
	sub := env
	if stmt.Negated {
		inner := *env
		inner.condition = true
		sub = &inner
	}
	before := r.seen
	out := r.command(stmt.Cmd, in, sub)
	if !stmt.Negated {
		return out
	}
	env.dir, env.pipefail, env.errexit = sub.dir, sub.pipefail, sub.errexit
	if r.seen && !before {
		r.because("`!` turns the status round")
	}
	return out.each(func(s state, out states) { out.add(s.with(1 - s.status)) })
}

// redirections follows the substitutions in redirections. One to a file may
// be refused, and then the command is not run.
func (r *shellRun) redirections(redirs []*syntax.Redirect, in states, env *shellEnv) (made, refused states) {
	refused = newStates()
	for _, redir := range redirs {
		if redir.Word != nil {
			in = r.substitutions(redir.Word, in, env)
		}
		if redir.Hdoc != nil {
			in = r.substitutions(redir.Hdoc, in, env)
		}
		if r.mayBeRefused(redir, env) {
			r.because("a redirection may be refused, and then the command is not run")
			refused.join(in.each(func(s state, out states) { out.add(s.with(1)) }))
		}
	}
	return in, refused
}

// mayBeRefused reports whether a redirection opens a file in a directory that
// is not known to exist.
func (r *shellRun) mayBeRefused(redir *syntax.Redirect, env *shellEnv) bool {
	switch redir.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn, syntax.DplOut:
		return false
	}
	if len(redir.Word.Parts) == 1 {
		if _, ok := redir.Word.Parts[0].(*syntax.ProcSubst); ok {
			return false
		}
	}
	target := literal(redir.Word)
	if target == "/dev/null" {
		return false
	}
	if redir.Op == syntax.RdrIn {
		return true
	}
	if !path.IsAbs(target) {
		target = path.Join(env.dir, target)
	}
	return target == "" || !path.IsAbs(target) || r.dirs == nil || !r.dirs(path.Dir(target))
}

// subshell follows fn in a copy of the shell.
func (r *shellRun) subshell(in states, fn func(states) states) states {
	return in.each(func(s state, out states) {
		begin := newStates()
		begin.add(s)
		for end := range fn(begin).ended().live {
			out.add(s.inShell(end))
		}
	})
}

// command follows one command of any kind.
func (r *shellRun) command(cmd syntax.Command, in states, env *shellEnv) states {
	if r.steps++; r.steps > maxShellSteps {
		r.spoil("the line is too complex to be followed")
		return r.anything(in)
	}
	if r.isVerifier(cmd) {
		return r.verifierNode(cmd, in, env)
	}
	switch cmd := cmd.(type) {
	case nil:
		return in.each(func(s state, out states) { out.add(s.with(0)) })
	case *syntax.CallExpr:
		return r.call(cmd, in, env)
	case *syntax.BinaryCmd:
		return r.binary(cmd, in, env)
	case *syntax.Block:
		return r.list(cmd.Stmts, in, env)
	case *syntax.Subshell:
		sub := *env
		return r.subshell(in, func(s states) states { return r.list(cmd.Stmts, s, &sub) })
	case *syntax.IfClause:
		return r.ifClause(cmd, in, env)
	case *syntax.TimeClause:
		if cmd.Stmt == nil {
			return in
		}
		return r.stmt(cmd.Stmt, in, env)
	case *syntax.DeclClause:
		return r.decl(cmd, in, env)
	case *syntax.FuncDecl:
		r.function(cmd)
		return in.each(func(s state, out states) { out.add(s.with(0)) })
	}
	return r.havoc(cmd, in, env)
}

// isVerifier reports whether a compound command of the line is the verifier
// as the profile has it, byte for byte.
func (r *shellRun) isVerifier(cmd syntax.Command) bool {
	if r.all || r.words != nil || cmd == nil {
		return false
	}
	from, to := cmd.Pos().Offset(), cmd.End().Offset()
	return int(to) <= len(r.text) && r.text[from:to] == r.verifier
}

// verifierNode follows a compound verifier, all of whose programs count.
func (r *shellRun) verifierNode(cmd syntax.Command, in states, env *shellEnv) states {
	r.found(env.dir)
	r.all = true
	defer func() { r.all = false }()
	return r.command(cmd, in, env)
}

// found notes that the verifier is run, and where.
func (r *shellRun) found(dir string) {
	if r.seen && dir != r.verifierDir {
		dir = ""
	}
	r.seen, r.verifierDir = true, dir
}

// binary follows && and ||, and pipelines.
func (r *shellRun) binary(cmd *syntax.BinaryCmd, in states, env *shellEnv) states {
	if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
		return r.pipeline(cmd, in, env)
	}
	before := r.seen
	left := *env
	left.condition = true
	after := r.stmt(cmd.X, in, &left)
	env.dir, env.pipefail, env.errexit = left.dir, left.pipefail, left.errexit
	zero, other := after.split()
	goOn, skip := zero, other
	if cmd.Op == syntax.OrStmt {
		goOn, skip = other, zero
		if r.seen && !before {
			r.because("`||` hides a failure")
		}
	}
	out := newStates()
	for s := range after.left {
		out.exit(s)
	}
	out.join(skip)
	if len(goOn.live) == 0 {
		if r.mentions(cmd.Y) {
			r.mentioned = true
			r.because("the command is never reached")
		}
		return out
	}
	right := *env
	out.join(r.stmt(cmd.Y, goOn, &right))
	// Whether the right side was run is not known, so neither is its cd.
	if right.dir != env.dir && cmd.Op == syntax.OrStmt {
		right.dir = ""
	}
	env.dir, env.pipefail, env.errexit = right.dir, right.pipefail && (env.pipefail || cmd.Op == syntax.AndStmt), right.errexit
	return out
}

// pipeline follows the stages, each in a subshell of its own (bash manual
// 3.2.3): the status is that of the last, or with pipefail of the last that
// failed.
func (r *shellRun) pipeline(cmd *syntax.BinaryCmd, in states, env *shellEnv) states {
	before := r.seen
	return in.each(func(s state, out states) {
		begin := newStates()
		begin.add(s)
		left, right := *env, *env
		firsts := r.stage(cmd.X, begin, &left)
		if r.seen && !before && !env.pipefail {
			r.because("the status of a pipe is that of its last command (no pipefail)")
		}
		for first := range firsts.live {
			mid := newStates()
			mid.add(s.inShell(first))
			for last := range r.stage(cmd.Y, mid, &right).live {
				end := s.inShell(last)
				end.first = first.first
				if env.pipefail && first.status != 0 {
					end.status = first.status
				}
				out.add(end)
			}
		}
	})
}

func (r *shellRun) stage(stmt *syntax.Stmt, in states, env *shellEnv) states {
	return r.stmt(stmt, in, env).ended()
}

// ifClause follows both branches (bash manual 3.2.5.2).
func (r *shellRun) ifClause(cmd *syntax.IfClause, in states, env *shellEnv) states {
	if len(cmd.Cond) == 0 { // else
		return r.list(cmd.Then, in, env)
	}
	before := r.seen
	cond := *env
	cond.condition = true
	after := r.list(cmd.Cond, in, &cond)
	if r.seen && !before {
		r.because("`if` takes the status for its own")
	}
	env.dir = cond.dir
	zero, other := after.split()
	out := newStates()
	for s := range after.left {
		out.exit(s)
	}
	then, alt := *env, *env
	out.join(r.list(cmd.Then, zero, &then))
	if cmd.Else != nil {
		out.join(r.ifClause(cmd.Else, other, &alt))
	} else {
		out.join(other.each(func(s state, out states) { out.add(s.with(0)) }))
	}
	if then.dir != alt.dir {
		then.dir = ""
	}
	env.dir = then.dir
	env.pipefail = then.pipefail && alt.pipefail
	env.errexit = then.errexit && alt.errexit
	return out
}

// decl follows export, declare, local, readonly and typeset: their status
// hides that of a substitution.
func (r *shellRun) decl(cmd *syntax.DeclClause, in states, env *shellEnv) states {
	before := r.seen
	for _, as := range cmd.Args {
		if as.Name != nil {
			r.changesEnvironment(as.Name.Value, true)
		}
		if as.Value != nil {
			in = r.substitutions(as.Value, in, env)
		}
	}
	if r.seen && !before {
		r.because("`" + cmd.Variant.Value + "` hides the status of the substitution")
	}
	return in.each(func(s state, out states) { out.add(s.with(0)) })
}

// function notes a function: one that has the verifier's name is not it.
func (r *shellRun) function(cmd *syntax.FuncDecl) {
	if name := r.verifierName(); name != "" && cmd.Name != nil && cmd.Name.Value == name {
		r.spoil("a function named " + name + " is defined in the line")
	}
	if r.mentions(cmd.Body) {
		r.mentioned = true
		r.spoil("the command stands in a function")
	}
	if cmd.Name != nil && slices.Contains(shellWords, cmd.Name.Value) {
		r.spoil("a function named " + cmd.Name.Value + " is defined in the line")
	}
}

// shellWords are builtins whose meaning the analysis relies on.
var shellWords = []string{"cd", "set", "exit", "true", "false", ":", "test", "[", "echo", "env", "command", "timeout", "bash", "sh"}

func (r *shellRun) verifierName() string {
	if len(r.words) > 0 {
		return path.Base(r.words[0])
	}
	return ""
}

// havoc is a command that is not followed: a loop, case, select. It may do
// anything its parts may do, any number of times.
func (r *shellRun) havoc(cmd syntax.Command, in states, env *shellEnv) states {
	runs := r.mentions(cmd)
	leaves := env.errexit
	syntax.Walk(cmd, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			switch literal(call.Args[0]) {
			case "exit", "exec":
				leaves = true
			case "cd", "pushd", "popd":
				env.dir = ""
			case "set", "eval", "source", ".", "trap", "alias", "shopt":
				r.spoil("a loop or case changes the shell")
			}
		}
		return true
	})
	if runs {
		r.seen = r.seen || !r.mentionOnly(cmd)
		r.mentioned = true
		r.because("the command stands in a loop or case")
	}
	fates := []uint8{verNone, verOK, verFailed, verMixed}
	return in.each(func(s state, out states) {
		s.vars = [trackedVars]uint8{valueUnknown, valueUnknown, valueUnknown, valueUnknown}
		for _, fate := range fates {
			if !runs && fate != s.ver {
				continue
			}
			for status := range uint8(2) {
				end := s.with(status)
				end.ver = fate
				out.add(end)
				if leaves {
					out.exit(end)
				}
			}
		}
	})
}

// mentions reports whether the verifier is run anywhere in a node.
func (r *shellRun) mentions(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && r.matchCall(call) != matchNone {
			found = true
		}
		if cmd, ok := n.(syntax.Command); ok && r.isVerifier(cmd) {
			found = true
		}
		return !found
	})
	return found || r.all
}

// mentionOnly reports whether the node never runs the verifier as written.
func (r *shellRun) mentionOnly(n syntax.Node) bool {
	whole := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && r.matchCall(call) == matchWhole {
			whole = true
		}
		return !whole
	})
	return !whole
}

// slot is the place of a tracked variable in a state, -1 when there are too
// many.
func (r *shellRun) slot(name string) int {
	if i, ok := r.names[name]; ok {
		return i
	}
	if len(r.names) == trackedVars {
		return -1
	}
	r.names[name] = len(r.names)
	return r.names[name]
}

// changesEnvironment notes a variable that programs may see.
func (r *shellRun) changesEnvironment(name string, exported bool) {
	if harmlessVariable(name) || !exported && strings.ToLower(name) == name {
		return
	}
	r.spoil("the line changes the environment: " + name)
}

// harmlessVariable reports whether a variable only changes how a runner
// prints, or tells it that no person is watching.
func harmlessVariable(name string) bool {
	return strings.HasPrefix(name, "LC_") || slices.Contains([]string{
		"CI", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TERM", "LANG", "LANGUAGE",
		"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "RUST_BACKTRACE", "CARGO_TERM_COLOR",
	}, name)
}
