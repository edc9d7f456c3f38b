package bashast

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects evaluates the redirections of a command in order (bash manual
// 3.6) and notes what they open.
func (e *evaluator) redirects(sh *shell, list []*syntax.Redirect, inv *invocation) {
	for _, r := range list {
		if !e.step(sh) {
			return
		}
		red := e.redirect(sh, r, inv)
		inv.redirs = append(inv.redirs, red)
		e.prog.Redirects = append(e.prog.Redirects, red)
	}
}

func (e *evaluator) redirect(sh *shell, r *syntax.Redirect, inv *invocation) Redirect {
	red := Redirect{Op: r.Op.String(), FD: -1}
	if r.N != nil {
		if n, err := strconv.Atoi(r.N.Value); err == nil {
			red.FD = n
		} else {
			e.descriptorVar(sh, r.N.Value)
		}
	}
	span := sh.span(r)
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		body := Known("")
		if r.Hdoc != nil {
			body = e.hereDoc(sh, r)
		}
		red.Target = Word{Value: body, Span: span, Quoted: true}
		e.feed(inv, red.FD, body)
	case syntax.WordHdoc:
		body := Concat(e.scalar(sh, r.Word), Known("\n"))
		red.Target = Word{Value: body, Span: span, Quoted: true}
		e.feed(inv, red.FD, body)
	case syntax.DplIn, syntax.DplOut:
		e.duplicate(sh, r, &red, inv, span)
	default:
		e.open(sh, r, &red, inv, span)
	}
	return red
}

// descriptorVar is {name}>file: the variable gets a number.
func (e *evaluator) descriptorVar(sh *shell, name string) {
	name = strings.Trim(name, "{}")
	if isName(name) {
		e.assign(sh, name, unknownAtom("a descriptor"))
	}
}

// feed makes body the standard input where the redirect is of descriptor 0.
func (e *evaluator) feed(inv *invocation, fd int, body Value) {
	if fd <= 0 {
		inv.in = source{val: body}
	}
}

// hereDoc is the body of a here-document: data where the delimiter is quoted,
// else data with expansions (bash manual 3.6.6, B20).
func (e *evaluator) hereDoc(sh *shell, r *syntax.Redirect) Value {
	if quotedDelimiter(r.Word) {
		var b strings.Builder
		for _, p := range r.Hdoc.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		return Known(stripTabs(b.String(), r.Op == syntax.DashHdoc))
	}
	v := Known("")
	for _, p := range e.pieces(sh, hereParts(r), true) {
		if p.many {
			return Unknown(p.val.Why())
		}
		v = Concat(v, p.val)
	}
	return v
}

// hereParts are the parts of a body, where a double quote is no quote and a
// backslash before it stays.
func hereParts(r *syntax.Redirect) []syntax.WordPart {
	parts := r.Hdoc.Parts
	out := make([]syntax.WordPart, len(parts))
	for i, p := range parts {
		out[i] = p
		if lit, ok := p.(*syntax.Lit); ok {
			c := *lit
			c.Value = strings.ReplaceAll(c.Value, `\"`, `\\"`)
			if r.Op == syntax.DashHdoc {
				c.Value = stripTabs(c.Value, i == 0 || strings.HasSuffix(literalBefore(parts, i), "\n"))
			}
			out[i] = &c
		}
	}
	return out
}

func literalBefore(parts []syntax.WordPart, i int) string {
	if lit, ok := parts[i-1].(*syntax.Lit); ok {
		return lit.Value
	}
	return ""
}

// stripTabs takes leading tabs off the lines of a <<- body.
func stripTabs(text string, strip bool) string {
	if !strip || strings.IndexByte(text, '\t') < 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.IndexByte(p.Value, '\\') >= 0 {
				return true
			}
		}
	}
	return false
}

