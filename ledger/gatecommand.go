package ledger

import (
	"context"
	"errors"
	"fmt"
)

// maxRunsLooked bounds how many runs of one command the gate looks at.
const maxRunsLooked = 200

// runs is what the gate has seen of one command.
type runs struct {
	// decisive is the newest run on the present content that tells; nil for
	// none.
	decisive *Record
	// failedToo is true when an older run on the present content failed.
	failedToo bool
	// unclear is the newest run on the present content that does not tell,
	// older the newest passing run on other content, untrusted one from
	// before the ledger was damaged, targeted one of a part.
	unclear, older, untrusted, targeted *Record
	// before is the passing run before the decisive one, whatever its content.
	before *Record
	// stale are the files in which older's content differs from the present.
	stale    []string
	staleGap string
}

// command judges one command by its runs.
func (g *gate) command(ctx context.Context, command string, st standing) error {
	seen, err := g.look(ctx, command)
	if err != nil {
		if errors.Is(err, errTampered) {
			g.missing(command, Reason{Code: "ledger-broken", Text: err.Error(), Remedy: "run it again: what was recorded before does not count any more"})
			return nil
		}
		return fmt.Errorf("looking for runs of `%s`: %w", command, err)
	}
	if seen.decisive != nil && seen.decisive.Verify.Outcome == Pass {
		g.passed(command, seen)
		return nil
	}
	g.missing(command, g.whyNot(command, seen, st))
	return nil
}

func (g *gate) missing(command string, r Reason) {
	r.Command = command
	g.answer.MissingVerifyCommands = append(g.answer.MissingVerifyCommands, command)
	g.fail(r)
}

// passed notes the evidence of a command.
func (g *gate) passed(command string, seen *runs) {
	r := seen.decisive
	g.answer.Evidence = append(g.answer.Evidence, Evidence{
		Command: command, Seq: r.Seq, RecordedAt: r.RecordedAt, Session: r.Session, Source: r.Source, Tests: r.Tests, Flaky: seen.failedToo,
	})
	if seen.failedToo {
		g.warn(Reason{Code: "flaky", Text: fmt.Sprintf("`%s` failed and passed on the same content", command), Command: command, Remedy: "find out why before relying on it"})
	}
	if seen.before != nil && r.Tests != nil && seen.before.Tests != nil && 2*r.Tests.Executed() < seen.before.Tests.Executed() {
		g.warn(Reason{
			Code: "fewer-tests", Command: command, Remedy: "make sure that tests were not lost",
			Text: fmt.Sprintf("`%s` ran %d tests, and %d before", command, r.Tests.Executed(), seen.before.Tests.Executed()),
		})
	}
}

// whyNot is the reason a command does not pass.
func (g *gate) whyNot(command string, seen *runs, st standing) Reason {
	again := fmt.Sprintf("run exactly `%s` in %s", command, g.ledger.project)
	switch {
	case seen.decisive != nil && seen.decisive.Verify.Outcome == Fail:
		return Reason{Code: "failing", Text: fmt.Sprintf("`%s` failed last (%s)", command, statusText(seen.decisive)), Remedy: "mend it, then " + again}
	case seen.unclear != nil:
		v := seen.unclear.Verify
		remedy := v.Remedy
		if remedy == "" {
			remedy = again
		}
		return Reason{Code: string(v.Outcome), Text: fmt.Sprintf("the last run of `%s` does not tell whether it passed: %s", command, v.Reason), Remedy: remedy}
	case seen.older != nil:
		return Reason{Code: "stale", Text: fmt.Sprintf("`%s` passed, but files changed since%s", command, seen.staleGap), Files: seen.stale, Remedy: again}
	case seen.untrusted != nil || st.trustFrom > g.since()+1 && seen.targeted == nil:
		return Reason{Code: "ledger-damaged", Text: fmt.Sprintf("no run of `%s` was seen since the ledger was damaged: %s", command, st.distrust), Remedy: again}
	case seen.targeted != nil:
		return Reason{Code: "targeted", Text: fmt.Sprintf("only a part was run: `%s`", seen.targeted.Command), Remedy: again}
	}
	text := fmt.Sprintf("no run of `%s` was seen", command)
	if g.task != nil {
		text += " since the task was opened"
	}
	return Reason{Code: "not-observed", Text: text, Remedy: again}
}

