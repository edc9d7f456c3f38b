package profiles

import (
	"os"
	"strings"
	"testing"
)

// importWorld imports a file and loads what it became.
func importWorld(t *testing.T, format, file string) (*world, Imported) {
	t.Helper()
	data, err := os.ReadFile("testdata/import/" + file)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := Import(format, file, data)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, map[string]string{"global": string(imported.Config)})
	if errs := errorsOf(w.diags); len(errs) > 0 {
		t.Fatalf("what was imported has errors: %v\n%s", errs, imported.Config)
	}
	return w, imported
}

// noted checks that the notes hold every part, one note each, and no more.
func noted(t *testing.T, imported Imported, parts ...string) {
	t.Helper()
	all := strings.Join(imported.Notes, "\n")
	for _, part := range parts {
		if !strings.Contains(all, part) {
			t.Errorf("no note says %q:\n%s", part, all)
		}
	}
	if len(imported.Notes) != len(parts) {
		t.Errorf("%d notes, want %d:\n%s", len(imported.Notes), len(parts), all)
	}
}

func TestImportClaude(t *testing.T) {
	w, imported := importWorld(t, "claude", "claude.json")
	for line, want := range map[string]Action{
		"npm run test": Allow, "npm run test --watch": Allow, "npm run tests": Ask, "git status": Allow, "git status x": Ask,
		"git diff": Allow, "git diff HEAD": Allow, "git push": Ask, "git push origin x": Ask, "curl x": Deny, "curlx": Ask,
	} {
		f := w.facts("bash", `{"command": "x"}`)
		f.Program = program(line)
		if r, _ := w.policy.MatchText("default", SurfaceBash, line); r.Action != want {
			t.Errorf("%s: %s, want %s", line, r.Action, want)
		}
	}
	for path, want := range map[string]Action{".env": Deny, "secrets/a/b": Deny, "secrets": Deny, "x/y.pem": Deny, "src/a.go": Allow, "sub/secrets/a": Allow} {
		w.want(w.on("read", path), want, "read "+path)
		w.want(w.on("grep", path), want, "grep "+path)
	}
	w.want(w.on("edit", "src/x/a.ts"), Allow, "edit")
	w.want(w.on("edit", "lib/a.go"), Allow, "edits are accepted")
	w.want(w.on("write", "generated/x"), Deny, "write")
	w.want(w.call("mcp__docs__search", `{}`), Allow, "a whole server")
	w.want(w.call("mcp__github__get_issue", `{}`), Allow, "one tool")
	w.want(w.call("mcp__github__get_other", `{}`), Ask, "another tool")
	w.want(w.on("read", "$DIR/docs/x"), Ask, "a directory that is relative to nothing here")
	m, _ := w.policy.Mode("default")
	if m.Approval != ApprovalAcceptEdits || m.Sandbox.AllowedDomains[len(m.Sandbox.AllowedDomains)-1] != "example.org" {
		t.Errorf("the mode is %+v", m)
	}
	noted(t, imported, "src/**/*.ts", `"NotARule("`, "the tool Task", "no tool that fetches", "../docs is allowed", "disabledModes", "hooks has no equivalent")
}

func TestImportOpencode1(t *testing.T) {
	w, imported := importWorld(t, "opencode", "opencode1.json")
	w.want(w.on("read", "a.go"), Allow, "read")
	w.want(w.on("read", "prod.env"), Deny, "read")
	w.want(w.on("edit", "a.go"), Allow, "edit")
	w.want(w.on("write", "a.go"), Allow, "edit is write too")
	w.want(w.on("ls", "."), Ask, "everything else")
	w.want(w.on("read", "~/lib/x"), Allow, "a directory outside")
	for line, want := range map[string]Action{"git": Allow, "git log": Allow, "git push": Ask, "git push x": Ask, "rm x": Deny, "make": Ask} {
		if r, _ := w.policy.MatchText("default", SurfaceBash, line); r.Action != want {
			t.Errorf("%s: %s, want %s", line, r.Action, want)
		}
	}
	plan, _ := w.policy.Mode("plan")
	if plan.Rules(SurfaceBash).Rules()[0].Action != Deny || strings.Join(plan.HideTools, " ") != "write" || plan.Operating != OperatingPlan {
		t.Errorf("plan is %+v", plan)
	}
	noted(t, imported, "doom_loop has no equivalent", "github_create_issue", "mcp is pi's matter")
}

