package hooks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/rpc"
)

// audited are the audit records of the session so far.
func (d *desk) audited() []ledger.AuditRecord {
	d.t.Helper()
	d.session.busy.Wait()
	files, err := filepath.Glob(filepath.Join(d.home, "data", "audit", "*.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	var all []ledger.AuditRecord
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			d.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var r ledger.AuditRecord
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				d.t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	return all
}

// TestAudit makes one call of each kind and reads what was written (H8).
func TestAudit(t *testing.T) {
	d := newDesk(t, "Allow once", "Deny", "Deny and block")
	if _, err := d.session.TurnStart(context.Background(), rpc.Turn{Index: 4}); err != nil {
		t.Fatal(err)
	}
	type want struct {
		decision, decider, layer string
		prompted, success        bool
		external, code           string
	}
	var wants []want
	add := func(w want) { wants = append(wants, w) }

	d.callID("1", "read", path("a.txt"))
	d.result("1", "read", `{"path":"a.txt"}`, "x", false)
	add(want{"allow", "rule", "mode", false, true, "workspace", ""})

	d.callID("2", "write", path("a.txt"))
	d.result("2", "write", `{"path":"a.txt"}`, "failed", true)
	add(want{"ask-allowed", "user", "mode", true, false, "workspace", "TOOL_FAILED"})

	d.callID("3", "write", path("b.txt"))
	add(want{"ask-denied", "user", "mode", true, false, "workspace", "TOOL_DENIED"})

	d.callID("4", "read", path("~/x/y"))
	add(want{"ask-denied", "user", "external-directory", true, false, "external", "TOOL_DENIED"})

	d.callID("5", "read", path(".pi/piagent-state/x"))
	add(want{"deny", "rule", "integrity", false, false, "workspace", "TOOL_DENIED"})

	d.callID("6", "read", path("never-comes-back.txt"))
	if _, err := d.session.TurnEnd(context.Background(), rpc.Turn{Index: 4}); err != nil {
		t.Fatal(err)
	}
	add(want{"allow", "rule", "mode", false, false, "workspace", "TOOL_FAILED"})

	got := map[string]ledger.AuditRecord{}
	for _, r := range d.audited() {
		got[r.ToolCallID] = r
	}
	for i, w := range wants {
		id := string(rune('1' + i))
		r := got[id]
		g := want{r.Decision, r.Decider, r.Layer, r.Prompted, r.Success, r.ExternalPath, r.ErrorCode}
		if g != w {
			t.Errorf("call %s: got %+v, want %+v", id, g, w)
		}
		if r.Session != "s1" || r.Turn != "4" || r.ArgsHash == "" || r.Mode != "default" || r.Profile == "" || r.TotalMs < r.PermissionWaitMs {
			t.Errorf("call %s: %+v", id, r)
		}
	}
}

// TestAuditHidesSecrets: no secret of a call's arguments is written anywhere.
func TestAuditHidesSecrets(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
	d := newDesk(t, "Deny")
	d.call("bash", map[string]any{"command": "wget --header 'Authorization: Bearer " + secret + "' https://example.org"})
	d.runs("curl -H 'Authorization: Bearer "+secret+"' https://example.org", false)
	d.session.busy.Wait()
	err := filepath.WalkDir(filepath.Dir(d.project), func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s holds the secret: %s", name, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if option := strings.Join(d.person.shown[0].Options, ", "); strings.Contains(option, "session") {
		t.Errorf("a grant is offered for a line that holds a secret: %s", option)
	}
}
