package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// found is one authentic record that a look-up met.
type found struct {
	entry
	line []byte
	// trusted is false for records from before damage was found.
	trusted bool
}

// standing says how far a chain can be trusted.
type standing struct {
	seq       uint64 // of the last record
	trustFrom uint64
	distrust  string
}

// errTampered is what a look-up answers that meets a record which is not the
// one recorded. The chain has then been marked, so that the next look-up finds
// nothing trusted.
var errTampered = errors.New("the ledger was changed behind the guard's back")

// find calls visit for the records of a key, newest first, until it says stop.
// It does not read the ledger: only the records it visits, and segments that
// changed since they were written.
func (c *chain) find(ctx context.Context, key string, nowMs int64, visit func(found) (more bool, err error)) (standing, error) {
	var out standing
	err := c.reading(ctx, func(h *head) error {
		if err := c.settle(h, nowMs); err != nil {
			return err
		}
		out = standing{h.Seq, h.TrustFrom, h.Distrust}
		return c.findIn(h, key, visit)
	})
	return out, err
}

// update appends the record that fn makes of the newest trusted one of a key,
// nil for none, with nothing coming in between.
func (c *chain) update(ctx context.Context, key string, nowMs int64, fn func(newest []byte) ([]byte, error)) error {
	var refused error
	err := c.locked(ctx, func(h *head) error {
		if err := c.settle(h, nowMs); err != nil {
			return err
		}
		var newest []byte
		err := c.findIn(h, key, func(f found) (bool, error) {
			if f.trusted {
				newest = f.line
			}
			return false, nil
		})
		if err != nil {
			return err
		}
		payload, err := fn(newest)
		if err != nil {
			refused = err // not a loss: nothing was to be recorded
			return nil
		}
		return c.appendTo(h, item{payload: payload, key: key, timeMs: nowMs})
	})
	return errors.Join(err, refused)
}

// settle brings the head in line with the files, or the other way round.
func (c *chain) settle(h *head, nowMs int64) error {
	if h.Seq > 0 {
		live, note, err := c.ready(h)
		if err != nil {
			return err
		}
		defer live.Close()
		if note != nil {
			if err := c.record(h, live, noticeItem(*note, nowMs)); err != nil {
				return err
			}
		}
		if err := c.checkSealed(h, live, nowMs); err != nil {
			return err
		}
	}
	return c.catchUp(h)
}

// checkSealed looks whether a sealed segment changed, by its stamp, and reads
// those that did.
func (c *chain) checkSealed(h *head, live *os.File, nowMs int64) error {
	segments, err := c.segments()
	if err != nil {
		return err
	}
	for _, s := range segments {
		if s.Pruned || s.Broken != "" {
			continue
		}
		now, err := c.dir.stat(c.segmentName(s.Number))
		if err == nil && now == s.Stamp {
			continue
		}
		if s.Broken = c.sealedDamage(s); s.Broken == "" {
			s.Stamp = now // moved or copied, but the same
		}
		if err := c.logSegment(s); err != nil {
			return err
		}
		if s.Broken != "" {
			note := c.distrust(h, s.Broken)
			if err := c.record(h, live, noticeItem(*note, nowMs)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealedDamage reads a sealed segment and says what is wrong with it.
func (c *chain) sealedDamage(s segment) string {
	name := c.segmentName(s.Number)
	f, err := c.dir.openFile(name, os.O_RDONLY)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Sprintf("%s was removed with records %d to %d", name, s.First, s.Last)
		}
		return err.Error()
	}
	defer f.Close()
	mac := s.Prev
	scan, err := c.seal.scanSegment(f, name, s.First, s.Prev, func(rec scanned) error {
		mac = rec.mac
		return nil
	})
	switch {
	case err != nil:
		return err.Error()
	case !scan.intact():
		return scan.breaks[0].Error()
	case mac != s.MAC || scan.torn > 0:
		return fmt.Sprintf("%s does not end with record %d any more", name, s.Last)
	}
	return ""
}

// catchUp completes the index from the segments.
func (c *chain) catchUp(h *head) error {
	if h.Indexed > 0 {
		if e, err := c.index.get(h.Indexed); err != nil || e.Seq != h.Indexed {
			if err := c.index.reset(); err != nil {
				return err
			}
			h.Indexed = 0
		}
	}
	if h.Indexed == h.Seq {
		return nil
	}
	segments, err := c.segments()
	if err != nil {
		return err
	}
	segments = append(segments, segment{Number: h.Segment, First: h.SegFirst, Last: h.Seq, Prev: h.SegPrev})
	for _, s := range segments {
		if s.Last <= h.Indexed || s.Pruned || s.Broken != "" || s.First > s.Last {
			continue
		}
		name := c.segmentName(s.Number)
		if s.Number == h.Segment {
			name = c.name
		}
		if err := c.indexSegment(h, s, name); err != nil {
			return err
		}
	}
	h.Indexed = h.Seq
	return c.head.write(h)
}

func (c *chain) indexSegment(h *head, s segment, name string) error {
	f, err := c.dir.openFile(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = c.seal.scanSegment(f, name, s.First, s.Prev, func(rec scanned) error {
		if rec.seq <= h.Indexed || rec.seq > h.Seq {
			return nil
		}
		e, err := c.entryOf(rec, s.Number)
		if err != nil {
			return err
		}
		return c.index.put(e)
	})
	return err
}

// findIn walks the index and reads each record it names.
func (c *chain) findIn(h *head, key string, visit func(found) (bool, error)) error {
	if key == "" || h.Seq == 0 {
		return nil
	}
	files := segmentFiles{chain: c, live: h.Segment, open: map[uint32]*os.File{}}
	defer files.close()
	return c.index.walk(short(key), func(e entry) (bool, error) {
		line, err := c.readEntry(&files, e)
		if err != nil {
			if e.Seq < h.TrustFrom {
				return false, nil // known damage
			}
			note := c.distrust(h, fmt.Sprintf("record %d: %v", e.Seq, err))
			return false, errors.Join(fmt.Errorf("%w: %s", errTampered, note.Detail), c.head.write(h))
		}
		return visit(found{e, line, e.Seq >= h.TrustFrom})
	})
}

// readEntry reads a record and checks that it is the one in the index.
func (c *chain) readEntry(files *segmentFiles, e entry) ([]byte, error) {
	f, err := files.get(e.Segment)
	if err != nil {
		return nil, err
	}
	if e.Length > maxLine {
		return nil, errNotARecord
	}
	line := make([]byte, e.Length)
	if _, err := f.ReadAt(line, int64(e.Offset)); err != nil {
		return nil, err
	}
	env, err := parseEnvelope(line)
	if err != nil {
		return nil, err
	}
	if env.seq != e.Seq || hexPrefix(env.mac) != e.Mac || !c.seal.authentic(line, env) {
		return nil, errors.New("it is not the record that was written there")
	}
	return line, nil
}

// segmentFiles opens segments as they are needed.
type segmentFiles struct {
	chain *chain
	live  int
	open  map[uint32]*os.File
}

func (s *segmentFiles) get(n uint32) (*os.File, error) {
	if f := s.open[n]; f != nil {
		return f, nil
	}
	name := s.chain.segmentName(int(n))
	if int(n) == s.live {
		name = s.chain.name
	}
	f, err := s.chain.dir.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	s.open[n] = f
	return f, nil
}

func (s *segmentFiles) close() {
	for _, f := range s.open {
		f.Close()
	}
}
