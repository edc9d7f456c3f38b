package profiles

import (
	"fmt"
	"strings"
)

// Severity says what a Diagnostic costs.
type Severity string

// The severities.
const (
	// Broken means that the file could not be used as written; the policy is
	// stricter than it says until it is mended.
	Broken Severity = "error"
	// Warned means that one entry was ignored or looks like a mistake.
	Warned Severity = "warning"
)

// Diagnostic is one finding about a configuration file (spec row P3): where it
// is, what is wrong, and what to write.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	// Line and Column count from 1; 0 when the file as a whole is meant.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Key is the path of keys that leads to the place, such as
	// modes.build.permission.bash.
	Key     string `json:"key,omitempty"`
	Problem string `json:"problem"`
	// Fix is what to write instead, as one sentence.
	Fix string `json:"fix,omitempty"`
}

// String renders the finding as file:line:column: severity: key: problem. Fix.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.File)
	if d.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", d.Line, d.Column)
	}
	fmt.Fprintf(&b, ": %s: ", d.Severity)
	if d.Key != "" {
		b.WriteString(d.Key + ": ")
	}
	b.WriteString(d.Problem)
	if d.Fix != "" {
		b.WriteString(". " + d.Fix)
	}
	return b.String()
}

// nearest is the candidate that text is most likely a misspelling of, "" when
// none is near: at most a third of its letters differ.
func nearest(text string, candidates []string) string {
	best, bestDistance := "", len(text)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(text), strings.ToLower(c)); d < bestDistance || d == bestDistance && best == "" {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance counts the insertions, removals, changes and swaps of neighbours
// between two words.
func distance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
