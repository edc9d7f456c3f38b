package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

type taskStartParams struct {
	TaskID             string   `json:"taskId"`
	Summary            string   `json:"summary"`
	RiskLane           string   `json:"riskLane"`
	ChangeMode         string   `json:"changeMode"`
	MaxAttempts        int      `json:"maxAttempts"`
	ExpectedOutput     string   `json:"expectedOutput"`
	AcceptanceCriteria []string `json:"acceptanceCriteria"`
	Scope              []string `json:"scope"`
	OutOfScope         []string `json:"outOfScope"`
	ReviewLenses       []string `json:"reviewLenses"`
	WorkPlan           []Step   `json:"workPlan"`
}

// toolTaskStart opens a task (R, task contract).
func (l *Ledger) toolTaskStart(ctx context.Context, p taskStartParams) (ToolResult, error) {
	if err := checkScope(append(slices.Clone(p.Scope), p.OutOfScope...)); err != nil {
		return ToolResult{}, err
	}
	if err := checkPlan(p.WorkPlan); err != nil {
		return ToolResult{}, err
	}
	if open, err := l.sessionTask(ctx, l.opts.Session); err != nil {
		return ToolResult{}, err
	} else if open != nil {
		return ToolResult{}, &ToolError{"TASK_PENDING", fmt.Sprintf("task %s is still open in this session", open.TaskID), "Close it with piagent_trace_record first"}
	}
	t, err := l.newTask(ctx, p)
	if err != nil {
		return ToolResult{}, err
	}
	if err := l.saveNewTask(ctx, t); err != nil {
		return ToolResult{}, err
	}
	text := fmt.Sprintf("Task %s is open (attempt %d of %d). Verify with exactly: %s. Evidence counts from now on; close the task with piagent_trace_record.",
		t.TaskID, t.Attempt, t.MaxAttempts, quoteAll(t.VerifyCommands))
	if len(t.VerifyCommands) == 0 {
		text = fmt.Sprintf("Task %s is open (attempt %d of %d). The profile has no verify command: the gate will fail until one is added.", t.TaskID, t.Attempt, t.MaxAttempts)
	}
	return ToolResult{text, t}, nil
}

func quoteAll(commands []string) string {
	out := make([]string, len(commands))
	for i, c := range commands {
		out[i] = "`" + c + "`"
	}
	return strings.Join(out, ", ")
}

// checkScope refuses patterns that do not lie within the project.
func checkScope(patterns []string) error {
	for _, p := range patterns {
		if path.IsAbs(p) || strings.HasPrefix(p, "~") || slices.Contains(strings.Split(p, "/"), "..") {
			return fmt.Errorf("%w: scope %q must be a path or glob within the project: write it relative, with no step upwards", ErrInvalidArgument, p)
		}
	}
	return nil
}

// checkPlan refuses a plan whose steps do not fit together.
func checkPlan(steps []Step) error {
	ids := map[string]bool{}
	for _, s := range steps {
		if ids[s.ID] {
			return fmt.Errorf("%w: workPlan has two steps with the id %q: give each its own", ErrInvalidArgument, s.ID)
		}
		ids[s.ID] = true
	}
	for _, s := range steps {
		for _, dep := range s.DependsOn {
			if !ids[dep] || dep == s.ID {
				return fmt.Errorf("%w: step %q depends on %q, which is no other step of the plan", ErrInvalidArgument, s.ID, dep)
			}
		}
	}
	return nil
}

