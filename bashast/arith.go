package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// number is the result of an arithmetic expression.
type number struct {
	n     int64
	known bool
}

func (n number) value() Value {
	if n.known {
		return Known(strconv.FormatInt(n.n, 10))
	}
	return unknownAtom("a number that is not known")
}

// truth says whether the number is not zero.
func (n number) truth() tri {
	if !n.known {
		return maybe
	}
	return triOf(n.n != 0)
}

func exactly(n int64) number { return number{n, true} }

func truthNumber(t tri) number {
	switch t {
	case yes:
		return exactly(1)
	case no:
		return exactly(0)
	}
	return number{}
}

// arith evaluates an arithmetic expression (bash manual 6.5), assignments and
// substitutions in it included.
func (e *evaluator) arith(sh *shell, x syntax.ArithmExpr) number {
	a := arithmetic{e: e, sh: sh}
	n := a.eval(x)
	if a.failed {
		sh.status = 1
	}
	return n
}

// arithText evaluates a text as the shell does with subscripts and with the
// values of variables in expressions: it is expanded first, so that what it
// substitutes runs.
func (e *evaluator) arithText(sh *shell, text string) number {
	a := arithmetic{e: e, sh: sh}
	return a.text(text)
}

// arithmetic evaluates one expression.
type arithmetic struct {
	e      *evaluator
	sh     *shell
	depth  int
	failed bool
}

const maxArithDepth = 16

// text evaluates a text as an expression.
func (a *arithmetic) text(text string) number {
	text = strings.TrimSpace(text)
	if text == "" {
		return exactly(0)
	}
	if n, ok := parseNumber(text); ok {
		return exactly(n)
	}
	if a.depth++; a.depth > maxArithDepth {
		return number{}
	}
	defer func() { a.depth-- }()
	if !a.e.step(a.sh) {
		return number{}
	}
	x, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Arithmetic(strings.NewReader(text))
	if err != nil || x == nil {
		// Not an expression, or one that the parser does not read.
		if strings.ContainsAny(text, "$`") {
			a.e.textDocument(a.sh, text)
		}
		return number{}
	}
	outer := a.sh.ctx
	a.e.within(a.sh, a.sh)
	n := a.eval(x)
	a.sh.ctx = outer
	return n
}

func (a *arithmetic) eval(x syntax.ArithmExpr) number {
	switch x := x.(type) {
	case *syntax.Word:
		return a.word(x)
	case *syntax.ParenArithm:
		return a.eval(x.X)
	case *syntax.UnaryArithm:
		return a.unary(x)
	case *syntax.BinaryArithm:
		return a.binary(x)
	}
	return number{}
}

// word evaluates an operand: a number, a name, or an expansion.
func (a *arithmetic) word(w *syntax.Word) number {
	if name, index, ok := arithName(w); ok {
		if index == nil {
			if n, isNumber := parseNumber(name); isNumber {
				return exactly(n)
			}
			if !validName(name) {
				return number{}
			}
		}
		return a.variable(name, index)
	}
	return a.evaluated(a.operand(w), "an expression")
}

// operand is the text that an operand with expansions becomes. Quotes mean
// nothing in an expression.
func (a *arithmetic) operand(w *syntax.Word) Value {
	v := Known("")
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			v = Concat(v, Known(p.Value))
		case *syntax.SglQuoted:
			v = Concat(v, a.e.textDocument(a.sh, p.Value))
		default:
			v = Concat(v, joinPieces(a.e.part(a.sh, p, inQuotes, nil)))
		}
	}
	return v
}

// arithName is the name that an operand is, with its subscript.
func arithName(w *syntax.Word) (string, syntax.ArithmExpr, bool) {
	if len(w.Parts) != 1 {
		return "", nil, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, nil, true
	case *syntax.ParamExp:
		if p.Short && p.Index != nil && !p.Dollar.IsValid() && p.Param != nil {
			return p.Param.Value, p.Index, true
		}
	}
	return "", nil, false
}

