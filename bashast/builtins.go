package bashast

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// isBuiltin reports whether bash runs the name itself (bash manual 4).
func isBuiltin(name string) bool {
	switch name {
	case ":", ".", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
		"compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false",
		"fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd",
		"printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source",
		"suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait":
		return true
	}
	return false
}

// shellBuiltin runs a builtin that changes the shell. It reports false for
// those that do not, which are listed like programs.
func (e *evaluator) shellBuiltin(sh *shell, name string, inv invocation) bool {
	args := inv.words[1:]
	run, ok := map[string]func(*evaluator, *shell, int, []Word, invocation){
		"cd": (*evaluator).biCd, "pushd": (*evaluator).biPushd, "popd": (*evaluator).biPopd,
		"set": (*evaluator).biSet, "shopt": (*evaluator).biShopt, "shift": (*evaluator).biShift,
		"unset": (*evaluator).biUnset, "read": (*evaluator).biRead, "mapfile": (*evaluator).biMapfile,
		"readarray": (*evaluator).biMapfile, "trap": (*evaluator).biTrap, "alias": (*evaluator).biAlias,
		"unalias": (*evaluator).biUnalias, "getopts": (*evaluator).biGetopts,
		"export": (*evaluator).biDeclare, "declare": (*evaluator).biDeclare, "typeset": (*evaluator).biDeclare,
		"local": (*evaluator).biDeclare, "readonly": (*evaluator).biDeclare,
		"exit": (*evaluator).biExit, "logout": (*evaluator).biExit, "return": (*evaluator).biReturn,
		"break": (*evaluator).biBreak, "continue": (*evaluator).biContinue, "hash": (*evaluator).biHash,
		"enable": (*evaluator).biEnable, "let": (*evaluator).biLet, "test": (*evaluator).biTest, "[": (*evaluator).biTest,
	}[name]
	if name == "printf" && len(args) > 1 && wordIs(args[0], "-v") {
		run, ok = (*evaluator).biPrintfV, true
	}
	if name == "exec" && len(args) == 0 {
		e.execRedirects(sh, inv)
		return true
	}
	if !ok {
		return false
	}
	at := e.enlist(sh, inv)
	e.prog.Commands[at].Builtin = true
	e.lookupAssigns(sh, at, inv.assigns)
	env := e.envOf(sh)
	c := &e.prog.Commands[at]
	c.Effects = append(c.Effects[:len(c.Effects):len(c.Effects)], effects(c, env)...)
	sh.status = 0
	run(e, sh, at, args, inv)
	return true
}

func wordIs(w Word, text string) bool {
	t, ok := w.Text()
	return ok && t == text
}

// execRedirects is exec with redirections alone: they last (bash manual 4.1).
func (e *evaluator) execRedirects(sh *shell, inv invocation) {
	at := e.enlist(sh, inv)
	e.prog.Commands[at].Builtin = true
	sh.in, sh.outMoved = inv.in, inv.moved
	sh.status = 0
}

// operands are the words behind the options; ok is false where one is not
// known.
func operands(args []Word, valued string) (rest []Word, options string, ok bool) {
	for i := 0; i < len(args); i++ {
		text, known := args[i].Text()
		if !known || args[i].Many {
			return args[i:], options, !args[i].Many
		}
		if text == "--" {
			return args[i+1:], options, true
		}
		if len(text) < 2 || text[0] != '-' {
			return args[i:], options, true
		}
		options += text[1:]
		if strings.IndexByte(valued, text[len(text)-1]) >= 0 {
			i++
		}
	}
	return nil, options, true
}

// biCd is cd (B3): where it may fail, both directories are kept apart by
// success.
func (e *evaluator) biCd(sh *shell, at int, args []Word, inv invocation) {
	rest, _, ok := operands(args, "")
	var target Value
	switch {
	case !ok || len(rest) > 0 && rest[0].Many:
		target = Unknown("the directory that is changed to is not known")
	case len(rest) == 0:
		target = sh.lookup("HOME").value()
	case wordIs(rest[0], "-"):
		target = sh.lookup("OLDPWD").value()
	default:
		target = rest[0].Value
	}
	e.changeDir(sh, at, target, inv.span)
}

