package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
)

// schemaVersion is the version of every record this package writes (E1).
const schemaVersion = 1

// A chained file holds one JSON object a line:
//
//	{"schemaVersion":1,"seq":7,"key":"1f…","prev":"9a…",…payload…,"mac":"c4…"}
//
// The mac is the HMAC-SHA256 of the line up to `,"mac":`, byte for byte, so
// that no canonical form has to be agreed on. prev is the mac of the record
// before; key names the key without giving it away.
const (
	linePrefix = `{"schemaVersion":1,"seq":`
	macField   = `,"mac":"`
	macHex     = 2 * sha256.Size
	macTail    = len(macField) + macHex + len(`"}`)
	keyIDHex   = 16
)

// genesis stands for the record before the first.
const genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// sealer makes and checks the lines of one chain. It is not safe for
// concurrent use.
type sealer struct {
	mac   hash.Hash
	keyID string
	sum   [sha256.Size]byte
	hex   [macHex]byte
}

func newSealer(key []byte) *sealer {
	return &sealer{mac: hmac.New(sha256.New, key), keyID: keyed(key, "key id")[:keyIDHex]}
}

// sign is the mac of text in hexadecimal; the slice is valid until the next call.
func (s *sealer) sign(text []byte) []byte {
	s.mac.Reset()
	s.mac.Write(text)
	hex.Encode(s.hex[:], s.mac.Sum(s.sum[:0]))
	return s.hex[:]
}

// seal makes a line, newline included, of a payload that is a JSON object.
func (s *sealer) seal(seq uint64, prev string, payload []byte) (line []byte, mac string) {
	line = make([]byte, 0, len(payload)+256)
	line = append(line, linePrefix...)
	line = strconv.AppendUint(line, seq, 10)
	line = append(line, `,"key":"`...)
	line = append(line, s.keyID...)
	line = append(line, `","prev":"`...)
	line = append(line, prev...)
	line = append(line, '"')
	if body := bytes.TrimSpace(payload[1 : len(payload)-1]); len(body) > 0 {
		line = append(append(line, ','), body...)
	}
	mac = string(s.sign(line))
	line = append(line, macField...)
	line = append(line, mac...)
	return append(line, "\"}\n"...), mac
}

// envelope is the part of a line that the chain itself reads.
type envelope struct {
	seq       uint64
	key       string
	prev, mac string
}

// parseEnvelope reads a line without its newline. It checks the form only.
func parseEnvelope(line []byte) (envelope, error) {
	var e envelope
	rest, ok := bytes.CutPrefix(line, []byte(linePrefix))
	if !ok || len(line) < macTail {
		return e, errNotARecord
	}
	digits, rest, ok := bytes.Cut(rest, []byte(`,"key":"`))
	if !ok || len(rest) < keyIDHex+len(`","prev":"`)+macHex+macTail {
		return e, errNotARecord
	}
	seq, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil || seq == 0 || digits[0] == '0' {
		return e, errNotARecord
	}
	e.seq, e.key = seq, string(rest[:keyIDHex])
	rest, ok = bytes.CutPrefix(rest[keyIDHex:], []byte(`","prev":"`))
	if !ok {
		return e, errNotARecord
	}
	e.prev = string(rest[:macHex])
	tail := line[len(line)-macTail:]
	if !bytes.HasPrefix(tail, []byte(macField)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return e, errNotARecord
	}
	e.mac = string(tail[len(macField) : len(macField)+macHex])
	return e, nil
}

// authentic reports whether the line's mac is right under the sealer's key.
func (s *sealer) authentic(line []byte, e envelope) bool {
	return hmac.Equal(s.sign(line[:len(line)-macTail]), []byte(e.mac))
}

type lineError string

func (e lineError) Error() string { return string(e) }

const errNotARecord = lineError("the line is no record of this ledger")

// Flaw is the kind of damage that a broken record shows (E3).
type Flaw string

// The kinds of damage.
const (
	Edited    Flaw = "edited"      // the text is not what was recorded
	Removed   Flaw = "removed"     // records before it are missing
	Reordered Flaw = "reordered"   // it stands where another belongs
	Copied    Flaw = "copied"      // the same record stands elsewhere too
	Cut       Flaw = "cut"         // the last records are missing
	Foreign   Flaw = "foreign key" // made with another key, or by hand
	Replaced  Flaw = "replaced"    // the file is another file, or gone
	Unlinked  Flaw = "unlinked"    // authentic, but of another history of this chain
)

// Break is one place where a chain is broken.
type Break struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1; 0 for the file as a whole
	// Seq is the sequence number of the broken or first missing record.
	Seq  uint64 `json:"seq"`
	Flaw Flaw   `json:"flaw"`
	// Detail is one sentence for a person.
	Detail string `json:"detail"`
	// missing is how many records a Removed break lacks.
	missing uint64
}

// Error names the place and what is wrong with it.
func (b *Break) Error() string {
	if b.Line == 0 {
		return fmt.Sprintf("%s: %s", b.File, b.Detail)
	}
	return fmt.Sprintf("%s:%d: %s", b.File, b.Line, b.Detail)
}