// variable evaluates the value of a variable, which is itself an expression.
func (a *arithmetic) variable(name string, index syntax.ArithmExpr) number {
	s := a.e.subjectOf(a.sh, name, index)
	if s.list {
		return number{}
	}
	switch {
	case s.set == no:
		return exactly(0)
	case s.set == maybe && s.val.Kind() == UnknownKind && s.attr&attrMaybeExport != 0:
		// The environment is as the person made it.
		return number{}
	}
	n := a.evaluated(s.val, "$"+name)
	if s.set == maybe {
		return number{}
	}
	return n
}

// evaluated is the number that a value is as an expression. A subscript in it
// may run a command, so that a value which is not known may run any.
func (a *arithmetic) evaluated(v Value, what string) number {
	if text, ok := v.Text(); ok {
		return a.text(text)
	}
	if isAtom(v) {
		return number{}
	}
	for _, t := range v.Texts() {
		way := a.sh.fork()
		(&arithmetic{e: a.e, sh: way, depth: a.depth}).text(t)
	}
	if !v.Resolved() {
		a.e.programProblem(ProblemScript, what+" is evaluated as arithmetic, in which a subscript may run a command, and is not known: "+
			v.Why(), a.sh.place())
	}
	return number{}
}

func (a *arithmetic) unary(x *syntax.UnaryArithm) number {
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		before := a.eval(x.X)
		after := before
		after.n++
		if x.Op == syntax.Dec {
			after.n -= 2
		}
		a.assign(x.X, after)
		if x.Post {
			return before
		}
		return after
	}
	n := a.eval(x.X)
	switch x.Op {
	case syntax.Not:
		return truthNumber(n.truth().not())
	case syntax.BitNegation:
		n.n = ^n.n
	case syntax.Minus:
		n.n = -n.n
	}
	return n
}

// assign sets the variable that an operand names.
func (a *arithmetic) assign(x syntax.ArithmExpr, n number) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	name, index, ok := arithName(w)
	if !ok {
		return
	}
	if index == nil {
		a.e.assign(a.sh, name, n.value())
		return
	}
	v, name := a.e.deref(a.sh, name)
	key, known := a.e.key(a.sh, v, index)
	a.e.assignElement(a.sh, name, key, known, n.value(), false)
}

func (a *arithmetic) binary(x *syntax.BinaryArithm) number {
	switch x.Op {
	case syntax.AndArit, syntax.OrArit:
		return a.logical(x)
	case syntax.TernQuest:
		return a.ternary(x)
	case syntax.Comma:
		a.eval(x.X)
		return a.eval(x.Y)
	case syntax.Assgn:
		n := a.eval(x.Y)
		a.assign(x.X, n)
		return n
	}
	if op, ok := assignOps[x.Op]; ok {
		left, right := a.eval(x.X), a.eval(x.Y)
		n := a.apply(op, left, right)
		a.assign(x.X, n)
		return n
	}
	return a.apply(x.Op, a.eval(x.X), a.eval(x.Y))
}

// assignOps are the operators that assign, and what they compute.
var assignOps = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul, syntax.QuoAssgn: syntax.Quo,
	syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor,
	syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

// logical evaluates && and ||, of which the right side may not be reached.
func (a *arithmetic) logical(x *syntax.BinaryArithm) number {
	left := a.eval(x.X).truth()
	and := x.Op == syntax.AndArit
	if left == triOf(!and) {
		return truthNumber(left)
	}
	if left != maybe {
		return truthNumber(a.eval(x.Y).truth())
	}
	right := a.maybeEval(x.Y).truth()
	if right == triOf(!and) {
		return truthNumber(right)
	}
	return number{}
}

// maybeEval evaluates what may not be reached.
func (a *arithmetic) maybeEval(x syntax.ArithmExpr) number {
	way, other := a.sh.fork(), a.sh.fork()
	inner := arithmetic{e: a.e, sh: way, depth: a.depth}
	n := inner.eval(x)
	a.sh.become(way, other)
	return n
}

