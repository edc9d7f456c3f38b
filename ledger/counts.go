package ledger

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed counts.json
var countsJSON []byte

// TestCounts is how many tests a runner said it ran (E13). go test without -v
// counts packages.
type TestCounts struct {
	Runner  string `json:"runner"`
	Passed  int    `json:"passed"`
	Failed  int    `json:"failed"`
	Skipped int    `json:"skipped"`
}

// Executed is how many tests came to a result.
func (c *TestCounts) Executed() int { return c.Passed + c.Failed }

// runner is how one program tells its counts.
type runner struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
	// Detect matches the output of this runner only.
	Detect string `json:"detect"`
	// Counts are added up; Otherwise are, when those find nothing.
	Counts    []countRule `json:"counts"`
	Otherwise []countRule `json:"otherwise"`
	// Last and First take only the last or first match of each rule: that
	// is the total.
	Last  bool `json:"last"`
	First bool `json:"first"`
	// Zero matches where the runner says that there was nothing to run.
	Zero  string            `json:"zero"`
	Match []json.RawMessage `json:"match"`
	Keep  []string          `json:"keep"`

	detect, zero *regexp.Regexp
}

// countRule adds to the counts for each match of a pattern: 1, or the number
// that the first group holds.
type countRule struct {
	Pattern string `json:"pattern"`
	Passed  any    `json:"passed"`
	Failed  any    `json:"failed"`
	Skipped any    `json:"skipped"`
	// LessPassed takes what is added off Passed: the runner tells a total.
	LessPassed bool `json:"lessPassed"`

	re *regexp.Regexp
}

var loadRunners = sync.OnceValue(func() []runner {
	var table struct {
		Runners []runner `json:"runners"`
	}
	if err := json.Unmarshal(countsJSON, &table); err != nil {
		panic(fmt.Sprintf("counts.json: %v", err)) // embedded: tests read it
	}
	for i := range table.Runners {
		r := &table.Runners[i]
		r.detect = regexp.MustCompile(r.Detect)
		if r.Zero != "" {
			r.zero = regexp.MustCompile(r.Zero)
		}
		for _, rules := range [][]countRule{r.Counts, r.Otherwise} {
			for j := range rules {
				rules[j].re = regexp.MustCompile(rules[j].Pattern)
			}
		}
	}
	return table.Runners
})

// maxCountText bounds how much output is searched: runners tell their counts
// at the end.
const maxCountText = 1 << 20

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// CountTests reads the counts that a test runner printed. Where several
// runners did, the counts are added and Runner names them all. ok is false
// when no runner is recognised, which says nothing about the tests.
func CountTests(output string) (counts TestCounts, ok bool) {
	if len(output) > maxCountText {
		output = output[len(output)-maxCountText:]
	}
	if strings.Contains(output, "\x1b") {
		output = ansi.ReplaceAllString(output, "")
	}
	output = strings.ReplaceAll(output, "\r\n", "\n")
	var names []string
	runners := loadRunners()
	for i := range runners {
		r := &runners[i]
		if !r.detect.MatchString(output) || r.shadowed(names) {
			continue
		}
		c := r.count(output)
		if c == (TestCounts{}) && r.zero == nil && !r.toldNumbers(output) {
			continue
		}
		names = append(names, r.Name)
		counts.Passed += c.Passed
		counts.Failed += c.Failed
		counts.Skipped += c.Skipped
	}
	counts.Runner = strings.Join(names, "+")
	return counts, len(names) > 0
}

// shadowed reports whether another runner's summary, already counted, is read
// by this one's patterns as well.
func (r *runner) shadowed(names []string) bool {
	switch r.Name {
	case "go":
		return slices.Contains(names, "go-json")
	case "tap":
		return len(names) > 0
	}
	return false
}

// toldNumbers reports whether any rule matched, if only with a zero.
func (r *runner) toldNumbers(output string) bool {
	return slices.ContainsFunc(r.Counts, func(rule countRule) bool { return rule.re.MatchString(output) })
}

func (r *runner) count(output string) TestCounts {
	if r.Name == "go-json" {
		return countGoEvents(output)
	}
	c := r.apply(r.Counts, output)
	if c == (TestCounts{}) {
		c = r.apply(r.Otherwise, output)
	}
	return c
}

func (r *runner) apply(rules []countRule, output string) TestCounts {
	var c TestCounts
	for i := range rules {
		rule := &rules[i]
		matches := rule.re.FindAllStringSubmatch(output, -1)
		if r.Last && len(matches) > 0 {
			matches = matches[len(matches)-1:]
		}
		if r.First && len(matches) > 0 {
			matches = matches[:1]
		}
		for _, m := range matches {
			failed, skipped := amount(rule.Failed, m), amount(rule.Skipped, m)
			c.Passed += amount(rule.Passed, m)
			c.Failed += failed
			c.Skipped += skipped
			if rule.LessPassed {
				c.Passed -= failed + skipped
			}
		}
	}
	c.Passed = max(c.Passed, 0)
	return c
}

// amount is what a rule adds for a match: nothing, 1, or the first group.
func amount(rule any, m []string) int {
	switch rule.(type) {
	case nil:
		return 0
	case string:
		n, _ := strconv.Atoi(m[1]) // the patterns match digits only
		return n
	}
	return 1
}

// countGoEvents counts the events of go test -json. A test that has subtests
// counts as one more, as with -v.
func countGoEvents(output string) TestCounts {
	var c TestCounts
	for line := range strings.Lines(output) {
		var event struct{ Action, Test string }
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &event) != nil || event.Test == "" {
			continue
		}
		switch event.Action {
		case "pass":
			c.Passed++
		case "fail":
			c.Failed++
		case "skip":
			c.Skipped++
		}
	}
	return c
}
