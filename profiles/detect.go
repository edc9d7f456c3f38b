package profiles

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Detection is what a repository shows of its kind, for pi-guard profile init.
type Detection struct {
	// Preset is the kind of project.
	Preset string
	// PackageManager is npm, pnpm, yarn, bun, go, cargo, uv, poetry, pip,
	// maven, gradle, make, just, … or "".
	PackageManager string
	// Languages, by what the repository declares.
	Languages []string
	// VerifyCommands are the commands that prove a change, by group.
	VerifyCommands map[string][]string
	// RootMarkers and RequiredContext exist in the repository.
	RootMarkers, RequiredContext []string
	// GeneratedPaths are those that builds write.
	GeneratedPaths []string
	// Evidence says for each conclusion which file it was drawn from.
	Evidence []string
}

// maxDetectRead bounds what is read of one file.
const maxDetectRead = 1 << 20

// Detect looks at the files of a repository's root and says what kind it is.
// Nothing is run.
func Detect(root fs.FS) Detection {
	d := &detector{root: root, out: Detection{Preset: "generic", VerifyCommands: map[string][]string{}}}
	d.node()
	d.python()
	d.compiled()
	d.runners()
	d.preset()
	d.context()
	d.out.VerifyCommands["docsOnly"] = []string{"git diff --check"}
	slices.Sort(d.out.Languages)
	d.out.Languages = slices.Compact(d.out.Languages)
	return d.out
}

// detector collects what is found.
type detector struct {
	root         fs.FS
	out          Detection
	dependencies []string // of package.json
}

func (d *detector) has(name string) bool {
	_, err := fs.Stat(d.root, name)
	return err == nil
}

// first is the first of the names that exists, "" when none does.
func (d *detector) first(names ...string) string {
	for _, name := range names {
		if d.has(name) {
			return name
		}
	}
	return ""
}

func (d *detector) read(name string) []byte {
	f, err := d.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, maxDetectRead)
	n, _ := f.Read(data)
	return data[:n]
}

func (d *detector) note(format string, args ...any) {
	d.out.Evidence = append(d.out.Evidence, fmt.Sprintf(format, args...))
}

func (d *detector) verify(commands ...string) {
	for _, c := range commands {
		if !slices.Contains(d.out.VerifyCommands["source"], c) {
			d.out.VerifyCommands["source"] = append(d.out.VerifyCommands["source"], c)
		}
	}
}

// verifyScripts are the package scripts that prove a change, in the order to
// run them; of each group the first that exists is taken.
var verifyScripts = [][]string{
	{"typecheck", "type-check", "check-types", "tsc", "check"},
	{"lint", "lint:check", "eslint"},
	{"test", "test:unit", "test:ci", "spec"},
	{"build"},
}

// node reads package.json.
func (d *detector) node() {
	data := d.read("package.json")
	if data == nil {
		return
	}
	var pkg struct {
		PackageManager                string            `json:"packageManager"`
		Scripts                       map[string]string `json:"scripts"`
		Dependencies, DevDependencies map[string]string
	}
	if err := json.Unmarshal(data, &pkg); err != nil {
		d.note("package.json cannot be read: %v", err)
		return
	}
	d.dependencies = slices.Concat(slices.Collect(maps.Keys(pkg.Dependencies)), slices.Collect(maps.Keys(pkg.DevDependencies)))
	d.out.Languages = append(d.out.Languages, "javascript")
	if d.has("tsconfig.json") || slices.Contains(d.dependencies, "typescript") {
		d.out.Languages = append(d.out.Languages, "typescript")
	}
	d.out.PackageManager = d.nodeManager(pkg.PackageManager)
	d.note("package.json, packages by %s", d.out.PackageManager)
	for _, group := range verifyScripts {
		for _, name := range group {
			if body, ok := pkg.Scripts[name]; ok && meaningful(body) {
				d.verify(runScript(d.out.PackageManager, name))
				d.note("script %q of package.json: %s", name, body)
				break
			}
		}
	}
	d.generated("dist", "build", ".next", "coverage", "out")
}

