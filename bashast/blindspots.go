package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// bash evaluates some texts that no grammar shows as code: a variable's name
// given to test -v, printf -v, read, unset or declare may hold a subscript, and
// a number in arithmetic may be a name with one. The subscript is expanded, so
// a substitution in it runs even though the line has it between quotes. The
// target of >& is expanded twice, and so is the value of declare -a.

// dormant looks for such texts next to something that would wake them. It
// returns a problem for each, and the statements in them.
func dormant(text string, f *syntax.File) ([]Problem, []*syntax.Stmt) {
	if !mayHoldDormant(text) {
		return nil, nil
	}
	d := dormantTexts{}
	syntax.Walk(f, d.visit)
	var problems []Problem
	var stmts []*syntax.Stmt
	for _, t := range d.texts {
		runs := t.woken || d.evaluates && t.bracket || d.twice
		if !runs || t.body && !d.reads {
			continue
		}
		problems = append(problems, Problem{
			ProblemInline, "bash expands this quoted text a second time, and runs the substitution in it", t.span,
		})
		stmts = append(stmts, substitutionsIn(t.text, t.span.Start)...)
	}
	return problems, stmts
}

// mayHoldDormant is a quick look that almost every line fails.
func mayHoldDormant(text string) bool {
	if strings.Contains(text, "@P}") {
		return true
	}
	if strings.IndexByte(text, '`') < 0 && (strings.IndexByte(text, '$') < 0 || strings.IndexByte(text, '(') < 0) {
		return false
	}
	return strings.IndexByte(text, '\'') >= 0 || strings.IndexByte(text, '\\') >= 0
}

// dormantText is quoted data that holds a substitution.
type dormantText struct {
	text    string
	span    Span
	bracket bool // behind a bracket, as in a subscript
	woken   bool // what has it as an argument expands it
	body    bool // it is in a here-document or here-string
}

type dormantTexts struct {
	texts     []dormantText
	evaluates bool // something in the line evaluates numbers or names
	twice     bool // something in it expands a value that was expanded before
	reads     bool // something reads data into variables
}

func (d *dormantTexts) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		d.call(n)
	case *syntax.DeclClause:
		d.declaration(n)
	case *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.ArithmExp:
		d.evaluates = true
	case *syntax.LetClause:
		d.evaluates = true
		for _, x := range n.Exprs {
			d.expression(x)
		}
	case *syntax.TestClause:
		d.test(n.X)
	case *syntax.ParamExp:
		d.parameter(n)
	case *syntax.Assign:
		d.assign(n)
	case *syntax.Redirect:
		if n.Op == syntax.DplOut && strings.Trim(dataOf(n.Word), "0123456789-") != "" || n.Op == syntax.DplOut && expands(n.Word) {
			d.word(n.Word, true, false)
			d.twice = d.twice || expands(n.Word)
		}
		if n.N != nil && strings.Contains(n.N.Value, "[") {
			d.evaluates = true
		}
		d.word(n.Hdoc, false, true)
		if n.Op == syntax.WordHdoc {
			d.word(n.Word, false, true)
		}
	case *syntax.WordIter:
		for _, w := range n.Items {
			d.word(w, false, false)
		}
	}
	return true
}

// call looks at a simple command: some builtins evaluate their arguments.
func (d *dormantTexts) call(c *syntax.CallExpr) {
	woken := false
	for i, w := range c.Args {
		name := dataOf(w)
		if i == 0 || woken || name == "command" || name == "builtin" {
			woken = woken || d.wakes(name, c.Args[i:])
		}
		if i > 0 {
			named := woken && namesElement(name)
			d.word(w, named || woken && strings.Contains(name, "=("), false)
			d.evaluates = d.evaluates || woken && expands(w)
			d.twice = d.twice || named && expands(w)
		}
	}
}

// wakes reports whether the builtin name evaluates subscripts in its arguments.
func (d *dormantTexts) wakes(name string, args []*syntax.Word) bool {
	switch name {
	case "read", "mapfile", "readarray":
		d.reads = true
		return true
	case "compgen":
		d.twice = true
	case "unset", "getopts":
		return true
	case "let":
		d.evaluates = true
		return true
	case "declare", "typeset", "local", "export", "readonly":
		d.evaluates = true
		return true
	case "test", "[":
		return anyOption(args, "-v", "-R")
	case "printf":
		return anyOption(args, "-v")
	case "wait":
		return anyOption(args, "-p")
	}
	return false
}

func anyOption(args []*syntax.Word, options ...string) bool {
	for _, w := range args {
		for _, o := range options {
			if strings.HasPrefix(dataOf(w), o) {
				return true
			}
		}
	}
	return false
}

