package profiles

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
)

// The tests of this file are the sentences of R's document (seed 002) and of
// the integrity layer.

// TestIntegrityInAnySpelling: guard state cannot be reached by any tool in any
// spelling, in any mode.
func TestIntegrityInAnySpelling(t *testing.T) {
	w := newWorld(t, map[string]string{
		"proj/.pi/piagent-state/observed-bash.jsonl": "", "profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "generic", "rootMarkers": [], "protectedPaths": [], "requiredContext": [], "verifyCommands": {}, "mcpCapabilities": []}`,
		"proj/link": "-> $/proj/.pi/piagent-state", "proj/deep/link": "-> $/proj/.pi", "out/link": "-> $/proj/link",
		"proj/dangling": "-> $/proj/.pi/piagent-state/new", "proj/sub/.pi/piagent-state/x": "", "installed/pi-guard": "",
	})
	spellings := []string{
		".pi/piagent-state/observed-bash.jsonl", "./.pi/piagent-state/x", "$DIR/proj/.pi/piagent-state/x", ".pi/piagent-state",
		"@.pi/piagent-state/x", "file://$DIR/proj/.pi/piagent-state/x", "@file://$DIR/proj/.pi/piagent-state/x", "file://localhost$DIR/proj/.pi/piagent-state/x",
		"%2epi/piagent-state/x", ".pi%2Fpiagent-state%2Fx", "file://$DIR/proj/%2epi/piagent-state/x", "src/../.pi/piagent-state/x",
		".PI/Piagent-State/x", ".pi/PIAGENT-STATE/x", "link/x", "deep/link/piagent-state/x", "../out/link/x", "dangling", "link/../piagent-profile.json",
		".pi//piagent-state/./x", "nothing/../../proj/.pi/piagent-state/x", "sub/.pi/piagent-state/x", "~/../proj/.pi/piagent-state/x",
		".pi/piagent-profile.json", ".pi/Piagent-Profile.JSON", ".pi/piagent-profile.lock.json", ".pi/context-index.json", ".pi/permission-mode.json",
		"~/.pi/agent/permission-mode/permission-mode.json", "~/.pi/agent/permission-mode.json", "~/.pi/agent/pi-guard/key", "$DIR/etc/managed.json",
		"/proc/self/cwd/.pi/piagent-state/x", "/proc/self/root$DIR/proj/.pi/piagent-state/x", ".pi/\u00a0/../piagent-state/x",
	}
	inputs := []string{
		`{"path": %q}`, `{"file_path": %q}`, `{"a": {"b": [{"target": %q}]}}`, `{"files": ["x", %q]}`, `{"options": {"x": [[[%q]]]}}`,
		`{"anything": %q}`, `{"files": {%q: "content"}}`,
	}
	for _, mode := range []string{"default", "plan", "build", "yolo"} {
		w.session.Mode = mode
		for _, path := range spellings {
			for _, tool := range []string{"read", "write", "edit", "grep", "find", "ls"} {
				r := w.on(tool, path)
				if r.Action != Deny || r.winner().Layer != LayerIntegrity && r.winner().Layer != LayerInput {
					t.Errorf("%s: %s %s: %s by layer %s", mode, tool, path, r.Action, r.winner().Layer)
				}
			}
			for _, input := range inputs {
				text := fmt.Sprintf(input, path)
				if r := w.call("mcp__fs__open", text); r.Action != Deny {
					t.Errorf("%s: mcp__fs__open %s: %s", mode, text, r.Action)
				}
			}
		}
	}
}

func TestIntegrityOfJSONInTexts(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Mode = "yolo"
	inner, _ := json.Marshal(map[string]any{"path": ".pi/piagent-state/x"})
	outer, _ := json.Marshal(map[string]any{"server": "fs", "args": string(inner)})
	w.want(w.call("mcp", string(outer)), Deny, "a proxy's arguments")
}

func TestIntegrityOfWorkingDirectories(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Mode = "yolo"
	w.want(w.call("mcp__x__run", `{"cwd": ".pi", "file": "piagent-profile.json"}`), Deny, "a path relative to cwd")
	w.want(w.call("mcp__x__run", `{"cwd": "src", "file": "a.json"}`), Allow, "an ordinary one")
}

