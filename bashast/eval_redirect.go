package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// undo takes back what holds only as long as a command runs.
type undo func(*shell)

func noUndo(*shell) {}

// redirected evaluates a compound command, or nothing, with redirections.
func (e *evaluator) redirected(sh *shell, st *syntax.Stmt) {
	if d, ok := st.Cmd.(*syntax.DeclClause); ok {
		e.declClause(sh, st, d)
		return
	}
	if st.Cmd == nil {
		cmd := Command{Dir: sh.dir, Via: sh.ctx.via, Span: sh.span(st)}
		at := e.list(cmd)
		sh.status = 0
		restore := e.redirects(sh, st.Redirs, &cmd, at)
		e.setCommand(at, &cmd)
		if len(st.Redirs) == 1 && st.Redirs[0].Op == syntax.RdrIn {
			e.printed(sh, sh.in.val)
		}
		restore(sh)
		return
	}
	restore := e.redirects(sh, st.Redirs, nil, -1)
	e.command(sh, st)
	restore(sh)
}

// redirects makes the redirections of a command in the order written (bash
// manual 3.6). cmd is nil for a compound command.
func (e *evaluator) redirects(sh *shell, list []*syntax.Redirect, cmd *Command, at int) undo {
	if len(list) == 0 {
		return noUndo
	}
	sh.commit()
	r := redirecting{e: e, sh: sh, cmd: cmd, at: at}
	in, moved, ctx := sh.in, sh.outMoved, sh.ctx
	for _, n := range list {
		r.one(n)
	}
	return func(sh *shell) {
		if r.input {
			sh.commit()
			sh.in = in
		}
		if sh.outMoved != moved {
			sh.commit()
			sh.outMoved = moved
		}
		if r.errOut {
			sh.commit()
			c := *sh.ctx
			c.errOut = ctx.errOut
			sh.ctx = &c
		}
	}
}

// redirecting makes the redirections of one command.
type redirecting struct {
	e   *evaluator
	sh  *shell
	cmd *Command
	at  int
	// input and errOut say which descriptors were changed.
	input, errOut bool
}

func (r *redirecting) one(n *syntax.Redirect) {
	red := Redirect{Op: n.Op.String(), FD: -1}
	named := ""
	if n.N != nil {
		if fd, err := strconv.Atoi(n.N.Value); err == nil {
			red.FD = fd
		} else {
			named = strings.Trim(n.N.Value, "{}")
		}
	}
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		red.Target = Word{Value: r.e.hereDoc(r.sh, n), Span: r.sh.span(n.Word), Quoted: isQuoted(n.Word)}
		r.stdin(red.FD, named, source{val: red.Target.Value})
	case syntax.WordHdoc:
		v := r.e.scalar(r.sh, n.Word)
		red.Target = Word{Value: v, Span: r.sh.span(n.Word), Quoted: isQuoted(n.Word)}
		r.stdin(red.FD, named, source{val: Concat(v, Known("\n"))})
	default:
		r.file(n, &red, named)
	}
	if named != "" && !red.Duplicate {
		r.e.assign(r.sh, named, unknownAtom("a descriptor that the shell chooses"))
	}
	r.add(red)
}

// add lists a redirect.
func (r *redirecting) add(red Redirect) {
	r.e.prog.Redirects = append(r.e.prog.Redirects, red)
	if r.cmd != nil {
		r.cmd.Redirects = append(r.cmd.Redirects, red)
	}
}

func (r *redirecting) problem(code ProblemCode, reason string, span Span) {
	if r.cmd == nil {
		r.e.programProblem(code, reason, span)
		return
	}
	r.cmd.Problems = append(r.cmd.Problems, Problem{code, reason, span})
}

func (r *redirecting) effect(f Effect) {
	f.Word = -1
	if r.cmd == nil {
		r.e.prog.Effects = append(r.e.prog.Effects, f)
		return
	}
	r.cmd.Effects = append(r.cmd.Effects, f)
}

// stdin changes standard input where fd, or the default, is that.
func (r *redirecting) stdin(fd int, named string, in source) {
	if named == "" && (fd == 0 || fd == -1) {
		r.sh.in = in
		r.input = true
	}
}