// look reads the runs of a command, newest first.
func (g *gate) look(ctx context.Context, command string) (*runs, error) {
	seen, n, since := &runs{}, 0, g.since()
	_, err := g.ledger.bash.find(ctx, g.ledger.CommandHash(command), g.ledger.nowMs(), func(f found) (bool, error) {
		if n++; n > maxRunsLooked || f.Seq <= since {
			return false, nil
		}
		r, err := ParseRecord(f.line)
		if err != nil {
			return false, err
		}
		if r.Verify == nil {
			return true, nil
		}
		if !f.trusted {
			seen.untrusted = &r
			return false, nil
		}
		return g.weigh(seen, &r)
	})
	return seen, err
}

// since is the record after which evidence counts.
func (g *gate) since() uint64 {
	if g.task != nil {
		return g.task.CreatedSeq
	}
	return 0
}

// weigh puts one more, older run into the picture.
func (g *gate) weigh(seen *runs, r *Record) (more bool, err error) {
	if r.Verify.Targeted {
		if seen.targeted == nil {
			seen.targeted = r
		}
		return true, nil
	}
	r.judgeCounts()
	fresh, stale, gap, err := g.fresh(r)
	if err != nil {
		return false, err
	}
	outcome := r.Verify.Outcome
	switch {
	case !fresh && outcome == Pass:
		if seen.decisive != nil {
			seen.before = r
			return false, nil
		}
		if seen.older == nil {
			seen.older, seen.stale, seen.staleGap = r, stale, gap
		}
	case !fresh:
	case seen.decisive != nil:
		if outcome == Fail {
			seen.failedToo = true
		}
	case outcome == Pass && seen.unclear != nil && seen.unclear.failedSomehow():
		// A later run that may have failed is not outweighed by an older pass.
	case outcome == Pass || outcome == Fail:
		seen.decisive = r
	case seen.unclear == nil:
		seen.unclear = r
	}
	return true, nil
}

// failedSomehow reports whether a run that does not tell ended badly.
func (r *Record) failedSomehow() bool {
	return r.IsError || r.ExitCode != nil && *r.ExitCode != 0
}

// judgeCounts takes the runner's own word into account: no test executed is no
// pass, and failed tests are not outweighed by a status of 0 (E13).
func (r *Record) judgeCounts() {
	if r.Verify.Outcome != Pass || r.Tests == nil {
		return
	}
	switch {
	case r.Tests.Executed() == 0:
		r.Verify.Outcome, r.Verify.Reason = Inconclusive, "no test was executed"
		r.Verify.Remedy = "make the command find the tests, or name another in the profile"
	case r.Tests.Failed > 0:
		r.Verify.Outcome, r.Verify.Reason = Inconclusive, fmt.Sprintf("%d tests failed, yet the exit status is 0", r.Tests.Failed)
		r.Verify.Remedy = "make the command fail when tests do"
	}
}

// fresh reports whether a run speaks of the present content: the tree before
// it, after it and now are the same, or differ in generated files only (E14).
// Otherwise it names the files.
func (g *gate) fresh(r *Record) (fresh bool, stale []string, gap string, err error) {
	if digestHex(r.PreDigest) == "" || digestHex(r.PostDigest) == "" || !g.tree.Available() {
		return false, nil, " (the work tree could not be read then)", nil
	}
	if r.PreDigest == r.PostDigest && r.PostDigest == g.tree.Digest {
		return true, nil, "", nil
	}
	mutated, known, err := g.differences(r.PreDigest, r.PostDigest)
	if err != nil || !known {
		return false, nil, " (which ones is not known any more)", err
	}
	if len(mutated) > 0 {
		return false, mutated, ": the run itself wrote", nil
	}
	stale, known, err = g.differences(r.PostDigest, g.tree.Digest)
	if err != nil || !known {
		return false, nil, " (which ones is not known any more)", err
	}
	return len(stale) == 0, stale, "", nil
}

// differences names the files in which two trees differ, generated ones aside.
func (g *gate) differences(from, to string) ([]string, bool, error) {
	changes, known, err := g.ledger.Changes(from, to)
	var out []string
	for _, c := range changes {
		if !g.generated(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, known, err
}
