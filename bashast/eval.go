package bashast

import (
	"mvdan.cc/sh/v3/syntax"
)

// stmts evaluates a list of statements one after the other.
func (e *evaluator) stmts(sh *shell, list []*syntax.Stmt) {
	for _, st := range list {
		sh.commit()
		e.stmt(sh, st)
	}
}

// stmt evaluates one statement in sh (bash manual 3.2).
func (e *evaluator) stmt(sh *shell, st *syntax.Stmt) {
	if !e.step(sh) {
		return
	}
	sh.commit()
	if st.Background || st.Coprocess {
		e.background(sh, st)
		return
	}
	e.foreground(sh, st)
}

// background evaluates a statement that runs beside the shell.
func (e *evaluator) background(sh *shell, st *syntax.Stmt) {
	child := sh.subshell()
	e.foreground(child, st)
	e.finish(child)
	e.keepFiles(sh, child, true)
	sh.out = Join(sh.out, child.out)
	sh.status = 0
}

func (e *evaluator) foreground(sh *shell, st *syntax.Stmt) {
	if st.Negated {
		e.negated(sh, st)
		return
	}
	if call, ok := st.Cmd.(*syntax.CallExpr); ok {
		e.call(sh, st, call)
		return
	}
	if st.Cmd == nil || len(st.Redirs) > 0 {
		e.redirected(sh, st)
		return
	}
	e.command(sh, st)
}

// negated evaluates "! command".
func (e *evaluator) negated(sh *shell, st *syntax.Stmt) {
	plain := *st
	plain.Negated = false
	inCond(sh, func() { e.foreground(sh, &plain) })
	if o := sh.outcomes; o != nil {
		o.ok.status, o.fail.status = statusFailure, 0
		o.ok, o.fail = o.fail, o.ok
		return
	}
	sh.status = statusOf(sh.status.ok().not())
}

// inCond runs f where a failure does not end the shell.
func inCond(sh *shell, f func()) {
	outer := sh.ctx
	if !outer.cond {
		ctx := *outer
		ctx.cond = true
		sh.ctx = &ctx
	}
	f()
	sh.ctx = outer
}

// command evaluates a command that is not a simple one, its redirections
// already made.
func (e *evaluator) command(sh *shell, st *syntax.Stmt) {
	switch c := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		e.binary(sh, c)
	case *syntax.Block:
		e.stmts(sh, c.Stmts)
	case *syntax.Subshell:
		child := sh.subshell()
		e.stmts(child, c.Stmts)
		e.endSubshell(sh, child)
	case *syntax.IfClause:
		e.ifClause(sh, c)
	case *syntax.WhileClause:
		e.while(sh, c)
	case *syntax.ForClause:
		e.forClause(sh, c)
	case *syntax.CaseClause:
		e.caseClause(sh, c)
	case *syntax.FuncDecl:
		e.declareFunc(sh, c)
	case *syntax.ArithmCmd:
		n := e.arith(sh, c.X)
		sh.status = statusOf(n.truth())
		e.mayStop(sh)
	case *syntax.TestClause:
		sh.status = statusOf(e.testExpr(sh, c.X))
		e.mayStop(sh)
	case *syntax.DeclClause:
		e.declClause(sh, st, c)
	case *syntax.LetClause:
		e.letClause(sh, c)
	case *syntax.TimeClause:
		sh.status = 0
		if c.Stmt != nil {
			e.stmt(sh, c.Stmt)
		}
	case *syntax.CoprocClause:
		e.coproc(sh, c)
	default:
		e.programProblem(ProblemSyntax, "a construct that bash does not have", sh.span(st))
	}
}

// endSubshell gives sh what a subshell leaves behind: its status and what it
// printed.
func (e *evaluator) endSubshell(sh, child *shell) {
	e.finish(child)
	e.keepFiles(sh, child, false)
	sh.status = child.status
	sh.out = child.out
	e.mayStop(sh)
}

// finish ends a shell: its handlers run, and the states at each exit are
// joined into it.
func (e *evaluator) finish(sh *shell) {
	sh.commit()
	exits := sh.ctx.exit
	if sh.parent == exits.base || sh == exits.base {
		if len(exits.states) > 0 {
			e.joinExits(sh, exits)
		}
	}
	e.runTraps(sh)
}

