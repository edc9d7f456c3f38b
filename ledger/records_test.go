package ledger

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Records come newest first over all segments, without what was not written
// with the key, and stop when no more are wanted.
func TestRecords(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.SegmentBytes = 600 })
	seqs := func(limit int) (got []uint64) {
		t.Helper()
		for r, err := range f.Records(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, r.Seq); len(got) == limit {
				break
			}
		}
		return got
	}
	if got := seqs(0); got != nil {
		t.Errorf("a ledger that was never used has the records %v", got)
	}
	for range 5 {
		if _, err := f.Observe(context.Background(), Observation{Cwd: f.project, Command: "ls", Source: FromAgent}); err != nil {
			t.Fatal(err)
		}
	}
	if got := seqs(0); !slices.Equal(got, []uint64{5, 4, 3, 2, 1}) {
		t.Errorf("the records are %v", got)
	}
	if got := seqs(2); !slices.Equal(got, []uint64{5, 4}) {
		t.Errorf("two records are %v", got)
	}
	live := filepath.Join(f.project, ".pi", "piagent-state", "observed-bash.jsonl")
	text, err := os.ReadFile(live)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(live, bytes.ReplaceAll(text, []byte(`"command":"ls"`), []byte(`"command":"cp"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := seqs(0); slices.Contains(got, 5) || !slices.Contains(got, 1) {
		t.Errorf("after the newest was edited the records are %v", got)
	}
}
