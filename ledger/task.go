package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// taskVersion is the version of the task contract (R).
const taskVersion = 2

// Task is the contract of one attempt at a task, with what was recorded for it
// (R, task contract version 2). It lives in the task journal, whose chain makes
// it evidence; tasks/<taskRunId>.json is a copy for people.
type Task struct {
	SchemaVersion      int         `json:"schemaVersion"`
	TaskRunID          string      `json:"taskRunId"`
	TaskID             string      `json:"taskId"`
	SessionID          string      `json:"sessionId"`
	ChangeMode         string      `json:"changeMode"`
	Attempt            int         `json:"attempt"`
	MaxAttempts        int         `json:"maxAttempts"`
	PreviousAttempts   []Attempted `json:"previousAttempts"`
	Summary            string      `json:"summary"`
	RiskLane           string      `json:"riskLane"`
	ExpectedOutput     string      `json:"expectedOutput"`
	AcceptanceCriteria []string    `json:"acceptanceCriteria"`
	Scope              []string    `json:"scope"`
	OutOfScope         []string    `json:"outOfScope"`
	ProtectedPaths     []string    `json:"protectedPaths"`
	RequiredContext    []string    `json:"requiredContext"`
	ContextManifest    []Cited     `json:"contextManifest"`
	MCPCapabilities    []string    `json:"mcpCapabilities"`
	VerifyCommands     []string    `json:"verifyCommands"`
	WorkPlan           []Step      `json:"workPlan"`
	ReviewLenses       []string    `json:"reviewLenses"`
	DigestAlgorithm    string      `json:"workingTreeDigestAlgorithm"`
	// BaselineDigest is the work tree when the task was opened, and
	// CreatedSeq the last record of the ledger then: evidence comes after it,
	// whatever the clock says.
	BaselineDigest string       `json:"baselineWorkingTreeDigest"`
	CreatedSeq     uint64       `json:"createdSequence"`
	ChangedFiles   []string     `json:"changedFiles"`
	VerifyEvidence []TaskVerify `json:"verifyEvidence"`
	Trace          Trace        `json:"trace"`
	CreatedAt      string       `json:"createdAt"`
	UpdatedAt      string       `json:"updatedAt"`
}

// Attempted is an earlier attempt at the same task.
type Attempted struct {
	TaskRunID string `json:"taskRunId"`
	Outcome   string `json:"outcome"`
	FailedAt  string `json:"failedAt,omitempty"`
	RuledOut  string `json:"ruledOut,omitempty"`
}

// Cited is a file with the reason it was read.
type Cited struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Step is one step of a work plan.
type Step struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Role      string   `json:"role,omitempty"`
	Mode      string   `json:"mode,omitempty"`
	Status    string   `json:"status"`
	DependsOn []string `json:"dependsOn,omitempty"`
	Note      string   `json:"note,omitempty"`
}

// TaskVerify is a result that the model recorded and the ledger confirmed.
type TaskVerify struct {
	Command        string `json:"command"`
	ExitCode       int    `json:"exitCode"`
	Summary        string `json:"summary"`
	RecordedAt     string `json:"recordedAt"`
	Observed       bool   `json:"observed"`
	ObservedAt     string `json:"observedAt,omitempty"`
	ObservedSeq    uint64 `json:"observedSequence,omitempty"`
	MatchedProfile bool   `json:"matchedProfileCommand"`
	PreDigest      string `json:"preWorkingTreeDigest,omitempty"`
	PostDigest     string `json:"workingTreeDigest,omitempty"`
}

// Trace is how a task ended.
type Trace struct {
	Outcome    string `json:"outcome"` // pending until it is closed
	Friction   string `json:"friction,omitempty"`
	Notes      string `json:"notes,omitempty"`
	FailedAt   string `json:"failedAt,omitempty"`
	RuledOut   string `json:"ruledOut,omitempty"`
	RecordedAt string `json:"recordedAt,omitempty"`
}

// The outcomes of a trace.
const (
	outcomePending   = "pending"
	outcomeCompleted = "completed"
)

// Open reports whether the task is not closed yet.
func (t *Task) Open() bool { return t.Trace.Outcome == outcomePending }

// The caps of a contract (R).
const (
	maxAttemptsKept   = 10
	maxVerifyEvidence = 100
	maxManifestKept   = 400
)

// taskRecord is a record of the task journal.
type taskRecord struct {
	Kind         string `json:"kind"` // task, session, name, baseline
	Index        string `json:"index"`
	Event        string `json:"event"`
	TaskRunID    string `json:"taskRunId,omitempty"`
	Digest       string `json:"digest,omitempty"`
	Task         *Task  `json:"task,omitempty"`
	RecordedAt   string `json:"recordedAt"`
	RecordedAtMs int64  `json:"recordedAtMs"`
}

// The journal's index keys.
func runKey(id string) string           { return "run:" + id }
func nameKey(taskID string) string      { return "task:" + taskID }
func sessionKey(session string) string  { return "session:" + session }
func baselineKey(session string) string { return "baseline:" + session }

func (l *Ledger) nowMs() int64 { return l.opts.Clock().UnixMilli() }

