package bashast

import (
	"path"
	"strings"
)

// cd changes the directory in force (B3, bash manual 4.1). Where the directory
// is not known to be there, a failure leaves the old one in force.
func (b *builtin) cd() {
	sh := b.sh
	i, physical, ok := b.cdOptions()
	if !ok || len(b.cmd.Words)-i > 1 && b.allKnown(i) {
		sh.status = 1
		return
	}
	old := sh.dir
	to, prints := b.cdTarget(i)
	if physical || sh.opts.get(optPhysical) != no {
		to = b.physical(to)
	}
	if prints {
		b.e.printed(sh, Concat(to, Known("\n")))
	}
	b.goTo(to, old, nil)
}

// cdOptions skips the options of cd and its kin.
func (b *builtin) cdOptions() (i int, physical, ok bool) {
	for i = 1; i < len(b.cmd.Words); i++ {
		text, known := b.text(i)
		if !known || len(text) < 2 || text[0] != '-' {
			return i, physical, true
		}
		if text == "--" {
			return i + 1, physical, true
		}
		if strings.Trim(text[1:], "LPe@") != "" {
			return i, physical, false
		}
		physical = strings.LastIndexByte(text, 'P') > strings.LastIndexByte(text, 'L')
	}
	return i, physical, true
}

// cdTarget is the directory that cd goes to, and whether it prints it.
func (b *builtin) cdTarget(i int) (Value, bool) {
	sh := b.sh
	words := b.cmd.Words[i:]
	switch {
	case len(words) == 0:
		if v := sh.lookup("HOME"); v.set != no {
			return b.against(v.val), false
		}
		return sh.dir, false
	case len(words) > 1 || words[0].Many:
		return Unknown("the directory of cd is not known: " + words[0].Why()), false
	}
	v := words[0].Value
	if text, ok := v.Text(); ok {
		switch text {
		case "-":
			return b.oldDir(), true
		case "":
			return sh.dir, false
		}
	}
	if sh.opts.get(optCdableVars) != no {
		return Unknown("cd may take the name of a variable"), false
	}
	return b.throughPath(v)
}

func (b *builtin) oldDir() Value {
	v := b.sh.lookup("OLDPWD")
	if v.set != yes {
		return Unknown("the directory before this one")
	}
	return b.against(v.val)
}

// throughPath reads a directory against CDPATH.
func (b *builtin) throughPath(v Value) (Value, bool) {
	cdpath := b.sh.lookup("CDPATH")
	here := b.against(v)
	if cdpath.set == no {
		return here, false
	}
	p := v.Prefix()
	if strings.HasPrefix(p, "/") || p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
		return here, false
	}
	list, ok := cdpath.val.Text()
	if !ok {
		return Unknown("cd looks in $CDPATH, which is not known"), true
	}
	to := here
	for _, dir := range strings.Split(list, ":") {
		if dir != "" {
			to = Join(to, b.against(Concat(Known(dir+"/"), v)))
		}
	}
	return to, true
}

// against reads v against the directory in force, in the logical way: the
// parts of the name are taken as they stand.
func (b *builtin) against(v Value) Value {
	dir := b.sh.dir
	switch {
	case v.Resolved() && dir.Resolved():
		var all []string
		for _, t := range v.Texts() {
			if strings.HasPrefix(t, "/") {
				all = append(all, path.Clean(t))
				continue
			}
			for _, d := range dir.Texts() {
				all = append(all, path.Clean(d+"/"+t))
			}
		}
		return OneOf(all...)
	case v.Resolved() && strings.HasPrefix(v.Prefix(), "/"):
		return v.mapText("", path.Clean)
	case v.Resolved():
		return Unknown(dir.Why())
	}
	return absolute(dir, v, *b.sh.ctx.env)
}

// physical follows the symlinks of a directory.
func (b *builtin) physical(v Value) Value {
	files := b.sh.ctx.env.Files
	if files == nil {
		return v
	}
	return v.mapText(v.Why(), func(t string) string {
		if real, err := files.EvalSymlinks(t); err == nil {
			return real
		}
		return t
	})
}

// goTo makes dir the directory in force, or leaves the old one where that may
// fail. then changes what else changes on success.
func (b *builtin) goTo(dir, old Value, then func(*shell)) {
	sh := b.sh
	ok, fail := sh.fork(), sh.fork()
	ok.dir, ok.status = dir, 0
	pwd := sh.lookup("PWD").val
	ok.old, ok.oldSet = pwd, yes
	// A variable of the name that the line has set is set once more.
	if _, own := sh.own("OLDPWD"); own {
		b.e.assign(ok, "OLDPWD", pwd)
	}
	if _, own := sh.own("PWD"); own {
		b.e.assign(ok, "PWD", dir)
	}
	if then != nil {
		then(ok)
	}
	if b.isDir(dir) || dir.equal(old) && dir.Kind() == KnownKind {
		sh.become(ok)
		return
	}
	fail.status = 1
	sh.branch(ok, fail)
}

// isDir reports whether dir is surely a directory when the command runs.
func (b *builtin) isDir(dir Value) bool {
	files := b.sh.ctx.env.Files
	if files == nil || b.e.touched || !dir.Resolved() {
		return false
	}
	for _, t := range dir.Texts() {
		if info, err := files.Stat(t); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// pushd saves the directory in force and goes to another (bash manual 6.8.1).
func (b *builtin) pushd() {
	sh := b.sh
	words := b.cmd.Words[1:]
	noChange := false
	for len(words) > 0 {
		t, ok := words[0].Text()
		if !ok || t != "-n" && t != "--" {
			break
		}
		noChange = noChange || t == "-n"
		words = words[1:]
	}
	old := sh.dir
	switch {
	case len(words) == 0:
		if len(sh.stack) == 0 {
			sh.status = 1
			return
		}
		top := sh.stack[len(sh.stack)-1]
		b.goTo(top, old, func(ok *shell) {
			ok.stack = append(ok.stack[:len(ok.stack)-1:len(ok.stack)-1], old)
		})
	case len(words) > 1 || words[0].Many || isRotation(words[0]) || noChange:
		b.goTo(Unknown("the directory of pushd is not known"), old, func(ok *shell) { ok.stack = nil })
	default:
		to, _ := b.throughPath(words[0].Value)
		if t, ok := words[0].Text(); ok && t == "-" {
			to = b.oldDir()
		}
		b.goTo(to, old, func(ok *shell) { ok.stack = append(ok.stack[:len(ok.stack):len(ok.stack)], old) })
	}
}

// isRotation reports whether a word is +N or -N.
func isRotation(w Word) bool {
	t, ok := w.Text()
	return ok && len(t) > 1 && (t[0] == '+' || t[0] == '-') && strings.Trim(t[1:], "0123456789") == ""
}

// popd goes back to the directory saved last.
func (b *builtin) popd() {
	sh := b.sh
	old := sh.dir
	switch {
	case len(b.cmd.Words) > 1:
		b.goTo(Unknown("the directory of popd is not known"), old, func(ok *shell) { ok.stack = nil })
	case len(sh.stack) == 0:
		sh.status = 1
	default:
		b.goTo(sh.stack[len(sh.stack)-1], old, func(ok *shell) { ok.stack = ok.stack[:len(ok.stack)-1] })
	}
}
