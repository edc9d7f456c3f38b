package profiles

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestOrdinaryExamples runs the examples beside the rows of ordinary commands.
func TestOrdinaryExamples(t *testing.T) {
	var file struct {
		Rows []struct {
			Commands    []string
			Reason      string
			Match, Pass []string
		}
	}
	if err := json.Unmarshal(ordinaryData, &file); err != nil {
		t.Fatal(err)
	}
	table, err := loadOrdinary()
	if err != nil {
		t.Fatal(err)
	}
	gates, err := loadGates()
	if err != nil {
		t.Fatal(err)
	}
	holds := func(line string) bool {
		program := analyzeInProj(line)
		return len(program.Commands) > 0 && table.holds(&program.Commands[0], gates, false)
	}
	for _, row := range file.Rows {
		if row.Reason == "" || len(row.Match) == 0 || len(row.Pass) == 0 {
			t.Errorf("%v: needs a reason and examples both ways", row.Commands)
		}
		for _, line := range row.Match {
			if !holds(line) {
				t.Errorf("%q should be ordinary: %s", line, row.Reason)
			}
		}
		for _, line := range row.Pass {
			if holds(line) {
				t.Errorf("%q should not be ordinary", line)
			}
		}
		for _, command := range row.Commands {
			if n := len(strings.Fields(command)); n > maxOrdinaryWords {
				t.Errorf("%q has %d words, more than are looked at", command, n)
			}
		}
	}
}
