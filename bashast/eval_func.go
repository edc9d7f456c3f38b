package bashast

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// declareFunc defines a function (bash manual 3.3).
func (e *evaluator) declareFunc(sh *shell, d *syntax.FuncDecl) {
	if d.Name == nil {
		return
	}
	if b, ok := d.Body.Cmd.(*syntax.BinaryCmd); ok {
		e.binary(sh, pipedDecl(d, b))
		return
	}
	f := &function{bodies: []*body{{decl: d, ctx: sh.ctx}}}
	f.export = sh.opts.get(optAllexport) != no
	if old := sh.function(d.Name.Value); old != nil {
		f.export = f.export || old.export
	}
	sh.putFunc(d.Name.Value, f)
	if sh.ctx.depth == 0 {
		e.declared = append(e.declared, declared{f.bodies[0], sh.ctx.env})
	}
	sh.status = 0
}

// pipedDecl is the list of which a declaration is the first part: the parser
// takes the whole for the function's body, bash only its compound command
// (bash manual 3.3).
func pipedDecl(d *syntax.FuncDecl, b *syntax.BinaryCmd) *syntax.BinaryCmd {
	c := *b
	first := *b.X
	if left, ok := b.X.Cmd.(*syntax.BinaryCmd); ok {
		first.Cmd = pipedDecl(d, left)
	} else {
		decl := *d
		decl.Body = b.X
		first = syntax.Stmt{Position: b.X.Position, Cmd: &decl}
	}
	c.X = &first
	return &c
}

// callFunction calls a function with words, its name first.
func (e *evaluator) callFunction(sh *shell, b *body, words []Word) {
	if e.called == nil {
		e.called = make(map[*syntax.FuncDecl]bool)
	}
	if sh.dead || e.bounded {
		// What control does not reach is listed, but not followed.
		return
	}
	e.called[b.decl] = true
	if sh.ctx.depth >= maxDepth {
		e.overBound(sh, "functions that call one another too deep to be followed")
		return
	}
	args := sh.args
	way := sh.fork()
	way.args = positional(words[1:])
	e.enter(way, sh, b)
	sh.withArgs(args)
}

// enter evaluates the body of a function in way, a fork of sh.
func (e *evaluator) enter(way, sh *shell, b *body) {
	ctx := *sh.ctx
	ctx.depth++
	ctx.via = append(ctx.via[:len(ctx.via):len(ctx.via)], Via{Kind: ViaFunction, Name: b.decl.Name.Value})
	ctx.src, ctx.at, ctx.inside = b.ctx.src, b.ctx.at, b.ctx.inside
	ctx.loop, ctx.ret = nil, &landing{base: sh}
	ctx.fn = &callFrame{outer: sh.ctx.fn, name: b.decl.Name.Value, level: 1}
	if sh.ctx.fn != nil {
		ctx.fn.level = sh.ctx.fn.level + 1
	}
	way.ctx = &ctx
	if b.decl.Body != nil {
		e.stmt(way, b.decl.Body)
	}
	states := append(ctx.ret.states, way)
	sh.become(states...)
	e.dropLocals(sh, ctx.fn)
}

// savedName is the name under which a shell keeps the variable that a local
// one hides. No variable of bash has such a name.
func savedName(level int, name string) string {
	return "\x00" + strconv.Itoa(level) + "\x00" + name
}

// makeLocal hides the variable name until the function returns.
func (e *evaluator) makeLocal(sh *shell, name string) {
	fn := sh.ctx.fn
	if fn == nil {
		return
	}
	key := savedName(fn.level, name)
	if v, ok := sh.own(key); ok && v.set == yes && v.level == fn {
		return
	}
	old := sh.lookup(name)
	sh.put(key, &variable{hidden: &old, set: yes, level: fn})
	if !slices.Contains(fn.locals, name) {
		fn.locals = append(fn.locals, name)
	}
}

// dropLocals brings back what the locals of fn hid.
func (e *evaluator) dropLocals(sh *shell, fn *callFrame) {
	if len(fn.locals) > 0 {
		sh.commit()
	}
	for _, name := range fn.locals {
		v, ok := sh.own(savedName(fn.level, name))
		if !ok || v.level != fn {
			continue
		}
		old := *v.hidden
		if v.set != yes {
			old = joinVariables(old, sh.lookup(name))
		}
		sh.put(name, &old)
		sh.put(savedName(fn.level, name), &variable{})
	}
}
