package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call evaluates a simple command (bash manual 3.7.1): its words are expanded,
// then its redirections and assignments are made, then it runs.
func (e *evaluator) call(sh *shell, st *syntax.Stmt, c *syntax.CallExpr) {
	at := e.list(Command{Span: sh.span(st)})
	if e.aliased(sh, st, c, at) {
		return
	}
	status := sh.status
	sh.substituted = false
	choices := e.words(sh, c.Args)
	if len(choices) == 1 {
		e.callWith(sh, st, c, at, choices[0], status)
		return
	}
	ways := make([]*shell, len(choices))
	for i, words := range choices {
		way := sh.fork()
		if i > 0 {
			at = e.list(Command{Span: sh.span(st)})
		}
		e.callWith(way, st, c, at, words, status)
		ways[i] = way
	}
	sh.become(ways...)
}

// list adds a command to the program and returns its index.
func (e *evaluator) list(c Command) int {
	e.prog.Commands = append(e.prog.Commands, c)
	return len(e.prog.Commands) - 1
}

// callWith evaluates a simple command whose words are known to be words.
func (e *evaluator) callWith(sh *shell, st *syntax.Stmt, c *syntax.CallExpr, at int, words []Word, before status) {
	cmd := Command{Words: words, Dir: sh.dir, Via: sh.ctx.via, Span: sh.span(st)}
	restore := e.redirects(sh, st.Redirs, &cmd, at)
	if len(words) == 0 {
		e.assignments(sh, c.Assigns, &cmd, at)
		if !sh.substituted {
			sh.status = 0
		}
		e.setCommand(at, &cmd)
		restore(sh)
		e.mayStop(sh)
		return
	}
	if len(c.Assigns) == 0 {
		e.start(sh, at, &cmd, before, modePlain)
		restore(sh)
		return
	}
	undo := e.temporary(sh, c.Assigns, &cmd, at)
	e.start(sh, at, &cmd, before, modePlain)
	undo(sh)
	restore(sh)
}

// setCommand fills the place of a command, keeping the problems noted there
// while its words were expanded.
func (e *evaluator) setCommand(at int, cmd *Command) {
	cmd.Problems = append(cmd.Problems, e.prog.Commands[at].Problems...)
	e.prog.Commands[at] = *cmd
}

// assignments makes the assignments of a command without a name.
func (e *evaluator) assignments(sh *shell, list []*syntax.Assign, cmd *Command, at int) {
	for _, a := range list {
		name, val := e.assignNode(sh, a, 0)
		exported := sh.lookup(name).attrs&attrExport != 0
		as := Assign{Name: name, Value: val, Append: a.Append, Exported: exported, Span: sh.span(a)}
		cmd.Assigns = append(cmd.Assigns, as)
	}
	for _, as := range cmd.Assigns {
		e.judgeAssign(sh, cmd, at, as)
	}
}

// temporary makes the assignments in front of a command, which last as long
// as it runs, and returns what undoes them.
func (e *evaluator) temporary(sh *shell, list []*syntax.Assign, cmd *Command, at int) undo {
	type saved struct {
		name string
		v    variable
	}
	var before []saved
	for _, a := range list {
		old := variable{}
		if a.Name != nil {
			old = sh.lookup(a.Name.Value)
		}
		name, val := e.assignNode(sh, a, attrExport)
		before = append(before, saved{name, old})
		cmd.Assigns = append(cmd.Assigns, Assign{Name: name, Value: val, Append: a.Append, Exported: true, Span: sh.span(a)})
	}
	for _, as := range cmd.Assigns {
		e.judgeAssign(sh, cmd, at, as)
	}
	return func(sh *shell) {
		sh.commit()
		for i := len(before) - 1; i >= 0; i-- {
			sh.put(before[i].name, &before[i].v)
		}
	}
}

// mode says which kinds of commands a name may mean.
type mode uint8

const (
	modePlain    mode = iota // functions, builtins, programs
	modeNoFunc               // behind command
	modeBuiltin              // behind builtin
	modeExternal             // behind exec and every program that runs another
)

