package main

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
)

const (
	// fixedSeed makes the lines that every run of the test shares.
	fixedSeed = 22
	// mostMissed is the share of lines that may be missed. The promise is
	// none; this holds what is reached, and is to be lowered with each mend.
	mostMissed = 0.02
	// mostOverAsked is the share of fixed lines that may be called unresolved.
	// The goal is 0.02, which is about where it stands; the rest is room for
	// the fresh seed.
	mostOverAsked = 0.03
)

func TestAnalysisAgreesWithBash(t *testing.T) {
	o := testOracle(t, nil)
	o.jobs = 2
	o.analyzer = func(context.Context) (analyzer, error) { return inProcess{analysisEnv(o.kit.root())}, nil }
	for _, run := range []struct {
		name string
		seed uint64
		n    int
	}{{"fixed seed", fixedSeed, 2000}, {"fresh seed", rand.Uint64() >> 16, 3000}} {
		t.Run(run.name, func(t *testing.T) {
			t.Logf("seed %d", run.seed)
			r := newReport()
			if err := o.run(t.Context(), o.generated(run.seed, run.n, ""), r.add); err != nil {
				t.Fatal(err)
			}
			r.summary(t.Output())
			if share := float64(r.MissLines) / float64(r.Lines); share > mostMissed {
				for _, g := range r.byKind() {
					if g.Kind.miss() {
						describe(os.Stdout, g.Examples[0], g.Kind)
					}
				}
				t.Errorf("%d of %d lines were missed (scripts/oracle --seed %d --n %d shows them)", r.MissLines, r.Lines, run.seed, run.n)
			}
			if r.overAsking() >= mostOverAsked {
				t.Errorf("%d of %d fixed lines were called unresolved", r.OverAsked, r.Fixed)
			}
			for _, g := range r.groups {
				if g.Kind == crash {
					t.Errorf("the analysis failed on %q", g.Examples[0].Line)
				}
			}
		})
	}
}