// duplicate is n<&word and n>&word (bash manual 3.6.8); >&file is a file.
func (e *evaluator) duplicate(sh *shell, r *syntax.Redirect, red *Redirect, inv *invocation, span Span) {
	v := e.scalar(sh, r.Word)
	red.Target = Word{Value: v, Span: span}
	text, known := v.Text()
	fd := strings.TrimSuffix(text, "-")
	if known && (allDigits(fd) || text == "-") || isAtom(v) && !known {
		red.Duplicate = true
		if r.Op == syntax.DplOut && (red.FD == -1 || red.FD == 1) && fd != "1" {
			inv.moved = true
		}
		if r.Op == syntax.DplIn && red.FD <= 0 {
			inv.in = source{val: Unknown("another descriptor"), piped: true}
		}
		return
	}
	e.open(sh, r, red, inv, span)
}

// open is a redirect to or from a file.
func (e *evaluator) open(sh *shell, r *syntax.Redirect, red *Redirect, inv *invocation, span Span) {
	words := e.words(sh, []*syntax.Word{r.Word})
	target := Word{Value: Unknown("more or less than one word"), Span: span}
	if len(words) == 1 && !words[0].Many {
		target = words[0]
	} else if len(words) == 1 {
		target.Value = words[0].Value
	}
	stream := target.Stream
	target.Value = absoluteFrom(sh.dir, target.Value)
	target.Span = span
	red.Target = target
	reads := r.Op == syntax.RdrIn
	out := r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrClob || r.Op == syntax.DplOut
	if r.Op == syntax.RdrAll || r.Op == syntax.AppAll || out && red.FD == -1 || out && red.FD == 1 {
		inv.moved = true
	}
	if reads && red.FD <= 0 {
		inv.in = source{val: Unknown("the content of a file")}
		if stream != nil {
			inv.in.val = *stream
		} else if text, ok := target.Text(); ok && text == "/dev/null" {
			inv.in.val = Known("")
		}
	}
	e.opened(target, reads, r.Op == syntax.RdrInOut, inv, span)
}

// opened notes the effect of opening a file.
func (e *evaluator) opened(target Word, reads, both bool, inv *invocation, span Span) {
	for _, text := range target.Texts() {
		if host, ok := netDevice(text); ok {
			inv.effects = append(inv.effects, Effect{Kind: Network, Target: Known(host), Word: -1, Send: true, Span: span})
			return
		}
	}
	kind := Write
	if reads {
		kind = Read
	}
	inv.effects = append(inv.effects, Effect{Kind: kind, Target: target.Value, Word: -1, Span: span})
	if both {
		inv.effects = append(inv.effects, Effect{Kind: Read, Target: target.Value, Word: -1, Span: span})
	}
	if !reads {
		if text, ok := target.Text(); !ok || !strings.HasPrefix(text, "/dev/") {
			e.touched = true
		}
		if !target.Resolved() {
			inv.unfixed = append(inv.unfixed, Problem{
				Code: ProblemRedirect, Reason: "the file that is written is not known: " + target.Why(), Span: span,
			})
		}
	}
}

// netDevice is the host of /dev/tcp/host/port (bash manual 3.6).
func netDevice(target string) (string, bool) {
	for _, prefix := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(target, prefix); ok {
			return strings.Replace(rest, "/", ":", 1), true
		}
	}
	return "", false
}

// absolute is a path as seen from a directory.
func absoluteFrom(dir, v Value) Value {
	if v.Resolved() {
		all := true
		for _, t := range v.Texts() {
			all = all && strings.HasPrefix(t, "/")
		}
		if all {
			return v.mapText("", path.Clean)
		}
		if !dir.Resolved() {
			return Unknown("relative to a directory that is not known")
		}
		var texts []string
		for _, d := range dir.Texts() {
			for _, t := range v.Texts() {
				if strings.HasPrefix(t, "/") {
					texts = append(texts, path.Clean(t))
				} else {
					texts = append(texts, path.Join(d, t))
				}
			}
		}
		return OneOf(texts...)
	}
	prefix := v.Prefix()
	if strings.HasPrefix(prefix, "/") {
		return v
	}
	d, ok := dir.Text()
	if !ok || prefix == "" {
		if g, isGlob := v.Pattern(); isGlob && ok && !strings.HasPrefix(g, "/") {
			return matchOf(path.Join(quotePattern(d, true), g), strings.TrimSuffix(d, "/")+"/", v.Suffix())
		}
		return Unknown(v.Why())
	}
	if g, isGlob := v.Pattern(); isGlob {
		return matchOf(strings.TrimSuffix(quotePattern(d, true), "/")+"/"+g, strings.TrimSuffix(d, "/")+"/"+prefix, v.Suffix())
	}
	return Concat(Known(strings.TrimSuffix(d, "/")+"/"), v)
}

