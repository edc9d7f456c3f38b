package ledger

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// GateQuery asks whether work may be handed over.
type GateQuery struct {
	// TaskID is a task or task run; "" judges the session, or with no
	// session the work tree as it is, as CI and git hooks do.
	TaskID  string
	Session string
	// ChangedFiles are files the agent says it changed.
	ChangedFiles []string
}

// Decision is the gate's answer.
type Decision string

// The decisions.
const (
	GatePass Decision = "pass"
	GateFail Decision = "fail"
)

// Reason is one thing that keeps work from being handed over, or a warning.
type Reason struct {
	// Code is stable, for programs: "stale", "not-observed", "failing", …
	Code string `json:"code"`
	Text string `json:"text"`
	// Remedy is what to do about it.
	Remedy  string   `json:"remedy,omitempty"`
	Command string   `json:"command,omitempty"`
	Files   []string `json:"files,omitempty"`
}

// Evidence is the run that a passing command rests on.
type Evidence struct {
	Command    string      `json:"command"`
	Seq        uint64      `json:"sequence"`
	RecordedAt string      `json:"recordedAt"`
	Session    string      `json:"session,omitempty"`
	Source     Source      `json:"source,omitempty"`
	Tests      *TestCounts `json:"tests,omitempty"`
	// Flaky is true when another run failed on the same content.
	Flaky bool `json:"flaky,omitempty"`
}

// GateAnswer is the gate's answer with all its reasons (E6, E7).
type GateAnswer struct {
	Decision Decision `json:"decision"`
	Mode     GateMode `json:"mode"`
	TaskID   string   `json:"taskId,omitempty"`
	// Digest is the work tree that the answer is about.
	Digest                string     `json:"currentWorkingTreeDigest"`
	Reasons               []Reason   `json:"missing"`
	Warnings              []Reason   `json:"warnings"`
	MissingVerifyCommands []string   `json:"missingVerifyCommands"`
	ChangedFiles          []Change   `json:"changedFiles"`
	Evidence              []Evidence `json:"evidence"`
	// SourcesChanged is false when there was nothing to verify.
	SourcesChanged bool `json:"sourcesChanged"`
}

// Blocks reports whether work must not be handed over.
func (g *GateAnswer) Blocks() bool { return g.Decision == GateFail && g.Mode == GateEnforce }

// Text is the answer for a person or the model: the decision, then each reason
// with what to do.
func (g *GateAnswer) Text() string {
	var out strings.Builder
	switch {
	case g.Decision == GatePass && !g.SourcesChanged:
		out.WriteString("Gate: pass, nothing changed that needs verifying.")
	case g.Decision == GatePass:
		out.WriteString("Gate: pass.")
		for _, e := range g.Evidence {
			fmt.Fprintf(&out, "\n- `%s` passed on exactly this content (record %d)", e.Command, e.Seq)
			if e.Tests != nil {
				fmt.Fprintf(&out, ", %d tests", e.Tests.Executed())
			}
		}
	default:
		out.WriteString("Gate: fail.")
	}
	for _, r := range g.Reasons {
		out.WriteString("\n- " + r.sentence())
	}
	for _, r := range g.Warnings {
		out.WriteString("\n- warning: " + r.sentence())
	}
	return out.String()
}

func (r *Reason) sentence() string {
	s := r.Text
	if len(r.Files) > 0 {
		shown := r.Files[:min(len(r.Files), 8)]
		s += ": " + strings.Join(shown, ", ")
		if more := len(r.Files) - len(shown); more > 0 {
			s += fmt.Sprintf(" and %d more", more)
		}
	}
	if r.Remedy != "" {
		s += " → " + r.Remedy
	}
	return s
}

// Gate judges by the ledger whether work may be handed over (E6, E7, E12). A
// broken ledger, an unreadable tree or a lost record is a reason to fail, not
// an error; an error means that no answer could be had, and must be taken as
// a failure too.
func (l *Ledger) Gate(ctx context.Context, q GateQuery) (GateAnswer, error) {
	if l == nil {
		return GateAnswer{}, errNoLedger
	}
	g := gate{ledger: l, contract: l.Contract(), answer: GateAnswer{Mode: l.Contract().Gate, TaskID: q.TaskID}}
	if g.answer.Mode == "" {
		g.answer.Mode = GateWarn
	}
	if err := g.judge(ctx, q); err != nil {
		if ctx.Err() != nil {
			return g.answer, err
		}
		g.unreadable(err)
	}
	return g.done(), nil
}

// unreadable is the reason when the records themselves cannot be read.
func (g *gate) unreadable(err error) {
	g.fail(Reason{Code: "ledger-unreadable", Text: "the ledger cannot be read: " + err.Error(), Remedy: "mend this, then run the verify commands again"})
}

// gate is one judgement in the making.
type gate struct {
	ledger   *Ledger
	contract Contract
	task     *Task
	tree     *Tree
	answer   GateAnswer
	// changesKnown is false when what changed cannot be told.
	changesKnown bool
}

func (g *gate) fail(r Reason) { g.answer.Reasons = append(g.answer.Reasons, r) }
func (g *gate) warn(r Reason) { g.answer.Warnings = append(g.answer.Warnings, r) }

