package bashast

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// subject is what a parameter expansion is about, before its operator.
type subject struct {
	// list is true for $@, $*, ${a[@]} and ${a[*]}.
	list bool
	// star is true where a quoted list is one word.
	star bool
	vals []Value
	keys []string
	// open is true when there may be more or other elements.
	open bool
	// val is the value of a scalar.
	val Value
	set tri
	// positional is true for $@ and $*, whose slices count $0.
	positional bool
	// name is that of the variable, for assignments by := and messages.
	name string
	sub  string
	attr attrs
}

// param expands a parameter (bash manual 3.5.3).
func (e *evaluator) param(sh *shell, p *syntax.ParamExp, q quoting, out []piece) []piece {
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || p.Width || p.IsSet || len(p.Modifiers) > 0 {
		e.programProblem(ProblemSyntax, "an expansion that bash does not have", sh.span(p))
		return append(out, piece{v: Unknown("an expansion that bash does not have"), many: q == unquoted})
	}
	if p.Names != 0 {
		return e.emit(sh, e.prefixNames(sh, p), q, out)
	}
	if p.Excl && p.Index != nil && isListIndex(p.Index) && p.Exp == nil && p.Repl == nil && p.Slice == nil {
		return e.emit(sh, e.arrayKeys(sh, p), q, out)
	}
	s := e.subjectOf(sh, p.Param.Value, p.Index)
	if p.Excl {
		s = e.indirect(sh, s)
	}
	switch {
	case p.Length:
		return append(out, piece{v: e.length(s), kind: splitKind(q)})
	case p.Slice != nil:
		return e.emit(sh, e.slice(sh, s, p.Slice), q, out)
	case p.Repl != nil:
		return e.emit(sh, e.replace(sh, s, p.Repl, q), q, out)
	case p.Exp != nil:
		return e.operate(sh, s, p, q, out)
	}
	if s.set != yes && !s.list && sh.opts.get(optNounset) == yes && s.set == no {
		e.abort(sh)
	}
	return e.emit(sh, s, q, out)
}

// abort notes an error that ends a shell which is not interactive.
func (e *evaluator) abort(sh *shell) {
	sh.status = statusFailure
	sh.ctx.exit.land(sh)
	sh.dead = true
}

func splitKind(q quoting) pieceKind {
	if q == unquoted {
		return pieceSplit
	}
	return pieceQuoted
}

// emit makes pieces of a subject.
func (e *evaluator) emit(sh *shell, s subject, q quoting, out []piece) []piece {
	if !s.list {
		return append(out, piece{v: s.maybeEmpty(), kind: splitKind(q)})
	}
	if s.star && q != unquoted {
		return append(out, piece{v: e.joined(sh, s), kind: pieceQuoted})
	}
	if q == inHereDoc {
		return append(out, piece{v: e.joined(sh, s), kind: pieceQuoted})
	}
	if len(s.vals) == 0 && !s.open {
		return append(out, piece{kind: pieceNone})
	}
	for i, v := range s.vals {
		out = append(out, piece{v: v, kind: splitKind(q), brk: i > 0})
	}
	if s.open {
		why := "the elements of " + s.name
		out = append(out, piece{v: Unknown(why), many: true, brk: len(s.vals) > 0})
	}
	return out
}

// maybeEmpty is the value of a scalar that may be unset.
func (s subject) maybeEmpty() Value {
	switch s.set {
	case no:
		return Known("")
	case maybe:
		if s.val.Kind() != UnknownKind || s.val.atom {
			return Join(s.val, Known(""))
		}
	}
	return s.val
}

// joined is the single word that a list becomes.
func (e *evaluator) joined(sh *shell, s subject) Value {
	sep := Known(" ")
	if s.star {
		ifs := sh.separators()
		switch {
		case !ifs.known:
			sep = Unknown("the separator is not known")
		case ifs.chars == "":
			sep = Known("")
		default:
			sep = Known(ifs.chars[:1])
		}
	}
	v := Known("")
	for i, x := range s.vals {
		if i > 0 {
			v = Concat(v, sep)
		}
		v = Concat(v, x)
	}
	if s.open {
		v = Concat(v, Unknown("the elements of "+s.name))
	}
	return v
}

func isListIndex(x syntax.ArithmExpr) bool {
	t := listIndex(x)
	return t == '@' || t == '*'
}