func TestIntegrityOfAncestors(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Mode = "yolo"
	for _, input := range []string{`{"path": ".pi"}`, `{"path": "."}`, `{"path": "$DIR/proj"}`, `{"path": "~/.pi"}`, `{"path": "sub/.pi"}`} {
		w.want(w.call("mcp__fs__delete", input), Deny, "delete "+input)
	}
	w.want(w.call("mcp__fs__move", `{"source": ".pi", "destination": "x"}`), Deny, "move away")
	w.want(w.call("mcp__fs__delete", `{"path": "src"}`), Allow, "another directory")
	w.want(w.on("ls", ".pi"), Allow, "listing what lies beside it is filtered later (F7)")
	w.want(w.on("grep", "."), Allow, "broad searches are filtered later (F7)")
}

func TestIntegrityOfInstalledFiles(t *testing.T) {
	w := newWorld(t, map[string]string{"proj/guard/index.ts": ""})
	w.installed = []string{w.dir + "/proj/guard"}
	w.load()
	w.session.Mode = "yolo"
	w.want(w.on("read", "guard/index.ts"), Allow, "its documentation and source may be read")
	w.want(w.on("edit", "guard/index.ts"), Deny, "it may not be changed")
}

// TestSearchPatternsThatNameProtectedTargets: grep.glob and find.pattern are
// checked when they name protected targets on purpose (R).
func TestSearchPatternsThatNameProtectedTargets(t *testing.T) {
	w := newWorld(t, nil)
	tests := []struct {
		tool, input string
		want        Action
	}{
		{"find", `{"pattern": ".pi/piagent-state/**"}`, Deny},
		{"find", `{"pattern": "**/piagent-profile.json"}`, Deny},
		{"find", `{"pattern": "piagent*"}`, Deny},
		{"find", `{"pattern": "*.json"}`, Allow},
		{"find", `{"pattern": "**/*.jsonl"}`, Allow},
		{"find", `{"pattern": "*.pem"}`, Allow},
		{"grep", `{"pattern": "x", "glob": "piagent-state/*"}`, Deny},
		{"grep", `{"pattern": "x", "glob": "PIAGENT-STATE/*"}`, Deny},
		{"grep", `{"pattern": "KEY", "glob": ".env*"}`, Ask},
		{"grep", `{"pattern": "KEY", "glob": "**/.env"}`, Ask},
		{"grep", `{"pattern": "x", "glob": "*.go"}`, Allow},
		{"grep", `{"pattern": ".pi/piagent-state", "path": "docs"}`, Allow},
		{"grep", `{"pattern": "x", "glob": "**/*.{ts,tsx}"}`, Allow},
	}
	for _, tt := range tests {
		w.want(w.call(tt.tool, tt.input), tt.want, tt.tool+" "+tt.input)
	}
}

// TestInputDepth: nesting above 32 fails closed (R).
func TestInputDepth(t *testing.T) {
	nested := func(n int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, n) + `"x"` + strings.Repeat("}", n))
	}
	if _, problem := InspectInput("t", nested(31)); problem != "" {
		t.Errorf("31 levels: %s", problem)
	}
	if _, problem := InspectInput("t", nested(33)); problem == "" {
		t.Error("33 levels pass")
	}
	w := newWorld(t, nil)
	w.session.Mode = "yolo"
	r := w.call("t", string(nested(40)))
	w.want(r, Deny, "too deep")
	w.wantText(r, "INVALID_ARGUMENT", "nested deeper than 32")
}

func TestInputThatCannotBeRead(t *testing.T) {
	for _, input := range []string{`{`, `[]`, `"x"`, `{} {}`, `1`} {
		if _, problem := InspectInput("t", json.RawMessage(input)); problem == "" {
			t.Errorf("%s passes", input)
		}
	}
	if _, problem := InspectInput("t", nil); problem != "" {
		t.Errorf("no input at all: %s", problem)
	}
}

