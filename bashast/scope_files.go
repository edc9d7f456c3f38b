package bashast

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"
)

// filePrefix begins the names under which a shell keeps what it knows of the
// content of files that the line has changed. No variable has such a name, and
// so branches join them like variables.
const filePrefix = "\x01"

// anyFile is the name for a change of a file that is not known.
const anyFile = filePrefix + "*"

// errChanged is why a file cannot be read: the line has changed it by then.
var errChanged = errors.New("the line itself changes it")

// isHidden reports whether name is no variable but a record of the evaluator.
func isHidden(name string) bool { return name != "" && name[0] < ' ' }

// wrote notes that the content of a file is now content, which may be unknown.
func (e *evaluator) wrote(sh *shell, target, content Value) {
	e.writes = true
	if !target.Resolved() {
		if prefix := target.Prefix(); !target.Below() || prefix == "" {
			sh.put(anyFile, &variable{val: Known(""), set: yes})
		}
		return
	}
	texts := target.Texts()
	if len(texts) > 1 {
		content = Unknown("what the line writes")
	}
	for _, t := range texts {
		if !isStream(t) {
			sh.put(filePrefix+canonical(sh.ctx.env, t), &variable{val: content, set: yes})
		}
	}
}

// canonical is the name of a file with its symlinks followed, as far as it is
// there.
func canonical(env *Env, file string) string {
	if env.Files == nil {
		return file
	}
	if real, err := env.Files.EvalSymlinks(file); err == nil {
		return real
	}
	if dir, err := env.Files.EvalSymlinks(path.Dir(file)); err == nil {
		return path.Join(dir, path.Base(file))
	}
	return file
}

// changes notes what a command did to the content of files, as far as its
// effects tell. A file that it deletes is not run later, and to judge what was
// in it does no harm.
func (e *evaluator) changes(sh *shell, cmd *Command) {
	keeps := false
	switch cmd.Name() {
	case "mkdir", "touch", "rm", "rmdir":
		keeps = true
	}
	file, content := e.saved(sh, cmd)
	for i := range cmd.Effects {
		f := &cmd.Effects[i]
		if f.Kind == Write && !f.Recursive && (f.Word < 0 || !keeps) {
			e.wrote(sh, f.Target, Unknown("what "+cmd.Name()+" writes"))
		}
	}
	if content.Kind() == KnownKind {
		e.wrote(sh, Known(file), content)
	}
}

// saved is the content that a command whose output is known leaves in the
// file that its output is redirected to.
func (e *evaluator) saved(sh *shell, cmd *Command) (file string, content Value) {
	var to *Redirect
	for i := range cmd.Redirects {
		r := &cmd.Redirects[i]
		if r.Duplicate || !strings.Contains(r.Op, ">") || r.FD > 1 {
			continue
		}
		if to != nil || r.FD == 0 {
			return "", Value{}
		}
		to = r
	}
	if to == nil || cmd.Function {
		return "", Value{}
	}
	file, ok := to.Target.Text()
	if !ok || to.Op != ">" && to.Op != ">|" && to.Op != ">>" {
		return "", Value{}
	}
	plain := *cmd
	plain.Redirects = nil
	content = e.output(sh, &plain)
	if to.Op == ">>" {
		content = Concat(e.before(sh, file), content)
	}
	return file, content
}

// before is the content of a file before the current command.
func (e *evaluator) before(sh *shell, file string) Value {
	text, err := e.files(sh).ReadFile(file, maxScriptSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Known("")
	case err != nil || len(text) > maxScriptSize:
		return Unknown("what was in the file")
	}
	return Known(string(text))
}

// keepFiles gives sh what a subshell of it did to files. It may still be at
// it where later is true.
func (e *evaluator) keepFiles(sh, child *shell, later bool) {
	for c := child; c != nil && c != sh; c = c.parent {
		for name, v := range c.vars {
			if !strings.HasPrefix(name, filePrefix) {
				continue
			}
			n := *v
			if later || c != child {
				n.val = Unknown("what the line writes")
			}
			sh.put(name, &n)
		}
	}
}

// env is the environment as the tables see it in sh: with the files as the
// line has made them.
func (e *evaluator) env(sh *shell) Env {
	env := *sh.ctx.env
	if e.writes {
		env.Files = e.files(sh)
	}
	return env
}

func (e *evaluator) files(sh *shell) Lookup { return fileView{sh.ctx.env, sh} }

// fileView is the Lookup of a line that has changed files.
type fileView struct {
	env *Env
	sh  *shell
}

// content is what the line has made of a file. known is false where it has
// not touched it.
func (f fileView) content(file string) (text string, known bool, err error) {
	v, ok := f.sh.own(filePrefix + canonical(f.env, file))
	if !ok {
		if _, any := f.sh.own(anyFile); any {
			return "", true, errChanged
		}
		return "", false, nil
	}
	text, ok = v.val.Text()
	if !ok || v.set != yes {
		return "", true, errChanged
	}
	return text, true, nil
}

func (f fileView) ReadFile(file string, limit int) ([]byte, error) {
	text, known, err := f.content(file)
	switch {
	case err != nil:
		return nil, err
	case known:
		return []byte(text[:min(len(text), limit+1)]), nil
	case f.env.Files == nil:
		return nil, fs.ErrNotExist
	}
	return f.env.Files.ReadFile(file, limit)
}

func (f fileView) ReadDir(dir string, limit int) ([]fs.DirEntry, error) {
	if f.env.Files == nil {
		return nil, errChanged
	}
	return f.env.Files.ReadDir(dir, limit)
}

func (f fileView) Stat(file string) (fs.FileInfo, error) {
	if f.env.Files != nil {
		if info, err := f.env.Files.Stat(file); err == nil {
			return info, nil
		}
	}
	if text, known, _ := f.content(file); known {
		return writtenFile{path.Base(file), int64(len(text))}, nil
	}
	return nil, fs.ErrNotExist
}

func (f fileView) Lstat(file string) (fs.FileInfo, error) {
	if f.env.Files != nil {
		if info, err := f.env.Files.Lstat(file); err == nil {
			return info, nil
		}
	}
	return f.Stat(file)
}

func (f fileView) EvalSymlinks(file string) (string, error) {
	if f.env.Files == nil {
		return "", fs.ErrNotExist
	}
	return f.env.Files.EvalSymlinks(file)
}

// writtenFile is a file that the line writes and that is not there yet.
type writtenFile struct {
	name string
	size int64
}

func (w writtenFile) Name() string     { return w.name }
func (w writtenFile) Size() int64      { return w.size }
func (writtenFile) Mode() fs.FileMode  { return 0o644 }
func (writtenFile) ModTime() time.Time { return time.Time{} }
func (writtenFile) IsDir() bool        { return false }
func (writtenFile) Sys() any           { return nil }
