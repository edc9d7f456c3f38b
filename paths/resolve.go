package paths

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// FS is how the resolver sees the file system. Names are absolute.
type FS interface {
	// Lstat does not follow a symlink.
	Lstat(name string) (fs.FileInfo, error)
	// Readlink is the text of a symlink.
	Readlink(name string) (string, error)
	// ReadDir lists a directory. It is asked only where the file system folds
	// case, to learn how a name is really written.
	ReadDir(name string) ([]fs.DirEntry, error)
}

// OS is the real file system.
type OS struct{}

// Lstat is os.Lstat.
func (OS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Readlink is os.Readlink.
func (OS) Readlink(name string) (string, error) { return os.Readlink(name) }

// ReadDir is os.ReadDir.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Roots are the regions that the resolver knows. All paths are absolute, or
// begin with ~/ for home, or are relative to Project.
type Roots struct {
	// Project is the boundary of the project: the session's directory (F10).
	Project string
	// Scratch is the session's scratch directory, "" when there is none (F8).
	Scratch string
	// Writable are the mode's sandbox-writable roots.
	Writable []string
	// Inside are roots that count as inside for reading: the mode's
	// insideRoots, pi's documentation and the guard's own (F9).
	Inside []string
	// Home is what ~ means.
	Home string
}

// Resolver resolves paths against fixed roots. It is safe for use by several
// goroutines.
type Resolver struct {
	home, project, canonicalProject string
	roots                           []rootDir
	fs                              FS
	fold                            func() bool
}

// rootDir is one directory of a root, in both forms.
type rootDir struct {
	root               Root
	lexical, canonical string
}

// trust orders the roots from most to least trusted.
var trust = map[Root]int{Workspace: 0, Scratch: 1, Writable: 2, Inside: 3, External: 4}

// NewResolver makes a resolver of roots; a nil files is the real file system.
func NewResolver(roots Roots, files FS) *Resolver {
	if files == nil {
		files = OS{}
	}
	r := &Resolver{home: roots.Home, fs: files}
	r.project = filepath.Clean(roots.Project)
	r.fold = sync.OnceValue(func() bool { return foldsCase(files, r.project) })
	r.canonicalProject, _ = r.walk(r.project, r.project)
	r.add(Workspace, roots.Project)
	r.add(Scratch, roots.Scratch)
	for _, dir := range roots.Writable {
		r.add(Writable, dir)
	}
	for _, dir := range roots.Inside {
		r.add(Inside, dir)
	}
	return r
}

// add adds one directory to a root; one that cannot be read adds nothing.
func (r *Resolver) add(root Root, dir string) {
	if dir == "" {
		return
	}
	lexical, err := Read(dir, r.project, r.home)
	if err != nil {
		return
	}
	canonical, _ := r.walk(lexical, r.project)
	r.roots = append(r.roots, rootDir{root, lexical, canonical})
}

// Project is the project's directory, absolute and clean.
func (r *Resolver) Project() string { return r.project }

// Resolve reads raw as a tool of pi would, in the directory cwd, and resolves
// it in all its forms (F1, F2).
func (r *Resolver) Resolve(raw, cwd string) Resolved {
	abs, err := readUnclean(raw, cwd, r.home)
	if err != nil {
		return Resolved{Raw: raw, Problem: err.Error()}
	}
	res := r.resolve(raw, abs, cwd)
	for _, other := range otherReadings(raw, cwd, r.home) {
		r.addForm(&res, other, cwd)
	}
	if !res.Exists {
		for _, spelling := range macSpellings(res.Lexical) {
			if canonical, info := r.walk(spelling, cwd); info != nil {
				res.also(spelling)
				res.also(canonical)
			}
		}
	}
	res.Root = r.rootOf(&res)
	return res
}

// ResolveExact resolves a path that is given to the kernel as it stands, such
// as a word of a shell command after expansion: no @, no ~, no URL. A relative
// one is read against cwd.
func (r *Resolver) ResolveExact(path, cwd string) Resolved {
	switch {
	case path == "":
		return Resolved{Raw: path, Problem: "the path is empty"}
	case len(path) > maxLen:
		return Resolved{Raw: path, Problem: "the path is longer than 4096 bytes"}
	case strings.IndexByte(path, 0) >= 0:
		return Resolved{Raw: path, Problem: "the path holds a NUL byte"}
	}
	abs := path
	if path[0] != '/' {
		abs = cwd + "/" + path
	}
	res := r.resolve(path, abs, cwd)
	res.Root = r.rootOf(&res)
	return res
}

// resolve resolves the absolute, perhaps unclean path abs.
func (r *Resolver) resolve(raw, abs, cwd string) Resolved {
	res := Resolved{Raw: raw, Lexical: filepath.Clean(abs)}
	var info fs.FileInfo
	res.Canonical, info = r.walk(abs, cwd)
	res.Exists = info != nil
	res.Dir = res.Exists && info.IsDir()
	if strings.Contains(abs, "..") {
		cleaned, _ := r.walk(res.Lexical, cwd)
		res.also(cleaned)
	}
	res.Rel = rel(r.project, res.Lexical)
	if res.Rel == "" {
		res.Rel = rel(r.canonicalProject, res.Lexical)
	}
	res.CanonicalRel = rel(r.canonicalProject, res.Canonical)
	return res
}

// addForm adds one more reading of the text, in both its forms.
func (r *Resolver) addForm(res *Resolved, abs, cwd string) {
	canonical, _ := r.walk(abs, cwd)
	res.also(filepath.Clean(abs))
	res.also(canonical)
}

// also adds a form that is not there yet.
func (p *Resolved) also(path string) {
	if path == p.Lexical || path == p.Canonical {
		return
	}
	for _, known := range p.Also {
		if known == path {
			return
		}
	}
	p.Also = append(p.Also, path)
}

// rootOf is the least trusted root of all forms of res.
func (r *Resolver) rootOf(res *Resolved) Root {
	worst := r.rootOfPath(res.Lexical)
	worst = lessTrusted(worst, r.rootOfPath(res.Canonical))
	for _, form := range res.Also {
		worst = lessTrusted(worst, r.rootOfPath(form))
	}
	return worst
}

func (r *Resolver) rootOfPath(path string) Root {
	best := External
	for _, d := range r.roots {
		if trust[d.root] < trust[best] && (r.within(d.lexical, path) || r.within(d.canonical, path)) {
			best = d.root
		}
	}
	return best
}

func (r *Resolver) within(root, path string) bool {
	return Within(root, path) || WithinFold(root, path) && r.fold()
}

func lessTrusted(a, b Root) Root {
	if trust[a] > trust[b] {
		return a
	}
	return b
}

// otherReadings are absolute paths that a tool which is not pi's own, or an
// older pi, would open for the same text.
func otherReadings(raw, cwd, home string) []string {
	var out []string
	text := strings.TrimPrefix(plainSpaces(raw), "@")
	if hasURLScheme(text) {
		out = append(out, cwd+"/"+text)
	}
	if strings.Contains(text, "%") {
		if decoded, err := url.PathUnescape(text); err == nil && decoded != text {
			if abs, err := readUnclean(decoded, cwd, home); err == nil {
				out = append(out, abs)
			}
		}
	}
	if strings.HasPrefix(raw, "@") {
		out = append(out, cwd+"/"+raw)
	}
	if plain := plainSpaces(raw); plain != raw && raw[0] != '/' {
		out = append(out, cwd+"/"+raw)
	}
	return out
}

// meridiem finds what pi tries as the name of a screenshot of macOS.
var meridiem = regexp.MustCompile(`(?i) (AM|PM)\.`)

// macSpellings are the names that pi's read tries when the name as written
// does not exist.
func macSpellings(path string) []string {
	var out []string
	if other := meridiem.ReplaceAllString(path, "\u202f$1."); other != path {
		out = append(out, other)
	}
	decomposed := norm.NFD.String(path)
	if decomposed != path {
		out = append(out, decomposed)
	}
	if strings.Contains(path, "'") {
		out = append(out, strings.ReplaceAll(path, "'", "\u2019"))
		if decomposed != path {
			out = append(out, strings.ReplaceAll(decomposed, "'", "\u2019"))
		}
	}
	return out
}
