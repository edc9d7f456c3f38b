package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
)

// The forms of a tree digest (E4, E14). A digest is the SHA-256 over the
// sorted entries of the root, each with its kind, name and content digest, a
// directory's being computed the same way.
const (
	treeAlgorithm   = "wt-content-v3"
	treePrefix      = treeAlgorithm + ":"
	treePartial     = treeAlgorithm + "-partial:"
	treeUnavailable = treeAlgorithm + "-unavailable:"
)

// Tree is the content of a work tree at one moment.
type Tree struct {
	// Digest names the content. An unavailable one is never proof.
	Digest string `json:"digest"`
	// Files is how many files were looked at.
	Files int `json:"files"`
	// Partial is true for a folder that is no git work tree: what git would
	// ignore is guessed, and of very many files only the dates are looked at.
	Partial bool `json:"partial,omitempty"`
	// Problem says why the digest is unavailable.
	Problem string `json:"problem,omitempty"`

	hash hash32
}

// Available reports whether the digest can be proof.
func (t *Tree) Available() bool {
	return t != nil && (strings.HasPrefix(t.Digest, treePrefix) || strings.HasPrefix(t.Digest, treePartial))
}

// digestHex is the hexadecimal part of a digest, "" for one that is
// unavailable.
func digestHex(digest string) string {
	for _, prefix := range []string{treePrefix, treePartial} {
		if rest, ok := strings.CutPrefix(digest, prefix); ok && len(rest) == 2*sha256.Size {
			return rest
		}
	}
	return ""
}

// hash32 is a SHA-256 digest.
type hash32 [sha256.Size]byte

// hashOfDigest is the root that a digest names.
func hashOfDigest(digest string) (hash32, bool) {
	var h hash32
	n, err := hex.Decode(h[:], []byte(digestHex(digest)))
	return h, err == nil && n == len(h)
}

// Tree reads the work tree that the project belongs to. Only files whose date
// or size changed since the last time are read.
func (l *Ledger) Tree(ctx context.Context) (*Tree, error) {
	if l == nil {
		return nil, errNoLedger
	}
	return l.trees.scan(ctx)
}

// Before reads the work tree just before a command is released, when that can
// matter: the command may be evidence, or a task is open in the session (E14).
// Otherwise it returns nil and costs nothing. The result belongs into
// Observation.Before.
func (l *Ledger) Before(ctx context.Context, command, cwd string) (*Tree, error) {
	if l == nil {
		return nil, errNoLedger
	}
	if !l.Verifies(command, cwd) && !l.hasOpenTask(ctx) {
		return nil, nil
	}
	return l.keptTree(ctx)
}

// keptTree reads the work tree and keeps its manifest, so that later the files
// can be named in which it differs from another.
func (l *Ledger) keptTree(ctx context.Context) (*Tree, error) {
	t, err := l.trees.scan(ctx)
	if err != nil || !t.Available() {
		return t, err
	}
	if err := l.trees.keep(); err != nil {
		return nil, err
	}
	return t, nil
}

// Change is one file in which two trees differ.
type Change struct {
	Path string `json:"path"`
	// Status is "added", "modified" or "deleted".
	Status string `json:"status"`
}

// maxChanges bounds how many changed files are named.
const maxChanges = 500

// Changes names the files in which the tree of one digest differs from that of
// another. known is false when one of the two was not kept.
func (l *Ledger) Changes(from, to string) (changes []Change, known bool, err error) {
	a, ok1 := hashOfDigest(from)
	b, ok2 := hashOfDigest(to)
	if !ok1 || !ok2 {
		return nil, false, nil
	}
	return l.trees.store.diff(a, b)
}

// treeEntry is one child of a directory.
type treeEntry struct {
	name string
	kind entryKind
	hash hash32
}

// entryKind is what an entry is; it is part of the digest, so that a changed
// mode is a changed tree.
type entryKind byte

const (
	kindFile   entryKind = 'f'
	kindExec   entryKind = 'x'
	kindLink   entryKind = 'l'
	kindDir    entryKind = 'd'
	kindModule entryKind = 'm' // a submodule, or another repository in the tree
	kindByDate entryKind = 't' // known by its date and size only
)

// encodeNode is the canonical text of a directory, entries sorted by name.
func encodeNode(entries []treeEntry) []byte {
	sort.Slice(entries, func(i, j int) bool { return entries[i].name < entries[j].name })
	size := 0
	for i := range entries {
		size += len(entries[i].name) + 2 + sha256.Size
	}
	out := make([]byte, 0, size)
	for i := range entries {
		e := &entries[i]
		out = append(out, byte(e.kind))
		out = append(out, e.name...)
		out = append(out, 0)
		out = append(out, e.hash[:]...)
	}
	return out
}

func decodeNode(data []byte) ([]treeEntry, error) {
	var out []treeEntry
	for len(data) > 0 {
		end := strings.IndexByte(string(data), 0)
		if end < 1 || len(data) < end+1+sha256.Size {
			return nil, fmt.Errorf("a kept tree is damaged")
		}
		e := treeEntry{kind: entryKind(data[0]), name: string(data[1:end])}
		copy(e.hash[:], data[end+1:])
		out = append(out, e)
		data = data[end+1+sha256.Size:]
	}
	return out, nil
}

// node is a directory being put together.
type node struct {
	entries []treeEntry
	dirs    map[string]*node
}

// put adds an entry at a slash-separated path.
func (n *node) put(path string, e treeEntry) {
	for {
		dir, rest, ok := strings.Cut(path, "/")
		if !ok {
			e.name = path
			n.entries = append(n.entries, e)
			return
		}
		if n.dirs == nil {
			n.dirs = map[string]*node{}
		}
		next := n.dirs[dir]
		if next == nil {
			next = &node{}
			n.dirs[dir] = next
		}
		n, path = next, rest
	}
}

// hash computes the digest of the directory, handing each node's text to keep.
func (n *node) hash(keep func(hash32, []byte)) hash32 {
	for name, dir := range n.dirs {
		n.entries = append(n.entries, treeEntry{name: name, kind: kindDir, hash: dir.hash(keep)})
	}
	text := encodeNode(n.entries)
	sum := hash32(sha256.Sum256(text))
	keep(sum, text)
	return sum
}
