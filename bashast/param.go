package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param expands one parameter expansion (bash manual 3.5.3).
func (e *evaluator) param(sh *shell, p *syntax.ParamExp, quoted bool) []piece {
	if p.Param == nil {
		e.programProblem(ProblemSyntax, "an expansion that bash does not have", sh.span(p))
		return []piece{{val: Unknown("an expansion"), many: true}}
	}
	name := p.Param.Value
	if p.Index != nil {
		e.visitIndex(sh, p.Index)
	}
	if p.Names != 0 {
		return []piece{{val: Unknown("the names of variables"), many: true}}
	}
	if p.Excl {
		return e.indirect(sh, p, quoted)
	}
	if list, ok := e.list(sh, name, p); ok {
		return e.listPieces(sh, p, name, list, quoted)
	}
	v := e.scalarParam(sh, name, p.Index)
	if p.Length {
		return []piece{{val: lengthOf(v), quoted: quoted}}
	}
	return e.operate(sh, p, v, quoted)
}

// operate applies the operator of an expansion to the value of a variable.
func (e *evaluator) operate(sh *shell, p *syntax.ParamExp, v variable, quoted bool) []piece {
	switch {
	case p.Exp != nil:
		return e.expansion(sh, p, v, quoted)
	case p.Slice != nil:
		return []piece{{val: e.substring(sh, v.value(), p.Slice), quoted: quoted}}
	case p.Repl != nil:
		return []piece{{val: e.replace(sh, v.value(), p.Repl), quoted: quoted}}
	}
	if v.set == no && sh.opts.get(optNounset) == yes {
		return []piece{{val: Unknown("$" + p.Param.Value + " is not set"), quoted: quoted}}
	}
	return []piece{{val: v.value(), quoted: quoted}}
}

// value is what the variable expands to, the empty text where it is unset.
func (v variable) value() Value {
	switch v.set {
	case no:
		return Known("")
	case yes:
		return v.val
	}
	if v.val.Kind() == KnownKind || v.val.Kind() == OneOfKind {
		return Join(v.val, Known(""))
	}
	return Unknown(v.val.Why())
}

// scalarParam is one parameter that is no list.
func (e *evaluator) scalarParam(sh *shell, name string, index syntax.ArithmExpr) variable {
	switch name {
	case "#":
		if sh.args.open {
			return variable{val: unknownAtom("the number of arguments"), set: yes}
		}
		return variable{val: Known(strconv.Itoa(len(sh.args.vals))), set: yes}
	case "?":
		if sh.status >= 0 {
			return variable{val: Known(strconv.Itoa(int(sh.status))), set: yes}
		}
		return variable{val: unknownAtom("the status of a command"), set: yes}
	case "$", "!", "-":
		return variable{val: unknownAtom("$" + name), set: yes}
	case "0":
		if sh.zero != nil {
			return variable{val: *sh.zero, set: yes}
		}
		return variable{val: Unknown("$0"), set: yes}
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		return sh.args.at(n)
	}
	v := sh.deref(name)
	if index != nil {
		return e.element(sh, v, index)
	}
	if v.elems != nil || v.array() {
		key := "0"
		val, set := v.elems.get(key)
		return variable{val: val, set: set}
	}
	return v
}

// deref follows a name reference (bash manual 3.4).
func (s *shell) deref(name string) variable {
	v := s.lookup(name)
	for range 8 {
		if v.attrs&attrRef == 0 {
			return v
		}
		target, ok := v.val.Text()
		if !ok {
			return variable{val: Unknown("a reference to a variable that is not known"), set: maybe}
		}
		v = s.lookup(target)
	}
	return v
}

func (e *evaluator) element(sh *shell, v variable, index syntax.ArithmExpr) variable {
	key, known := e.key(sh, v, index)
	if !known {
		return variable{val: Unknown("an element whose index is not known"), set: maybe}
	}
	if v.elems == nil && !v.array() {
		if key == "0" {
			return v
		}
		return variable{val: Known(""), set: no}
	}
	val, set := v.elems.get(key)
	return variable{val: val, set: set}
}

// key is the index of an element as the text that elements are kept by.
func (e *evaluator) key(sh *shell, v variable, index syntax.ArithmExpr) (string, bool) {
	if v.attrs&attrAssoc != 0 {
		if w, ok := index.(*syntax.Word); ok {
			return e.scalar(sh, w).Text()
		}
		return "", false
	}
	n := e.arith(sh, index)
	if !n.known {
		return "", false
	}
	if n.n < 0 {
		if v.elems == nil || v.elems.open {
			return "", false
		}
		n.n += int64(v.elems.next())
	}
	return strconv.FormatInt(n.n, 10), true
}

