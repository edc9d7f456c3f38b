package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declaration is one call of declare, typeset, local, export, readonly or
// nameref (bash manual 4.2).
type declaration struct {
	e    *evaluator
	sh   *shell
	name string
	cmd  *Command
	at   int
	// add and drop are the attributes that options give and take.
	add, drop attrs
	// global is -g, funcs -f or -F, unexport -n of export, print -p.
	global, funcs, unexport, print bool
	// done is true once the options are over.
	done bool
	// wrong is true once an option is none, after which nothing is declared.
	wrong bool
}

// declClause evaluates a declaration that the parser knows as one.
func (e *evaluator) declClause(sh *shell, st *syntax.Stmt, c *syntax.DeclClause) {
	name := c.Variant.Value
	cmd := Command{Dir: sh.dir, Via: sh.ctx.via, Span: sh.span(st), Builtin: true}
	cmd.Words = append(cmd.Words, Word{Value: Known(name), Span: sh.span(c.Variant)})
	at := e.list(cmd)
	restore := e.redirects(sh, st.Redirs, &cmd, at)
	cmd.Dir = sh.dir
	sh.status = 0
	if f := sh.function(name); f != nil && len(f.bodies) > 0 {
		for _, a := range c.Args {
			cmd.Words = append(cmd.Words, e.argWords(sh, a)...)
		}
		cmd.Builtin = false
		e.start(sh, at, &cmd, 0, modePlain)
		restore(sh)
		return
	}
	d := e.declaring(sh, name, &cmd, at)
	if name == "local" && sh.ctx.fn == nil {
		d.wrong = true
		sh.status = 1
	}
	for _, a := range c.Args {
		d.arg(a)
	}
	for _, as := range cmd.Assigns {
		e.judgeAssign(sh, &cmd, at, as)
	}
	cmd.Stdin, cmd.Piped, cmd.PipedFrom = sh.in.val, sh.in.piped, sh.in.from
	e.setCommand(at, &cmd)
	if d.print && sh.capture {
		e.printed(sh, Unknown("the output of "+name))
	}
	restore(sh)
	e.mayStop(sh)
}

func (e *evaluator) declaring(sh *shell, name string, cmd *Command, at int) *declaration {
	d := &declaration{e: e, sh: sh, name: name, cmd: cmd, at: at}
	switch name {
	case "export":
		d.add = attrExport
	case "readonly":
		d.add = attrReadonly
	case "nameref":
		d.add = attrRef
	}
	return d
}

// argWords are the words that an argument is for a function of that name.
func (e *evaluator) argWords(sh *shell, a *syntax.Assign) []Word {
	if a.Name == nil {
		return e.wordsJoined(sh, []*syntax.Word{a.Value})
	}
	if a.Naked {
		return []Word{{Value: Known(a.Name.Value), Span: sh.span(a)}}
	}
	v := Unknown("an array")
	if a.Array == nil {
		v = e.assignedValue(sh, a.Value)
	}
	return []Word{{Value: Concat(Known(a.Name.Value+"="), v), Span: sh.span(a)}}
}

// arg evaluates one argument as it stands in the line.
func (d *declaration) arg(a *syntax.Assign) {
	if a.Name == nil || a.Naked && a.Index == nil && a.Name == nil {
		for _, w := range d.e.wordsJoined(d.sh, []*syntax.Word{a.Value}) {
			d.cmd.Words = append(d.cmd.Words, w)
			d.word(w)
		}
		return
	}
	d.done = true
	name := a.Name.Value
	if d.wrong {
		d.cmd.Words = append(d.cmd.Words, d.e.argWords(d.sh, a)...)
		return
	}
	if a.Naked {
		w := Word{Value: Known(name), Span: d.sh.span(a)}
		d.cmd.Words = append(d.cmd.Words, w)
		d.declare(name)
		return
	}
	if d.funcs {
		return
	}
	// The value is expanded before the variable becomes local.
	var v Value
	if a.Array == nil && a.Index == nil && !a.Append {
		v = d.e.assignedValue(d.sh, a.Value)
		if d.compound(name, v) {
			d.cmd.Words = append(d.cmd.Words, Word{Value: Concat(Known(name+"="), v), Span: d.sh.span(a)})
			return
		}
		d.prepare(name)
		d.e.assignWith(d.sh, name, v, d.given())
	} else {
		d.prepare(name)
		d.mark(name)
		_, v = d.e.assignNode(d.sh, a, d.given())
	}
	d.after(name)
	d.note(Assign{Name: name, Value: v, Append: a.Append, Span: d.sh.span(a)})
	word := Concat(Known(name+"="), v)
	d.cmd.Words = append(d.cmd.Words, Word{Value: word, Span: d.sh.span(a)})
}

