package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// The index finds the records of one key without reading the ledger. It is a
// cache: whatever it names is read from the ledger and authenticated there,
// and it is made again from the ledger when it is missing.
//
// Entry n-1 of the entries file is that of record n. The buckets file holds,
// for each bucket of keys, the newest record; entries link to the one before.
const (
	entrySize   = 64
	bucketCount = 1 << 16
)

// entry is one record in the index.
type entry struct {
	Seq     uint64
	Segment uint32
	Length  uint32
	Offset  uint64
	Key     uint64 // what the record is about: a command, a task
	Digest  uint64 // the first bytes of the tree digest it speaks of
	TimeMs  int64
	Before  uint64 // the record before in the same bucket
	Mac     uint64 // the first bytes of its mac
}

func (e *entry) encode(b []byte) {
	le := binary.LittleEndian
	le.PutUint64(b[0:], e.Seq)
	le.PutUint32(b[8:], e.Segment)
	le.PutUint32(b[12:], e.Length)
	le.PutUint64(b[16:], e.Offset)
	le.PutUint64(b[24:], e.Key)
	le.PutUint64(b[32:], e.Digest)
	le.PutUint64(b[40:], uint64(e.TimeMs))
	le.PutUint64(b[48:], e.Before)
	le.PutUint64(b[56:], e.Mac)
}

func (e *entry) decode(b []byte) {
	le := binary.LittleEndian
	*e = entry{
		Seq: le.Uint64(b[0:]), Segment: le.Uint32(b[8:]), Length: le.Uint32(b[12:]),
		Offset: le.Uint64(b[16:]), Key: le.Uint64(b[24:]), Digest: le.Uint64(b[32:]),
		TimeMs: int64(le.Uint64(b[40:])), Before: le.Uint64(b[48:]), Mac: le.Uint64(b[56:]),
	}
}

// index is the open index of a chain; it is used under the chain's lock only.
type index struct {
	dir, name string
	entries   *os.File
	buckets   *os.File
}

func (x *index) open() error {
	if x.entries != nil && linked(x.entries) && linked(x.buckets) {
		return nil
	}
	x.close()
	var err error
	if x.entries, err = openIndexFile(filepath.Join(x.dir, x.name+".index")); err != nil {
		return err
	}
	x.buckets, err = openIndexFile(filepath.Join(x.dir, x.name+".buckets"))
	if err != nil {
		x.close()
	}
	return err
}

func openIndexFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return nil, fmt.Errorf("opening the ledger's index: %w", err)
	}
	return f, nil
}

func linked(f *os.File) bool {
	var st unix.Stat_t
	return f != nil && unix.Fstat(int(f.Fd()), &st) == nil && st.Nlink > 0
}

func (x *index) close() {
	for _, f := range []*os.File{x.entries, x.buckets} {
		if f != nil {
			f.Close()
		}
	}
	x.entries, x.buckets = nil, nil
}

// reset empties the index.
func (x *index) reset() error {
	if err := x.open(); err != nil {
		return err
	}
	return errors.Join(x.entries.Truncate(0), x.buckets.Truncate(0))
}

// put adds the entry of the newest record. Putting the same record twice, as
// after a crash, changes nothing.
func (x *index) put(e entry) error {
	if err := x.open(); err != nil {
		return err
	}
	before, err := x.newest(e.Key)
	for err == nil && before >= e.Seq {
		before, err = x.before(before)
	}
	if err != nil {
		return err
	}
	e.Before = before
	var buf [entrySize]byte
	e.encode(buf[:])
	if _, err := x.entries.WriteAt(buf[:], int64(e.Seq-1)*entrySize); err != nil {
		return fmt.Errorf("writing the ledger's index: %w", err)
	}
	var seq [8]byte
	binary.LittleEndian.PutUint64(seq[:], e.Seq)
	if _, err := x.buckets.WriteAt(seq[:], bucketOffset(e.Key)); err != nil {
		return fmt.Errorf("writing the ledger's index: %w", err)
	}
	return nil
}

func bucketOffset(key uint64) int64 { return int64(key%bucketCount) * 8 }

// newest is the newest record of the key's bucket, 0 for none.
func (x *index) newest(key uint64) (uint64, error) {
	var buf [8]byte
	n, err := x.buckets.ReadAt(buf[:], bucketOffset(key))
	if n < len(buf) {
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		return 0, fmt.Errorf("reading the ledger's index: %w", err)
	}
	return binary.LittleEndian.Uint64(buf[:]), nil
}

// before is the record before seq in its bucket. It is always smaller, so that
// a walk ends whatever the files hold.
func (x *index) before(seq uint64) (uint64, error) {
	e, err := x.get(seq)
	if err != nil || e.Seq != seq || e.Before >= seq {
		return 0, err
	}
	return e.Before, nil
}

func (x *index) get(seq uint64) (entry, error) {
	var e entry
	if err := x.open(); err != nil {
		return e, err
	}
	var buf [entrySize]byte
	n, err := x.entries.ReadAt(buf[:], int64(seq-1)*entrySize)
	if n < len(buf) {
		if errors.Is(err, io.EOF) {
			return e, nil
		}
		return e, fmt.Errorf("reading the ledger's index: %w", err)
	}
	e.decode(buf[:])
	return e, nil
}

// walk calls visit for the records of a key, newest first, until it says stop.
func (x *index) walk(key uint64, visit func(entry) (more bool, err error)) error {
	if err := x.open(); err != nil {
		return err
	}
	seq, err := x.newest(key)
	for err == nil && seq > 0 {
		var e entry
		if e, err = x.get(seq); err != nil || e.Seq != seq {
			break
		}
		if e.Key == key {
			var more bool
			if more, err = visit(e); err != nil || !more {
				break
			}
		}
		if e.Before >= seq {
			break
		}
		seq = e.Before
	}
	return err
}
