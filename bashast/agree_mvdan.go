package bashast

import "mvdan.cc/sh/v3/syntax"

// skeleton collects the landmarks of a tree of mvdan.cc/sh.
type skeleton struct {
	landmarks []landmark
	// unknown is set when the tree holds a node that is not known here.
	unknown bool
}

func (k *skeleton) land(pos syntax.Pos, kind landmarkKind) {
	k.landmarks = append(k.landmarks, landmark{int32(pos.Offset()), kind})
}

func (k *skeleton) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		k.stmt(s)
	}
}

func (k *skeleton) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Negated {
		k.land(s.Position, markNot)
	}
	k.command(s.Cmd)
	for _, r := range s.Redirs {
		k.redirect(r)
	}
	if s.Background {
		k.land(s.Semicolon, markBackground)
	}
}

var redirectKinds = map[syntax.RedirOperator]landmarkKind{
	syntax.RdrOut: redirOut, syntax.AppOut: redirAppend, syntax.RdrIn: redirIn,
	syntax.RdrInOut: redirInOut, syntax.DplIn: redirDupIn, syntax.DplOut: redirDupOut,
	syntax.RdrClob: redirClobber, syntax.Hdoc: redirHeredoc, syntax.DashHdoc: redirDashdoc,
	syntax.WordHdoc: redirString, syntax.RdrAll: redirBoth, syntax.AppAll: redirBothApp,
}

func (k *skeleton) redirect(r *syntax.Redirect) {
	kind, ok := redirectKinds[r.Op]
	if !ok {
		k.unknown = true
	}
	k.land(r.OpPos, markRedirect+kind)
	if r.Word != nil {
		k.land(r.Word.Pos(), markTarget)
		if kind != redirHeredoc && kind != redirDashdoc {
			k.word(r.Word)
		}
	}
	k.word(r.Hdoc)
}

func (k *skeleton) command(c syntax.Command) {
	switch c := c.(type) {
	case nil:
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			k.assign(a, markAssign)
		}
		kind := markName
		for _, w := range c.Args {
			k.land(w.Pos(), kind)
			k.word(w)
			kind = markWord
		}
	case *syntax.DeclClause:
		k.land(c.Variant.Pos(), markName)
		for _, a := range c.Args {
			k.assign(a, markWord)
		}
	case *syntax.LetClause:
		k.land(c.Let, markName)
		for _, x := range c.Exprs {
			k.arithmetic(x)
		}
	case *syntax.BinaryCmd:
		k.stmt(c.X)
		k.land(c.OpPos, binaryKinds[c.Op])
		k.stmt(c.Y)
	default:
		k.compound(c)
	}
}

var binaryKinds = map[syntax.BinCmdOperator]landmarkKind{
	syntax.AndStmt: markAnd, syntax.OrStmt: markOr, syntax.Pipe: markPipe, syntax.PipeAll: markPipeAll,
}

func (k *skeleton) compound(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Subshell:
		k.land(c.Lparen, markSubshell)
		k.stmts(c.Stmts)
	case *syntax.Block:
		k.land(c.Lbrace, markGroup)
		k.stmts(c.Stmts)
	case *syntax.IfClause:
		k.ifClause(c)
	case *syntax.WhileClause:
		kind := markWhile
		if c.Until {
			kind = markUntil
		}
		k.land(c.WhilePos, kind)
		k.stmts(c.Cond)
		k.stmts(c.Do)
	case *syntax.ForClause:
		k.forClause(c)
	case *syntax.CaseClause:
		k.caseClause(c)
	case *syntax.FuncDecl:
		k.land(c.Position, markFunction)
		k.stmt(c.Body)
	case *syntax.ArithmCmd:
		k.land(c.Left, markArith)
		k.arithmetic(c.X)
	case *syntax.TestClause:
		k.land(c.Left, markTest)
		k.test(c.X)
	case *syntax.TimeClause:
		k.land(c.Time, markTime)
		k.stmt(c.Stmt)
	case *syntax.CoprocClause:
		k.land(c.Coproc, markCoproc)
		k.word(c.Name)
		k.stmt(c.Stmt)
	default:
		k.unknown = true
	}
}

func (k *skeleton) ifClause(c *syntax.IfClause) {
	kind := markIf
	for ; c != nil; c = c.Else {
		k.land(c.Position, kind)
		k.stmts(c.Cond)
		k.stmts(c.Then)
		kind = markElif
		if c.Else != nil && !c.Else.ThenPos.IsValid() {
			kind = markElse
		}
	}
}

func (k *skeleton) forClause(c *syntax.ForClause) {
	kind := markFor
	if c.Select {
		kind = markSelect
	}
	k.land(c.ForPos, kind)
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		for _, w := range loop.Items {
			k.land(w.Pos(), markWord)
			k.word(w)
		}
	case *syntax.CStyleLoop:
		k.arithmetic(loop.Init)
		k.arithmetic(loop.Cond)
		k.arithmetic(loop.Post)
	default:
		k.unknown = true
	}
	k.stmts(c.Do)
}

func (k *skeleton) caseClause(c *syntax.CaseClause) {
	k.land(c.Case, markCase)
	k.land(c.Word.Pos(), markWord)
	k.word(c.Word)
	for _, item := range c.Items {
		for _, w := range item.Patterns {
			k.land(w.Pos(), markWord)
			k.word(w)
		}
		k.stmts(item.Stmts)
	}
}

func (k *skeleton) assign(a *syntax.Assign, kind landmarkKind) {
	k.land(a.Pos(), kind)
	k.arithmetic(a.Index)
	k.word(a.Value)
	if a.Array == nil {
		return
	}
	for _, e := range a.Array.Elems {
		k.arithmetic(e.Index)
		if e.Index == nil && e.Value != nil {
			k.land(e.Value.Pos(), markElement)
		}
		k.word(e.Value)
	}
}

func (k *skeleton) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		k.word(x)
	case *syntax.BinaryTest:
		k.test(x.X)
		k.test(x.Y)
	case *syntax.UnaryTest:
		k.test(x.X)
	case *syntax.ParenTest:
		k.test(x.X)
	default:
		k.unknown = true
	}
}

func (k *skeleton) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		k.word(x)
	case *syntax.BinaryArithm:
		k.arithmetic(x.X)
		k.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		k.arithmetic(x.X)
	case *syntax.ParenArithm:
		k.arithmetic(x.X)
	default:
		k.unknown = true
	}
}

func (k *skeleton) word(w *syntax.Word) {
	if w != nil {
		k.parts(w.Parts)
	}
}

func (k *skeleton) parts(parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.ExtGlob:
		case *syntax.DblQuoted:
			k.parts(p.Parts)
		case *syntax.CmdSubst:
			k.land(p.Left, markSubst)
			k.stmts(p.Stmts)
		case *syntax.ProcSubst:
			k.land(p.OpPos, markSubst)
			k.stmts(p.Stmts)
		case *syntax.ArithmExp:
			k.arithmetic(p.X)
		case *syntax.ParamExp:
			k.parameter(p)
		default:
			k.unknown = true
		}
	}
}

func (k *skeleton) parameter(p *syntax.ParamExp) {
	if p.NestedParam != nil || p.Flags != nil || len(p.Modifiers) > 0 {
		k.unknown = true
	}
	k.arithmetic(p.Index)
	if p.Slice != nil {
		k.arithmetic(p.Slice.Offset)
		k.arithmetic(p.Slice.Length)
	}
	if p.Repl != nil {
		k.word(p.Repl.Orig)
		k.word(p.Repl.With)
	}
	if p.Exp != nil {
		k.word(p.Exp.Word)
	}
}
