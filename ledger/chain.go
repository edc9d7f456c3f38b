package ledger

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// chain is one append-only file of chained records, shared by any number of
// processes. Its segments lie where a person can read them; its head, lock and
// index lie in the data directory.
type chain struct {
	name  string        // of the live segment; sealed ones are name.1, name.2, …
	dir   safeDir       // of the segments
	aux   string        // directory outside the project
	key   []byte        // from which each chain derives its own
	limit int64         // bytes at which the live segment is sealed
	keep  int           // how many sealed segments are kept; 0 keeps all
	age   time.Duration // of sealed segments that are kept; 0 keeps all
	sync  bool          // fsync every append

	mu     sync.Mutex
	head   headFile
	index  index
	seal   *sealer
	sealID string // the head's ID that seal was made for
	lost   lostRecords
}

// lostRecords is what this process could not write down anywhere.
type lostRecords struct {
	count uint64
	err   error
}

// item is a record to be appended.
type item struct {
	payload []byte // a JSON object
	key     string // what the index finds it by
	digest  string // hexadecimal; "" for none
	timeMs  int64
}

func newChain(name string, dir safeDir, aux string, key []byte) *chain {
	return &chain{
		name: name, dir: dir, aux: aux, key: key, limit: 8 << 20,
		head:  headFile{path: filepath.Join(aux, name+".head"), seal: newSealer(derive(key, "head", name))},
		index: index{dir: aux, name: name},
	}
}

// appended says where a record went.
type appended struct {
	seq uint64
	mac string
}

// notice is something that the chain found and mended, or could not.
type notice struct {
	Kind   string `json:"kind"` // "healed", "adopted", "broken", "set-aside"
	Detail string `json:"detail"`
}

// append writes one record. When it returns nil the record is in the file.
func (c *chain) append(ctx context.Context, it item) (appended, error) {
	var out appended
	err := c.locked(ctx, func(h *head) error {
		if err := c.appendTo(h, it); err != nil {
			return err
		}
		out = appended{h.Seq, h.MAC}
		return nil
	})
	return out, err
}

// appendTo writes one record under the lock, and before it what was found
// wrong with the file.
func (c *chain) appendTo(h *head, it item) error {
	live, note, err := c.ready(h)
	if err != nil {
		return err
	}
	defer func() { live.Close() }()
	if note != nil {
		if err := c.record(h, live, noticeItem(*note, it.timeMs)); err != nil {
			return err
		}
	}
	if h.Stamp.Size >= c.limit {
		next, err := c.rotate(h, live, "")
		if err != nil {
			return err
		}
		live.Close()
		live = next
	}
	return c.record(h, live, it)
}

// locked runs fn with the head under the chain's lock. When fn fails the loss
// is written into the head, so that the gate of every process knows of it.
func (c *chain) locked(ctx context.Context, fn func(*head) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.head.lock(ctx); err != nil {
		c.lost = lostRecords{c.lost.count + 1, err}
		return err
	}
	defer c.head.unlock()
	h, err := c.loadHead()
	if err != nil {
		c.lost = lostRecords{c.lost.count + 1, err}
		return err
	}
	if c.lost.err != nil {
		h.Lost += c.lost.count
		c.distrust(&h, "a record could not be written: "+c.lost.err.Error())
	}
	if err := fn(&h); err != nil {
		c.noteLoss(&h, err)
		return err
	}
	c.lost = lostRecords{} // the head has it now
	return nil
}

// noteLoss records that a record could not be: nothing up to now counts as
// evidence any more, since what is missing may have been a failure.
func (c *chain) noteLoss(h *head, cause error) {
	h.Lost++
	c.distrust(h, "a record could not be written: "+cause.Error())
	if err := c.head.write(h); err != nil {
		c.lost = lostRecords{c.lost.count + 1, errors.Join(cause, err)}
	}
}

