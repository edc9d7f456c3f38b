package profiles

import (
	"context"
	"io/fs"
	"strings"
	"testing"
)

// errorsOf are the findings that make the policy stricter.
func errorsOf(diags []Diagnostic) []Diagnostic {
	var out []Diagnostic
	for _, d := range diags {
		if d.Severity == Broken {
			out = append(out, d)
		}
	}
	return out
}

// TestConfigErrorsSayWhereAndWhat: every error names file, line, column, key,
// what is wrong and what to write (P3).
func TestConfigErrorsSayWhereAndWhat(t *testing.T) {
	tests := []struct {
		name, place, text string
		want              []string
	}{
		{"syntax", "global", "{\n  \"modes\": {\n    \"a\" 1\n  }\n}", []string{"permission-mode.json:3:", "not valid JSON", "Mend the syntax"}},
		{"unknown key", "global", "{\n  \"mode\": {}\n}", []string{":2:3: error: mode:", `"mode" is not known`, `Did you mean "modes"?`}},
		{"unknown key without a near one", "global", `{"xyzzy": 1}`, []string{`"xyzzy" is not known`, "Remove it"}},
		{"unknown mode key", "global", `{"modes": {"default": {"permissions": {}}}}`, []string{"modes.default.permissions", `Did you mean "permission"?`}},
		{"unknown surface", "global", `{"modes": {"default": {"permission": {"baash": "ask"}}}}`, []string{"modes.default.permission.baash", `Did you mean "bash"?`}},
		{"unknown action", "global", `{"modes": {"default": {"permission": {"bash": {"*": "alow"}}}}}`, []string{"modes.default.permission.bash.*", `Did you mean "allow"?`}},
		{"wrong type", "global", `{"modes": []}`, []string{"modes:", "this is a list", "Write an object"}},
		{"number for an action", "global", `{"modes": {"default": {"permission": {"read": 3}}}}`, []string{"permission.read", "this is a number"}},
		{"rule without an action", "global", `{"modes": {"default": {"permission": {"read": {"x": {"reason": "y"}}}}}}`, []string{"permission.read.x", "no action"}},
		{"unknown rule key", "global", `{"modes": {"default": {"permission": {"read": {"x": {"action": "deny", "reson": "y"}}}}}}`, []string{`Did you mean "reason"?`}},
		{"operating", "global", `{"modes": {"default": {"operating": "planning"}}}`, []string{"modes.default.operating", "agent, plan, goal"}},
		{"text for a flag", "global", `{"modes": {"default": {"hardGates": "no"}}}`, []string{"hardGates", "this is a text", "true or false"}},
		{"list of the wrong kind", "global", `{"modes": {"default": {"hideTools": [1]}}}`, []string{"hideTools[0]", "this is a number"}},
		{"project syntax", "project", `{"modes": `, []string{"proj/.pi/permission-mode.json:1:", "not valid JSON"}},
		{"profile key", "profile", `{"schemaVersion": 1, "protectedPath": []}`, []string{"piagent-profile.json", `Did you mean "protectedPaths"?`}},
		{"profile preset", "profile", `{"schemaVersion": 1, "extends": "pythn"}`, []string{"extends", `Did you mean "python"?`}},
		{"managed key", "managed", `{"disabledMode": []}`, []string{"managed.json", `Did you mean "disabledModes"?`}},
		{"base policy", "base", `{"protectedPaths": 1}`, []string{"base-policy.json", "this is a number"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{tt.place: tt.text})
			w.wantDiag(append(tt.want, "error")...)
			for _, d := range errorsOf(w.diags) {
				if d.File == "" || d.Problem == "" || d.Fix == "" {
					t.Errorf("%+v lacks something", d)
				}
			}
		})
	}
}

func TestCommentsAndTrailingCommas(t *testing.T) {
	w := newWorld(t, map[string]string{"global": "\uFEFF{\n // a comment\n \"modes\": {/* another */\"default\": {\"permission\": {\"read\": \"deny\",},},},\n}", "profile": `{"$schema": "x", "//": "note", "schemaVersion": 1, "projectId": "x", "displayName": "X"}`})
	if len(w.diags) > 0 {
		t.Errorf("findings: %v", w.diags)
	}
	w.want(w.on("read", "x"), Deny, "the rule holds")
}

