package bashast

import (
	"slices"
	"strings"
)

// lookThrough lists what c starts besides itself, from the table of commands,
// following files through env (B4, B5, B6).
func lookThrough(c *Command, env Env) []inner {
	if len(c.Words) == 0 || c.Function {
		return nil
	}
	name := c.Name()
	if name == "" {
		return nil
	}
	l := looker{c: c, env: env, name: name}
	r := rowOf(name)
	if r == nil || !r.runs {
		l.ownFile()
		return l.out
	}
	if r.do == "tmux" {
		l.tmux()
		return l.out
	}
	p := r.parse(c)
	defer p.release()
	if !p.runs() {
		l.strangeIn(p, r)
		return l.out
	}
	l.parsed(p)
	return l.out
}

// runs reports whether anything in p may start a command.
func (p *parsed) runs() bool {
	if p.row.do != "" || p.row.wraps {
		return true
	}
	for i := range p.uses {
		if p.uses[i].role.runs() {
			return true
		}
	}
	return false
}

// looker gathers what one command starts.
type looker struct {
	c    *Command
	env  Env
	name string
	// label names the wrapper in Via.
	label string
	// dir is set where the wrapper changes the directory.
	dir *Value
	// assigns are the environment changes of the wrapper.
	assigns []Assign
	// foreign is true when what is started sees another file system.
	foreign bool
	// fresh is true when what is started does not get the standard input.
	fresh bool
	out   []inner
}

// parsed adds what the uses of p start, then what the row's code knows.
func (l *looker) parsed(p *parsed) {
	l.label = l.name
	for _, i := range p.path[:p.depth] {
		if sub, ok := p.c.Words[i].Text(); ok {
			l.label += " " + sub
		}
	}
	l.settings(p)
	if l.special(p) {
		return
	}
	l.common(p)
}

// common adds what the roles alone say.
func (l *looker) common(p *parsed) {
	l.strangeIn(p, p.row)
	for i := range p.uses {
		u := &p.uses[i]
		if !u.flag {
			l.use(p, u)
		}
	}
}

// strangeIn adds a problem where a wrapper has an option that its row does
// not know, or a word that may be any number of words, in front of the inner
// command: where that begins is then uncertain.
func (l *looker) strangeIn(p *parsed, r *row) {
	if !r.wraps && !p.row.wraps {
		return
	}
	switch {
	case p.unknown > 0:
		word := option1(&l.c.Words[p.unknown])
		l.problem(ProblemOption, "the option "+word+" of "+l.name+" is not known", p.unknown)
	case p.vague:
		l.problem(ProblemOption, "where the command behind "+l.name+" begins is not known", p.argv)
	}
}

// settings reads what the wrapper changes for what it starts.
func (l *looker) settings(p *parsed) {
	if p.row.foreign {
		dir := Unknown("the directory on another machine or in a container")
		l.dir, l.foreign = &dir, true
	}
	for i := range p.uses {
		u := &p.uses[i]
		switch {
		case u.flag:
		case u.role.kind == roleDir && !p.row.foreign:
			base := l.c.Dir
			if l.dir != nil {
				base = *l.dir
			}
			dir := absolute(base, p.of(u), l.env)
			l.dir = &dir
		case u.role.kind == roleAssign:
			l.assign(p, u)
		}
	}
}

func (l *looker) assign(p *parsed, u *use) {
	v := p.of(u)
	name, _, ok := strings.Cut(v.Prefix(), "=")
	if !ok {
		return
	}
	l.assigns = append(l.assigns, Assign{
		Name: name, Value: cutPrefix(v, len(name)+1), Exported: true, Span: l.c.Words[u.word].Span,
	})
}

// use adds what one word starts.
func (l *looker) use(p *parsed, u *use) {
	switch u.role.kind {
	case roleArgv:
		end := u.end
		if end == 0 {
			end = len(l.c.Words)
		}
		l.argv(l.c.Words[u.word:end])
	case roleShells:
		l.shell(joinWords(l.c.Words[u.word:]), u.word)
	case roleShell:
		l.shell(p.of(u), u.word)
	case roleCommand:
		l.commandLine(p.of(u), u.word)
	case roleCode:
		l.code(u.role.lang, p.of(u), u.word)
	case roleRemote, roleURL:
		l.remoteHelper(p.of(u), u.word)
	case roleSQL:
		l.sqlFile(p.of(u), u.word)
	case roleScript:
		l.scriptFile(p.of(u), l.c.Words[u.word:], u.word)
	case roleSet:
		if r, v, ok := setting(u.role.lang, p.of(u)); ok {
			l.value(r, v, u.word)
		}
	}
}

// value adds what a part of a word starts.
func (l *looker) value(r role, v Value, word int) {
	switch r.kind {
	case roleShell:
		l.shell(v, word)
	case roleCommand:
		l.commandLine(v, word)
	case roleCode:
		l.code(r.lang, v, word)
	case roleSpecial:
		l.aliasText(v, word)
	case roleQuoted:
		if t, ok := v.Text(); ok {
			v = Known(strings.Trim(t, "\"' "))
		}
		l.shell(v, word)
	case roleHelper:
		if script, ok := behind(v, "!"); ok {
			l.shell(script, word)
		} else if strings.HasPrefix(v.Prefix(), "/") {
			l.shell(v, word)
		}
	}
}

