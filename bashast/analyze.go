package bashast

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// Analyze says what bash would do with text in env. It never fails: what it
// cannot know is a Problem of the program.
func Analyze(text string, env Env) (p *Program) {
	e := &evaluator{prog: &Program{Text: text, Commands: make([]Command, 0, 4)}, steps: baseSteps + 8*len(text)}
	defer func() {
		// A defect of the analysis must not become a call that nobody judged.
		if v := recover(); v != nil {
			e.prog.ParseError = true
			e.prog.Problems = append(e.prog.Problems, Problem{
				Code: ProblemBound, Reason: fmt.Sprintf("the analysis failed: %v", v), Span: Span{0, len(text)},
			})
			p = e.prog
		}
	}()
	e.run(text, &env)
	return e.prog
}

// The bounds of one analysis. They do not depend on any clock, so that every
// machine judges alike.
const (
	baseSteps  = 20_000  // statements and words evaluated, besides some for each byte
	maxDepth   = 24      // functions, scripts and substitutions inside one another
	maxListed  = 20_000  // commands listed
	maxInner   = 1 << 20 // bytes of scripts evaluated inside the line
	maxUnroll  = 64      // turns of a loop followed one by one
	maxChoices = 16      // ways in which the words of one command may come out
)

// evaluator walks the syntax tree of a line and follows what is known of the
// shell through it. It is an abstract interpreter: where bash has one state,
// it keeps what is true of every state that bash may be in.
type evaluator struct {
	prog  *Program
	steps int
	inner int
	// touched is true once something ran that may have changed files.
	touched bool
	// writes is true once the line changed a file.
	writes bool
	// bounded is true once a bound was passed, which is told once.
	bounded bool
	// declared are the functions whose bodies stand in the line, called
	// those of them that were evaluated.
	declared []declared
	called   map[*syntax.FuncDecl]bool
	// traps are the handlers that were set and not yet evaluated.
	traps []handler
	// assigned joins all values that a variable ever had, once a handler
	// that may run at any time is set.
	assigned map[string]variable
	// aliases are those the line defines.
	aliases map[string]Value
}

// declared is a function that the line declares, and where.
type declared struct {
	body *body
	env  *Env
}

func (e *evaluator) run(text string, env *Env) {
	r := read(text)
	e.prog.Problems = r.problems
	e.prog.ParseError = len(r.problems) > 0
	sh := newShell(env, text)
	if r.file != nil {
		e.stmts(sh, r.file.Stmts)
	}
	e.finish(sh)
	for _, st := range r.extra {
		other := newShell(env, text)
		e.stmt(other, st)
		e.finish(other)
	}
	e.uncalled()
}

// newShell is a shell at the start of text.
func newShell(env *Env, text string) *shell {
	sh := &shell{
		ctx:  &context{env: env, src: text},
		args: &params{},
		opts: options{on: optBraceExpand | optExtglob},
		dir:  Known(env.Dir),
	}
	sh.opts = sh.opts.with(optExtglob, no)
	if env.Dir == "" {
		sh.dir = Unknown("the directory the line starts in")
	}
	sh.ctx.exit = &landing{base: sh}
	return sh
}

// uncalled lists what the functions do that the line declares and never
// calls: they run nothing, but an empty list would be no judgement of them.
func (e *evaluator) uncalled() {
	for i := 0; i < len(e.declared); i++ {
		d := e.declared[i]
		if e.called[d.body.decl] {
			continue
		}
		base := newShell(d.env, d.body.ctx.src)
		way := base.fork()
		way.args = &params{open: true}
		e.enter(way, base, d.body)
	}
}

// step counts one unit of work and reports whether there is any left.
func (e *evaluator) step(sh *shell) bool {
	e.steps--
	if e.steps > 0 && len(e.prog.Commands) < maxListed {
		return true
	}
	e.overBound(sh, "the line does too much to be followed")
	return false
}

// overBound notes that a bound was passed.
func (e *evaluator) overBound(sh *shell, reason string) {
	if e.bounded {
		return
	}
	e.bounded = true
	e.prog.Problems = append(e.prog.Problems, Problem{
		Code: ProblemBound, Reason: reason, Span: Span{0, len(e.prog.Text)},
	})
}

// span is the range of a node in the line.
func (sh *shell) span(n syntax.Node) Span {
	if sh.ctx.inside {
		return sh.ctx.at
	}
	return Span{int(n.Pos().Offset()), int(n.End().Offset())}
}

// place is where in the line sh is, when no node says it better.
func (sh *shell) place() Span {
	if sh.ctx.inside {
		return sh.ctx.at
	}
	return Span{0, len(sh.ctx.src)}
}

// programProblem notes something unknown that belongs to no single command.
func (e *evaluator) programProblem(code ProblemCode, reason string, span Span) {
	for _, p := range e.prog.Problems {
		if p.Code == code && p.Span == span {
			return
		}
	}
	e.prog.Problems = append(e.prog.Problems, Problem{Code: code, Reason: reason, Span: span})
}

// problem notes something unknown about the command at index at.
func (e *evaluator) problem(at int, code ProblemCode, reason string, span Span) {
	c := &e.prog.Commands[at]
	for _, p := range c.Problems {
		if p.Code == code && p.Span == span && p.Reason == reason {
			return
		}
	}
	c.Problems = append(c.Problems, Problem{Code: code, Reason: reason, Span: span})
}
