package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// number is what is known of an arithmetic value (bash manual 6.5).
type number struct {
	n     int64
	known bool
}

func (n number) truth() tri {
	if !n.known {
		return maybe
	}
	return triOf(n.n != 0)
}

func (n number) value() Value {
	if !n.known {
		return unknownAtom("an arithmetic value")
	}
	return Known(strconv.FormatInt(n.n, 10))
}

func numberOf(n int64) number { return number{n, true} }

func numberIf(b bool) number {
	if b {
		return numberOf(1)
	}
	return numberOf(0)
}

// arith evaluates an arithmetic expression, running what it substitutes.
func (e *evaluator) arith(sh *shell, x syntax.ArithmExpr) number {
	if x == nil || !e.step(sh) {
		return number{}
	}
	switch x := x.(type) {
	case *syntax.Word:
		return e.arithWord(sh, x)
	case *syntax.ParenArithm:
		return e.arith(sh, x.X)
	case *syntax.UnaryArithm:
		return e.unary(sh, x)
	case *syntax.BinaryArithm:
		return e.binaryArith(sh, x)
	}
	return number{}
}

// arithWord is an operand: a number, a name, or an expansion, whose text is
// itself read as an expression.
func (e *evaluator) arithWord(sh *shell, w *syntax.Word) number {
	if lit := w.Lit(); lit != "" {
		return e.arithText(sh, lit, w, 0)
	}
	if p, ok := soleParam(w); ok && p.Index != nil && p.Short {
		return e.arithElement(sh, p)
	}
	text, known := e.scalar(sh, w).Text()
	if !known {
		if !isAtom(e.lastScalar(sh, w)) {
			e.unknownArith(sh, w)
		}
		return number{}
	}
	return e.arithText(sh, text, w, 0)
}

// lastScalar is the word's value without running anything again.
func (e *evaluator) lastScalar(sh *shell, w *syntax.Word) Value {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.ParamExp:
			if p.Param == nil {
				return Unknown("")
			}
			v := e.scalarParamQuiet(sh, p)
			if !isAtom(v) {
				return v
			}
		case *syntax.CmdSubst:
			return Unknown("")
		}
	}
	return unknownAtom("")
}

func (e *evaluator) scalarParamQuiet(sh *shell, p *syntax.ParamExp) Value {
	if p.Length {
		return unknownAtom("")
	}
	if p.Index != nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Excl {
		return Unknown("")
	}
	return e.scalarParam(sh, p.Param.Value, nil).val
}

func soleParam(w *syntax.Word) (*syntax.ParamExp, bool) {
	if len(w.Parts) != 1 {
		return nil, false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	return p, ok
}

func (e *evaluator) arithElement(sh *shell, p *syntax.ParamExp) number {
	v := e.element(sh, sh.deref(p.Param.Value), p.Index)
	text, known := v.value().Text()
	if !known {
		return number{}
	}
	return e.arithText(sh, text, nil, 1)
}

// arithText evaluates a text as an expression: a number, a name, or more. A
// text with a subscript may hold a substitution that bash runs.
func (e *evaluator) arithText(sh *shell, text string, at *syntax.Word, depth int) number {
	text = strings.TrimSpace(text)
	if text == "" {
		return numberOf(0)
	}
	if n, ok := parseInteger(text); ok {
		return numberOf(n)
	}
	if depth > 8 {
		return number{}
	}
	if isName(text) {
		v := sh.deref(text)
		if v.elems != nil {
			return number{}
		}
		inner, known := v.value().Text()
		if !known {
			if !isAtom(v.val) && v.set != maybe {
				e.unknownArith(sh, at)
			}
			return number{}
		}
		return e.arithText(sh, inner, at, depth+1)
	}
	return e.arithParsed(sh, text, at, depth)
}

func (e *evaluator) arithParsed(sh *shell, text string, at *syntax.Word, depth int) number {
	if strings.ContainsAny(text, "$`") {
		e.unknownArith(sh, at)
		return number{}
	}
	x, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Arithmetic(strings.NewReader(text))
	if err != nil || x == nil || sh.ctx.depth > maxDepth {
		return number{}
	}
	if w, ok := x.(*syntax.Word); ok && w.Lit() == text {
		return number{}
	}
	ctx := *sh.ctx
	ctx.depth += 4
	outer := sh.ctx
	sh.ctx = &ctx
	n := e.arith(sh, x)
	sh.ctx = outer
	return n
}

// unknownArith notes a text that is evaluated as arithmetic and not known: a
// subscript in it would run what it substitutes.
func (e *evaluator) unknownArith(sh *shell, at *syntax.Word) {
	span := sh.ctx.at
	if at != nil {
		span = sh.span(at)
	}
	e.programProblem(ProblemScript, "a text that is not known is evaluated as arithmetic, where a subscript can run commands", span)
}

// parseInteger reads an integer constant: decimal, 0x, 0 octal, base#digits.
func parseInteger(text string) (int64, bool) {
	neg := false
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		neg = text[0] == '-'
		text = text[1:]
	}
	if text == "" || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	base := 10
	if b, rest, ok := strings.Cut(text, "#"); ok {
		n, err := strconv.Atoi(b)
		if err != nil || n < 2 || n > 36 {
			return 0, false
		}
		base, text = n, strings.ToLower(rest)
	} else if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		base, text = 16, text[2:]
	} else if len(text) > 1 && text[0] == '0' {
		base, text = 8, text[1:]
	}
	n, err := strconv.ParseInt(text, base, 64)
	if err != nil {
		return 0, false
	}
	if neg {
		n = -n
	}
	return n, true
}