// joinExits joins the states at exit into sh, which may be the base that
// they hang on.
func (e *evaluator) joinExits(sh *shell, exits *landing) {
	dead := sh.dead
	out, st := sh.out, sh.status
	for i, x := range exits.states {
		if i == 0 && dead {
			out, st = x.out, x.status
			continue
		}
		out, st = Join(out, x.out), joinStatus(st, x.status)
	}
	sh.out, sh.status = out, st
	exits.states = nil
}

// mayStop ends sh where errexit is on and the last command surely failed, and
// notes that it may end where it may have.
func (e *evaluator) mayStop(sh *shell) {
	if sh.opts.on|sh.opts.unknown == 0 || sh.ctx.cond || sh.opts.get(optErrexit) == no {
		return
	}
	if o := sh.outcomes; o != nil {
		if sh.opts.get(optErrexit) == yes {
			sh.ctx.exit.land(o.fail)
			o.fail.dead = true
		}
		return
	}
	switch sh.status.ok() {
	case yes:
		return
	case maybe:
		if sh.capture {
			sh.ctx.exit.land(sh)
		}
		return
	}
	sh.ctx.exit.land(sh)
	if sh.opts.get(optErrexit) == yes {
		sh.dead = true
	}
}

// binary evaluates lists and pipelines. Long ones lean to the left, so the
// spine is walked without recursion.
func (e *evaluator) binary(sh *shell, b *syntax.BinaryCmd) {
	if b.Op == syntax.Pipe || b.Op == syntax.PipeAll {
		e.pipeline(sh, b)
		return
	}
	spine := []*syntax.BinaryCmd{b}
	first := b.X
	for {
		left, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || first.Negated || first.Background || len(first.Redirs) > 0 ||
			left.Op != syntax.AndStmt && left.Op != syntax.OrStmt {
			break
		}
		spine = append(spine, left)
		first = left.X
	}
	inCond(sh, func() { e.stmt(sh, first) })
	for i := len(spine) - 1; i >= 0; i-- {
		e.andOr(sh, spine[i].Op == syntax.AndStmt, spine[i].Y, i > 0)
	}
}

// andOr evaluates the right side of && or ||, after the left.
func (e *evaluator) andOr(sh *shell, and bool, right *syntax.Stmt, more bool) {
	ok, fail := sh.split()
	way, other := ok, fail
	if !and {
		way, other = fail, ok
	}
	ctx := sh.ctx
	if more && !ctx.cond {
		c := *ctx
		c.cond = true
		way.ctx = &c
	}
	e.stmt(way, right)
	way.ctx, other.ctx = ctx, ctx
	if way.outcomes == nil && sameState(sh, way) && sameState(sh, other) {
		st := way.status
		if !other.dead {
			st = joinStatus(way.status, other.status)
		}
		if way.dead {
			st = other.status
		}
		sh.out, sh.status, sh.in = joinLive(way, other), st, way.in
		sh.dead = sh.dead || way.dead && other.dead
		return
	}
	wayOK, wayFail := way.split()
	wayOK.ctx, wayFail.ctx = ctx, ctx
	if and {
		sh.branch(wayOK, merged(sh, []*shell{wayFail, other}))
	} else {
		sh.branch(merged(sh, []*shell{other, wayOK}), wayFail)
	}
	e.settle(sh)
}

// settle commits where one of the outcomes cannot be.
func (e *evaluator) settle(sh *shell) {
	if o := sh.outcomes; o != nil && (o.ok.dead || o.fail.dead) {
		sh.commit()
	}
}

func joinLive(a, b *shell) Value {
	switch {
	case a.dead:
		return b.out
	case b.dead:
		return a.out
	}
	return Join(a.out, b.out)
}

// sameState reports whether c, a fork of sh, differs from it in nothing but
// status and output, or is not alive.
func sameState(sh, c *shell) bool {
	if c.dead {
		return true
	}
	return c.parent == sh && len(c.vars) == 0 && len(c.funcs) == 0 && c.outcomes == nil &&
		c.args == sh.args && c.opts == sh.opts && c.dir.equal(sh.dir) &&
		c.oldSet == sh.oldSet && c.old.equal(sh.old) && len(c.stack) == len(sh.stack) &&
		c.in.val.equal(sh.in.val) && c.in.piped == sh.in.piped
}