// redirected evaluates a compound command with redirections, or redirections
// alone, which open files and run nothing.
func (e *evaluator) redirected(sh *shell, st *syntax.Stmt) {
	inv := invocation{span: sh.span(st), in: sh.in, moved: sh.outMoved}
	e.redirects(sh, st.Redirs, &inv)
	e.prog.Effects = append(e.prog.Effects, inv.effects...)
	e.prog.Problems = append(e.prog.Problems, inv.unfixed...)
	if st.Cmd == nil {
		sh.status = statusUnknown
		if sh.capture && !inv.moved {
			sh.out = Concat(sh.out, Unknown("the content of a file"))
		}
		return
	}
	in, moved := sh.in, sh.outMoved
	sh.in, sh.outMoved = inv.in, inv.moved
	plain := *st
	plain.Redirs = nil
	e.command(sh, &plain)
	sh.commit()
	sh.in, sh.outMoved = in, moved
}

// cmdSubst is $( ): what its commands print, less the newlines at the end.
func (e *evaluator) cmdSubst(sh *shell, c *syntax.CmdSubst) Value {
	if sh.ctx.depth >= maxDepth {
		e.overBound(sh, "substitutions are nested too deeply to be followed")
		return Unknown("too deep")
	}
	child := e.substitution(sh, "$( )", sh.span(c))
	e.stmts(child, c.Stmts)
	e.finish(child)
	sh.status = child.status
	return child.out.mapSuffix()
}

// mapSuffix takes the newlines at the end off.
func (v Value) mapSuffix() Value {
	if v.Resolved() {
		return v.mapText("", func(t string) string {
			return strings.TrimRight(strings.ReplaceAll(t, "\x00", ""), "\n")
		})
	}
	if v.kind == PartialKind && v.more.glob == "" {
		p := Partial(v.more.prefix, strings.TrimRight(v.more.suffix, "\n"), v.text)
		p.atom = v.atom
		return p
	}
	return v
}

// substitution is the subshell of a command or process substitution.
func (e *evaluator) substitution(sh *shell, name string, span Span) *shell {
	child := sh.subshell()
	ctx := sh.deeper(Via{Kind: ViaSubstitution, Name: name}, span)
	child.ctx.via, child.ctx.depth = ctx.via, ctx.depth
	child.capture, child.out, child.outMoved = true, Known(""), false
	return child
}

// procSubst is <( ) and >( ): the name of a file that the commands are behind.
func (e *evaluator) procSubst(sh *shell, p *syntax.ProcSubst) Value {
	if sh.ctx.depth >= maxDepth {
		e.overBound(sh, "substitutions are nested too deeply to be followed")
		return Unknown("too deep")
	}
	child := e.substitution(sh, p.Op.String()+" )", sh.span(p))
	if p.Op != syntax.CmdIn {
		child.in = source{val: Unknown("what is written into a process substitution"), piped: true}
	}
	e.stmts(child, p.Stmts)
	e.finish(child)
	if p.Op == syntax.CmdIn {
		if e.streams == nil {
			e.streams = map[*syntax.ProcSubst]*Value{}
		}
		out := child.out
		e.streams[p] = &out
	}
	v := Partial("/dev/fd/", "", "a process substitution")
	v.atom = false
	return v
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
