package bashast

import "strings"

// orShell is a wrapper that starts a shell where it is given no command; at
// and batch always read a script from standard input.
func (l *looker) orShell(p *parsed) {
	l.common(p)
	if p.argv > 0 || p.has("-f", "-l", "-r", "-d", "-c", "-N", "-W", "-V", "-G", "-Q", "-O", "--version", "--help") && p.row.do != "wrapped-shell" {
		return
	}
	l.stdinScript()
}

// outputPipe is strace, whose -o may name a command: |command or !command.
func (l *looker) outputPipe(p *parsed) {
	v, ok := p.value("-o")
	if !ok {
		return
	}
	for _, mark := range []string{"|", "!"} {
		if command, ok := behind(v, mark); ok {
			l.shell(command, -1)
		}
	}
}

// setarch may have the name of an architecture in front of its options.
func (l *looker) setarch(p *parsed) {
	if p.argv == 0 {
		return
	}
	if t, _ := l.c.Words[p.argv].Text(); l.name == "setarch" && isArchitecture(t) {
		next := *l.c
		next.Words = append([]Word{l.c.Words[0]}, l.c.Words[p.argv+1:]...)
		l.out = append(l.out, lookThrough(&next, l.env)...)
		return
	}
	l.common(p)
}

func isArchitecture(name string) bool {
	switch name {
	case "x86_64", "i386", "i486", "i586", "i686", "linux32", "linux64", "aarch64", "arm", "armv7l",
		"armv8l", "ppc", "ppc64", "ppc64le", "s390", "s390x", "mips", "mips64", "riscv64", "uname26", "athlon":
		return true
	}
	return false
}

// afterDashes adds program with the words behind a -- (or capsh's ==).
func (l *looker) afterDashes(p *parsed, program Word) {
	l.common(p)
	for i := 1; i < len(l.c.Words); i++ {
		if t, _ := l.c.Words[i].Text(); t == "--" || t == "==" {
			l.argv(append([]Word{program}, l.c.Words[i+1:]...))
			return
		}
	}
}

// daemon is start-stop-daemon: the program by option, its arguments behind --.
func (l *looker) daemon(p *parsed) {
	for _, name := range []string{"-a", "-x"} {
		if v, ok := p.value(name); ok && p.has("-S", "-b") {
			l.afterDashes(p, Word{Value: v, Span: l.c.Span})
			if len(l.out) == 0 {
				l.argv([]Word{{Value: v, Span: l.c.Span}})
			}
			return
		}
	}
}

// dotenv may have the verb run in front of the command.
func (l *looker) dotenv(p *parsed) {
	if p.argv == 0 {
		return
	}
	words := l.c.Words[p.argv:]
	if t, _ := words[0].Text(); t == "run" && l.name == "dotenvx" {
		next := *l.c
		next.Words = append([]Word{l.c.Words[0]}, words[1:]...)
		l.out = append(l.out, lookThrough(&next, l.env)...)
		return
	}
	l.strangeIn(p, p.row)
	l.argv(words)
}

// screen runs a command, or with -X stuff types into a running screen.
func (l *looker) screen(p *parsed) {
	if !p.has("-X") {
		l.common(p)
		return
	}
	if p.argv == 0 {
		return
	}
	words := l.c.Words[p.argv:]
	switch verb, _ := words[0].Text(); verb {
	case "stuff":
		l.shell(joinWords(words[1:]), p.argv)
	case "exec", "screen":
		l.argv(words[1:])
	}
}

// tmux may have several commands with ; between them.
func (l *looker) tmux() {
	start := 1
	for i := 1; i <= len(l.c.Words); i++ {
		if i < len(l.c.Words) {
			if t, _ := l.c.Words[i].Text(); t != ";" {
				continue
			}
		}
		next := *l.c
		next.Words = append([]Word{l.c.Words[0]}, l.c.Words[start:i]...)
		start = i + 1
		p := rowOf("tmux").parse(&next)
		defer p.release()
		one := looker{c: &next, env: l.env, name: l.name}
		if p.row.do == "tmux" {
			one.common(p)
		} else {
			one.parsed(p)
		}
		l.out = append(l.out, one.out...)
	}
}

// keys is what tmux send-keys types: operands that are no names of keys.
func (l *looker) keys(p *parsed) {
	var typed []Word
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.word <= p.sub {
			continue
		}
		t, ok := p.of(u).Text()
		if !ok || !isKeyName(t) {
			typed = append(typed, l.c.Words[u.word])
		}
	}
	if len(typed) > 0 {
		l.shell(joinWords(typed), p.sub)
	}
}

func isKeyName(t string) bool {
	switch t {
	case "Enter", "Space", "Tab", "BTab", "Escape", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "q":
		return true
	}
	return len(t) >= 3 && len(t) <= 5 && (strings.HasPrefix(t, "C-") || strings.HasPrefix(t, "M-"))
}

// socat adds the programs of EXEC:, SYSTEM: and SHELL: addresses.
func (l *looker) socat(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil {
			continue
		}
		v := p.of(u)
		kind, rest, _ := strings.Cut(v.Prefix(), ":")
		switch strings.ToUpper(kind) {
		case "EXEC", "SYSTEM", "SHELL":
			if v.Resolved() {
				rest, _, _ = strings.Cut(rest, ",")
				v = Known(rest)
			} else {
				v = Unknown(v.Why())
			}
			l.shell(v, u.word)
		}
	}
}
