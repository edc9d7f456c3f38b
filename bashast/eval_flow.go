package bashast

import (
	"mvdan.cc/sh/v3/syntax"
)

// ifClause evaluates if, with its elif and else parts.
func (e *evaluator) ifClause(sh *shell, c *syntax.IfClause) {
	inCond(sh, func() { e.stmts(sh, c.Cond) })
	ok, fail := sh.split()
	e.stmts(ok, c.Then)
	switch {
	case c.Else == nil:
		fail.status = 0
	case len(c.Else.Cond) == 0:
		e.stmts(fail, c.Else.Then)
	default:
		if e.step(fail) {
			e.ifClause(fail, c.Else)
		}
	}
	sh.become(ok, fail)
}

// caseClause evaluates case, following only the arms that may be taken.
func (e *evaluator) caseClause(sh *shell, c *syntax.CaseClause) {
	word := e.scalar(sh, c.Word)
	testing := sh.fork()
	testing.status = 0
	var outs []*shell
	var falling *shell
	for _, item := range c.Items {
		if !e.step(sh) {
			break
		}
		taken := e.caseMatch(testing, word, item.Patterns)
		arm := testing.fork()
		arm.dead = arm.dead || taken == no
		if falling != nil {
			arm = merged(sh, []*shell{arm, falling})
			falling = nil
		}
		rest := testing.fork()
		rest.dead = rest.dead || taken == yes
		e.stmts(arm, item.Stmts)
		arm.commit()
		switch item.Op {
		case syntax.Fallthrough:
			falling = arm
		case syntax.Resume, syntax.ResumeKorn:
			rest = merged(sh, []*shell{rest, arm}).fork()
		default:
			outs = append(outs, arm)
		}
		testing = rest
	}
	if falling != nil {
		outs = append(outs, falling)
	}
	sh.become(append(outs, testing)...)
	e.mayStop(sh)
}

// caseMatch says whether word matches any of the patterns.
func (e *evaluator) caseMatch(sh *shell, word Value, patterns []*syntax.Word) tri {
	taken := no
	for _, p := range patterns {
		pat := e.pattern(sh, p)
		if m := matchValue(pat, word, sh.opts); m == yes {
			return yes
		} else if m == maybe {
			taken = maybe
		}
	}
	return taken
}

// turn is one loop being evaluated.
type turn struct {
	e     *evaluator
	base  *shell
	frame *loopFrame
	ctx   *context
	// ends are the states in which the loop was left.
	ends []*shell
}

// newLoop begins a loop in sh.
func (e *evaluator) newLoop(sh *shell) *turn {
	sh.commit()
	ctx := *sh.ctx
	frame := &loopFrame{outer: sh.ctx.loop, breaks: landing{base: sh}, nexts: landing{base: sh}}
	ctx.loop = frame
	return &turn{e: e, base: sh, frame: frame, ctx: &ctx}
}

// start is the state in which the first turn begins.
func (t *turn) start() *shell {
	s := t.base.fork()
	s.ctx = t.ctx
	return s
}

// again is the state in which the next turn begins, after one that ended in s.
func (t *turn) again(s *shell) *shell {
	s.commit()
	states := append([]*shell{s}, t.frame.nexts.states...)
	t.frame.nexts.states = nil
	next := merged(t.base, states).fork()
	next.ctx = t.ctx
	return next
}

// finish gives the loop's shell what the loop leaves behind.
func (t *turn) finish() {
	states := append(t.ends, t.frame.breaks.states...)
	if len(states) == 0 {
		t.base.dead = true
		return
	}
	t.base.become(states...)
}

// place is a place in what was listed so far.
type place struct{ commands, redirects, effects, problems, exits, rets int }

func (e *evaluator) place(sh *shell) place {
	m := place{
		commands: len(e.prog.Commands), redirects: len(e.prog.Redirects),
		effects: len(e.prog.Effects), problems: len(e.prog.Problems),
	}
	m.exits = len(sh.ctx.exit.states)
	if sh.ctx.ret != nil {
		m.rets = len(sh.ctx.ret.states)
	}
	return m
}

// rewind forgets what was listed since m.
func (e *evaluator) rewind(sh *shell, m place) {
	e.prog.Commands = e.prog.Commands[:m.commands]
	e.prog.Redirects = e.prog.Redirects[:m.redirects]
	e.prog.Effects = e.prog.Effects[:m.effects]
	if !e.bounded {
		e.prog.Problems = e.prog.Problems[:m.problems]
	}
	sh.ctx.exit.states = sh.ctx.exit.states[:min(m.exits, len(sh.ctx.exit.states))]
	if sh.ctx.ret != nil {
		sh.ctx.ret.states = sh.ctx.ret.states[:m.rets]
	}
}

