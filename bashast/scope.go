package bashast

import "maps"

// tri is a truth that may not be known.
type tri uint8

const (
	no tri = iota
	maybe
	yes
)

// triOf is the known truth b.
func triOf(b bool) tri {
	if b {
		return yes
	}
	return no
}

// not is the opposite of t.
func (t tri) not() tri { return yes - t }

// joinTri is either a or b.
func joinTri(a, b tri) tri {
	if a == b {
		return a
	}
	return maybe
}

// status is what is known of an exit status: the number itself, or one of the
// constants below.
type status int16

const (
	statusUnknown status = -1 // any
	statusFailure status = -2 // not zero
)

// ok says whether the status is that of success.
func (s status) ok() tri {
	switch s {
	case 0:
		return yes
	case statusUnknown:
		return maybe
	}
	return no
}

func statusOf(ok tri) status {
	switch ok {
	case yes:
		return 0
	case no:
		return 1
	}
	return statusUnknown
}

func joinStatus(a, b status) status {
	switch {
	case a == b:
		return a
	case a.ok() == no && b.ok() == no:
		return statusFailure
	}
	return statusUnknown
}

// source is what is known of the standard input of a shell.
type source struct {
	// val is the text that is still to be read.
	val Value
	// piped is true when it comes from another command, from those at the
	// indexes from.
	piped bool
	from  []int
}

// params are the positional parameters. They are never changed in place.
type params struct {
	vals []Value
	// open is true when more may follow, or when vals are not to be trusted.
	open bool
}

// shell is what is known of a shell at one point of the line. It is an
// overlay: what it does not say itself its parent says, so that a branch or a
// subshell costs only what it changes. A parent is not changed while it has
// a child that is still looked at.
type shell struct {
	parent *shell
	vars   map[string]*variable
	funcs  map[string]*function
	// outcomes is set when the shell differs by whether the last command
	// succeeded.
	outcomes *outcomes

	ctx  *context
	args *params
	opts options
	// dir is the directory in force.
	dir Value
	// old is the directory before the last cd, $OLDPWD, where there was one.
	old    Value
	oldSet tri
	// stack holds the directories that pushd saved, the newest last.
	stack []Value
	in    source
	// out is what was printed since capturing began.
	out     Value
	capture bool
	// outMoved is true when standard output does not go to the capture.
	outMoved bool
	status   status
	// substituted is true once the current command made a command
	// substitution, whose status is its own where it has no name.
	substituted bool
	// dead is true when control surely does not come here.
	dead bool
}

// outcomes are the two ways a shell may look after a command.
type outcomes struct{ ok, fail *shell }

// context is where in the line a shell is. It is never changed in place.
type context struct {
	via []Via
	// env is the environment that the shell was started with.
	env *Env
	// src is the text that positions refer to.
	src string
	// at, when inside a text that is not the line, is the place in the line
	// that led there.
	at     Span
	inside bool
	// fn is the function whose locals are in force.
	fn *callFrame
	// ret, loop and exit collect the states at return, break and exit.
	ret  *landing
	loop *loopFrame
	exit *landing
	// cond is true where a failure does not end a shell under errexit.
	cond bool
	// errOut is true where standard error goes to the capture.
	errOut bool
	// posix is true in a shell that may be another than bash.
	posix bool
	// sub is true in a subshell of any kind.
	sub bool
	// name is $0.
	name Value
	// depth counts functions, scripts and substitutions around.
	depth int
}

// landing collects the states in which control leaves a region.
type landing struct {
	base   *shell
	states []*shell
}

// loopFrame is one loop around the current point.
type loopFrame struct {
	outer  *loopFrame
	breaks landing
	nexts  landing
}

// callFrame is one function being called.
type callFrame struct {
	outer *callFrame
	name  string
	// locals are the names ever made local in it, in any branch.
	locals []string
	level  int
}

// fork is a child of s: what happens to it is not seen by s.
func (s *shell) fork() *shell {
	s.commit()
	c := *s
	c.parent, c.vars, c.funcs = s, nil, nil
	return &c
}

// subshell is a child of s that runs as its own process.
func (s *shell) subshell() *shell {
	c := s.fork()
	ctx := *s.ctx
	ctx.loop, ctx.ret, ctx.sub = nil, nil, true
	ctx.exit = &landing{base: s}
	c.ctx = &ctx
	return c
}

// branch makes s differ by whether its last command succeeded. Both ways hang
// on s, which must not be looked at before commit or split.
func (s *shell) branch(ok, fail *shell) {
	s.outcomes = &outcomes{ok: ok, fail: fail}
}

// withArgs gives s positional parameters, however its last command ended.
func (s *shell) withArgs(args *params) {
	s.args = args
	if o := s.outcomes; o != nil {
		o.ok.args, o.fail.args = args, args
	}
}

// commit forgets the difference between success and failure of the last
// command.
func (s *shell) commit() {
	if o := s.outcomes; o != nil {
		s.outcomes = nil
		s.become(o.ok, o.fail)
	}
}

