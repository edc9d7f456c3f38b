package hooks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/rpc"
)

func TestReadInsideIsSilent(t *testing.T) {
	d := newDesk(t)
	if v := d.call("read", path("a.txt")); v.Block || len(d.person.shown) != 0 {
		t.Errorf("blocked %v with %d prompts, want neither: %s", v.Block, len(d.person.shown), v.Reason)
	}
}

// TestAnswers gives each answer to one prompt and repeats the call.
func TestAnswers(t *testing.T) {
	tests := map[string]struct {
		answer    string
		block     bool
		again     bool // a second, equal call prompts again
		blockNext bool
		reason    string
	}{
		"once":      {"Allow once", false, true, true, ""},
		"session":   {"Allow for session", false, false, false, ""},
		"deny":      {"Deny", true, false, true, "denied"},
		"dismissed": {"", true, false, true, "denied"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tt.answer)
			v := d.call("write", path("a.txt"))
			if v.Block != tt.block || !strings.Contains(v.Reason, tt.reason) {
				t.Fatalf("block %v, reason %q", v.Block, v.Reason)
			}
			next := d.call("write", path("a.txt"))
			if prompts := len(d.person.shown); (prompts == 2) != tt.again || next.Block != tt.blockNext {
				t.Errorf("second call: %d prompts, block %v: %s", prompts, next.Block, next.Reason)
			}
		})
	}
}

func TestNoUI(t *testing.T) {
	d := newDesk(t)
	d.start.HasUI = false
	d.begin()
	v := d.call("write", path("a.txt"))
	if !v.Block || !strings.Contains(v.Reason, "no one could be asked") || len(d.person.shown) != 0 {
		t.Errorf("block %v, %d prompts, reason %q", v.Block, len(d.person.shown), v.Reason)
	}
}

// TestDeniedIsRememberedForTheSession: neither another word of the person nor
// another guard process takes a refusal back, /perm clear-approvals does (P10).
func TestDeniedIsRememberedForTheSession(t *testing.T) {
	d := newDesk(t, "Deny", "Allow once")
	d.call("write", path("a.txt"))
	d.says("go on")
	if v := d.call("edit", path("a.txt")); !v.Block || len(d.person.shown) != 1 || !strings.Contains(v.Reason, "/perm clear-approvals") {
		t.Errorf("block %v after %d prompts: %s", v.Block, len(d.person.shown), v.Reason)
	}
	d.start.Reason = "restart"
	d.begin()
	if v := d.call("write", path("a.txt")); !v.Block || len(d.person.shown) != 1 {
		t.Errorf("after a restart: block %v after %d prompts: %s", v.Block, len(d.person.shown), v.Reason)
	}
	if err := d.command("/perm clear-approvals"); err != nil {
		t.Fatal(err)
	}
	if v := d.call("write", path("a.txt")); v.Block || len(d.person.shown) != 2 {
		t.Errorf("cleared: block %v after %d prompts: %s", v.Block, len(d.person.shown), v.Reason)
	}
}

// TestUnblocked: a block that is lifted leaves no refusal behind.
func TestUnblocked(t *testing.T) {
	d := newDesk(t, "Deny and block", "Allow once")
	d.write("~/other/a.txt", "x")
	file := path(filepath.Join(d.home, "other/a.txt"))
	d.call("read", file)
	if v := d.call("read", file); !v.Block || len(d.person.shown) != 1 {
		t.Errorf("blocked: block %v after %d prompts: %s", v.Block, len(d.person.shown), v.Reason)
	}
	if err := d.command("/perm unblock ~/other/a.txt"); err != nil {
		t.Fatal(err)
	}
	if v := d.call("read", file); v.Block || len(d.person.shown) != 2 {
		t.Errorf("lifted: block %v after %d prompts: %s", v.Block, len(d.person.shown), v.Reason)
	}
}

