package profiles

import (
	"os"
	"strings"
	"testing"
)

func TestProfileDoctor(t *testing.T) {
	tests := []struct {
		name, profile string
		files         []string
		want          []string // each a part of one finding; "" for none
	}{
		{"sound", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "python", "rootMarkers": ["pyproject.toml"], "requiredContext": []}`, []string{"pyproject.toml"}, nil},
		{"none", "", nil, []string{"error: the project has no profile"}},
		{"version", `{"schemaVersion": 2, "projectId": "x", "displayName": "X", "extends": "docs", "rootMarkers": ["a"], "requiredContext": []}`, []string{"a"}, []string{"error: schemaVersion: it is 2"}},
		{"identity", `{"schemaVersion": 1, "projectId": "X y", "mode": "pythn", "rootMarkers": ["a"], "protectedPaths": ["x"], "mcpCapabilities": ["y"], "verifyCommands": {"source": ["make"]}}`, []string{"a"}, []string{`error: projectId: "X y"`, "error: displayName", `warning: mode: "pythn"`}},
		{"markers", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "python", "requiredContext": ["AGENTS.md"]}`, nil, []string{"error: rootMarkers: none of pyproject.toml", "warning: requiredContext: AGENTS.md"}},
		{"empty lists", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "mode": "generic"}`, nil, []string{"warning: rootMarkers", "warning: protectedPaths", "warning: mcpCapabilities", "error: verifyCommands: no command"}},
		{"shell-only", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "docs", "rootMarkers": ["a"], "requiredContext": [], "shellProtectedPaths": ["prod/**"]}`, []string{"a"}, []string{`warning: shellProtectedPaths: "prod/**"`}},
		{"stubs", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "docs", "rootMarkers": ["a"], "requiredContext": [], "verifyCommands": {"source": ["true", "make test || true", ""]}}`, []string{"a"}, []string{`"true" proves nothing`, "passes whatever happens", "a command is empty"}},
		{"lock missing", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "docs", "rootMarkers": ["a"], "requiredContext": [], "capabilityPacks": [{"name": "p", "version": "1"}]}`, []string{"a"}, []string{"warning: capabilityPacks: there is no"}},
		{"lock differs", `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "extends": "docs", "rootMarkers": ["a"], "requiredContext": [], "capabilityPacks": [{"name": "p", "version": "2"}]}`, []string{"a", `.pi/piagent-profile.lock.json={"packs": {"p": {"version": "1"}}}`}, []string{`error: capabilityPacks: p is "2" in the profile and "1"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			if tt.profile != "" {
				files["profile"] = tt.profile
			}
			w := newWorld(t, files)
			w.diags = w.policy.ProfileDoctor(tree(tt.files...))
			for _, want := range tt.want {
				w.wantDiag(want)
			}
			if len(w.diags) != len(tt.want) {
				t.Errorf("findings: %v", w.diags)
			}
			for _, d := range w.diags {
				if d.Fix == "" {
					t.Errorf("%v says not what to do", d)
				}
			}
		})
	}
}

func TestTeamDoctor(t *testing.T) {
	w := newWorld(t, map[string]string{"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "shellProtectedPaths": ["p"]}`, "global": `{"modes": {"wild": {"hardGates": false, "bypassProtectedPaths": true, "sandbox": {"enabled": false}}, "default": {"permission": {"write": "allow"}}}}`})
	w.must(os.Chmod(w.dir+"/home/.pi/agent/permission-mode", 0o777))
	w.diags = w.policy.TeamDoctor(Sources{Home: w.dir + "/home", DataDir: w.dir + "/out"}, w.diags)
	w.wantDiag("error", "permission-mode: ", "chmod go-w")
	w.wantDiag("modes.wild", "no sandbox, no hard gates")
	w.wantDiag("default.write.*", "shipped mode says ask")
	w.wantDiag("shellProtectedPaths", `"p"`)
	if len(w.diags) != 4 {
		t.Errorf("findings: %v", w.diags)
	}
}

func TestProfileDiff(t *testing.T) {
	base, _ := Preset("python")
	own, _ := Preset("python")
	if got := own.Diff(base); got != nil {
		t.Errorf("a preset differs from itself: %v", got)
	}
	own.VerifyCommands = map[string][]string{"source": {"make"}}
	own.ProjectID = "mine"
	var keys []string
	for _, d := range own.Diff(base) {
		keys = append(keys, d.Key)
	}
	if strings.Join(keys, " ") != "projectId verifyCommands" {
		t.Errorf("got %v", keys)
	}
}