func listIndex(x syntax.ArithmExpr) byte {
	w, ok := x.(*syntax.Word)
	if !ok || len(w.Parts) != 1 {
		return 0
	}
	if lit, ok := w.Parts[0].(*syntax.Lit); ok && len(lit.Value) == 1 {
		return lit.Value[0]
	}
	return 0
}

// subjectOf is what $name or ${name[index]} is about.
func (e *evaluator) subjectOf(sh *shell, name string, index syntax.ArithmExpr) subject {
	if s, ok := e.special(sh, name); ok {
		return s
	}
	v, name := e.deref(sh, name)
	if index == nil {
		return e.element(v, name, "0")
	}
	switch listIndex(index) {
	case '@':
		return e.all(v, name, false)
	case '*':
		return e.all(v, name, true)
	}
	key, ok := e.key(sh, v, index)
	if !ok {
		return subject{val: Unknown("an element of " + name + " that is not known"), set: maybe, name: name, sub: "?"}
	}
	return e.element(v, name, key)
}

// element is one element of an array, or the value of a scalar.
func (e *evaluator) element(v variable, name, key string) subject {
	s := subject{name: name, sub: key, attr: v.attrs}
	switch {
	case v.elems != nil || v.array():
		s.val, s.set = v.elems.get(key)
	case key != "0":
		s.val, s.set = Known(""), no
		if v.set == maybe && v.val.Kind() == UnknownKind {
			s.val, s.set = v.val, maybe
		}
	default:
		s.val, s.set = v.val, v.set
	}
	return s
}

// all is every element of an array.
func (e *evaluator) all(v variable, name string, star bool) subject {
	s := subject{list: true, star: star, name: name, attr: v.attrs}
	switch {
	case v.elems != nil || v.array():
		if v.elems != nil {
			s.vals, s.keys, s.open = v.elems.vals, v.elems.keys, v.elems.open
			if s.open {
				s.vals, s.keys = nil, nil
			}
		}
	case v.set == yes:
		s.vals, s.keys = []Value{v.val}, []string{"0"}
	case v.set == maybe:
		s.open = true
	}
	s.set = triOf(len(s.vals) > 0)
	if s.open {
		s.set = maybe
	}
	return s
}

// special is a parameter that is no variable (bash manual 3.4.1 and 3.4.2).
func (e *evaluator) special(sh *shell, name string) (subject, bool) {
	s := subject{name: name, set: yes}
	switch name {
	case "@", "*":
		s.list, s.star, s.positional = true, name == "*", true
		s.vals, s.open = sh.args.vals, sh.args.open
		s.set = triOf(len(s.vals) > 0)
		if s.open {
			s.set = maybe
		}
	case "#":
		s.val = Known(strconv.Itoa(len(sh.args.vals)))
		if sh.args.open {
			s.val = unknownAtom("the number of arguments")
		}
	case "?":
		s.val = unknownAtom("the status of an earlier command")
		if sh.status >= 0 {
			s.val = Known(strconv.Itoa(int(sh.status)))
		}
	case "$":
		s.val = unknownAtom("the number of a process")
	case "!":
		s.val, s.set = unknownAtom("the number of a process"), maybe
	case "-":
		s.val = Unknown("the options in force")
	case "0":
		s.val = sh.ctx.name
		if sh.ctx.name.Why() == "" && !sh.ctx.name.Resolved() {
			s.val = Unknown("the name of the shell")
		}
	default:
		n, err := strconv.Atoi(name)
		if err != nil || name == "" {
			return subject{}, false
		}
		s.val, s.set = sh.args.get(n)
	}
	return s, true
}

// get is the positional parameter n, counted from 1.
func (p *params) get(n int) (Value, tri) {
	switch {
	case n >= 1 && n <= len(p.vals):
		return p.vals[n-1], yes
	case p.open:
		return Unknown("$" + strconv.Itoa(n) + " is not known"), maybe
	}
	return Known(""), no
}

// deref follows name references to the variable that is meant.
func (e *evaluator) deref(sh *shell, name string) (variable, string) {
	v := sh.lookup(name)
	for range 8 {
		if v.attrs&attrRef == 0 {
			return v, name
		}
		target, ok := v.val.Text()
		if !ok || target == "" {
			return variable{val: Unknown("what " + name + " refers to"), set: maybe}, name
		}
		base, sub, indexed := cutSubscript(target)
		if indexed {
			s := e.textElement(sh, base, sub)
			if s.list {
				return variable{set: s.set, attrs: attrIndexed, elems: &elements{keys: s.keys, vals: s.vals, open: s.open}}, base
			}
			return variable{val: s.val, set: s.set}, base
		}
		name = target
		v = sh.lookup(name)
	}
	return variable{val: Unknown("a reference to itself"), set: maybe}, name
}