func (e *evaluator) changeDir(sh *shell, at int, target Value, span Span) {
	if text, known := target.Text(); known && text == "" {
		return
	}
	next := absoluteFrom(sh.dir, target)
	if cdpath := sh.lookup("CDPATH"); cdpath.set != no && !strings.HasPrefix(target.Prefix(), "/") && !strings.HasPrefix(target.Prefix(), ".") {
		next = Unknown("CDPATH is set")
	}
	if next.Kind() == PartialKind {
		next = Unknown(next.Why())
	}
	if !next.Resolved() {
		e.problem(at, ProblemDirectory, "the directory that is changed to is not known: "+next.Why(), span)
	}
	surely := e.isDirectory(sh, next)
	ok := sh.fork()
	ok.dir, ok.status = next, 0
	old := sh.dir
	ok.put("OLDPWD", &variable{val: old, set: yes, attrs: attrExport})
	ok.put("PWD", &variable{val: next, set: yes, attrs: attrExport})
	if surely {
		sh.become(ok)
		return
	}
	fail := sh.fork()
	fail.status = 1
	sh.branch(ok, fail)
	e.mayStop(sh)
}

// isDirectory reports whether every possible target surely is a directory.
func (e *evaluator) isDirectory(sh *shell, v Value) bool {
	env := sh.ctx.env
	if !v.Resolved() {
		return false
	}
	for _, t := range v.Texts() {
		if t == env.Dir || t == env.Project || t == "/" || t == env.Home {
			continue
		}
		if env.Files == nil || e.touched {
			return false
		}
		if info, err := env.Files.Stat(t); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func (e *evaluator) biPushd(sh *shell, at int, args []Word, inv invocation) {
	rest, options, ok := operands(args, "")
	if len(rest) == 1 && ok && !strings.Contains(options, "n") {
		if text, known := rest[0].Text(); !known || !strings.HasPrefix(text, "+") {
			old := sh.dir
			sh.stack = append(sh.stack[:len(sh.stack):len(sh.stack)], old)
			e.changeDir(sh, at, rest[0].Value, inv.span)
			return
		}
	}
	if len(rest) == 0 && len(args) == 0 && len(sh.stack) > 0 {
		top := sh.stack[len(sh.stack)-1]
		stack := append([]Value(nil), sh.stack...)
		stack[len(stack)-1] = sh.dir
		sh.stack = stack
		e.changeDir(sh, at, top, inv.span)
		return
	}
	e.changeDir(sh, at, Unknown("the directory stack"), inv.span)
}

func (e *evaluator) biPopd(sh *shell, at int, args []Word, inv invocation) {
	if len(args) == 0 && len(sh.stack) > 0 {
		top := sh.stack[len(sh.stack)-1]
		sh.stack = sh.stack[:len(sh.stack)-1]
		e.changeDir(sh, at, top, inv.span)
		return
	}
	if len(args) == 0 {
		sh.status = 1
		return
	}
	e.changeDir(sh, at, Unknown("the directory stack"), inv.span)
}

// biSet is set: options and positional parameters (bash manual 4.3.1).
func (e *evaluator) biSet(sh *shell, at int, args []Word, _ invocation) {
	for i := 0; i < len(args); i++ {
		text, known := args[i].Text()
		if !known || args[i].Many {
			e.setParams(sh, args[i:])
			if args[i].Many || !args[i].Resolved() && strings.HasPrefix(args[i].Prefix(), "-") {
				e.problem(at, ProblemOption, "options of the shell that are not known", args[i].Span)
			}
			return
		}
		switch {
		case text == "--" || text == "-":
			e.setParams(sh, args[i+1:])
			return
		case text == "-o" || text == "+o":
			if i+1 < len(args) {
				name, _ := args[i+1].Text()
				sh.opts = sh.opts.with(setOptions[name], triOf(text == "-o"))
				i++
			}
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			i = e.setCluster(sh, text, args, i)
		default:
			e.setParams(sh, args[i:])
			return
		}
	}
}

func (e *evaluator) setCluster(sh *shell, text string, args []Word, i int) int {
	on := triOf(text[0] == '-')
	for _, c := range []byte(text[1:]) {
		if c == 'o' && i+1 < len(args) {
			i++
			name, _ := args[i].Text()
			sh.opts = sh.opts.with(setOptions[name], on)
			continue
		}
		sh.opts = sh.opts.with(setLetters[c], on)
	}
	if sh.opts.get(optXtrace) != no {
		e.tracePrompt(sh)
	}
	return i
}

// tracePrompt evaluates PS4, which bash expands before each command it traces.
func (e *evaluator) tracePrompt(sh *shell) {
	v := sh.lookup("PS4")
	e.promptText(sh, v.value())
}

func (e *evaluator) promptText(sh *shell, v Value) {
	text, known := v.Text()
	if !known {
		e.programProblem(ProblemScript, "a prompt that is not known is expanded", Span{0, len(e.prog.Text)})
		return
	}
	if strings.ContainsAny(text, "$`") {
		in := inner{kind: innerShell, script: Known(": \"" + strings.ReplaceAll(text, `"`, `\"`) + "\""), sameShell: true, via: Via{Kind: ViaTrap, Name: "PS4"}}
		at := len(e.prog.Commands) - 1
		if at >= 0 {
			e.runInner(sh, at, invocation{words: []Word{{Value: Known("PS4")}}, in: sh.in, span: Span{0, len(e.prog.Text)}}, &in)
		}
	}
}

func (e *evaluator) setParams(sh *shell, words []Word) {
	p := &params{}
	for _, w := range words {
		p.open = p.open || w.Many
		p.vals = append(p.vals, w.Value)
	}
	sh.args = p
}

func (e *evaluator) biShopt(sh *shell, at int, args []Word, _ invocation) {
	rest, options, ok := operands(args, "")
	if !ok {
		e.problem(at, ProblemOption, "options of the shell that are not known", e.prog.Commands[at].Span)
	}
	if !strings.ContainsAny(options, "su") {
		return
	}
	table := shoptOptions
	if strings.Contains(options, "o") {
		table = setOptions
	}
	for _, w := range rest {
		for _, name := range w.Texts() {
			sh.opts = sh.opts.with(table[name], triOf(strings.Contains(options, "s")))
		}
		if !w.Resolved() {
			e.problem(at, ProblemOption, "an option of the shell that is not known", w.Span)
		}
	}
}

func (e *evaluator) biShift(sh *shell, _ int, args []Word, _ invocation) {
	n := number{1, true}
	if len(args) > 0 {
		text, known := args[0].Text()
		v, isNumber := parseInteger(text)
		n = number{v, known && isNumber}
	}
	switch {
	case !n.known || sh.args.open:
		sh.args = &params{open: true}
	case n.n < 0 || int(n.n) > len(sh.args.vals):
		sh.status = 1
	default:
		sh.args = &params{vals: sh.args.vals[n.n:]}
	}
}

func (e *evaluator) biUnset(sh *shell, at int, args []Word, _ invocation) {
	rest, options, _ := operands(args, "")
	for _, w := range rest {
		name, known := w.Text()
		if !known {
			e.problem(at, ProblemOption, "a name that is not known is unset", w.Span)
			continue
		}
		if base, sub, ok := strings.Cut(name, "["); ok {
			e.subscript(at, sub, w.Span)
			e.unsetElement(sh, base, strings.TrimSuffix(sub, "]"))
			continue
		}
		if strings.Contains(options, "f") || sh.function(name) != nil && !strings.Contains(options, "v") && sh.lookup(name).set == no {
			sh.putFunc(name, nil)
			continue
		}
		sh.put(name, &variable{val: Known(""), set: no})
	}
}

func (e *evaluator) unsetElement(sh *shell, name, key string) {
	v := sh.lookup(name)
	if v.elems == nil {
		return
	}
	if _, isNumber := parseInteger(key); isNumber || v.attrs&attrAssoc != 0 {
		v.elems = v.elems.without(key)
	} else {
		v.elems = &elements{open: true}
	}
	sh.put(name, &v)
}

// subscript notes a subscript in a word of a builtin that evaluates it: what
// it substitutes runs although it was quoted.
func (e *evaluator) subscript(at int, text string, span Span) {
	if strings.ContainsAny(text, "$`") {
		e.problem(at, ProblemScript, "a quoted subscript is evaluated and can run commands", span)
	}
}

// biRead is read: from a text that is known, the words of its first line.
func (e *evaluator) biRead(sh *shell, at int, args []Word, inv invocation) {
	rest, options, ok := operands(args, "adinNptu")
	if !ok {
		e.problem(at, ProblemOption, "names that are not known are read into", inv.span)
		return
	}
	for _, w := range args {
		if text, known := w.Text(); known && strings.Contains(text, "[") {
			e.subscript(at, text, w.Span)
		}
	}
	text, known := inv.in.val.Text()
	line, after, _ := strings.Cut(text, "\n")
	simple := known && !strings.ContainsAny(options, "adnNtu") && (strings.Contains(options, "r") || !strings.Contains(line, "\\"))
	if i := strings.IndexByte(options, 'a'); i >= 0 {
		e.readArray(sh, args, simple, line)
	}
	fields := e.readFields(sh, line, len(rest))
	for i, w := range rest {
		name, nameKnown := w.Text()
		if !nameKnown || !isName(name) {
			continue
		}
		v := Unknown("what is read from standard input")
		if simple && fields != nil {
			v = Known(fields[i])
		}
		e.assign(sh, name, v)
	}
	if len(rest) == 0 {
		v := Unknown("what is read from standard input")
		if simple {
			v = Known(line)
		}
		e.assign(sh, "REPLY", v)
	}
	if sh.in.val.equal(inv.in.val) {
		if known {
			sh.in.val = Known(after)
		} else {
			sh.in.val = Unknown("what is left of standard input")
		}
	}
	sh.status = statusUnknown
	if simple && text != "" {
		sh.status = 0
	} else if known && text == "" {
		sh.status = 1
	}
}

func (e *evaluator) readArray(sh *shell, args []Word, _ bool, _ string) {
	for i, w := range args {
		text, _ := w.Text()
		if strings.HasPrefix(text, "-") && strings.HasSuffix(text, "a") && i+1 < len(args) {
			if name, ok := args[i+1].Text(); ok && isName(name) {
				sh.put(name, &variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}})
			}
		}
	}
}

