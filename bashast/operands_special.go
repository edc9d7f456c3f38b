package bashast

import "strings"

// special adds the effects that the roles of a row cannot say.
func (f *finder) special(p *parsed) {
	switch p.row.do {
	default:
		f.specialProgram(p)
	case "find":
		f.findDelete(p)
	case "test":
		f.test()
	case "revs":
		f.revisions(p)
	case "checkout":
		f.checkout(p)
	case "config":
		f.gitConfig(p)
	case "awk":
		f.awkFiles(p)
	case "7z":
		f.sevenZip(p)
	case "httpie":
		f.httpie(p)
	case "socat":
		f.socat(p)
	case "output-pipe":
		if v, ok := p.value("-o"); ok && !strings.HasPrefix(v.Prefix(), "|") && !strings.HasPrefix(v.Prefix(), "!") {
			f.role(role{kind: roleWrite}, v, -1)
		}
	}
}

// findDelete is find -delete: what it finds below each root is removed. With
// a test of names the targets end as the names do.
func (f *finder) findDelete(p *parsed) {
	if !p.has("-delete") {
		return
	}
	suffix := p.nameSuffix("-name", "-iname")
	for _, root := range p.roots() {
		target := Unknown("a file below a directory that is not known")
		switch {
		case root != "" && suffix != "":
			target = belowDir(root, suffix, "the files that find finds")
		case root != "":
			target = Known(root)
		}
		f.add(Delete, absolute(f.dir, target, f.env), -1, true)
	}
}

// test adds the files that test, [ and [[ look at.
func (f *finder) test() {
	words := f.c.Words
	for i := 1; i < len(words); i++ {
		t, _ := words[i].Text()
		switch t {
		case "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w", "-x", "-G", "-L", "-N", "-O", "-S":
			if i+1 < len(words) && !(t == "-a" && i > 1 && !isNegation(&words[i-1])) {
				f.look(i + 1)
			}
		case "-nt", "-ot", "-ef":
			if i > 1 && i+1 < len(words) {
				f.look(i - 1)
				f.look(i + 1)
			}
		}
	}
}

func isNegation(w *Word) bool {
	t, _ := w.Text()
	return t == "!" || t == "("
}

func (f *finder) look(word int) {
	f.role(role{kind: roleMeta}, f.c.Words[word].Value, word)
}

// revisions adds the paths among the operands of git diff and its kin: those
// behind a --, and those that can be no revision.
func (f *finder) revisions(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.word <= p.sub || u.role.kind != roleText {
			continue
		}
		if p.dashes >= 0 && i >= p.dashes || p.has("--no-index") || isPlainPath(p.of(u)) {
			f.role(role{kind: roleRead}, p.of(u), u.word)
		}
	}
}

// isPlainPath reports whether an operand that may be a revision is a path for
// sure. A bare . means all of the work tree, which needs no naming.
func isPlainPath(v Value) bool {
	prefix := v.Prefix()
	return strings.HasPrefix(prefix, "/") || strings.HasPrefix(prefix, "./") || strings.HasPrefix(prefix, "../")
}

// checkout adds the files that git checkout overwrites: operands behind a --,
// or such as name a file.
func (f *finder) checkout(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.word <= p.sub {
			continue
		}
		if p.dashes >= 0 && i >= p.dashes || p.dashes < 0 && f.namesFile(p.of(u)) {
			f.role(role{kind: roleWrite, deep: true}, p.of(u), u.word)
		}
	}
}

func (f *finder) namesFile(v Value) bool {
	t, ok := v.Text()
	if !ok || t == "." || isPlainPath(v) {
		return t == "." || isPlainPath(v)
	}
	target, known := absolute(f.dir, v, f.env).Text()
	if !known || f.env.Files == nil {
		return false
	}
	_, err := f.env.Files.Lstat(target)
	return err == nil
}

// gitConfig adds the file that git config changes.
func (f *finder) gitConfig(p *parsed) {
	file := absolute(f.dir, Known(".git/config"), f.env)
	if f.env.Project != "" && !isForeign(f.c) {
		if d, ok := f.dir.Text(); ok && (d == f.env.Project || strings.HasPrefix(d, f.env.Project+"/")) {
			file = Known(f.env.Project + "/.git/config")
		}
	}
	switch v, ok := p.value("-f"); {
	case ok:
		file = absolute(f.dir, v, f.env)
	case p.has("--global"):
		file = Known(f.env.Home + "/.gitconfig")
	case p.has("--system"):
		file = Known("/etc/gitconfig")
	}
	if f.setsConfig(p) {
		f.add(Write, file, -1, false)
	} else if p.has("-f") {
		f.add(Read, file, -1, false)
	}
}

