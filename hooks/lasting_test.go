package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAllowForever: the yes becomes a rule of the person's own modes, whose
// comments stay, and holds in another session (P6).
func TestAllowForever(t *testing.T) {
	d := newDesk(t, "Allow forever")
	d.write("~/.pi/agent/permission-mode/permission-mode.json", "{\n  // mine\n  \"modes\": {}\n}\n")
	if v := d.call("some_tool", map[string]any{}); v.Block {
		t.Fatalf("blocked: %s", v.Reason)
	}
	text, err := os.ReadFile(filepath.Join(d.home, ".pi/agent/permission-mode/permission-mode.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "// mine") || !strings.Contains(string(text), `"some_tool": "allow"`) {
		t.Errorf("the file is\n%s", text)
	}
	d.start.SessionID = "s2"
	d.begin()
	if v := d.call("some_tool", map[string]any{"x": 1}); v.Block {
		t.Errorf("asked again in another session: %s", v.Reason)
	}
}

// TestAllowInThisProject: the yes is kept outside the repository, holds in
// another session of the project, and can be taken back.
func TestAllowInThisProject(t *testing.T) {
	d := newDesk(t, `Allow "frobnicate *" in this project`, "")
	if v := d.call("bash", map[string]any{"command": "frobnicate x"}); v.Block {
		t.Fatalf("blocked: %s", v.Reason)
	}
	d.start.SessionID = "s2"
	d.begin()
	if v := d.call("bash", map[string]any{"command": "frobnicate y"}); v.Block {
		t.Errorf("asked again in another session: %s", v.Reason)
	}
	if entries, err := os.ReadDir(d.project); err != nil || len(entries) > 0 && entries[0].Name() != ".pi" {
		t.Errorf("the project holds %v, %v", entries, err)
	}
	if err := d.command("perm revoke 1"); err != nil {
		t.Fatal(err)
	}
	d.start.SessionID = "s3"
	d.begin()
	if v := d.call("bash", map[string]any{"command": "frobnicate z"}); !v.Block {
		t.Error("what was taken back still holds")
	}
}

// TestPatternThatGrantsTooMuch: the call is allowed once, and the person is
// told why nothing was kept (P11).
func TestPatternThatGrantsTooMuch(t *testing.T) {
	d := newDesk(t, `Allow "frobnicate *" for session`, "")
	d.person.typed = "*"
	if v := d.call("bash", map[string]any{"command": "frobnicate x"}); v.Block {
		t.Fatalf("blocked: %s", v.Reason)
	}
	said := d.person.told[len(d.person.told)-1].Text
	if !strings.Contains(said, "which command") || !strings.Contains(said, "allowed once") {
		t.Errorf("the person is told %q", said)
	}
	if v := d.call("bash", map[string]any{"command": "frobnicate x"}); !v.Block {
		t.Error("the pattern was kept")
	}
}