// loadHead reads the head, beginning a new chain when there is none.
func (c *chain) loadHead() (head, error) {
	h, found, err := c.head.read()
	if err != nil {
		return head{}, err
	}
	if !found {
		h = head{ID: randomHex(8), MAC: genesis, SegPrev: genesis, SegFirst: 1, Segment: 1, TrustFrom: 1}
		if err := c.index.reset(); err != nil {
			return head{}, err
		}
		if err := c.begin(&h); err != nil {
			return head{}, err
		}
		if err := c.head.write(&h); err != nil {
			return head{}, err
		}
	}
	if c.seal == nil || c.sealID != h.ID {
		c.seal, c.sealID = newSealer(derive(c.key, "chain", c.name, h.ID)), h.ID
	}
	return h, nil
}

// begin sets files aside that lie where a new chain is to start: a ledger
// whose head is gone, or that came with the project from elsewhere.
func (c *chain) begin(h *head) error {
	names, err := c.dir.list()
	if err != nil {
		return err
	}
	for _, name := range names {
		if n, ok := c.segmentNumber(name); ok {
			h.Segment = max(h.Segment, n+1)
		}
	}
	f, err := c.dir.openFile(c.name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.Close()
	aside := c.segmentName(h.Segment)
	if err := c.dir.rename(c.name, aside); err != nil {
		return err
	}
	h.Segment++
	h.Distrust = "the ledger had no head here; its earlier records were set aside as " + aside
	return nil
}

func (c *chain) segmentName(n int) string { return fmt.Sprintf("%s.%d", c.name, n) }

func (c *chain) segmentNumber(name string) (int, bool) {
	var n int
	if _, err := fmt.Sscanf(name, c.name+".%d", &n); err != nil || n < 1 || c.segmentName(n) != name {
		return 0, false
	}
	return n, true
}

// record writes one line, the index and the head, in this order: a process
// that is killed in between leaves a line that the next one adopts.
func (c *chain) record(h *head, live *os.File, it item) error {
	line, mac := c.seal.seal(h.Seq+1, h.MAC, it.payload)
	if len(line) > maxLine {
		return fmt.Errorf("appending to %s: a record of %d bytes is over the bound of %d", live.Name(), len(line), maxLine)
	}
	if _, err := live.Write(line); err != nil {
		// What a full disk left of the line is taken back.
		err = fmt.Errorf("appending to %s: %w", live.Name(), err)
		if terr := live.Truncate(h.Stamp.Size); terr != nil {
			return errors.Join(err, terr)
		}
		if s, serr := stampOf(live); serr == nil {
			h.Stamp = s
		}
		return err
	}
	if c.sync {
		if err := live.Sync(); err != nil {
			return fmt.Errorf("appending to %s: %w", live.Name(), err)
		}
	}
	e := entry{
		Segment: uint32(h.Segment), Length: uint32(len(line) - 1), Offset: uint64(h.Stamp.Size),
		Key: short(it.key), Digest: hexPrefix(it.digest), TimeMs: it.timeMs, Mac: hexPrefix(mac),
	}
	return c.advance(h, live, mac, e)
}

// advance moves the head on by one record that is in the file.
func (c *chain) advance(h *head, live *os.File, mac string, e entry) error {
	s, err := stampOf(live)
	if err != nil {
		return err
	}
	h.Seq, h.MAC, h.Stamp = h.Seq+1, mac, s
	e.Seq = h.Seq
	if h.Indexed == h.Seq-1 && c.index.put(e) == nil {
		// A failed index is no loss: it is made again when it is needed.
		h.Indexed = h.Seq
	}
	return c.head.write(h)
}

// short is the index key of a text, which is a MAC in hexadecimal already or
// any other name.
func short(text string) uint64 {
	if text == "" {
		return 0
	}
	sum := derive([]byte("index"), text)
	return binary.LittleEndian.Uint64(sum)
}

// hexPrefix is the first eight bytes of a hexadecimal text, 0 for none.
func hexPrefix(text string) uint64 {
	var b [8]byte
	if len(text) < 16 {
		return 0
	}
	if _, err := hex.Decode(b[:], []byte(text[:16])); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}

// close releases the chain's files.
func (c *chain) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head.close()
	c.index.close()
}

// unrecorded is the error of the last record that could not even be noted as
// lost, nil for none since the last that was written.
func (c *chain) unrecorded() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost.err
}
