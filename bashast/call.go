package bashast

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// invocation is one command about to be run, its words expanded.
type invocation struct {
	words   []Word
	assigns []Assign
	redirs  []Redirect
	effects []Effect
	// unfixed are the problems of its redirects.
	unfixed []Problem
	in      source
	// moved is true when its standard output does not go to the capture.
	moved bool
	span  Span
	// plain skips functions and aliases: command, builtin, and everything
	// that is run by another program.
	plain bool
	// outside is true when another program runs it, so that no builtin can
	// change the shell.
	outside bool
	dir     *Value
}

// call evaluates a simple command (bash manual 3.7.1).
func (e *evaluator) call(sh *shell, st *syntax.Stmt, c *syntax.CallExpr) {
	inv := invocation{span: sh.span(st), in: sh.in, moved: sh.outMoved}
	inv.words = e.words(sh, c.Args)
	e.redirects(sh, st.Redirs, &inv)
	if len(inv.words) == 0 {
		e.assignOnly(sh, c, inv)
		return
	}
	if len(c.Assigns) == 0 {
		e.invoke(sh, inv)
		return
	}
	e.withAssigns(sh, c.Assigns, inv)
}

// assignOnly is a command without a name: its assignments last.
func (e *evaluator) assignOnly(sh *shell, c *syntax.CallExpr, inv invocation) {
	sh.status = 0
	for _, a := range c.Assigns {
		inv.assigns = append(inv.assigns, e.assignment(sh, a, sh.opts.get(optAllexport) != no)...)
	}
	if len(inv.assigns) > 0 || len(inv.redirs) > 0 || len(inv.unfixed) > 0 {
		at := e.enlist(sh, inv)
		e.lookupAssigns(sh, at, inv.assigns)
	}
	if len(inv.redirs) > 0 && sh.capture && !sh.outMoved {
		sh.out = Concat(sh.out, Unknown("the content of a file"))
	}
}

// withAssigns runs a command with assignments that last for it alone.
func (e *evaluator) withAssigns(sh *shell, list []*syntax.Assign, inv invocation) {
	type saved struct {
		name string
		v    variable
		own  bool
	}
	var before []saved
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		v, own := sh.own(a.Name.Value)
		s := saved{name: a.Name.Value, own: own}
		if own {
			s.v = *v
		} else {
			s.v = sh.lookup(a.Name.Value)
		}
		before = append(before, s)
		inv.assigns = append(inv.assigns, e.assignment(sh, a, true)...)
	}
	e.invoke(sh, inv)
	for _, s := range before {
		v := s.v
		sh.commit()
		sh.put(s.name, &v)
	}
}

// invoke runs a command in each way its name may come out.
func (e *evaluator) invoke(sh *shell, inv invocation) {
	if !e.step(sh) || len(inv.words) == 0 {
		return
	}
	first := inv.words[0]
	switch {
	case first.Many || !first.Resolved():
		e.invokeUnknown(sh, inv)
	case first.Kind() == OneOfKind:
		e.invokeEach(sh, inv)
	default:
		e.invokeNamed(sh, inv)
	}
}

// invokeUnknown lists a command whose name is not known; where the name may
// vanish, the next word is the command.
func (e *evaluator) invokeUnknown(sh *shell, inv invocation) {
	first := inv.words[0]
	at := e.enlist(sh, inv)
	e.problem(at, ProblemName, "the name of the command is not known: "+first.Why(), first.Span)
	e.spend(sh, Unknown("the output of a command that is not known"), inv)
	sh.status = statusUnknown
	if first.Many && len(inv.words) > 1 {
		rest := inv
		rest.words = inv.words[1:]
		child := sh.fork()
		e.invoke(child, rest)
		sh.become(sh.fork(), child)
	}
}

// invokeEach runs the command once for each name it may have.
func (e *evaluator) invokeEach(sh *shell, inv invocation) {
	texts := inv.words[0].Texts()
	var states []*shell
	for _, name := range texts[:min(len(texts), maxChoices)] {
		one := inv
		one.words = append([]Word(nil), inv.words...)
		one.words[0].Value = Known(name)
		child := sh.fork()
		e.invokeNamed(child, one)
		states = append(states, child)
	}
	if len(texts) > maxChoices {
		e.overBound(sh, "a command has more possible names than are followed")
	}
	sh.become(states...)
}

// invokeNamed runs a command whose name is known: a function, a builtin that
// changes the shell, or a program.
func (e *evaluator) invokeNamed(sh *shell, inv invocation) {
	name, _ := inv.words[0].Text()
	if name == "" {
		sh.status = 127
		e.enlist(sh, inv)
		return
	}
	if !inv.plain && !inv.outside {
		if e.alias(sh, name, inv) {
			return
		}
		if f := sh.function(name); f != nil && len(f.bodies) > 0 {
			e.callFunction(sh, f, inv)
			return
		}
	}
	if !inv.outside && e.shellBuiltin(sh, name, inv) {
		return
	}
	e.program(sh, inv)
}