func (l *Ledger) stampTime() string { return l.opts.Clock().UTC().Format(time.RFC3339Nano) }

// newestRecord is the newest trusted journal record of a key, nil for none.
func (l *Ledger) newestRecord(ctx context.Context, key string) (*taskRecord, error) {
	var out *taskRecord
	_, err := l.journal.find(ctx, key, l.nowMs(), func(f found) (bool, error) {
		if !f.trusted {
			return false, nil
		}
		out = &taskRecord{}
		if err := json.Unmarshal(f.line, out); err != nil {
			return false, fmt.Errorf("reading task journal record %d: %w", f.Seq, err)
		}
		return false, nil
	})
	return out, err
}

// task loads the latest attempt at a task, or the attempt itself when the id
// is that of a run. It returns nil when there is none.
func (l *Ledger) task(ctx context.Context, id string) (*Task, error) {
	named, err := l.newestRecord(ctx, nameKey(id))
	if err != nil {
		return nil, fmt.Errorf("reading task %s: %w", id, err)
	}
	if named != nil {
		id = named.TaskRunID
	}
	rec, err := l.newestRecord(ctx, runKey(id))
	if err != nil {
		return nil, fmt.Errorf("reading task %s: %w", id, err)
	}
	if rec == nil {
		return nil, nil
	}
	return rec.Task, nil
}

// sessionTask loads the open task of a session, nil when there is none.
func (l *Ledger) sessionTask(ctx context.Context, session string) (*Task, error) {
	bound, err := l.newestRecord(ctx, sessionKey(session))
	if err != nil || bound == nil {
		return nil, err
	}
	t, err := l.task(ctx, bound.TaskRunID)
	if err != nil || t == nil || !t.Open() {
		return nil, err
	}
	return t, nil
}

// hasOpenTask reports whether the session has an open task; when that cannot
// be known, it may have.
func (l *Ledger) hasOpenTask(ctx context.Context) bool {
	t, err := l.sessionTask(ctx, l.opts.Session)
	return err != nil || t != nil
}

// changeTask applies fn to an open task and records the result.
func (l *Ledger) changeTask(ctx context.Context, id, event string, fn func(*Task) error) (*Task, error) {
	t, err := l.task(ctx, id)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, noTask(id)
	}
	var out *Task
	err = l.journal.update(ctx, runKey(t.TaskRunID), l.nowMs(), func(newest []byte) ([]byte, error) {
		var rec taskRecord
		if newest == nil {
			return nil, noTask(id)
		}
		if err := json.Unmarshal(newest, &rec); err != nil {
			return nil, fmt.Errorf("reading task %s: %w", id, err)
		}
		if !rec.Task.Open() {
			return nil, &ToolError{"TASK_CLOSED", fmt.Sprintf("task %s is closed with the outcome %s", id, rec.Task.Trace.Outcome), "Open a new one with piagent_task_start"}
		}
		if err := fn(rec.Task); err != nil {
			return nil, err
		}
		rec.Task.UpdatedAt = l.stampTime()
		out = rec.Task
		return l.taskPayload(rec.Task, event)
	})
	if err != nil {
		return nil, err
	}
	return out, l.copyTask(out)
}

func noTask(id string) error {
	return &ToolError{"TASK_NOT_FOUND", fmt.Sprintf("there is no task %q", id), "Open it with piagent_task_start, or give the id that it returned"}
}

func (l *Ledger) taskPayload(t *Task, event string) ([]byte, error) {
	return json.Marshal(taskRecord{
		Kind: "task", Index: runKey(t.TaskRunID), Event: event, TaskRunID: t.TaskRunID, Task: t,
		RecordedAt: l.stampTime(), RecordedAtMs: l.nowMs(),
	})
}

// note appends a journal record that names a task run, or a digest, by a key.
func (l *Ledger) note(ctx context.Context, kind, key, run, digest string) error {
	payload, err := json.Marshal(taskRecord{
		Kind: kind, Index: key, Event: kind, TaskRunID: run, Digest: digest, RecordedAt: l.stampTime(), RecordedAtMs: l.nowMs(),
	})
	if err != nil {
		return err
	}
	_, err = l.journal.append(ctx, item{payload: payload, key: key, timeMs: l.nowMs()})
	return err
}

// copyTask writes the copy of a task for people. It is never read back.
func (l *Ledger) copyTask(t *Task) error {
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return l.state.sub("tasks").writeFile(t.TaskRunID+".json", append(text, '\n'))
}

// Baseline notes what the work tree is at the beginning of a session, so that
// the gate can tell without any task whether the session changed something
// (E12). A session that goes on, after a reload say, keeps its first baseline.
func (l *Ledger) Baseline(ctx context.Context, session string) error {
	if l == nil {
		return errNoLedger
	}
	if rec, err := l.newestRecord(ctx, baselineKey(session)); err != nil || rec != nil {
		return err
	}
	t, err := l.keptTree(ctx)
	if err != nil {
		return fmt.Errorf("noting the session's first work tree: %w", err)
	}
	return l.note(ctx, "baseline", baselineKey(session), "", t.Digest)
}
