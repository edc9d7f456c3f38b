package bashast

import (
	"strconv"
	"strings"
)

// builtinNames are the builtins of bash 5.2 (bash manual 4.1, 4.2 and 7).
const builtinNames = " . : [ alias bg bind break builtin caller cd command compgen complete compopt continue " +
	"declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill " +
	"let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source " +
	"suspend test times trap true type typeset ulimit umask unalias unset wait "

func isBuiltin(name string) bool {
	return name != "" && len(name) < 10 && !strings.Contains(name, " ") && strings.Contains(builtinNames, " "+name+" ")
}

// startBuiltin runs a builtin.
func (e *evaluator) startBuiltin(sh *shell, at int, cmd *Command, name string, before status) {
	cmd.Effects = append(cmd.Effects, allEffects(cmd, e.env(sh))...)
	e.setCommand(at, cmd)
	if sh.capture && !sh.outMoved && printsKnown(name) {
		e.printed(sh, e.output(sh, cmd))
	}
	b := builtin{e: e, sh: sh, at: at, cmd: cmd, name: name, before: before}
	if len(cmd.Redirects) > 0 {
		e.changes(sh, cmd)
	}
	b.run()
	e.mayStop(sh)
}

// printsKnown reports whether a builtin prints anything on standard output.
func printsKnown(name string) bool {
	switch name {
	case "echo", "printf", "pwd", "dirs", "type", "alias", "declare", "typeset", "export", "readonly", "local", "set",
		"shopt", "trap", "hash", "help", "history", "jobs", "times", "ulimit", "umask", "kill", "caller", "compgen",
		"complete", "bind", "fc", "enable", "pushd", "popd":
		return true
	}
	return false
}

// builtin is one call of a builtin.
type builtin struct {
	e      *evaluator
	sh     *shell
	at     int
	cmd    *Command
	name   string
	before status
}

func (b *builtin) run() {
	e, sh := b.e, b.sh
	sh.status = statusUnknown
	switch b.name {
	case ":", "true":
		sh.status = 0
	case "false":
		sh.status = 1
	case "echo", "pwd":
		sh.status = 0
	case "printf":
		b.printf()
	case "cd":
		b.cd()
	case "pushd":
		b.pushd()
	case "popd":
		b.popd()
	case "exit", "logout":
		b.exit()
	case "return":
		b.exitTo(sh.ctx.ret)
	case "break":
		b.leaveLoop(false)
	case "continue":
		b.leaveLoop(true)
	case "set":
		b.set()
	case "shopt":
		b.shopt()
	case "shift":
		b.shift()
	case "unset":
		b.unset()
	case "export", "declare", "typeset", "local", "readonly":
		e.declareWords(sh, b.at, b.cmd, b.name)
	case "test", "[":
		sh.status = statusOf(b.test())
	case "let":
		b.let()
	case "eval":
		b.eval()
	case "command":
		b.command()
	case "builtin":
		b.again(1, modeBuiltin)
	case "exec":
		b.exec()
	default:
		b.runRest()
	}
}

// runRest goes on with the less common builtins.
func (b *builtin) runRest() {
	switch b.name {
	case "read":
		b.read()
	case "mapfile", "readarray":
		b.mapfile()
	case "getopts":
		b.getopts()
	case "jobs":
		if t, ok := b.text(1); ok && t == "-x" {
			b.again(2, modePlain)
		}
	case "trap":
		b.trap()
	case "alias":
		b.alias()
	case "enable":
		b.enable()
	case "hash":
		b.hash()
	case "compgen", "complete":
		b.compgen()
	case "source", ".":
		out := b.e.through(b.sh, b.at)
		_ = out
		if b.sh.status == statusUnknown {
			b.sh.status = statusUnknown
		}
	}
}

// problem notes something unknown about the word at index i.
func (b *builtin) problem(code ProblemCode, reason string, i int) {
	span := b.cmd.Span
	if i < len(b.cmd.Words) {
		span = b.cmd.Words[i].Span
	}
	b.e.problem(b.at, code, reason, span)
}