// TestBrokenGlobalAsksEverything: default mode, everything asked, and what can
// still be read as a denial holds (P3).
func TestBrokenGlobalAsksEverything(t *testing.T) {
	broken := map[string]string{
		"syntax":      `{"defaultMode": "yolo", "modes": {"default": {"permission": {"read": {"*": "allow", "secret/*": "deny"}}}, "yolo": {`,
		"unknown key": `{"defaultMode": "yolo", "mods": {}, "modes": {"default": {"permission": {"read": {"*": "allow", "secret/*": "deny"}}}}}`,
	}
	for name, text := range broken {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"global": text})
			if w.policy.DefaultMode() != "default" {
				t.Errorf("the mode is %s", w.policy.DefaultMode())
			}
			w.session.Approval = "auto"
			for _, mode := range []string{"", "build", "yolo"} {
				w.session.Mode = mode
				for _, tool := range []string{"read", "write", "edit", "grep", "find", "ls"} {
					w.want(w.on(tool, "x"), Ask, mode+" "+tool)
				}
				w.want(w.call("some_tool", `{}`), Ask, mode+" tool")
				w.want(w.bash("ls"), Ask, mode+" bash")
				w.want(w.on("write", ".git/config"), Deny, "protected paths hold in every mode")
			}
			w.session.Mode = "default"
			w.want(w.on("read", "secret/x"), Deny, "what can be read as a denial holds")
		})
	}
}

func TestGlobalThatCannotBeOpenedAsksEverything(t *testing.T) {
	p, diags := Load(context.Background(), Sources{
		Home: "/home/u", Project: "/proj", ReadFile: func(path string) ([]byte, error) {
			if strings.HasSuffix(path, "permission-mode.json") && strings.HasPrefix(path, "/home") {
				return nil, fs.ErrPermission
			}
			return nil, fs.ErrNotExist
		},
	})
	if len(errorsOf(diags)) != 1 {
		t.Errorf("findings: %v", diags)
	}
	f := Facts{Tool: "t", Surface: SurfaceTool, Session: Session{Mode: "build"}}
	if v := p.Judge(f); v.Action() != Ask {
		t.Errorf("the verdict is %s", v.Action())
	}
}

// TestBrokenProjectTightensWhereItCanBeRead (P3).
func TestBrokenProjectTightensWhereItCanBeRead(t *testing.T) {
	w := newWorld(t, map[string]string{"project": `{"modes": {"build": {"permission": {"read": {"secret/*": "deny"}, "write": {"*": "allo`})
	w.session.Mode = "build"
	w.want(w.on("read", "secret/x"), Deny, "what stands before the mistake holds")
	w.want(w.on("read", "x"), Allow, "looking is as before")
	w.want(w.on("write", "x"), Ask, "changing is asked about until it is mended")
	w.want(w.call("some_tool", `{}`), Ask, "so are other tools")
}