func (e *evaluator) unary(sh *shell, x *syntax.UnaryArithm) number {
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		old := e.arith(sh, x.X)
		step := int64(1)
		if x.Op == syntax.Dec {
			step = -1
		}
		next := number{old.n + step, old.known}
		e.arithAssign(sh, x.X, next)
		if x.Post {
			return old
		}
		return next
	}
	n := e.arith(sh, x.X)
	if !n.known {
		return n
	}
	switch x.Op {
	case syntax.Not:
		return numberIf(n.n == 0)
	case syntax.BitNegation:
		return numberOf(^n.n)
	case syntax.Minus:
		return numberOf(-n.n)
	}
	return n
}

// arithAssign assigns to the variable that x names.
func (e *evaluator) arithAssign(sh *shell, x syntax.ArithmExpr, n number) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	if name := w.Lit(); isName(name) {
		e.assign(sh, name, n.value())
		return
	}
	if p, ok := soleParam(w); ok && p.Param != nil && p.Index != nil {
		e.assignElement(sh, p.Param.Value, p.Index, n.value())
	}
}

func (e *evaluator) binaryArith(sh *shell, x *syntax.BinaryArithm) number {
	switch x.Op {
	case syntax.AndArit, syntax.OrArit:
		return e.logical(sh, x)
	case syntax.TernQuest:
		return e.ternary(sh, x)
	case syntax.Comma:
		e.arith(sh, x.X)
		return e.arith(sh, x.Y)
	case syntax.Assgn:
		n := e.arith(sh, x.Y)
		e.visitTarget(sh, x.X)
		e.arithAssign(sh, x.X, n)
		return n
	}
	if op, ok := assignOps[x.Op]; ok {
		n := compute(op, e.arith(sh, x.X), e.arith(sh, x.Y))
		e.arithAssign(sh, x.X, n)
		return n
	}
	return compute(x.Op, e.arith(sh, x.X), e.arith(sh, x.Y))
}

// visitTarget evaluates the subscript of an assignment's target.
func (e *evaluator) visitTarget(sh *shell, x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok {
		if p, ok := soleParam(w); ok && p.Index != nil {
			e.visitIndex(sh, p.Index)
		}
	}
}

func (e *evaluator) logical(sh *shell, x *syntax.BinaryArithm) number {
	left := e.arith(sh, x.X).truth()
	stop := no
	if x.Op == syntax.OrArit {
		stop = yes
	}
	if left == stop {
		return numberIf(stop == yes)
	}
	if left != maybe {
		return truthNumber(e.arith(sh, x.Y).truth())
	}
	child := sh.fork()
	right := e.arith(child, x.Y).truth()
	sh.become(sh.fork(), child)
	if right == stop {
		return numberIf(stop == yes)
	}
	return number{}
}

func truthNumber(t tri) number {
	if t == maybe {
		return number{}
	}
	return numberIf(t == yes)
}

func (e *evaluator) ternary(sh *shell, x *syntax.BinaryArithm) number {
	ways, ok := x.Y.(*syntax.BinaryArithm)
	if !ok {
		return number{}
	}
	switch e.arith(sh, x.X).truth() {
	case yes:
		return e.arith(sh, ways.X)
	case no:
		return e.arith(sh, ways.Y)
	}
	a, b := sh.fork(), sh.fork()
	n, m := e.arith(a, ways.X), e.arith(b, ways.Y)
	sh.become(a, b)
	if n == m {
		return n
	}
	return number{}
}

var assignOps = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul,
	syntax.QuoAssgn: syntax.Quo, syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And,
	syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor, syntax.ShlAssgn: syntax.Shl,
	syntax.ShrAssgn: syntax.Shr,
}

func compute(op syntax.BinAritOperator, a, b number) number {
	if !a.known || !b.known {
		return number{}
	}
	x, y := a.n, b.n
	switch op {
	case syntax.Add:
		return numberOf(x + y)
	case syntax.Sub:
		return numberOf(x - y)
	case syntax.Mul:
		return numberOf(x * y)
	case syntax.Quo, syntax.Rem:
		if y == 0 || x == -1<<63 && y == -1 {
			return number{}
		}
		if op == syntax.Quo {
			return numberOf(x / y)
		}
		return numberOf(x % y)
	case syntax.Pow:
		return power(x, y)
	case syntax.And:
		return numberOf(x & y)
	case syntax.Or:
		return numberOf(x | y)
	case syntax.Xor:
		return numberOf(x ^ y)
	case syntax.Shl:
		return numberOf(x << (uint64(y) & 63))
	case syntax.Shr:
		return numberOf(x >> (uint64(y) & 63))
	case syntax.Eql:
		return numberIf(x == y)
	case syntax.Neq:
		return numberIf(x != y)
	case syntax.Lss:
		return numberIf(x < y)
	case syntax.Leq:
		return numberIf(x <= y)
	case syntax.Gtr:
		return numberIf(x > y)
	case syntax.Geq:
		return numberIf(x >= y)
	}
	return number{}
}

func power(x, y int64) number {
	if y < 0 {
		return number{}
	}
	n := int64(1)
	for ; y > 0; y >>= 1 {
		if y&1 == 1 {
			n *= x
		}
		x *= x
	}
	return numberOf(n)
}