// TestTriesAreCountedByTurn: calls of one message are one try, however many
// they are, since the model wrote them before it was told (P10).
func TestTriesAreCountedByTurn(t *testing.T) {
	tests := map[string]struct {
		config string // the person's configuration
		answer string
	}{
		"refused by the person": {`{}`, "Deny"},
		"refused by a rule":     {`{"modes": {"default": {"permission": {"write": {"*": "deny"}}}}}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tt.answer)
			d.write("~/.pi/agent/permission-mode.json", tt.config)
			for turn, text := range []string{"", "second try", "third try"} {
				for call := range 3 {
					v := d.call("write", path("a.txt"))
					if !v.Block || v.Terminate != (turn == 2) || !strings.Contains(v.Reason, text) ||
						turn == 0 && strings.Contains(v.Reason, "try of the same") {
						t.Errorf("turn %d, call %d: block %v, terminate %v: %s", turn, call, v.Block, v.Terminate, v.Reason)
					}
				}
				d.turnEnds()
			}
		})
	}
}

// TestSurvivesRestart starts another guard for the same session: modes, grants
// and blocks are there; another session has none of them (P5).
func TestSurvivesRestart(t *testing.T) {
	d := newDesk(t, "Allow for session")
	if v := d.call("write", path("a.txt")); v.Block {
		t.Fatal(v.Reason)
	}
	if err := d.command("/permission approval accept-edits"); err != nil {
		t.Fatal(err)
	}
	want := d.status()
	d.start.Reason = "restart"
	d.begin()
	if v := d.call("write", path("b.txt")); v.Block || len(d.person.shown) != 1 {
		t.Errorf("after a restart: block %v, %d prompts", v.Block, len(d.person.shown))
	}
	if got := d.status(); got != want {
		t.Errorf("after a restart the status is %q, was %q", got, want)
	}
	d.start.SessionID, d.start.Reason = "s2", "new"
	d.begin()
	if v := d.call("write", path("b.txt")); !v.Block || len(d.person.shown) != 2 {
		t.Errorf("in another session: block %v, %d prompts", v.Block, len(d.person.shown))
	}
}

// TestChangedTarget swaps a symlink while the prompt is open: the yes was to
// another file, so the new one is judged by itself (F2).
func TestChangedTarget(t *testing.T) {
	d := newDesk(t)
	d.write("real.txt", "")
	d.write("~/outside/secret.txt", "")
	link := filepath.Join(d.project, "link.txt")
	if err := os.Symlink("real.txt", link); err != nil {
		t.Fatal(err)
	}
	d.person.answers = []any{
		func() string {
			if err := os.Remove(link); err != nil {
				t.Error(err)
			}
			if err := os.Symlink(filepath.Join(d.home, "outside/secret.txt"), link); err != nil {
				t.Error(err)
			}
			return "Allow once"
		},
		"Deny",
	}
	v := d.call("write", path("link.txt"))
	if !v.Block || len(d.person.shown) != 2 {
		t.Fatalf("block %v after %d prompts, want a block after the second", v.Block, len(d.person.shown))
	}
	if second := d.person.shown[1].Title; !strings.Contains(second, "utside") {
		t.Errorf("the second prompt does not say that the target lies outside: %s", second)
	}
}

// TestGrantByName: a yes for the session to one directory is one to the next.
func TestGrantByName(t *testing.T) {
	d := newDesk(t, "Allow for session")
	for _, line := range []string{"mkdir one", "mkdir two"} {
		if v := d.call("bash", map[string]any{"command": line}); v.Block || len(d.person.shown) != 1 {
			t.Errorf("%s: block %v after %d prompts: %s", line, v.Block, len(d.person.shown), v.Reason)
		}
	}
}

// TestGrantAnswersWaitingPrompt makes two calls at once: the answer to the
// first is one to the second too, and only one dialog is ever open (P11).
func TestGrantAnswersWaitingPrompt(t *testing.T) {
	d := newDesk(t)
	waiting := make(chan rpc.ToolVerdict, 1)
	d.person.answers = []any{func() string {
		go func() { waiting <- d.callID("c2", "write", path("b.txt")) }()
		// The second call cannot show its prompt while this one is open, so
		// that it does not matter whether it has arrived yet.
		return "Allow for session"
	}}
	if v := d.callID("c1", "write", path("a.txt")); v.Block {
		t.Fatal(v.Reason)
	}
	if v := <-waiting; v.Block || len(d.person.shown) != 1 {
		t.Errorf("second call: block %v, %d prompts", v.Block, len(d.person.shown))
	}
}

func TestAbortedPrompt(t *testing.T) {
	d := newDesk(t)
	ctx, abort := context.WithCancel(context.Background())
	d.person.answers = []any{func() string { abort(); return "Allow once" }}
	raw, _ := json.Marshal(path("a.txt"))
	v, err := d.session.ToolCall(ctx, rpc.ToolCall{ToolCallID: "c1", ToolName: "write", Input: raw, Cwd: d.project})
	if err == nil && !v.Block {
		t.Error("an aborted call passed")
	}
}

func TestBashTimeout(t *testing.T) {
	tests := map[string]struct{ input, want, note string }{
		"none":      {`{"command":"true"}`, `{"command":"true","timeout":60}`, ""},
		"fits":      {`{"command":"true","timeout":120}`, ``, ""},
		"too long":  {`{"command":"true","timeout":900}`, `{"command":"true","timeout":300}`, "to 300 seconds: 900 is not between 1 and 300"},
		"too short": {`{"command":"true","timeout":0}`, `{"command":"true","timeout":1}`, "to 1 seconds"},
		"no number": {`{"command":"true","timeout":"x"}`, `{"command":"true","timeout":60}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "Allow once")
			v := d.call("bash", json.RawMessage(tt.input))
			if v.Block {
				t.Fatal(v.Reason)
			}
			if string(v.Input) != tt.want {
				t.Errorf("input %s, want %s", v.Input, tt.want)
			}
			patch, err := d.session.ToolResult(context.Background(), rpc.ToolResult{
				ToolCallID: "c1", ToolName: "bash", Input: json.RawMessage(tt.input),
				Content: json.RawMessage(`[{"type":"text","text":"ok"}]`), Cwd: d.project,
			})
			if err != nil || !strings.Contains(string(patch.Content), tt.note) || (tt.note == "") != (patch.Content == nil) {
				t.Errorf("patch %s (%v), want a note %q", patch.Content, err, tt.note)
			}
		})
	}
}