// inner adds in with what all that this command starts have in common.
func (l *looker) inner(in inner) {
	if in.dir == nil {
		in.dir = l.dir
	}
	in.assigns = append(in.assigns, l.assigns...)
	in.keepStdin = !l.fresh
	if in.via.Name == "" {
		in.via = Via{Kind: ViaWrapper, Name: l.label}
	}
	in.via.Foreign = l.foreign
	l.out = append(l.out, in)
}

func (l *looker) argv(words []Word) {
	if len(words) == 0 {
		return
	}
	l.inner(inner{kind: innerArgv, words: words})
}

// shell adds a script for a shell; that of a value that is not known is a problem.
func (l *looker) shell(script Value, word int) {
	l.script(inner{script: script, via: Via{Kind: ViaShell, Name: l.label}}, word)
}

func (l *looker) script(in inner, word int) {
	in.kind = innerShell
	if !in.script.Resolved() {
		reason := "the script that " + l.label + " runs is not known"
		if why := in.script.Why(); why != "" {
			reason += ": " + why
		}
		in.problem = &Problem{Code: ProblemScript, Reason: reason, Span: l.span(word)}
	}
	l.inner(in)
}

// commandLine adds a command that a program splits into words itself; a shell
// reads such a text in the same way or sees more in it.
func (l *looker) commandLine(v Value, word int) {
	if t, ok := v.Text(); ok && strings.TrimSpace(t) == "" {
		return
	}
	l.shell(v, word)
}

// problem adds that something runs which is not known.
func (l *looker) problem(code ProblemCode, reason string, word int) {
	l.out = append(l.out, inner{
		kind: innerArgv, via: Via{Kind: ViaWrapper, Name: l.label},
		problem: &Problem{Code: code, Reason: reason, Span: l.span(word)},
	})
}

func (l *looker) span(word int) Span {
	if word > 0 && word < len(l.c.Words) {
		return l.c.Words[word].Span
	}
	return l.c.Span
}

// joinWords is the text of words with blanks between them, as eval, ssh and
// watch join their operands.
func joinWords(words []Word) Value {
	if text, ok := joinKnown(words); ok {
		return Known(text)
	}
	var v Value
	for i := range words {
		w := words[i].Value
		if words[i].Many && w.Kind() <= PartialKind {
			w = Unknown(w.Why())
		}
		if i == 0 {
			v = w
			continue
		}
		v = Concat(Concat(v, Known(" ")), w)
	}
	return v
}

// joinKnown joins words that are all known, in one go: they may be thousands.
func joinKnown(words []Word) (string, bool) {
	var b strings.Builder
	for i := range words {
		text, ok := words[i].Text()
		if !ok || b.Len()+len(text) > maxLength {
			return "", false
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String(), len(words) > 0
}

// setting splits KEY=VALUE and finds the role of the value in the row name.
// Keys are compared without case; a * in the row stands for one component or
// more between dots.
func setting(name string, v Value) (role, Value, bool) {
	r := rowOf(name)
	text := v.Prefix()
	i := strings.IndexAny(text, "= ")
	if r == nil || i < 0 {
		return role{}, Value{}, false
	}
	o := r.key(text[:i])
	if o == nil {
		return role{}, Value{}, false
	}
	return o.role, cutPrefix(v, i+1), true
}

// key finds a setting by its name.
func (r *row) key(name string) *option {
	name = strings.ToLower(name)
	if o := r.byName[name]; o != nil {
		return o
	}
	first := strings.IndexByte(name, '.')
	last := strings.LastIndexByte(name, '.')
	if first < 0 {
		return nil
	}
	if last > first {
		if o := r.byName[name[:first]+".*"+name[last:]]; o != nil {
			return o
		}
	}
	return r.byName[name[:first]+".*"]
}

// replaceIn puts value in the place of every mark in w.
func replaceIn(w Word, mark string, value Value) Word {
	if w.Kind() != KnownKind || !strings.Contains(textOf(&w.Value), mark) {
		return w
	}
	if textOf(&w.Value) == mark {
		w.Value = value
		return w
	}
	parts := strings.Split(textOf(&w.Value), mark)
	v := Known(parts[0])
	for _, part := range parts[1:] {
		v = Concat(Concat(v, value), Known(part))
	}
	w.Value = v
	return w
}

// replaceAll puts value in the place of mark in a copy of words and reports
// whether the mark was there.
func replaceAll(words []Word, mark string, value Value) ([]Word, bool) {
	found := false
	out := slices.Clone(words)
	for i := range out {
		if t, ok := out[i].Text(); ok && strings.Contains(t, mark) {
			found = true
			out[i] = replaceIn(out[i], mark, value)
		}
	}
	return out, found
}