// text is the word at index i where it is known and one word.
func (b *builtin) text(i int) (string, bool) {
	if i >= len(b.cmd.Words) || b.cmd.Words[i].Many {
		return "", false
	}
	return b.cmd.Words[i].Text()
}

// allKnown reports whether each word from index i on is known.
func (b *builtin) allKnown(i int) bool {
	for ; i < len(b.cmd.Words); i++ {
		if _, ok := b.text(i); !ok {
			return false
		}
	}
	return true
}

// exit ends the shell, unless its words are wrong.
func (b *builtin) exit() { b.exitTo(b.sh.ctx.exit) }

// exitTo ends what l collects the ends of. With words that bash refuses, or
// may refuse, control may go on as well.
func (b *builtin) exitTo(l *landing) {
	sh := b.sh
	if l == nil {
		return
	}
	sure := true
	switch {
	case len(b.cmd.Words) == 1:
		sh.status = b.before
	case len(b.cmd.Words) == 2:
		text, ok := b.text(1)
		n, err := strconv.Atoi(strings.TrimSpace(text))
		switch {
		case ok && err == nil:
			sh.status = status(n & 0xff)
		case ok && text == "--":
			sh.status = b.before
		case ok && !strings.HasPrefix(text, "-"):
			sh.status = 2
		default:
			sure = !b.cmd.Words[1].Many && !strings.HasPrefix(text, "-") && isAtom(b.cmd.Words[1].Value)
		}
	default:
		sure = false
	}
	l.land(sh)
	if sure {
		sh.dead = true
	}
}

// leaveLoop is break and continue.
func (b *builtin) leaveLoop(next bool) {
	sh := b.sh
	n := 1
	if len(b.cmd.Words) > 1 {
		text, ok := b.text(1)
		k, err := strconv.Atoi(text)
		if !ok || err != nil || k < 1 {
			// Any of the loops around may be meant, or none.
			for f := sh.ctx.loop; f != nil; f = f.outer {
				f.breaks.land(sh)
			}
			return
		}
		n = k
	}
	sh.status = 0
	f := sh.ctx.loop
	if f == nil {
		return
	}
	for ; n > 1 && f.outer != nil; n-- {
		f = f.outer
	}
	if next {
		f.nexts.land(sh)
	} else {
		f.breaks.land(sh)
	}
	sh.dead = true
}

// set changes options and positional parameters (bash manual 4.3.1).
func (b *builtin) set() {
	sh := b.sh
	sh.status = 0
	i := 1
	for ; i < len(b.cmd.Words); i++ {
		text, ok := b.text(i)
		if !ok {
			b.vagueSet(i)
			return
		}
		if text == "--" {
			sh.args = positional(b.cmd.Words[i+1:])
			return
		}
		if text == "-" {
			sh.opts = sh.opts.with(optXtrace, no)
			if i+1 < len(b.cmd.Words) {
				sh.args = positional(b.cmd.Words[i+1:])
			}
			return
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			break
		}
		i += b.setLetters(text, i)
	}
	if i < len(b.cmd.Words) {
		sh.args = positional(b.cmd.Words[i:])
	}
}

// vagueSet is set with a word that is not known where an option may stand.
func (b *builtin) vagueSet(i int) {
	sh := b.sh
	w := b.cmd.Words[i]
	if p := w.Prefix(); p != "" && p[0] != '-' && p[0] != '+' {
		sh.args = positional(b.cmd.Words[i:])
		return
	}
	for _, o := range setOptions {
		sh.opts = sh.opts.with(o, maybe)
	}
	sh.args = &params{open: true}
}

