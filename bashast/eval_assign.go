package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign sets a scalar variable, or what a name reference leads to (bash
// manual 3.4).
func (e *evaluator) assign(sh *shell, name string, v Value) {
	e.assignWith(sh, name, v, 0)
}

// assignWith sets a variable and gives it attributes.
func (e *evaluator) assignWith(sh *shell, name string, v Value, add attrs) {
	if base, sub, ok := cutSubscript(name); ok && validName(base) {
		old, base := e.deref(sh, base)
		key, known := e.textKey(sh, old, sub)
		e.assignElement(sh, base, key, known, v, false)
		return
	}
	old := sh.lookup(name)
	for i := 0; old.attrs&attrRef != 0 && add&attrRef == 0 && i < 8; i++ {
		target, ok := old.val.Text()
		if !ok {
			e.havoc(sh)
			return
		}
		if target == "" {
			break
		}
		if _, _, indexed := cutSubscript(target); indexed {
			e.assignWith(sh, target, v, add)
			return
		}
		name = target
		old = sh.lookup(name)
	}
	if old.attrs&attrReadonly != 0 && add&attrReadonly == 0 {
		return
	}
	n := variable{val: e.converted(sh, old.attrs|add, v), set: yes, attrs: e.attrsAfter(sh, old, add)}
	if old.array() {
		n.elems = old.elems.with("0", n.val, n.attrs&attrIndexed != 0)
		n.val = Value{}
	}
	e.set(sh, name, n)
}

// attrsAfter are the attributes of a variable after an assignment.
func (e *evaluator) attrsAfter(sh *shell, old variable, add attrs) attrs {
	a := old.attrs | add
	if add&attrExport != 0 {
		a &^= attrMaybeExport
	}
	switch sh.opts.get(optAllexport) {
	case yes:
		a = a&^attrMaybeExport | attrExport
	case maybe:
		if a&attrExport == 0 {
			a |= attrExport | attrMaybeExport
		}
	}
	return a
}

// set puts a variable in place.
func (e *evaluator) set(sh *shell, name string, v variable) {
	if e.assigned != nil {
		j := v
		if old, ok := e.assigned[name]; ok {
			j = joinVariables(old, v)
		}
		e.assigned[name] = j
	}
	sh.put(name, &v)
}

// converted is a value as the attributes of its variable make it.
func (e *evaluator) converted(sh *shell, a attrs, v Value) Value {
	switch {
	case a&attrInteger != 0:
		text, ok := v.Text()
		if !ok {
			return unknownAtom("a number that is not known")
		}
		return e.arithText(sh, text).value()
	case a&attrLower != 0:
		return caseOf(v, "a value in lower case", strings.ToLower)
	case a&attrUpper != 0:
		return caseOf(v, "a value in upper case", strings.ToUpper)
	}
	return v
}

// assignElement sets one element of an array.
func (e *evaluator) assignElement(sh *shell, name, key string, known bool, v Value, add bool) {
	old := sh.lookup(name)
	if old.attrs&attrReadonly != 0 {
		return
	}
	n := old
	if !old.array() {
		n.elems = nil
		switch old.set {
		case yes:
			n.elems = n.elems.with("0", old.val, true)
		case maybe:
			n.elems = &elements{open: true}
		}
		n.attrs |= attrIndexed
		n.val = Value{}
	}
	n.set = yes
	if !known {
		n.elems = &elements{open: true}
		e.set(sh, name, n)
		return
	}
	if add {
		before, _ := n.elems.get(key)
		v = e.appended(sh, n.attrs, before, v)
	}
	n.elems = n.elems.with(key, e.converted(sh, n.attrs, v), n.attrs&attrAssoc == 0)
	e.set(sh, name, n)
}

// appended is the value after +=.
func (e *evaluator) appended(sh *shell, a attrs, old, v Value) Value {
	if a&attrInteger == 0 {
		return Concat(old, v)
	}
	x, ok1 := old.Text()
	y, ok2 := v.Text()
	if !ok1 || !ok2 {
		return unknownAtom("a number that is not known")
	}
	if x == "" {
		x = "0"
	}
	return Known("(" + x + ")+(" + y + ")")
}

// assignSubject sets what an expansion with := is about.
func (e *evaluator) assignSubject(sh *shell, s subject, v Value) {
	switch {
	case s.name == "" || s.list || !validName(s.name):
	case s.sub == "" || s.sub == "0":
		e.assign(sh, s.name, v)
	default:
		e.assignElement(sh, s.name, s.sub, s.sub != "?", v, false)
	}
}

// assignNode makes an assignment that stands in the line. It returns the
// name and the value.
func (e *evaluator) assignNode(sh *shell, a *syntax.Assign, add attrs) (string, Value) {
	if a.Name == nil {
		return "", Value{}
	}
	name := a.Name.Value
	if a.Array != nil {
		return name, e.assignArray(sh, name, a, add)
	}
	v := e.assignedValue(sh, a.Value)
	if a.Index != nil {
		old, name := e.deref(sh, name)
		key, known := e.key(sh, old, a.Index)
		e.assignElement(sh, name, key, known, v, a.Append)
		return name, v
	}
	if a.Append {
		old, _ := e.deref(sh, name)
		s := e.element(old, name, "0")
		v = e.appended(sh, old.attrs, s.maybeEmpty(), v)
	}
	e.assignWith(sh, name, v, add)
	return name, v
}

// assignArray makes a compound assignment (bash manual 6.7).
func (e *evaluator) assignArray(sh *shell, name string, a *syntax.Assign, add attrs) Value {
	old, target := e.deref(sh, name)
	n := variable{set: yes, attrs: e.attrsAfter(sh, old, add)}
	if n.attrs&attrAssoc == 0 {
		n.attrs |= attrIndexed
	}
	if a.Append {
		n.elems = old.elems
		if !old.array() && old.set != no {
			n.elems = n.elems.with("0", old.val, true)
			n.elems.open = old.set == maybe
		}
	}
	if n.elems == nil {
		n.elems = &elements{}
	}
	var key string
	next := n.elems.next()
	for _, el := range a.Array.Elems {
		if !e.step(sh) {
			break
		}
		if el.Index != nil {
			v := e.assignedValue(sh, el.Value)
			k, known := e.key(sh, n, el.Index)
			if !known {
				n.elems = &elements{open: true}
				continue
			}
			n.elems = n.elems.with(k, e.converted(sh, n.attrs, v), n.attrs&attrAssoc == 0)
			next = n.elems.next()
			continue
		}
		for _, w := range e.wordsJoined(sh, []*syntax.Word{el.Value}) {
			switch {
			case w.Many:
				n.elems = &elements{open: true}
			case n.attrs&attrAssoc != 0:
				key, n.elems = e.pair(key, w.Value, n.elems)
			default:
				n.elems = n.elems.with(strconv.Itoa(next), e.converted(sh, n.attrs, w.Value), true)
				next++
			}
		}
	}
	if old.attrs&attrReadonly == 0 {
		e.set(sh, target, n)
	}
	return Unknown("an array")
}

// pair takes a word of an associative array that is written as keys and
// values in turn.
func (e *evaluator) pair(key string, v Value, elems *elements) (string, *elements) {
	if key == "" {
		text, ok := v.Text()
		if !ok {
			return "", &elements{open: true}
		}
		return "k" + text, elems.with(text, Known(""), false)
	}
	return "", elems.with(key[1:], v, false)
}

// havoc forgets the value of every variable, after an assignment to one that
// is not known.
func (e *evaluator) havoc(sh *shell) {
	sh.commit()
	why := "any variable may have been set"
	for _, name := range append(sh.names(""), "HOME", "IFS", "PATH", "PWD", "OLDPWD") {
		v := sh.lookup(name)
		v.val, v.set = Unknown(why), maybe
		if v.array() {
			v.elems = &elements{open: true}
		}
		e.set(sh, name, v)
	}
	for name := range sh.ctx.env.Vars {
		sh.put(name, &variable{val: Unknown(why), set: maybe, attrs: attrExport})
	}
}
