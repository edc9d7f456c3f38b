package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// keptExamples bounds the outcomes of one group that are kept, smallest first.
const keptExamples = 3

// report gathers the outcomes of a run.
type report struct {
	Lines, Starts, Changes, TimedOut int
	// Fixed are the lines whose behaviour the line alone decides and that bash
	// did not complain of. OverAsked of them were called unresolved.
	Fixed, OverAsked int
	// Unresolved are all lines that the analysis called so.
	Unresolved int
	// MissLines are the lines with a miss.
	MissLines int
	// Blurred are fixed lines that were resolved but for a word. Idle are
	// lines with a listed command that was not started.
	Blurred, Idle int
	Slowest       outcome
	Constructs    map[string]*tally
	groups        map[string]*group
}

// tally counts the lines that a construct is part of.
type tally struct{ Lines, Fixed, OverAsked, Missed int }

// group is the outcomes that seem to have one cause.
type group struct {
	Kind     findingKind
	Count    int
	Examples []outcome
}

func newReport() *report {
	return &report{Constructs: map[string]*tally{}, groups: map[string]*group{}}
}

// add counts an outcome.
func (r *report) add(out outcome) {
	fixed := out.Fixed && !complained(out.Observed)
	r.Lines++
	r.Starts += len(out.Observed.Starts)
	r.Changes += len(out.Observed.Changes)
	r.TimedOut += count(out.Observed.TimedOut)
	r.Fixed += count(fixed)
	r.Unresolved += count(out.Claim.Unresolved)
	r.OverAsked += count(out.has(overAsk))
	r.MissLines += count(out.missed())
	r.Blurred += count(out.has(blur))
	r.Idle += count(out.has(idle))
	if out.Took > r.Slowest.Took {
		r.Slowest = out
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(out.Path))) {
		t := r.Constructs[name]
		if t == nil {
			t = &tally{}
			r.Constructs[name] = t
		}
		t.Lines++
		t.Fixed += count(fixed)
		t.OverAsked += count(out.has(overAsk))
		t.Missed += count(out.missed())
	}
	for _, f := range out.Findings {
		if f.Kind.miss() || f.Kind == overAsk {
			r.keep(out, f)
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// keep puts out into the group of f. Misses are told apart by the way the line
// begins and ends, over-asking by its reason.
func (r *report) keep(out outcome, f finding) {
	key := string(f.Kind) + " " + shape(f.What)
	if f.Kind.miss() && f.Kind != crash && len(out.Ways) > 0 {
		key = string(f.Kind) + " " + out.Ways[0] + " " + out.Ways[len(out.Ways)-1]
	}
	g := r.groups[key]
	if g == nil {
		g = &group{Kind: f.Kind}
		r.groups[key] = g
	}
	g.Count++
	if len(g.Examples) == keptExamples && len(out.Line) >= len(g.Examples[keptExamples-1].Line) {
		return
	}
	g.Examples = append(g.Examples, out)
	slices.SortStableFunc(g.Examples, func(a, b outcome) int { return cmp.Compare(len(a.Line), len(b.Line)) })
	g.Examples = g.Examples[:min(len(g.Examples), keptExamples)]
}

// names and numbers are what a shape leaves out of a line.
var (
	names   = regexp.MustCompile(`\b(X|Y|Z|W|` + strings.Join(slices.Sorted(slices.Values(stubWords())), "|") + `)\b`)
	numbers = regexp.MustCompile(`\d+`)
)

func stubWords() []string {
	return slices.DeleteFunc(stubNames(), func(n string) bool { return strings.ContainsAny(n, "[].+") || len(n) < 2 })
}

// shape is what lines of one kind have in common.
func shape(line string) string {
	return numbers.ReplaceAllString(names.ReplaceAllString(line, "X"), "1")
}

// byKind lists the groups, the promise's first, the largest first.
func (r *report) byKind() []*group {
	return slices.SortedFunc(maps.Values(r.groups), func(a, b *group) int {
		return cmp.Or(cmp.Compare(count(b.Kind.miss()), count(a.Kind.miss())), -cmp.Compare(a.Count, b.Count),
			strings.Compare(a.Examples[0].Line, b.Examples[0].Line))
	})
}

// merge joins groups whose first examples have become lines of one shape.
func merge(groups []*group) []*group {
	seen := map[string]*group{}
	var merged []*group
	for _, g := range groups {
		key := string(g.Kind) + " " + shape(g.Examples[0].Line)
		if into := seen[key]; into != nil {
			into.Count += g.Count
			continue
		}
		seen[key] = g
		merged = append(merged, g)
	}
	return merged
}

// overAsking is the share of the fixed lines that were called unresolved.
func (r *report) overAsking() float64 {
	if r.Fixed == 0 {
		return 0
	}
	return float64(r.OverAsked) / float64(r.Fixed)
}

// summary tells the numbers.
func (r *report) summary(w io.Writer) {
	fmt.Fprintf(w, "%d lines: %d programs started, %d paths changed, %d lines ended at a limit\n", r.Lines, r.Starts, r.Changes, r.TimedOut)
	fmt.Fprintf(w, "misses: %d lines\n", r.MissLines)
	fmt.Fprintf(w, "over-asking: %d of %d fixed lines (%.2f %%); unresolved: %d of all\n", r.OverAsked, r.Fixed, 100*r.overAsking(), r.Unresolved)
	fmt.Fprintf(w, "blurred: %d fixed lines with a word that is not known; idle: %d lines with a command that was not started\n", r.Blurred, r.Idle)
	fmt.Fprintf(w, "slowest analysis: %s for %d bytes\n", r.Slowest.Took.Round(10*time.Microsecond), len(r.Slowest.Line))
}

// constructs tells the numbers of each construct that something is wrong with.
func (r *report) constructs(w io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(r.Constructs)) {
		t := r.Constructs[name]
		if t.Missed > 0 || t.OverAsked > 0 {
			fmt.Fprintf(w, "%-24s %6d lines, %4d missed, over-asked %d of %d\n", name, t.Lines, t.Missed, t.OverAsked, t.Fixed)
		}
	}
}

// describe tells everything about one outcome that is to be mended.
func describe(w io.Writer, out outcome, kind findingKind) {
	fmt.Fprintf(w, "    line      %q\n", out.Line)
	for _, f := range out.Findings {
		if f.Kind == kind {
			fmt.Fprintf(w, "    %-9s %s\n", f.Kind, f.What)
		}
	}
	for _, s := range distinct(out.Observed.Starts) {
		fmt.Fprintf(w, "    bash      %s\n", s)
	}
	for _, c := range out.Observed.Changes {
		fmt.Fprintf(w, "    bash      %s %s\n", c.Kind, c.Path)
	}
	if out.Observed.Said != "" && kind.miss() {
		fmt.Fprintf(w, "    bash said %q\n", out.Observed.Said)
	}
	for _, c := range out.Claim.Commands {
		fmt.Fprintf(w, "    analysis  %s\n", c)
	}
	for _, c := range out.Claim.Writes {
		fmt.Fprintf(w, "    analysis  writes %s\n", c.Target)
	}
	for _, reason := range out.Claim.Reasons {
		fmt.Fprintf(w, "    analysis  unresolved: %s\n", reason)
	}
	if out.Output != "" || out.Status != 0 {
		fmt.Fprintf(w, "    stubs     print %q, exit %d\n", out.Output, out.Status)
	}
}
