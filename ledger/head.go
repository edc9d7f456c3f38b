package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// head is what is known of a chain outside the project: where it ends, so that
// a cut tail is seen, and since when its records are trusted (E3).
type head struct {
	Version int `json:"v"`
	// Gen counts the writes of the head; of the two slots the higher one holds.
	Gen uint64 `json:"gen"`
	// ID makes the key of this chain its own: a chain that was begun anew
	// does not accept the lines of the old one.
	ID  string `json:"id"`
	Seq uint64 `json:"seq"` // of the last record
	MAC string `json:"prev"`
	// Segment is the number the live segment will have when it is sealed;
	// SegFirst and SegPrev say what its first record must be.
	Segment  int    `json:"segment"`
	SegFirst uint64 `json:"segFirst"`
	SegPrev  string `json:"segPrev"`
	// Stamp is the live segment as the last append left it.
	Stamp stamp `json:"stamp"`
	// Indexed is the last record up to which the index is complete.
	Indexed uint64 `json:"indexed"`
	// TrustFrom is the first record that may count as evidence; what came
	// before was damaged or incomplete, for the reason in Distrust.
	TrustFrom uint64 `json:"trustFrom"`
	Distrust  string `json:"distrust,omitempty"`
	// Lost counts the records that could not be written, ever.
	Lost uint64 `json:"lost"`
}

const (
	slotSize = 2048
	maxNote  = 300
)

// headFile is the open head of a chain. It is the chain's lock as well.
type headFile struct {
	path string
	file *os.File
	seal *sealer

	// text and value are the head as it was last read: while the file does
	// not change, neither does its meaning.
	text  [2 * slotSize]byte
	value head
	known bool
}

// lockWait bounds the wait for another process's append, which takes
// microseconds: a longer wait means that the holder was stopped.
const lockWait = 5 * time.Second

// lock takes the chain's lock, opening the head when it is not yet open or was
// removed meanwhile.
func (h *headFile) lock(ctx context.Context) error {
	deadline := time.Now().Add(lockWait)
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 4*time.Millisecond) {
		if err := h.open(); err != nil {
			return err
		}
		err := unix.Flock(int(h.file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			if h.linked() {
				return nil
			}
			h.close()
			continue
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("locking %s: %w", h.path, err)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("locking %s: another process has held it for %v: end the stopped process", h.path, lockWait)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("locking %s: %w", h.path, ctx.Err())
		case <-time.After(pause):
		}
	}
}

func (h *headFile) unlock() {
	if h.file != nil {
		_ = unix.Flock(int(h.file.Fd()), unix.LOCK_UN)
	}
}

func (h *headFile) open() error {
	if h.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), dirMode); err != nil {
		return fmt.Errorf("making the ledger's data directory: %w", err)
	}
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return fmt.Errorf("opening the ledger's head: %w", err)
	}
	h.file = f
	return nil
}

// linked reports whether the open head is still the one of its name.
func (h *headFile) linked() bool {
	var st unix.Stat_t
	return unix.Fstat(int(h.file.Fd()), &st) == nil && st.Nlink > 0
}

func (h *headFile) close() {
	if h.file != nil {
		h.file.Close()
		h.file = nil
	}
}

// read returns the newer of the two slots that is authentic. found is false
// when there is none: a new chain, or a damaged head.
func (h *headFile) read() (newest head, found bool, err error) {
	var buf [2 * slotSize]byte
	n, err := h.file.ReadAt(buf[:], 0)
	if n == 0 {
		return head{}, false, nil
	}
	if n < len(buf) && err != nil && n < slotSize {
		return head{}, false, fmt.Errorf("reading %s: %w", h.path, err)
	}
	if h.known && buf == h.text {
		return h.value, true, nil
	}
	for i := range 2 {
		slot := buf[i*slotSize : (i+1)*slotSize]
		if cur, ok := h.parse(slot); ok && (!found || cur.Gen > newest.Gen) {
			newest, found = cur, true
		}
	}
	h.text, h.value, h.known = buf, newest, found
	return newest, found, nil
}

func (h *headFile) parse(slot []byte) (head, bool) {
	end := strings.IndexByte(string(slot), '\n')
	if end < macTail {
		return head{}, false
	}
	line := slot[:end]
	body, tail := line[:end-macTail], line[end-macTail:]
	mac := string(tail[len(macField) : len(macField)+macHex])
	if string(h.seal.sign(body)) != mac {
		return head{}, false
	}
	var cur head
	if err := json.Unmarshal(line, &cur); err != nil || cur.Version != schemaVersion {
		return head{}, false
	}
	return cur, true
}

// write puts the head into the slot that does not hold the present one, so
// that a write that is cut short leaves the other.
func (h *headFile) write(cur *head) error {
	cur.Version = schemaVersion
	cur.Gen++
	cur.Distrust = plain(cur.Distrust)
	text, err := json.Marshal(cur)
	if err != nil {
		return fmt.Errorf("writing the ledger's head: %w", err)
	}
	body := text[:len(text)-1]
	slot := make([]byte, 0, slotSize)
	slot = append(slot, body...)
	slot = append(slot, macField...)
	slot = append(slot, h.seal.sign(body)...)
	slot = append(slot, "\"}\n"...)
	if len(slot) > slotSize {
		return fmt.Errorf("writing the ledger's head: %d bytes do not fit %d", len(slot), slotSize)
	}
	for len(slot) < slotSize-1 {
		slot = append(slot, ' ')
	}
	slot = append(slot, '\n')
	at := int64(cur.Gen%2) * slotSize
	if _, err := h.file.WriteAt(slot, at); err != nil {
		h.known = false
		return fmt.Errorf("writing the ledger's head: %w", err)
	}
	copy(h.text[at:], slot)
	h.value = *cur
	return nil
}

// plain bounds a note to printable ASCII, so that a head always fits its slot.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '<' || r == '>' || r == '&' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), maxNote)]
}