// note lists an assignment.
func (d *declaration) note(as Assign) {
	as.Exported = d.sh.lookup(as.Name).attrs&attrExport != 0
	d.cmd.Assigns = append(d.cmd.Assigns, as)
}

// word evaluates an argument that is known only after its expansion.
func (d *declaration) word(w Word) {
	text, ok := w.Text()
	if d.wrong {
		return
	}
	if !ok || w.Many {
		d.unknownWord(w)
		return
	}
	if !d.done && len(text) > 1 && (text[0] == '-' || text[0] == '+') {
		d.options(text)
		return
	}
	d.done = true
	name, value, assigns := strings.Cut(text, "=")
	if !assigns {
		d.declare(text)
		return
	}
	base := strings.TrimSuffix(name, "+")
	d.assignText(base, Known(value), base != name, w.Span)
}

// unknownWord is an argument of which at most the name is known.
func (d *declaration) unknownWord(w Word) {
	name, value, assigns := strings.Cut(w.Prefix(), "=")
	if !w.Many && assigns && validName(name) && w.Kind() == PartialKind {
		d.assignText(name, Partial(value, w.Suffix(), w.Why()), false, w.Span)
		return
	}
	if w.Kind() == OneOfKind && !w.Many {
		ways := make([]*shell, 0, len(w.Texts()))
		base := d.sh
		for _, t := range w.Texts() {
			d.sh = base.fork()
			one := w
			one.Value = Known(t)
			d.word(one)
			ways = append(ways, d.sh)
		}
		d.sh = base
		base.become(ways...)
		return
	}
	d.cmd.Problems = append(d.cmd.Problems, Problem{
		ProblemLookup, "which variable " + d.name + " sets is not known: " + w.Why(), w.Span,
	})
	d.e.havoc(d.sh)
}

// assignText makes an assignment given as a text. Its subscript, if any, is
// expanded by the shell once more.
func (d *declaration) assignText(name string, v Value, add bool, span Span) {
	if d.funcs {
		return
	}
	base, _, indexed := cutSubscript(name)
	if !validName(base) {
		return
	}
	d.prepare(base)
	d.mark(base)
	if d.compound(base, v) {
		return
	}
	if add && !indexed {
		old, _ := d.e.deref(d.sh, base)
		v = d.e.appended(d.sh, old.attrs, d.e.element(old, base, "0").maybeEmpty(), v)
	}
	if indexed {
		d.e.assignWith(d.sh, name, v, 0)
	} else {
		d.e.assignWith(d.sh, base, v, d.given())
	}
	d.after(base)
	d.note(Assign{Name: base, Value: v, Append: add, Span: span})
}

// compound makes the compound assignment that a text in parentheses is for an
// array: its words are expanded once more (bash manual 6.7).
func (d *declaration) compound(name string, v Value) bool {
	old := d.sh.lookup(name)
	if (d.add|old.attrs)&(attrIndexed|attrAssoc) == 0 {
		return false
	}
	text, ok := v.Text()
	if !ok {
		if p := v.Prefix(); v.Kind() == OneOfKind || p != "" && p[0] != '(' {
			return false
		}
		d.cmd.Problems = append(d.cmd.Problems, Problem{
			ProblemScript, "the words of the array " + name + " are not known, and are expanded: " + v.Why(), d.cmd.Span,
		})
		return false
	}
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return false
	}
	d.prepare(name)
	d.mark(name)
	r := read("x=" + text)
	d.cmd.Problems = append(d.cmd.Problems, r.problems...)
	for _, st := range r.file.Stmts {
		call, ok := st.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) > 0 || len(call.Assigns) != 1 {
			continue
		}
		a := *call.Assigns[0]
		a.Name = &syntax.Lit{Value: name}
		outer := d.sh.ctx
		d.e.within(d.sh, d.sh)
		d.e.assignNode(d.sh, &a, d.given())
		d.sh.ctx = outer
	}
	return true
}

// given are the attributes for assignWith.
func (d *declaration) given() attrs { return d.add }