// newTask puts the contract together, as a new attempt where the task was
// tried before.
func (l *Ledger) newTask(ctx context.Context, p taskStartParams) (*Task, error) {
	c := l.Contract()
	now := l.stampTime()
	t := &Task{
		SchemaVersion: taskVersion, TaskID: p.TaskID, SessionID: l.opts.Session, ChangeMode: p.ChangeMode,
		Attempt: 1, MaxAttempts: p.MaxAttempts, Summary: p.Summary, RiskLane: p.RiskLane, ExpectedOutput: p.ExpectedOutput,
		AcceptanceCriteria: p.AcceptanceCriteria, Scope: p.Scope, OutOfScope: p.OutOfScope, WorkPlan: p.WorkPlan,
		ReviewLenses: p.ReviewLenses, ProtectedPaths: c.ProtectedPaths, RequiredContext: c.RequiredContext,
		MCPCapabilities: c.MCPCapabilities, DigestAlgorithm: treeAlgorithm, Trace: Trace{Outcome: outcomePending},
		CreatedAt: now, UpdatedAt: now,
	}
	if t.TaskID == "" {
		t.TaskID = "task-" + randomHex(4)
	}
	if t.ChangeMode == "" {
		t.ChangeMode = "source-change"
	}
	if t.MaxAttempts == 0 {
		t.MaxAttempts = 3
	}
	for i := range t.WorkPlan {
		if t.WorkPlan[i].Status == "" {
			t.WorkPlan[i].Status = "pending"
		}
	}
	for _, vc := range c.commands() {
		if vc.group != DocsOnly {
			t.VerifyCommands = append(t.VerifyCommands, vc.command)
		}
	}
	if err := l.continueAttempts(ctx, t); err != nil {
		return nil, err
	}
	t.TaskRunID = fmt.Sprintf("%s-%d-%s", t.TaskID, t.Attempt, randomHex(3))
	return t, l.anchorTask(ctx, t)
}

// continueAttempts makes t the attempt after those before it.
func (l *Ledger) continueAttempts(ctx context.Context, t *Task) error {
	before, err := l.task(ctx, t.TaskID)
	if err != nil || before == nil {
		return err
	}
	switch {
	case before.Open() && before.SessionID != t.SessionID:
		return &ToolError{"TASK_ACTIVE", fmt.Sprintf("task %s is open in another session", t.TaskID), "Choose another taskId"}
	case before.Open():
		return &ToolError{"TASK_PENDING", fmt.Sprintf("task %s is still open", t.TaskID), "Close it with piagent_trace_record first"}
	case before.Trace.Outcome == outcomeCompleted:
		return &ToolError{"TASK_COMPLETED", fmt.Sprintf("task %s was completed", t.TaskID), "Choose another taskId"}
	case before.Attempt >= before.MaxAttempts:
		return &ToolError{"TASK_ATTEMPTS_EXHAUSTED", fmt.Sprintf("task %s was tried %d times, as often as it may be", t.TaskID, before.Attempt), "Tell the person what was ruled out, and ask how to go on"}
	}
	t.Attempt, t.MaxAttempts = before.Attempt+1, before.MaxAttempts
	t.PreviousAttempts = append(before.PreviousAttempts, Attempted{
		before.TaskRunID, before.Trace.Outcome, before.Trace.FailedAt, before.Trace.RuledOut,
	})
	if n := len(t.PreviousAttempts); n > maxAttemptsKept {
		t.PreviousAttempts = t.PreviousAttempts[n-maxAttemptsKept:]
	}
	return nil
}

// anchorTask ties the task to the present work tree and ledger.
func (l *Ledger) anchorTask(ctx context.Context, t *Task) error {
	tree, err := l.keptTree(ctx)
	if err != nil {
		return err
	}
	t.BaselineDigest = tree.Digest
	st, err := l.bash.find(ctx, "", l.nowMs(), nil)
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	t.CreatedSeq = st.seq
	return nil
}

func (l *Ledger) saveNewTask(ctx context.Context, t *Task) error {
	payload, err := l.taskPayload(t, "started")
	if err != nil {
		return err
	}
	if _, err := l.journal.append(ctx, item{payload: payload, key: runKey(t.TaskRunID), timeMs: l.nowMs()}); err != nil {
		return fmt.Errorf("recording the task: %w", err)
	}
	if err := l.note(ctx, "name", nameKey(t.TaskID), t.TaskRunID, ""); err != nil {
		return fmt.Errorf("recording the task: %w", err)
	}
	if err := l.note(ctx, "session", sessionKey(t.SessionID), t.TaskRunID, ""); err != nil {
		return fmt.Errorf("recording the task: %w", err)
	}
	return l.copyTask(t)
}

