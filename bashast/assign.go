package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign sets a scalar variable, as its attributes demand.
func (e *evaluator) assign(sh *shell, name string, v Value) {
	old := sh.lookup(name)
	if old.attrs&attrRef != 0 {
		if target, ok := old.val.Text(); ok && target != name {
			e.assign(sh, target, v)
			return
		}
	}
	switch {
	case old.attrs&attrInteger != 0:
		text, known := v.Text()
		if known {
			v = e.arithText(sh, text, nil, 0).value()
		} else {
			v = unknownAtom("an integer")
		}
	case old.attrs&attrUpper != 0:
		v = v.mapText("", strings.ToUpper)
	case old.attrs&attrLower != 0:
		v = v.mapText("", strings.ToLower)
	}
	next := variable{val: v, set: yes, attrs: old.attrs}
	if old.array() || old.elems != nil {
		next.elems = old.elems.with("0", v, true)
		next.val = Value{}
	}
	sh.put(name, &next)
}

func (e *evaluator) assignElement(sh *shell, name string, index syntax.ArithmExpr, v Value) {
	old := sh.lookup(name)
	if old.elems == nil && !old.array() && old.set == yes {
		old.elems = old.elems.with("0", old.val, true)
	}
	key, known := e.key(sh, old, index)
	next := variable{set: yes, attrs: old.attrs}
	if next.attrs&attrAssoc == 0 {
		next.attrs |= attrIndexed
	}
	if !known {
		next.elems = &elements{open: true}
	} else {
		next.elems = old.elems.with(key, v, next.attrs&attrAssoc == 0)
	}
	sh.put(name, &next)
}

// assignment evaluates one assignment of the line and lists it.
func (e *evaluator) assignment(sh *shell, a *syntax.Assign, export bool) []Assign {
	if a.Name == nil {
		return nil
	}
	name := a.Name.Value
	span := sh.span(a)
	switch {
	case a.Array != nil:
		e.assignArray(sh, name, a)
		return []Assign{{Name: name, Value: Unknown("an array"), Append: a.Append, Exported: export, Span: span}}
	case a.Naked:
		return nil
	}
	v := e.assignedValue(sh, a)
	if a.Index != nil {
		e.visitIndex(sh, a.Index)
		e.assignElement(sh, name, a.Index, v)
	} else {
		if a.Append {
			old := sh.deref(name)
			if old.elems != nil {
				v = Unknown("an element that is added to")
			} else {
				v = Concat(old.value(), v)
			}
		}
		e.assign(sh, name, v)
	}
	if export {
		sh.export(name)
	}
	return []Assign{{Name: name, Value: v, Append: a.Append, Exported: export || sh.lookup(name).attrs&attrExport != 0, Span: span}}
}

// assignedValue is the value of an assignment: tildes count after = and colons.
func (e *evaluator) assignedValue(sh *shell, a *syntax.Assign) Value {
	if a.Value == nil {
		return Known("")
	}
	if lit := a.Value.Lit(); lit != "" && strings.Contains(lit, "~") && !strings.Contains(lit, "\\") {
		v := Known("")
		for i, part := range strings.Split(lit, ":") {
			if i > 0 {
				v = Concat(v, Known(":"))
			}
			if strings.HasPrefix(part, "~") {
				head, rest := e.tilde(sh, part)
				v = Concat(Concat(v, head), Known(rest))
				continue
			}
			v = Concat(v, Known(part))
		}
		return v
	}
	return e.scalar(sh, a.Value)
}

// export marks a variable as seen by programs.
func (s *shell) export(name string) {
	v := s.lookup(name)
	v.attrs |= attrExport
	s.put(name, &v)
}

func (e *evaluator) assignArray(sh *shell, name string, a *syntax.Assign) {
	old := sh.lookup(name)
	next := variable{set: yes, attrs: old.attrs}
	if next.attrs&attrAssoc == 0 {
		next.attrs |= attrIndexed
	}
	els := &elements{}
	if a.Append && old.elems != nil {
		els = old.elems
	}
	for _, el := range a.Array.Elems {
		els = e.arrayElement(sh, next, els, el)
	}
	next.elems = els
	sh.put(name, &next)
}

func (e *evaluator) arrayElement(sh *shell, v variable, els *elements, el *syntax.ArrayElem) *elements {
	if el.Index != nil {
		e.visitIndex(sh, el.Index)
		key, known := e.key(sh, v, el.Index)
		val := e.scalar(sh, el.Value)
		if !known {
			return &elements{open: true}
		}
		return els.with(key, val, v.attrs&attrAssoc == 0)
	}
	for _, w := range e.words(sh, []*syntax.Word{el.Value}) {
		if w.Many {
			els = &elements{keys: els.keys, vals: els.vals, open: true}
			continue
		}
		els = els.with(numberOf(int64(els.next())).value().text, w.Value, true)
	}
	return els
}

