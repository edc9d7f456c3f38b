package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// testExpr evaluates what stands between [[ and ]] (bash manual 6.4).
func (e *evaluator) testExpr(sh *shell, x syntax.TestExpr) tri {
	switch x := x.(type) {
	case *syntax.Word:
		return e.scalar(sh, x).nonEmptyText()
	case *syntax.ParenTest:
		return e.testExpr(sh, x.X)
	case *syntax.UnaryTest:
		return e.unaryTest(sh, x)
	case *syntax.BinaryTest:
		return e.binaryTest(sh, x)
	}
	return maybe
}

// nonEmptyText says whether the value is a text with any characters.
func (v Value) nonEmptyText() tri {
	switch v.kind {
	case KnownKind:
		return triOf(v.text != "")
	case PartialKind:
		return yes
	case OneOfKind:
		if !v.MayBe("") {
			return yes
		}
	case UnknownKind:
		if v.atom {
			return yes
		}
	}
	return maybe
}

func (e *evaluator) unaryTest(sh *shell, x *syntax.UnaryTest) tri {
	if x.Op == syntax.TsNot {
		return e.testExpr(sh, x.X).not()
	}
	w, ok := x.X.(*syntax.Word)
	if !ok {
		return e.testExpr(sh, x.X)
	}
	v := e.scalar(sh, w)
	switch x.Op {
	case syntax.TsEmpStr:
		return v.nonEmptyText().not()
	case syntax.TsNempStr:
		return v.nonEmptyText()
	case syntax.TsVarSet:
		return e.isSet(sh, v)
	}
	return maybe
}

// isSet is the test -v: a subscript in the name is evaluated.
func (e *evaluator) isSet(sh *shell, v Value) tri {
	out := maybe
	for i, name := range v.Texts() {
		t := e.nameSet(sh, name)
		if i == 0 {
			out = t
		} else {
			out = joinTri(out, t)
		}
	}
	if v.Kind() == PartialKind && strings.Contains(v.Prefix(), "[") {
		e.programProblem(ProblemScript, "a subscript that is evaluated and not known", Span{0, len(e.prog.Text)})
	}
	return out
}

func (e *evaluator) nameSet(sh *shell, name string) tri {
	base, sub, indexed := cutSubscript(name)
	if indexed {
		return e.textElement(sh, base, sub).set
	}
	if s, ok := e.special(sh, name); ok {
		return s.set
	}
	v, _ := e.deref(sh, name)
	if v.array() {
		_, set := v.elems.get("0")
		return set
	}
	return v.set
}

func (e *evaluator) binaryTest(sh *shell, x *syntax.BinaryTest) tri {
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		return e.logicalTest(sh, x)
	}
	left, ok1 := x.X.(*syntax.Word)
	right, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		e.testExpr(sh, x.X)
		e.testExpr(sh, x.Y)
		return maybe
	}
	l := e.scalar(sh, left)
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		opts := sh.opts.with(optExtglob, yes)
		t := matchValue(e.pattern(sh, right), l, opts)
		if x.Op == syntax.TsNoMatch {
			return t.not()
		}
		return t
	case syntax.TsReMatch:
		return e.matchRegexp(sh, l, right)
	}
	r := e.scalar(sh, right)
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLss, syntax.TsLeq, syntax.TsGtr, syntax.TsGeq:
		return compareNumbers(x.Op, e.numberOf(sh, l), e.numberOf(sh, r))
	}
	return maybe
}

// numberOf evaluates a value as an expression.
func (e *evaluator) numberOf(sh *shell, v Value) number {
	a := arithmetic{e: e, sh: sh}
	return a.evaluated(v, "an operand of [[")
}

func compareNumbers(op syntax.BinTestOperator, x, y number) tri {
	if !x.known || !y.known {
		return maybe
	}
	switch op {
	case syntax.TsEql:
		return triOf(x.n == y.n)
	case syntax.TsNeq:
		return triOf(x.n != y.n)
	case syntax.TsLss:
		return triOf(x.n < y.n)
	case syntax.TsLeq:
		return triOf(x.n <= y.n)
	case syntax.TsGtr:
		return triOf(x.n > y.n)
	case syntax.TsGeq:
		return triOf(x.n >= y.n)
	}
	return maybe
}

func (e *evaluator) logicalTest(sh *shell, x *syntax.BinaryTest) tri {
	left := e.testExpr(sh, x.X)
	and := x.Op == syntax.AndTest
	if left == triOf(!and) {
		return left
	}
	if left != maybe {
		return e.testExpr(sh, x.Y)
	}
	way, other := sh.fork(), sh.fork()
	right := e.testExpr(way, x.Y)
	sh.become(way, other)
	if right == triOf(!and) {
		return right
	}
	return maybe
}

// test is the builtin test, and [ (bash manual 4.1).
func (b *builtin) test() tri {
	words := b.cmd.Words[1:]
	if b.name == "[" {
		if len(words) == 0 || !words[len(words)-1].MayBe("]") {
			return no
		}
		words = words[:len(words)-1]
	}
	for i, w := range words {
		if t, ok := w.Text(); ok && t == "-v" && i+1 < len(words) {
			b.e.isSet(b.sh, words[i+1].Value)
		}
	}
	if hasMany(words) {
		return maybe
	}
	return b.testWords(words)
}

func (b *builtin) testWords(words []Word) tri {
	switch len(words) {
	case 0:
		return no
	case 1:
		return words[0].nonEmptyText()
	}
	op, ok := words[0].Text()
	if ok && op == "!" {
		return b.testWords(words[1:]).not()
	}
	switch len(words) {
	case 2:
		switch {
		case !ok:
		case op == "-n":
			return words[1].nonEmptyText()
		case op == "-z":
			return words[1].nonEmptyText().not()
		case op == "-v":
			return b.e.isSet(b.sh, words[1].Value)
		}
	case 3:
		if op, ok := words[1].Text(); ok {
			return testBinary(op, words[0].Value, words[2].Value)
		}
	}
	return maybe
}

// testBinary compares two words.
func testBinary(op string, x, y Value) tri {
	switch op {
	case "=", "==", "!=":
		same := sameText(x, y)
		if op == "!=" {
			return same.not()
		}
		return same
	case "-a":
		return min(x.nonEmptyText(), y.nonEmptyText())
	case "-o":
		return max(x.nonEmptyText(), y.nonEmptyText())
	}
	ops := map[string]syntax.BinTestOperator{
		"-eq": syntax.TsEql, "-ne": syntax.TsNeq, "-lt": syntax.TsLss, "-le": syntax.TsLeq,
		"-gt": syntax.TsGtr, "-ge": syntax.TsGeq,
	}
	if o, ok := ops[op]; ok {
		return compareNumbers(o, decimal(x), decimal(y))
	}
	return maybe
}

func sameText(x, y Value) tri {
	if !x.Resolved() || !y.Resolved() {
		if t, ok := y.Text(); ok && !x.MayBe(t) {
			return no
		}
		if t, ok := x.Text(); ok && !y.MayBe(t) {
			return no
		}
		return maybe
	}
	hits := 0
	for _, a := range x.Texts() {
		for _, b := range y.Texts() {
			if a == b {
				hits++
			}
		}
	}
	switch {
	case hits == 0:
		return no
	case x.Kind() == KnownKind && y.Kind() == KnownKind:
		return yes
	}
	return maybe
}

// decimal is a number as test reads it.
func decimal(v Value) number {
	text, ok := v.Text()
	if !ok {
		return number{}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return number{n, err == nil}
}