// start runs the command cmd, whose place in the program is at.
func (e *evaluator) start(sh *shell, at int, cmd *Command, before status, m mode) {
	first := cmd.Words[0]
	cmd.Stdin, cmd.Piped, cmd.PipedFrom = sh.in.val, sh.in.piped, sh.in.from
	if first.Many || first.Kind() < OneOfKind {
		e.startUnknown(sh, at, cmd, m)
		return
	}
	if name, ok := first.Text(); ok {
		e.startNamed(sh, at, cmd, name, before, m)
		return
	}
	var ways []*shell
	for i, name := range first.Texts() {
		one := *cmd
		one.Words = append([]Word{first}, cmd.Words[1:]...)
		one.Words[0].Value = Known(name)
		if i > 0 {
			at = e.list(Command{Span: cmd.Span})
		}
		way := sh.fork()
		e.startNamed(way, at, &one, name, before, m)
		ways = append(ways, way)
	}
	sh.become(ways...)
}

// startUnknown runs a command whose name is not known. If the name may vanish,
// the next word may be the name.
func (e *evaluator) startUnknown(sh *shell, at int, cmd *Command, m mode) {
	e.touched = true
	first := cmd.Words[0]
	reason := "the command name is not known"
	if first.Why() != "" {
		reason += ": " + first.Why()
	}
	cmd.Problems = append(cmd.Problems, Problem{ProblemName, reason, first.Span})
	cmd.Effects = append(cmd.Effects, allEffects(cmd, e.env(sh))...)
	e.setCommand(at, cmd)
	if first.Many && len(cmd.Words) > 1 && e.step(sh) {
		rest := *cmd
		rest.Words, rest.Problems, rest.Effects = cmd.Words[1:], nil, redirectEffects(cmd)
		way := sh.fork()
		e.start(way, e.list(rest), &rest, sh.status, m)
	}
	e.consume(sh)
	sh.status = statusUnknown
	e.printed(sh, Unknown("the output of a command that is not known"))
	e.mayStop(sh)
}

// startNamed runs the command called name.
func (e *evaluator) startNamed(sh *shell, at int, cmd *Command, name string, before status, m mode) {
	if m == modePlain && !strings.Contains(name, "/") {
		if f := sh.function(name); f != nil && len(f.bodies) > 0 {
			e.startFunction(sh, at, cmd, f, before)
			return
		}
	}
	if m != modeExternal && isBuiltin(name) {
		cmd.Builtin = true
		e.startBuiltin(sh, at, cmd, name, before)
		return
	}
	e.startProgram(sh, at, cmd)
}

// startFunction calls a function, and where it may not be defined runs the
// program of that name as well.
func (e *evaluator) startFunction(sh *shell, at int, cmd *Command, f *function, before status) {
	cmd.Function = true
	cmd.Effects = append(cmd.Effects, allEffects(cmd, e.env(sh))...)
	e.setCommand(at, cmd)
	var ways []*shell
	for _, d := range f.bodies {
		way := sh.fork()
		e.callFunction(way, d, cmd.Words)
		ways = append(ways, way)
	}
	if f.absent {
		way := sh.fork()
		other := *cmd
		other.Function, other.Effects, other.Problems = false, redirectEffects(cmd), nil
		name, _ := cmd.Words[0].Text()
		e.startNamed(way, e.list(other), &other, name, before, modeNoFunc)
		ways = append(ways, way)
	}
	sh.become(ways...)
	e.mayStop(sh)
}

// redirectEffects are those of cmd's effects that come from redirects.
func redirectEffects(cmd *Command) []Effect {
	var out []Effect
	for _, f := range cmd.Effects {
		if f.Word < 0 {
			out = append(out, f)
		}
	}
	return out
}

