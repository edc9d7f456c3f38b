package bashast

import "strings"

// special runs the Go code that a row names, and reports whether it has
// added everything, what the roles say included.
func (l *looker) special(p *parsed) bool {
	switch p.row.do {
	case "shell":
		l.shellCommand(p)
	case "same":
		l.inShell(p)
	case "stdin", "stdin-code", "stdin-editor", "stdin-ftp", "sql", "sqlite":
		l.common(p)
		l.stdinProgram(p)
	case "env":
		return l.envSplit(p)
	case "sudo":
		l.common(p)
		if p.argv == 0 && p.has("-s", "-i") {
			l.stdinScript()
		}
	case "su":
		l.su(p)
	case "xargs":
		l.xargs(p)
	case "parallel":
		l.parallel(p)
	case "find":
		l.find(p)
	case "fd":
		l.fd(p)
	case "flock":
		l.flock(p)
	case "docker":
		l.container(p)
	case "git":
		l.common(p)
		l.git(p)
	case "wrapped-shell", "later", "ssh":
		l.orShell(p)
	case "output-pipe":
		l.common(p)
		l.outputPipe(p)
	case "socat":
		l.socat(p)
	case "config":
		l.gitSetting(p)
	default:
		return l.specialWrapper(p) || l.specialProgram(p) || l.specialRunner(p)
	}
	return true
}

// specialWrapper goes on with the wrappers whose operands are irregular.
func (l *looker) specialWrapper(p *parsed) bool {
	switch p.row.do {
	case "setarch":
		l.setarch(p)
	case "capsh":
		l.afterDashes(p, Word{Value: Known("bash"), Span: l.c.Span})
	case "daemon":
		l.daemon(p)
	case "dotenv":
		l.dotenv(p)
	case "screen":
		l.screen(p)
	case "keys":
		l.keys(p)
	default:
		return false
	}
	return true
}

// shellCommand is a shell: a script by -c, by file or on standard input.
func (l *looker) shellCommand(p *parsed) {
	l.label = l.name
	inline := p.has("-c")
	for i := range p.uses {
		u := &p.uses[i]
		switch {
		case u.flag:
		case u.opt != nil:
			l.use(p, u)
		case inline:
			l.label = l.name + " -c"
			args := l.c.Words[u.word+1:]
			if len(args) == 0 {
				args = l.c.Words[:1]
			}
			l.script(inner{script: p.of(u), args: args, via: Via{Kind: ViaShell, Name: l.label}}, u.word)
			return
		case p.has("-s"):
			l.stdinScriptWith(l.c.Words[u.word-1:])
			return
		default:
			if t, ok := p.of(u).Text(); ok && (t == "-" || t == "/dev/stdin" || t == "/dev/fd/0") {
				l.stdinScriptWith(l.c.Words[u.word:])
				return
			}
			l.scriptFile(p.of(u), l.c.Words[u.word:], u.word)
			return
		}
	}
	if inline || p.has("--version", "--help", "--init-command") {
		return
	}
	l.stdinScript()
}

// inShell is eval, source and the dot: they run in the shell itself.
func (l *looker) inShell(p *parsed) {
	before := len(l.out)
	l.common(p)
	for i := before; i < len(l.out); i++ {
		l.out[i].sameShell = true
		l.out[i].via.Kind = ViaShell
	}
}

// stdinScript adds the script that a shell without operands reads.
func (l *looker) stdinScript() { l.stdinScriptWith(l.c.Words[:1]) }

func (l *looker) stdinScriptWith(args []Word) {
	v, file, reads := l.stdin()
	if !reads {
		v = Unknown("nothing of the line gives it any")
	}
	via := Via{Kind: ViaShell, Name: l.label}
	if file != nil {
		l.scriptFile(*file, args, -1)
		return
	}
	l.script(inner{script: v, args: args, via: via}, -1)
	if n := len(l.out); n > 0 {
		l.out[n-1].keepStdin = false
	}
}