// enlist adds the command to the program and returns its index.
func (e *evaluator) enlist(sh *shell, inv invocation) int {
	dir := sh.dir
	if inv.dir != nil {
		dir = *inv.dir
	}
	c := Command{
		Words: inv.words, Assigns: inv.assigns, Redirects: inv.redirs, Dir: dir, Via: sh.ctx.via,
		Stdin: inv.in.val, Piped: inv.in.piped, PipedFrom: inv.in.from, Effects: inv.effects,
		Problems: inv.unfixed, Span: inv.span,
	}
	e.prog.Commands = append(e.prog.Commands, c)
	return len(e.prog.Commands) - 1
}

// program lists a command that a program runs, and what it starts in turn.
func (e *evaluator) program(sh *shell, inv invocation) {
	at := e.enlist(sh, inv)
	c := &e.prog.Commands[at]
	c.Builtin = !inv.outside && isBuiltin(c.Name()) && !strings.Contains(inv.words[0].String(), "/")
	env := e.envOf(sh)
	own := effects(c, env)
	c.Effects = append(c.Effects[:len(c.Effects):len(c.Effects)], own...)
	e.lookupAssigns(sh, at, inv.assigns)
	e.noteTouch(&e.prog.Commands[at])
	inners := lookThrough(&e.prog.Commands[at], env)
	sh.status = e.statusOf(&e.prog.Commands[at])
	out := output(&e.prog.Commands[at], env)
	if len(inners) == 0 {
		e.spend(sh, out, inv)
		return
	}
	e.runInners(sh, at, inv, inners, out)
}

// envOf is the environment as the tables look at it.
func (e *evaluator) envOf(sh *shell) Env { return *sh.ctx.env }

// spend adds what a command printed to the capture.
func (e *evaluator) spend(sh *shell, out Value, inv invocation) {
	if sh.capture && !inv.moved {
		sh.out = Concat(sh.out, out)
	}
}

// noteTouch remembers that files may have changed, after which directories
// are not read for globs.
func (e *evaluator) noteTouch(c *Command) {
	if e.touched || c.Builtin {
		return
	}
	switch c.Name() {
	case "ls", "cat", "grep", "rg", "head", "tail", "wc", "echo", "printf", "awk", "sort", "uniq", "cut", "tr", "find",
		"diff", "stat", "file", "du", "basename", "dirname", "true", "false", "test", "[":
		for _, ef := range c.Effects {
			if ef.Kind != Read && ef.Kind != Network {
				e.touched = true
			}
		}
		return
	}
	e.touched = true
}

// statusOf is the exit status where the words fix it.
func (e *evaluator) statusOf(c *Command) status {
	switch c.Name() {
	case "true", ":", "echo", "printf", "export", "set", "shift", "unset", "shopt", "alias", "trap", "let", "pwd":
		if len(c.Redirects) == 0 && c.Name() != "printf" && c.Name() != "echo" || c.Name() == "true" || c.Name() == ":" {
			return 0
		}
		return statusUnknown
	case "false":
		return 1
	case "test", "[":
		return statusOf(testOutcome(c))
	}
	return statusUnknown
}

// runInners runs what a command starts besides itself.
func (e *evaluator) runInners(sh *shell, at int, inv invocation, inners []inner, out Value) {
	var outs []Value
	for i := range inners {
		outs = append(outs, e.runInner(sh, at, inv, &inners[i]))
	}
	if out.Resolved() || len(outs) != 1 {
		e.spend(sh, out, inv)
		return
	}
	e.spend(sh, outs[0], inv)
}

// runInner runs one of them and gives what it prints.
func (e *evaluator) runInner(sh *shell, at int, inv invocation, in *inner) Value {
	if in.problem != nil {
		p := *in.problem
		if p.Span == (Span{}) {
			p.Span = inv.span
		}
		e.problem(at, p.Code, p.Reason, p.Span)
	}
	if sh.ctx.depth >= maxDepth {
		e.overBound(sh, "commands are nested too deeply to be followed")
		return Unknown("too deep")
	}
	switch in.kind {
	case innerArgv:
		return e.runArgv(sh, inv, in)
	case innerShell:
		return e.runScript(sh, at, inv, in)
	}
	return Unknown("the output of a program")
}

// deeper is the context one step inside.
func (sh *shell) deeper(via Via, span Span) *context {
	ctx := *sh.ctx
	ctx.depth++
	ctx.via = append(sh.ctx.via[:len(sh.ctx.via):len(sh.ctx.via)], via)
	if !ctx.inside {
		ctx.at = span
	}
	return &ctx
}