type taskProgressParams struct {
	TaskID   string `json:"taskId"`
	StepID   string `json:"stepId"`
	Status   string `json:"status"`
	Note     string `json:"note"`
	FailedAt string `json:"failedAt"`
	RuledOut string `json:"ruledOut"`
}

// toolTaskProgress marks a step of the plan.
func (l *Ledger) toolTaskProgress(ctx context.Context, p taskProgressParams) (ToolResult, error) {
	if p.Status == "failed" && p.Note == "" {
		return ToolResult{}, fmt.Errorf("%w: a failed step needs a note: say what happened", ErrInvalidArgument)
	}
	t, err := l.changeTask(ctx, p.TaskID, "progress", func(t *Task) error {
		i := slices.IndexFunc(t.WorkPlan, func(s Step) bool { return s.ID == p.StepID })
		if i < 0 {
			return &ToolError{"STEP_NOT_FOUND", fmt.Sprintf("the plan has no step %q", p.StepID), "Its steps are: " + strings.Join(stepIDs(t.WorkPlan), ", ")}
		}
		t.WorkPlan[i].Status, t.WorkPlan[i].Note = p.Status, redacted(p.Note)
		if p.RuledOut != "" {
			t.Trace.RuledOut = redacted(p.RuledOut)
		}
		return nil
	})
	if err != nil {
		return ToolResult{}, err
	}
	return ToolResult{fmt.Sprintf("Step %s is %s; open steps: %s.", p.StepID, p.Status, orNone(openSteps(t))), t.WorkPlan}, nil
}

func stepIDs(steps []Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.ID
	}
	return out
}