// declClause is export, declare, local, readonly, typeset (bash manual 4.2).
func (e *evaluator) declClause(sh *shell, st *syntax.Stmt, d *syntax.DeclClause) {
	kind := d.Variant.Value
	span := sh.span(st)
	c := Command{
		Words: []Word{{Value: Known(kind), Span: span}}, Dir: sh.dir, Via: sh.ctx.via, Span: span, Builtin: true,
		Stdin: Unknown("standard input"),
	}
	var set, clear attrs
	if kind == "export" {
		set = attrExport
	}
	if kind == "nameref" {
		set = attrRef
	}
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			e.declWord(sh, &c, a, &set, &clear, kind)
			continue
		}
		e.declare(sh, &c, a, set, clear, kind)
	}
	e.prog.Commands = append(e.prog.Commands, c)
	e.lookupAssigns(sh, len(e.prog.Commands)-1, c.Assigns)
	sh.status = 0
}

// declWord is an argument of a declaration that is computed: an option, a
// name, or an assignment.
func (e *evaluator) declWord(sh *shell, c *Command, a *syntax.Assign, set, clear *attrs, kind string) {
	for _, w := range e.words(sh, []*syntax.Word{a.Value}) {
		c.Words = append(c.Words, w)
		text, known := w.Text()
		switch {
		case !known || w.Many:
			c.Problems = append(c.Problems, Problem{
				Code: ProblemOption, Reason: "a declaration whose words are not known: " + w.Why(), Span: w.Span,
			})
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "+"):
			s, cl := declOptions(text)
			*set |= s
			*clear |= cl
			if kind == "export" && strings.Contains(text, "n") {
				*clear |= attrExport
				*set &^= attrExport
			}
		default:
			e.declText(sh, c, text, *set, w.Span)
		}
	}
}

// declText is name=value or name as a computed word.
func (e *evaluator) declText(sh *shell, c *Command, text string, set attrs, span Span) {
	name, value, ok := strings.Cut(text, "=")
	name, _, subscript := strings.Cut(name, "[")
	if subscript && strings.ContainsAny(text, "$`") {
		c.Problems = append(c.Problems, Problem{
			Code: ProblemScript, Reason: "a subscript in a computed word can run commands", Span: span,
		})
	}
	if !isName(name) {
		return
	}
	if ok && !subscript {
		e.assign(sh, name, Known(value))
		c.Assigns = append(c.Assigns, Assign{Name: name, Value: Known(value), Exported: set&attrExport != 0, Span: span})
	}
	v := sh.lookup(name)
	v.attrs |= set
	sh.put(name, &v)
}

func declOptions(text string) (set, clear attrs) {
	letters := map[byte]attrs{
		'x': attrExport, 'r': attrReadonly, 'i': attrInteger, 'l': attrLower, 'u': attrUpper, 'n': attrRef,
		'a': attrIndexed, 'A': attrAssoc, 't': attrTrace,
	}
	for i := 1; i < len(text); i++ {
		if text[0] == '-' {
			set |= letters[text[i]]
		} else {
			clear |= letters[text[i]]
		}
	}
	return set, clear
}

func (e *evaluator) declare(sh *shell, c *Command, a *syntax.Assign, set, clear attrs, kind string) {
	name := a.Name.Value
	local := sh.ctx.fn != nil && kind != "export" && kind != "readonly"
	if local {
		sh.makeLocal(name)
	}
	v := sh.lookup(name)
	if local && !sh.isOwnLocal(name) {
		v = variable{val: Known(""), set: no}
		sh.ctx.fn.locals = append(sh.ctx.fn.locals, name)
	}
	v.attrs = v.attrs&^clear | set
	sh.put(name, &v)
	c.Assigns = append(c.Assigns, e.assignment(sh, a, v.attrs&attrExport != 0)...)
	c.Words = append(c.Words, Word{Value: Known(name), Span: sh.span(a)})
}

// makeLocal remembers the value to put back when the function returns.
func (s *shell) makeLocal(name string) {
	frame := s.ctx.fn
	if _, done := frame.saved[name]; done {
		return
	}
	if frame.saved == nil {
		frame.saved = map[string]variable{}
	}
	frame.saved[name] = s.lookup(name)
}

func (s *shell) isOwnLocal(name string) bool {
	for _, l := range s.ctx.fn.locals {
		if l == name {
			return true
		}
	}
	return false
}

// letClause is let (bash manual 4.2).
func (e *evaluator) letClause(sh *shell, c *syntax.LetClause) {
	var n number
	for _, x := range c.Exprs {
		n = e.arith(sh, x)
	}
	sh.status = statusOf(n.truth())
}
