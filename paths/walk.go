package paths

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// maxLinks bounds the symlinks followed in one path, as the kernel does
// (path_resolution(7) of Linux: 40).
const maxLinks = 40

// walk follows the symlinks of abs as the kernel would, name by name, so that
// ".." after a symlink leaves the link's target, and a symlink whose target is
// missing leads to the file that a write would create. From the first name
// that does not exist on, the rest is taken as written. info is nil when the
// end does not exist. cwd stands for what /proc/self/cwd means to pi.
func (r *Resolver) walk(abs, cwd string) (canonical string, info fs.FileInfo) {
	return r.follow("/", strings.Split(abs, "/"), cwd)
}

func (r *Resolver) follow(at string, names []string, cwd string) (string, fs.FileInfo) {
	links := 0
	var info fs.FileInfo
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			info = nil
			continue
		}
		next := join(at, name)
		var err error
		info, err = r.fs.Lstat(next)
		if err != nil {
			return filepath.Join(append([]string{next}, names...)...), nil
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = r.spelling(at, name, info)
			continue
		}
		target, err := r.readlink(next, cwd)
		if links++; err != nil || links > maxLinks {
			return filepath.Join(append([]string{next}, names...)...), nil
		}
		names = append(strings.Split(target, "/"), names...)
		if strings.HasPrefix(target, "/") {
			at = "/"
		}
	}
	if info == nil || info.Mode()&fs.ModeSymlink != 0 {
		info, _ = r.fs.Lstat(at)
	}
	return at, info
}

// readlink reads a symlink; the ones in /proc that speak of the reader's own
// process are answered for pi, not for the guard.
func (r *Resolver) readlink(name, cwd string) (string, error) {
	if rest, ok := strings.CutPrefix(name, "/proc/"); ok {
		process, link, _ := strings.Cut(rest, "/")
		if link == "cwd" && (process == "self" || process == "thread-self" || isNumber(process)) {
			return cwd, nil
		}
	}
	return r.fs.Readlink(name)
}

func isNumber(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return c < '0' || c > '9' }) < 0
}

// spelling is dir/name, with name as the directory really lists it where the
// file system folds case.
func (r *Resolver) spelling(dir, name string, info fs.FileInfo) string {
	if r.fold == nil || !r.fold() {
		return join(dir, name)
	}
	entries, err := r.fs.ReadDir(dir)
	if err != nil {
		return join(dir, name)
	}
	for _, e := range entries {
		if e.Name() == name {
			return join(dir, name)
		}
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name(), name) && e.IsDir() == info.IsDir() {
			return join(dir, e.Name())
		}
	}
	return join(dir, name)
}

func join(dir, name string) string {
	if dir == "/" {
		return "/" + name
	}
	return dir + "/" + name
}

// foldsCase reports whether the file system at dir takes names that differ
// only in case for the same: the nearest name with a letter in it is looked up
// with its case swapped, and found although its directory does not list it so.
func foldsCase(files FS, dir string) bool {
	for ; dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		parent, base := filepath.Dir(dir), filepath.Base(dir)
		swapped := swapCase(base)
		if swapped == base {
			continue
		}
		if _, err := files.Lstat(join(parent, swapped)); err != nil {
			return false
		}
		entries, err := files.ReadDir(parent)
		return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == swapped })
	}
	return false
}

func swapCase(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}
