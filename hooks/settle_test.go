package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/rpc"
)

const testProfile = `{"schemaVersion":1,"projectId":"p","displayName":"P","extends":"generic","verifyCommands":{"source":["make check"]}}`

// newGatedDesk is a session in a git repository whose profile asks for evidence.
func newGatedDesk(t *testing.T, gate string) *desk {
	t.Helper()
	d := newDesk(t)
	profile := testProfile
	if gate != "" {
		profile = strings.TrimSuffix(profile, "}") + `,"runtimePolicy":{"finalGate":"` + gate + `"}}`
	}
	d.write(".pi/piagent-profile.json", profile)
	d.write("main.go", "package main\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "main.go"}, {"-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = d.project
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	d.start.UI = "rpc"
	d.begin()
	if err := d.command("/permission approval auto"); err != nil {
		t.Fatal(err)
	}
	return d
}

// writes makes a write that really happens.
func (d *desk) writes(name, text string) rpc.ToolPatch {
	d.t.Helper()
	if v := d.callID("w-"+name, "write", map[string]any{"path": name, "content": text}); v.Block {
		d.t.Fatal(v.Reason)
	}
	d.write(name, text)
	return d.result("w-"+name, "write", `{"path":"`+name+`"}`, "ok", false)
}

// runs makes a bash call with a result; the command itself is not run.
func (d *desk) runs(command string, failed bool) rpc.ToolPatch {
	d.t.Helper()
	d.person.answers = append(d.person.answers, "Allow once")
	d.count++
	id := fmt.Sprintf("b-%d", d.count)
	if v := d.callID(id, "bash", map[string]any{"command": command, "timeout": 9}); v.Block {
		d.t.Fatal(v.Reason)
	}
	input, _ := json.Marshal(map[string]any{"command": command, "timeout": 9})
	text := "ok\n"
	if failed {
		text = "no\n\nCommand exited with code 1"
	}
	return d.result(id, "bash", string(input), text, failed)
}

func (d *desk) result(id, tool, input, text string, failed bool) rpc.ToolPatch {
	d.t.Helper()
	content, err := json.Marshal([]textBlock{{"text", text}})
	if err != nil {
		d.t.Fatal(err)
	}
	p, err := d.session.ToolResult(context.Background(), rpc.ToolResult{
		ToolCallID: id, ToolName: tool, Input: json.RawMessage(input), Content: content, IsError: failed, Cwd: d.project,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *desk) settle() rpc.SettleAnswer {
	d.t.Helper()
	a, err := d.session.BeforeSettle(context.Background(), rpc.Settle{Outcome: "completed"})
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// TestHandoff sends the agent back for evidence, a bounded number of times,
// and lets it go when there is some (E7).
func TestHandoff(t *testing.T) {
	d := newGatedDesk(t, "")
	if a := d.settle(); a.Continue {
		t.Fatalf("nothing changed, and still: %s", a.Message)
	}
	d.writes("main.go", "package main // changed\n")
	for i := range maxHandoffs {
		if a := d.settle(); !a.Continue || !strings.Contains(a.Message, "make check") {
			t.Fatalf("sending back %d: %+v", i+1, a)
		}
	}
	if a := d.settle(); a.Continue {
		t.Error("the agent is sent back without end")
	}
	if n := len(d.person.told); n == 0 || !strings.Contains(d.person.told[n-1].Text, "make check") {
		t.Errorf("the person is not told what is missing: %v", d.person.told)
	}
	d.runs("make check", true)
	if a := d.settle(); a.Continue {
		t.Error("the bound is not kept")
	}
	if _, err := d.session.BeforeAgentStart(context.Background(), rpc.BeforeAgentStart{}); err != nil {
		t.Fatal(err)
	}
	if a := d.settle(); !a.Continue {
		t.Error("a failed run counts as evidence")
	}
	d.runs("make check", false)
	if a := d.settle(); a.Continue {
		t.Errorf("with fresh evidence: %s", a.Message)
	}
	d.writes("main.go", "package main // changed again\n")
	if a := d.settle(); !a.Continue {
		t.Error("evidence is not stale after a change")
	}
}

func TestHandoffAbortedIsLeftAlone(t *testing.T) {
	d := newGatedDesk(t, "")
	d.writes("main.go", "package main // changed\n")
	for _, outcome := range []string{"aborted", "error"} {
		a, err := d.session.BeforeSettle(context.Background(), rpc.Settle{Outcome: outcome})
		if err != nil || a.Continue {
			t.Errorf("%s: %+v, %v", outcome, a, err)
		}
	}
}

// TestGateWarns only tells the person; TestGateOff says nothing.
func TestGateWarns(t *testing.T) {
	d := newGatedDesk(t, "advisory")
	d.writes("main.go", "package main // changed\n")
	told := len(d.person.told)
	if a := d.settle(); a.Continue || len(d.person.told) == told {
		t.Errorf("%+v, the person is told %v", a, d.person.told[told:])
	}
}

func TestGateOff(t *testing.T) {
	d := newGatedDesk(t, "off")
	d.writes("main.go", "package main // changed\n")
	told := len(d.person.told)
	if a := d.settle(); a.Continue || len(d.person.told) != told {
		t.Errorf("%+v, the person is told %v", a, d.person.told[told:])
	}
}

// TestHandoffOfOlderPi goes along with the results, since an older pi does not
// wait at the end.
func TestHandoffOfOlderPi(t *testing.T) {
	d := newGatedDesk(t, "")
	d.start.UI, d.start.Reason = "", "restart"
	d.begin()
	if p := d.writes("main.go", "package main // changed\n"); !strings.Contains(p.Handoff, "make check") {
		t.Fatalf("handoff %q", p.Handoff)
	}
	if p := d.runs("make check", false); p.Handoff != "" {
		t.Errorf("with fresh evidence: %q", p.Handoff)
	}
}

// TestFooter marks a claim that nothing observed supports, and no other.
func TestFooter(t *testing.T) {
	d := newGatedDesk(t, "")
	footer := func(text string) string {
		f, err := d.session.MessageEnd(context.Background(), rpc.MessageEnd{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return f.Footer
	}
	d.writes("main.go", "package main // changed\n")
	if got := footer("Done. All tests pass."); !strings.Contains(got, "make check") {
		t.Errorf("footer %q", got)
	}
	if got := footer("I changed main.go."); got != "" {
		t.Errorf("a message without a claim has the footer %q", got)
	}
	d.runs("make check", false)
	if got := footer("Done. All tests pass."); got != "" {
		t.Errorf("a supported claim has the footer %q", got)
	}
}

// TestNothingIsLeftBehind: a session that does nothing writes nothing, neither
// into the project nor beside it.
func TestNothingIsLeftBehind(t *testing.T) {
	d := newDesk(t)
	d.call("read", path("a.txt"))
	if _, err := d.session.SessionShutdown(context.Background(), rpc.SessionShutdown{Reason: "quit"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{d.project, filepath.Join(d.home, "data", "scratch"), filepath.Join(d.home, "data", "sessions")} {
		if entries, err := os.ReadDir(name); err == nil && len(entries) > 0 {
			t.Errorf("%s holds %v", name, entries)
		}
	}
}

// TestObserved reads the ledger's file as another program would (E1).
func TestObserved(t *testing.T) {
	d := newDesk(t)
	d.runs("make thing", true)
	if _, err := d.session.UserBash(context.Background(), rpc.UserBash{Command: "ls", Cwd: d.project}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(d.project, ".pi", "piagent-state", "observed-bash.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"command":"make thing"`, `"exitCode":1`, `"isError":true`, `"source":"user"`, `"command":"ls"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the ledger lacks %s:\n%s", want, text)
		}
	}
}

// TestHandoffOfASessionThatDidNothing holds that state of an earlier session is
// no reason to send an agent back that no call was let through of (E12).
func TestHandoffOfASessionThatDidNothing(t *testing.T) {
	d := newGatedDesk(t, "")
	d.write(".pi/piagent-state/mark.txt", "of an earlier session\n")
	if v := d.callID("c-1", "bash", map[string]any{"command": "cat .pi/piagent-state/mark.txt"}); !v.Block {
		t.Fatal("guard state was read")
	}
	if a := d.settle(); a.Continue {
		t.Errorf("sent back with: %s", a.Message)
	}
	d.writes("main.go", "package main // changed\n")
	if a := d.settle(); !a.Continue {
		t.Error("a change without evidence was let go")
	}
}