// pipeline evaluates the stages of a pipeline, each a subshell (bash manual
// 3.2.3).
func (e *evaluator) pipeline(sh *shell, b *syntax.BinaryCmd) {
	stages := []*syntax.Stmt{b.Y}
	all := []bool{b.Op == syntax.PipeAll}
	first := b.X
	for {
		left, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || first.Negated || first.Background || len(first.Redirs) > 0 ||
			left.Op != syntax.Pipe && left.Op != syntax.PipeAll {
			break
		}
		stages = append(stages, left.Y)
		all = append(all, left.Op == syntax.PipeAll)
		first = left.X
	}
	stages = append(stages, first)
	in := sh.in
	var failed tri
	for i := len(stages) - 1; i > 0; i-- {
		child := sh.subshell()
		child.in = in
		child.capture, child.out, child.outMoved = true, Known(""), false
		child.ctx.errOut = all[i-1]
		start := len(e.prog.Commands)
		e.stmt(child, stages[i])
		e.finish(child)
		e.keepFiles(sh, child, true)
		in = source{val: child.out, piped: true, from: e.producers(start)}
		failed = max(failed, child.status.ok().not())
	}
	e.lastStage(sh, stages[0], in)
	if sh.opts.get(optPipefail) != no && failed != no && sh.status.ok() != no {
		sh.status = statusUnknown
	}
}

// producers are the indexes of the commands listed since start.
func (e *evaluator) producers(start int) []int {
	n := len(e.prog.Commands) - start
	if n == 0 {
		return nil
	}
	from := make([]int, n)
	for i := range from {
		from[i] = start + i
	}
	return from
}

// lastStage evaluates the last stage, which lastpipe runs in the shell itself.
func (e *evaluator) lastStage(sh *shell, st *syntax.Stmt, in source) {
	lastpipe := sh.opts.get(optLastpipe)
	if lastpipe == yes {
		outer := sh.in
		sh.in = in
		e.stmt(sh, st)
		sh.commit()
		sh.in = outer
		return
	}
	child := sh.subshell()
	child.in = in
	e.stmt(child, st)
	if lastpipe == maybe {
		e.finish(child)
		here := sh.fork()
		here.status, here.out = child.status, child.out
		child.in = sh.in
		child.ctx = sh.ctx
		sh.become(here, child)
		return
	}
	e.endSubshell(sh, child)
}

// coproc evaluates a coprocess; its array of descriptors is not known.
func (e *evaluator) coproc(sh *shell, c *syntax.CoprocClause) {
	name := Known("COPROC")
	if c.Name != nil {
		name = e.scalar(sh, c.Name)
	}
	child := sh.subshell()
	child.in = source{val: Unknown("what is written to a coprocess"), piped: true}
	child.outMoved = true
	body := coprocBody(c.Stmt)
	if call, ok := body.Cmd.(*syntax.CallExpr); ok && inSubstitution(sh.ctx.via) && len(call.Args) > 0 {
		// Bash writes out what stands in $( ) and reads it once more; a simple
		// command then has the name of the coprocess in front.
		named := *call
		named.Args = append([]*syntax.Word{litWord("COPROC", c.Coproc)}, call.Args...)
		again := *body
		again.Cmd = &named
		e.stmt(child.fork(), &again)
	}
	e.stmt(child, body)
	e.finish(child)
	e.keepFiles(sh, child, true)
	if text, ok := name.Text(); ok {
		sh.put(text, &variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}})
	}
	sh.status = 0
}

func inSubstitution(via []Via) bool {
	for _, v := range via {
		if v.Kind == ViaSubstitution && v.Name == "$( )" {
			return true
		}
	}
	return false
}

// coprocBody is the command of a coprocess. There time is no reserved word: it
// is the name of a program.
func coprocBody(st *syntax.Stmt) *syntax.Stmt {
	t, ok := st.Cmd.(*syntax.TimeClause)
	if !ok {
		return st
	}
	call := &syntax.CallExpr{Args: []*syntax.Word{litWord("time", t.Time)}}
	if t.PosixFormat {
		call.Args = append(call.Args, litWord("-p", t.Time))
	}
	body := *st
	body.Cmd = call
	if t.Stmt != nil {
		if c, ok := t.Stmt.Cmd.(*syntax.CallExpr); ok {
			for _, a := range c.Assigns {
				if a.Name != nil && a.Value != nil && a.Index == nil {
					w := &syntax.Word{Parts: append([]syntax.WordPart{&syntax.Lit{Value: a.Name.Value + "="}}, a.Value.Parts...)}
					call.Args = append(call.Args, w)
				}
			}
			call.Args = append(call.Args, c.Args...)
		}
		body.Redirs = append(body.Redirs[:len(body.Redirs):len(body.Redirs)], t.Stmt.Redirs...)
	}
	return &body
}

func litWord(text string, pos syntax.Pos) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: text, ValuePos: pos, ValueEnd: pos}}}
}