// widen evaluates body any number of times, from the state in which cur is.
// body makes one turn: it returns the state in which the loop ends before the
// turn, and that after it. What the turns change becomes less and less known
// until one more turn changes nothing.
func (t *turn) widen(cur *shell, body func(*shell) (end, after *shell)) *shell {
	e := t.e
	for round := 0; ; round++ {
		m := e.place(cur)
		breaks := len(t.frame.breaks.states)
		start := cur.fork()
		end, after := body(start)
		next := t.again(after)
		if next.dead || e.steps <= 0 || !t.loosen(cur, next, round) {
			return end
		}
		e.rewind(cur, m)
		t.frame.breaks.states = t.frame.breaks.states[:breaks]
	}
}

// loosen makes cur cover next as well, and reports whether that changed it.
func (t *turn) loosen(cur, next *shell, round int) bool {
	changed := false
	vars, funcs := next.changed(cur)
	for name := range vars {
		before := cur.lookup(name)
		j := joinVariables(before, next.lookup(name))
		if sameVariable(before, j) {
			continue
		}
		if round > 0 {
			j = vague(name, j, round)
		}
		cur.put(name, &j)
		changed = true
	}
	for name := range funcs {
		before := cur.function(name)
		j := joinFunctions(before, next.function(name))
		if before == nil || len(before.bodies) != len(j.bodies) || before.absent != j.absent {
			cur.putFunc(name, j)
			changed = true
		}
	}
	return t.loosenRest(cur, next, round) || changed
}

// vague is v with less known of it, the more so the more rounds there were.
func vague(name string, v variable, round int) variable {
	if v.elems != nil || v.array() {
		v.elems = &elements{open: true}
	}
	why := "$" + name + " changes in a loop"
	switch {
	case v.val.Kind() == KnownKind:
	case isAtom(v.val):
		v.val = unknownAtom(why)
	case round == 1 && v.val.Prefix() != "":
		v.val = Partial(v.val.Prefix(), "", why)
	default:
		v.val = Unknown(why)
	}
	return v
}

func sameVariable(a, b variable) bool {
	if a.set != b.set || a.attrs != b.attrs || !a.val.equal(b.val) {
		return false
	}
	if a.elems == b.elems {
		return true
	}
	if a.elems == nil || b.elems == nil || a.elems.open != b.elems.open || len(a.elems.keys) != len(b.elems.keys) {
		return false
	}
	for i := range a.elems.keys {
		if a.elems.keys[i] != b.elems.keys[i] || !a.elems.vals[i].equal(b.elems.vals[i]) {
			return false
		}
	}
	return true
}

// loosenRest does what loosen does for all that is no variable or function.
func (t *turn) loosenRest(cur, next *shell, round int) bool {
	changed := false
	loosen := func(a *Value, b Value, why string) {
		j := Join(*a, b)
		if j.equal(*a) {
			return
		}
		if round > 0 {
			j = Unknown(why)
		}
		*a, changed = j, true
	}
	loosen(&cur.dir, next.dir, "the directory changes in a loop")
	if next.oldSet != no {
		loosen(&cur.old, next.old, "the directory changes in a loop")
		if t := joinTri(cur.oldSet, next.oldSet); t != cur.oldSet {
			cur.oldSet, changed = t, true
		}
	}
	loosen(&cur.in.val, next.in.val, "what is left of standard input")
	loosen(&cur.out, next.out, "the output of a loop")
	if o := joinOptions(cur.opts, next.opts); o != cur.opts {
		cur.opts, changed = o, true
	}
	if cur.args != next.args {
		j := joinParams(cur.args, next.args)
		if round > 0 {
			j = &params{open: true}
		}
		if !sameParams(cur.args, j) {
			cur.args, changed = j, true
		}
	}
	if s := joinStacks(cur.stack, next.stack); len(s) != len(cur.stack) && round < 4 {
		cur.stack, changed = s, true
	}
	return changed
}

func sameParams(a, b *params) bool {
	if a.open != b.open || len(a.vals) != len(b.vals) {
		return false
	}
	for i := range a.vals {
		if !a.vals[i].equal(b.vals[i]) {
			return false
		}
	}
	return true
}

// while evaluates while and until. As long as the condition's outcome is
// known the turns are followed one by one.
func (e *evaluator) while(sh *shell, c *syntax.WhileClause) {
	t := e.newLoop(sh)
	cond := func(s *shell) (ok, fail *shell) {
		inCond(s, func() { e.stmts(s, c.Cond) })
		ok, fail = s.split()
		if c.Until {
			ok, fail = fail, ok
		}
		fail.status = 0
		return ok, fail
	}
	e.loop(t, cond, func(s *shell) { e.stmts(s, c.Do) })
}