// openSteps are the steps that are neither done nor skipped.
func openSteps(t *Task) []string {
	var out []string
	for _, s := range t.WorkPlan {
		if s.Status != "done" && s.Status != "skipped" {
			out = append(out, s.ID)
		}
	}
	return out
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func redacted(text string) string {
	text, _ = Redact(text)
	return text
}

type contextRecordParams struct {
	TaskID string  `json:"taskId"`
	Files  []Cited `json:"files"`
}

// toolContextRecord adds to the task's manifest (E10).
func (l *Ledger) toolContextRecord(ctx context.Context, p contextRecordParams) (ToolResult, error) {
	budget := l.Contract().Budget
	t, err := l.changeTask(ctx, p.TaskID, "context", func(t *Task) error {
		for _, file := range p.Files {
			file.Path = path.Clean(file.Path)
			if err := checkScope([]string{file.Path}); err != nil {
				return err
			}
			file.Reason = redacted(file.Reason)
			if i := slices.IndexFunc(t.ContextManifest, func(c Cited) bool { return c.Path == file.Path }); i >= 0 {
				t.ContextManifest[i] = file
			} else {
				t.ContextManifest = append(t.ContextManifest, file)
			}
		}
		limit := maxManifestKept
		if budget.Mode == "enforce" && budget.MaxManifestFiles > 0 {
			limit = min(limit, budget.MaxManifestFiles)
		}
		if n := len(t.ContextManifest); n > limit {
			return &ToolError{"CONTEXT_BUDGET", fmt.Sprintf("the manifest would have %d files, and the budget is %d", n, limit), "Record only the files the task depends on"}
		}
		return nil
	})
	if err != nil {
		return ToolResult{}, err
	}
	missing := missingContext(t)
	text := fmt.Sprintf("The manifest of %s has %d files.", t.TaskID, len(t.ContextManifest))
	if len(missing) > 0 {
		text += " Still to be read and recorded: " + strings.Join(missing, ", ") + "."
	}
	return ToolResult{text, map[string]any{"contextManifest": t.ContextManifest, "missingRequiredContext": missing}}, nil
}

// missingContext are required files that the manifest lacks.
func missingContext(t *Task) []string {
	var out []string
	for _, want := range t.RequiredContext {
		if !slices.ContainsFunc(t.ContextManifest, func(c Cited) bool { return c.Path == path.Clean(want) }) {
			out = append(out, want)
		}
	}
	return out
}

type verifyRecordParams struct {
	TaskID   string `json:"taskId"`
	Command  string `json:"command"`
	ExitCode int    `json:"exitCode"`
	Summary  string `json:"summary"`
}

// toolVerifyRecord confirms a claimed result by what was observed (R, E6).
func (l *Ledger) toolVerifyRecord(ctx context.Context, p verifyRecordParams) (ToolResult, error) {
	if _, secret := Redact(p.Command); secret {
		return ToolResult{}, &ToolError{"SECRET_IN_COMMAND", "the command holds a secret, so no run of it is kept as evidence", "Pass the secret in the environment and run the command again"}
	}
	t, err := l.task(ctx, p.TaskID)
	if err != nil {
		return ToolResult{}, err
	}
	if t == nil {
		return ToolResult{}, noTask(p.TaskID)
	}
	seen, err := l.observed(ctx, p.Command, t.CreatedSeq)
	if err != nil {
		return ToolResult{}, err
	}
	if seen == nil {
		return ToolResult{}, &ToolError{"NOT_OBSERVED", fmt.Sprintf("no run of `%s` was seen since the task was opened", p.Command), "Run exactly this command with the bash tool in the project, then record it"}
	}
	if seen.ExitCode == nil || *seen.ExitCode != p.ExitCode {
		return ToolResult{}, &ToolError{"STATUS_DIFFERS", fmt.Sprintf("the last run of `%s` ended with %s, not %d", p.Command, statusText(seen), p.ExitCode), "Record what was observed, or run it again"}
	}
	return l.addEvidence(ctx, p, seen)
}

func statusText(r *Record) string {
	switch {
	case r.TimedOut:
		return "a time-out"
	case r.ExitCode == nil:
		return "no exit status"
	}
	return fmt.Sprintf("exit status %d", *r.ExitCode)
}

func (l *Ledger) addEvidence(ctx context.Context, p verifyRecordParams, seen *Record) (ToolResult, error) {
	e := TaskVerify{
		Command: normalise(p.Command), ExitCode: p.ExitCode, Summary: redacted(p.Summary), RecordedAt: l.stampTime(), Observed: true,
		ObservedAt: seen.RecordedAt, ObservedSeq: seen.Seq, PreDigest: seen.PreDigest, PostDigest: seen.PostDigest,
	}
	duplicate := false
	_, err := l.changeTask(ctx, p.TaskID, "verify", func(t *Task) error {
		e.MatchedProfile = slices.ContainsFunc(t.VerifyCommands, func(c string) bool { return normalise(c) == e.Command })
		duplicate = slices.ContainsFunc(t.VerifyEvidence, func(o TaskVerify) bool { return o.ObservedSeq == e.ObservedSeq })
		if !duplicate {
			t.VerifyEvidence = append(t.VerifyEvidence, e)
		}
		if n := len(t.VerifyEvidence); n > maxVerifyEvidence {
			t.VerifyEvidence = t.VerifyEvidence[n-maxVerifyEvidence:]
		}
		return nil
	})
	if err != nil {
		return ToolResult{}, err
	}
	text := fmt.Sprintf("Recorded: `%s` was seen to end with %d.", e.Command, e.ExitCode)
	switch {
	case !e.MatchedProfile:
		text += " It is none of the task's verify commands, so it is kept for reference and does not pass the gate."
	case seen.Verify != nil && seen.Verify.Outcome != Pass && e.ExitCode == 0:
		text += fmt.Sprintf(" It does not pass the gate: %s; %s.", seen.Verify.Reason, seen.Verify.Remedy)
	}
	return ToolResult{text, map[string]any{"evidence": e, "duplicate": duplicate, "advisory": !e.MatchedProfile}}, nil
}

// observed is the newest trusted run of a line in the project after a record.
func (l *Ledger) observed(ctx context.Context, command string, after uint64) (*Record, error) {
	var out *Record
	hash := l.CommandHash(command)
	key := hash
	if a, ok := l.verifierIn(command, l.project); ok {
		key = l.CommandHash(a.command)
	}
	_, err := l.bash.find(ctx, key, l.nowMs(), func(f found) (bool, error) {
		if f.Seq <= after || !f.trusted {
			return false, nil
		}
		r, err := ParseRecord(f.line)
		if err != nil {
			return false, err
		}
		if r.CommandHash != hash || !l.atProject(r.Cwd) {
			return true, nil
		}
		out = &r
		return false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for `%s` in the ledger: %w", redacted(command), err)
	}
	return out, nil
}

type traceRecordParams struct {
	TaskID       string   `json:"taskId"`
	Outcome      string   `json:"outcome"`
	ChangedFiles []string `json:"changedFiles"`
	Friction     string   `json:"friction"`
	Notes        string   `json:"notes"`
	FailedAt     string   `json:"failedAt"`
	RuledOut     string   `json:"ruledOut"`
}

// toolTraceRecord closes a task.
func (l *Ledger) toolTraceRecord(ctx context.Context, p traceRecordParams) (ToolResult, error) {
	if p.Outcome != outcomeCompleted && p.Friction == "" {
		return ToolResult{}, fmt.Errorf("%w: an outcome other than completed needs friction: say what got in the way", ErrInvalidArgument)
	}
	if p.Outcome == "failed" && p.FailedAt == "" {
		return ToolResult{}, fmt.Errorf("%w: the outcome failed needs failedAt: write research, plan, execute, verify or review", ErrInvalidArgument)
	}
	t, err := l.changeTask(ctx, p.TaskID, "trace", func(t *Task) error {
		t.Trace = Trace{
			Outcome: p.Outcome, Friction: redacted(p.Friction), Notes: redacted(p.Notes), FailedAt: p.FailedAt,
			RuledOut: redacted(p.RuledOut), RecordedAt: l.stampTime(),
		}
		for _, file := range p.ChangedFiles {
			if file = path.Clean(file); !slices.Contains(t.ChangedFiles, file) {
				t.ChangedFiles = append(t.ChangedFiles, file)
			}
		}
		return nil
	})
	if err != nil {
		return ToolResult{}, err
	}
	answer, err := l.Gate(ctx, GateQuery{TaskID: t.TaskRunID})
	if err != nil {
		return ToolResult{}, err
	}
	if err := l.handoff(t, &answer); err != nil {
		return ToolResult{}, err
	}
	text := fmt.Sprintf("Task %s is closed: %s.", t.TaskID, t.Trace.Outcome)
	if t.Trace.Outcome == outcomeCompleted {
		text += " " + answer.Text()
	}
	return ToolResult{text, map[string]any{"task": t, "gate": answer}}, nil
}

// handoff writes what whoever goes on needs (R, handoffs).
func (l *Ledger) handoff(t *Task, g *GateAnswer) error {
	text, err := json.MarshalIndent(map[string]any{
		"schemaVersion": schemaVersion, "taskRunId": t.TaskRunID, "taskId": t.TaskID, "sessionId": t.SessionID,
		"goal": t.Summary, "taskOutcome": t.Trace.Outcome, "gateDecision": g.Decision, "missing": g.Reasons,
		"workingTreeDigest": g.Digest, "changedFiles": g.ChangedFiles,
		"verification": map[string]any{"exactCommands": t.VerifyCommands, "missingCommands": g.MissingVerifyCommands, "evidence": g.Evidence},
		"failure":      map[string]string{"failedAt": t.Trace.FailedAt, "ruledOut": t.Trace.RuledOut, "friction": t.Trace.Friction},
		"notes":        t.Trace.Notes, "updatedAt": t.UpdatedAt,
	}, "", "  ")
	if err != nil {
		return err
	}
	return l.state.sub("handoffs").writeFile(t.TaskRunID+".json", append(text, '\n'))
}

type gateCheckParams struct {
	TaskID       string   `json:"taskId"`
	ChangedFiles []string `json:"changedFiles"`
}

// toolGateCheck answers the gate for a task (E6).
func (l *Ledger) toolGateCheck(ctx context.Context, p gateCheckParams) (ToolResult, error) {
	answer, err := l.Gate(ctx, GateQuery{TaskID: p.TaskID, ChangedFiles: p.ChangedFiles})
	if err != nil {
		return ToolResult{}, err
	}
	return ToolResult{answer.Text(), answer}, nil
}