// lineInput is what the evaluator calls the standard input of the whole line:
// that of pi's shell, which has nothing to read.
const lineInput = "the standard input of the line"

func (l *looker) stdin() (text Value, file *Value, reads bool) { return stdinOf(l.c) }

// stdinOf is the text on standard input of c, or the file that it is
// redirected from. reads is false where the line gives it none.
func stdinOf(c *Command) (text Value, file *Value, reads bool) {
	if c.Stdin.Kind() != UnknownKind {
		return c.Stdin, nil, true
	}
	for i := len(c.Redirects) - 1; i >= 0; i-- {
		r := &c.Redirects[i]
		if r.FD > 0 || r.Op != "<" && r.Op != "<>" && r.Op != "<&" {
			continue
		}
		if r.Duplicate {
			return Unknown("standard input is another descriptor"), nil, true
		}
		if t, ok := r.Target.Text(); ok && isStream(t) {
			if t == "/dev/null" {
				return Known(""), nil, true
			}
			break
		}
		return Value{}, &r.Target.Value, true
	}
	why := c.Stdin.Why()
	return c.Stdin, nil, c.Piped || why != "" && why != lineInput
}

// stdinLanguage is the language of the program that the command reads from
// standard input, and the word - that says so, or -1. It is "" where an
// operand or option gives the program.
func (p *parsed) stdinLanguage(name string) (lang string, word int) {
	switch p.row.do {
	case "stdin-code":
		return name, -1
	case "stdin-ftp":
		return "ftp", -1
	case "stdin-editor":
		if isOneOf(name, "ed", "red", "ex") || p.has("-e", "-E", "-es", "-Es", "-s") {
			return "vim", -1
		}
		return "", -1
	case "sql":
		if p.has("-c", "-e", "-f", "-l", "--version", "--help", "-V") {
			return "", -1
		}
		return "sql", -1
	case "sqlite":
		if p.operands() > 1 || p.has("-cmd", "-version", "-help") {
			return "", -1
		}
		return "sql", -1
	}
	return p.interpreterInput()
}

// interpreterInput is stdinLanguage for interpreters.
func (p *parsed) interpreterInput() (lang string, word int) {
	for _, r := range p.row.args.before {
		if r.kind == roleProgram {
			lang = r.lang
		}
	}
	if len(p.c.Words) == 2 && p.has("--version", "--help", "-h", "-V", "-v") {
		return "", -1
	}
	for i := range p.uses {
		u := &p.uses[i]
		switch {
		case u.role.kind == roleCode && lang != "" && !u.flag && u.opt != nil && u.opt.names[0] != "-M":
			return "", -1
		case u.role.kind == roleSpecial:
			return "", -1
		case u.role.kind == roleProgram:
			if t, ok := p.of(u).Text(); !ok || t != "-" && t != "/dev/stdin" {
				return "", -1
			}
			return lang, u.word
		}
	}
	if p.has("--test", "-l", "--run", "-S", "-i") && p.row.name != "perl" {
		return "", -1
	}
	return lang, -1
}

// stdinProgram adds the program that an interpreter reads from standard input
// where no operand or option gives it one.
func (l *looker) stdinProgram(p *parsed) {
	lang, word := p.stdinLanguage(l.name)
	if lang == "" {
		return
	}
	v, file, reads := l.stdin()
	switch {
	case !reads:
	case file != nil && lang == "sql":
		l.sqlFile(*file, -1)
	case file != nil:
		// A program of the project is the project's own code, as if named.
	case !v.Resolved():
		l.problem(ProblemScript, "the program that "+l.name+" reads from its standard input is not known", -1)
	default:
		l.code(lang, v, word)
	}
}

