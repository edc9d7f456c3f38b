package ledger

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// The cache file holds the last listing between processes, so that a gate
// asked from the command line need not read the whole tree. It is bound to its
// content by a checksum, and to the tree by the stamps in it.
const cacheMagic = "pi-guard tree 1\n"

// saveCache writes the listing; a failure only makes the next process slower.
func (s *treeScanner) saveCache(list *listing) {
	if s.cache == "" {
		return
	}
	var buf bytes.Buffer
	w := cacheWriter{out: &buf}
	w.text(list.root)
	w.flag(list.partial)
	w.number(uint64(len(list.watched)))
	for i := range list.watched {
		e := &list.watched[i]
		w.text(e.path)
		w.stamp(e.stamp)
		w.flag(e.settled)
	}
	w.number(uint64(len(list.files)))
	for i := range list.files {
		f := &list.files[i]
		w.text(f.path)
		buf.WriteByte(byte(f.kind))
		w.flag(f.module)
		w.stamp(f.stamp)
		w.flag(f.settled)
		buf.Write(f.hash[:])
	}
	sum := hashText(buf.String())
	temp := fmt.Sprintf("%s.%s", s.cache, randomHex(4))
	data := append(append([]byte(cacheMagic), sum[:]...), buf.Bytes()...)
	if os.MkdirAll(filepath.Dir(s.cache), dirMode) != nil || os.WriteFile(temp, data, fileMode) != nil || os.Rename(temp, s.cache) != nil {
		_ = os.Remove(temp)
	}
}

// loadCache reads the listing of an earlier process, nil when there is none.
func (s *treeScanner) loadCache() *listing {
	data, err := os.ReadFile(s.cache)
	if err != nil {
		return nil
	}
	body, ok := bytes.CutPrefix(data, []byte(cacheMagic))
	if !ok || len(body) < len(hash32{}) || hashText(string(body[32:])) != hash32(body[:32]) {
		return nil
	}
	r := cacheReader{in: bufio.NewReader(bytes.NewReader(body[32:]))}
	list := &listing{root: r.text(), partial: r.flag()}
	list.watched = make([]watchedPath, r.count(len(body)))
	for i := range list.watched {
		list.watched[i] = watchedPath{path: r.text(), stamp: r.stamp(), settled: r.flag()}
	}
	list.files = make([]seenFile, r.count(len(body)))
	for i := range list.files {
		f := &list.files[i]
		f.path = r.text()
		f.kind = entryKind(r.byte())
		f.module = r.flag()
		f.stamp = r.stamp()
		f.settled = r.flag()
		r.bytes(f.hash[:])
	}
	if r.err != nil {
		return nil
	}
	return list
}

type cacheWriter struct {
	out     *bytes.Buffer
	scratch [binary.MaxVarintLen64]byte
}

func (w *cacheWriter) number(n uint64) {
	w.out.Write(w.scratch[:binary.PutUvarint(w.scratch[:], n)])
}

func (w *cacheWriter) text(s string) {
	w.number(uint64(len(s)))
	w.out.WriteString(s)
}

func (w *cacheWriter) flag(b bool) {
	if b {
		w.out.WriteByte(1)
	} else {
		w.out.WriteByte(0)
	}
}

func (w *cacheWriter) stamp(s stamp) {
	for _, n := range []uint64{s.Ino, uint64(s.Size), uint64(s.MTime), uint64(s.CTime)} {
		w.number(n)
	}
}

// cacheReader reads what cacheWriter wrote; after the first error it returns
// zero values.
type cacheReader struct {
	in  *bufio.Reader
	err error
}

func (r *cacheReader) number() uint64 {
	if r.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(r.in)
	r.err = err
	return n
}

// count is a number of entries, of which there are fewer than bytes.
func (r *cacheReader) count(limit int) int {
	n := r.number()
	if n > uint64(limit) {
		r.err = fmt.Errorf("%d entries in %d bytes", n, limit)
		return 0
	}
	return int(n)
}

func (r *cacheReader) bytes(b []byte) {
	for i := range b {
		b[i] = r.byte()
	}
}

func (r *cacheReader) text() string {
	n := r.count(1 << 20)
	b := make([]byte, n)
	r.bytes(b)
	return string(b)
}

func (r *cacheReader) byte() byte {
	if r.err != nil {
		return 0
	}
	b, err := r.in.ReadByte()
	r.err = err
	return b
}

func (r *cacheReader) flag() bool { return r.byte() == 1 }

func (r *cacheReader) stamp() stamp {
	return stamp{Ino: r.number(), Size: int64(r.number()), MTime: int64(r.number()), CTime: int64(r.number())}
}