func (d *detector) nodeManager(declared string) string {
	if name, _, _ := strings.Cut(declared, "@"); name != "" {
		return name
	}
	for _, by := range [...][2]string{
		{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
	} {
		if d.has(by[0]) {
			return by[1]
		}
	}
	return "npm"
}

// runScript is the command that runs a script of package.json.
func runScript(manager, name string) string {
	if name == "test" && manager != "bun" {
		return manager + " test"
	}
	return manager + " run " + name
}

// stub is a script that proves nothing.
var stub = regexp.MustCompile(`^\s*(true|:|echo\b.*|exit 0)\s*(&&\s*exit \d)?\s*$`)

// meaningful reports whether a script is more than a stub.
func meaningful(script string) bool {
	return strings.TrimSpace(script) != "" && !stub.MatchString(script) && !strings.Contains(script, "no test specified")
}

// python reads pyproject.toml and what stands beside it.
func (d *detector) python() {
	marker := d.first("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile")
	if marker == "" {
		return
	}
	d.out.Languages = append(d.out.Languages, "python")
	project := string(d.read("pyproject.toml")) + string(d.read("setup.cfg")) + string(d.read("requirements.txt")) + string(d.read("requirements-dev.txt"))
	prefix, manager := "", "pip"
	switch {
	case d.has("uv.lock") || strings.Contains(project, "[tool.uv"):
		prefix, manager = "uv run ", "uv"
	case d.has("poetry.lock") || strings.Contains(project, "[tool.poetry"):
		prefix, manager = "poetry run ", "poetry"
	case d.has("Pipfile"):
		prefix, manager = "pipenv run ", "pipenv"
	}
	if d.out.PackageManager == "" {
		d.out.PackageManager = manager
	}
	d.note("%s, packages by %s", marker, manager)
	if strings.Contains(project, "ruff") || d.has("ruff.toml") {
		d.verify(prefix + "ruff check .")
	}
	if strings.Contains(project, "mypy") || d.has("mypy.ini") {
		d.verify(prefix + "mypy .")
	}
	switch {
	case d.has("tox.ini") && !strings.Contains(project, "pytest"):
		d.verify(prefix + "tox")
	case d.has("manage.py") && !strings.Contains(project, "pytest"):
		d.verify(prefix + "python manage.py test")
	case strings.Contains(project, "pytest") || d.has("tests") || d.has("test") || d.has("conftest.py"):
		d.verify(prefix + "pytest")
	}
	d.generated(".pytest_cache", ".ruff_cache", ".mypy_cache", "build", "dist")
}

// compiled looks for the languages that bring their own tools.
func (d *detector) compiled() {
	for _, l := range []struct {
		markers           []string
		language, manager string
		verify, generated []string
	}{
		{[]string{"go.mod"}, "go", "go", []string{"go vet ./...", "go test ./..."}, nil},
		{[]string{"Cargo.toml"}, "rust", "cargo", []string{"cargo clippy --all-targets", "cargo test"}, []string{"target"}},
		{[]string{"pom.xml"}, "java", "maven", []string{"mvn -q verify"}, []string{"target"}},
		{[]string{"gradlew"}, "java", "gradle", []string{"./gradlew check"}, []string{"build"}},
		{[]string{"build.gradle", "build.gradle.kts"}, "java", "gradle", []string{"gradle check"}, []string{"build"}},
		{[]string{"mix.exs"}, "elixir", "mix", []string{"mix test"}, []string{"_build"}},
		{[]string{"Gemfile"}, "ruby", "bundler", []string{"bundle exec rake"}, nil},
		{[]string{"composer.json"}, "php", "composer", []string{"composer test"}, nil},
		{[]string{"Package.swift"}, "swift", "swift", []string{"swift test"}, []string{".build"}},
		{[]string{"pubspec.yaml"}, "dart", "flutter", []string{"flutter analyze", "flutter test"}, []string{"build"}},
		{[]string{"CMakeLists.txt"}, "c++", "cmake", []string{"cmake --build build", "ctest --test-dir build"}, []string{"build"}},
	} {
		marker := d.first(l.markers...)
		if marker == "" || l.manager == "gradle" && slices.Contains(d.out.Languages, "java") {
			continue
		}
		d.out.Languages = append(d.out.Languages, l.language)
		if d.out.PackageManager == "" {
			d.out.PackageManager = l.manager
		}
		d.note("%s: %s", marker, l.language)
		d.verify(l.verify...)
		d.generated(l.generated...)
	}
}

// target is the beginning of a rule of a makefile or a justfile.
var target = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)\s*[A-Za-z0-9_ ='"]*:([^=]|$)`)

// runners reads makefiles and the like: where nothing else proves a change,
// their targets do.
func (d *detector) runners() {
	for _, runner := range []struct {
		files   []string
		command string
	}{
		{[]string{"Makefile", "makefile", "GNUmakefile"}, "make"},
		{[]string{"justfile", "Justfile", ".justfile"}, "just"},
		{[]string{"Taskfile.yml", "Taskfile.yaml"}, "task"},
	} {
		file := d.first(runner.files...)
		if file == "" || len(d.out.VerifyCommands["source"]) > 0 {
			continue
		}
		if d.out.PackageManager == "" {
			d.out.PackageManager = runner.command
		}
		names := d.targets(file, runner.command == "task")
		for _, name := range []string{"check", "lint", "test"} {
			if slices.Contains(names, name) {
				d.verify(runner.command + " " + name)
				d.note("target %q of %s", name, file)
			}
		}
	}
}

// targets are the names of the targets of a file.
func (d *detector) targets(file string, indented bool) []string {
	var names []string
	for s := bufio.NewScanner(bytes.NewReader(d.read(file))); s.Scan(); {
		line := s.Text()
		if indented {
			line = strings.TrimPrefix(line, "  ")
		}
		if m := target.FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

// frontend and backend are packages that tell what a JavaScript project is.
var (
	frontend = []string{"react", "vue", "svelte", "@angular/core", "solid-js", "preact", "astro", "vite", "lit"}
	backend  = []string{"express", "fastify", "koa", "@nestjs/core", "hono", "@hapi/hapi", "apollo-server", "pg", "mongoose", "prisma", "@prisma/client", "typeorm"}
	mobile   = []string{"react-native", "expo", "@ionic/core", "@capacitor/core", "nativescript"}
	bothEnds = []string{"next", "nuxt", "@remix-run/node", "@sveltejs/kit"}
)

func (d *detector) dependsOn(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(d.dependencies, n) })
}

// preset chooses the kind of project, the most telling sign first.
func (d *detector) preset() {
	front, back := d.dependsOn(frontend), d.dependsOn(backend)
	api := back || slices.ContainsFunc([]string{"go", "java", "ruby", "php", "elixir", "rust"}, func(l string) bool {
		return slices.Contains(d.out.Languages, l)
	})
	python := slices.Contains(d.out.Languages, "python")
	switch {
	case d.dependsOn(mobile) || d.has("pubspec.yaml") || d.has("android") && d.has("ios"):
		d.out.Preset = "mobile"
	case d.has("dbt_project.yml") || d.has("notebooks") || d.glob("*.ipynb"):
		d.out.Preset = "data"
	case d.dependsOn(bothEnds) || front && api || d.has("frontend") && d.has("backend"):
		d.out.Preset = "fullstack"
	case front:
		d.out.Preset = "web-frontend"
	case back:
		d.out.Preset = "backend-api"
	case python:
		d.out.Preset = "python"
	case slices.Contains(d.out.Languages, "typescript") || slices.Contains(d.out.Languages, "javascript"):
		d.out.Preset = "node-typescript"
	case api:
		d.out.Preset = "backend-api"
	case d.glob("*.tf") || d.has("Chart.yaml") || d.has("kustomization.yaml") || d.has("ansible.cfg"):
		d.out.Preset = "devops"
	case d.has("mkdocs.yml") || d.has("docs") && len(d.out.Languages) == 0 || d.has("book.toml"):
		d.out.Preset = "docs"
	}
	d.note("the kind of project is %s", d.out.Preset)
}

func (d *detector) glob(pattern string) bool {
	matches, err := fs.Glob(d.root, pattern)
	return err == nil && len(matches) > 0
}

// context finds the markers of the root and the files to read first.
func (d *detector) context() {
	for _, name := range []string{
		"package.json", "go.mod", "pyproject.toml", "Cargo.toml", "pom.xml", "pubspec.yaml", "mix.exs", "Gemfile", "composer.json",
		"CMakeLists.txt", "Makefile", "mkdocs.yml", ".git",
	} {
		if d.has(name) && len(d.out.RootMarkers) < 2 {
			d.out.RootMarkers = append(d.out.RootMarkers, name)
		}
	}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", "README.md", "README.rst", "CONTRIBUTING.md"} {
		if d.has(name) && len(d.out.RequiredContext) < 2 {
			d.out.RequiredContext = append(d.out.RequiredContext, name)
		}
	}
}