// readFields splits a line as read does: the last name takes the rest.
func (e *evaluator) readFields(sh *shell, line string, n int) []string {
	ifs, known := sh.ifs().Text()
	if !known || n == 0 {
		return nil
	}
	if strings.Trim(ifs, " \t\n") != "" && n > 1 {
		return nil
	}
	fields := make([]string, n)
	rest := line
	if strings.ContainsAny(ifs, " \t") {
		rest = strings.Trim(rest, " \t")
	}
	for i := range n {
		if i == n-1 {
			fields[i] = rest
			break
		}
		end := strings.IndexAny(rest, ifs)
		if ifs == "" || end < 0 {
			fields[i], rest = rest, ""
			continue
		}
		fields[i] = rest[:end]
		rest = strings.TrimLeft(rest[end:], " \t")
	}
	return fields
}

func (e *evaluator) biMapfile(sh *shell, at int, args []Word, inv invocation) {
	rest, options, _ := operands(args, "dnOsuCc")
	if strings.Contains(options, "C") {
		e.problem(at, ProblemScript, "mapfile runs a callback", inv.span)
	}
	name := "MAPFILE"
	if len(rest) > 0 {
		name, _ = rest[0].Text()
	}
	if !isName(name) {
		return
	}
	v := variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}}
	if text, known := inv.in.val.Text(); known && options == "t" {
		v.elems = &elements{}
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if text != "" {
				v.elems = v.elems.with(numberOf(int64(i)).value().text, Known(line), true)
			}
		}
	}
	sh.put(name, &v)
}

