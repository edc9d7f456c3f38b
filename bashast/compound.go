package bashast

import (
	"mvdan.cc/sh/v3/syntax"
)

// ifClause evaluates if, elif and else (bash manual 3.2.5.2).
func (e *evaluator) ifClause(sh *shell, c *syntax.IfClause) {
	if len(c.Cond) == 0 { // else
		e.stmts(sh, c.Then)
		return
	}
	inCond(sh, func() { e.stmts(sh, c.Cond) })
	yesWay, noWay := sh.split()
	ctx := sh.ctx
	yesWay.ctx, noWay.ctx = ctx, ctx
	e.stmts(yesWay, c.Then)
	if c.Else != nil {
		e.ifClause(noWay, c.Else)
	} else {
		noWay.status = 0
	}
	yesWay.commit()
	noWay.commit()
	sh.become(yesWay, noWay)
}

// loop runs body as often as may be: each turn that surely comes by itself,
// and after that with all that any turn may have changed widened away.
func (e *evaluator) loop(sh *shell, turn func(s *shell) tri) {
	frame := &loopFrame{outer: sh.ctx.loop}
	frame.breaks.base, frame.nexts.base = sh, sh
	ctx := *sh.ctx
	outer := sh.ctx
	ctx.loop = frame
	sh.ctx = &ctx
	var exits []*shell
	for range maxUnroll {
		before := sh.fork()
		again := turn(sh)
		sh.commit()
		if again == no || sh.dead {
			exits = append(exits, sh.snapshot(sh.parent))
			e.leaveLoop(sh, outer, frame, exits)
			return
		}
		if again == maybe {
			exits = append(exits, before.snapshot(sh.parent))
			break
		}
	}
	e.widen(sh, turn)
	exits = append(exits, sh.snapshot(sh.parent))
	e.leaveLoop(sh, outer, frame, exits)
}

// widen runs a turn of a loop whose turns are not counted, with everything
// that a turn changes unknown, so that what it lists holds for all of them.
func (e *evaluator) widen(sh *shell, turn func(s *shell) tri) {
	trial := sh.fork()
	turn(trial)
	trial.commit()
	vars, _ := trial.changed(sh)
	for name := range vars {
		v := variable{val: Unknown("$" + name + " changes in a loop"), set: maybe, attrs: sh.lookup(name).attrs}
		if sh.lookup(name).array() {
			v.elems = &elements{open: true}
		}
		sh.put(name, &v)
	}
	if !trial.dir.equal(sh.dir) {
		sh.dir = Unknown("the directory changes in a loop")
	}
	if trial.args != sh.args {
		sh.args = &params{open: true}
	}
	if sh.capture {
		sh.out = Unknown("what a loop prints")
	}
	turn(sh)
	sh.commit()
	sh.status = statusUnknown
}

// leaveLoop joins the ways out of a loop.
func (e *evaluator) leaveLoop(sh *shell, outer *context, frame *loopFrame, exits []*shell) {
	states := frame.breaks.states
	sh.ctx = outer
	sh.dead = false
	if len(states)+len(exits) > 1 {
		forks := make([]*shell, 0, len(states)+len(exits))
		for _, s := range append(exits, states...) {
			f := *s
			f.ctx = outer
			forks = append(forks, &f)
		}
		sh.join(forks)
	}
	sh.ctx = outer
}

// join makes sh what the states together are; they are snapshots beside it.
func (s *shell) join(states []*shell) {
	var live []*shell
	for _, c := range states {
		if !c.dead {
			live = append(live, c)
		}
	}
	if len(live) == 0 {
		s.dead = true
		return
	}
	names := map[string]bool{}
	for _, c := range live {
		for name := range c.vars {
			names[name] = true
		}
	}
	for name := range names {
		v := live[0].lookup(name)
		for _, c := range live[1:] {
			v = joinVariables(v, c.lookup(name))
		}
		s.put(name, &v)
	}
	parent, ctx, vars, funcs := s.parent, s.ctx, s.vars, s.funcs
	*s = *live[0]
	s.parent, s.ctx, s.vars, s.funcs, s.outcomes = parent, ctx, vars, funcs, nil
	s.joinRest(live)
}

// while evaluates while and until (bash manual 3.2.5.1).
func (e *evaluator) while(sh *shell, c *syntax.WhileClause) {
	e.loop(sh, func(s *shell) tri {
		inCond(s, func() { e.stmts(s, c.Cond) })
		goOn := s.condition()
		if c.Until {
			goOn = goOn.not()
		}
		s.commit()
		if goOn == no {
			s.status = 0
			return no
		}
		e.body(s, c.Do)
		if goOn == yes && sureLoop(c) {
			return maybe
		}
		return goOn
	})
	sh.status = statusUnknown
}