// declaration looks at declare and its like: names and values of arrays are
// evaluated, and so are the values of integers and of references.
func (d *dormantTexts) declaration(c *syntax.DeclClause) {
	arrays := false
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			option := dataOf(a.Value)
			d.word(a.Value, namesElement(option) || strings.Contains(option, "="), false)
			if strings.HasPrefix(option, "-") {
				d.evaluates = d.evaluates || strings.ContainsAny(option, "in")
				arrays = arrays || strings.ContainsAny(option, "aA")
			}
			d.twice = d.twice || expands(a.Value) && (namesElement(option) || strings.Contains(option, "=("))
		case a.Value != nil && arrays:
			d.word(a.Value, true, false)
			d.twice = d.twice || expands(a.Value)
		}
	}
}

func (d *dormantTexts) assign(a *syntax.Assign) {
	d.evaluates = d.evaluates || subscriptEvaluates(a.Index)
	if a.Name != nil {
		switch a.Name.Value {
		case "OPTIND", "RANDOM", "HISTCMD", "SECONDS", "BASHPID", "LINENO", "EPOCHSECONDS":
			d.evaluates = true // integers to bash
		}
		d.word(a.Value, false, false)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			d.evaluates = d.evaluates || subscriptEvaluates(e.Index)
			d.word(e.Value, false, false)
		}
	}
}

func (d *dormantTexts) parameter(p *syntax.ParamExp) {
	if p.Slice != nil || subscriptEvaluates(p.Index) || p.Excl && p.Names == 0 {
		d.evaluates = true
	}
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && dataOf(p.Exp.Word) == "P" {
		d.texts = append(d.texts, dormantText{span: spanOf(p), woken: true})
	}
}

// subscriptEvaluates reports whether a subscript is more than a number, a
// position or a quoted key.
func subscriptEvaluates(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	if !ok {
		return x != nil
	}
	if len(w.Parts) != 1 {
		return true
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value != "@" && p.Value != "*" && strings.Trim(p.Value, "0123456789") != ""
	case *syntax.SglQuoted:
		return false
	}
	return true
}

// test looks at a conditional: where it compares numbers or looks up names, it
// evaluates its words.
func (d *dormantTexts) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		d.test(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			d.evaluated(x.X)
		}
		d.test(x.X)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			d.evaluated(x.X)
			d.evaluated(x.Y)
		}
		d.test(x.X)
		d.test(x.Y)
	}
}

func (d *dormantTexts) evaluated(x syntax.TestExpr) {
	d.evaluates = true
	if w, ok := x.(*syntax.Word); ok {
		d.word(w, false, false)
	}
}

// expression looks at an argument of let, which may be quoted.
func (d *dormantTexts) expression(x syntax.ArithmExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			d.word(w, false, false)
		}
		return true
	})
}

// word notes w when its data holds a substitution.
func (d *dormantTexts) word(w *syntax.Word, woken, body bool) {
	if w == nil {
		return
	}
	text := dataOf(w)
	first := strings.Index(text, "$(")
	if i := strings.IndexByte(text, '`'); i >= 0 && (first < 0 || i < first) {
		first = i
	}
	if first < 0 {
		return
	}
	last := max(strings.LastIndex(text, "$("), strings.LastIndexByte(text, '`'))
	d.texts = append(d.texts, dormantText{
		text: text, span: spanOf(w), bracket: holdsElement(text[:last]), woken: woken, body: body,
	})
}

// namesElement reports whether an argument is the name of an array's element,
// as it is or behind an option: m[k], -vm[k].
func namesElement(text string) bool {
	text = strings.TrimLeft(text, "-")
	n := nameLength(text)
	return n > 0 && n < len(text) && text[n] == '['
}

// holdsElement reports whether text holds the beginning of a subscript.
func holdsElement(text string) bool {
	for i := 1; i < len(text); i++ {
		if c := text[i-1]; text[i] == '[' && (nameLength(string(c)) == 1 || c >= '0' && c <= '9') {
			return true
		}
	}
	return false
}

func spanOf(n syntax.Node) Span {
	return Span{int(n.Pos().Offset()), int(n.End().Offset())}
}

// expands reports whether w holds an expansion.
func expands(w *syntax.Word) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			found = true
		}
		return !found
	})
	return found
}

// dataOf is the literal text of a word without its quoting; what is expanded
// counts as nothing.
func dataOf(w *syntax.Word) string {
	if len(w.Parts) == 1 {
		switch p := w.Parts[0].(type) {
		case *syntax.Lit:
			return withoutEscapes(p.Value)
		case *syntax.SglQuoted:
			return p.Value
		}
	}
	var b strings.Builder
	writeData(&b, w.Parts)
	return b.String()
}

func writeData(b *strings.Builder, parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(withoutEscapes(p.Value))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			writeData(b, p.Parts)
		}
	}
}

func withoutEscapes(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// substitutionsIn are the statements of the substitutions in data.
func substitutionsIn(data string, at int) []*syntax.Stmt {
	w, err := syntax.NewParser().Document(strings.NewReader(data))
	if err != nil || w == nil {
		return nil
	}
	var stmts []*syntax.Stmt
	syntax.Walk(w, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok {
			stmts = append(stmts, c.Stmts...)
			return false
		}
		return true
	})
	return stmts
}