// startProgram runs a program, and whatever that is known to run in turn.
func (e *evaluator) startProgram(sh *shell, at int, cmd *Command) {
	e.touched = true
	cmd.Effects = append(cmd.Effects, allEffects(cmd, e.env(sh))...)
	e.setCommand(at, cmd)
	if f := sh.function("command_not_found_handle"); f != nil && !strings.Contains(cmd.Words[0].Prefix(), "/") &&
		!inFunction(sh.ctx.via, "command_not_found_handle") {
		// Where there is no such program, the shell calls this with its words.
		handler := append([]Word{{Value: Known("command_not_found_handle"), Span: cmd.Span}}, cmd.Words...)
		for _, b := range f.bodies {
			e.callFunction(sh.subshell(), b, handler)
		}
	}
	out := e.through(sh, at)
	e.changes(sh, &e.prog.Commands[at])
	if sh.capture && !sh.outMoved {
		if v := e.outputOf(sh, &e.prog.Commands[at]); v.Kind() != UnknownKind || out == nil {
			out = &v
		}
		e.printed(sh, *out)
	}
	if !leavesInput(e.prog.Commands[at].Name()) {
		e.consume(sh)
	}
	sh.status = statusUnknown
	e.mayStop(sh)
}

// outputOf is what a program prints; of some it is known that it is a number.
func (e *evaluator) outputOf(sh *shell, c *Command) Value {
	v := e.output(sh, c)
	if v.Kind() != UnknownKind || !printsNumber(c) {
		return v
	}
	return Concat(unknownAtom(v.Why()), Known("\n"))
}

