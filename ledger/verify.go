package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Report is what reading a whole ledger showed (E3).
type Report struct {
	// Intact is true when every record is there, unchanged and in order.
	Intact bool `json:"intact"`
	// Records is how many authentic records stand in order.
	Records uint64 `json:"records"`
	// First and Last are the sequence numbers of the oldest and the newest.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	// Breaks holds the damage in the order of the files; the first is the
	// first broken record.
	Breaks []Break `json:"breaks,omitempty"`
	// Notes tells what is no damage but worth knowing: torn lines that were
	// cut off, records lost to a full disk, a clock that went back.
	Notes []string `json:"notes,omitempty"`
	// TrustFrom is the first record that may count as evidence.
	TrustFrom uint64 `json:"trustFrom"`
	// Lost is how many records could not be written.
	Lost uint64 `json:"lost"`
}

// First broken record, nil for an intact ledger.
func (r *Report) FirstBreak() *Break {
	if len(r.Breaks) == 0 {
		return nil
	}
	return &r.Breaks[0]
}

// Verify reads every record of the observed commands and of the task journal,
// and reports whether they are what was recorded.
func (l *Ledger) Verify(ctx context.Context) (Report, error) {
	if l == nil {
		return Report{}, errNoLedger
	}
	report, err := l.bash.verify(ctx)
	if err != nil {
		return report, fmt.Errorf("verifying the ledger: %w", err)
	}
	journal, err := l.journal.verify(ctx)
	if err != nil {
		return report, fmt.Errorf("verifying the task journal: %w", err)
	}
	report.Intact = report.Intact && journal.Intact
	report.Breaks = append(report.Breaks, journal.Breaks...)
	report.Notes = append(report.Notes, journal.Notes...)
	report.Lost += journal.Lost
	return report, nil
}

// verify reads all segments of a chain under its lock.
func (c *chain) verify(ctx context.Context) (Report, error) {
	var report Report
	err := c.reading(ctx, func(h *head) error {
		v := verifier{chain: c, report: &report, next: 1, prev: genesis}
		return v.run(ctx, h)
	})
	report.Intact = err == nil && len(report.Breaks) == 0
	return report, err
}

// reading runs fn with the head under the lock; unlike locked, its failure is
// no loss of a record. A chain that was never begun has an empty head.
func (c *chain) reading(ctx context.Context, fn func(*head) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.head.lock(ctx); err != nil {
		return err
	}
	defer c.head.unlock()
	h, err := c.loadHead()
	if err != nil {
		return err
	}
	return fn(&h)
}

// verifier walks the segments of a chain.
type verifier struct {
	chain  *chain
	report *Report
	next   uint64
	prev   string
	lastMs int64
}

func (v *verifier) run(ctx context.Context, h *head) error {
	segments, err := v.chain.segments()
	if err != nil {
		return err
	}
	v.report.TrustFrom, v.report.Lost = h.TrustFrom, h.Lost
	for _, s := range segments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.sealed(s); err != nil {
			return err
		}
	}
	if err := v.live(h); err != nil {
		return err
	}
	v.report.Last = h.Seq
	if h.Seq == 0 && h.Distrust != "" {
		v.note("%s", h.Distrust) // later it is the first record
	}
	if h.Lost > 0 {
		v.note("%d records could not be written; the last time: %s", h.Lost, h.Distrust)
	}
	return nil
}

// sealed reads one sealed segment.
func (v *verifier) sealed(s segment) error {
	name := v.chain.segmentName(s.Number)
	if s.First != v.next && s.First <= s.Last {
		v.add(Break{File: name, Seq: v.next, Flaw: Removed, Detail: "the segment before it is not known"})
	}
	switch {
	case s.Pruned:
		v.note("records %d to %d were removed because of their age", s.First, s.Last)
	default:
		if err := v.segment(name, s.First, s.Prev, s.Last, s.MAC); err != nil {
			return err
		}
	}
	v.next, v.prev = s.Last+1, s.MAC
	return nil
}

// live reads the live segment. One that was not begun may still be there: with
// the first record of a process that was killed, or made by hand.
func (v *verifier) live(h *head) error {
	return v.segment(v.chain.name, h.SegFirst, h.SegPrev, h.Seq, h.MAC)
}

// segment reads a file that must hold the records first to last.
func (v *verifier) segment(name string, first uint64, prev string, last uint64, mac string) error {
	f, err := v.chain.dir.openFile(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		if first <= last {
			v.add(Break{File: name, Seq: first, Flaw: Replaced, Detail: "the file is gone: " + missing(first, last)})
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lastMAC := prev
	scan, err := v.chain.seal.scanSegment(f, name, first, prev, func(rec scanned) error {
		if rec.seq == last {
			lastMAC = rec.mac
		}
		return v.record(rec)
	})
	if err != nil {
		return err
	}
	v.report.Breaks = append(v.report.Breaks, scan.breaks...)
	switch {
	case !scan.intact():
	case scan.next <= last:
		v.add(Break{File: name, Line: scan.lines + 1, Seq: scan.next, Flaw: Cut, Detail: missing(scan.next, last) + " at the end: the tail was cut off"})
	case lastMAC != mac:
		v.add(Break{File: name, Line: scan.lines, Seq: last, Flaw: Unlinked, Detail: fmt.Sprintf("record %d is not the one that was recorded", last)})
	case scan.next > last+1:
		v.note("%s: records %d to %d were left by a process that ended, and are adopted with the next", name, last+1, scan.next-1)
	}
	if scan.torn > 0 {
		v.note("%s: a torn last line of %d bytes, which the next record cuts off", name, scan.torn)
	}
	return nil
}

// record looks at one authentic record.
func (v *verifier) record(rec scanned) error {
	var p struct {
		RecordedAtMs int64   `json:"recordedAtMs"`
		Notice       *notice `json:"notice"`
	}
	if err := json.Unmarshal(rec.line, &p); err != nil {
		return fmt.Errorf("record %d: %w", rec.seq, err)
	}
	if v.report.Records == 0 {
		v.report.First = rec.seq
	}
	v.report.Records++
	if p.Notice != nil {
		v.note("record %d: %s: %s", rec.seq, p.Notice.Kind, p.Notice.Detail)
	}
	if p.RecordedAtMs != 0 {
		if p.RecordedAtMs < v.lastMs {
			back := time.Duration(v.lastMs-p.RecordedAtMs) * time.Millisecond
			v.note("record %d: the clock was %v behind the record before", rec.seq, back)
		}
		v.lastMs = p.RecordedAtMs
	}
	return nil
}

func (v *verifier) add(b Break) { v.report.Breaks = append(v.report.Breaks, b) }

// maxNotes bounds the notes of a report.
const maxNotes = 200

func (v *verifier) note(format string, args ...any) {
	if len(v.report.Notes) < maxNotes {
		v.report.Notes = append(v.report.Notes, fmt.Sprintf(format, args...))
	}
}
