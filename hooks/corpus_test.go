package hooks

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/pi-guard/pi-guard/profiles"
)

// corpusFile holds labelled command lines beside the checkout; it is not part
// of the repository.
const corpusFile = "../../shared/corpus/visible.jsonl"

// TestLabelledLines holds the labels: in mode build, without containment, what
// is benign passes in silence and everything else is at least asked about.
func TestLabelledLines(t *testing.T) {
	f, err := os.Open(corpusFile)
	if err != nil {
		t.Skip("no labelled lines beside the checkout")
	}
	defer f.Close()
	judge, err := NewJudge(JudgeOptions{Project: "/proj", Home: "/home/u", Mode: "build"})
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ ID, Class, Cmd, Why string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		input, err := json.Marshal(map[string]string{"command": line.Cmd})
		if err != nil {
			t.Fatal(err)
		}
		d := judge.Decide(Call{Tool: "bash", Input: input})
		if benign := line.Class == "benign"; benign != (d.Action == profiles.Allow) {
			t.Errorf("%s %s %q: %s by %s %s (%s); it is: %s", line.ID, line.Class, line.Cmd, d.Action, d.Layer, d.Rule, d.Reason, line.Why)
		}
	}
}
