package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/sys/unix"
)

// segment is a sealed part of a chain, as it is remembered outside the project.
type segment struct {
	Number int    `json:"number"`
	First  uint64 `json:"first"` // sequence number of its first record
	Last   uint64 `json:"last"`
	Prev   string `json:"prevMac"` // mac of the record before First
	MAC    string `json:"lastMac"`
	Stamp  stamp  `json:"stamp"`
	// Broken says why the segment is not trusted; "" when it is whole.
	Broken string `json:"broken,omitempty"`
	// Pruned is true when it was removed because of its age.
	Pruned bool `json:"pruned,omitempty"`
}

// rotate seals the live segment under its number and begins a new one. The
// chain goes on: the first record of the new one follows the last of the old.
func (c *chain) rotate(h *head, live *os.File, broken string) (*os.File, error) {
	for c.taken(h.Segment) {
		h.Segment++
	}
	if err := c.dir.rename(c.name, c.segmentName(h.Segment)); err != nil {
		return nil, err
	}
	if err := c.sealed(h, live, broken); err != nil {
		return nil, err
	}
	return c.create(h)
}

// sealed writes down a segment that has just been renamed.
func (c *chain) sealed(h *head, file *os.File, broken string) error {
	s, err := stampOf(file)
	if err != nil {
		return err
	}
	err = c.logSegment(segment{
		Number: h.Segment, First: h.SegFirst, Last: h.Seq, Prev: h.SegPrev, MAC: h.MAC, Stamp: s, Broken: broken,
	})
	if err != nil {
		return err
	}
	sealed := h.Segment
	h.nextSegment()
	if err := c.head.write(h); err != nil {
		return err
	}
	if c.keep > 0 || c.age > 0 {
		return c.prune(sealed, s.MTime)
	}
	return nil
}

// taken reports whether a segment of that number exists, which only happens
// when someone made it by hand: it is left alone.
func (c *chain) taken(n int) bool {
	f, err := c.dir.openFile(c.segmentName(n), os.O_RDONLY)
	if err == nil {
		f.Close()
	}
	return !errors.Is(err, fs.ErrNotExist)
}

// finishRotation completes a rotation that was cut short after the rename.
func (c *chain) finishRotation(h *head) (bool, error) {
	f, err := c.dir.openFile(c.segmentName(h.Segment), os.O_RDONLY)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	s, err := stampOf(f)
	if err != nil || s.Ino != h.Stamp.Ino || s.Size != h.Stamp.Size || s.MTime != h.Stamp.MTime {
		return false, nil
	}
	return true, c.sealed(h, f, "")
}

// prune removes sealed segments that are too many or too old when segment
// last is sealed, remembering where the chain then begins.
func (c *chain) prune(last int, nowNano int64) error {
	segments, err := c.segments()
	if err != nil {
		return err
	}
	for _, s := range segments {
		many := c.keep > 0 && s.Number <= last-c.keep
		old := c.age > 0 && s.Stamp.MTime < nowNano-int64(c.age)
		if s.Pruned || !many && !old {
			continue
		}
		if err := c.dir.remove(c.segmentName(s.Number)); err != nil {
			return err
		}
		s.Pruned = true
		if err := c.logSegment(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *chain) segmentsPath() string { return filepath.Join(c.aux, c.name+".segments") }

// logSegment adds a line on a segment; the last line on a number holds.
func (c *chain) logSegment(s segment) error {
	s.Broken = plain(s.Broken)
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the ledger's segments: %w", err)
	}
	body := text[:len(text)-1]
	line := append([]byte(nil), body...)
	line = append(line, macField...)
	line = append(line, c.head.seal.sign(body)...)
	line = append(line, "\"}\n"...)
	f, err := os.OpenFile(c.segmentsPath(), os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, fileMode)
	if err != nil {
		return fmt.Errorf("writing the ledger's segments: %w", err)
	}
	_, err = f.Write(line)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("writing the ledger's segments: %w", err)
	}
	return nil
}

// segments lists the sealed segments by number. Lines that are not authentic
// are passed over: the segment they spoke of then shows as missing.
func (c *chain) segments() ([]segment, error) {
	text, err := os.ReadFile(c.segmentsPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the ledger's segments: %w", err)
	}
	byNumber := map[int]segment{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) < macTail {
			continue
		}
		body, tail := line[:len(line)-macTail], line[len(line)-macTail:]
		var s segment
		if string(c.head.seal.sign([]byte(body))) == tail[len(macField):len(macField)+macHex] && json.Unmarshal([]byte(line), &s) == nil {
			byNumber[s.Number] = s
		}
	}
	out := make([]segment, 0, len(byNumber))
	for _, s := range byNumber {
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Number < out[j].Number })
	return out, nil
}