// cutSubscript splits name[sub].
func cutSubscript(text string) (name, sub string, ok bool) {
	i := strings.IndexByte(text, '[')
	if i <= 0 || !strings.HasSuffix(text, "]") {
		return text, "", false
	}
	return text[:i], text[i+1 : len(text)-1], true
}

// textElement is what a subscript given as a text leads to. The shell expands
// such a text and evaluates it, so that what it substitutes runs.
func (e *evaluator) textElement(sh *shell, name, sub string) subject {
	v, name := e.deref(sh, name)
	switch sub {
	case "@":
		return e.all(v, name, false)
	case "*":
		return e.all(v, name, true)
	}
	key, ok := e.textKey(sh, v, sub)
	if !ok {
		return subject{val: Unknown("an element of " + name + " that is not known"), set: maybe, name: name, sub: "?"}
	}
	return e.element(v, name, key)
}

// textKey is the key that a subscript given as a text stands for.
func (e *evaluator) textKey(sh *shell, v variable, sub string) (string, bool) {
	if v.attrs&attrAssoc != 0 {
		text := e.textDocument(sh, sub)
		return text.Text()
	}
	n := e.arithText(sh, sub)
	return indexKey(v, n)
}

// key is the key that a subscript in the line stands for.
func (e *evaluator) key(sh *shell, v variable, index syntax.ArithmExpr) (string, bool) {
	if v.attrs&attrAssoc != 0 {
		if w, ok := index.(*syntax.Word); ok {
			return e.scalar(sh, w).Text()
		}
		e.arith(sh, index)
		return "", false
	}
	return indexKey(v, e.arith(sh, index))
}

// indexKey is the key of an index, which counts from the end if negative.
func indexKey(v variable, n number) (string, bool) {
	if !n.known {
		return "", false
	}
	if n.n < 0 {
		if v.elems != nil && v.elems.open {
			return "", false
		}
		n.n += int64(v.elems.next())
	}
	return strconv.FormatInt(n.n, 10), true
}

// indirect is what ${!name} is about.
func (e *evaluator) indirect(sh *shell, s subject) subject {
	if s.list {
		s.val = e.joined(sh, s)
	}
	if s.attr&attrRef != 0 {
		return s
	}
	target, ok := s.val.Text()
	if !ok || s.set != yes {
		return subject{val: Unknown("the variable that " + s.name + " names"), set: maybe, name: s.name, sub: "?"}
	}
	if name, sub, indexed := cutSubscript(target); indexed {
		return e.textElement(sh, name, sub)
	}
	if validName(target) {
		v, name := e.deref(sh, target)
		return e.element(v, name, "0")
	}
	if t, ok := e.special(sh, target); ok {
		return t
	}
	return subject{val: Known(""), set: no, name: target}
}

// prefixNames are the names that begin with a prefix.
func (e *evaluator) prefixNames(sh *shell, p *syntax.ParamExp) subject {
	s := subject{list: true, star: p.Names == syntax.NamesPrefix, name: "!" + p.Param.Value}
	names := map[string]bool{}
	for _, name := range sh.names(p.Param.Value) {
		names[name] = sh.lookup(name).set == yes
		s.open = s.open || sh.lookup(name).set == maybe
	}
	env := sh.ctx.env
	for name := range env.Vars {
		if _, ok := names[name]; !ok && strings.HasPrefix(name, p.Param.Value) {
			names[name] = true
		}
	}
	s.open = s.open || !env.Sealed || shellNames(p.Param.Value)
	if s.open {
		s.set = maybe
		return s
	}
	for name, set := range names {
		if set {
			s.keys = append(s.keys, name)
		}
	}
	slices.Sort(s.keys)
	for _, k := range s.keys {
		s.vals = append(s.vals, Known(k))
	}
	s.set = triOf(len(s.vals) > 0)
	return s
}