// options reads the letters of an option word.
func (d *declaration) options(text string) {
	if text == "--" {
		d.done = true
		return
	}
	give := text[0] == '-'
	for _, c := range text[1:] {
		if c == 'n' && d.name == "export" {
			d.unexport = true
			continue
		}
		if a, ok := declareLetters[c]; ok {
			if give {
				d.add |= a
			} else {
				d.drop |= a
			}
			continue
		}
		switch c {
		case 'f', 'F':
			d.funcs = true
		case 'g':
			d.global = true
		case 'p':
			d.print = true
		case 'I':
		default:
			d.wrong = true
			d.sh.status = 2
			return
		}
	}
}

var declareLetters = map[rune]attrs{
	'a': attrIndexed, 'A': attrAssoc, 'i': attrInteger, 'l': attrLower, 'u': attrUpper, 'n': attrRef,
	'r': attrReadonly, 'x': attrExport, 't': attrTrace,
}

// prepare makes the variable local where the declaration does.
func (d *declaration) prepare(name string) {
	if d.sh.ctx.fn == nil || d.global || d.name == "export" || d.name == "readonly" {
		return
	}
	fn := d.sh.ctx.fn
	key := savedName(fn.level, name)
	if v, ok := d.sh.own(key); ok && v.set == yes && v.level == fn {
		return
	}
	old := d.sh.lookup(name)
	d.e.makeLocal(d.sh, name)
	d.sh.put(name, &variable{val: Known(""), attrs: old.attrs & (attrExport | attrMaybeExport)})
}

// mark gives the variable the attributes that matter before its value is set.
func (d *declaration) mark(name string) {
	old := d.sh.lookup(name)
	n := old
	n.attrs |= d.given() &^ attrReadonly
	if d.add&(attrIndexed|attrAssoc) != 0 && !old.array() {
		n.elems = &elements{}
		if old.set == yes {
			n.elems = n.elems.with("0", old.val, true)
		} else if old.set == maybe {
			n.elems.open = true
		}
		n.val = Value{}
	}
	d.sh.put(name, &n)
}

// declare gives a variable attributes, without a value.
func (d *declaration) declare(name string) {
	if d.funcs {
		d.function(name)
		return
	}
	base, sub, indexed := cutSubscript(name)
	if !validName(base) {
		return
	}
	if indexed {
		v, _ := d.e.deref(d.sh, base)
		d.e.textKey(d.sh, v, sub)
	}
	if d.print && d.add == 0 && d.drop == 0 {
		return
	}
	d.prepare(base)
	d.mark(base)
	d.after(base)
	if d.add&attrExport != 0 {
		v := d.sh.lookup(base)
		if v.set != no {
			d.note(Assign{Name: base, Value: v.val, Span: d.cmd.Span})
		}
	}
}

// after takes and gives what only holds once the value is set.
func (d *declaration) after(name string) {
	old := d.sh.lookup(name)
	n := old
	n.attrs = (n.attrs | d.add) &^ d.drop
	if d.add&attrExport != 0 {
		n.attrs &^= attrMaybeExport
	}
	if d.unexport || d.drop&attrExport != 0 {
		n.attrs &^= attrExport | attrMaybeExport
	}
	if n.attrs != old.attrs {
		d.sh.put(name, &n)
	}
}

// function exports a function, or takes that back.
func (d *declaration) function(name string) {
	f := d.sh.function(name)
	if f == nil || d.add&attrExport == 0 {
		return
	}
	n := *f
	n.export = !d.unexport
	d.sh.putFunc(name, &n)
}

// declareWords evaluates a declaration behind command or builtin.
func (e *evaluator) declareWords(sh *shell, at int, cmd *Command, name string) {
	d := e.declaring(sh, name, cmd, at)
	for _, w := range cmd.Words[1:] {
		d.word(w)
	}
	for _, as := range cmd.Assigns {
		e.judgeAssign(sh, cmd, at, as)
	}
	e.setCommand(at, cmd)
	sh.status = 0
}

// letClause evaluates let, whose words are expressions.
func (e *evaluator) letClause(sh *shell, c *syntax.LetClause) {
	var n number
	words := []Word{{Value: Known("let"), Span: sh.span(c)}}
	at := e.list(Command{Words: words, Dir: sh.dir, Via: sh.ctx.via, Span: sh.span(c), Builtin: true})
	_ = at
	for _, x := range c.Exprs {
		n = e.arith(sh, x)
	}
	sh.status = statusOf(n.truth())
	e.mayStop(sh)
}