// output is what a command prints where that is fixed. What echo makes of a
// backslash differs between shells, and in bash by an option.
func (e *evaluator) output(sh *shell, c *Command) Value {
	if (sh.ctx.posix || sh.opts.get(optXpgEcho) != no) && c.Name() == "echo" {
		for i := range c.Words {
			if p := c.Words[i].Prefix(); strings.Contains(p, `\`) || i == 1 && strings.HasPrefix(p, "-") {
				return Unknown("what echo makes of a backslash or an option here")
			}
		}
	}
	return output(c, e.env(sh))
}

// printsNumber reports whether a program prints one number and nothing else.
func printsNumber(c *Command) bool {
	arg := func(i int) string {
		if i >= len(c.Words) {
			return ""
		}
		return c.Words[i].Prefix()
	}
	switch c.Name() {
	case "nproc":
		return true
	case "wc":
		return len(c.Words) == 2 && strings.HasPrefix(arg(1), "-")
	case "date":
		return arg(1) == "+%s" || arg(1) == "+%s%N" || arg(1) == "+%N"
	case "id":
		return arg(1) == "-u" || arg(1) == "-g"
	case "stat":
		return (arg(1) == "-c" || arg(1) == "-f") && (arg(2) == "%s" || arg(2) == "%Y" || arg(2) == "%z")
	case "grep":
		return strings.HasPrefix(arg(1), "-") && strings.Contains(arg(1), "c") && len(c.Words) <= 4
	}
	return false
}

func inFunction(via []Via, name string) bool {
	for _, v := range via {
		if v.Kind == ViaFunction && v.Name == name {
			return true
		}
	}
	return false
}

// leavesInput reports whether a program surely does not read standard input.
func leavesInput(name string) bool {
	switch name {
	case "rm", "mv", "cp", "mkdir", "rmdir", "touch", "ln", "ls", "chmod", "chown", "chgrp", "stat", "basename", "dirname",
		"date", "sleep", "which", "realpath", "readlink", "mktemp", "seq", "uname", "whoami", "hostname", "id", "find", "du",
		"df", "echo", "printf", "true", "false", "test", "[", "pwd", "expr", "printenv", "kill", "truncate", "install":
		return true
	}
	return false
}

// printed notes that v was printed on standard output.
func (e *evaluator) printed(sh *shell, v Value) {
	if sh.capture && !sh.outMoved {
		sh.out = Concat(sh.out, v)
	}
}

// consume notes that a program may have read some of standard input.
func (e *evaluator) consume(sh *shell) {
	if sh.in.piped || sh.in.val.Kind() != UnknownKind {
		sh.in.val = Unknown("what an earlier command left of standard input")
		sh.in.piped = true
	}
}

// through evaluates what the command at index at starts besides itself. It
// returns what that prints, where a wrapper passes it on unchanged.
func (e *evaluator) through(sh *shell, at int) *Value {
	cmd := e.prog.Commands[at]
	inners := lookThrough(&cmd, e.env(sh))
	var out *Value
	for i := range inners {
		in := &inners[i]
		if in.problem != nil {
			e.problem(at, in.problem.Code, in.problem.Reason, in.problem.Span)
		}
		v := e.innerOf(sh, at, &cmd, in)
		if len(inners) == 1 && v != nil && transparent(cmd.Name()) {
			out = v
		}
	}
	return out
}

// transparent reports whether a wrapper leaves the output of what it runs as
// it is.
func transparent(name string) bool {
	switch name {
	case "env", "nice", "nohup", "setsid", "stdbuf", "ionice", "timeout", "chrt", "taskset", "busybox", "time",
		"bash", "sh", "dash", "ksh", "zsh", "source", ".", "eval", "sudo", "doas", "setarch":
		return true
	}
	return false
}

// innerOf evaluates one thing that a command starts.
func (e *evaluator) innerOf(sh *shell, at int, cmd *Command, in *inner) *Value {
	switch in.kind {
	case innerArgv:
		if len(in.words) > 0 && e.step(sh) {
			return e.innerArgv(sh, cmd, in)
		}
	case innerShell:
		return e.innerShell(sh, at, cmd, in)
	}
	return nil
}

// deeper is the context of what a command of sh starts.
func (e *evaluator) deeper(sh *shell, cmd *Command, via Via) (*context, bool) {
	ctx := *sh.ctx
	ctx.depth++
	ctx.via = append(ctx.via[:len(ctx.via):len(ctx.via)], via)
	ctx.at, ctx.inside = cmd.Span, true
	if ctx.depth > maxDepth {
		e.overBound(sh, "commands that start one another too deep to be followed")
		return nil, false
	}
	return &ctx, true
}

// innerArgv evaluates a command behind a wrapper: a program, as wrappers know
// neither functions nor builtins.
func (e *evaluator) innerArgv(sh *shell, cmd *Command, in *inner) *Value {
	ctx, ok := e.deeper(sh, cmd, in.via)
	if !ok {
		return nil
	}
	child := sh.subshell()
	exit := child.ctx.exit
	*child.ctx = *ctx
	child.ctx.exit, child.ctx.loop, child.ctx.ret = exit, nil, nil
	e.childOf(child, cmd, in)
	c := Command{Words: in.words, Assigns: in.assigns, Dir: child.dir, Via: ctx.via, Span: cmd.Span}
	at := e.list(c)
	for _, as := range in.assigns {
		e.judgeAssign(child, &c, at, as)
	}
	e.start(child, at, &c, statusUnknown, modeExternal)
	child.commit()
	e.keepFiles(sh, child, false)
	return &child.out
}

// childOf gives a child what the wrapper changes for it.
func (e *evaluator) childOf(child *shell, cmd *Command, in *inner) {
	if in.dir != nil {
		child.dir = *in.dir
	}
	if !in.keepStdin {
		child.in = source{val: Unknown("the standard input that " + in.via.Name + " gives"), piped: true}
	}
	child.capture, child.out = true, Known("")
	for _, as := range in.assigns {
		child.put(as.Name, &variable{val: as.Value, set: yes, attrs: attrExport})
	}
}

// innerShell evaluates a script that a command starts.
func (e *evaluator) innerShell(sh *shell, at int, cmd *Command, in *inner) *Value {
	texts := in.script.Texts()
	if len(texts) == 0 {
		if in.problem == nil {
			e.problem(at, ProblemScript, "the script is not known: "+in.script.Why(), cmd.Span)
		}
		if in.sameShell {
			sh.dir = Unknown("the directory after a script that is not known")
		}
		return nil
	}
	var ways []*shell
	var out *Value
	for _, text := range texts {
		if in.sameShell {
			way := sh.fork()
			e.script(way, at, cmd, in, text)
			ways = append(ways, way)
			continue
		}
		child := e.program(sh, cmd, in)
		e.script(child, at, cmd, in, text)
		e.finish(child)
		e.keepFiles(sh, child, len(texts) > 1)
		if out == nil {
			v := child.out
			out = &v
		} else {
			*out = Join(*out, child.out)
		}
	}
	if in.sameShell {
		sh.become(ways...)
	}
	return out
}

// program is a new shell that the command starts: it knows what is exported.
func (e *evaluator) program(sh *shell, cmd *Command, in *inner) *shell {
	child := newShell(sh.ctx.env, "")
	child.ctx.depth, child.ctx.via, child.ctx.at, child.ctx.inside = sh.ctx.depth, sh.ctx.via, sh.ctx.at, sh.ctx.inside
	child.dir, child.in = sh.dir, sh.in
	child.old, child.oldSet = sh.old, sh.oldSet
	child.dead = sh.dead
	for _, name := range sh.names("") {
		v, _ := sh.own(name)
		c := *v
		switch {
		case c.attrs&attrExport == 0 || c.set == no || c.array():
			c = variable{val: Known("")}
		case c.attrs&attrMaybeExport != 0:
			c.set = maybe
		}
		child.put(name, &c)
	}
	for c := sh; c != nil; c = c.parent {
		for name, v := range c.vars {
			if _, done := child.vars[name]; !done && strings.HasPrefix(name, filePrefix) {
				child.put(name, v)
			}
		}
		for name, f := range c.funcs {
			if _, done := child.funcs[name]; !done && f.export {
				child.putFunc(name, f)
			}
		}
	}
	e.childOf(child, cmd, in)
	return child
}

// script evaluates text in sh, which is the shell that runs it.
func (e *evaluator) script(sh *shell, at int, cmd *Command, in *inner, text string) {
	via := in.via
	if via.File == "" {
		via.File = in.file
	}
	ctx, ok := e.deeper(sh, cmd, via)
	if !ok {
		return
	}
	ctx.src = text
	if !in.sameShell {
		ctx.posix = isPosixShell(cmd.Name()) || posixScript(text)
	}
	if !in.sameShell && (isPosixShell(cmd.Name()) || posixScript(text)) {
		if mark := extension(text); mark != "" {
			e.problem(at, ProblemScript, cmd.Name()+" may be a shell that does not read "+mark+" as bash does", e.prog.Commands[at].Span)
		}
	}
	if in.file != "" || !in.sameShell {
		ctx.ret = &landing{base: sh}
	}
	args := sh.args
	way := sh.fork()
	way.ctx = ctx
	if len(in.args) > 0 {
		way.args = positional(in.args[1:])
		ctx.name = in.args[0].Value
	} else if !in.sameShell {
		way.args = &params{}
	}
	e.text(way, at, text, in.file)
	states := []*shell{way}
	if ctx.ret != nil && ctx.ret.base == sh {
		states = append(states, ctx.ret.states...)
	}
	sh.become(states...)
	if in.sameShell && len(in.args) > 0 {
		sh.withArgs(args)
	}
}

// positional are the parameters that words become.
func positional(words []Word) *params {
	p := &params{}
	for _, w := range words {
		if w.Many {
			p.open = true
			break
		}
		p.vals = append(p.vals, w.Value)
	}
	return p
}

// text reads a script and evaluates it in sh.
func (e *evaluator) text(sh *shell, at int, text, file string) {
	if e.inner += len(text); e.inner > maxInner {
		e.overBound(sh, "more scripts than are followed")
		return
	}
	r := read(text)
	for _, p := range r.problems {
		reason := p.Reason
		if file != "" {
			reason = file + ": " + reason
		}
		e.problem(at, p.Code, reason, e.prog.Commands[at].Span)
	}
	if r.file != nil {
		e.stmts(sh, r.file.Stmts)
	}
	for _, st := range r.extra {
		e.stmt(sh.fork(), st)
	}
}
