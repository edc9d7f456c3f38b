package bashast

import "strings"

// effects lists what c itself does to paths and hosts, from the table of
// commands (B19). Targets are absolute: relative ones are read against c.Dir.
// An operand of a command that changes paths and is not known gives an effect
// whose target is not known.
func effects(c *Command, env Env) []Effect {
	if len(c.Words) == 0 || c.Function {
		return nil
	}
	name := c.Name()
	if name == "" {
		return nil
	}
	f := finder{c: c, env: env, start: c.Dir, dir: c.Dir}
	f.program()
	r := rowOf(name)
	if r == nil {
		f.unknownCommand()
		return f.place()
	}
	p := r.parse(c)
	defer p.release()
	f.parsed(p)
	if p.row.do != "" {
		f.special(p)
	}
	return f.place()
}

// finder gathers the effects of one command.
type finder struct {
	c   *Command
	env Env
	// start is the directory in force where the command starts, dir that
	// which its options have set.
	start, dir Value
	deep       bool
	send       bool
	operands   int
	out        []Effect
}

// program adds the effect of running a program by its path (B7): programs in
// the system's own directories are as good as bare names.
func (f *finder) program() {
	text := textOf(&f.c.Words[0].Value)
	if !strings.Contains(text, "/") || f.c.Builtin {
		return
	}
	target := absolute(f.start, f.c.Words[0].Value, f.env)
	if t, ok := target.Text(); ok && inSystemDirectory(t) {
		return
	}
	f.add(Execute, target, 0, false)
}

func inSystemDirectory(p string) bool {
	i := strings.LastIndexByte(p, '/')
	switch p[:max(i, 0)] {
	case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin":
		return true
	}
	return false
}

func (f *finder) add(kind EffectKind, target Value, word int, deep bool) {
	if t, ok := target.Text(); ok && (kind == Read || kind == Write) && isStream(t) {
		return
	}
	e := Effect{Kind: kind, Target: target, Word: word, Recursive: deep}
	if word >= 0 {
		e.Span = f.c.Words[word].Span
	} else {
		e.Span = f.c.Span
	}
	f.out = append(f.out, e)
}

// parsed adds what the uses of p mean.
func (f *finder) parsed(p *parsed) {
	f.deep = p.row.deep.holds(p)
	f.send = p.row.send.holds(p)
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt == nil && u.word > p.sub && u.role.kind != roleText {
			f.operands++
		}
		if u.flag || u.role.kind == roleText {
			continue
		}
		f.use(p, u)
	}
	if !p.row.also0() {
		f.constants(p)
	}
	if f.send {
		for i := range f.out {
			if f.out[i].Kind == Network {
				f.out[i].Send = true
			}
		}
	}
}

// also0 reports whether the row has no effects beyond those of its words.
func (r *row) also0() bool { return len(r.also) == 0 && len(r.none) == 0 && len(r.when) == 0 }

func (f *finder) constants(p *parsed) {
	f.constantList(p.row.also)
	none := p.row.none
	for i := range p.row.when {
		w := &p.row.when[i]
		if len(w.also) == 0 && w.none == nil && w.args == nil || !w.holds(p) {
			continue
		}
		f.constantList(w.also)
		if w.none != nil {
			none = w.none
		}
	}
	if f.operands == 0 {
		f.constantList(none)
	}
}

func (f *finder) constantList(list []constant) {
	for i := range list {
		if list[i].value != "" {
			value := list[i].value
			if rest, ok := strings.CutPrefix(value, "~/"); ok {
				value = f.env.Home + "/" + rest
			}
			f.role(list[i].role, Known(value), -1)
		}
	}
}

// use adds the effect of one word.
func (f *finder) use(p *parsed, u *use) {
	f.role(u.role, p.of(u), u.word)
}