// TestContentFieldsAreSkipped: normal search and edit strings do not become
// path false positives (R).
func TestContentFieldsAreSkipped(t *testing.T) {
	for _, field := range fieldTable().Content {
		input, _ := json.Marshal(map[string]string{field: ".pi/piagent-state/x"})
		if got, _ := InspectInput("some_tool", input); len(got) > 0 {
			t.Errorf("%s: %v", field, got)
		}
	}
	got, _ := InspectInput("edit", json.RawMessage(`{"path": "a", "edits": [{"oldText": "/etc/passwd", "newText": "~/.ssh"}]}`))
	if len(got) != 1 || got[0].Path != "a" {
		t.Errorf("edit: %v", got)
	}
}

func TestInputEffects(t *testing.T) {
	tests := []struct {
		tool, input, path string
		effect            bashast.EffectKind
		sure              bool
	}{
		{"read", `{"path": "a"}`, "a", bashast.Read, true},
		{"write", `{"path": "a", "content": "x"}`, "a", bashast.Write, true},
		{"ls", `{}`, ".", bashast.Read, true},
		{"grep", `{"pattern": "x"}`, ".", bashast.Read, true},
		{"mcp__fs__copy_file", `{"source": "a", "destination": "b"}`, "a", bashast.Read, true},
		{"mcp__fs__copy_file", `{"source": "a", "destination": "b"}`, "b", bashast.Write, true},
		{"uploadFile", `{"source": "a"}`, "a", bashast.Read, true},
		{"mcp__fs__move_file", `{"source": "a", "destination": "b"}`, "a", bashast.Delete, true},
		{"rename", `{"oldPath": "a", "newPath": "b"}`, "b", bashast.Write, true},
		{"mcp__fs__delete", `{"path": "a"}`, "a", bashast.Delete, true},
		{"frobnicate", `{"path": "a"}`, "a", bashast.Write, false},
		{"frobnicate", `{"cwd": "a"}`, "a", bashast.Read, true},
		{"note", `{"source": "a/b", "title": "c/d"}`, "c/d", bashast.Write, false},
	}
	for _, tt := range tests {
		got, _ := InspectInput(tt.tool, json.RawMessage(tt.input))
		found := false
		for _, c := range got {
			if c.Path == tt.path {
				found = true
				if c.Effect != tt.effect || c.Sure != tt.sure {
					t.Errorf("%s %s: %s has effect %v, sure %v", tt.tool, tt.input, c.Path, c.Effect, c.Sure)
				}
			}
		}
		if !found {
			t.Errorf("%s %s: %s is not found among %v", tt.tool, tt.input, tt.path, got)
		}
	}
}