// handler is what a trap or a prompt variable runs.
type handler struct {
	script Value
	at     int
	inv    invocation
}

// biTrap sets a handler. It runs when the shell ends, or at any time.
func (e *evaluator) biTrap(sh *shell, at int, args []Word, inv invocation) {
	rest, options, ok := operands(args, "")
	if !ok {
		e.problem(at, ProblemScript, "a handler that is not known", inv.span)
		return
	}
	if strings.ContainsAny(options, "lp") || len(rest) < 2 {
		return
	}
	if wordIs(rest[0], "-") || wordIs(rest[0], "") {
		return
	}
	e.traps = append(e.traps, handler{script: rest[0].Value, at: at, inv: inv})
	now := sh.fork()
	in := inner{kind: innerShell, script: rest[0].Value, sameShell: true, via: Via{Kind: ViaTrap, Name: "trap"}}
	e.runInner(now, at, inv, &in)
}

// runTraps runs the handlers that were set as the shell ends.
func (e *evaluator) runTraps(sh *shell) {
	if sh.ctx.sub || len(e.traps) == 0 {
		return
	}
	traps := e.traps
	e.traps = nil
	for _, t := range traps {
		child := sh.fork()
		child.dead = false
		in := inner{kind: innerShell, script: t.script, sameShell: true, via: Via{Kind: ViaTrap, Name: "trap"}}
		e.runInner(child, t.at, t.inv, &in)
	}
}