// loop evaluates a loop that is entered again as long as cond succeeds.
func (e *evaluator) loop(t *turn, cond func(*shell) (ok, fail *shell), do func(*shell)) {
	cur := t.start()
	var last status
	for i := 0; ; i++ {
		m := e.place(cur)
		turn := cur.fork()
		ok, fail := cond(turn)
		fail.status = last
		sure := ok.dead || fail.dead
		if sure && ok.dead {
			t.ends = append(t.ends, fail)
			if i == 0 {
				do(ok)
				t.frame.nexts.states = nil
			}
			break
		}
		if !sure || i >= maxUnroll || !e.step(cur) {
			e.rewind(cur, m)
			end := t.widen(cur, func(s *shell) (*shell, *shell) {
				ok, fail := cond(s)
				fail.status = statusUnknown
				do(ok)
				return fail, ok
			})
			t.ends = append(t.ends, end)
			break
		}
		breaks := len(t.frame.breaks.states)
		do(ok)
		next := t.again(ok)
		last = next.status
		if next.dead {
			break
		}
		if !t.differs(cur, next) {
			if len(t.frame.breaks.states) > breaks {
				break
			}
			break
		}
		cur = next
	}
	t.finish()
}

// differs reports whether a turn changed anything that the next would see.
func (t *turn) differs(before, after *shell) bool {
	vars, funcs := after.changed(before)
	if len(funcs) > 0 {
		return true
	}
	for name, v := range vars {
		if !sameVariable(before.lookup(name), *v) {
			return true
		}
	}
	return !before.dir.equal(after.dir) || before.opts != after.opts || !sameParams(before.args, after.args) ||
		!before.in.val.equal(after.in.val) || len(before.stack) != len(after.stack)
}

// forClause evaluates for and select.
func (e *evaluator) forClause(sh *shell, c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		e.forWords(sh, c, l)
	case *syntax.CStyleLoop:
		e.forArith(sh, c, l)
	}
}

// forArith evaluates the loop that is written as in C.
func (e *evaluator) forArith(sh *shell, c *syntax.ForClause, l *syntax.CStyleLoop) {
	if l.Init != nil {
		e.arith(sh, l.Init)
	}
	t := e.newLoop(sh)
	cond := func(s *shell) (ok, fail *shell) {
		s.status = 0
		if l.Cond != nil {
			s.status = statusOf(e.arith(s, l.Cond).truth())
		}
		return s.split()
	}
	e.loop(t, cond, func(s *shell) {
		e.stmts(s, c.Do)
		s.commit()
		if n := len(t.frame.nexts.states); n > 0 {
			next := t.again(s)
			next.parent, next.vars, next.funcs = s.parent, nil, nil
			*s = *next.snapshot(s.parent)
		}
		if l.Post != nil {
			e.arith(s, l.Post)
		}
	})
}

// forWords evaluates a loop over words. Words that are known are followed one
// by one; one that may be any number of words makes any number of turns.
func (e *evaluator) forWords(sh *shell, c *syntax.ForClause, l *syntax.WordIter) {
	items := e.forItems(sh, l)
	name := l.Name.Value
	t := e.newLoop(sh)
	cur := t.start()
	cur.status = 0
	if c.Select {
		val := Unknown("what is chosen in a select")
		if !hasMany(items) && len(items) > 0 {
			val = Join(joinItems(items), Known(""))
		}
		cur.put("REPLY", &variable{val: Unknown("what is chosen in a select"), set: yes})
		items = []Word{{Value: val, Many: true}}
	}
	if len(items) > maxUnroll {
		items = []Word{{Value: joinItems(items), Many: true}}
	}
	if len(items) == 0 {
		never := cur.fork()
		never.dead = true
		e.assign(never, name, Unknown("a loop over no words"))
		e.stmts(never, c.Do)
		t.frame.nexts.states = nil
	}
	for _, item := range items {
		if cur.dead || !e.step(cur) {
			break
		}
		if !item.Many {
			e.assign(cur, name, item.Value)
			e.stmts(cur, c.Do)
			cur = t.again(cur)
			continue
		}
		end := t.widen(cur, func(s *shell) (*shell, *shell) {
			end := s.fork()
			turn := s.fork()
			e.assign(turn, name, item.Value)
			e.stmts(turn, c.Do)
			return end, turn
		})
		end.commit()
		cur = merged(t.base, []*shell{end}).fork()
		cur.ctx = t.ctx
		cur.status = statusUnknown
	}
	t.ends = append(t.ends, cur)
	t.finish()
}

// forItems are the words that a loop goes over.
func (e *evaluator) forItems(sh *shell, l *syntax.WordIter) []Word {
	if l.InPos.IsValid() {
		return e.wordsJoined(sh, l.Items)
	}
	var items []Word
	for _, v := range sh.args.vals {
		items = append(items, Word{Value: v})
	}
	if sh.args.open {
		items = append(items, Word{Value: Unknown("the arguments"), Many: true})
	}
	return items
}

func hasMany(words []Word) bool {
	for i := range words {
		if words[i].Many {
			return true
		}
	}
	return false
}

func joinItems(words []Word) Value {
	v := words[0].Value
	for _, w := range words[1:] {
		v = Join(v, w.Value)
	}
	return v
}
