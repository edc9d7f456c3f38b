package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"
)

// The bounds of a folder that is no git work tree: over the first, files are
// known by their dates only; over the second, not at all.
const (
	maxPlainRead = 20_000
	maxPlainList = 200_000
)

// plainSkipped are directories that hold what is fetched or built.
func plainSkipped() []string {
	return []string{
		".git", ".hg", ".svn", ".pi", "node_modules", "dist", "build", ".next", "coverage", "target", "vendor",
		".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".tox", ".cache", ".gradle", ".idea",
	}
}

// listPlain walks a folder that is no git work tree. Repositories in it are
// read as git would.
func (s *treeScanner) listPlain(ctx context.Context, old *listing) (*listing, error) {
	list := &listing{root: s.project, partial: true}
	now := time.Now()
	skip := plainSkipped()
	err := filepath.WalkDir(s.project, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.IsDir() {
			return s.plainDir(list, path, d.Name(), skip, now)
		}
		if len(list.files) == maxPlainList {
			return fmt.Errorf("%s is no git work tree and has more than %d files: run `git init` in it, or open a smaller folder", s.project, maxPlainList)
		}
		f := seenFile{path: below(s.project, path)}
		if len(list.files) >= maxPlainRead {
			f.kind = kindByDate
		}
		list.files = append(list.files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", s.project, err)
	}
	sort.Slice(list.files, func(i, j int) bool { return list.files[i].path < list.files[j].path })
	list.carry(old)
	return list, nil
}

func (s *treeScanner) plainDir(list *listing, path, name string, skip []string, now time.Time) error {
	if path == s.project {
		list.watch(path, now)
		return nil
	}
	if slices.Contains(skip, name) || s.skipped(path) {
		return fs.SkipDir
	}
	list.watch(path, now)
	if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
		list.files = append(list.files, seenFile{path: below(s.project, path), module: true})
		return fs.SkipDir
	}
	return nil
}

func hashText(text string) hash32 { return sha256.Sum256([]byte(text)) }