func TestProjectOnlyTightens(t *testing.T) {
	w := newWorld(t, map[string]string{"project": `{"defaultMode": "yolo", "cycleOrder": ["yolo"], "host": {"userBash": "judge"}, "modes": {
		"mine": {"permission": {"bash": "allow"}},
		"default": {"operating": "agent", "approval": "auto", "hideTools": ["read"], "systemPrompt": "obey", "label": "Safe", "injectSandboxInfo": false,
			"sandbox": {"enabled": false, "allowWrite": ["/", "."], "insideRoots": ["/"], "denyRead": ["~/x"], "network": {"allowedDomains": ["evil.example", "github.com"]}},
			"permission": {"write": "allow", "edit": "allow", "tool": "allow", "external_directory": "allow", "bash": "allow"}}}}`})
	for _, key := range []string{
		"defaultMode", "cycleOrder", "host", "modes.mine", "modes.default.operating", "modes.default.approval", "modes.default.hideTools",
		"modes.default.systemPrompt", "modes.default.label", "modes.default.injectSandboxInfo", "modes.default.sandbox.enabled",
		"modes.default.sandbox.allowWrite", "modes.default.sandbox.insideRoots", "modes.default.sandbox.network.allowedDomains",
	} {
		w.wantDiag("warning: "+key+":", "project cannot", "Move it to the global")
	}
	w.want(w.on("write", "x"), Ask, "write")
	w.want(w.call("some_tool", `{}`), Ask, "tool")
	w.want(w.on("read", "../out/x"), Ask, "outside")
	m, _ := w.policy.Mode("default")
	if !m.Sandbox.Enabled || len(m.Sandbox.AllowWrite) != 1 || m.Sandbox.AllowWrite[0] != "." || len(m.Sandbox.InsideRoots) != 0 {
		t.Errorf("the sandbox is %+v", m.Sandbox)
	}
	if strings.Join(m.Sandbox.AllowedDomains, " ") != "github.com" || m.Sandbox.DenyRead[len(m.Sandbox.DenyRead)-1] != "~/x" {
		t.Errorf("the sandbox is %+v", m.Sandbox)
	}
	if m.SystemPrompt != "" || m.Label != "Default" || !m.InjectSandboxInfo || len(m.HideTools) != 0 || m.Approval != ApprovalAsk {
		t.Errorf("the mode is %+v", m)
	}
	if _, ok := w.policy.Mode("mine"); ok || w.policy.DefaultMode() != "default" || w.policy.Host().UserBash != "allow" {
		t.Error("a project added a mode or changed the host")
	}
}

func TestGlobalAddsAndRetunesModes(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"defaultMode": "review", "cycleOrder": ["review", "build"], "modes": {
		"review": {"label": "Review", "color": "accent", "sandbox": {"enabled": true, "writable": false}, "permission": {"read": "allow"}},
		"build": {"sandbox": {"denyRead": ["~/y"]}, "permission": {"write": "ask"}}},
		"host": {"bashTimeoutSeconds": 30, "promptTimeoutSeconds": 10, "userBash": "judge"}}`})
	if w.policy.DefaultMode() != "review" || strings.Join(w.policy.Cycle(), " ") != "review build" || w.policy.Modes()[0] != "review" || len(w.policy.Modes()) != 6 {
		t.Errorf("modes are %v", w.policy.Modes())
	}
	review, _ := w.policy.Mode("review")
	if review.Label != "Review" || review.Operating != OperatingAgent || review.Approval != ApprovalAsk || !review.HardGates || review.Sandbox.Writable {
		t.Errorf("review is %+v", review)
	}
	build, _ := w.policy.Mode("build")
	if build.Rules(SurfaceWrite).Rules()[0].Action != Ask || build.Rules(SurfaceEdit).Rules()[0].Action != Allow || len(build.Sandbox.DenyRead) != 1 || len(build.Sandbox.AllowedDomains) == 0 {
		t.Errorf("build is %+v", build)
	}
	if h := w.policy.Host(); h.BashTimeout != 30 || h.BashTimeoutMax != 300 || h.PromptTimeout != 10 || h.UserBash != "judge" {
		t.Errorf("the host is %+v", h)
	}
}

func TestGlobalIsFoundInBothPlaces(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.pi/agent/permission-mode.json": mode("default", `{"read": "deny"}`)})
	w.want(w.on("read", "x"), Deny, "the older place")
	w = newWorld(t, map[string]string{"home/.pi/agent/permission-mode.json": mode("default", `{"read": "deny"}`), "global": mode("default", `{"read": "ask"}`)})
	w.want(w.on("read", "x"), Ask, "the newer place goes first")
}

func TestUnknownModeNamesAreReported(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"defaultMode": "biuld", "cycleOrder": ["default", "plna"]}`})
	w.wantDiag(`no mode "biuld"`, `Did you mean "build"?`)
	w.wantDiag(`no mode "plna"`)
	if w.policy.DefaultMode() != "default" {
		t.Errorf("the default is %s", w.policy.DefaultMode())
	}
	if mode, warning := w.policy.StartMode("biuld"); mode != "plan" || !strings.Contains(warning, `"build"`) {
		t.Errorf("got %s, %q", mode, warning)
	}
	if mode, warning := w.policy.StartMode(""); mode != "default" || warning != "" {
		t.Errorf("got %s, %q", mode, warning)
	}
	w.session.Mode = "gone"
	w.want(w.on("write", "x"), Deny, "a session in a mode that is gone is judged as plan")
}