// visitIndex evaluates the substitutions of a subscript for what they run.
func (e *evaluator) visitIndex(sh *shell, x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		return
	}
	e.arith(sh, x)
}

// paramList is a parameter that stands for several words.
type paramList struct {
	vals []Value
	open bool
	star bool
}

// list is the parameter's list: $@, $*, ${a[@]}, ${a[*]}.
func (e *evaluator) list(sh *shell, name string, p *syntax.ParamExp) (paramList, bool) {
	if name == "@" || name == "*" {
		return paramList{sh.args.vals, sh.args.open, name == "*"}, true
	}
	w, ok := p.Index.(*syntax.Word)
	if !ok || w.Lit() != "@" && w.Lit() != "*" {
		return paramList{}, false
	}
	v := sh.deref(name)
	l := paramList{star: w.Lit() == "*"}
	switch {
	case v.elems != nil:
		l.vals, l.open = v.elems.vals, v.elems.open
	case v.set == yes:
		l.vals = []Value{v.val}
	case v.set == maybe:
		l.open = true
	}
	return l, true
}

func (e *evaluator) listPieces(sh *shell, p *syntax.ParamExp, name string, l paramList, quoted bool) []piece {
	switch {
	case p.Length:
		if l.open {
			return []piece{{val: unknownAtom("the number of elements"), quoted: quoted}}
		}
		return []piece{{val: Known(strconv.Itoa(len(l.vals))), quoted: quoted}}
	case p.Exp != nil && isDefaultOp(p.Exp.Op):
		v := variable{set: triOf(len(l.vals) > 0), val: Unknown("a list")}
		if l.open {
			v.set = maybe
		}
		if v.set != yes {
			return e.expansion(sh, p, v, quoted)
		}
		if p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull {
			return e.expansion(sh, p, v, quoted)
		}
	case p.Slice != nil:
		l = e.sliceList(sh, name, l, p.Slice)
	case p.Exp != nil || p.Repl != nil:
		vals := make([]Value, len(l.vals))
		for i, v := range l.vals {
			vals[i] = e.joined(sh, e.operate(sh, p, variable{val: v, set: yes}, quoted))
		}
		l.vals = vals
	}
	return sh.spread(l, quoted)
}

// spread is the list as pieces: words of their own, or one joined word.
func (s *shell) spread(l paramList, quoted bool) []piece {
	if l.open {
		return []piece{{val: Unknown("a list that is not known"), quoted: quoted && l.star, many: !(quoted && l.star)}}
	}
	if l.star && quoted {
		sep := " "
		if ifs, ok := s.ifs().Text(); ok {
			sep = ifs[:min(1, len(ifs))]
		}
		v := Known("")
		for i, x := range l.vals {
			if i > 0 {
				v = Concat(v, Known(sep))
			}
			v = Concat(v, x)
		}
		return []piece{{val: v, quoted: true}}
	}
	if len(l.vals) == 0 {
		return []piece{{val: Known(""), vanish: true}}
	}
	out := make([]piece, len(l.vals))
	for i, x := range l.vals {
		out[i] = piece{val: x, quoted: quoted, next: i > 0}
	}
	return out
}

func (e *evaluator) sliceList(sh *shell, name string, l paramList, s *syntax.Slice) paramList {
	from := e.arith(sh, s.Offset)
	count := number{n: 1 << 30, known: true}
	if s.Length != nil {
		count = e.arith(sh, s.Length)
	}
	if !from.known || !count.known || l.open || from.n < 0 || count.n < 0 {
		l.open = true
		return l
	}
	vals := l.vals
	if name == "@" || name == "*" {
		zero := Unknown("$0")
		if sh.zero != nil {
			zero = *sh.zero
		}
		vals = append([]Value{zero}, vals...)
	}
	lo := min(int(from.n), len(vals))
	hi := min(lo+int(min(count.n, int64(len(vals)))), len(vals))
	l.vals = vals[lo:hi]
	return l
}

// indirect is ${!name}.
func (e *evaluator) indirect(sh *shell, p *syntax.ParamExp, quoted bool) []piece {
	if p.Index != nil {
		return []piece{{val: Unknown("the keys of an array"), quoted: false, many: true}}
	}
	v := e.scalarParam(sh, p.Param.Value, nil)
	target, ok := v.value().Text()
	if !ok || !isName(target) {
		return []piece{{val: Unknown("an indirect expansion"), quoted: quoted, many: !quoted}}
	}
	plain := *p
	plain.Excl = false
	plain.Param = &syntax.Lit{ValuePos: p.Param.ValuePos, ValueEnd: p.Param.ValueEnd, Value: target}
	return e.param(sh, &plain, quoted)
}

