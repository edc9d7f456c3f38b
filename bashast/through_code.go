package bashast

import "strings"

// specialProgram goes on with interpreters and runners of packages.
func (l *looker) specialProgram(p *parsed) bool {
	switch p.row.do {
	case "python":
		l.module(p)
		if p.row.name == "python" {
			l.stdinProgram(p)
		}
	case "npx":
		l.packageProgram(p)
	case "uvrun":
		l.uvRun(p)
	case "hatch":
		l.hatchRun(p)
	case "mise":
		l.versioned(p)
	case "dashes":
		l.dashes(p)
	case "terminal":
		l.terminal(p)
	case "chroots":
		l.chroots(p)
	case "sshpass":
		l.common(p)
	case "npm-lines":
		l.packageLines(p)
	case "service":
		l.service(p)
	case "ansible":
		l.ansible(p)
	case "cmake":
		l.cmake(p)
	case "mvn":
		l.maven()
	case "gh":
		l.forge(p)
	default:
		return false
	}
	return true
}

// operands counts the operands behind the subcommand.
func (p *parsed) operands() int {
	n := 0
	for i := range p.uses {
		if u := &p.uses[i]; u.opt == nil && u.word > p.sub {
			n++
		}
	}
	return n
}

// operand is the word index of operand n, counted from 1, or 0.
func (p *parsed) operand(n int) int {
	for i := range p.uses {
		if u := &p.uses[i]; u.opt == nil && u.word > p.sub {
			if n--; n == 0 {
				return u.word
			}
		}
	}
	return 0
}

// module adds python -m module as the command that it is, where the table
// knows one of that name. Any other module is code of the project or library.
func (l *looker) module(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.flag || u.opt == nil || u.opt.names[0] != "-m" {
			continue
		}
		name, ok := p.of(u).Text()
		if !ok {
			l.problem(ProblemName, "which module "+l.name+" runs is not known", u.word)
			return
		}
		if rowOf(name) != nil {
			words := append([]Word{}, l.c.Words[u.word:]...)
			words[0].Value = Known(name)
			l.argv(words)
		}
		return
	}
	l.common(p)
}

// sqlFile follows a file of SQL in the project: it is listed as if it had
// been given by -c, so that rules on SQL see it.
func (l *looker) sqlFile(v Value, word int) {
	text := v
	if word >= 0 && l.c.Words[word].Stream != nil {
		text = *l.c.Words[word].Stream
	} else {
		target, ok := absolute(l.c.Dir, v, l.env).Text()
		if !ok || !l.inProject(target) {
			return
		}
		content, err := l.readScript(target)
		if err != nil {
			return
		}
		text = Known(string(content))
	}
	if !text.Resolved() {
		l.problem(ProblemScript, "the SQL that "+l.name+" reads is not known", word)
		return
	}
	span := l.span(word)
	l.inner(inner{
		kind: innerArgv, via: Via{Kind: ViaInterpreter, Name: l.name},
		words: []Word{{Value: Known(l.name), Span: span}, {Value: Known("-c"), Span: span}, {Value: text, Span: span, Quoted: true}},
	})
}

// packageProgram is npx and its kin: a version behind the name is no part of it.
func (l *looker) packageProgram(p *parsed) {
	if p.argv == 0 {
		l.common(p)
		return
	}
	l.strangeIn(p, p.row)
	words := append([]Word{}, l.c.Words[p.argv:]...)
	if name, ok := words[0].Text(); ok {
		if at := strings.LastIndexByte(name, '@'); at > 0 {
			words[0].Value = Known(name[:at])
		}
	}
	l.argv(words)
	for i := range p.uses {
		if u := &p.uses[i]; u.opt != nil && !u.flag {
			l.use(p, u)
		}
	}
}

// uvRun is uv run: a Python file, a module, or a command.
func (l *looker) uvRun(p *parsed) {
	if p.has("-m") {
		l.module(p)
		return
	}
	if p.argv > 0 {
		if name, _ := l.c.Words[p.argv].Text(); strings.HasSuffix(name, ".py") || name == "-" {
			l.argv(append([]Word{{Value: Known("python"), Span: l.c.Span}}, l.c.Words[p.argv:]...))
			return
		}
	}
	l.common(p)
}

// hatchRun is hatch run environment:command.
func (l *looker) hatchRun(p *parsed) {
	if p.argv == 0 {
		return
	}
	words := append([]Word{}, l.c.Words[p.argv:]...)
	if name, ok := words[0].Text(); ok && l.name == "hatch" {
		if _, command, found := strings.Cut(name, ":"); found {
			words[0].Value = Known(command)
		}
	}
	l.argv(words)
}

// versioned is mise exec tool@version -- command, nvm exec 20 command.
func (l *looker) versioned(p *parsed) {
	for i := range p.uses {
		if u := &p.uses[i]; u.opt != nil && !u.flag {
			l.use(p, u)
		}
	}
	if p.argv == 0 {
		return
	}
	words := l.c.Words[p.argv:]
	for i := range words {
		if t, _ := words[i].Text(); t == "--" {
			l.argv(words[i+1:])
			return
		}
	}
	for len(words) > 0 {
		t, _ := words[0].Text()
		if strings.Trim(t, "v0123456789.*x") != "" && !strings.Contains(t, "@") {
			break
		}
		words = words[1:]
	}
	l.argv(words)
}

// dashes adds the words behind the first --, else what the roles say.
func (l *looker) dashes(p *parsed) {
	for i := p.sub + 1; i < len(l.c.Words); i++ {
		if t, _ := l.c.Words[i].Text(); t == "--" {
			l.argv(l.c.Words[i+1:])
			return
		}
	}
	l.common(p)
}