// target is the single word that a redirection names.
func (r *redirecting) target(w *syntax.Word) (Word, bool) {
	var joined Word
	for i, words := range r.e.words(r.sh, []*syntax.Word{w}) {
		if len(words) != 1 || words[0].Many {
			word := Word{Value: Unknown("a redirect to what is not one word"), Span: r.sh.span(w)}
			if len(words) == 1 && words[0].Why() != "" {
				word.Value = words[0].Value
			}
			return word, false
		}
		if i == 0 {
			joined = words[0]
			continue
		}
		joined.Value = Join(joined.Value, words[0].Value)
	}
	return joined, true
}

// file is a redirection to or from a file or another descriptor.
func (r *redirecting) file(n *syntax.Redirect, red *Redirect, named string) {
	word, one := r.target(n.Word)
	text, known := word.Text()
	out := n.Op != syntax.RdrIn && n.Op != syntax.DplIn && n.Op != syntax.RdrInOut
	if (n.Op == syntax.DplIn || n.Op == syntax.DplOut) && known && isDescriptor(text) {
		red.Duplicate, red.Target = true, word
		r.duplicate(n.Op == syntax.DplIn, red.FD, text, named)
		return
	}
	red.Target = word
	if n.Op == syntax.DplOut && word.atom && !known {
		red.Duplicate = true
		r.unknownDuplicate(false, red.FD, false)
		return
	}
	if n.Op == syntax.DplIn || n.Op == syntax.DplOut && red.FD > 1 {
		// Only a descriptor is allowed here; one that is not known may be any.
		red.Duplicate = !known
		r.unknownDuplicate(n.Op == syntax.DplIn, red.FD, known)
		if known {
			return
		}
		if isAtom(word.Value) {
			return
		}
	}
	r.opened(n, red, one)
	switch {
	case out && (red.FD == -1 || red.FD == 1) && named == "":
		r.stdout(red.Target.Value)
	case !out:
		in := source{val: Unknown("the content of " + red.Target.String())}
		if word.Stream != nil {
			in = source{val: *word.Stream, piped: true}
		} else if t, ok := red.Target.Text(); ok && t == "/dev/null" {
			in = source{val: Known("")}
		}
		r.stdin(red.FD, named, in)
	}
}

// opened notes the file that a redirection opens.
func (r *redirecting) opened(n *syntax.Redirect, red *Redirect, one bool) {
	span := red.Target.Span
	if host, ok := networkFile(red.Target.Value); ok {
		r.effect(Effect{Kind: Network, Target: host, Send: true, Span: span})
		return
	}
	if red.Target.Stream != nil || strings.HasPrefix(red.Target.Prefix(), "/dev/fd/") {
		return
	}
	red.Target.Value = absolute(r.sh.dir, red.Target.Value, *r.sh.ctx.env)
	target := red.Target.Value
	if !one || !target.Resolved() {
		r.problem(ProblemRedirect, "the file of a redirect is not known: "+target.Why(), span)
	}
	if t, ok := target.Text(); ok && isStream(t) {
		return
	}
	if n.Op != syntax.RdrIn && r.cmd == nil {
		r.e.wrote(r.sh, target, Unknown("what the line writes"))
	}
	if n.Op != syntax.RdrIn {
		r.effect(Effect{Kind: Write, Target: target, Span: span})
		r.e.touched = true
	}
	if n.Op == syntax.RdrIn || n.Op == syntax.RdrInOut {
		r.effect(Effect{Kind: Read, Target: target, Span: span})
	}
}

// networkFile is the host of the files that bash itself connects to (bash
// manual 3.6).
func networkFile(v Value) (Value, bool) {
	p := v.Prefix()
	if !strings.HasPrefix(p, "/dev/tcp/") && !strings.HasPrefix(p, "/dev/udp/") {
		return Value{}, false
	}
	const n = len("/dev/tcp/")
	if text, ok := v.Text(); ok {
		host, port, _ := strings.Cut(text[n:], "/")
		if port != "" {
			host += ":" + port
		}
		return Known(host), true
	}
	if v.Kind() == OneOfKind {
		return v.mapText("", func(t string) string { return strings.TrimPrefix(t[min(n, len(t)):], "/") }), true
	}
	return Partial(p[n:], "", v.Why()), true
}

