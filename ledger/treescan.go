package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// treeScanner reads one work tree again and again.
type treeScanner struct {
	project string   // canonical
	skip    []string // absolute paths that never count: the guard's own state
	cache   string   // where the last scan is kept between processes
	store   *treeStore

	mu    sync.Mutex
	last  *listing
	nodes map[hash32][]byte // of the last scan
	tree  *Tree

	modulesMu sync.Mutex
	modules   map[string]*treeScanner // by path
}

// listing is which files belong to a tree, with what was last seen of each.
type listing struct {
	root    string
	partial bool
	files   []seenFile // sorted by path
	// watched holds the directories and git's own files that decide which
	// files belong to the tree: while none of them changes, neither does the
	// list.
	watched []watchedPath
}

// seenFile is a file as it was last read.
type seenFile struct {
	path string // slash-separated, below the root
	kind entryKind
	// module is true for another repository within the tree.
	module bool
	stamp  stamp
	hash   hash32
	// settled is true when the file had been at rest for a while when it was
	// read, so that an equal stamp means equal content.
	settled bool
}

// watchedPath is a path whose stamp decides about the list.
type watchedPath struct {
	path    string // absolute
	stamp   stamp  // zero when it does not exist
	settled bool
}

// scan reads the tree. An unreadable file makes the digest unavailable, which
// is no error.
func (s *treeScanner) scan(ctx context.Context) (*Tree, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil && s.cache != "" {
		s.last = s.loadCache()
	}
	list, relisted := s.last, false
	if list == nil || !list.current() {
		var err error
		if list, err = s.list(ctx, s.last); err != nil {
			return s.unavailable(err), ctx.Err()
		}
		relisted = true
	}
	changed, err := s.refresh(ctx, list)
	if err != nil {
		return s.unavailable(err), ctx.Err()
	}
	s.last = list
	if s.tree == nil || relisted || changed > 0 {
		s.tree = s.build(list)
	}
	if relisted || changed > 0 {
		s.saveCache(list)
	}
	out := *s.tree
	return &out, nil
}

func (s *treeScanner) unavailable(err error) *Tree {
	s.tree = nil
	return &Tree{Digest: treeUnavailable + plain(err.Error()), Problem: err.Error()}
}

// keep stores the manifest of the last scan.
func (s *treeScanner) keep() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		return nil
	}
	if err := s.store.keep(s.nodes); err != nil {
		return err
	}
	s.nodes = nil // kept: nothing to keep again until the tree changes
	return nil
}

// build puts the digest together from the hashes of the files.
func (s *treeScanner) build(list *listing) *Tree {
	var root node
	n := 0
	for i := range list.files {
		f := &list.files[i]
		if f.kind == 0 {
			continue // listed, but not there
		}
		root.put(f.path, treeEntry{kind: f.kind, hash: f.hash})
		n++
	}
	s.nodes = map[hash32][]byte{}
	sum := root.hash(func(h hash32, text []byte) { s.nodes[h] = text })
	prefix := treePrefix
	if list.partial {
		prefix = treePartial
	}
	return &Tree{Digest: prefix + hex.EncodeToString(sum[:]), Files: n, Partial: list.partial, hash: sum}
}

// current reports whether the list of files is surely still the same.
func (l *listing) current() bool {
	var stale atomic.Bool
	parallel(len(l.watched), func(i int) {
		w := &l.watched[i]
		if stale.Load() {
			return
		}
		if s, err := lstatStamp(w.path); !w.settled || err != nil && w.stamp != (stamp{}) || err == nil && s != w.stamp {
			stale.Store(true)
		}
	})
	return !stale.Load()
}

// refresh reads the files of the list that changed and returns how many did.
func (s *treeScanner) refresh(ctx context.Context, list *listing) (int, error) {
	var changed atomic.Int64
	var failed atomic.Pointer[error]
	parallel(len(list.files), func(i int) {
		if failed.Load() != nil || ctx.Err() != nil {
			return
		}
		did, err := s.look(ctx, list, &list.files[i])
		if err != nil {
			failed.CompareAndSwap(nil, &err)
		}
		if did {
			changed.Add(1)
		}
	})
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return int(changed.Load()), ctx.Err()
}

// look brings one file up to date.
func (s *treeScanner) look(ctx context.Context, list *listing, f *seenFile) (bool, error) {
	path := list.root + "/" + f.path
	before := *f
	if f.module {
		err := s.lookModule(ctx, path, f)
		return f.hash != before.hash || f.kind != before.kind, err
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			*f = seenFile{path: f.path}
			return before.kind != 0, nil
		}
		return false, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	seen := stampFrom(&st)
	kind := kindOf(&st, f.kind == kindByDate)
	if f.settled && f.stamp == seen && f.kind == kind {
		return false, nil
	}
	now := time.Now() // before the content is read
	hash, err := contentHash(path, kind, seen)
	if err != nil {
		return false, err
	}
	*f = seenFile{path: f.path, kind: kind, stamp: seen, hash: hash, settled: atRest(seen, now)}
	return f.hash != before.hash || f.kind != before.kind || f.stamp != before.stamp, nil
}