// ansible is a module on many hosts: command and shell run their argument.
func (l *looker) ansible(p *parsed) {
	module := "command"
	if v, ok := p.value("-m"); ok {
		module, _ = v.Text()
	}
	if args, ok := p.value("-a"); ok && isOneOf(module[strings.LastIndexByte(module, '.')+1:], "command", "shell", "raw", "script") {
		l.shell(args, -1)
	}
}

// cmake is cmake -E, a set of small commands under other names.
func (l *looker) cmake(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.flag || u.opt == nil || u.opt.names[0] != "-E" {
			continue
		}
		words := append([]Word{}, l.c.Words[u.word:u.end]...)
		verb, _ := words[0].Text()
		plain := map[string][]string{
			"rm": {"rm"}, "remove": {"rm"}, "remove_directory": {"rm", "-r"}, "copy": {"cp"},
			"copy_directory": {"cp", "-r"}, "copy_if_different": {"cp"}, "rename": {"mv"},
			"make_directory": {"mkdir"}, "touch": {"touch"}, "env": {"env"}, "time": {"time"},
			"cat": {"cat"}, "tar": {"tar"}, "create_symlink": {"ln", "-s"},
		}[verb]
		if verb == "chdir" && len(words) > 2 {
			l.dir = ptr(absolute(l.c.Dir, words[1].Value, l.env))
			l.argv(words[2:])
			return
		}
		if plain == nil {
			return
		}
		var run []Word
		for _, w := range plain {
			run = append(run, Word{Value: Known(w), Span: words[0].Span})
		}
		l.argv(append(run, words[1:]...))
	}
}

func ptr(v Value) *Value { return &v }

// maven is mvn exec:exec, whose program and arguments are properties.
func (l *looker) maven() {
	program, args := Value{}, Value{}
	found := false
	for i := 1; i < len(l.c.Words); i++ {
		v := l.c.Words[i].Value
		if rest, ok := behind(v, "-Dexec.executable="); ok {
			program, found = rest, true
		}
		if rest, ok := behind(v, "-Dexec.args="); ok {
			args = Concat(Known(" "), rest)
		}
	}
	if !found {
		return
	}
	if args.Kind() != UnknownKind {
		program = Concat(program, args)
	}
	l.shell(program, -1)
}

// forge is gh: an alias may be a shell line, and codespaces run commands.
func (l *looker) forge(p *parsed) {
	first, second := p.operand(1), p.operand(2)
	if second == 0 {
		return
	}
	verb, _ := l.c.Words[first].Text()
	sub, _ := l.c.Words[second].Text()
	switch verb + " " + sub {
	case "alias set":
		if n := p.operand(4); n > 0 {
			if script, ok := behind(l.c.Words[n].Value, "!"); ok {
				l.shell(script, n)
			}
		}
	case "codespace ssh", "cs ssh":
		l.dashes(p)
	}
}

// terminal is a command in a window: one word with blanks is a shell line.
func (l *looker) terminal(p *parsed) {
	l.dashes(p)
	for i := range l.out {
		in := &l.out[i]
		if in.kind != innerArgv || len(in.words) != 1 || !strings.Contains(in.words[0].Prefix(), " ") {
			continue
		}
		in.kind, in.script, in.words = innerShell, in.words[0].Value, nil
	}
}

// chroots are schroot and its kin: words behind --, else behind the directory.
func (l *looker) chroots(p *parsed) {
	for i := 1; i < len(l.c.Words); i++ {
		if t, _ := l.c.Words[i].Text(); t == "--" {
			l.argv(l.c.Words[i+1:])
			return
		}
	}
	if p.argv > 0 && p.argv+1 < len(l.c.Words) {
		l.argv(l.c.Words[p.argv+1:])
	}
}

// packageLines are operands that are shell lines, or scripts of package.json
// by name; URLs and ports to wait for stand between them.
func (l *looker) packageLines(p *parsed) {
	for n := 1; ; n++ {
		word := p.operand(n)
		if word == 0 {
			return
		}
		text := l.c.Words[word].Prefix()
		if manager, script, ok := strings.Cut(text, ":"); ok && isOneOf(manager, "npm", "pnpm", "yarn", "bun", "node", "deno") && script != "" {
			l.managerScript(manager, script, word)
			continue
		}
		if strings.Contains(text, "://") || strings.Trim(text, "0123456789:") == "" {
			continue
		}
		if !strings.Contains(text, " ") && l.runScript(text, len(l.c.Words)-1, l.packages(p)) {
			continue
		}
		l.shell(l.c.Words[word].Value, word)
	}
}

// managerScript is npm:name, short for npm run name; a * in it stands for
// scripts by pattern, which are the project's own.
func (l *looker) managerScript(manager, script string, word int) {
	if strings.Contains(script, "*") {
		return
	}
	span := l.span(word)
	words := []Word{{Value: Known(manager), Span: span}, {Value: Known("run"), Span: span}}
	l.argv(append(words, Word{Value: Known(script), Span: span}))
}

// service runs the script of that name in /etc/init.d.
func (l *looker) service(p *parsed) {
	word := p.operand(1)
	if word == 0 || !strings.Contains(l.c.Words[word].Prefix(), "/") {
		return
	}
	words := append([]Word{}, l.c.Words[word:]...)
	words[0].Value = absolute(Known("/etc/init.d"), words[0].Value, l.env)
	l.argv(words)
}