// sureLoop is a loop whose condition can never be watched to end.
func sureLoop(c *syntax.WhileClause) bool { return len(c.Cond) == 1 && !c.Until }

// condition says whether the last command succeeded.
func (s *shell) condition() tri {
	if o := s.outcomes; o != nil {
		switch {
		case o.ok.dead && !o.fail.dead:
			return no
		case o.fail.dead && !o.ok.dead:
			return yes
		}
		return maybe
	}
	return s.status.ok()
}

// body evaluates the body of a loop; continue lands at its end.
func (e *evaluator) body(s *shell, list []*syntax.Stmt) {
	e.stmts(s, list)
	s.commit()
	frame := s.ctx.loop
	if frame == nil || len(frame.nexts.states) == 0 {
		return
	}
	states := frame.nexts.states
	frame.nexts.states = nil
	if !s.dead {
		states = append(states, s.snapshot(frame.nexts.base))
	}
	s.dead = false
	s.join(states)
}

// forClause evaluates for, select and the arithmetic for.
func (e *evaluator) forClause(sh *shell, c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		e.forWords(sh, c, l)
	case *syntax.CStyleLoop:
		if l.Init != nil {
			e.arith(sh, l.Init)
		}
		e.loop(sh, func(s *shell) tri {
			goOn := yes
			if l.Cond != nil {
				goOn = e.arith(s, l.Cond).truth()
			}
			if goOn == no {
				return no
			}
			e.body(s, c.Do)
			if l.Post != nil {
				e.arith(s, l.Post)
			}
			return goOn
		})
	default:
		e.programProblem(ProblemSyntax, "a loop that bash does not have", sh.span(c))
	}
}

func (e *evaluator) forWords(sh *shell, c *syntax.ForClause, l *syntax.WordIter) {
	var words []Word
	if l.InPos.IsValid() {
		words = e.words(sh, l.Items)
	} else {
		for _, v := range sh.args.vals {
			words = append(words, Word{Value: v})
		}
		if sh.args.open {
			words = append(words, Word{Value: Unknown("an argument"), Many: true})
		}
	}
	name := l.Name.Value
	open := c.Select || len(words) > maxUnroll
	for _, w := range words {
		open = open || w.Many
	}
	if !open {
		i := 0
		e.loop(sh, func(s *shell) tri {
			if i >= len(words) {
				return no
			}
			e.assign(s, name, words[i].Value)
			i++
			e.body(s, c.Do)
			return yes
		})
		return
	}
	v := anyOf(words)
	e.loop(sh, func(s *shell) tri {
		e.assign(s, name, v)
		if c.Select {
			s.put("REPLY", &variable{val: Unknown("what the person chooses"), set: yes})
		}
		e.body(s, c.Do)
		return maybe
	})
}

// anyOf is the value that is one of the words.
func anyOf(words []Word) Value {
	if len(words) == 0 {
		return Known("")
	}
	v := words[0].Value
	for _, w := range words[1:] {
		v = Join(v, w.Value)
	}
	return v
}

// caseClause evaluates case (bash manual 3.2.5.2).
func (e *evaluator) caseClause(sh *shell, c *syntax.CaseClause) {
	subject := e.scalar(sh, c.Word)
	rest := sh.fork()
	var ends []*shell
	var falls *shell
	for _, item := range c.Items {
		matched := e.caseMatches(rest, subject, item)
		if matched == no && falls == nil {
			continue
		}
		arm := rest.fork()
		if falls != nil {
			arm = falls
			falls = nil
		}
		e.stmts(arm, item.Stmts)
		arm.commit()
		if item.Op == syntax.Fallthrough {
			falls = arm
			continue
		}
		ends = append(ends, arm)
		if item.Op == syntax.Resume || item.Op == syntax.ResumeKorn {
			continue
		}
		if matched == yes {
			sh.become(ends...)
			return
		}
	}
	if falls != nil {
		ends = append(ends, falls)
	}
	rest.status = 0
	sh.become(append(ends, rest)...)
}

func (e *evaluator) caseMatches(sh *shell, subject Value, item *syntax.CaseItem) tri {
	result := no
	for _, p := range item.Patterns {
		pat, known := e.patternOf(sh, p)
		result = max(result, matchTri(subject, pat, known))
		if result == yes {
			return yes
		}
	}
	return result
}

