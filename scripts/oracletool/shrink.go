package main

import (
	"context"
	"slices"
)

// shrinkTries bounds how many smaller lines are tried for one finding.
const shrinkTries = 600

// shrinker makes a line smaller while the analysis is still wrong about it in
// the same way.
type shrinker struct {
	worker *worker
	only   string
	tries  int
}

// shrink returns the smallest line it found for the first finding of kind. It
// removes decisions first, which keeps a line that is fixed by itself known
// as such, and then characters.
func (s *shrinker) shrink(ctx context.Context, out outcome, kind findingKind) outcome {
	s.tries = shrinkTries
	best := out
	if len(out.Choices) > 0 {
		best = s.byChoices(ctx, best, kind)
	}
	if kind.miss() {
		s.tries = max(s.tries, shrinkTries/2)
		best = s.byText(ctx, best, kind)
	}
	return best
}

// try judges a smaller sample and returns its outcome where it still fails.
func (s *shrinker) try(ctx context.Context, candidate sample, kind findingKind) (outcome, bool) {
	if s.tries--; s.tries < 0 || candidate.Line == "" {
		return outcome{}, false
	}
	batch := []outcome{{sample: candidate}}
	if err := s.worker.judge(ctx, batch); err != nil {
		return outcome{}, false
	}
	return batch[0], batch[0].has(kind)
}

func (s *shrinker) byChoices(ctx context.Context, best outcome, kind findingKind) outcome {
	attempt := func(given []int) bool {
		candidate := makeLine(s.worker.oracle.grammar, replayed(given), s.only)
		if len(candidate.Line) > len(best.Line) || candidate.Line == best.Line {
			return false
		}
		out, ok := s.try(ctx, candidate, kind)
		if ok {
			out.Number = best.Number
			best = out
		}
		return ok
	}
	for improved := true; improved && s.tries > 0; {
		improved = false
		for size := len(best.Choices) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(best.Choices); at++ {
				cut := slices.Delete(slices.Clone(best.Choices), at, at+size)
				if attempt(cut) {
					improved = true
				}
			}
		}
		for at := 0; at < len(best.Choices); at++ {
			if best.Choices[at] != 0 {
				lower := slices.Clone(best.Choices)
				lower[at] = 0
				improved = attempt(lower) || improved
			}
		}
	}
	return best
}

// byText removes runs of characters, longest first.
func (s *shrinker) byText(ctx context.Context, best outcome, kind findingKind) outcome {
	for improved := true; improved && s.tries > 0; {
		improved = false
		for size := len(best.Line) / 2; size > 0; size /= 2 {
			for at := 0; at+size <= len(best.Line); {
				candidate := best.sample
				candidate.Line = best.Line[:at] + best.Line[at+size:]
				candidate.Fixed, candidate.Choices = false, nil
				out, ok := s.try(ctx, candidate, kind)
				if !ok {
					at++
					continue
				}
				out.Number = best.Number
				best, improved = out, true
			}
		}
	}
	return best
}