func (e *evaluator) biAlias(sh *shell, at int, args []Word, _ invocation) {
	for _, w := range args {
		text, known := w.Text()
		name, value, ok := strings.Cut(text, "=")
		if !known {
			e.problem(at, ProblemName, "an alias that is not known", w.Span)
			continue
		}
		if ok {
			if e.aliases == nil {
				e.aliases = map[string]Value{}
			}
			e.aliases[name] = Known(value)
		}
	}
}

func (e *evaluator) biUnalias(*shell, int, []Word, invocation) {}

// alias runs what an alias of the name stands for, where aliases are
// expanded. Bash expands them as it reads, so that the words behind the name
// are read anew: both readings are listed and the command is unresolved.
func (e *evaluator) alias(sh *shell, name string, inv invocation) bool {
	v, ok := e.aliases[name]
	if !ok || sh.opts.get(optExpandAliases) == no {
		return false
	}
	at := e.enlist(sh, inv)
	e.problem(at, ProblemName, "the name is an alias that the line defines", inv.span)
	in := inner{kind: innerShell, script: v, sameShell: true, keepStdin: true, via: Via{Kind: ViaFunction, Name: name}}
	delete(e.aliases, name)
	e.runInner(sh, at, inv, &in)
	e.aliases[name] = v
	return true
}

func (e *evaluator) biGetopts(sh *shell, _ int, args []Word, _ invocation) {
	if len(args) > 1 {
		if name, ok := args[1].Text(); ok && isName(name) {
			sh.put(name, &variable{val: Unknown("an option"), set: yes})
		}
	}
	sh.put("OPTARG", &variable{val: Unknown("the argument of an option"), set: maybe})
	sh.put("OPTIND", &variable{val: unknownAtom("the place of an option"), set: yes})
	sh.status = statusUnknown
}

// biDeclare is a declaration behind command or builtin, or with a computed
// name: its words were expanded like those of any command.
func (e *evaluator) biDeclare(sh *shell, at int, args []Word, inv invocation) {
	var set attrs
	if wordIs(inv.words[0], "export") {
		set = attrExport
	}
	c := e.prog.Commands[at]
	for _, w := range args {
		text, known := w.Text()
		switch {
		case !known:
			c.Problems = append(c.Problems, Problem{Code: ProblemOption, Reason: "a declaration that is not known: " + w.Why(), Span: w.Span})
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "+"):
			s, _ := declOptions(text)
			set |= s
		default:
			e.declText(sh, &c, text, set, w.Span)
		}
	}
	e.prog.Commands[at] = c
	e.lookupAssigns(sh, at, c.Assigns)
}

func (e *evaluator) biExit(sh *shell, _ int, args []Word, _ invocation) {
	if len(args) > 0 {
		sh.status = statusUnknown
		if text, ok := args[0].Text(); ok {
			if n, isNumber := parseInteger(text); isNumber {
				sh.status = status(n & 255)
			}
		}
	}
	sh.ctx.exit.land(sh)
	sh.dead = true
}

func (e *evaluator) biReturn(sh *shell, _ int, args []Word, _ invocation) {
	if sh.ctx.ret == nil {
		return
	}
	if len(args) > 0 {
		sh.status = statusUnknown
		if text, ok := args[0].Text(); ok {
			if n, isNumber := parseInteger(text); isNumber {
				sh.status = status(n & 255)
			}
		}
	}
	sh.ctx.ret.land(sh)
	sh.dead = true
}