// setLetters sets the options of one word and returns how many words more it
// takes.
func (b *builtin) setLetters(text string, i int) int {
	on := triOf(text[0] == '-')
	more := 0
	for j := 1; j < len(text); j++ {
		if text[j] == 'o' {
			name, ok := b.text(i + 1 + more)
			if i+1+more < len(b.cmd.Words) {
				more++
			}
			b.setNamed(name, ok, on)
			continue
		}
		if o, ok := setLetters[text[j]]; ok {
			b.option(o, on)
		}
	}
	return more
}

func (b *builtin) setNamed(name string, known bool, on tri) {
	if o, ok := setOptions[name]; ok && known {
		b.option(o, on)
		return
	}
	if !known {
		for _, o := range setOptions {
			b.option(o, maybe)
		}
	}
}

// option sets one option. Two of them change what every later line means.
func (b *builtin) option(o shellOption, on tri) {
	b.sh.opts = b.sh.opts.with(o, on)
	if o == optKeyword && on != no {
		b.problem(ProblemLookup, "set -k makes assignments of words anywhere in a command", 1)
	}
	if o == optNoexec && on != no {
		// What follows is read and not run; it is judged all the same.
		b.sh.opts = b.sh.opts.with(o, no)
	}
	if o == optXtrace && on != no {
		b.e.trace(b.sh, b.at)
	}
}

// shopt changes options (bash manual 4.3.2).
func (b *builtin) shopt() {
	on := maybe
	long := false
	b.sh.status = 0
	i := 1
	for ; i < len(b.cmd.Words); i++ {
		text, ok := b.text(i)
		if !ok || !strings.HasPrefix(text, "-") {
			break
		}
		for _, c := range text[1:] {
			switch c {
			case 's':
				on = yes
			case 'u':
				on = no
			case 'o':
				long = true
			case 'q', 'p':
				b.sh.status = statusUnknown
			}
		}
	}
	if on == maybe {
		b.sh.status = statusUnknown
		return
	}
	table := shoptOptions
	if long {
		table = setOptions
	}
	for ; i < len(b.cmd.Words); i++ {
		name, ok := b.text(i)
		if ok {
			if o, ok := table[name]; ok {
				b.option(o, on)
			}
			continue
		}
		for _, o := range table {
			b.option(o, maybe)
		}
	}
}

func (b *builtin) shift() {
	sh := b.sh
	sh.status = statusUnknown
	n := 1
	if len(b.cmd.Words) > 1 {
		text, ok := b.text(1)
		k, err := strconv.Atoi(text)
		if !ok || err != nil {
			sh.args = &params{open: true}
			return
		}
		n = k
	}
	switch {
	case n < 0 || n > len(sh.args.vals) && !sh.args.open:
		sh.status = 1
	case n > len(sh.args.vals):
		sh.args = &params{open: true}
	default:
		sh.args = &params{vals: sh.args.vals[n:], open: sh.args.open}
		sh.status = 0
	}
}

// unset removes variables and functions.
func (b *builtin) unset() {
	e, sh := b.e, b.sh
	sh.status = 0
	funcs, vars, refs := false, false, false
	for i := 1; i < len(b.cmd.Words); i++ {
		text, ok := b.text(i)
		if !ok {
			e.havoc(sh)
			continue
		}
		if strings.HasPrefix(text, "-") {
			funcs = funcs || strings.Contains(text, "f")
			vars = vars || strings.Contains(text, "v")
			refs = refs || strings.Contains(text, "n")
			continue
		}
		if !funcs {
			b.unsetVariable(text, refs)
		}
		if funcs || !vars && sh.function(text) != nil && sh.lookup(text).set == no {
			sh.putFunc(text, &function{absent: true})
		}
	}
}

func (b *builtin) unsetVariable(text string, refs bool) {
	e, sh := b.e, b.sh
	base, sub, indexed := cutSubscript(text)
	if !validName(base) {
		return
	}
	if !indexed {
		name := base
		if !refs {
			_, name = e.deref(sh, base)
		}
		if sh.lookup(name).attrs&attrReadonly == 0 {
			sh.put(name, &variable{val: Known("")})
		}
		return
	}
	v, name := e.deref(sh, base)
	n := v
	switch key, known := e.textKey(sh, v, sub); {
	case sub == "@" || sub == "*":
		n.elems = &elements{}
	case !known:
		n.elems = &elements{open: true}
	default:
		n.elems = v.elems.without(key)
		if n.elems == nil && !v.array() {
			return
		}
	}
	sh.put(name, &n)
}