func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isNameChar(s[i]) {
			return false
		}
	}
	return true
}

func isNameChar(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isDefaultOp(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return true
	}
	return false
}

// expansion applies the operators that hold a word.
func (e *evaluator) expansion(sh *shell, p *syntax.ParamExp, v variable, quoted bool) []piece {
	if !isDefaultOp(p.Exp.Op) {
		arg := ""
		known := true
		if p.Exp.Word != nil {
			arg, known = e.patternOf(sh, p.Exp.Word)
		}
		return []piece{{val: e.trim(v.value(), p.Exp.Op, arg, known), quoted: quoted}}
	}
	missing := absent(v, p.Exp.Op)
	alternate := p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull
	if alternate {
		missing = missing.not()
	}
	own := []piece{{val: v.value(), quoted: quoted}}
	if alternate {
		own = []piece{{val: Known(""), quoted: quoted}}
	}
	if missing == no {
		return own
	}
	child := sh
	if missing == maybe {
		child = sh.fork()
	}
	var other []piece
	if p.Exp.Word != nil {
		other = e.pieces(child, p.Exp.Word.Parts, quoted)
		for i := range other {
			other[i].literal = false
		}
	}
	if len(other) == 0 {
		other = []piece{{val: Known(""), quoted: quoted}}
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		e.assign(child, p.Param.Value, e.joined(child, other))
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if missing == yes {
			sh.dead = sh.ctx.sub || sh.dead
			return []piece{{val: Unknown("an expansion that fails"), quoted: quoted}}
		}
		return own
	}
	if missing == yes {
		return other
	}
	sh.become(sh.fork(), child)
	joined := Join(own[0].val, e.joined(child, other))
	return []piece{{val: joined, quoted: quoted}}
}

// absent says whether the operator takes its word's way.
func absent(v variable, op syntax.ParExpOperator) tri {
	unset := v.set.not()
	switch op {
	case syntax.DefaultUnset, syntax.AssignUnset, syntax.ErrorUnset, syntax.AlternateUnset:
		return unset
	}
	if v.set == no {
		return yes
	}
	empty := maybe
	switch {
	case v.val.Kind() == KnownKind:
		text, _ := v.val.Text()
		empty = triOf(text == "")
	case !v.val.MayBe(""):
		empty = no
	}
	if unset == no {
		return empty
	}
	if empty == yes {
		return yes
	}
	return maybe
}

func lengthOf(v variable) Value {
	return v.value().mapLength()
}

func (v Value) mapLength() Value {
	if !v.Resolved() {
		return unknownAtom("the length of a value")
	}
	return v.mapText("", func(t string) string { return strconv.Itoa(len([]rune(t))) })
}

// substring is ${v:offset:length}.
func (e *evaluator) substring(sh *shell, v Value, s *syntax.Slice) Value {
	from := number{known: true}
	if s.Offset != nil {
		from = e.arith(sh, s.Offset)
	}
	count := number{n: 1 << 40, known: true}
	if s.Length != nil {
		count = e.arith(sh, s.Length)
	}
	if !from.known || !count.known || !v.Resolved() {
		return Unknown("a part of a value")
	}
	return v.mapText("", func(t string) string {
		r := []rune(t)
		lo := from.n
		if lo < 0 {
			lo += int64(len(r))
		}
		if lo < 0 || lo > int64(len(r)) {
			return ""
		}
		hi := int64(len(r))
		switch {
		case count.n < 0:
			hi += count.n
		case lo+count.n < hi:
			hi = lo + count.n
		}
		if hi < lo {
			return ""
		}
		return string(r[lo:hi])
	})
}

// patternOf is a word as a pattern, its quoted parts escaped.
func (e *evaluator) patternOf(sh *shell, w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range e.pieces(sh, w.Parts, false) {
		text, ok := p.val.Text()
		if !ok || p.many {
			return "", false
		}
		b.WriteString(quotePattern(text, p.quoted))
	}
	return b.String(), true
}

