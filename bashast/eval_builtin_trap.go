package bashast

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// handler is a script that trap set.
type handler struct {
	script Value
	signal string
	at     int
	owner  *landing
	sh     *shell
}

// trap sets handlers (bash manual 4.1). They are evaluated when the shell
// ends, for any values that variables had in the meantime.
func (b *builtin) trap() {
	e, sh := b.e, b.sh
	sh.status = 0
	words := b.cmd.Words[1:]
	if len(words) > 0 {
		t, ok := words[0].Text()
		if ok && t == "--" {
			words = words[1:]
		} else if ok && strings.HasPrefix(t, "-") && t != "-" {
			return
		}
	}
	if len(words) < 2 {
		return
	}
	if t, ok := words[0].Text(); ok && (t == "-" || strings.TrimSpace(t) == "") {
		return
	}
	script := words[0].Value
	if words[0].Many {
		script = Unknown(words[0].Why())
	}
	if e.assigned == nil {
		e.assigned = make(map[string]variable)
	}
	name := "trap"
	if t, ok := words[1].Text(); ok {
		name += " " + t
	}
	e.traps = append(e.traps, handler{script: script, signal: name, at: b.at, owner: sh.ctx.exit, sh: sh})
}

// runTraps evaluates the handlers that the shell sh set.
func (e *evaluator) runTraps(sh *shell) {
	for i := 0; i < len(e.traps); i++ {
		h := e.traps[i]
		if h.owner != sh.ctx.exit {
			continue
		}
		e.traps = append(e.traps[:i], e.traps[i+1:]...)
		i--
		way := sh.fork()
		way.dead = false
		way.ctx = e.trapContext(sh)
		for name, v := range e.assigned {
			j := joinVariables(v, way.lookup(name))
			way.put(name, &j)
		}
		e.evalText(way, h.at, h.script, Via{Kind: ViaTrap, Name: h.signal})
		sh.out = Join(sh.out, way.out)
	}
}

// trapContext is where a handler runs.
func (e *evaluator) trapContext(sh *shell) *context {
	ctx := *sh.ctx
	ctx.loop, ctx.ret, ctx.exit = nil, nil, &landing{base: sh}
	return &ctx
}

// trace evaluates PS4, which xtrace expands in front of every command.
func (e *evaluator) trace(sh *shell, at int) {
	v := sh.lookup("PS4")
	if v.set == no {
		return
	}
	e.promptText(sh, at, v.val, "PS4")
}

// promptText evaluates the substitutions of a prompt.
func (e *evaluator) promptText(sh *shell, at int, v Value, name string) {
	for _, t := range v.Texts() {
		if !strings.ContainsAny(t, "$`") {
			continue
		}
		way := sh.fork()
		ctx, ok := e.deeper(way, &e.prog.Commands[at], Via{Kind: ViaTrap, Name: name})
		if !ok {
			return
		}
		ctx.inside, ctx.at = true, e.prog.Commands[at].Span
		way.ctx = ctx
		e.textDocument(way, t)
	}
	if !v.Resolved() {
		e.problem(at, ProblemScript, "the prompt "+name+" is not known, and its substitutions run", e.prog.Commands[at].Span)
	}
}

// alias defines aliases, which matter where expand_aliases is on.
func (b *builtin) alias() {
	e := b.e
	b.sh.status = 0
	for i := 1; i < len(b.cmd.Words); i++ {
		w := b.cmd.Words[i]
		name, value, ok := strings.Cut(w.Prefix(), "=")
		if !ok {
			continue
		}
		if e.aliases == nil {
			e.aliases = make(map[string]Value)
		}
		v := Known(value)
		if w.Kind() != KnownKind {
			v = Unknown(w.Why())
		}
		if old, ok := e.aliases[name]; ok {
			v = Join(old, v)
		}
		e.aliases[name] = v
	}
}

// aliased evaluates a command whose name may be an alias. What an alias makes
// of a line depends on when the line was read, so that it is not followed
// exactly: both what stands there and the text of the alias are evaluated.
func (e *evaluator) aliased(sh *shell, st *syntax.Stmt, c *syntax.CallExpr, at int) bool {
	if len(e.aliases) == 0 || len(c.Args) == 0 || !expandsAliases(sh) {
		return false
	}
	lit, ok := c.Args[0].Parts[0].(*syntax.Lit)
	if !ok || len(c.Args[0].Parts) != 1 {
		return false
	}
	text, ok := e.aliases[lit.Value]
	if !ok {
		return false
	}
	e.problem(at, ProblemName, "the name "+lit.Value+" is an alias", sh.span(c.Args[0]))
	if text.Resolved() && sh.ctx.depth < maxDepth {
		way := sh.fork()
		e.prog.Commands[at].Dir, e.prog.Commands[at].Via = sh.dir, sh.ctx.via
		e.evalText(way, at, text, Via{Kind: ViaShell, Name: "alias " + lit.Value})
	}
	return false
}

// expandsAliases reports whether the shell may expand aliases: a POSIX shell
// always does (POSIX 2.3.1).
func expandsAliases(sh *shell) bool {
	return sh.ctx.posix || sh.opts.get(optExpandAliases) != no || sh.opts.get(optPosix) != no
}

// enable switches builtins off, so that their names mean programs.
func (b *builtin) enable() {
	for i := 1; i < len(b.cmd.Words); i++ {
		if t, ok := b.text(i); !ok || strings.HasPrefix(t, "-") && strings.ContainsAny(t, "nf") {
			b.problem(ProblemLookup, "enable changes which names are builtins", i)
			return
		}
	}
}

// hash -p makes a name mean a file.
func (b *builtin) hash() {
	for i := 1; i < len(b.cmd.Words); i++ {
		t, ok := b.text(i)
		if !ok || strings.HasPrefix(t, "-") && strings.Contains(t, "p") {
			b.problem(ProblemLookup, "hash -p makes a name run another file", i)
			return
		}
	}
}

// compgen expands the words of -W and runs the command of -C.
func (b *builtin) compgen() {
	e, sh := b.e, b.sh
	for i := 1; i < len(b.cmd.Words); i++ {
		t := b.cmd.Words[i].Prefix()
		j := strings.IndexAny(t, "WCF")
		if len(t) < 2 || t[0] != '-' || j < 0 {
			continue
		}
		v := cutPrefix(b.cmd.Words[i].Value, j+1)
		if text, ok := v.Text(); ok && text == "" {
			if i++; i == len(b.cmd.Words) {
				return
			}
			v = b.cmd.Words[i].Value
		}
		if t[j] == 'W' {
			e.promptText(sh, b.at, v, "compgen -W")
			continue
		}
		e.evalText(sh.fork(), b.at, Concat(v, Known(` compgen "" ""`)), Via{Kind: ViaShell, Name: "compgen " + t[:j+1]})
	}
}