func (g *gate) done() GateAnswer {
	g.answer.Decision = GatePass
	if len(g.answer.Reasons) > 0 {
		g.answer.Decision = GateFail
	}
	return g.answer
}

func (g *gate) judge(ctx context.Context, q GateQuery) error {
	if q.TaskID != "" {
		var err error
		if g.task, err = g.ledger.task(ctx, q.TaskID); err != nil {
			return err
		}
		if g.task == nil {
			g.fail(Reason{Code: "no-task", Text: fmt.Sprintf("there is no task %q", q.TaskID), Remedy: "open it with piagent_task_start"})
			return nil
		}
	}
	tree, err := g.ledger.keptTree(ctx)
	if err != nil {
		return fmt.Errorf("reading the work tree: %w", err)
	}
	g.tree, g.answer.Digest = tree, tree.Digest
	if !tree.Available() {
		g.fail(Reason{Code: "no-digest", Text: "the work tree cannot be read whole: " + tree.Problem, Remedy: "make the file readable, or ignore it in .gitignore"})
	} else if tree.Partial {
		g.warn(Reason{Code: "partial", Text: "this folder is no git work tree: what is built or fetched was guessed", Remedy: "run `git init`"})
	}
	if err := g.changes(ctx, q); err != nil {
		return err
	}
	if err := g.evidence(ctx); err != nil {
		return err
	}
	if g.task != nil {
		g.judgeTask(q)
	}
	return nil
}

// changes finds out what changed since the task or the session began.
func (g *gate) changes(ctx context.Context, q GateQuery) error {
	baseline := ""
	switch {
	case g.task != nil:
		baseline = g.task.BaselineDigest
	case q.Session != "":
		rec, err := g.ledger.newestRecord(ctx, baselineKey(q.Session))
		if err != nil {
			return err
		}
		if rec != nil {
			baseline = rec.Digest
		}
	}
	if baseline == "" || !g.tree.Available() {
		g.answer.SourcesChanged = true
		return nil
	}
	if baseline == g.tree.Digest {
		g.changesKnown = true
		return nil
	}
	changed, known, err := g.ledger.Changes(baseline, g.tree.Digest)
	if err != nil {
		return err
	}
	g.answer.ChangedFiles, g.changesKnown, g.answer.SourcesChanged = changed, known, true
	if known {
		g.answer.SourcesChanged = slices.ContainsFunc(changed, func(c Change) bool { return !g.generated(c.Path) })
	}
	return nil
}

// generated reports whether a path is declared to be written by tools.
func (g *gate) generated(file string) bool { return matchesAny(g.contract.Generated, file) }

// required lists the commands that the changes ask for.
func (g *gate) required() []string {
	docs := g.changesKnown && len(g.answer.ChangedFiles) > 0 &&
		!slices.ContainsFunc(g.answer.ChangedFiles, func(c Change) bool { return !isDocument(c.Path) && !g.generated(c.Path) })
	var out []string
	for _, vc := range g.contract.commands() {
		if (vc.group == DocsOnly) == docs {
			out = append(out, vc.command)
		}
	}
	if g.task != nil && !docs {
		out = g.task.VerifyCommands
	}
	return out
}

// isDocument reports whether a file is text for people, which no test runs.
func isDocument(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown", ".rst", ".adoc", ".txt":
		return !slices.Contains([]string{"requirements.txt", "CMakeLists.txt", "constraints.txt", "robots.txt"}, path.Base(file))
	}
	return slices.Contains([]string{"LICENSE", "NOTICE", "AUTHORS", "CODEOWNERS", "CHANGELOG"}, path.Base(file))
}

// evidence looks for a passing run of each command that is asked for.
func (g *gate) evidence(ctx context.Context) error {
	st, err := g.ledger.bash.find(ctx, "", g.ledger.nowMs(), nil)
	if err != nil {
		return err
	}
	if lost := g.ledger.bash.unrecorded(); lost != nil {
		g.fail(Reason{Code: "not-recorded", Text: "commands ran that could not be recorded: " + lost.Error(), Remedy: "mend this, then run the verify commands again"})
	}
	if !g.answer.SourcesChanged {
		return nil
	}
	commands := g.required()
	if len(commands) == 0 {
		g.noCommands()
		return nil
	}
	for _, command := range commands {
		if err := CheckVerifyCommand(command); err != nil {
			g.fail(Reason{Code: "weak-command", Text: err.Error(), Command: command, Remedy: "change verifyCommands in the profile"})
			continue
		}
		if err := g.command(ctx, command, st); err != nil {
			return err
		}
	}
	return nil
}

// noCommands is the answer when nothing could prove the changes.
func (g *gate) noCommands() {
	r := Reason{Code: "no-verify-command", Text: "the profile names no verify command for these changes", Remedy: "name one under verifyCommands, or run `pi-guard profile init`"}
	docs := g.changesKnown && !slices.ContainsFunc(g.answer.ChangedFiles, func(c Change) bool { return !isDocument(c.Path) })
	if docs || g.contract.Verify == nil && g.task == nil {
		if !docs {
			g.warn(r)
		}
		return
	}
	g.fail(r)
}