// let evaluates its words as expressions.
func (b *builtin) let() {
	n := number{}
	for i := 1; i < len(b.cmd.Words); i++ {
		n = number{}
		if text, ok := b.text(i); ok {
			n = b.e.arithText(b.sh, text)
		}
	}
	b.sh.status = statusOf(n.truth())
}

// eval runs its words, joined with blanks, in the shell.
func (b *builtin) eval() {
	words := b.cmd.Words[1:]
	for i := range words {
		if t, ok := words[i].Text(); i == 0 && ok && t == "--" {
			words = words[1:]
			break
		}
	}
	if len(words) == 0 {
		b.sh.status = 0
		return
	}
	script := joinWords(words)
	b.e.evalText(b.sh, b.at, script, Via{Kind: ViaShell, Name: "eval"})
}

// evalText runs a text in the shell itself, as eval does.
func (e *evaluator) evalText(sh *shell, at int, script Value, via Via) {
	cmd := e.prog.Commands[at]
	in := inner{kind: innerShell, script: script, sameShell: true, keepStdin: true, via: via}
	if !script.Resolved() {
		e.problem(at, ProblemScript, "the text that "+via.Name+" runs is not known: "+script.Why(), cmd.Span)
		sh.status = statusUnknown
		return
	}
	e.innerShell(sh, at, &cmd, &in)
}

// command runs its words without looking for functions, unless it only tells
// what they are.
func (b *builtin) command() {
	i := 1
	for ; i < len(b.cmd.Words); i++ {
		text, ok := b.text(i)
		if !ok {
			break
		}
		if text == "--" {
			i++
			break
		}
		if !strings.HasPrefix(text, "-") || text == "-" {
			break
		}
		if strings.ContainsAny(text, "vV") {
			b.e.printed(b.sh, Unknown("what command -v prints"))
			return
		}
	}
	b.again(i, modeNoFunc)
}

// again runs the words from index i on as a command of the same shell.
func (b *builtin) again(i int, m mode) {
	e, sh := b.e, b.sh
	if t, ok := b.text(i); ok && t == "--" && m == modeBuiltin {
		i++
	}
	if i >= len(b.cmd.Words) {
		sh.status = 0
		return
	}
	if m == modeBuiltin {
		if name, ok := b.text(i); ok && !isBuiltin(name) {
			sh.status = 1
			return
		}
	}
	ctx, ok := e.deeper(sh, b.cmd, Via{Kind: ViaWrapper, Name: b.name})
	if !ok {
		return
	}
	outer := sh.ctx
	ctx.inside, ctx.at = outer.inside, outer.at
	sh.ctx = ctx
	c := Command{Words: b.cmd.Words[i:], Dir: b.cmd.Dir, Via: ctx.via, Span: b.cmd.Span}
	e.start(sh, e.list(c), &c, b.before, m)
	sh.ctx = outer
}

// exec puts a program in the place of the shell, or makes redirections last.
func (b *builtin) exec() {
	sh := b.sh
	i := 1
options:
	for ; i < len(b.cmd.Words); i++ {
		text, ok := b.text(i)
		switch {
		case !ok || len(text) < 2 || text[0] != '-':
			break options
		case text == "--":
			i++
			break options
		case strings.HasSuffix(text, "a"):
			i++
		}
	}
	if i >= len(b.cmd.Words) {
		sh.status = 0
		return
	}
	b.again(i, modeExternal)
	sh.commit()
	sh.ctx.exit.land(sh)
	if sh.opts.get(optExecfail) == no && !b.cmd.Words[i].Many {
		sh.dead = true
	}
}