func TestR_ProfileLists(t *testing.T) {
	w := newWorld(t, map[string]string{"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "be-readonly-fe",
		"protectedPaths": ["vault/**", "*.secret"], "readOnlyPaths": ["backend/**"], "shellProtectedPaths": ["scripts/prod/**"]}`})
	for _, mode := range []string{"default", "build", "yolo"} {
		w.session.Mode = mode
		for _, path := range []string{"vault/x", "vault", "Vault/X", "a/b.secret", "b.secret"} {
			w.want(w.on("read", path), Deny, mode+" read "+path)
			w.want(w.on("write", path), Deny, mode+" write "+path)
		}
		for _, tool := range []string{"read", "grep", "find", "ls"} {
			w.want(w.on(tool, "backend/x"), Allow, mode+" "+tool)
		}
		w.want(w.on("write", "backend/x"), Deny, mode)
		w.want(w.on("edit", "backend/x"), Deny, mode)
		w.want(w.on("read", "scripts/prod/x"), Allow, "shell-only lists do not block path tools")
	}
	w.session.Mode = "build"
	w.want(w.on("write", "scripts/prod/x"), Allow, "shell-only lists do not block path tools")
	f := w.facts("bash", `{"command": "cat x"}`)
	f.Program = program("cat scripts/prod/x")
	f.Paths = []PathFact{{Resolved: w.resolver.ResolveExact("scripts/prod/x", w.dir+"/proj"), Effect: bashast.Read}}
	v := w.policy.Judge(f)
	if v.Action() != Deny {
		t.Error("a shell-only list does not block a command")
	}
}

func TestR_ReadOnlyProfile(t *testing.T) {
	w := newWorld(t, nil)
	w.session = Session{Mode: "build", PermissionProfile: "read-only"}
	for _, tool := range []string{"read", "grep", "find", "ls"} {
		w.want(w.on(tool, "src"), Allow, tool)
	}
	w.want(w.call("piagent_context", `{}`), Allow, "piagent tools")
	for _, r := range []Resolution{w.on("write", "a"), w.on("edit", "a"), w.bash("ls"), w.call("mcp__x__list", `{}`), w.call("browser", `{}`)} {
		w.want(r, Deny, r.Tool)
		w.wantText(r, "permission profile read-only")
	}
	texts := map[string]bool{}
	for _, r := range []Resolution{w.on("write", "a"), w.bash("ls"), w.call("browser", `{}`)} {
		texts[r.winner().Reason] = true
	}
	if len(texts) != 3 {
		t.Errorf("each kind has its own text; got %v", texts)
	}
}

func TestR_PermissionPrecedence(t *testing.T) {
	profile := func(p string) string {
		return `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "generic", "permissionProfile": "` + p + `"}`
	}
	tests := []struct {
		name, env, command, profile, base string
		mode                              PermissionProfile
		source                            string
	}{
		{"nothing is said", "", "", "", "", WorkspaceWrite, "default"},
		{"profile", "", "", "read-only", "", ReadOnly, "profile"},
		{"command over profile", "", "workspace-write", "read-only", "", WorkspaceWrite, "command"},
		{"env over command", "read-only", "workspace-write", "", "", ReadOnly, "env"},
		{"alias", "danger_full_access", "", "", "", TrustedFullAccess, "env"},
		{"alias in capitals", "Full-Access", "", "", "", TrustedFullAccess, "env"},
		{"invalid env", "everything", "workspace-write", "", "", ReadOnly, "invalid-env"},
		{"invalid command", "", "x", "", "", ReadOnly, "invalid-command"},
		{"not allowed", "full-access", "", "", `{"permissionProfiles": {"defaultMode": "workspace-write", "allowedModes": ["read-only", "workspace-write"]}}`, ReadOnly, "policy-fallback"},
		{"not allowed, and read-only neither", "full-access", "", "", `{"permissionProfiles": {"defaultMode": "workspace-write", "allowedModes": ["workspace-write"]}}`, WorkspaceWrite, "policy-fallback"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			if tt.profile != "" {
				files["profile"] = profile(tt.profile)
			}
			if tt.base != "" {
				files["base"] = tt.base
			}
			w := newWorld(t, files)
			if tt.env != "" {
				w.env["PIAGENT_PERMISSION_PROFILE"] = tt.env
				w.load()
			}
			got := w.policy.Permission(Session{PermissionProfile: tt.command})
			if got.Mode != tt.mode || got.Source != tt.source {
				t.Errorf("got %+v", got)
			}
			if (got.Warning != "") != (strings.HasPrefix(tt.source, "invalid") || tt.source == "policy-fallback") {
				t.Errorf("the warning is %q", got.Warning)
			}
		})
	}
}

func TestR_EmptyEnvironmentVariableIsInvalid(t *testing.T) {
	w := newWorld(t, nil)
	w.env["PIAGENT_PERMISSION_PROFILE"] = ""
	w.load()
	if got := w.policy.Permission(Session{}); got.Mode != ReadOnly {
		t.Errorf("got %+v", got)
	}
}

func TestR_InvalidProfileIsReadOnly(t *testing.T) {
	for name, profile := range map[string]string{
		"not JSON":          `{"schemaVersion": 1,`,
		"unknown profile":   `{"schemaVersion": 1, "permissionProfile": "everything"}`,
		"unknown preset":    `{"schemaVersion": 1, "extends": "cobol"}`,
		"wrong type":        `{"schemaVersion": 1, "protectedPaths": "x"}`,
		"misspelled key":    `{"schemaVersion": 1, "protectedPath": ["x"]}`,
		"unreadable preset": `{"extends": 4}`,
	} {
		w := newWorld(t, map[string]string{"profile": profile})
		if got := w.policy.Permission(Session{}); got.Mode != ReadOnly {
			t.Errorf("%s: %+v", name, got)
		}
		if len(w.diags) == 0 {
			t.Errorf("%s is not reported", name)
		}
	}
}

func TestR_ExtendsReplacesKeysWhole(t *testing.T) {
	w := newWorld(t, map[string]string{"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "python", "verifyCommands": {"source": ["make check"]}}`})
	p := w.policy.Profile()
	if fmt.Sprint(p.VerifyCommands) != "map[source:[make check]]" || len(p.ProtectedPaths) == 0 || p.Mode != "python" {
		t.Errorf("got %+v", p)
	}
}

