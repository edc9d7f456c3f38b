package hooks

import (
	"context"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/rpc"
)

// said is the latest notice.
func (d *desk) lastTold() string {
	d.person.mu.Lock()
	defer d.person.mu.Unlock()
	if len(d.person.told) == 0 {
		return ""
	}
	return d.person.told[len(d.person.told)-1].Text
}

// TestCommands types commands one after the other and looks at what the person
// sees and the footer says.
func TestCommands(t *testing.T) {
	d := newDesk(t, "read-only - ", "plan - ")
	for _, step := range []struct{ line, told, status, err string }{
		{"/permission-status", "Permission profile: workspace-write", "Default · workspace-write", ""},
		{"/permission", "Permission profile: read-only (this session's command)", "Default · read-only", ""},
		{"/permission full-access", "Permission profile: trusted-full-access", "Default · trusted-full-access", ""},
		{"/workspace-write", "Permission profile: workspace-write", "Default · workspace-write", ""},
		{"/read-only", "read-only", "Default · read-only", ""},
		{"/permission nope", "", "Default · read-only", "write read-only, workspace-write or trusted-full-access"},
		{"/permission reset", "workspace-write", "Default · workspace-write", ""},
		{"/permission approval accept-edits", "Approval mode: accept-edits", "Default (accept-edits) · workspace-write", ""},
		{"/permission approval nope", "", "", "write one of ask, accept-edits, auto, inherit"},
		{"/permission approval inherit", "Approval mode: ask", "Default · workspace-write", ""},
		{"/perm build", "Mode: build", "Build · workspace-write", ""},
		{"/perm", "Mode: plan", "Plan", ""},
		{"/perm nope", "", "", `there is no mode "nope": write one of`},
		{"/perm default", "Mode: default", "Default · workspace-write", ""},
		{"/perm next", "Mode: plan", "Plan", ""},
		{"/perm approvals", "Nothing is allowed for this session", "", ""},
		{"/perm revoke 1", "", "", "from 1 to 0"},
		{"/perm blocks", "No path is blocked", "", ""},
		{"/perm unblock /x", "", "", "is not blocked"},
		{"/perm unblock", "", "", "name the path"},
		{"/perm clear-approvals", "Cleared 0 approvals and 0 blocks", "", ""},
		{"/perm explain", "No call has been judged", "", ""},
		{"/nope", "", "", "there is no command /nope"},
	} {
		err := d.command(step.line)
		if (err != nil) != (step.err != "") || err != nil && !strings.Contains(err.Error(), step.err) {
			t.Errorf("%s: error %v, want %q", step.line, err, step.err)
		}
		if !strings.Contains(d.lastTold(), step.told) {
			t.Errorf("%s: told %q, want %q", step.line, d.lastTold(), step.told)
		}
		if !strings.HasPrefix(d.status(), step.status) {
			t.Errorf("%s: status %q, want %q", step.line, d.status(), step.status)
		}
	}
}

// TestEnvironmentGoesBeforeTheCommand: the person is told that their command
// does not take effect (E9).
func TestEnvironmentGoesBeforeTheCommand(t *testing.T) {
	d := newDesk(t)
	t.Setenv("PIAGENT_PERMISSION_PROFILE", "read-only")
	d.begin()
	if err := d.command("/permission workspace-write"); err != nil {
		t.Fatal(err)
	}
	if got := d.lastTold(); !strings.Contains(got, "still read-only") {
		t.Errorf("told %q", got)
	}
	t.Setenv("PIAGENT_PERMISSION_PROFILE", "nonsense")
	started := d.begin()
	if len(started.Notices) == 0 || !strings.Contains(started.Notices[0].Text, "nonsense") || !strings.Contains(d.status(), "read-only (!)") {
		t.Errorf("notices %v, status %q", started.Notices, d.status())
	}
}

// TestApprovalsAndBlocks lists, takes back and clears what was answered.
func TestApprovalsAndBlocks(t *testing.T) {
	d := newDesk(t, "Allow for session", "Deny and block")
	d.call("write", path("a.txt"))
	d.call("read", path("~/outside/file"))
	for _, step := range []struct{ line, told string }{
		{"/perm approvals", "1. write inside the project in mode default"},
		{"/perm revoke 1", "Taken back: write inside the project"},
		{"/perm approvals", "Nothing is allowed"},
		{"/perm blocks", d.home + "/outside"},
		{"/perm explain", "> external-directory"},
		{"/perm clear-approvals", "Cleared 0 approvals and 1 blocks"},
		{"/perm blocks", "No path is blocked"},
	} {
		if err := d.command(step.line); err != nil {
			t.Errorf("%s: %v", step.line, err)
		}
		if !strings.Contains(d.lastTold(), step.told) {
			t.Errorf("%s: told %q, want %q", step.line, d.lastTold(), step.told)
		}
	}
}

func TestComplete(t *testing.T) {
	d := newDesk(t)
	for _, tt := range []struct{ name, prefix, want string }{
		{"permission", "w", "workspace-write"},
		{"permission", "approval a", "approval ask,approval accept-edits,approval auto"},
		{"permission", "zz", ""},
		{"perm", "pl", "plan"},
		{"perm", "un", "unblock"},
		{"read-only", "", ""},
	} {
		c, err := d.session.Complete(context.Background(), rpc.Complete{Name: tt.name, Prefix: tt.prefix})
		if err != nil {
			t.Fatal(err)
		}
		var values []string
		for _, item := range c.Items {
			values = append(values, item.Value)
		}
		if got := strings.Join(values, ","); got != tt.want {
			t.Errorf("/%s %s: got %q, want %q", tt.name, tt.prefix, got, tt.want)
		}
	}
}