func (d *detector) generated(dirs ...string) {
	for _, dir := range dirs {
		if p := dir + "/**"; !slices.Contains(d.out.GeneratedPaths, p) {
			d.out.GeneratedPaths = append(d.out.GeneratedPaths, p)
		}
	}
}

// notID is what may not stand in a project's id.
var notID = regexp.MustCompile(`[^a-z0-9]+`)

// Profile is the text of a piagent-profile.json for what was detected; name is
// the directory's. It extends the preset and says what is the project's own.
func (d Detection) Profile(name string) []byte {
	id := strings.Trim(notID.ReplaceAllString(strings.ToLower(path.Base(name)), "-"), "-")
	id = orElse(id, "project")
	display, _ := json.Marshal(path.Base(name))
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"schemaVersion\": 1,\n  \"projectId\": %q,\n  \"displayName\": %s,\n  \"extends\": %q,\n", id, display, d.Preset)
	field := func(key string, value any, comment string) {
		text, _ := json.MarshalIndent(value, "  ", "  ")
		fmt.Fprintf(&b, "  // %s\n  %q: %s,\n", comment, key, text)
	}
	field("rootMarkers", append([]string{}, d.RootMarkers...), "At least one of these is in the project's root.")
	field("requiredContext", append([]string{}, d.RequiredContext...), "Read before work begins.")
	field("verifyCommands", d.VerifyCommands, "What proves a change: exactly these commands count as evidence.")
	if len(d.GeneratedPaths) > 0 {
		field("generatedPaths", d.GeneratedPaths, "Written by builds: they do not make evidence stale.")
	}
	text, err := hujson.Format([]byte(strings.TrimSuffix(b.String(), ",\n") + "\n}\n"))
	if err != nil {
		panic("a detected profile is no JSON: " + err.Error())
	}
	return text
}