func matchTri(subject Value, pat string, known bool) tri {
	if known && pat == "*" {
		return yes
	}
	if !known || !subject.Resolved() {
		return maybe
	}
	match, ok := compileMatch(pat)
	if !ok {
		return maybe
	}
	result := tri(255)
	for _, t := range subject.Texts() {
		m := triOf(match(t))
		if result == 255 {
			result = m
		} else {
			result = joinTri(result, m)
		}
	}
	return result
}

// declareFunc remembers a function (bash manual 3.3).
func (e *evaluator) declareFunc(sh *shell, f *syntax.FuncDecl) {
	if f.Name == nil {
		e.programProblem(ProblemSyntax, "a function without a name", sh.span(f))
		return
	}
	if b, ok := f.Body.Cmd.(*syntax.BinaryCmd); ok {
		e.binary(sh, pipedDecl(f, b))
		return
	}
	sh.putFunc(f.Name.Value, &function{bodies: []*syntax.FuncDecl{f}, srcs: []*context{sh.ctx}})
	e.declared = append(e.declared, declared{fn: f, sh: sh.snapshot(sh.parent)})
	sh.status = 0
}

// pipedDecl is the pipeline of which a declaration is the first stage: the
// parser takes the whole for the function's body, bash only its compound
// command (bash manual 3.3).
func pipedDecl(f *syntax.FuncDecl, b *syntax.BinaryCmd) *syntax.BinaryCmd {
	c := *b
	first := *b.X
	if left, ok := b.X.Cmd.(*syntax.BinaryCmd); ok {
		first.Cmd = pipedDecl(f, left)
	} else {
		decl := *f
		decl.Body = b.X
		first = syntax.Stmt{Position: b.X.Position, Cmd: &decl}
	}
	c.X = &first
	return &c
}

// callFunction lists the call of a function and evaluates its bodies.
func (e *evaluator) callFunction(sh *shell, f *function, inv invocation) {
	at := e.enlist(sh, inv)
	e.prog.Commands[at].Function = true
	e.lookupAssigns(sh, at, inv.assigns)
	if sh.ctx.depth >= maxDepth {
		e.overBound(sh, "functions call each other too deeply to be followed")
		return
	}
	var states []*shell
	for i, body := range f.bodies {
		child := sh
		if len(f.bodies) > 1 || f.absent {
			child = sh.fork()
			states = append(states, child)
		}
		e.enterWith(child, body, f.srcs[i], inv)
	}
	if f.absent {
		child := sh.fork()
		plain := inv
		plain.plain = true
		e.invokeNamed(child, plain)
		states = append(states, child)
	}
	if len(states) > 0 {
		sh.become(states...)
	}
}

func (e *evaluator) enterWith(sh *shell, f *syntax.FuncDecl, src *context, inv invocation) {
	args := &params{}
	for _, w := range inv.words[1:] {
		args.open = args.open || w.Many
		args.vals = append(args.vals, w.Value)
	}
	in, moved, outer := sh.in, sh.outMoved, sh.args
	sh.in, sh.outMoved, sh.args = inv.in, inv.moved, args
	e.enter(sh, f, src)
	sh.commit()
	sh.in, sh.outMoved, sh.args = in, moved, outer
}

// enter evaluates the body of a function in sh.
func (e *evaluator) enter(sh *shell, f *syntax.FuncDecl, src *context) {
	if e.called == nil {
		e.called = map[*syntax.FuncDecl]bool{}
	}
	e.called[f] = true
	outer := sh.ctx
	ctx := *sh.ctx
	ctx.fn = &callFrame{outer: outer.fn}
	ctx.ret = &landing{base: sh.parent}
	ctx.loop = nil
	ctx.src, ctx.inside = src.src, src.inside
	if src.inside {
		ctx.at = src.at
	}
	ctx.depth++
	ctx.via = append(outer.via[:len(outer.via):len(outer.via)], Via{Kind: ViaFunction, Name: f.Name.Value})
	sh.ctx = &ctx
	e.stmt(sh, f.Body)
	sh.commit()
	if states := ctx.ret.states; len(states) > 0 {
		if !sh.dead {
			states = append(states, sh.snapshot(sh.parent))
		}
		sh.dead = false
		sh.join(states)
	}
	sh.ctx = outer
	for name, v := range ctx.fn.saved {
		sh.put(name, &v)
	}
}