func (e *evaluator) frameAt(sh *shell, args []Word) *loopFrame {
	n := int64(1)
	if len(args) > 0 {
		text, _ := args[0].Text()
		n, _ = parseInteger(text)
	}
	f := sh.ctx.loop
	for ; n > 1 && f != nil && f.outer != nil; n-- {
		f = f.outer
	}
	return f
}

func (e *evaluator) biBreak(sh *shell, _ int, args []Word, _ invocation) {
	if f := e.frameAt(sh, args); f != nil {
		f.breaks.states = append(f.breaks.states, sh.snapshot(f.breaks.base.parent))
		sh.dead = true
	}
}

func (e *evaluator) biContinue(sh *shell, _ int, args []Word, _ invocation) {
	if f := e.frameAt(sh, args); f != nil {
		f.nexts.states = append(f.nexts.states, sh.snapshot(f.nexts.base.parent))
		sh.dead = true
	}
}

func (e *evaluator) biHash(_ *shell, at int, args []Word, inv invocation) {
	for _, w := range args {
		if text, _ := w.Text(); strings.HasPrefix(text, "-p") {
			e.problem(at, ProblemLookup, "hash -p makes a name run another program", inv.span)
		}
	}
}

func (e *evaluator) biEnable(_ *shell, at int, args []Word, inv invocation) {
	for _, w := range args {
		if text, _ := w.Text(); strings.HasPrefix(text, "-f") || !w.Resolved() {
			e.problem(at, ProblemLookup, "enable -f loads code into the shell", inv.span)
		}
	}
}

func (e *evaluator) biLet(sh *shell, _ int, args []Word, _ invocation) {
	var n number
	for _, w := range args {
		text, known := w.Text()
		if !known {
			e.unknownArith(sh, nil)
			continue
		}
		n = e.arithText(sh, text, nil, 0)
	}
	sh.status = statusOf(n.truth())
}

// biPrintfV is printf -v: what would be printed goes into a variable.
func (e *evaluator) biPrintfV(sh *shell, at int, args []Word, inv invocation) {
	name, known := args[1].Text()
	e.subscript(at, name, args[1].Span)
	c := Command{Words: append([]Word{inv.words[0]}, args[2:]...), Dir: sh.dir}
	v := output(&c, e.envOf(sh))
	if base, _, ok := strings.Cut(name, "["); ok && isName(base) {
		sh.put(base, &variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}})
		return
	}
	if !known || !isName(name) {
		e.problem(at, ProblemOption, "a name that is not known is set", args[1].Span)
		return
	}
	e.assign(sh, name, v)
}

// biTest is test and [: its status where the words fix it, and subscripts.
func (e *evaluator) biTest(sh *shell, at int, args []Word, _ invocation) {
	for i, w := range args {
		text, known := w.Text()
		if known && strings.Contains(text, "[") && i > 0 && (wordIs(args[i-1], "-v") || wordIs(args[i-1], "-R")) {
			e.subscript(at, text, w.Span)
		}
		if !known && i > 0 && wordIs(args[i-1], "-v") {
			e.problem(at, ProblemScript, "a name that is not known is looked up, and a subscript in it can run commands", w.Span)
		}
	}
	sh.status = statusOf(testOutcome(&e.prog.Commands[at]))
}

// testOutcome is the outcome of test where its words fix it.
func testOutcome(c *Command) tri {
	words := c.Words[1:]
	if c.Name() == "[" && len(words) > 0 {
		words = words[:len(words)-1]
	}
	texts := make([]string, len(words))
	for i, w := range words {
		text, ok := w.Text()
		if !ok || w.Many {
			return maybe
		}
		texts[i] = text
	}
	switch len(texts) {
	case 0:
		return no
	case 1:
		return triOf(texts[0] != "")
	case 2:
		switch texts[0] {
		case "-n":
			return triOf(texts[1] != "")
		case "-z":
			return triOf(texts[1] == "")
		case "!":
			return triOf(texts[1] == "")
		}
	case 3:
		return compareTexts(texts[0], texts[1], texts[2])
	}
	return maybe
}

func compareTexts(a, op, b string) tri {
	switch op {
	case "=", "==":
		return triOf(a == b)
	case "!=":
		return triOf(a != b)
	}
	ops := map[string]syntax.BinAritOperator{
		"-eq": syntax.Eql, "-ne": syntax.Neq, "-lt": syntax.Lss, "-le": syntax.Leq, "-gt": syntax.Gtr, "-ge": syntax.Geq,
	}
	o, ok := ops[op]
	x, okX := parseInteger(a)
	y, okY := parseInteger(b)
	if !ok || !okX || !okY {
		return maybe
	}
	return compute(o, numberOf(x), numberOf(y)).truth()
}