func TestImportOpencode2(t *testing.T) {
	w, imported := importWorld(t, "opencode", "opencode2.json")
	w.want(w.on("read", "a"), Allow, "read")
	w.want(w.on("grep", "a"), Ask, "everything else")
	w.want(w.on("edit", "docs/a.mdx"), Deny, "what is not understood denies")
	for line, want := range map[string]Action{"git status": Allow, "git push": Deny, "git log": Ask} {
		if r, _ := w.policy.MatchText("default", SurfaceBash, line); r.Action != want {
			t.Errorf("%s: %s, want %s", line, r.Action, want)
		}
	}
	noted(t, imported, `"maybe"`, `"maybe"`, `"*.env" is not taken over`)
}

func TestImportPermissionSystem(t *testing.T) {
	w, imported := importWorld(t, "pi-permission-system", "permission-system-old.json")
	w.want(w.on("read", "a"), Allow, "read")
	w.want(w.on("edit", "a"), Ask, "edit")
	w.want(w.call("mcp__docs__search", `{}`), Allow, "an MCP tool")
	w.want(w.call("mcp__github__x", `{}`), Deny, "an MCP server")
	if r, _ := w.policy.MatchText("default", SurfaceBash, "git push x"); r.Action != Deny {
		t.Errorf("git push: %s", r.Action)
	}
	if r, _ := w.policy.MatchText("default", SurfaceExternal, "/home/u/lib/x"); r.Action != Allow {
		t.Errorf("a directory outside: %s", r.Action)
	}
	noted(t, imported, "bashRedirect has no equivalent", "doom_loop has no equivalent")

	w, imported = importWorld(t, "pi-permission-system", "permission-system-new.json")
	w.want(w.on("read", "a.env"), Deny, "path")
	w.want(w.on("read", "a"), Allow, "read")
	w.want(w.on("read", "../out/x"), Deny, "outside")
	w.want(w.call("my_tool", `{}`), Allow, "a tool")
	w.want(w.call("mcp__docs__x", `{}`), Allow, "an MCP server")
	if r, _ := w.policy.MatchText("default", SurfaceBash, "rm x"); r.Action != Deny {
		t.Errorf("rm: %s", r.Action)
	}
	noted(t, imported)
}

func TestImportPiagent(t *testing.T) {
	w, imported := importWorld(t, "piagent", "base-policy.json")
	w.want(w.on("read", "vault/x"), Deny, "a protected path")
	for line, want := range map[string]Action{"git reset --hard": Deny, "git reset --hard HEAD": Deny, "sudo x": Deny, "terraform apply -auto": Ask, "db migrate up": Ask} {
		if r, _ := w.policy.MatchText("default", SurfaceBash, line); r.Action != want {
			t.Errorf("%s: %s, want %s", line, r.Action, want)
		}
	}
	noted(t, imported, `by "regex"`, "contextBudget keeps its place")

	profile := `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "python", "oldKey": 1}`
	imported, err := Import("piagent", "p.json", []byte(profile))
	if err != nil || string(imported.Config) != profile || imported.File != "piagent-profile.json" {
		t.Errorf("got %+v, %v", imported, err)
	}
	noted(t, imported, `"oldKey" is not known`)
}

func TestImportRefusesWhatItCannotRead(t *testing.T) {
	for _, tt := range [][3]string{
		{"claude", "{\n  \"permissions\" 1}", "settings:2:"}, {"piagent", `{"x": 1}`, "neither a profile"}, {"cursor", `{}`, "no importer"},
	} {
		if _, err := Import(tt[0], "settings", []byte(tt[1])); err == nil || !strings.Contains(err.Error(), tt[2]) {
			t.Errorf("%s %s: %v", tt[0], tt[1], err)
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add("claude", `{"permissions": {"allow": ["Bash(x:*)", 1, {}], "deny": "x"}}`)
	f.Add("opencode", `{"permission": {"bash": [], "x": null}, "agent": {"a": 1}}`)
	f.Add("pi-permission-system", `{"tools": {"a:b": 1}, "special": []}`)
	f.Add("piagent", `{"blockedCommandPatterns": [1], "execPolicy": {"rules": [{}]}}`)
	f.Fuzz(func(t *testing.T, format, text string) {
		imported, err := Import(format, "x", []byte(text))
		if err != nil || imported.File != "permission-mode.json" {
			return
		}
		var m ModeFile
		if diags, _ := decodeDocument("x", imported.Config, &m); len(errorsOf(diags)) > 0 {
			t.Errorf("%v\n%s", diags, imported.Config)
		}
	})
}