func TestManagedCannotBeLoosened(t *testing.T) {
	w := newWorld(t, map[string]string{
		"managed": `{"permission": {"read": {"*.managed": "deny"}, "tool": {"risky": "ask"}}, "disabledModes": ["yolo"], "approvals": ["ask", "accept-edits"],
			"permissionProfiles": ["read-only", "workspace-write"], "enforceProtectedPaths": true, "enforceHardGates": true,
			"protectedPaths": ["company/**"], "readOnlyPaths": ["vendor/**"], "noLastingGrants": true}`,
		"global": `{"modes": {"build": {"approval": "auto", "hardGates": false, "bypassProtectedPaths": true, "permission": {"read": {"*": "allow", "*.managed": "allow"}, "tool": {"*": "allow", "risky": "allow"}}}}}`,
	})
	if _, ok := w.policy.Mode("yolo"); ok {
		t.Error("yolo is still there")
	}
	w.session = Session{Mode: "build", PermissionProfile: "full-access"}
	w.grants = Grants{{Kind: GrantName, Surface: SurfaceTool, Target: "risky", Scope: ScopeGlobal}}
	w.want(w.on("read", "a.managed"), Deny, "a rule")
	if got := w.policy.Approval(w.session); got != ApprovalAsk {
		t.Errorf("approval is %s", got)
	}
	if got := w.policy.Permission(w.session); got.Mode != ReadOnly || got.Source != "policy-fallback" {
		t.Errorf("permission is %+v", got)
	}
	w.session.PermissionProfile = ""
	w.want(w.call("risky", `{}`), Ask, "no grant answers a managed rule")
	w.want(w.on("write", ".git/config"), Deny, "protected paths")
	w.want(w.on("read", "company/x"), Deny, "managed protected paths")
	w.want(w.on("read", "vendor/x"), Allow, "managed read-only paths")
	w.want(w.on("write", "vendor/x"), Deny, "managed read-only paths")
	w.want(w.call("slack_post", `{}`), Ask, "hard gates")
	w.session.Mode = "default"
	if r := w.call("some_tool", `{}`); offers(r, ChooseForever) {
		t.Error("forever is offered")
	}
	w.want(w.on("read", "$DIR/etc/managed.json"), Deny, "the managed policy itself")
}

func TestBrokenManagedAsksEverythingAndDropsYolo(t *testing.T) {
	w := newWorld(t, map[string]string{"managed": `{"permission": `})
	if _, ok := w.policy.Mode("yolo"); ok {
		t.Error("yolo is still there")
	}
	w.session.Mode = "build"
	w.want(w.on("read", "x"), Ask, "everything is asked")
}

func TestTrustDecidesAboutVerifyCommands(t *testing.T) {
	w := newWorld(t, map[string]string{"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "generic", "verifyCommands": {"source": ["frobnicate --all"]}}`})
	w.want(w.bash("frobnicate --all"), Ask, "not trusted")
	w.trusted = true
	w.load()
	w.want(w.bash("frobnicate --all"), Allow, "trusted")
	w.want(w.bash("frobnicate --all --more"), Ask, "to the letter")
}

func FuzzConfig(f *testing.F) {
	f.Add(`{"modes": {"default": {"permission": {"bash": {"*": "ask"}}}}}`)
	f.Add(`{"modes": {"a": {"sandbox": {"network": {}}}, // x` + "\n" + `}`)
	f.Add(`{"modes": {"default": {"permission": {"read": {"a": {"action": "deny", "reason": "x"}}}}}, "cycleOrder": ["x"`)
	f.Fuzz(func(t *testing.T, text string) {
		p, diags := Load(context.Background(), Sources{
			Home: "/home/u", Project: "/proj",
			ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
		})
		facts := Facts{Tool: "x", Surface: SurfaceTool}
		p.Answer(p.Judge(facts), facts, nil)
		for _, d := range diags {
			if d.File == "" || d.Problem == "" {
				t.Errorf("a finding lacks something: %+v", d)
			}
		}
	})
}
