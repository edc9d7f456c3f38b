package hooks

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// evidence is what a session writes down: the project's ledger and the
// person's audit log. Each is opened when it is first needed, so that a
// session that does nothing leaves nothing behind.
type evidence struct {
	options ledger.Options
	wrong   func(error) // tells the person what could not be written

	baseline sync.Once

	mu sync.Mutex
	// ledger and audit are nil before they are needed, and where they could
	// not be opened; the errors say which.
	ledger    *ledger.Ledger
	ledgerErr error
	audit     *ledger.Audit
	auditErr  error
}

// used reports whether the project has evidence of this session or another.
func (e *evidence) used() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ledger != nil {
		return true
	}
	_, err := os.Lstat(filepath.Join(e.options.Project, ".pi", "piagent-state"))
	return err == nil
}

// open is the ledger; it is nil, which is a ledger that refuses everything,
// where it could not be opened.
func (e *evidence) open(ctx context.Context) *ledger.Ledger {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ledger == nil && e.ledgerErr == nil {
		e.ledger, e.ledgerErr = ledger.Open(context.WithoutCancel(ctx), e.options)
		if e.ledgerErr != nil {
			e.ledger = nil
			e.wrong(e.ledgerErr)
		}
	}
	return e.ledger
}

// setContract tells the ledger what the profile asks for now.
func (e *evidence) setContract(c ledger.Contract) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.options.Contract = c
	if e.ledger != nil {
		e.ledger.SetContract(c)
	}
}

// begin notes what the project is before the session changes anything (E12).
func (e *evidence) begin(ctx context.Context) {
	e.baseline.Do(func() {
		if l := e.open(ctx); l != nil {
			if err := l.Baseline(context.WithoutCancel(ctx), e.options.Session); err != nil {
				e.wrong(err)
			}
		}
	})
}

// log is the audit log, nil where it could not be opened.
func (e *evidence) log() *ledger.Audit {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.audit == nil && e.auditErr == nil {
		if e.audit, e.auditErr = ledger.OpenAudit(e.options.DataDir, nil); e.auditErr != nil {
			e.audit = nil
			e.wrong(e.auditErr)
		}
	}
	return e.audit
}

// record writes one call to the audit log.
func (e *evidence) record(ctx context.Context, r ledger.AuditRecord) {
	log := e.log()
	if log == nil {
		return
	}
	if err := log.Append(ctx, r); err != nil {
		e.wrong(err)
	}
}

// close closes what was opened. Every record has been written when it was
// acknowledged, so that closing loses nothing.
func (e *evidence) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ledger != nil {
		_ = e.ledger.Close()
	}
	if e.audit != nil {
		_ = e.audit.Close()
	}
}

// contractOf is what a project's profile asks of evidence. Without a profile
// there is nothing that could be asked for, and the gate is off.
func contractOf(p *profiles.Policy) ledger.Contract {
	base := p.Base()
	c := ledger.Contract{
		Gate:           ledger.GateOff,
		Require:        ledger.Requirements(requirementsOf(base.FinalGate)),
		Budget:         budgetOf(base.ContextBudget, ""),
		ProtectedPaths: base.ProtectedPaths,
	}
	profile := p.Profile()
	if profile == nil {
		return c
	}
	c.Verify = profile.VerifyCommands
	c.RequiredContext = profile.RequiredContext
	c.ProtectedPaths = append(append([]string(nil), base.ProtectedPaths...), profile.ProtectedPaths...)
	c.MCPCapabilities = profile.MCPCapabilities
	c.Generated = profile.GeneratedPaths
	c.Budget = budgetOf(base.ContextBudget, profile.RuntimePolicy.ContextBudget)
	c.Gate = gateModes[profile.RuntimePolicy.FinalGate]
	c.Profile = profile
	return c
}

// gateModes are R's names of the gate's modes; enforce is the default.
var gateModes = map[profiles.Enforcement]ledger.GateMode{
	"": ledger.GateEnforce, profiles.Enforce: ledger.GateEnforce, profiles.Advisory: ledger.GateWarn, profiles.Off: ledger.GateOff,
}

func requirementsOf(g profiles.FinalGate) ledger.Requirements {
	return ledger.Requirements{
		TaskContract: g.RequireTaskContract, ContextManifest: g.RequireContextManifest,
		VerifyEvidence: g.RequireVerifyEvidence, Trace: g.RequireTrace, PassingVerify: g.RequirePassingVerify,
	}
}

func budgetOf(b profiles.ContextBudget, mode profiles.Enforcement) ledger.Budget {
	budget := ledger.DefaultBudget()
	for _, m := range []profiles.Enforcement{b.DefaultMode, mode} {
		if m != "" {
			budget.Mode = string(m)
		}
	}
	for limit, set := range map[*int]int{
		&budget.MaxContextFileChars: b.MaxContextFileChars, &budget.MaxMemoryFileChars: b.MaxMemoryFileChars,
		&budget.MaxManifestFiles: b.MaxManifestFiles, &budget.WarnFragmentChars: b.WarnFragmentChars,
	} {
		if set > 0 {
			*limit = set
		}
	}
	return budget
}

// changes reports whether a call may change the project.
func changes(f *profiles.Facts) bool {
	switch f.Surface {
	case profiles.SurfaceRead, profiles.SurfaceGrep, profiles.SurfaceFind, profiles.SurfaceLs, profiles.SurfaceWebSearch, profiles.SurfaceSkill:
		return false
	}
	return !isOwnTool(f.Tool)
}

// readTree is the step that looks at the project before a call may change it,
// where that can matter as evidence (E12, E14). That it cannot be read stops
// no call: the gate will say so.
func readTree(e *evidence) func(context.Context, *judging) error {
	return func(ctx context.Context, j *judging) error {
		if j.resolution.Action != profiles.Allow || !changes(&j.facts) {
			return nil
		}
		e.begin(ctx)
		if j.facts.Surface != profiles.SurfaceBash {
			return nil
		}
		tree, err := e.open(ctx).Before(ctx, j.command(), j.call.Cwd)
		if err != nil {
			e.wrong(err)
			return nil
		}
		j.before = tree
		return nil
	}
}

// observe records a bash result (E1).
func (e *evidence) observe(ctx context.Context, j *judging, run bashRun, command, cwd, id string) {
	now := time.Now()
	o := ledger.Observation{
		Cwd: cwd, Command: command, ExitCode: run.Exit, IsError: run.failed, TimedOut: run.TimedOut, Aborted: run.Aborted,
		Finished: now, ToolCallID: id, Source: ledger.FromAgent, Output: run.Output, OutputTruncated: run.Truncated,
	}
	switch {
	case run.Took > 0:
		o.Started = now.Add(-run.Took)
	case j != nil:
		o.Started = j.released
	}
	if j != nil {
		o.Before = j.before
		o.Mode = j.facts.Session.Mode
	}
	if _, err := e.open(ctx).Observe(context.WithoutCancel(ctx), o); err != nil {
		e.wrong(err)
	}
}

// typed records that the person ran a command of their own (B17). pi raises
// the event before it runs, so nothing is known of how it ended.
func (e *evidence) typed(ctx context.Context, command, cwd string) {
	e.begin(ctx)
	_, err := e.open(ctx).Observe(ctx, ledger.Observation{Cwd: cwd, Command: command, Finished: time.Now(), Source: ledger.FromUser})
	if err != nil {
		e.wrong(err)
	}
}