// TestChangedAfter: another extension changed the command after it was judged (B24).
func TestChangedAfter(t *testing.T) {
	d := newDesk(t, "Allow once")
	d.call("bash", map[string]any{"command": "echo a", "timeout": 5})
	patch, err := d.session.ToolResult(context.Background(), rpc.ToolResult{
		ToolCallID: "c1", ToolName: "bash", Input: json.RawMessage(`{"command":"echo b","timeout":5}`),
		Content: json.RawMessage(`[]`), Cwd: d.project,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(patch.Content); !strings.Contains(got, "Judged: echo a. Ran: echo b.") {
		t.Errorf("the model is told %s", got)
	}
	if n := len(d.person.told); n == 0 || d.person.told[n-1].Level != "warning" {
		t.Errorf("the person is told %v", d.person.told)
	}
}

// TestHotReload changes the configuration between two calls (P4).
func TestHotReload(t *testing.T) {
	d := newDesk(t)
	if v := d.call("read", path("a.txt")); v.Block {
		t.Fatal(v.Reason)
	}
	d.write("~/.pi/agent/permission-mode.json", `{"modes": {"default": {"permission": {"read": {"*": "deny"}}}}}`)
	if v := d.call("read", path("a.txt")); !v.Block {
		t.Error("the new rule is not in force")
	}
	found := false
	for _, n := range d.person.told {
		found = found || strings.Contains(n.Text, "configuration has changed")
	}
	if !found {
		t.Errorf("the person is not told: %v", d.person.told)
	}
}

func TestBeforeSessionStart(t *testing.T) {
	s := NewSession(&person{}, Options{Home: "/h", DataDir: t.TempDir()})
	if v, err := s.ToolCall(context.Background(), rpc.ToolCall{ToolName: "read"}); err == nil {
		t.Errorf("a call without a session is answered with %+v", v)
	}
}
