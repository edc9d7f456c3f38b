package profiles

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWithRuleKeepsEverythingElse(t *testing.T) {
	tests := []struct{ name, config, surface, pattern, want string }{
		{
			"an empty file", "", "tool", "x",
			"{\n  \"modes\": {\n    \"default\": {\n      \"permission\": {\n        \"tool\": {\n          \"*\": \"ask\",\n          \"x\": \"allow\"\n        }\n      }\n    }\n  }\n}\n",
		},
		{
			"comments and order",
			"{\n  // mine\n  \"defaultMode\": \"build\", /* b */\n  \"modes\": {\n    \"default\": {\n      \"permission\": {\n        \"tool\": {\n          \"*\": \"ask\", // first\n          \"a\": \"deny\"\n        },\n      },\n    },\n  },\n}\n",
			"tool", "x",
			"{\n  // mine\n  \"defaultMode\": \"build\", /* b */\n  \"modes\": {\n    \"default\": {\n      \"permission\": {\n        \"tool\": {\n          \"*\": \"ask\", // first\n          \"a\": \"deny\",\n          \"x\": \"allow\"\n        },\n      },\n    },\n  },\n}\n",
		},
		{
			"an action becomes a map",
			"{\"modes\": {\"default\": {\"permission\": {\"skill\": \"deny\"}}}}",
			"skill", "review",
			"{\"modes\": {\"default\": {\"permission\": {\"skill\": {\n          \"*\": \"deny\",\n          \"review\": \"allow\"\n        }}}}}",
		},
		{
			"the same pattern moves to the end",
			"{\n  \"modes\": {\"default\": {\"permission\": {\"tool\": {\n    \"x\": \"deny\",\n    \"*\": \"ask\"\n  }}}}\n}\n",
			"tool", "x",
			"{\n  \"modes\": {\"default\": {\"permission\": {\"tool\": {\n    \"*\": \"ask\",\n    \"x\": \"allow\"\n  }}}}\n}\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Defaults().WithRule([]byte(tt.config), "default", Surface(tt.surface), tt.pattern, Allow)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWithRuleKeepsTheRulesInForce(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"bash": {"*": "ask", "rm *": {"action": "deny", "reason": "use trash"}}}`)})
	text, err := w.policy.WithRule(nil, "default", SurfaceBash, "git fetch *", Allow)
	w.must(err)
	w.write("home/.pi/agent/permission-mode/permission-mode.json", string(text))
	w.load()
	if len(w.diags) > 0 {
		t.Errorf("what is written has findings: %v", w.diags)
	}
	w.want(w.bash("git fetch x"), Allow, "the new rule")
	w.want(w.bash("frob x"), Ask, "the catch-all stays")
	r := w.bash("rm x")
	w.want(r, Deny, "the other rule stays")
	w.wantText(r, "use trash")
}

func TestWithRuleRefusesWhatItCannotRead(t *testing.T) {
	for _, config := range []string{`{`, `[]`, `{"modes": 1}`, `{"modes": {"default": {"permission": {"tool": []}}}}`} {
		if got, err := Defaults().WithRule([]byte(config), "default", SurfaceTool, "x", Allow); err == nil {
			t.Errorf("%s became %s", config, got)
		}
	}
}

func TestArityExamples(t *testing.T) {
	for command, want := range arity().examples {
		if got := arity().propose(strings.Fields(command)); got != want {
			t.Errorf("%q proposes %q, want %q", command, got, want)
		}
	}
}

func TestPromptProposesAPattern(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"bash": {"*": "ask"}}`)})
	for line, want := range map[string]string{
		"frob fetch x": "frob *", "npm run dev": "npm run dev *", "git fetch && git fetch a": "git fetch *",
		"git fetch && npm run dev": "", "python3 x.py": "", "bash -c ls": "",
	} {
		r := w.bash(line)
		if r.Prompt == nil || r.Prompt.Pattern != want || offers(r, ChoosePattern) != (want != "") || offers(r, ChooseProject) != (want != "") {
			t.Errorf("%q: %+v, want the pattern %q", line, r.Prompt, want)
		}
	}
	f := w.facts("bash", `{"command": "frob --token=abc"}`)
	f.HoldsSecret = true
	if r := w.policy.Answer(w.policy.Judge(f), f, nil); r.Prompt.Pattern != "" || offers(r, ChooseSession) || !offers(r, ChooseOnce) {
		t.Errorf("a line with a secret offers %+v", r.Prompt.Options)
	}
}

func TestPatternGrants(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"bash": {"*": "ask"}}`)})
	r := w.bash("frob fetch x")
	for choice, scope := range map[Choice]Scope{ChoosePattern: ScopeSession, ChooseProject: ScopeProject, ChooseForever: ScopeGlobal} {
		_, grants, _ := r.Answered(choice, "frob fetch *")
		if len(grants) != 1 || grants[0].Scope != scope || grants[0].Kind != GrantPattern {
			t.Errorf("%s grants %v", choice, grants)
		}
		w.grants = grants
		w.want(w.bash("frob fetch y"), Allow, "what the pattern matches")
		w.want(w.bash("frob fetch"), Allow, "no arguments")
		w.want(w.bash("frob push"), Ask, "what it does not match")
		w.want(w.bash("frob fetch && frob push"), Ask, "a chain with another")
	}
	for _, g := range w.grants {
		if surface, pattern, ok := ForeverRule(g); (g.Scope == ScopeGlobal) != ok || ok && (surface != SurfaceBash || pattern != "frob fetch *") {
			t.Errorf("%v is kept as %s %q %v", g, surface, pattern, ok)
		}
	}
}

