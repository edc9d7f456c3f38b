package ledger

import (
	"encoding/json"
	"testing"
)

// TestE13CountExamples runs the examples of every runner.
func TestE13CountExamples(t *testing.T) {
	for _, r := range loadRunners() {
		t.Run(r.Name, func(t *testing.T) {
			if r.Reason == "" || len(r.Match) == 0 || len(r.Keep) == 0 {
				t.Error("the row lacks a reason or examples")
			}
			for _, raw := range r.Match {
				var ex []json.RawMessage
				var output string
				var want TestCounts
				if err := json.Unmarshal(raw, &ex); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(ex[0], &output); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(ex[1], &want); err != nil {
					t.Fatal(err)
				}
				want.Runner = r.Name
				if got, ok := CountTests(output); got != want || !ok {
					t.Errorf("CountTests(%q) = %+v, %v; want %+v", output, got, ok, want)
				}
			}
			for _, keep := range r.Keep {
				if got, ok := CountTests(keep); ok {
					t.Errorf("CountTests(%q) = %+v; want nothing recognised", keep, got)
				}
			}
		})
	}
}

func FuzzCountTests(f *testing.F) {
	for _, r := range loadRunners() {
		for _, raw := range r.Match {
			var ex []json.RawMessage
			var output string
			_ = json.Unmarshal(raw, &ex)
			_ = json.Unmarshal(ex[0], &output)
			f.Add(output)
		}
	}
	f.Fuzz(func(t *testing.T, output string) {
		if c, ok := CountTests(output); c.Passed < 0 || c.Failed < 0 || c.Skipped < 0 || ok == (c.Runner == "") {
			t.Errorf("CountTests(%q) = %+v, %v", output, c, ok)
		}
	})
}
