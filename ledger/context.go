package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

type detailParams struct {
	Detail string `json:"detail"`
}

// toolContext shows the profile, the evidence and the tasks (R, piagent_context).
func (l *Ledger) toolContext(ctx context.Context, p detailParams) (ToolResult, error) {
	c := l.Contract()
	st, err := l.bash.find(ctx, "", l.nowMs(), nil)
	if err != nil {
		return ToolResult{}, fmt.Errorf("reading the ledger: %w", err)
	}
	t, err := l.sessionTask(ctx, l.opts.Session)
	if err != nil {
		return ToolResult{}, err
	}
	state := map[string]any{"records": st.seq, "evidenceFrom": st.trustFrom}
	if st.distrust != "" {
		state["damage"] = st.distrust
	}
	out := map[string]any{
		"project": l.project, "verifyCommands": c.Verify, "requiredContext": c.RequiredContext,
		"contextBudget": c.Budget, "finalGate": map[string]any{"mode": c.Gate, "require": c.Require}, "ledger": state,
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Project %s. Gate: %s.", l.project, orDefault(string(c.Gate), string(GateWarn)))
	for _, vc := range c.commands() {
		fmt.Fprintf(&text, "\nVerify (%s): `%s`", vc.group, vc.command)
	}
	if len(c.RequiredContext) > 0 {
		fmt.Fprintf(&text, "\nRead first: %s", strings.Join(c.RequiredContext, ", "))
	}
	if t != nil {
		out["task"] = t
		fmt.Fprintf(&text, "\nOpen task: %s (%s), open steps: %s", t.TaskID, t.Summary, orNone(openSteps(t)))
	} else {
		text.WriteString("\nNo task is open.")
	}
	if p.Detail == "full" {
		out["profile"], out["generated"], out["protectedPaths"] = c.Profile, c.Generated, c.ProtectedPaths
	}
	return ToolResult{text.String(), out}, nil
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

type budgetParams struct {
	Files []string `json:"files"`
}

// BudgetResult is one file held against the budget (E10).
type BudgetResult struct {
	Path      string `json:"path"`
	Exists    bool   `json:"exists"`
	Chars     int    `json:"chars"`
	OverLimit bool   `json:"overLimit"`
	Warn      bool   `json:"warn"`
	Note      string `json:"note,omitempty"`
}

// toolBudget holds files against the context budget.
func (l *Ledger) toolBudget(_ context.Context, p budgetParams) (ToolResult, error) {
	budget := l.Contract().Budget
	results := make([]BudgetResult, len(p.Files))
	var text strings.Builder
	for i, name := range p.Files {
		r, err := l.budgetOf(name, budget)
		if err != nil {
			return ToolResult{}, err
		}
		results[i] = r
		switch {
		case r.Note != "":
			fmt.Fprintf(&text, "%s: %s\n", r.Path, r.Note)
		case r.OverLimit:
			fmt.Fprintf(&text, "%s: %d characters, over the limit: read a part of it\n", r.Path, r.Chars)
		case r.Warn:
			fmt.Fprintf(&text, "%s: %d characters, long: a part may do\n", r.Path, r.Chars)
		default:
			fmt.Fprintf(&text, "%s: %d characters\n", r.Path, r.Chars)
		}
	}
	if limit := budget.MaxManifestFiles; limit > 0 && len(p.Files) > limit {
		fmt.Fprintf(&text, "%d files are over the budget of %d for one task\n", len(p.Files), limit)
	}
	return ToolResult{strings.TrimSuffix(text.String(), "\n"), map[string]any{"budget": budget, "results": results}}, nil
}

// maxBudgetRead bounds the bytes that are read to count characters.
const maxBudgetRead = 4 << 20

func (l *Ledger) budgetOf(name string, budget Budget) (BudgetResult, error) {
	r := BudgetResult{Path: name}
	if err := checkScope([]string{name}); err != nil {
		return r, err
	}
	// os.Root keeps a symlink from leading out of the project.
	root, err := os.OpenRoot(l.project)
	if err != nil {
		return r, fmt.Errorf("opening the project: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(path.Clean(name)))
	if errors.Is(err, fs.ErrNotExist) {
		r.Note = "there is no such file"
		return r, nil
	}
	if err != nil {
		r.Note = "it cannot be read: " + err.Error()
		return r, nil
	}
	r.Exists = true
	if !info.Mode().IsRegular() {
		r.Note = "it is no regular file"
		return r, nil
	}
	f, err := root.Open(filepath.FromSlash(path.Clean(name)))
	if err != nil {
		r.Note = "it cannot be read: " + err.Error()
		return r, nil
	}
	defer f.Close()
	data, err := readLimited(f, maxBudgetRead)
	r.Chars = utf8.RuneCount(data)
	if err != nil {
		r.Chars = int(info.Size())
	}
	limit := budget.MaxContextFileChars
	if strings.HasPrefix(path.Clean(name), ".pi/memory/") {
		limit = budget.MaxMemoryFileChars
	}
	r.OverLimit = limit > 0 && r.Chars > limit
	r.Warn = r.OverLimit || budget.WarnFragmentChars > 0 && r.Chars > budget.WarnFragmentChars
	return r, nil
}

// SetUsage tells the ledger what pi says of the session's usage.
func (l *Ledger) SetUsage(u Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage = u
}

// toolUsage shows the usage (R, piagent_usage_snapshot).
func (l *Ledger) toolUsage(context.Context, struct{}) (ToolResult, error) {
	l.mu.Lock()
	u := l.usage
	l.mu.Unlock()
	if u == (Usage{}) {
		return ToolResult{"pi has not told the usage of this session yet.", map[string]any{"available": false}}, nil
	}
	text := fmt.Sprintf("Context: %d of %d tokens. Session: %d in, %d out, %d read from cache.", u.ContextTokens, u.ContextWindow, u.InputTokens, u.OutputTokens, u.CacheRead)
	if u.CostUSD > 0 {
		text += fmt.Sprintf(" Cost: $%.4f.", u.CostUSD)
	}
	return ToolResult{text, map[string]any{"available": true, "usage": u}}, nil
}
