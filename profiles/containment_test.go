package profiles

import (
	"strings"
	"testing"
)

// TestP_SandboxTable is P's table of policy and sandbox, row by row.
func TestP_SandboxTable(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {
		"on": {"permission": {"external_directory": "ask", "bash": {"*": "allow", "ask *": "ask", "no *": "deny", "yes *": "allow"}}},
		"off": {"sandbox": {"enabled": false}, "permission": {"bash": {"*": "ask"}}}}}`})
	tests := []struct {
		name, mode, sandbox, line, outside string
		want                               Action
		title                              string
	}{
		{"deny, any", "on", SandboxReady, "no x", "", Deny, ""},
		{"deny, any", "on", SandboxUnavailable, "no x", "", Deny, ""},
		{"allow, ready", "on", SandboxReady, "run x", "", Allow, ""},
		{"ask, ready", "on", SandboxReady, "ask x", "", Ask, "Allow bash? ask x"},
		{"escape, ready", "on", SandboxReady, "run x", "/out/x", Ask, "Allow bash? (path outside project: /out/x) run x"},
		{"escape of an allow, ready", "on", SandboxReady, "yes x", "/out/x", Ask, "Allow bash? (path outside project: /out/x) yes x"},
		{"allow, unavailable", "on", SandboxUnavailable, "run x", "", Ask, "Allow bash? (sandbox unavailable) run x"},
		{"ask, unavailable", "on", SandboxUnavailable, "ask x", "", Ask, "Allow bash? ask x"},
		{"an allow of its own, unavailable", "on", SandboxUnavailable, "yes x", "", Allow, ""},
		{"ask, disabled", "off", SandboxDisabled, "run x", "", Ask, "Allow bash? (sandbox disabled; "},
		{"ask, disabled by the mode", "off", SandboxReady, "run x", "", Ask, "Allow bash? (sandbox disabled; "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.session = Session{Mode: tt.mode}
			f := w.facts("bash", `{"command": "`+tt.line+`"}`)
			f.Sandbox = tt.sandbox
			if tt.outside != "" {
				f.Paths = []PathFact{{Resolved: w.resolver.ResolveExact(tt.outside, w.dir+"/proj"), Command: 0}}
			}
			r := w.policy.Answer(w.policy.Judge(f), f, nil)
			w.want(r, tt.want, tt.name)
			if r.Prompt != nil && !strings.HasPrefix(r.Prompt.Title, tt.title) {
				t.Errorf("the prompt is %q, want %q", r.Prompt.Title, tt.title)
			}
			if tt.want == Ask {
				allowed, _, _ := r.Answered(ChooseOnce, "")
				if allowed.Unsandboxed != (tt.outside != "") {
					t.Errorf("an approved call runs unsandboxed: %v", allowed.Unsandboxed)
				}
			}
		})
	}
}

func TestP_EscapeGrantIsForTheExactLine(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"bash": {"*": "ask", "cat *": "allow"}}`)})
	call := func(line, path string) (Resolution, Facts) {
		f := w.facts("bash", `{"command": "`+line+`"}`)
		f.Paths = []PathFact{{Resolved: w.resolver.ResolveExact(path, w.dir+"/proj"), Command: 0}}
		return w.policy.Answer(w.policy.Judge(f), f, w.grants), f
	}
	r, _ := call("cat /out/a", "/out/a")
	_, w.grants, _ = r.Answered(ChooseSession, "")
	r, _ = call("cat /out/a", "/out/a")
	w.want(r, Allow, "the same line")
	if !r.Unsandboxed {
		t.Error("an approved escape runs unsandboxed")
	}
	r, _ = call("cat /out/b", "/out/b")
	w.want(r, Ask, "another line")
	r, _ = call("cat  /out/a", "/out/a")
	w.want(r, Ask, "letter by letter")
}

func TestP_BashPromptEndsWithTheCommandOnOneLine(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"bash": {"*": "ask"}}`)})
	r := w.bash("frob " + strings.Repeat("long ", 40))
	if !strings.HasSuffix(r.Prompt.Title, "…") || len([]rune(strings.TrimPrefix(r.Prompt.Title, "Allow bash? "))) != 80 {
		t.Errorf("the title is %q", r.Prompt.Title)
	}
	if got := OneLine("a\n  b\tc"); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

// TestContainmentAnswersWhatIsNotKnown: B11.
func TestContainmentAnswersWhatIsNotKnown(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("build", `{"bash": {"*": "allow"}}`)})
	w.session.Mode = "build"
	f := w.facts("bash", `{"command": "x"}`)
	f.Program.ParseError = true
	f.Program.Problems = append(f.Program.Problems, problemOf("the name is not known"))
	f.Sandbox = SandboxReady
	w.want(w.policy.Answer(w.policy.Judge(f), f, nil), Allow, "contained")
	f.Sandbox = SandboxUnavailable
	w.want(w.policy.Answer(w.policy.Judge(f), f, nil), Ask, "not contained")
}

// TestManagedSandbox: an organisation may demand one.
func TestManagedSandbox(t *testing.T) {
	w := newWorld(t, map[string]string{"managed": `{"requireSandbox": true, "message": "ask the platform team"}`})
	w.session.Mode = "build"
	r := w.bash("ls")
	w.want(r, Deny, "no sandbox")
	w.wantText(r, "ask the platform team")
	w.sandbox = SandboxReady
	w.want(w.bash("ls"), Allow, "a sandbox")
}

// TestPathShapes: a path of the wrong kind comes back with the tool to use (F3).
func TestPathShapes(t *testing.T) {
	w := newWorld(t, map[string]string{"proj/src/a.go": ""})
	tests := []struct {
		tool, path string
		want       Action
		text       string
	}{
		{"read", "src", Deny, "ls"},
		{"read", "src/a.go", Allow, ""},
		{"read", "src/none", Allow, ""},
		{"find", "src/a.go", Deny, "grep"},
		{"find", "src", Allow, ""},
		{"ls", "src/a.go", Deny, "read"},
		{"ls", "src", Allow, ""},
		{"grep", "src/a.go", Allow, ""},
		{"grep", "src", Allow, ""},
		{"write", "src", Deny, "name a file"},
		{"edit", "src", Deny, "name a file"},
	}
	for _, tt := range tests {
		r := w.on(tt.tool, tt.path)
		w.want(r, tt.want, tt.tool+" "+tt.path)
		if tt.want == Deny {
			w.wantText(r, "INVALID_ARGUMENT", tt.text)
		}
	}
}
