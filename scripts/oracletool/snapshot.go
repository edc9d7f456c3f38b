package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// keeper knows the tree as it has to be before each line, finds what a line
// changed, and puts it back.
type keeper struct {
	tree  map[string]*kept
	roots []string
}

// kept is one entry with the moment it was last put in place.
type kept struct {
	entry
	ctime time.Time
	// made is when it was written, by this process's clock: a change within
	// the clock tick of the file system would leave ctime as it was.
	made time.Time
}

// fresh is how long after its writing a file is compared by content.
const fresh = 20 * time.Millisecond

// newKeeper makes the tree, which must not exist but for its roots.
func newKeeper(tree []entry, roots ...string) (*keeper, error) {
	k := &keeper{tree: map[string]*kept{}, roots: roots}
	for _, e := range tree {
		k.tree[e.path] = &kept{entry: e}
		if err := k.put(e.path); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (k *keeper) put(path string) error {
	node := k.tree[path]
	if err := makeEntry(path, node.entry); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("putting back: %w", err)
	}
	node.ctime, node.made = ctime(info), time.Now()
	return nil
}

func ctime(info fs.FileInfo) time.Time {
	return time.Unix(info.Sys().(*syscall.Stat_t).Ctim.Unix())
}

// restore reports what changed since the last restore and undoes it.
func (k *keeper) restore() ([]change, error) {
	changes := k.changes()
	for _, c := range changes {
		if c.Kind == touched {
			continue
		}
		if slices.Contains(k.roots, c.Path) {
			if err := os.Chmod(c.Path, k.tree[c.Path].mode.Perm()); err != nil {
				return nil, fmt.Errorf("putting back: %w", err)
			}
			continue
		}
		if err := removeAll(c.Path); err != nil {
			return nil, err
		}
	}
	if err := k.putMissing(changes); err != nil {
		return nil, err
	}
	if len(changes) > 0 {
		k.renew()
	}
	return changes, nil
}

// renew takes every file as it is now for how it has to be. What was undone
// has touched others too: removing one link of a file renews the rest.
func (k *keeper) renew() {
	for path, node := range k.tree {
		if info, err := os.Lstat(path); err == nil {
			node.ctime = ctime(info)
		}
	}
}

// putMissing makes again what changes took away, parents first.
func (k *keeper) putMissing(changes []change) error {
	for _, c := range changes {
		for _, path := range k.below(c.Path) {
			if _, err := os.Lstat(path); err == nil {
				continue
			}
			if err := k.put(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// below lists the entries at and under path, parents first.
func (k *keeper) below(path string) []string {
	var found []string
	for p := range k.tree {
		if p == path || strings.HasPrefix(p, path+"/") {
			found = append(found, p)
		}
	}
	slices.Sort(found)
	return found
}

// changes compares the tree with what it has to be, in order of path.
func (k *keeper) changes() []change {
	var found []change
	seen := map[string]bool{}
	for _, root := range k.roots {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, _ error) error {
			if seen[path] {
				return nil // the second call for a directory that cannot be read
			}
			seen[path] = true
			if d == nil {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			if kind := k.compare(path, info); kind != "" {
				found = append(found, change{path, kind})
			}
			return nil
		})
	}
	for path := range k.tree {
		if !seen[path] {
			found = append(found, change{path, deleted})
		}
	}
	slices.SortFunc(found, func(a, b change) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// compare says how path differs from what it has to be: "" for not at all.
func (k *keeper) compare(path string, info fs.FileInfo) changeKind {
	node, ok := k.tree[path]
	switch {
	case !ok:
		return created
	case info.Mode().Type() != node.mode.Type():
		return altered
	case node.mode&fs.ModeSymlink != 0:
		if target, err := os.Readlink(path); err != nil || target != node.text {
			return altered
		}
		return ""
	case info.Mode().Perm() != node.mode.Perm():
		return altered
	case info.IsDir():
		return ""
	case info.Size() != int64(len(node.text)):
		return altered
	}
	same := ctime(info).Equal(node.ctime)
	if same && time.Since(node.made) > fresh {
		return ""
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != node.text {
		return altered
	}
	if same || info.Sys().(*syscall.Stat_t).Nlink > 1 { // another link renews a file, it does not write it
		return ""
	}
	return touched
}

// removeAll removes path whatever modes the line has set below it.
func removeAll(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o755)
		}
		return nil
	})
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("putting back: %w", err)
	}
	return nil
}