// shellNames reports whether a variable that the shell itself makes may begin
// with prefix.
func shellNames(prefix string) bool {
	for _, p := range []string{
		"BASH", "COLUMNS", "COMP_WORDBREAKS", "DIRSTACK", "EPOCH", "EUID", "FUNCNAME", "GROUPS", "HIST", "HOST", "IFS",
		"LINENO", "LINES", "MACHTYPE", "OLDPWD", "OPT", "OSTYPE", "PATH", "PIPESTATUS", "PPID", "PS4", "PWD", "RANDOM",
		"SECONDS", "SHELL", "SHLVL", "SRANDOM", "TERM", "UID", "_",
	} {
		if strings.HasPrefix(p, prefix) || strings.HasPrefix(prefix, p) && (p == "BASH" || p == "EPOCH" || p == "HIST" || p == "HOST" || p == "OPT" || p == "SHELL") {
			return true
		}
	}
	return false
}

// arrayKeys is ${!a[@]}.
func (e *evaluator) arrayKeys(sh *shell, p *syntax.ParamExp) subject {
	v, name := e.deref(sh, p.Param.Value)
	s := e.all(v, name, listIndex(p.Index) == '*')
	s.vals = nil
	for _, k := range s.keys {
		s.vals = append(s.vals, Known(k))
	}
	if v.attrs&attrAssoc != 0 && len(s.vals) > 1 {
		// The order of an associative array is not told.
		s.vals, s.keys, s.open = nil, nil, true
	}
	return s
}

// length is ${#…}.
func (e *evaluator) length(s subject) Value {
	if s.list {
		if s.open {
			return unknownAtom("the number of elements")
		}
		return Known(strconv.Itoa(len(s.vals)))
	}
	v := s.maybeEmpty()
	if v.Resolved() && ascii(v) {
		return v.mapText("", func(t string) string { return strconv.Itoa(len(t)) })
	}
	return unknownAtom("the length of " + s.name)
}

// ascii reports whether characters of v are bytes in every locale.
func ascii(v Value) bool {
	for _, t := range v.Texts() {
		for i := 0; i < len(t); i++ {
			if t[i] >= 0x80 {
				return false
			}
		}
	}
	return true
}

// slice is ${name:offset:length}.
func (e *evaluator) slice(sh *shell, s subject, sl *syntax.Slice) subject {
	from := number{known: true}
	if sl.Offset != nil {
		from = e.arith(sh, sl.Offset)
	}
	length := number{known: true, n: -1}
	hasLength := sl.Length != nil
	if hasLength {
		length = e.arith(sh, sl.Length)
	}
	if s.list {
		return sliceList(sh, s, from, length, hasLength)
	}
	v := s.maybeEmpty()
	s.set = yes
	if !from.known || !length.known || v.Resolved() && !ascii(v) {
		s.val = Unknown("a part of " + s.name)
		return s
	}
	s.val = v.mapText("a part of "+s.name, func(t string) string { return substring(t, from.n, length.n, hasLength) })
	return s
}

func substring(t string, from, length int64, hasLength bool) string {
	n := int64(len(t))
	if from < 0 {
		from += n
	}
	if from < 0 || from > n {
		return ""
	}
	end := n
	if hasLength {
		if end = from + length; length < 0 {
			end = n + length
		}
	}
	if end < from {
		return ""
	}
	return t[from:min(end, n)]
}

func sliceList(sh *shell, s subject, from, length number, hasLength bool) subject {
	if s.open || !from.known || !length.known {
		s.vals, s.keys, s.open = nil, nil, true
		return s
	}
	vals := s.vals
	start := from.n
	if s.positional {
		name := sh.ctx.name
		if name.Why() == "" && !name.Resolved() {
			name = Unknown("the name of the shell")
		}
		if start <= 0 {
			vals = append([]Value{name}, vals...)
		} else {
			start--
		}
		if start < 0 {
			start += int64(len(vals))
		}
	} else if start < 0 {
		start += int64(lastKey(s.keys)) + 1
	}
	var out []Value
	for i, v := range vals {
		at := int64(i)
		if !s.positional {
			k, _ := strconv.Atoi(s.keys[i])
			at = int64(k)
			if s.attr&attrAssoc != 0 {
				at = int64(i)
			}
		}
		if start < 0 || at < start || hasLength && int64(len(out)) >= length.n {
			continue
		}
		out = append(out, v)
	}
	s.vals, s.keys = out, nil
	return s
}

func lastKey(keys []string) int {
	if len(keys) == 0 {
		return -1
	}
	n, _ := strconv.Atoi(keys[len(keys)-1])
	return n
}