// testExpr evaluates [[ ]] (bash manual 3.2.5.2).
func (e *evaluator) testExpr(sh *shell, x syntax.TestExpr) tri {
	if !e.step(sh) {
		return maybe
	}
	switch x := x.(type) {
	case *syntax.Word:
		return notEmpty(e.scalar(sh, x))
	case *syntax.ParenTest:
		return e.testExpr(sh, x.X)
	case *syntax.UnaryTest:
		return e.unaryTest(sh, x)
	case *syntax.BinaryTest:
		return e.binaryTest(sh, x)
	}
	return maybe
}

func notEmpty(v Value) tri {
	if text, ok := v.Text(); ok {
		return triOf(text != "")
	}
	if !v.MayBe("") {
		return yes
	}
	return maybe
}

func (e *evaluator) unaryTest(sh *shell, x *syntax.UnaryTest) tri {
	if x.Op == syntax.TsNot {
		return e.testExpr(sh, x.X).not()
	}
	w, ok := x.X.(*syntax.Word)
	if !ok {
		return maybe
	}
	v := e.scalar(sh, w)
	switch x.Op {
	case syntax.TsNempStr:
		return notEmpty(v)
	case syntax.TsEmpStr:
		return notEmpty(v).not()
	case syntax.TsVarSet:
		text, known := v.Text()
		if !known || strings.Contains(text, "[") && strings.ContainsAny(text, "$`") {
			e.programProblem(ProblemScript, "a name is looked up, and a subscript in it can run commands", sh.span(x))
		} else if isName(text) {
			return sh.lookup(text).set
		}
	}
	return maybe
}

func (e *evaluator) binaryTest(sh *shell, x *syntax.BinaryTest) tri {
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		stop := no
		if x.Op == syntax.OrTest {
			stop = yes
		}
		left := e.testExpr(sh, x.X)
		if left == stop {
			return stop
		}
		child := sh.fork()
		right := e.testExpr(child, x.Y)
		sh.become(sh.fork(), child)
		if left != maybe || right == stop {
			return right
		}
		return maybe
	}
	a, okA := x.X.(*syntax.Word)
	b, okB := x.Y.(*syntax.Word)
	if !okA || !okB {
		return maybe
	}
	left := e.scalar(sh, a)
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		pat, known := e.patternOf(sh, b)
		m := matchTri(left, pat, known)
		if x.Op == syntax.TsNoMatch {
			m = m.not()
		}
		return m
	case syntax.TsReMatch:
		e.scalar(sh, b)
		sh.put("BASH_REMATCH", &variable{set: yes, attrs: attrIndexed, elems: &elements{open: true}})
		return maybe
	case syntax.TsEql, syntax.TsNeq, syntax.TsLss, syntax.TsLeq, syntax.TsGtr, syntax.TsGeq:
		return e.arithTest(sh, x, left, e.scalar(sh, b), a, b)
	}
	e.scalar(sh, b)
	return maybe
}

// arithTest is -eq and its like, which evaluate their words as arithmetic.
func (e *evaluator) arithTest(sh *shell, x *syntax.BinaryTest, left, right Value, a, b *syntax.Word) tri {
	nums := [2]number{}
	for i, v := range [2]Value{left, right} {
		text, known := v.Text()
		if !known {
			if !isAtom(v) {
				e.unknownArith(sh, []*syntax.Word{a, b}[i])
			}
			continue
		}
		nums[i] = e.arithText(sh, text, []*syntax.Word{a, b}[i], 0)
	}
	ops := map[syntax.BinTestOperator]syntax.BinAritOperator{
		syntax.TsEql: syntax.Eql, syntax.TsNeq: syntax.Neq, syntax.TsLss: syntax.Lss,
		syntax.TsLeq: syntax.Leq, syntax.TsGtr: syntax.Gtr, syntax.TsGeq: syntax.Geq,
	}
	return compute(ops[x.Op], nums[0], nums[1]).truth()
}
