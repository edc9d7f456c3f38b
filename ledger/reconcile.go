package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ready opens the live segment for appending. When the file is not as the last
// append left it, the segment is read and judged: records of a process that
// was killed are adopted, a torn last line is cut off, and a segment that was
// tampered with is sealed as broken and a new one begun.
func (c *chain) ready(h *head) (*os.File, *notice, error) {
	live, err := c.dir.openFile(c.name, os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		return c.readyMissing(h)
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := stampOf(live)
	if err != nil {
		live.Close()
		return nil, nil, err
	}
	if s == h.Stamp {
		return live, nil, nil
	}
	return c.reconcile(h, live)
}

// readyMissing makes the live segment where there is none.
func (c *chain) readyMissing(h *head) (*os.File, *notice, error) {
	var note *notice
	if h.Stamp.Size > 0 {
		done, err := c.finishRotation(h)
		if err != nil {
			return nil, nil, err
		}
		if !done {
			note = c.distrust(h, fmt.Sprintf("%s was removed with records %d to %d", c.name, h.SegFirst, h.Seq))
			if err := c.logSegment(segment{Number: h.Segment, First: h.SegFirst, Last: h.Seq, Prev: h.SegPrev, MAC: h.MAC, Broken: note.Detail}); err != nil {
				return nil, nil, err
			}
			h.nextSegment()
		}
	}
	live, err := c.create(h)
	return live, note, err
}

// create makes an empty live segment.
func (c *chain) create(h *head) (*os.File, error) {
	live, err := c.dir.openFile(c.name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if h.Stamp, err = stampOf(live); err != nil {
		live.Close()
		return nil, err
	}
	if h.Distrust != "" && h.Seq == 0 {
		note := notice{"set-aside", h.Distrust}
		if err := c.record(h, live, noticeItem(note, 0)); err != nil {
			live.Close()
			return nil, err
		}
	}
	return live, nil
}

// nextSegment makes the head expect an empty live segment.
func (h *head) nextSegment() {
	h.Segment++
	h.SegFirst, h.SegPrev = h.Seq+1, h.MAC
	h.Stamp = stamp{}
}

// distrust makes everything up to now no evidence.
func (c *chain) distrust(h *head, why string) *notice {
	h.TrustFrom, h.Distrust = h.Seq+1, why
	return &notice{"broken", why}
}

// reconcile judges a live segment that changed behind the head's back.
func (c *chain) reconcile(h *head, live *os.File) (*os.File, *notice, error) {
	var news []scanned
	scan, err := c.scanLive(h, live, &news)
	if err != nil {
		live.Close()
		return nil, nil, err
	}
	if why := c.damage(h, &scan); why != "" {
		note := c.distrust(h, why)
		next, err := c.rotate(h, live, why)
		live.Close()
		return next, note, err
	}
	note, err := c.adopt(h, live, &scan, news)
	if err != nil {
		live.Close()
		return nil, nil, err
	}
	return live, note, nil
}

// scanLive reads the live segment; news gets the records beyond the head.
func (c *chain) scanLive(h *head, live *os.File, news *[]scanned) (segmentScan, error) {
	r, err := c.dir.openFile(c.name, os.O_RDONLY)
	if err != nil {
		return segmentScan{}, err
	}
	defer r.Close()
	headSeen := h.Seq < h.SegFirst
	scan, err := c.seal.scanSegment(r, c.name, h.SegFirst, h.SegPrev, func(rec scanned) error {
		if rec.seq == h.Seq && rec.mac == h.MAC {
			headSeen = true
		}
		if rec.seq > h.Seq {
			rec.line = append([]byte(nil), rec.line...)
			*news = append(*news, rec)
		}
		return nil
	})
	if err == nil && scan.intact() && !headSeen {
		flaw := Break{File: c.name, Seq: scan.next, Flaw: Cut, Detail: missing(scan.next, h.Seq) + " at the end"}
		if scan.next > h.Seq {
			flaw = Break{File: c.name, Seq: h.Seq, Flaw: Unlinked, Detail: fmt.Sprintf("record %d is not the one that was recorded", h.Seq)}
		}
		scan.breaks = append(scan.breaks, flaw)
	}
	return scan, err
}

// damage says what is wrong with a scanned live segment, "" for nothing.
func (c *chain) damage(h *head, scan *segmentScan) string {
	if scan.intact() {
		return ""
	}
	return scan.breaks[0].Error()
}

// adopt takes over what a killed process had written: whole records get their
// place in the index and the head, a part of one is cut off.
func (c *chain) adopt(h *head, live *os.File, scan *segmentScan, news []scanned) (*notice, error) {
	if scan.torn > 0 {
		if err := live.Truncate(scan.whole); err != nil {
			return nil, fmt.Errorf("cutting a torn line off %s: %w", live.Name(), err)
		}
	}
	s, err := stampOf(live)
	if err != nil {
		return nil, err
	}
	h.Stamp = s
	for _, rec := range news {
		e, err := c.entryOf(rec, h.Segment)
		if err != nil {
			return nil, err
		}
		if err := c.advance(h, live, rec.mac, e); err != nil {
			return nil, err
		}
	}
	if scan.torn > 0 {
		return &notice{"healed", fmt.Sprintf("a last line of %d bytes, torn by a process that ended, was cut off after record %d", scan.torn, h.Seq)}, nil
	}
	return nil, nil
}

// indexed is the part of a record that the index is made from.
type indexed struct {
	Index       string `json:"index"`
	CommandHash string `json:"commandHash"`
	Verify      *struct {
		Hash string `json:"hash"`
	} `json:"verify"`
	PostDigest   string `json:"workingTreeDigest"`
	RecordedAtMs int64  `json:"recordedAtMs"`
}

// key is what the record is found by: what it says itself, the verify command
// it stands for, or else its line.
func (x *indexed) key() string {
	switch {
	case x.Index != "":
		return x.Index
	case x.Verify != nil && x.Verify.Hash != "":
		return x.Verify.Hash
	}
	return x.CommandHash
}

// entryOf is the index entry of a record that was read back.
func (c *chain) entryOf(rec scanned, seg int) (entry, error) {
	var x indexed
	if err := json.Unmarshal(rec.line, &x); err != nil {
		return entry{}, fmt.Errorf("reading record %d of %s: %w", rec.seq, c.name, err)
	}
	return entry{
		Seq: rec.seq, Segment: uint32(seg), Length: uint32(len(rec.line)), Offset: uint64(rec.offset),
		Key: short(x.key()), Digest: hexPrefix(digestHex(x.PostDigest)), TimeMs: x.RecordedAtMs, Mac: hexPrefix(rec.mac),
	}, nil
}

// noticeItem is the record by which the chain itself tells what it met.
func noticeItem(n notice, timeMs int64) item {
	payload, _ := json.Marshal(struct { // strings only: cannot fail
		Kind         string `json:"kind"`
		Notice       notice `json:"notice"`
		RecordedAtMs int64  `json:"recordedAtMs"`
	}{"notice", n, timeMs})
	return item{payload: payload, timeMs: timeMs}
}