func TestCheckGrantPattern(t *testing.T) {
	w := newWorld(t, map[string]string{"global": mode("default", `{"bash": {"*": "ask"}}`)})
	f := w.facts("bash", `{"command": "git fetch origin"}`)
	r := w.policy.Answer(w.policy.Judge(f), f, nil)
	for pattern, want := range map[string]string{
		"git fetch *": "", "git fetch origin": "", "git f*": "", "": "empty", "*": "which command", "git *": "every subcommand",
		"git": "every subcommand", "bash *": "whatever", "sudo git *": "whatever", "git push *": "does not match",
	} {
		err := w.policy.CheckGrantPattern(pattern, f, r)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", pattern, err, want)
		}
	}
}

func TestGrantsAreKeptByProject(t *testing.T) {
	grants := Grants{
		{Kind: GrantPattern, Scope: ScopeProject, Mode: "default", Surface: SurfaceBash, Target: "git fetch *"},
		{Kind: GrantTool, Scope: ScopeSession, Surface: SurfaceWrite},
	}
	text, err := MarshalGrants("/proj", grants)
	if err != nil {
		t.Fatal(err)
	}
	got, err := UnmarshalGrants("/proj", text)
	if err != nil || !cmp.Equal(got, grants[:1]) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := UnmarshalGrants("/other", text); err == nil {
		t.Errorf("another project's grants are read: %v", got)
	}
	for _, bad := range []string{`{`, `{"version": 2, "project": "/proj"}`} {
		if got, err := UnmarshalGrants("/proj", []byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, got)
		}
	}
	if got, _ := UnmarshalGrants("/proj", []byte(`{"version": 1, "project": "/proj", "grants": [{"kind": "all", "scope": "project"}, {"kind": "name", "scope": "project"}, {"kind": "tool", "scope": "global"}]}`)); len(got) > 0 {
		t.Errorf("taken: %v", got)
	}
	if a, b := ProjectGrantsFile("/d", "/proj"), ProjectGrantsFile("/d", "/proj/"); a != b || strings.Contains(a, "proj.") {
		t.Errorf("%s and %s", a, b)
	}
}

func TestGrantsAreListedRevokedAndCleared(t *testing.T) {
	a := Grant{Kind: GrantName, Scope: ScopeSession, Mode: "default", Surface: SurfaceBash, Target: "git"}
	b := Grant{Kind: GrantDirectory, Scope: ScopeProject, Surface: SurfaceRead, Target: "/lib"}
	gs := Grants{}.Add(a, b, a)
	if len(gs) != 2 || a.String() != "bash git in mode default (session)" || b.String() != "read below /lib (project)" {
		t.Errorf("got %v", gs)
	}
	rest, found := gs.Revoke(a)
	if !found || len(rest) != 1 || rest[0] != b || len(gs) != 2 {
		t.Errorf("got %v, %v", rest, found)
	}
	if _, found := rest.Revoke(a); found {
		t.Error("a grant is revoked twice")
	}
	if left := gs.Clear(ScopeSession); len(left) != 1 || left[0] != b {
		t.Errorf("got %v", left)
	}
}
