package bashast

import "strings"

// specialProgram adds the effects of programs whose operands are irregular.
func (f *finder) specialProgram(p *parsed) {
	switch p.row.do {
	case "stdin", "python", "stdin-code", "stdin-editor", "stdin-ftp", "sql":
		f.stdinCode(p)
	case "sqlite":
		f.stdinCode(p)
		f.database(p)
	case "containercp":
		f.containerCopy(p)
	case "formatter":
		f.formatter(p)
	case "gh":
		f.forge(p)
	case "make":
		f.make(p)
	}
}

// stdinCode adds the effects of a program read from standard input.
func (f *finder) stdinCode(p *parsed) {
	lang, word := p.stdinLanguage(f.c.Name())
	if lang == "" {
		return
	}
	if v, _, reads := stdinOf(f.c); reads && v.Resolved() {
		f.code(lang, v, word)
	}
}

// database adds a write where SQL may change the file of a database.
func (f *finder) database(p *parsed) {
	file := p.operand(1)
	if file == 0 || p.has("-readonly") {
		return
	}
	changes := false
	for i := range p.uses {
		u := &p.uses[i]
		if u.role.kind == roleCode && !onlyReads(p.of(u)) {
			changes = true
		}
	}
	if p.operands() == 1 {
		if v, _, reads := stdinOf(f.c); reads && !onlyReads(v) {
			changes = true
		}
	}
	if changes {
		f.role(role{kind: roleWrite}, f.c.Words[file].Value, file)
	}
}

// onlyReads reports whether a text of SQL begins as one that changes nothing.
func onlyReads(v Value) bool {
	text := strings.ToLower(strings.TrimSpace(v.Prefix()))
	for _, verb := range []string{"select", "with", "explain", "pragma", "values", "describe", "show", ".tables", ".schema", ".indexes", ".databases", ".headers", ".mode", ".dump", ".quit", ".exit"} {
		if strings.HasPrefix(text, verb) && v.Resolved() {
			return !strings.Contains(text, "insert ") && !strings.Contains(text, "delete ") && !strings.Contains(text, "update ") && !strings.Contains(text, "drop ")
		}
	}
	return false
}

// containerCopy is docker cp and kubectl cp: an operand without a colon is a
// path of this machine.
func (f *finder) containerCopy(p *parsed) {
	for n := 1; n <= 2; n++ {
		word := p.operand(n)
		if word == 0 {
			return
		}
		v := f.c.Words[word].Value
		if p := v.Prefix(); strings.Contains(p, ":") && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, ".") {
			continue
		}
		kind := roleRead
		if n == 2 {
			kind = roleWrite
		}
		f.role(role{kind: kind, deep: true}, v, word)
	}
}

// formatter adds the files that a formatter changes: where it is told to, and
// where it does so without: black src, ruff format.
func (f *finder) formatter(p *parsed) {
	first, writes := 1, p.has("-w")
	switch f.c.Name() {
	case "black", "isort", "rustfmt", "pyupgrade", "autoflake", "taplo", "alejandra", "ormolu", "fourmolu":
		writes = true
	case "ruff", "biome", "dprint", "sqlfluff", "buf", "rome", "mix":
		if n := p.operand(1); n > 0 {
			verb, _ := f.c.Words[n].Text()
			first = 2
			writes = writes || f.c.Name() == "ruff" && verb == "format" || verb == "fmt" || verb == "fix"
		}
	}
	for i := 1; i < len(f.c.Words); i++ {
		if t, _ := f.c.Words[i].Text(); isOneOf(t, "--check", "--diff", "--version", "-h", "--help", "--list-different") {
			writes = false
		}
	}
	if !writes {
		return
	}
	f.out = f.out[:0]
	for n := first; ; n++ {
		word := p.operand(n)
		if word == 0 {
			return
		}
		f.role(role{kind: roleEdit, deep: true}, f.c.Words[word].Value, word)
	}
}

// forge adds the files that gh sends.
func (f *finder) forge(p *parsed) {
	verb, sub := "", ""
	if n := p.operand(1); n > 0 {
		verb, _ = f.c.Words[n].Text()
	}
	if n := p.operand(2); n > 0 {
		sub, _ = f.c.Words[n].Text()
	}
	from := 0
	switch verb + " " + sub {
	case "gist create":
		from = 3
	case "release upload", "release create":
		from = 4
	case "repo clone":
		if n := p.operand(4); n > 0 {
			f.role(role{kind: roleWrite}, f.c.Words[n].Value, n)
		}
		return
	default:
		return
	}
	for n := from; ; n++ {
		word := p.operand(n)
		if word == 0 {
			return
		}
		f.role(role{kind: roleRead}, f.c.Words[word].Value, word)
	}
}

// make adds the makefiles that lie elsewhere and programs that variables name.
func (f *finder) make(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.flag {
			continue
		}
		v := p.of(u)
		switch {
		case u.opt != nil && u.opt.names[0] == "-f":
			target := absolute(f.dir, v, f.env)
			if t, ok := v.Text(); ok && t == "-" || inside(f.env.Project, target) {
				continue
			}
			f.add(Execute, target, u.word, false)
		case u.opt == nil:
			if program, ok := behind(v, "SHELL="); ok && !inSystemDirectory(program.Prefix()) {
				f.add(Execute, absolute(f.dir, program, f.env), u.word, false)
			}
		}
	}
}

// inside reports whether a path that is known lies in the project.
func inside(project string, target Value) bool {
	t, ok := target.Text()
	return ok && project != "" && (t == project || strings.HasPrefix(t, strings.TrimSuffix(project, "/")+"/"))
}
