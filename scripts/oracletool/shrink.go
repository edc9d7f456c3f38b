package main

import (
	"context"
	"iter"
	"slices"
)

// shrinkTries bounds how many smaller lines are tried for one finding, for
// each of the two ways.
const shrinkTries = 600

// shrinker makes a line smaller while the analysis is still wrong about it in
// the same way.
type shrinker struct {
	worker *worker
	only   string
	tries  int
}

// shrink returns the smallest line it found for a finding of kind. It removes
// decisions first, which keeps a line that is fixed by itself known as such,
// and then characters.
func (s *shrinker) shrink(ctx context.Context, out outcome, kind findingKind) outcome {
	best := out
	if len(out.Choices) > 0 {
		best = s.descend(ctx, best, kind, s.fewerChoices)
	}
	if kind.miss() {
		best = s.descend(ctx, best, kind, shorterTexts)
	}
	return best
}

// descend goes from line to smaller line until none of the smaller ones fails.
func (s *shrinker) descend(ctx context.Context, best outcome, kind findingKind, smaller func(outcome) iter.Seq[sample]) outcome {
	s.tries = shrinkTries
	for {
		found, ok := s.first(ctx, smaller(best), kind)
		if !ok {
			return best
		}
		found.Number = best.Number
		best = found
	}
}

// first judges candidates in batches and returns the first that fails so.
func (s *shrinker) first(ctx context.Context, candidates iter.Seq[sample], kind findingKind) (outcome, bool) {
	var batch []outcome
	judge := func() (outcome, bool) {
		s.tries -= len(batch)
		defer func() { batch = nil }()
		if err := s.worker.judge(ctx, batch); err != nil {
			return outcome{}, false
		}
		i := slices.IndexFunc(batch, func(out outcome) bool { return out.has(kind) })
		if i < 0 {
			return outcome{}, false
		}
		return batch[i], true
	}
	for candidate := range candidates {
		if s.tries <= 0 {
			return outcome{}, false
		}
		if !s.hopeful(candidate, kind) {
			continue
		}
		batch = append(batch, outcome{sample: candidate})
		if len(batch) == batchSize/4 {
			if out, ok := judge(); ok {
				return out, true
			}
		}
	}
	return judge()
}

// hopeful reports whether what the analysis says of candidate can be wrong in
// the way kind says: it alone is much faster than bash.
func (s *shrinker) hopeful(candidate sample, kind findingKind) bool {
	c, found := s.worker.claim(candidate.Line)
	switch kind {
	case crash:
		return len(found) > 0
	case overAsk:
		return c.Unresolved
	}
	return len(found) == 0 && !c.Unresolved
}

// fewerChoices are the lines made from some of the decisions of out, or from
// simpler ones.
func (s *shrinker) fewerChoices(out outcome) iter.Seq[sample] {
	return func(yield func(sample) bool) {
		seen := map[string]bool{}
		offer := func(given []int) bool {
			made := makeLine(s.worker.oracle.grammar, replayed(given), s.only)
			if len(made.Line) > len(out.Line) || made.Line == out.Line || seen[made.Line] {
				return true
			}
			seen[made.Line] = true
			return yield(made)
		}
		for size := len(out.Choices) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(out.Choices); at++ {
				if !offer(slices.Delete(slices.Clone(out.Choices), at, at+size)) {
					return
				}
			}
		}
		for at, choice := range out.Choices {
			if choice == 0 {
				continue
			}
			simpler := slices.Clone(out.Choices)
			simpler[at] = 0
			if !offer(simpler) {
				return
			}
		}
	}
}

// shorterTexts are the texts left when characters are taken from the line of
// out.
func shorterTexts(out outcome) iter.Seq[sample] {
	return func(yield func(sample) bool) {
		for _, texts := range []iter.Seq[string]{runsTaken(out.Line), surroundingsTaken(out.Line)} {
			for text := range texts {
				candidate := out.sample
				candidate.Line, candidate.Fixed, candidate.Choices = text, false, nil
				if text != "" && !yield(candidate) {
					return
				}
			}
		}
	}
}

// runsTaken are the texts left when one run of characters is taken from line,
// the longest first.
func runsTaken(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for size := len(line) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(line); at += max(1, size/2) {
				if !yield(line[:at] + line[at+size:]) {
					return
				}
			}
		}
	}
}

// surroundingsTaken are the texts left when what stands around a part of line
// is taken: quotes, brackets, a reserved word and the one that closes it.
func surroundingsTaken(line string) iter.Seq[string] {
	longest := 16
	if len(line) > 24 {
		longest = 2
	}
	return func(yield func(string) bool) {
		for front := longest; front > 0; front-- {
			for back := longest; back > 0; back-- {
				for text := range aroundTaken(line, front, back) {
					if !yield(text) {
						return
					}
				}
			}
		}
	}
}

// aroundTaken are the texts left when front characters are taken before some
// part of line and back characters after it.
func aroundTaken(line string, front, back int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at+front < len(line); at++ {
			for end := at + front + 1; end+back <= len(line); end++ {
				if !yield(line[:at] + line[at+front:end] + line[end+back:]) {
					return
				}
			}
		}
	}
}
