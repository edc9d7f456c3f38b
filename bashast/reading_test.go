package bashast

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// readLines decodes the lines of a file of testdata.
func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []T
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var row T
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v in %s", name, err, s.Text())
		}
		rows = append(rows, row)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Valid lines without any of the blind spots are read without a problem (B18).
func TestReadOrdinaryLines(t *testing.T) {
	type row struct{ Line string }
	for _, r := range readLines[row](t, "ordinary.jsonl") {
		if got := read(r.Line); len(got.problems) > 0 {
			t.Errorf("%q: %v", r.Line, got.problems)
		}
	}
}