func TestR_TrustedFullAccessRelaxesTheRegistryOnly(t *testing.T) {
	w := newWorld(t, map[string]string{"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "generic", "protectedPaths": ["vault/**"], "runtimePolicy": {"toolRegistry": "enforce"}, "mcpCapabilities": ["browser"]}`})
	w.session = Session{Mode: "build"}
	w.want(w.call("unheard_of", `{}`), Deny, "enforce denies what is not registered")
	w.want(w.call("browser_open", `{}`), Allow, "a granted capability")
	w.session.PermissionProfile = "full-access"
	w.want(w.call("unheard_of", `{}`), Allow, "relaxed")
	w.want(w.on("read", "vault/x"), Deny, "protected paths stay")
	w.want(w.on("read", ".pi/piagent-state/x"), Deny, "integrity stays")
	w.want(w.call("mcp__github__create_issue", `{}`), Ask, "external confirmation stays")
}

func TestR_RegistryIsAdvisoryByDefault(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Mode = "build"
	w.want(w.call("unheard_of", `{}`), Allow, "advisory lets it pass")
	if d := w.policy.CheckTool("unheard_of", w.session); d.Mode != Advisory || d.Reason == "" || d.Decision != Allow {
		t.Errorf("got %+v", d)
	}
	if d := w.policy.CheckTool("piagent_context", w.session); d.Decision != Allow {
		t.Errorf("got %+v", d)
	}
}

func TestR_ExternalWriteTools(t *testing.T) {
	w := newWorld(t, nil)
	w.session.Mode = "build"
	tests := map[string]Action{
		"mcp__github__create_issue": Ask, "mcp__github__list_issues": Allow, "mcp__github__get_release": Allow,
		"githubMergePullRequest": Ask, "slack_send_message": Ask, "mcp__linear__update": Ask, "mcp__notion__search": Allow,
		"create_file_helper": Allow, "mcp__jira__delete_ticket": Ask,
	}
	for tool, want := range tests {
		w.want(w.call(tool, `{}`), want, tool)
	}
	r := w.call("slack_send_message", `{}`)
	if offers(r, ChooseSession) || offers(r, ChooseForever) {
		t.Error("a yes to a hard gate is for one call")
	}
	w.grants = Grants{{Kind: GrantName, Surface: SurfaceTool, Target: "slack_send_message", Scope: ScopeSession}}
	w.want(w.call("slack_send_message", `{}`), Ask, "no grant answers a hard gate")
	w.session.Mode = "yolo"
	w.want(w.call("slack_send_message", `{}`), Allow, "yolo drops hard gates")
}

func TestR_ProjectCannotSwitchHardGatesOff(t *testing.T) {
	w := newWorld(t, map[string]string{
		"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "generic", "hardGates": {"external-write": false}}`,
		"project": `{"modes": {"build": {"hardGates": false, "bypassProtectedPaths": true, "approval": "auto"}}}`,
	})
	w.session.Mode = "build"
	w.want(w.call("slack_send_message", `{}`), Ask, "the gate stays")
	w.want(w.on("write", ".git/config"), Deny, "protected paths stay")
	w.wantDiag("hardGates.external-write", "cannot switch")
	w.wantDiag("modes.build.hardGates", "project cannot set")
	w.wantDiag("modes.build.bypassProtectedPaths", "project cannot set")
}

func TestR_Presets(t *testing.T) {
	want := "backend-api be-readonly-fe data devops docs fullstack generic mobile node-typescript python web-frontend"
	if got := strings.Join(Presets(), " "); got != want {
		t.Errorf("presets are %s", got)
	}
	for _, name := range Presets() {
		p, ok := Preset(name)
		if !ok || p.SchemaVersion != 1 || p.Mode != name || p.ProjectID != name || len(p.RootMarkers) == 0 ||
			len(p.ProtectedPaths) == 0 || len(p.VerifyCommands) == 0 || len(p.MCPCapabilities) == 0 {
			t.Errorf("%s is %+v", name, p)
		}
	}
}
