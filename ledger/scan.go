package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one record; a longer line is no record.
const maxLine = 1 << 20

// scanned is one authentic record met in order.
type scanned struct {
	envelope
	offset int64
	line   []byte // without the newline; valid during the call only
}

// segmentScan is what reading one segment showed.
type segmentScan struct {
	next   uint64 // the sequence number that would follow
	prev   string // the mac of the last record in order
	lines  int
	good   int64 // bytes up to and with the last record in order
	whole  int64 // bytes up to and with the last newline
	torn   int64 // bytes after it
	breaks []Break
}

// intact reports whether every line is the record that belongs there.
func (s *segmentScan) intact() bool { return len(s.breaks) == 0 }

// maxBreaks bounds how many breaks of one segment are told one by one.
const maxBreaks = 100

// scanSegment reads a segment whose first record must have the sequence number
// next and follow prev, and calls visit for each record that does. After a
// break it goes on with the record found, so that one edited line does not
// condemn those after it; a segment with a break is never trusted.
func (s *sealer) scanSegment(r io.Reader, file string, next uint64, prev string, visit func(scanned) error) (segmentScan, error) {
	scan := segmentScan{next: next, prev: prev}
	in := bufio.NewReaderSize(r, 256<<10)
	var pos int64
	for {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			scan.torn = int64(len(line))
			scan.breaks = settle(scan.breaks)
			return scan, nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return scan, fmt.Errorf("reading %s: %w", file, err)
		}
		offset := pos
		pos += int64(len(line))
		if errors.Is(err, errLongLine) {
			n, skipErr := skipLine(in)
			pos += n
			if skipErr != nil {
				scan.torn = pos - offset
				scan.breaks = settle(scan.breaks)
				return scan, nil
			}
			line = []byte("\n")
		}
		scan.lines++
		scan.whole = pos
		text := bytes.TrimSuffix(line, []byte("\n"))
		env, flaw := s.place(text, &scan)
		if flaw != nil {
			flaw.File, flaw.Line = file, scan.lines
			if len(scan.breaks) < maxBreaks {
				scan.breaks = append(scan.breaks, *flaw)
			}
		}
		if flaw != nil || !scan.intact() {
			continue
		}
		scan.good = pos
		if visit != nil {
			if err := visit(scanned{env, offset, text}); err != nil {
				return scan, err
			}
		}
	}
}

// place judges one line against what is expected and moves the expectation on.
func (s *sealer) place(text []byte, scan *segmentScan) (envelope, *Break) {
	env, err := parseEnvelope(text)
	if err != nil {
		return env, &Break{Seq: scan.next, Flaw: Foreign, Detail: err.Error()}
	}
	want := scan.next
	if env.key != s.keyID {
		return env, &Break{Seq: env.seq, Flaw: Foreign, Detail: fmt.Sprintf("record %d was made with another key", env.seq)}
	}
	if !s.authentic(text, env) {
		// Its numbers cannot be believed: it stands for the record expected
		// here, and what follows may name any predecessor.
		scan.next, scan.prev = want+1, ""
		return env, &Break{Seq: want, Flaw: Edited, Detail: fmt.Sprintf("record %d was edited: its text does not match its mac", want)}
	}
	switch {
	case env.seq < want:
		return env, &Break{Seq: env.seq, Flaw: Copied, Detail: fmt.Sprintf("record %d stands where record %d belongs", env.seq, want)}
	case env.seq > want:
		scan.next, scan.prev = env.seq+1, env.mac
		return env, &Break{Seq: want, Flaw: Removed, Detail: missing(want, env.seq-1), missing: env.seq - want}
	case scan.prev != "" && env.prev != scan.prev:
		scan.next, scan.prev = env.seq+1, env.mac
		return env, &Break{Seq: env.seq, Flaw: Unlinked, Detail: fmt.Sprintf("record %d does not follow the record before it", env.seq)}
	}
	scan.next, scan.prev = env.seq+1, env.mac
	return env, nil
}

// settle renames breaks that only together show what was done: a record that
// is missing here and stands further down was moved, and a line that is no
// record in the place of exactly one was edited beyond recognition.
func settle(breaks []Break) []Break {
	moved := map[uint64]bool{}
	for _, b := range breaks {
		if b.Flaw == Copied {
			moved[b.Seq] = true
		}
	}
	var out []Break
	for i, b := range breaks {
		switch {
		case b.Flaw == Removed && moved[b.Seq]:
			b.Flaw = Reordered
			b.Detail = fmt.Sprintf("record %d stands further down: the order was changed", b.Seq)
		case b.Flaw == Removed && i > 0 && breaks[i-1].garbled() && breaks[i-1].Line == b.Line-1 && b.missing == 1:
			out[len(out)-1].Flaw = Edited
			out[len(out)-1].Detail = fmt.Sprintf("record %d was edited: the line is no record any more", b.Seq)
			continue
		}
		out = append(out, b)
	}
	return out
}

// garbled reports whether the line had not even the form of a record.
func (b *Break) garbled() bool { return b.Flaw == Foreign && b.Detail == errNotARecord.Error() }

func missing(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("record %d is missing", from)
	}
	return fmt.Sprintf("records %d to %d are missing", from, to)
}

var errLongLine = errors.New("line too long")

// readLine returns the next line with its newline, io.EOF with what stands
// after the last newline, or errLongLine with the part read.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	full := bytes.Clone(line)
	for len(full) <= maxLine {
		line, err = in.ReadSlice('\n')
		full = append(full, line...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return full, err
		}
	}
	return full, errLongLine
}

func skipLine(in *bufio.Reader) (int64, error) {
	var n int64
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}
