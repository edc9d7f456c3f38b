package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// gate asks the gate for the session.
func (f *fixture) gate() GateAnswer {
	f.t.Helper()
	g, err := f.Gate(context.Background(), GateQuery{Session: "s1"})
	if err != nil {
		f.t.Fatal(err)
	}
	return g
}

func (g *GateAnswer) codes() []string {
	var out []string
	for _, r := range g.Reasons {
		out = append(out, r.Code)
	}
	return out
}

func (f *fixture) wants(codes ...string) {
	f.t.Helper()
	g := f.gate()
	if !slices.Equal(g.codes(), codes) {
		f.t.Errorf("gate = %s; want the reasons %v", g.Text(), codes)
	}
}

// repo makes the project a repository with one commit.
func (f *fixture) repo() {
	f.write("main.go", "package main\n")
	f.write(".gitignore", "out/\n*.log\n")
	f.git("init", "-q", "-b", "main")
	f.git("add", ".")
	f.git("commit", "-qm", "x")
	if err := f.Baseline(context.Background(), "s1"); err != nil {
		f.t.Fatal(err)
	}
}

// TestE12GateFromEvents shows that a session without any tool call of the
// model gets the same answer.
func TestE12GateFromEvents(t *testing.T) {
	f := newFixture(t)
	f.repo()
	if g := f.gate(); g.Decision != GatePass || g.SourcesChanged {
		t.Errorf("nothing changed, but the gate says %s", g.Text())
	}
	f.write("main.go", "package main // changed\n")
	f.wants("not-observed")
	f.run("npm test", 1)
	f.wants("failing")
	f.run("npm test", 0)
	f.wants()
	g := f.gate()
	if len(g.Evidence) != 1 || !g.Evidence[0].Flaky {
		t.Errorf("a pass after a failure on the same content is not shown as flaky: %s", g.Text())
	}
	f.write("main.go", "package main // again\n")
	f.wants("stale")
	if g := f.gate(); !slices.Equal(g.Reasons[0].Files, []string{"main.go"}) {
		t.Errorf("stale files = %v; want main.go", g.Reasons[0].Files)
	}
	f.write("main.go", "package main // changed\n")
	f.wants() // the same content is fresh again
}

// callTool calls a tool and decodes its structured result.
func (f *fixture) call(name string, params map[string]any) (ToolResult, error) {
	f.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.CallTool(context.Background(), name, raw)
}

func (f *fixture) must(name string, params map[string]any) ToolResult {
	f.t.Helper()
	res, err := f.call(name, params)
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	return res
}

func taskParams() map[string]any {
	return map[string]any{
		"taskId": "t1", "summary": "Change the main program", "riskLane": "normal", "expectedOutput": "A changed program",
		"acceptanceCriteria": []string{"it builds"}, "scope": []string{"*.go"},
	}
}

// TestE5TaskFromStartToGate follows R's task lifecycle.
func TestE5TaskFromStartToGate(t *testing.T) {
	f := newFixture(t)
	f.repo()
	f.run("npm test", 0) // before the task: no evidence for it
	f.must("piagent_task_start", taskParams())
	f.write("main.go", "package main // changed\n")
	f.must("piagent_context_record", map[string]any{"taskId": "t1", "files": []Cited{{"main.go", "it is changed"}}})
	_, err := f.call("piagent_verify_record", map[string]any{"taskId": "t1", "command": "npm test", "exitCode": 0, "summary": "good"})
	var refused *ToolError
	if !errors.As(err, &refused) || refused.Code != "NOT_OBSERVED" {
		t.Errorf("an unobserved run was recorded: %v", err)
	}
	f.run("npm test", 0)
	if _, err := f.call("piagent_verify_record", map[string]any{"taskId": "t1", "command": "npm test", "exitCode": 1, "summary": "bad"}); !errors.As(err, &refused) || refused.Code != "STATUS_DIFFERS" {
		t.Errorf("another status was recorded: %v", err)
	}
	f.must("piagent_verify_record", map[string]any{"taskId": "t1", "command": "npm test", "exitCode": 0, "summary": "good"})
	g := f.must("piagent_task_gate_check", map[string]any{"taskId": "t1"}).Structured.(GateAnswer)
	if !slices.Equal(g.codes(), []string{"trace", "undeclared"}) {
		t.Errorf("gate before the trace = %s", g.Text())
	}
	res := f.must("piagent_trace_record", map[string]any{"taskId": "t1", "outcome": "completed", "changedFiles": []string{"main.go"}})
	if !strings.Contains(res.Text, "Gate: pass") {
		t.Errorf("trace answered %q; want a passing gate", res.Text)
	}
	if _, err := f.call("piagent_task_start", taskParams()); !errors.As(err, &refused) || refused.Code != "TASK_COMPLETED" {
		t.Errorf("a completed task was opened again: %v", err)
	}
}