// kindOf is the entry a file makes; 0 for what git does not know: sockets,
// devices, and directories in the place of files.
func kindOf(st *unix.Stat_t, byDate bool) entryKind {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return kindLink
	case unix.S_IFREG:
		if byDate {
			return kindByDate
		}
		if st.Mode&0o100 != 0 {
			return kindExec
		}
		return kindFile
	}
	return 0
}

// atRest reports whether a file's dates lie far enough back that a later
// change must show in them: clocks of file systems tick, most every few
// milliseconds, some every two seconds.
func atRest(s stamp, now time.Time) bool {
	newest := max(s.CTime, s.MTime)
	slack := 50 * time.Millisecond
	if newest%int64(time.Second) == 0 {
		slack = 2 * time.Second
	}
	return now.UnixNano()-newest > int64(slack)
}

func contentHash(path string, kind entryKind, s stamp) (hash32, error) {
	switch kind {
	case 0:
		return hash32{}, nil
	case kindLink:
		target, err := os.Readlink(path)
		return sha256.Sum256([]byte(target)), err
	case kindByDate:
		return sha256.Sum256(fmt.Appendf(nil, "%d %d %d %d", s.Ino, s.Size, s.MTime, s.CTime)), nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return hash32{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return hash32{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return hash32(h.Sum(nil)), nil
}

// lookModule brings another repository within the tree up to date.
func (s *treeScanner) lookModule(ctx context.Context, path string, f *seenFile) error {
	t, err := s.module(path).scan(ctx)
	if err != nil {
		return err
	}
	if !t.Available() {
		return errors.New(t.Problem)
	}
	f.kind, f.hash = kindModule, t.hash
	return nil
}

// module is the scanner of another repository within the tree.
func (s *treeScanner) module(path string) *treeScanner {
	s.modulesMu.Lock()
	defer s.modulesMu.Unlock()
	if s.modules[path] == nil {
		if s.modules == nil {
			s.modules = map[string]*treeScanner{}
		}
		s.modules[path] = &treeScanner{project: path, skip: s.skip}
	}
	return s.modules[path]
}

// list finds out which files belong to the tree; old tells what is known of
// them already.
func (s *treeScanner) list(ctx context.Context, old *listing) (*listing, error) {
	root, isGit, err := gitRoot(ctx, s.project)
	if err != nil {
		return nil, err
	}
	if isGit {
		return s.listGit(ctx, root, old)
	}
	return s.listPlain(ctx, old)
}

// skipped reports whether a path is the guard's own state.
func (s *treeScanner) skipped(path string) bool {
	for _, skip := range s.skip {
		if path == skip || strings.HasPrefix(path, skip+"/") {
			return true
		}
	}
	return false
}

// carry takes over what is known of files from an older list. Both are sorted.
func (l *listing) carry(old *listing) {
	if old == nil || old.root != l.root {
		return
	}
	j := 0
	for i := range l.files {
		f := &l.files[i]
		for j < len(old.files) && old.files[j].path < f.path {
			j++
		}
		if j < len(old.files) && old.files[j].path == f.path && old.files[j].module == f.module && (old.files[j].kind == kindByDate) == (f.kind == kindByDate) {
			*f = old.files[j]
		}
	}
}

// watch adds a path whose change makes the list stale.
func (l *listing) watch(path string, now time.Time) {
	s, err := lstatStamp(path)
	if err != nil {
		l.watched = append(l.watched, watchedPath{path: path, settled: true})
		return
	}
	l.watched = append(l.watched, watchedPath{path, s, atRest(s, now)})
}

func lstatStamp(path string) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return stamp{}, err
	}
	return stampFrom(&st), nil
}

// parallel calls fn for 0 to n-1 from as many goroutines as there are
// processors.
func parallel(n int, fn func(int)) {
	workers := min(runtime.GOMAXPROCS(0), 8, n/256+1)
	if workers == 1 {
		for i := range n {
			fn(i)
		}
		return
	}
	const step = 256
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				from := int(next.Add(step)) - step
				if from >= n {
					return
				}
				for i := from; i < min(from+step, n); i++ {
					fn(i)
				}
			}
		})
	}
	wg.Wait()
}

// below is path relative to root with slashes.
func below(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
