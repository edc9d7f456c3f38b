package ledger

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"sync"

	"golang.org/x/sys/unix"
)

// treeStore keeps the directories of trees that records speak of, each once,
// in one append-only file outside the project. It is a cache: when it is lost,
// or grows over its bound and is begun anew, the gate can no longer name the
// changed files of old evidence, and says so.
type treeStore struct {
	path  string
	limit int64

	mu    sync.Mutex
	known map[hash32]span
	read  int64 // up to where the file is known
	ino   uint64
}

type span struct {
	offset int64
	length uint32
}

const nodeHeader = sha256.Size + 4

// keep adds the nodes that are not in the store yet.
func (s *treeStore) keep(nodes map[hash32][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.open(os.O_RDWR | os.O_APPEND | os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("locking the store of trees: %w", err)
	}
	if err := s.refresh(f); err != nil {
		return err
	}
	if s.read > s.limit {
		if err := f.Truncate(0); err != nil {
			return fmt.Errorf("beginning the store of trees anew: %w", err)
		}
		s.known, s.read = map[hash32]span{}, 0
	}
	// A part of a node that a killed process left is cut off.
	if err := f.Truncate(s.read); err != nil {
		return fmt.Errorf("mending the store of trees: %w", err)
	}
	var buf []byte
	for hash, text := range nodes {
		if _, ok := s.known[hash]; ok {
			continue
		}
		buf = append(buf, hash[:]...)
		buf = binary.LittleEndian.AppendUint32(buf, uint32(len(text)))
		buf = append(buf, text...)
	}
	if len(buf) == 0 {
		return nil
	}
	if _, err := f.Write(buf); err != nil {
		return fmt.Errorf("writing the store of trees: %w", err)
	}
	return s.refresh(f)
}

func (s *treeStore) open(flags int) (*os.File, error) {
	f, err := os.OpenFile(s.path, flags|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return nil, fmt.Errorf("opening the store of trees: %w", err)
	}
	return f, nil
}

// refresh reads what other processes have added.
func (s *treeStore) refresh(f *os.File) error {
	st, err := stampOf(f)
	if err != nil {
		return err
	}
	if s.known == nil || st.Ino != s.ino || st.Size < s.read {
		s.known, s.read, s.ino = map[hash32]span{}, 0, st.Ino
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, s.read, st.Size-s.read), 1<<20)
	for {
		var head [nodeHeader]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return notEnd(err)
		}
		length := binary.LittleEndian.Uint32(head[sha256.Size:])
		if _, err := in.Discard(int(length)); err != nil {
			return notEnd(err)
		}
		s.known[hash32(head[:sha256.Size])] = span{s.read + nodeHeader, length}
		s.read += nodeHeader + int64(length)
	}
}

func notEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("reading the store of trees: %w", err)
}

// diff names the files in which two kept trees differ, at most maxChanges.
func (s *treeStore) diff(a, b hash32) (changes []Change, known bool, err error) {
	if a == b {
		return nil, true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.open(os.O_RDONLY)
	if err != nil {
		return nil, false, nil // nothing was kept
	}
	defer f.Close()
	if err := s.refresh(f); err != nil {
		return nil, false, err
	}
	d := differ{store: s, file: f}
	if err := d.dirs("", a, b); err != nil {
		if errors.Is(err, errNotKept) {
			return nil, false, nil
		}
		return nil, false, err
	}
	sort.Slice(d.out, func(i, j int) bool { return d.out[i].Path < d.out[j].Path })
	return d.out, true, nil
}

var errNotKept = errors.New("the tree was not kept")

// node reads a node and checks that it is the one named.
func (s *treeStore) node(f *os.File, hash hash32) ([]treeEntry, error) {
	at, ok := s.known[hash]
	if !ok {
		return nil, errNotKept
	}
	text := make([]byte, at.length)
	if _, err := f.ReadAt(text, at.offset); err != nil || hash32(sha256.Sum256(text)) != hash {
		return nil, errNotKept
	}
	return decodeNode(text)
}

type differ struct {
	store *treeStore
	file  *os.File
	out   []Change
}

func (d *differ) dirs(prefix string, a, b hash32) error {
	if a == b || len(d.out) >= maxChanges {
		return nil
	}
	left, err := d.store.node(d.file, a)
	if err != nil {
		return err
	}
	right, err := d.store.node(d.file, b)
	if err != nil {
		return err
	}
	return d.merge(prefix, left, right)
}

func (d *differ) merge(prefix string, left, right []treeEntry) error {
	for len(left) > 0 || len(right) > 0 {
		var err error
		switch {
		case len(right) == 0 || len(left) > 0 && left[0].name < right[0].name:
			err = d.all(prefix, left[0], "deleted")
			left = left[1:]
		case len(left) == 0 || right[0].name < left[0].name:
			err = d.all(prefix, right[0], "added")
			right = right[1:]
		default:
			err = d.pair(prefix, left[0], right[0])
			left, right = left[1:], right[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) pair(prefix string, a, b treeEntry) error {
	switch {
	case a == b:
		return nil
	case a.isTree() && b.isTree():
		return d.dirs(prefix+a.name+"/", a.hash, b.hash)
	case !a.isTree() && !b.isTree():
		d.add(prefix+a.name, "modified")
		return nil
	}
	if err := d.all(prefix, a, "deleted"); err != nil {
		return err
	}
	return d.all(prefix, b, "added")
}

// isTree reports whether an entry has children that the store may hold.
func (e *treeEntry) isTree() bool { return e.kind == kindDir }

// all adds everything below an entry.
func (d *differ) all(prefix string, e treeEntry, status string) error {
	if !e.isTree() {
		d.add(prefix+e.name, status)
		return nil
	}
	children, err := d.store.node(d.file, e.hash)
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := d.all(prefix+e.name+"/", child, status); err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) add(path, status string) {
	if len(d.out) < maxChanges {
		d.out = append(d.out, Change{path, status})
	}
}
