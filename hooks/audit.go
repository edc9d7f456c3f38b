package hooks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/paths"
	"github.com/pi-guard/pi-guard/profiles"
)

// auditOf is the record of a call as far as it was judged (H8).
func auditOf(j *judging, t *sitting, turn string) ledger.AuditRecord {
	r := ledger.AuditRecord{
		Time: j.started, Session: t.start.SessionID, Turn: turn, ToolCallID: j.call.ID, Tool: j.call.Tool, Cwd: j.call.Cwd,
		Delegate: j.facts.Delegate, Args: j.call.Input, ExternalPath: externalClass(&j.facts),
		Decision: decisionName(j), Decider: deciderNames[j.resolution.By], Mode: j.facts.Session.Mode,
		Prompted: j.prompted, PermissionWaitMs: milliseconds(j.waited), ErrorCode: string(j.resolution.Code),
	}
	if o := spokesman(&j.verdict, j.resolution); o != nil {
		r.Layer, r.Rule, r.RuleFile, r.RuleLine, r.Reason = string(o.Layer), o.Rule, o.File, o.Line, o.Reason
	}
	if j.resolution.Failure != "" {
		r.Reason = j.resolution.Failure
	}
	if j.ground != nil {
		r.Profile = string(j.ground.policy.Permission(j.facts.Session).Mode)
	}
	judged := j.released
	if judged.IsZero() {
		judged = time.Now()
	}
	r.OverheadMs = milliseconds(judged.Sub(j.started) - j.waited)
	r.TotalMs = milliseconds(judged.Sub(j.started))
	return r
}

// deciderNames are the audit's names of who decided.
var deciderNames = map[profiles.Decider]string{
	profiles.ByRule: "rule", profiles.ByGrant: "grant", profiles.ByApproval: "mode", profiles.BySandbox: "sandbox",
	profiles.ByPerson: "user", profiles.ByNobody: "headless", profiles.ByTimeout: "timeout", profiles.ByFailure: "guard",
}

func decisionName(j *judging) string {
	switch {
	case j.resolution.By == profiles.ByFailure:
		return "error"
	case j.resolution.Action == profiles.Allow && j.prompted:
		return "ask-allowed"
	case j.resolution.Action == profiles.Allow:
		return "allow"
	case j.prompted || j.resolution.By == profiles.ByNobody || j.resolution.By == profiles.ByTimeout:
		return "ask-denied"
	}
	return "deny"
}

// externalClass is the least trusted root among the paths that a call names.
func externalClass(f *profiles.Facts) string {
	class := ""
	for i := range f.Paths {
		switch root := f.Paths[i].Root; {
		case f.Paths[i].Pattern || root == "":
		case root == paths.Workspace && class == "":
			class = "workspace"
		case root == paths.Scratch && class != "external":
			class = "scratch"
		case root != paths.Workspace && root != paths.Scratch:
			class = "external"
		}
	}
	return class
}

// auditJudged records a call that was refused; one that passed is recorded
// with its result. It goes on after the answer, so that nobody waits for it.
func (s *Session) auditJudged(t *sitting, j *judging) {
	r := auditOf(j, t, t.turnID())
	s.busy.Go(func() { t.evidence.record(context.Background(), r) })
}

// auditResult records a call that passed, with how it ended.
func (s *Session) auditResult(t *sitting, j *judging, isError bool, ran string, wall time.Duration) {
	r := auditOf(j, t, t.turnID())
	now := time.Now()
	body := now.Sub(j.released)
	if wall > 0 && wall < body {
		body = wall
	}
	r.DurationMs = milliseconds(body)
	r.TotalMs = milliseconds(now.Sub(j.started))
	r.OverheadMs = max(0, r.TotalMs-r.DurationMs-r.PermissionWaitMs)
	r.Success, r.Ran = !isError, ran
	if isError {
		r.ErrorCode = string(profiles.CodeFailed)
	}
	s.busy.Go(func() { t.evidence.record(context.Background(), r) })
}

// auditLost records a call that passed and never had a result.
func (s *Session) auditLost(t *sitting, j *judging) {
	r := auditOf(j, t, t.turnID())
	r.TotalMs = milliseconds(time.Since(j.started))
	r.ErrorCode = string(profiles.CodeFailed)
	r.Reason = "the call was aborted, or another extension blocked it"
	s.busy.Go(func() { t.evidence.record(context.Background(), r) })
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// command is the command of a bash call as it was judged.
func (j *judging) command() string { return commandOf(j.call.Input) }

func commandOf(input json.RawMessage) string { return gjson.GetBytes(input, "command").Str }
