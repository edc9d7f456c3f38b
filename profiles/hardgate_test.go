package profiles

import (
	"encoding/json"
	"path"
	"slices"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// gateRow is a row with the examples that the matcher itself has no use for.
type gateRow struct {
	gateRule
	Match []string `json:"match"`
	Pass  []string `json:"pass"`
}

func readGateRows(t *testing.T) []gateRow {
	t.Helper()
	var table struct {
		Rules []gateRow `json:"rules"`
	}
	if err := json.Unmarshal(hardGateData, &table); err != nil {
		t.Fatal(err)
	}
	return table.Rules
}

func analyzeInProj(line string) *bashast.Program {
	return bashast.Analyze(line, bashast.Env{Dir: "/proj", Project: "/proj", Home: "/home/u"})
}

func lexically(p string) paths.Resolved {
	p = path.Clean(p)
	return paths.Resolved{Raw: p, Lexical: p, Canonical: p}
}

func gatesOf(t *testing.T, line string) []string {
	t.Helper()
	gates, err := loadGates()
	if err != nil {
		t.Fatal(err)
	}
	program := analyzeInProj(line)
	var ids []string
	for i := range program.Commands {
		for _, r := range gates.gateCommand(&program.Commands[i]) {
			ids = append(ids, r.ID)
		}
	}
	for _, f := range ProgramPaths(program, lexically) {
		for _, r := range gates.gateEffect(f.Effect, f.Lexical) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// TestHardGateExamples runs the examples that stand beside each row (B10).
func TestHardGateExamples(t *testing.T) {
	for _, row := range readGateRows(t) {
		t.Run(row.ID, func(t *testing.T) {
			for _, line := range row.Match {
				if !slices.Contains(gatesOf(t, line), row.ID) {
					t.Errorf("%q should match", line)
				}
			}
			for _, line := range row.Pass {
				if slices.Contains(gatesOf(t, line), row.ID) {
					t.Errorf("%q should not match", line)
				}
			}
		})
	}
}

// TestHardGateRowsAreComplete holds every row to what the table promises: a
// reason, a safer way, examples both ways, an id of its own.
func TestHardGateRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range readGateRows(t) {
		if seen[row.ID] {
			t.Errorf("%s: the id is used twice", row.ID)
		}
		seen[row.ID] = true
		if row.Category == "" || row.Reason == "" || row.Safer == "" {
			t.Errorf("%s: category, reason and safer must be written", row.ID)
		}
		if len(row.Match) == 0 || len(row.Pass) == 0 {
			t.Errorf("%s: needs an example that matches and one that does not", row.ID)
		}
		if len(row.Command) == 0 && len(row.Effect) == 0 {
			t.Errorf("%s: names neither commands nor effects", row.ID)
		}
	}
}

func TestGlobMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true},
		{"a", "ab", false},
		{"*", "", true},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"a*c", "abc", true},
		{"a*c", "abd", false},
		{"*b*", "abc", true},
		{"ab*bc", "abc", false},
		{"*/.ssh/*", "/home/u/.ssh/id", true},
		{"/dev/sd*", "/dev/null", false},
	} {
		if got := globMatch(c.pattern, c.text); got != c.want {
			t.Errorf("globMatch(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestArgumentIs(t *testing.T) {
	for _, c := range []struct {
		text, want string
		is         bool
	}{
		{"-f", "-f", true},
		{"-rf", "-f", true},
		{"--force", "-f", false},
		{"--force=true", "--force", true},
		{"--forc", "--force", true},
		{"--fo", "--force", false},
		{"--force-with-lease", "--force", false},
		{"+HEAD:main", "+*", true},
		{"-", "-f", false},
		{"x-f", "-f", false},
	} {
		if got := argumentIs(c.text, c.want); got != c.is {
			t.Errorf("argumentIs(%q, %q) = %v", c.text, c.want, got)
		}
	}
}
