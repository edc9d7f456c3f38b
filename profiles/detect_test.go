package profiles

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// tree is a repository from names and contents.
func tree(files ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for _, f := range files {
		name, content, _ := strings.Cut(f, "=")
		fs[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return fs
}

func TestDetect(t *testing.T) {
	tests := []struct {
		name            string
		tree            fstest.MapFS
		preset, manager string
		verify          []string
	}{
		{"nothing", tree(), "generic", "", nil},
		{"go", tree("go.mod=module x"), "backend-api", "go", []string{"go vet ./...", "go test ./..."}},
		{"rust", tree("Cargo.toml="), "backend-api", "cargo", []string{"cargo clippy --all-targets", "cargo test"}},
		{"plain node", tree(`package.json={"scripts": {"test": "node --test"}}`), "node-typescript", "npm", []string{"npm test"}},
		{"pnpm by its lock", tree(`package.json={"scripts": {"lint": "eslint .", "test": "vitest", "build": "vite build"}, "devDependencies": {"vite": "1"}}`, "pnpm-lock.yaml="), "web-frontend", "pnpm", []string{"pnpm run lint", "pnpm test", "pnpm run build"}},
		{"yarn by declaration", tree(`package.json={"packageManager": "yarn@4.1.0", "scripts": {"typecheck": "tsc"}, "dependencies": {"express": "4"}}`), "backend-api", "yarn", []string{"yarn run typecheck"}},
		{"bun", tree(`package.json={"scripts": {"test": "bun test"}}`, "bun.lockb="), "node-typescript", "bun", []string{"bun run test"}},
		{"a stub is no test", tree(`package.json={"scripts": {"test": "echo \"Error: no test specified\" && exit 1", "lint": "true"}}`), "node-typescript", "npm", nil},
		{"next", tree(`package.json={"dependencies": {"next": "14", "react": "18"}}`), "fullstack", "npm", nil},
		{"react with a go server", tree(`package.json={"dependencies": {"react": "18"}}`, "go.mod="), "fullstack", "npm", []string{"go vet ./...", "go test ./..."}},
		{"react native", tree(`package.json={"dependencies": {"react-native": "0.7", "react": "18"}}`), "mobile", "npm", nil},
		{"flutter", tree("pubspec.yaml=name: x"), "mobile", "flutter", []string{"flutter analyze", "flutter test"}},
		{"uv", tree("pyproject.toml=[project]\ndependencies=['pytest', 'ruff']", "uv.lock="), "python", "uv", []string{"uv run ruff check .", "uv run pytest"}},
		{"poetry", tree("pyproject.toml=[tool.poetry]\nmypy = '1'", "tests/x.py="), "python", "poetry", []string{"poetry run mypy .", "poetry run pytest"}},
		{"django", tree("requirements.txt=django", "manage.py="), "python", "pip", []string{"python manage.py test"}},
		{"dbt", tree("dbt_project.yml=", "requirements.txt=dbt"), "data", "pip", nil},
		{"terraform", tree("main.tf="), "devops", "", nil},
		{"make", tree("Makefile=all: x\ntest: all\n\tx\nlint:\n\ty\nVAR := z\n"), "generic", "make", []string{"make lint", "make test"}},
		{"make gives way", tree("Makefile=test:\n", "go.mod="), "backend-api", "go", []string{"go vet ./...", "go test ./..."}},
		{"just", tree("justfile=test arg='x':\n  y\n"), "generic", "just", []string{"just test"}},
		{"task", tree("Taskfile.yml=version: 3\ntasks:\n  test:\n    cmds: [x]\n"), "generic", "task", []string{"task test"}},
		{"docs", tree("mkdocs.yml=", "docs/index.md="), "docs", "", nil},
		{"broken package.json", tree("package.json={"), "generic", "", nil},
		{"gradle wrapper", tree("gradlew=", "build.gradle="), "backend-api", "gradle", []string{"./gradlew check"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Detect(tt.tree)
			if d.Preset != tt.preset || d.PackageManager != tt.manager || !slices.Equal(d.VerifyCommands["source"], tt.verify) {
				t.Errorf("got %s by %s, verified by %q", d.Preset, d.PackageManager, d.VerifyCommands["source"])
			}
			if len(d.Evidence) == 0 {
				t.Error("nothing says why")
			}
			var profile Profile
			if diags, _ := decodeDocument("x", d.Profile("/some/My App!"), &profile); len(diags) > 0 {
				t.Errorf("the profile has findings: %v\n%s", diags, d.Profile("x"))
			}
			if profile.ProjectID != "my-app" || profile.DisplayName != "My App!" || profile.Extends != tt.preset || !projectID.MatchString(profile.ProjectID) {
				t.Errorf("the profile is %+v", profile)
			}
		})
	}
}

func TestDetectedProfileIsComplete(t *testing.T) {
	d := Detect(tree(`package.json={"scripts": {"test": "vitest"}}`, "README.md=", "AGENTS.md=", ".git/HEAD="))
	w := newWorld(t, map[string]string{"profile": string(d.Profile("demo"))})
	if len(w.diags) > 0 {
		t.Errorf("findings: %v", w.diags)
	}
	p := w.policy.Profile()
	if fmt.Sprint(p.VerifyCommands) != "map[docsOnly:[git diff --check] source:[npm test]]" || fmt.Sprint(p.RootMarkers) != "[package.json .git]" ||
		fmt.Sprint(p.RequiredContext) != "[AGENTS.md README.md]" || len(p.ProtectedPaths) == 0 {
		t.Errorf("got %+v", p)
	}
}