// setsConfig reports whether git config changes a setting: it has a value, or
// a verb or option that says so.
func (f *finder) setsConfig(p *parsed) bool {
	if p.has("--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section", "-e") {
		return true
	}
	var operands []int
	for i := range p.uses {
		if u := &p.uses[i]; u.opt == nil && u.word > p.sub {
			operands = append(operands, u.word)
		}
	}
	if len(operands) == 0 || p.has("--list", "-l", "--get", "--get-all", "--get-regexp", "--get-urlmatch") {
		return false
	}
	switch verb, _ := f.c.Words[operands[0]].Text(); verb {
	case "get", "list":
		return false
	case "set", "unset", "rename-section", "remove-section", "edit":
		return true
	}
	return len(operands) > 1
}

// awkFiles adds the operands of awk that are not assignments.
func (f *finder) awkFiles(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil || u.role.kind != roleSpecial {
			continue
		}
		name, _, isAssign := strings.Cut(p.of(u).Prefix(), "=")
		if !isAssign || strings.ContainsAny(name, "/. ") {
			f.role(role{kind: roleRead}, p.of(u), u.word)
		}
	}
}

// sevenZip adds the archive and the files of 7z, whose first operand is a
// letter that says what it does.
func (f *finder) sevenZip(p *parsed) {
	f.out = f.out[:0]
	verb, archive := "", false
	for i := 1; i < len(f.c.Words); i++ {
		v := f.c.Words[i].Value
		text := v.Prefix()
		switch {
		case strings.HasPrefix(text, "-o"):
			f.role(role{kind: roleWrite}, cutPrefix(v, 2), i)
		case strings.HasPrefix(text, "-"):
		case verb == "":
			verb = text
		case !archive:
			archive = true
			kind := roleWrite
			if verb == "x" || verb == "e" || verb == "l" || verb == "t" {
				kind = roleRead
			}
			f.role(role{kind: kind}, v, i)
		case verb == "a" || verb == "u":
			f.role(role{kind: roleRead, deep: true}, v, i)
		}
	}
}

// httpie adds what the items of http send: METHOD URL name=value name@path.
func (f *finder) httpie(p *parsed) {
	operands := 0
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil {
			continue
		}
		v := p.of(u)
		text := v.Prefix()
		switch operands++; {
		case operands == 1 && text == strings.ToUpper(text) && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && text != "":
			f.out = f.out[:0]
			operands = 0
		case operands == 1:
			f.out = f.out[:0]
			f.add(Network, v, u.word, false)
		default:
			if at := strings.IndexByte(text, '@'); at >= 0 && !strings.ContainsAny(text[:at], ":") {
				f.role(role{kind: roleRead}, cutPrefix(v, at+1), u.word)
			}
			if strings.ContainsAny(text, "=@") && !strings.Contains(text, "==") {
				f.sendAll()
			}
		}
	}
}

func (f *finder) sendAll() {
	for i := range f.out {
		if f.out[i].Kind == Network {
			f.out[i].Send = true
		}
	}
}

// socat adds what the addresses of socat open.
func (f *finder) socat(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil {
			continue
		}
		kind, rest, _ := strings.Cut(p.of(u).Prefix(), ":")
		target, _, _ := strings.Cut(rest, ",")
		switch kind = strings.ToUpper(kind); {
		case strings.Contains(kind, "LISTEN") || kind == "EXEC" || kind == "SYSTEM" || kind == "SHELL":
		case kind == "OPEN" || kind == "CREATE" || kind == "CREAT" || kind == "FILE" || kind == "GOPEN" || kind == "PIPE":
			f.role(role{kind: roleWrite}, Known(target), u.word)
		case strings.HasPrefix(kind, "TCP") || strings.HasPrefix(kind, "UDP") || strings.HasPrefix(kind, "OPENSSL") || strings.HasPrefix(kind, "SSL") || strings.HasPrefix(kind, "SOCKS") || strings.HasPrefix(kind, "SCTP"):
			host, _, _ := strings.Cut(target, ":")
			f.add(Network, Known(host), u.word, false)
			f.out1().Send = true
		}
	}
}