func (a *arithmetic) ternary(x *syntax.BinaryArithm) number {
	y, ok := x.Y.(*syntax.BinaryArithm)
	if !ok {
		return number{}
	}
	switch a.eval(x.X).truth() {
	case yes:
		return a.eval(y.X)
	case no:
		return a.eval(y.Y)
	}
	one, two := a.maybeEval(y.X), a.maybeEval(y.Y)
	if one == two {
		return one
	}
	return number{}
}

// apply computes a binary operator.
func (a *arithmetic) apply(op syntax.BinAritOperator, x, y number) number {
	if !x.known || !y.known {
		return number{}
	}
	switch op {
	case syntax.Add:
		return exactly(x.n + y.n)
	case syntax.Sub:
		return exactly(x.n - y.n)
	case syntax.Mul:
		return exactly(x.n * y.n)
	case syntax.Quo, syntax.Rem:
		return a.divide(op, x.n, y.n)
	case syntax.Pow:
		return power(x.n, y.n)
	case syntax.And:
		return exactly(x.n & y.n)
	case syntax.Or:
		return exactly(x.n | y.n)
	case syntax.Xor:
		return exactly(x.n ^ y.n)
	case syntax.Shl:
		return exactly(x.n << (uint64(y.n) & 63))
	case syntax.Shr:
		return exactly(x.n >> (uint64(y.n) & 63))
	}
	return truthNumber(compare(op, x.n, y.n))
}

func compare(op syntax.BinAritOperator, x, y int64) tri {
	switch op {
	case syntax.Eql:
		return triOf(x == y)
	case syntax.Neq:
		return triOf(x != y)
	case syntax.Lss:
		return triOf(x < y)
	case syntax.Gtr:
		return triOf(x > y)
	case syntax.Leq:
		return triOf(x <= y)
	case syntax.Geq:
		return triOf(x >= y)
	}
	return maybe
}

func (a *arithmetic) divide(op syntax.BinAritOperator, x, y int64) number {
	switch {
	case y == 0:
		a.failed = true
		return number{}
	case y == -1 && op == syntax.Quo:
		return exactly(-x)
	case y == -1:
		return exactly(0)
	case op == syntax.Quo:
		return exactly(x / y)
	}
	return exactly(x % y)
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
	return exactly(n)
}

// parseNumber reads a constant (bash manual 6.5): decimal, 0octal, 0xhex, or
// base#digits.
func parseNumber(text string) (int64, bool) {
	neg := false
	t := text
	if strings.HasPrefix(t, "-") || strings.HasPrefix(t, "+") {
		neg, t = t[0] == '-', strings.TrimSpace(t[1:])
	}
	base := int64(10)
	switch {
	case strings.HasPrefix(t, "0x"), strings.HasPrefix(t, "0X"):
		base, t = 16, t[2:]
	case strings.Contains(t, "#"):
		b, rest, _ := strings.Cut(t, "#")
		n, err := strconv.ParseInt(b, 10, 64)
		if err != nil || n < 2 || n > 64 {
			return 0, false
		}
		base, t = n, rest
	case len(t) > 1 && t[0] == '0':
		base, t = 8, t[1:]
	}
	if t == "" || t[0] == '-' || t[0] == '+' {
		return 0, false
	}
	n := int64(0)
	for i := 0; i < len(t); i++ {
		d := digitValue(t[i], base)
		if d < 0 || d >= base {
			return 0, false
		}
		n = n*base + d
	}
	if neg {
		n = -n
	}
	return n, true
}

func digitValue(c byte, base int64) int64 {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0')
	case 'a' <= c && c <= 'z':
		return int64(c-'a') + 10
	case 'A' <= c && c <= 'Z':
		if base <= 36 {
			return int64(c-'A') + 10
		}
		return int64(c-'A') + 36
	case c == '@':
		return 62
	case c == '_':
		return 63
	}
	return -1
}
