package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// isOwnTool reports whether a tool is one of those that the guard offers.
func isOwnTool(name string) bool { return strings.HasPrefix(name, "piagent_") }

// toolSpecs are the tools to register in pi.
func toolSpecs() []rpc.ToolSpec {
	specs := []rpc.ToolSpec{}
	for _, t := range ledger.ToolSpecs() {
		specs = append(specs, rpc.ToolSpec{
			Name: t.Name, Label: strings.ReplaceAll(t.Name, "_", " "), Description: t.Description, Parameters: t.Schema,
		})
	}
	return specs
}

// CallTool runs one of the guard's own tools. An error that the model can do
// something about is an answer; any other is a failure of the guard.
func (s *Session) CallTool(ctx context.Context, e rpc.CallTool) (rpc.ToolOutput, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.ToolOutput{}, err
	}
	g := s.stand(ctx, t)
	if err := ledger.ValidateParams(e.Name, e.Input); err != nil {
		return rpc.ToolOutput{Text: err.Error(), IsError: true}, nil
	}
	var result ledger.ToolResult
	switch e.Name {
	case "piagent_permission_status":
		result, err = s.toolPermissionStatus(t, g)
	case "piagent_exec_policy_check":
		result, err = s.toolExecPolicy(t, g, e)
	case "piagent_tool_policy_check":
		result, err = s.toolPolicyCheck(t, g, e)
	default:
		t.evidence.begin(ctx)
		result, err = t.evidence.open(ctx).CallTool(ctx, e.Name, e.Input)
	}
	var refusal *ledger.ToolError
	if errors.As(err, &refusal) || errors.Is(err, ledger.ErrInvalidArgument) {
		return rpc.ToolOutput{Text: err.Error(), IsError: true}, nil
	}
	if err != nil {
		return rpc.ToolOutput{}, err
	}
	details, err := json.Marshal(result.Structured)
	if err != nil {
		return rpc.ToolOutput{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	return rpc.ToolOutput{Text: result.Text, Details: details}, nil
}

// permissionStatus is what piagent_permission_status answers (R).
type permissionStatus struct {
	PermissionProfile     profiles.PermissionProfile   `json:"permissionProfile"`
	Source                string                       `json:"source"`
	AllowedModes          []profiles.PermissionProfile `json:"allowedModes"`
	ProfileValue          profiles.PermissionProfile   `json:"profileValue,omitempty"`
	EnvOverrideActive     bool                         `json:"envOverrideActive"`
	CommandOverrideActive bool                         `json:"commandOverrideActive"`
	Mode                  string                       `json:"mode"`
	Approval              profiles.Approval            `json:"approval"`
	Boundaries            []string                     `json:"boundaries"`
	ReadOnlyAllowedTools  []string                     `json:"readOnlyAllowedTools"`
	Warning               string                       `json:"warning,omitempty"`
}

func (s *Session) toolPermissionStatus(t *sitting, g *ground) (ledger.ToolResult, error) {
	session, _ := s.said(t)
	permission := g.policy.Permission(session)
	status := permissionStatus{
		PermissionProfile: permission.Mode, Source: permission.Source, Warning: permission.Warning,
		AllowedModes:          g.policy.AllowedPermissionProfiles(),
		EnvOverrideActive:     permission.Source == "env" || permission.Source == "invalid-env",
		CommandOverrideActive: permission.Source == "command" || permission.Source == "invalid-command",
		Mode:                  session.Mode, Approval: g.policy.Approval(session),
		Boundaries:           boundaries(permission.Mode),
		ReadOnlyAllowedTools: []string{"read", "grep", "find", "ls", "piagent_*"},
	}
	if p := g.policy.Profile(); p != nil {
		status.ProfileValue = p.PermissionProfile
	}
	text := fmt.Sprintf("Permission profile %s (from %s), mode %s, approval %s.\n- %s",
		status.PermissionProfile, status.Source, status.Mode, status.Approval, strings.Join(status.Boundaries, "\n- "))
	if status.Warning != "" {
		text += "\n" + status.Warning
	}
	return ledger.ToolResult{Text: text, Structured: status}, nil
}

// boundaries are what a permission profile lets pass and what it never does (R).
func boundaries(p profiles.PermissionProfile) []string {
	always := "protected paths, guard state, hard gates and redaction hold in every profile"
	switch p {
	case profiles.WorkspaceWrite:
		return []string{"work inside the project under the mode's rules", always}
	case profiles.TrustedFullAccess:
		return []string{"the tool registry and the file scopes of capabilities are relaxed", always}
	}
	return []string{"read, grep, find, ls and piagent tools only; no shell, no write, no edit, no other tool", always}
}

// execSegment is one command of a line as piagent_exec_policy_check shows it (R).
type execSegment struct {
	Command  string   `json:"command"`
	Expanded string   `json:"expanded"`
	Words    []string `json:"words"`
	Matches  []string `json:"matches"`
	Warnings []string `json:"warnings"`
}

type execAnswer struct {
	Mode     string        `json:"mode"`
	Decision string        `json:"decision"`
	Reasons  []string      `json:"reasons"`
	Segments []execSegment `json:"segments"`
}

// execDecisions are R's names of the actions.
var execDecisions = map[profiles.Action]string{profiles.Allow: "allow", profiles.Ask: "prompt", profiles.Deny: "forbid"}

// toolExecPolicy judges a line as if it were called, and counts nothing.
func (s *Session) toolExecPolicy(t *sitting, g *ground, e rpc.CallTool) (ledger.ToolResult, error) {
	session, grants := s.said(t)
	j := &judging{call: Call{Tool: "bash", Input: e.Input, Cwd: e.Cwd}}
	follow(context.Background(), j, judgeOn(g, func() (profiles.Session, profiles.Grants) { return session, grants }, false))
	answer := execAnswer{Mode: session.Mode, Decision: execDecisions[j.resolution.Action], Reasons: []string{}, Segments: []execSegment{}}
	for _, o := range j.resolution.Open {
		answer.Reasons = append(answer.Reasons, fmt.Sprintf("%s (layer %s, rule %s)", o.Reason, o.Layer, o.Rule))
	}
	if j.facts.Program != nil {
		for i := range j.facts.Program.Commands {
			answer.Segments = append(answer.Segments, segmentOf(j, &j.facts.Program.Commands[i]))
		}
	}
	text := "Decision: " + answer.Decision + "."
	for _, r := range answer.Reasons {
		text += "\n- " + r
	}
	return ledger.ToolResult{Text: text, Structured: answer}, nil
}

// segmentOf is a command with the rules that match it.
func segmentOf(j *judging, c *bashast.Command) execSegment {
	seg := execSegment{Words: []string{}, Matches: []string{}, Warnings: []string{}}
	text := j.facts.Program.Text
	if 0 <= c.Span.Start && c.Span.Start <= c.Span.End && c.Span.End <= len(text) {
		seg.Command, _ = ledger.Redact(text[c.Span.Start:c.Span.End])
	}
	for _, w := range c.Words {
		word, _ := ledger.Redact(w.String())
		seg.Words = append(seg.Words, word)
	}
	seg.Expanded = strings.Join(seg.Words, " ")
	for _, o := range j.verdict.Opinions() {
		if o.Action != profiles.Allow && o.Start < c.Span.End && o.End > c.Span.Start {
			seg.Matches = append(seg.Matches, string(o.Layer)+": "+o.Rule)
		}
	}
	for _, p := range c.Problems {
		seg.Warnings = append(seg.Warnings, p.Reason)
	}
	return seg
}

func (s *Session) toolPolicyCheck(t *sitting, g *ground, e rpc.CallTool) (ledger.ToolResult, error) {
	var params struct {
		ToolName string `json:"toolName"`
	}
	if err := json.Unmarshal(e.Input, &params); err != nil {
		return ledger.ToolResult{}, err
	}
	session, _ := s.said(t)
	d := g.policy.CheckTool(params.ToolName, session)
	text := fmt.Sprintf("%s: %s. %s.", params.ToolName, d.Decision, d.Reason)
	return ledger.ToolResult{Text: text, Structured: d}, nil
}
