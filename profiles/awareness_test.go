package profiles

import (
	"slices"
	"strings"
	"testing"
)

// TestAwarenessIsTrue: each line of the text is checked against what Judge does.
func TestAwarenessIsTrue(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {"default": {"permission": {"web_search": "deny"}}}}`})
	for _, mode := range w.policy.Modes() {
		w.session = Session{Mode: mode}
		text := w.policy.SystemPrompt(w.session, Surroundings{Sandbox: SandboxReady})
		said := func(verb, name string) bool {
			for line := range strings.SplitSeq(text, "\n") {
				if strings.HasPrefix(line, "- "+verb+":") && strings.Contains(line+",", " "+name) {
					return true
				}
			}
			return false
		}
		calls := map[string]Facts{
			"read": w.facts("read", `{"path": "a"}`), "write": w.facts("write", `{"path": "a"}`), "edit": w.facts("edit", `{"path": "a"}`),
			"other tools": w.facts("some_tool", `{}`), "paths outside": w.facts("read", `{"path": "../out/a"}`),
			"web_search": {Tool: "web_search", Surface: SurfaceWebSearch, Target: "x", Session: w.session},
			"skills":     {Tool: "skill", Surface: SurfaceSkill, Target: "x", Session: w.session},
			"bash":       w.facts("bash", `{"command": "frobnicate x"}`),
		}
		for name, f := range calls {
			f.Sandbox = SandboxReady
			v := w.policy.Judge(f)
			verb := map[Action]string{Allow: "Allowed", Ask: "Asked about", Deny: "Denied"}[v.Action()]
			if !said(verb, name) {
				t.Errorf("%s: %s is %s, and the text says\n%s", mode, name, verb, text)
			}
		}
	}
}

func TestAwarenessSaysWhatIsSpecial(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {"quiet": {"injectSandboxInfo": false, "systemPrompt": "Work on {today}."}, "plain": {"sandbox": {"enabled": false}}}}`})
	text := func(mode string, sur Surroundings) string {
		return w.policy.SystemPrompt(Session{Mode: mode, Blocks: []string{"/out/x"}, PermissionProfile: "read-only"}, sur)
	}
	all := text("default", Surroundings{Sandbox: SandboxUnavailable, Scratch: "/s/1", Headless: true})
	for _, part := range []string{"Mode: Default", "read-only", "/out/x", "/s/1", "Nobody can be asked", "cannot be contained", "Denied: bash, write, edit, web_search, other tools"} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is missing:\n%s", part, all)
		}
	}
	if n := len(all); n > 2000 {
		t.Errorf("the text is %d characters long", n)
	}
	for _, word := range []string{"accept-edits", "auto", "approval"} {
		if strings.Contains(all, word) {
			t.Errorf("the approval mode is told: %q", word)
		}
	}
	if got := text("quiet", Surroundings{Today: "2026-01-02"}); got != "Work on 2026-01-02." {
		t.Errorf("got %q", got)
	}
	if got := text("plain", Surroundings{Sandbox: SandboxReady}); !strings.Contains(got, "without a sandbox") {
		t.Errorf("got %q", got)
	}
	if got := text("plan", Surroundings{Sandbox: SandboxReady}); !strings.Contains(got, "submit_plan") || !strings.Contains(got, "can write nothing") {
		t.Errorf("got %q", got)
	}
	if got := text("goal", Surroundings{}); !strings.Contains(got, "submit_goal") {
		t.Errorf("got %q", got)
	}
}

func TestHiddenToolsOnlyRemove(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {"default": {"hideTools": ["bash", "not_active"]}}}`})
	if got := w.policy.HiddenTools(Session{}, []string{"read", "bash", "edit"}); !slices.Equal(got, []string{"bash"}) {
		t.Errorf("hidden: %v", got)
	}
	if got := w.policy.HiddenTools(Session{Mode: "plan"}, []string{"read", "bash", "edit", "write"}); !slices.Equal(got, []string{"edit", "write"}) {
		t.Errorf("hidden: %v", got)
	}
	if got := w.policy.HiddenTools(Session{Mode: "build"}, []string{"read"}); got != nil {
		t.Errorf("hidden: %v", got)
	}
}