// isDescriptor reports whether text stands for a descriptor behind & : digits,
// a minus, or digits and a minus.
func isDescriptor(text string) bool {
	if text == "-" {
		return true
	}
	digits := strings.TrimSuffix(text, "-")
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != ""
}

// duplicate makes descriptor fd another name of the one that text names.
func (r *redirecting) duplicate(in bool, fd int, text, named string) {
	if named != "" {
		return
	}
	from := strings.TrimSuffix(text, "-")
	if fd == -1 {
		fd = 1
		if in {
			fd = 0
		}
	}
	switch {
	case fd == 0 && from == "0", fd == 1 && from == "1":
	case fd == 0:
		val := Unknown("standard input is another descriptor")
		if text == "-" {
			val = Known("")
		}
		r.stdin(0, "", source{val: val, piped: text != "-"})
	case fd == 1 && from == "2" && !r.sh.ctx.errOut, fd == 1 && text == "-":
		r.sh.outMoved = true
	case fd == 1:
		r.leak()
	case fd == 2 && from == "1" && !r.sh.outMoved:
		r.errors()
	}
}

// unknownDuplicate makes descriptor fd one that is not known.
func (r *redirecting) unknownDuplicate(in bool, fd int, known bool) {
	switch {
	case known:
	case in && fd <= 0:
		r.stdin(fd, "", source{val: Unknown("standard input is another descriptor"), piped: true})
	case !in:
		r.leak()
	}
}

// errors notes that standard error goes where standard output goes.
func (r *redirecting) errors() {
	c := *r.sh.ctx
	c.errOut = true
	r.sh.ctx = &c
	r.errOut = true
}

// stdout notes that standard output goes to the file target.
func (r *redirecting) stdout(target Value) {
	if p := target.Prefix(); target.Resolved() && p != "" && (p == "/dev/null" || !strings.HasPrefix(p, "/dev") && !strings.HasPrefix(p, "/proc")) {
		r.sh.outMoved = true
		return
	}
	r.leak()
}

// leak notes that output goes by a way that is not followed, which may lead
// back to where it is captured.
func (r *redirecting) leak() {
	if r.sh.capture && !r.sh.outMoved {
		r.sh.out = Concat(r.sh.out, Unknown("output by way of another descriptor"))
	}
	r.sh.outMoved = true
}

// hereDoc is the body of a here-document. Where the delimiter is not quoted
// its expansions are made (B20).
func (e *evaluator) hereDoc(sh *shell, n *syntax.Redirect) Value {
	if n.Hdoc == nil {
		return Known("")
	}
	strip := n.Op == syntax.DashHdoc
	if isQuoted(n.Word) {
		var b strings.Builder
		for _, p := range n.Hdoc.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		text := b.String()
		if strip {
			text = stripTabs(text, true)
		}
		return Known(text)
	}
	return e.document(sh, n.Hdoc.Parts, strip)
}

// document is the text that the parts of an unquoted here-document become.
func (e *evaluator) document(sh *shell, parts []syntax.WordPart, strip bool) Value {
	v := Known("")
	start := true
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			v = Concat(v, joinPieces(e.part(sh, p, inHereDoc, nil)))
			start = false
			continue
		}
		text := lit.Value
		if strip {
			text = stripTabs(text, start)
		}
		start = strings.HasSuffix(text, "\n")
		v = Concat(v, Known(unescapeIn(text, inHereDoc)))
	}
	return v
}

// stripTabs takes the tabs off the beginning of each line, as <<- does.
func stripTabs(text string, start bool) string {
	if start {
		text = strings.TrimLeft(text, "\t")
	}
	if !strings.Contains(text, "\n\t") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

// isQuoted reports whether any part of a word is quoted.
func isQuoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(p.Value, `\`) {
				return true
			}
		}
	}
	return false
}
