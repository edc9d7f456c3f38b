package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// gitCommand is git with everything turned off by which a repository could
// make a reading command run programs or write: file system monitors, index
// refreshes, and an environment that points elsewhere.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	safe := []string{"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.hooksPath=/dev/null"}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	return cmd
}

// git runs a reading git command.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := gitCommand(ctx, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, firstLine(stderr.String()))
	}
	return out, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// gitRoot is the top of the work tree that dir belongs to. isGit is false when
// there is none, git is not installed, or the tree's own rules ignore dir.
func gitRoot(ctx context.Context, dir string) (root string, isGit bool, err error) {
	if !underGit(dir) {
		return "", false, nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		return "", false, nil
	}
	out, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", false, err
	}
	root = strings.TrimSuffix(string(out), "\n")
	if root != dir {
		if _, err := git(ctx, dir, "check-ignore", "-q", dir); err == nil {
			return "", false, nil
		}
	}
	return root, true, nil
}

// underGit reports whether dir or a directory above it holds a .git.
func underGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// listGit lists the files that git tracks and those it does not ignore, and
// watches all that decides about them.
func (s *treeScanner) listGit(ctx context.Context, root string, old *listing) (*listing, error) {
	list := &listing{root: root}
	now := time.Now()
	if err := list.watchGit(ctx, root, now); err != nil {
		return nil, err
	}
	if err := s.watchDirs(ctx, list, now); err != nil {
		return nil, err
	}
	tracked, err := git(ctx, root, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	untracked, err := git(ctx, root, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for entry := range bytes.SplitSeq(tracked, []byte{0}) {
		meta, path, ok := bytes.Cut(entry, []byte{'\t'})
		if !ok {
			continue
		}
		s.addFile(list, string(path), bytes.HasPrefix(meta, []byte("160000 ")), meta)
	}
	for path := range bytes.SplitSeq(untracked, []byte{0}) {
		name, isRepo := strings.CutSuffix(string(path), "/")
		if name != "" {
			s.addFile(list, name, isRepo, nil)
		}
	}
	sort.Slice(list.files, func(i, j int) bool { return list.files[i].path < list.files[j].path })
	list.files = uniqueFiles(list.files)
	list.carry(old)
	return list, nil
}

// addFile adds one listed path. A submodule that is not checked out is known
// by the commit that the index names.
func (s *treeScanner) addFile(list *listing, path string, module bool, meta []byte) {
	full := list.root + "/" + path
	if s.skipped(full) {
		return
	}
	f := seenFile{path: path, module: module}
	if module {
		if _, err := os.Lstat(full + "/.git"); err != nil {
			f.module, f.kind = false, 0
			if meta != nil {
				f = seenFile{path: path, kind: kindModule, settled: true, hash: hashText(string(meta))}
			}
		}
	}
	list.files = append(list.files, f)
}

// uniqueFiles drops repeated paths: an unmerged path has several stages.
func uniqueFiles(files []seenFile) []seenFile {
	out := files[:0]
	for _, f := range files {
		if len(out) == 0 || out[len(out)-1].path != f.path {
			out = append(out, f)
		}
	}
	return out
}

// watchGit watches the index and the files of ignore rules outside the tree.
func (l *listing) watchGit(ctx context.Context, root string, now time.Time) error {
	out, err := git(ctx, root, "rev-parse", "--path-format=absolute", "--git-path", "index", "--git-path", "info/exclude", "--git-path", "config", "--git-path", "info/sparse-checkout")
	if err != nil {
		return err
	}
	for path := range strings.Lines(string(out)) {
		l.watch(strings.TrimSuffix(path, "\n"), now)
	}
	for _, path := range globalGitFiles(ctx, root) {
		l.watch(path, now)
	}
	return nil
}

// globalGitFiles are the person's own files that hold ignore rules or say
// where they are.
func globalGitFiles(ctx context.Context, root string) []string {
	var files []string
	home, _ := os.UserHomeDir()
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	if config != "" {
		files = append(files, filepath.Join(config, "git", "config"), filepath.Join(config, "git", "ignore"))
	}
	if out, err := git(ctx, root, "config", "--type=path", "--get", "core.excludesFile"); err == nil {
		files = append(files, strings.TrimSuffix(string(out), "\n"))
	}
	return files
}

// watchDirs watches every directory that is not ignored, empty ones too, and
// every .gitignore: a new file shows in the date of its directory.
func (s *treeScanner) watchDirs(ctx context.Context, list *listing, now time.Time) error {
	out, err := git(ctx, list.root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return err
	}
	ignored := map[string]bool{}
	for path := range strings.SplitSeq(string(out), "\x00") {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			ignored[dir] = true
		}
	}
	return s.walkDirs(list, list.root, "", ignored, now)
}

func (s *treeScanner) walkDirs(list *listing, dir, rel string, ignored map[string]bool, now time.Time) error {
	list.watch(dir, now)
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil // removed meanwhile; its parent's date tells
		}
		return err
	}
	for _, e := range entries {
		name := e.Name()
		full := dir + "/" + name
		switch {
		case name == ".gitignore":
			list.watch(full, now)
		case !e.IsDir() || name == ".git" || ignored[rel+name] || s.skipped(full):
		case isRepository(full):
			list.watch(full, now)
		default:
			if err := s.walkDirs(list, full, rel+name+"/", ignored, now); err != nil {
				return err
			}
		}
	}
	return nil
}

func isRepository(dir string) bool {
	_, err := os.Lstat(dir + "/.git")
	return err == nil
}