// TestE5ToolsRefuseWithAdvice shows that each wrong parameter is named with
// what to write.
func TestE5ToolsRefuseWithAdvice(t *testing.T) {
	f := newFixture(t)
	for _, tc := range []struct {
		tool   string
		params string
		want   string
	}{
		{"piagent_task_start", `{}`, "the call lacks"},
		{"piagent_task_start", `{"summary":"x","riskLane":"huge","expectedOutput":"1234567890","acceptanceCriteria":["abc"],"scope":["."]}`, "riskLane is huge: write one of tiny, normal, high-risk"},
		{"piagent_task_start", `{"summary":"x","riskLane":"tiny","expectedOutput":"1234567890","acceptanceCriteria":["abc"],"scope":["."]}`, "summary has 1 characters: write at least 10"},
		{"piagent_task_start", `{"summary":"1234567890","riskLane":"tiny","expectedOutput":"1234567890","acceptanceCriteria":[],"scope":["."]}`, "acceptanceCriteria has 0 entries: give at least 1"},
		{"piagent_task_start", `{"summary":"1234567890","riskLane":"tiny","expectedOutput":"1234567890","acceptanceCriteria":["abc"],"scope":["../x"]}`, "must be a path or glob within the project"},
		{"piagent_verify_record", `{"taskId":"t","command":"c","exitCode":"0","summary":"good"}`, "exitCode is of type string: write a value of type integer"},
		{"piagent_usage_snapshot", `{"x":1}`, "does not take x: leave it out"},
		{"piagent_context_budget", `{"files":"a"}`, "files is of type string: write a value of type array"},
		{"piagent_usage_snapshot", `{`, "are no JSON"},
		{"piagent_trace_record", `{"taskId":"t","outcome":"failed"}`, "needs friction"},
	} {
		_, err := f.CallTool(context.Background(), tc.tool, json.RawMessage(tc.params))
		if err == nil || !errors.Is(err, ErrInvalidArgument) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: error %v; want one with %q", tc.tool, tc.params, err, tc.want)
		}
	}
}

// TestE5EveryToolHasASchema checks the table itself.
func TestE5EveryToolHasASchema(t *testing.T) {
	want := strings.Fields(`piagent_context piagent_context_index_status piagent_context_index_search piagent_context_index_record
		piagent_context_budget piagent_usage_snapshot piagent_task_start piagent_task_progress piagent_context_record piagent_verify_record
		piagent_trace_record piagent_task_gate_check piagent_permission_status piagent_exec_policy_check piagent_tool_policy_check`)
	var got []string
	for _, spec := range ToolSpecs() {
		got = append(got, spec.Name)
		if spec.Description == "" || spec.Owner != "ledger" && spec.Owner != "hooks" {
			t.Errorf("%s lacks a description or an owner", spec.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("tools = %v; want %v", got, want)
	}
}

func TestE10Budget(t *testing.T) {
	f := newFixture(t)
	f.write("small.txt", "x")
	f.write("long.txt", strings.Repeat("ä", 5000))
	f.write("huge.txt", strings.Repeat("x", 60000))
	res := f.must("piagent_context_budget", map[string]any{"files": []string{"small.txt", "long.txt", "huge.txt", "none.txt"}})
	got := res.Structured.(map[string]any)["results"].([]BudgetResult)
	want := []BudgetResult{
		{Path: "small.txt", Exists: true, Chars: 1},
		{Path: "long.txt", Exists: true, Chars: 5000, Warn: true},
		{Path: "huge.txt", Exists: true, Chars: 60000, Warn: true, OverLimit: true},
		{Path: "none.txt", Note: "there is no such file"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("results = %+v; want %+v", got, want)
	}
}

func TestE10ContextIndex(t *testing.T) {
	f := newFixture(t)
	f.write("auth.go", "package auth")
	f.must("piagent_context_index_record", map[string]any{
		"summary": "How signing in works", "nodes": []map[string]any{
			{"id": "auth", "kind": "module", "label": "Signing in", "summary": "Checks the session", "path": "auth.go"},
			{"id": "db", "kind": "tech", "label": "Database"},
		},
		"edges": []map[string]any{{"from": "auth", "to": "db", "kind": "depends_on"}},
	})
	search := func() []IndexHit {
		return f.must("piagent_context_index_search", map[string]any{"query": "signing"}).Structured.(map[string]any)["results"].([]IndexHit)
	}
	if hits := search(); len(hits) != 1 || hits[0].ID != "auth" || hits[0].Stale || len(hits[0].Edges) != 1 {
		t.Errorf("hits = %+v; want the fresh node auth with one edge", hits)
	}
	f.write("auth.go", "package auth // changed")
	if hits := search(); !hits[0].Stale {
		t.Error("a node whose file changed is not shown as stale")
	}
	if _, err := f.call("piagent_context_index_record", map[string]any{"summary": "1234567890", "edges": []map[string]any{{"from": "auth", "to": "x", "kind": "updates"}}}); err == nil {
		t.Error("an edge to a node that is not there was recorded")
	}
}

func TestE7Claims(t *testing.T) {
	for _, p := range loadClaims().Patterns {
		for _, text := range p.Match {
			if _, claims := ClaimsSuccess(text); !claims {
				t.Errorf("%q is not seen as a claim", text)
			}
		}
		for _, text := range p.Keep {
			if s, claims := ClaimsSuccess(text); claims {
				t.Errorf("%q is taken for a claim: %q", text, s)
			}
		}
	}
	failing := GateAnswer{Decision: GateFail, SourcesChanged: true, Reasons: []Reason{{Code: "not-observed", Text: "no run was seen", Remedy: "run it"}}}
	if footer := ClaimFooter("Done. All tests pass.", &failing); !strings.Contains(footer, "All tests pass") || !strings.Contains(footer, "run it") {
		t.Errorf("footer = %q", footer)
	}
	if footer := ClaimFooter("Done.", &failing); footer != "" {
		t.Errorf("a text without claim got the footer %q", footer)
	}
}