// trim applies # ## % %% ^ ^^ , ,, and the @ operators.
func (e *evaluator) trim(v Value, op syntax.ParExpOperator, arg string, known bool) Value {
	why := "an expansion of a value that is not known"
	if !known || !v.Resolved() {
		return Unknown(why)
	}
	switch op {
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		if arg != "" && arg != "?" && arg != "*" {
			return Unknown(why)
		}
		return v.mapText("", func(t string) string { return changeCase(t, op) })
	case syntax.OtherParamOps:
		return transform(v, arg)
	}
	match, ok := compileMatch(arg)
	if !ok {
		return Unknown("an expansion with a pattern that is not followed")
	}
	bounded := true
	out := v.mapText("", func(t string) string {
		if len(t) > 4096 {
			bounded = false
			return t
		}
		return removeMatch(t, op, match)
	})
	if !bounded {
		return Unknown("a part of a long value")
	}
	return out
}

func changeCase(t string, op syntax.ParExpOperator) string {
	r := []rune(t)
	if len(r) == 0 {
		return t
	}
	switch op {
	case syntax.UpperFirst:
		return strings.ToUpper(string(r[:1])) + string(r[1:])
	case syntax.LowerFirst:
		return strings.ToLower(string(r[:1])) + string(r[1:])
	case syntax.UpperAll:
		return strings.ToUpper(t)
	}
	return strings.ToLower(t)
}

// transform is ${v@op} for the operators whose outcome is fixed.
func transform(v Value, op string) Value {
	switch op {
	case "U":
		return v.mapText("", strings.ToUpper)
	case "L":
		return v.mapText("", strings.ToLower)
	case "u":
		return v.mapText("", func(t string) string { return changeCase(t, syntax.UpperFirst) })
	case "E":
		return v.mapText("", ansiC)
	}
	return Unknown("a transformation of a value")
}

func removeMatch(t string, op syntax.ParExpOperator, match func(string) bool) string {
	switch op {
	case syntax.RemSmallPrefix:
		for i := 0; i <= len(t); i++ {
			if match(t[:i]) {
				return t[i:]
			}
		}
	case syntax.RemLargePrefix:
		for i := len(t); i >= 0; i-- {
			if match(t[:i]) {
				return t[i:]
			}
		}
	case syntax.RemSmallSuffix:
		for i := len(t); i >= 0; i-- {
			if match(t[i:]) {
				return t[:i]
			}
		}
	case syntax.RemLargeSuffix:
		for i := 0; i <= len(t); i++ {
			if match(t[i:]) {
				return t[:i]
			}
		}
	}
	return t
}

// replace is ${v/pattern/with}.
func (e *evaluator) replace(sh *shell, v Value, r *syntax.Replace) Value {
	pat, known := "", true
	if r.Orig != nil {
		pat, known = e.patternOf(sh, r.Orig)
	}
	with := Known("")
	if r.With != nil {
		with = e.scalar(sh, r.With)
	}
	to, ok := with.Text()
	if !known || !ok || !v.Resolved() || strings.ContainsAny(to, "&\\") {
		return Unknown("a replacement in a value")
	}
	anchor := byte(0)
	if !r.All && pat != "" && (pat[0] == '#' || pat[0] == '%') {
		anchor, pat = pat[0], pat[1:]
	}
	match, ok := compileMatch(pat)
	if !ok || pat == "" && anchor == 0 {
		if pat == "" {
			return v
		}
		return Unknown("a replacement with a pattern that is not followed")
	}
	bounded := true
	out := v.mapText("", func(t string) string {
		if len(t) > 1024 {
			bounded = false
			return t
		}
		return replaceMatches(t, to, match, r.All, anchor)
	})
	if !bounded {
		return Unknown("a replacement in a long value")
	}
	return out
}

func replaceMatches(t, to string, match func(string) bool, all bool, anchor byte) string {
	var b strings.Builder
	for i := 0; i <= len(t); {
		end := -1
		for j := len(t); j >= i; j-- {
			if (j > i || anchor != 0) && match(t[i:j]) && (anchor != '%' || j == len(t)) {
				end = j
				break
			}
		}
		if end < 0 || anchor == '#' && i > 0 {
			if i < len(t) {
				b.WriteByte(t[i])
			}
			i++
			continue
		}
		b.WriteString(to)
		if !all || end == i {
			return b.String() + t[end:]
		}
		i = end
	}
	return b.String()
}

// at is the positional parameter n, from 1.
func (p *params) at(n int) variable {
	if n <= len(p.vals) && !p.open {
		return variable{val: p.vals[n-1], set: yes}
	}
	if p.open {
		return variable{val: Unknown("an argument that is not known"), set: maybe}
	}
	return variable{val: Known(""), set: no}
}
