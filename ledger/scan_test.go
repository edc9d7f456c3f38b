package ledger

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzReadRecords feeds the reader of a segment with anything. It must never
// take for intact what was not sealed with the key.
func FuzzReadRecords(f *testing.F) {
	seal := newSealer([]byte("key"))
	one, mac := seal.seal(1, genesis, []byte(`{"kind":"bash","commandHash":""}`))
	two, _ := seal.seal(2, mac, []byte(`{"kind":"bash","commandHash":""}`))
	whole := append(bytes.Clone(one), two...)
	f.Add(whole)
	f.Add(two)
	f.Add(whole[:len(whole)-1])
	f.Add(append(bytes.Clone(two), one...))
	f.Add([]byte(strings.Repeat("x", maxLine+10) + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for line := range bytes.Lines(text) {
			_, _ = ParseRecord(bytes.TrimSuffix(line, []byte("\n")))
		}
		scan, err := newSealer([]byte("key")).scanSegment(bytes.NewReader(text), "f", 1, genesis, nil)
		if err != nil {
			t.Fatal(err)
		}
		if scan.whole+scan.torn != int64(len(text)) {
			t.Errorf("%d bytes in lines and %d after them make not %d", scan.whole, scan.torn, len(text))
		}
		if scan.intact() && !bytes.HasPrefix(whole, text[:scan.whole]) {
			t.Errorf("%q is taken for records", text[:scan.whole])
		}
	})
}