// split gives the shell as it is if the last command succeeded and as it is
// if it failed. Each hangs on s; one that cannot be is dead.
func (s *shell) split() (ok, fail *shell) {
	if o := s.outcomes; o != nil {
		s.outcomes = nil
		ok, fail = o.ok, o.fail
	} else {
		ok, fail = s.fork(), s.fork()
		ok.dead = ok.dead || s.status.ok() == no
		fail.dead = fail.dead || s.status.ok() == yes
	}
	ok.ctx, fail.ctx = s.ctx, s.ctx
	ok.status = 0
	if fail.status.ok() != no {
		fail.status = statusFailure
	}
	return ok, fail
}

// changed holds everything that s says itself, down to but without base.
func (s *shell) changed(base *shell) (map[string]*variable, map[string]*function) {
	if s.parent == base {
		return s.vars, s.funcs
	}
	var vars map[string]*variable
	var funcs map[string]*function
	for c := s; c != nil && c != base; c = c.parent {
		for name, v := range c.vars {
			if _, ok := vars[name]; !ok {
				if vars == nil {
					vars = make(map[string]*variable)
				}
				vars[name] = v
			}
		}
		for name, f := range c.funcs {
			if _, ok := funcs[name]; !ok {
				if funcs == nil {
					funcs = make(map[string]*function)
				}
				funcs[name] = f
			}
		}
	}
	return vars, funcs
}

// snapshot is a copy of s that hangs directly on base.
func (s *shell) snapshot(base *shell) *shell {
	s.commit()
	c := *s
	c.parent = base
	vars, funcs := s.changed(base)
	c.vars, c.funcs = maps.Clone(vars), maps.Clone(funcs)
	return &c
}

// land notes that control leaves for l in the state s.
func (l *landing) land(s *shell) {
	if !s.dead {
		l.states = append(l.states, s.snapshot(l.base))
	}
}

// become makes s what the living of the given states are together. They hang
// on s, near or far.
func (s *shell) become(states ...*shell) {
	m := merged(s, states)
	vars, funcs := m.changed(s)
	own, ownFuncs, parent, ctx := s.vars, s.funcs, s.parent, s.ctx
	*s = *m
	s.vars, s.funcs, s.parent, s.ctx = own, ownFuncs, parent, ctx
	for name, v := range vars {
		s.put(name, v)
	}
	for name, f := range funcs {
		s.putFunc(name, f)
	}
}

// merged is what the living of the given states are together. They hang on
// base, near or far, and so does what comes out; where none is alive, it is
// dead.
func merged(base *shell, states []*shell) *shell {
	live := make([]*shell, 0, len(states))
	for _, c := range states {
		if !c.dead {
			live = append(live, c)
		}
	}
	if len(live) > 1 {
		for _, c := range live {
			c.commit()
		}
	}
	switch len(live) {
	case 0:
		c := states[0]
		c.commit()
		c.dead = true
		return c
	case 1:
		return live[0]
	}
	m := *live[0]
	m.parent, m.vars, m.funcs = base, nil, nil
	joinNames(&m, base, live)
	m.joinRest(live)
	return &m
}

// joinNames gives m every variable and function that a state changed.
func joinNames(m, base *shell, live []*shell) {
	for _, c := range live {
		vars, funcs := c.changed(base)
		for name := range vars {
			if _, done := m.vars[name]; done {
				continue
			}
			v := live[0].lookup(name)
			for _, other := range live[1:] {
				v = joinVariables(v, other.lookup(name))
			}
			m.put(name, &v)
		}
		for name := range funcs {
			if _, done := m.funcs[name]; done {
				continue
			}
			f := live[0].function(name)
			for _, other := range live[1:] {
				f = joinFunctions(f, other.function(name))
			}
			m.putFunc(name, f)
		}
	}
}

// joinRest joins what is neither a variable nor a function.
func (s *shell) joinRest(live []*shell) {
	for _, c := range live[1:] {
		s.args = joinParams(s.args, c.args)
		s.opts = joinOptions(s.opts, c.opts)
		s.dir = Join(s.dir, c.dir)
		switch {
		case s.oldSet == no:
			s.old = c.old
		case c.oldSet != no:
			s.old = Join(s.old, c.old)
		}
		s.oldSet = joinTri(s.oldSet, c.oldSet)
		s.stack = joinStacks(s.stack, c.stack)
		s.in = joinSources(s.in, c.in)
		s.out = Join(s.out, c.out)
		s.outMoved = s.outMoved && c.outMoved
		s.status = joinStatus(s.status, c.status)
	}
}

func joinSources(a, b source) source {
	if a.val.equal(b.val) && a.piped == b.piped {
		return a
	}
	a.val = Unknown("what is left of standard input")
	a.piped = a.piped || b.piped
	return a
}

func joinParams(a, b *params) *params {
	if a == b {
		return a
	}
	j := &params{open: a.open || b.open || len(a.vals) != len(b.vals)}
	for i := range min(len(a.vals), len(b.vals)) {
		j.vals = append(j.vals, Join(a.vals[i], b.vals[i]))
	}
	return j
}

func joinStacks(a, b []Value) []Value {
	n := max(len(a), len(b))
	if n == 0 {
		return nil
	}
	j := make([]Value, n)
	for i := range j {
		switch {
		case len(a) != len(b):
			j[i] = Unknown("the directory stack")
		default:
			j[i] = Join(a[i], b[i])
		}
	}
	return j
}