func (e *evaluator) runArgv(sh *shell, inv invocation, in *inner) Value {
	if len(in.words) == 0 {
		return Unknown("the output of a program")
	}
	name := e.nameOf(inv)
	next := invocation{words: in.words, span: inv.span, moved: inv.moved, assigns: in.assigns, dir: in.dir, plain: true}
	if in.keepStdin {
		next.in = inv.in
	} else {
		next.in = source{val: Unknown("standard input"), piped: true}
	}
	here := name == "command" || name == "builtin"
	if here || name == "exec" {
		outer := sh.ctx
		sh.ctx = sh.deeper(in.via, inv.span)
		captured, was := sh.capture, sh.out
		sh.capture, sh.out = true, Known("")
		next.outside = !here
		e.invoke(sh, next)
		printed := sh.out
		sh.capture, sh.out = captured, was
		ctx := *sh.ctx
		ctx.via, ctx.depth, ctx.at, ctx.inside = outer.via, outer.depth, outer.at, outer.inside
		sh.ctx = &ctx
		if name == "exec" {
			sh.dead = true
		}
		return printed
	}
	child := sh.subshell()
	child.ctx.via, child.ctx.depth = nil, 0
	ctx := sh.deeper(in.via, inv.span)
	child.ctx.via, child.ctx.depth, child.ctx.at = ctx.via, ctx.depth, ctx.at
	child.capture, child.out, child.outMoved = true, Known(""), false
	if in.dir != nil {
		child.dir = *in.dir
	}
	next.outside = true
	e.invoke(child, next)
	e.finish(child)
	sh.status = child.status
	return child.out
}

func (e *evaluator) nameOf(inv invocation) string {
	text, _ := inv.words[0].Text()
	return path.Base(text)
}

// runScript evaluates a text as a shell would: in this shell, or in one of
// its own that sees only what is exported.
func (e *evaluator) runScript(sh *shell, at int, inv invocation, in *inner) Value {
	texts := in.script.Texts()
	if len(texts) == 0 {
		if in.problem == nil {
			e.problem(at, ProblemScript, "a script that is not known: "+in.script.Why(), inv.span)
		}
		return Unknown("the output of a script that is not known")
	}
	out := Value{}
	for i, text := range texts {
		e.inner += len(text)
		if e.inner > maxInner || i >= maxChoices {
			e.overBound(sh, "the scripts inside the line are too long to be followed")
			return Unknown("too long")
		}
		v := e.runText(sh, at, inv, in, text)
		if i == 0 {
			out = v
		} else {
			out = Join(out, v)
		}
	}
	return out
}

func (e *evaluator) runText(sh *shell, at int, inv invocation, in *inner, text string) Value {
	r := read(text)
	for _, p := range r.problems {
		e.problem(at, p.Code, p.Reason+" (in a script that the line runs)", inv.span)
	}
	if r.file == nil {
		return Unknown("a script that was not read")
	}
	child := sh
	outer, outerIn, captured, was, moved := sh.ctx, sh.in, sh.capture, sh.out, sh.outMoved
	args, zero := sh.args, sh.zero
	if !in.sameShell {
		child = e.freshShell(sh, in)
	}
	ctx := *child.ctx
	deep := sh.deeper(in.via, inv.span)
	ctx.via, ctx.depth, ctx.at, ctx.inside, ctx.src = deep.via, deep.depth, deep.at, true, text
	child.ctx = &ctx
	child.capture, child.out, child.outMoved = true, Known(""), false
	if in.keepStdin || in.sameShell {
		child.in = inv.in
	}
	if len(in.args) > 0 && (!in.sameShell || len(in.args) > 1) {
		child.setArgs(in.args, !in.sameShell)
	}
	e.stmts(child, r.file.Stmts)
	child.commit()
	for _, st := range r.extra {
		e.stmt(child.subshell(), st)
	}
	if !in.sameShell {
		e.finish(child)
		sh.status = child.status
		return child.out
	}
	out := sh.out
	back := *sh.ctx
	back.via, back.depth, back.at, back.inside, back.src = outer.via, outer.depth, outer.at, outer.inside, outer.src
	sh.ctx = &back
	sh.in, sh.capture, sh.out, sh.outMoved, sh.args, sh.zero = outerIn, captured, was, moved, args, zero
	return out
}

// setArgs makes the words of a script's command line its parameters: the
// first is $0.
func (s *shell) setArgs(words []Word, zero bool) {
	if zero {
		v := words[0].Value
		s.zero = &v
	}
	p := &params{}
	for _, w := range words[1:] {
		p.open = p.open || w.Many
		p.vals = append(p.vals, w.Value)
	}
	s.args = p
}

// freshShell is a shell started as a program: it sees what is exported.
func (e *evaluator) freshShell(sh *shell, in *inner) *shell {
	child := newShell(sh.ctx.env, "")
	child.dir = sh.dir
	if in.dir != nil {
		child.dir = *in.dir
	}
	for _, name := range sh.names("") {
		v := sh.lookup(name)
		if v.attrs&attrExport != 0 || name == "HOME" || name == "PATH" {
			child.put(name, &v)
			continue
		}
		if _, inherited := sh.ctx.env.Vars[name]; !inherited && name != "IFS" && name != "PWD" && name != "OLDPWD" {
			child.put(name, &variable{val: Known(""), set: no})
		}
	}
	for _, a := range in.assigns {
		child.put(a.Name, &variable{val: a.Value, set: yes, attrs: attrExport})
	}
	for c := sh; c != nil; c = c.parent {
		for name, f := range c.funcs {
			if f.export && child.funcs[name] == nil {
				child.putFunc(name, f)
			}
		}
	}
	child.in = source{val: Unknown("standard input"), piped: true}
	child.ctx.sub = true
	return child
}