// envSplit looks through env -S: the string is split and read as if its
// pieces stood in its place.
func (l *looker) envSplit(p *parsed) bool {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt == nil || u.flag || u.opt.names[0] != "-S" {
			continue
		}
		text, ok := p.of(u).Text()
		if !ok {
			l.problem(ProblemScript, "the string that env splits is not known", u.word)
			return true
		}
		pieces, why := splitEnvString(text)
		if why != "" {
			l.problem(ProblemScript, why, u.word)
		}
		next := *l.c
		next.Words = append([]Word{}, l.c.Words[:1]...)
		for _, piece := range pieces {
			next.Words = append(next.Words, Word{Value: Known(piece), Span: l.c.Words[u.word].Span, Quoted: true})
		}
		next.Words = append(next.Words, l.c.Words[u.word+1:]...)
		for _, in := range lookThrough(&next, l.env) {
			in.assigns = append(in.assigns, l.assigns...)
			if in.dir == nil {
				in.dir = l.dir
			}
			l.out = append(l.out, in)
		}
		return true
	}
	return false
}

// splitEnvString splits as env -S does (GNU coreutils manual 23.2.2).
func splitEnvString(s string) (pieces []string, why string) {
	var b strings.Builder
	in := false
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		ch := s[i]
		switch {
		case ch == '\\' && i+1 < len(s) && (quote != '\'' || s[i+1] == '\'' || s[i+1] == '\\'):
			i++
			switch s[i] {
			case 'c':
				return appendPiece(pieces, &b, in), ""
			case '_':
				if quote == 0 {
					pieces, in = appendPiece(pieces, &b, in), false
					continue
				}
				b.WriteByte(' ')
			case 'n', 't', 'r', 'f', 'v':
				b.WriteByte("\n\t\r\f\v"[strings.IndexByte("ntrfv", s[i])])
			default:
				b.WriteByte(s[i])
			}
			in = true
		case ch == '$' && quote != '\'':
			why = "env -S puts a variable into the command"
			in = true
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '"' || ch == '\''):
			quote, in = ch, true
		case quote == 0 && strings.IndexByte(" \t\n\v\f\r", ch) >= 0:
			pieces, in = appendPiece(pieces, &b, in), false
		case quote == 0 && ch == '#' && !in:
			return pieces, why
		default:
			b.WriteByte(ch)
			in = true
		}
	}
	return appendPiece(pieces, &b, in), why
}

func appendPiece(pieces []string, b *strings.Builder, in bool) []string {
	if in {
		pieces = append(pieces, b.String())
		b.Reset()
	}
	return pieces
}

// su runs the words behind the user as arguments of that user's shell.
func (l *looker) su(p *parsed) {
	l.common(p)
	operands := 0
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil {
			continue
		}
		if t, _ := p.of(u).Text(); t == "-" {
			continue
		}
		if operands++; operands == 2 {
			shell := Word{Value: Known("sh"), Span: l.c.Words[u.word].Span}
			l.argv(append([]Word{shell}, l.c.Words[u.word:]...))
			return
		}
	}
	if len(l.out) == 0 && !p.has("-c") {
		l.stdinScript()
	}
}

// flock runs its operands, or with -c behind the file a script.
func (l *looker) flock(p *parsed) {
	if p.argv > 0 {
		if t, _ := l.c.Words[p.argv].Text(); t == "-c" || t == "--command" {
			if p.argv+1 < len(l.c.Words) {
				l.shell(l.c.Words[p.argv+1].Value, p.argv+1)
			}
			return
		}
	}
	l.common(p)
}

// container runs the command in a container; --entrypoint comes before it.
func (l *looker) container(p *parsed) {
	l.strangeIn(p, p.row)
	var words []Word
	for i := range p.uses {
		u := &p.uses[i]
		if !u.flag && u.opt != nil && u.opt.names[0] == "--entrypoint" {
			words = append(words, Word{Value: p.of(u), Span: l.c.Words[u.word].Span})
		}
	}
	if p.argv > 0 {
		words = append(words, l.c.Words[p.argv:]...)
	}
	l.argv(words)
}