// role adds the effect of value in role r.
func (f *finder) role(r role, v Value, word int) {
	dir := f.dir
	if r.first {
		dir = f.start
	}
	deep := f.deep || r.deep
	switch r.kind {
	case rolePath:
		f.pathLike(v, word)
	case roleRead, roleMeta:
		if f.skip(v) {
			return
		}
		f.add(Read, absolute(dir, v, f.env), word, deep)
		f.out1().Metadata = r.kind == roleMeta
	case roleSend:
		f.send = true
		if !f.skip(v) {
			f.add(Read, absolute(dir, v, f.env), word, deep)
		}
	case roleWrite:
		if !f.skip(v) {
			f.add(Write, absolute(dir, v, f.env), word, deep)
		}
	case roleEdit:
		if !f.skip(v) {
			f.add(Read, absolute(dir, v, f.env), word, deep)
			f.add(Write, absolute(dir, v, f.env), word, deep)
		}
	case roleDelete:
		f.add(Delete, absolute(dir, v, f.env), word, deep)
	case roleMove:
		f.add(Read, absolute(dir, v, f.env), word, true)
		f.add(Delete, absolute(dir, v, f.env), word, true)
	case roleExec:
		f.add(Execute, absolute(dir, v, f.env), word, false)
	case roleLoad:
		if p := v.Prefix(); strings.HasPrefix(p, "/") || strings.HasPrefix(p, ".") {
			f.add(Execute, absolute(dir, v, f.env), word, false)
		}
	case roleSQL, roleSetFile:
		if r.kind == roleSetFile {
			if i := strings.IndexByte(v.Prefix(), '='); i >= 0 {
				v = cutPrefix(v, i+1)
			}
		}
		if !f.skip(v) {
			f.add(Read, absolute(dir, v, f.env), word, false)
		}
	case roleScript, roleProgram:
		if f.skip(v) {
			return
		}
		f.programFile(absolute(dir, v, f.env), word)
	case roleChmod:
		f.add(Chmod, absolute(dir, v, f.env), word, deep)
	case roleDir:
		f.dir = absolute(dir, v, f.env)
		if word >= 0 {
			f.add(Read, f.dir, word, false)
			f.out1().Metadata = true
		}
	default:
		f.remote(r, v, word, dir, deep)
	}
}

// out1 is the effect added last, or one that is thrown away.
func (f *finder) out1() *Effect {
	if len(f.out) == 0 {
		return &Effect{}
	}
	return &f.out[len(f.out)-1]
}

// skip reports whether an operand means a standard stream.
func (f *finder) skip(v Value) bool {
	t, ok := v.Text()
	return ok && (t == "-" || t == "" || isStream(t))
}

// programFile adds the effects of running a file with an interpreter.
func (f *finder) programFile(target Value, word int) {
	if t, ok := target.Text(); ok && isStream(t) {
		return
	}
	f.add(Execute, target, word, false)
}

// pathLike adds a read where a word of unknown meaning looks like a path.
func (f *finder) pathLike(v Value, word int) {
	switch v.Kind() {
	case KnownKind:
		if !looksLikePath(textOf(&v)) {
			return
		}
	case OneOfKind:
		for _, t := range v.Texts() {
			if looksLikePath(t) {
				f.add(Read, absolute(f.dir, v, f.env), word, false)
				return
			}
		}
		return
	default:
		if !strings.HasPrefix(v.Prefix(), "/") && !strings.HasPrefix(v.Prefix(), "..") {
			return
		}
	}
	deep := false
	if t, ok := v.Text(); ok && strings.HasSuffix(t, "/...") {
		v, deep = Known(strings.TrimSuffix(t, "/...")), true
	}
	f.add(Read, absolute(f.dir, v, f.env), word, deep)
}

// unknownCommand takes operands of a command without a row for reads where
// they look like paths; it never claims more.
func (f *finder) unknownCommand() {
	for i := 1; i < len(f.c.Words); i++ {
		v := f.c.Words[i].Value
		text := option1(&f.c.Words[i])
		if strings.HasPrefix(text, "-") {
			eq := strings.IndexByte(text, '=')
			if eq < 0 {
				continue
			}
			v = cutPrefix(v, eq+1)
		}
		if t, ok := v.Text(); ok && strings.HasPrefix(t, "@") {
			v = Known(t[1:])
		}
		f.pathLike(v, i)
	}
}

// place leaves out what is no matter of this machine: a command that runs on
// another host or in a container reads other files under the same names. What
// it changes is kept, since the names may be mounted from here.
func (f *finder) place() []Effect {
	if !isForeign(f.c) {
		return f.out
	}
	kept := f.out[:0]
	for _, e := range f.out {
		if e.Kind != Read && e.Kind != Execute {
			kept = append(kept, e)
		}
	}
	return kept
}

// isForeign reports whether c runs where files are not those of this machine.
func isForeign(c *Command) bool {
	for i := range c.Via {
		if c.Via[i].Foreign {
			return true
		}
	}
	return false
}
