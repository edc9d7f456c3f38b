package bashast

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// maxPackages bounds the packages of a workspace that one command follows.
const maxPackages = 32

// packageManager follows npm, pnpm, yarn and bun to the scripts of
// package.json, with those that run before and after them.
func (l *looker) packageManager(p *parsed) {
	for i := range p.uses {
		u := &p.uses[i]
		if u.opt != nil && !u.flag && u.role.kind == roleCode {
			l.use(p, u)
		}
	}
	first := p.operand(1)
	if first == 0 {
		if l.name == "yarn" {
			l.lifecycle("install", first, l.packages(p))
		}
		return
	}
	verb, ok := l.c.Words[first].Text()
	if !ok {
		l.problem(ProblemScript, "which script "+l.name+" runs is not known", first)
		return
	}
	l.label = l.name + " " + verb
	l.packageVerb(p, verb, first)
}

// packageVerb is the first operand: a script by its name, or run and a name.
func (l *looker) packageVerb(p *parsed, verb string, first int) {
	packages := l.packages(p)
	switch verb {
	case "run", "run-script", "rum", "urn":
		second := p.operand(2)
		if second == 0 {
			return
		}
		name, ok := l.c.Words[second].Text()
		if !ok {
			l.problem(ProblemScript, "which script "+l.label+" runs is not known", second)
			return
		}
		if !l.runScript(name, second, packages) && l.name == "bun" {
			l.bunFile(name, second)
		}
	case "test", "t", "tst", "it":
		l.runScript("test", first, packages)
	case "start", "stop", "restart":
		l.runScript(verb, first, packages)
	case "install", "i", "ci", "add", "rebuild", "clean-install", "update", "install-test":
		l.lifecycle("install", first, packages)
	case "publish":
		l.lifecycle("publish", first, packages)
	case "version":
		l.lifecycle("version", first, packages)
	default:
		if l.name == "npm" || l.runScript(verb, first, packages) {
			return
		}
		if l.name == "bun" {
			l.bunFile(verb, first)
		} else if rowOf(verb) != nil && !isManagerVerb(verb) {
			l.argv(l.c.Words[first:])
		}
	}
}

// isManagerVerb reports whether a name is a verb of yarn or pnpm and no
// program of the project.
func isManagerVerb(verb string) bool {
	return isOneOf(verb, "init", "remove", "rm", "up", "upgrade", "why", "list", "ls", "info", "link", "unlink", "pack",
		"config", "cache", "workspace", "workspaces", "node", "set", "plugin", "patch", "store", "outdated", "audit", "login", "help", "import", "env", "deploy", "bin", "root", "prune", "fetch")
}

// bunFile is bun file.ts: a program of the project or elsewhere.
func (l *looker) bunFile(name string, word int) {
	if strings.ContainsAny(name, "./") {
		l.argv(append([]Word{{Value: Known("node"), Span: l.span(word)}}, l.c.Words[word:]...))
	}
}

// npmPackage is one package.json.
type npmPackage struct {
	dir, file string
	text      []byte
}

// packages are the package.json files that the command works on: that of the
// directory in force or the nearest above it, or those of the workspaces.
func (l *looker) packages(p *parsed) []npmPackage {
	dir, ok := l.dirNow().Text()
	if !ok || isForeign(l.c) {
		return nil
	}
	root, found := l.packageAbove(dir)
	if !found {
		return nil
	}
	if !p.has("-w", "-F", "--filter-prod", "-r", "--workspaces", "-ws") {
		return []npmPackage{root}
	}
	return append(l.workspaces(root), root)
}

// packageAbove finds package.json in dir or above it in the project.
func (l *looker) packageAbove(dir string) (npmPackage, bool) {
	for l.inProject(dir) {
		file := dir + "/package.json"
		text, err := l.readScript(file)
		if err == nil {
			return npmPackage{dir, file, text}, true
		}
		if !errors.Is(err, errNoFile) {
			l.problem(ProblemScript, fmt.Sprintf("%s was not read: %v", file, err), -1)
			return npmPackage{}, false
		}
		dir = path.Dir(dir)
	}
	return npmPackage{}, false
}

// workspaces are the packages that the root's workspaces name, and those of
// pnpm-workspace.yaml: folders, or a folder and a star.
func (l *looker) workspaces(root npmPackage) []npmPackage {
	patterns := gjson.GetBytes(root.text, "workspaces")
	if patterns.IsObject() {
		patterns = patterns.Get("packages")
	}
	var names []string
	for _, p := range patterns.Array() {
		names = append(names, p.Str)
	}
	names = append(names, l.pnpmWorkspaces(root.dir)...)
	var out []npmPackage
	for _, name := range names {
		for _, dir := range l.expandFolder(root.dir, name) {
			if text, err := l.readScript(dir + "/package.json"); err == nil && len(out) < maxPackages {
				out = append(out, npmPackage{dir, dir + "/package.json", text})
			}
		}
	}
	return out
}

// expandFolder is the folder name below root, or the folders that name/* is.
func (l *looker) expandFolder(root, name string) []string {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	folder, ok := strings.CutSuffix(strings.TrimSuffix(name, "*"), "/")
	if !ok {
		return []string{root + "/" + name}
	}
	entries, err := l.env.Files.ReadDir(path.Join(root, folder), maxPackages)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, path.Join(root, folder, e.Name()))
		}
	}
	return dirs
}

// pnpmWorkspaces are the entries of packages in pnpm-workspace.yaml.
func (l *looker) pnpmWorkspaces(dir string) []string {
	text, err := l.readScript(dir + "/pnpm-workspace.yaml")
	if err != nil {
		return nil
	}
	var names []string
	eachLine(string(text), func(line string) {
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok && !strings.Contains(item, "!") {
			names = append(names, strings.Trim(strings.TrimSpace(item), `"'`))
		}
	})
	return names
}

// runScript adds a script with its pre and post scripts, and reports whether
// any package has it. word is the operand that names it: those behind it are
// handed to the script.
func (l *looker) runScript(name string, word int, packages []npmPackage) bool {
	found := false
	for _, pkg := range packages {
		for _, stage := range []string{"pre" + name, name, "post" + name} {
			var args []Word
			if stage == name {
				args = l.scriptArgs(word)
			}
			found = l.packageScript(pkg, stage, args) || found
		}
	}
	return found
}

// scriptArgs are the words that the manager hands on: npm those behind --,
// the others all.
func (l *looker) scriptArgs(word int) []Word {
	rest := l.c.Words[word+1:]
	for i := range rest {
		if t, _ := rest[i].Text(); t == "--" {
			return rest[i+1:]
		}
	}
	if l.name == "npm" {
		var plain []Word
		for i := range rest {
			if !strings.HasPrefix(rest[i].Prefix(), "-") {
				plain = append(plain, rest[i])
			}
		}
		return plain
	}
	return rest
}

// lifecycle adds the scripts that a verb runs on its own (npm scripts, "Life
// Cycle Scripts").
func (l *looker) lifecycle(verb string, _ int, packages []npmPackage) {
	stages := map[string][]string{
		"install": {"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"},
		"publish": {"prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"},
		"version": {"preversion", "version", "postversion"},
	}[verb]
	for _, pkg := range packages {
		for _, s := range stages {
			l.packageScript(pkg, s, nil)
		}
	}
}

// packageScript adds one script of a package, and reports whether it exists.
// Its words that are not known stand in it as parameters of the shell.
func (l *looker) packageScript(pkg npmPackage, name string, args []Word) bool {
	script := gjson.GetBytes(pkg.text, "scripts."+gjsonKey(name))
	if script.Type != gjson.String {
		return false
	}
	text := script.Str
	if len(args) > 0 {
		text += ` "$@"`
	}
	zero := Word{Value: Known("sh"), Span: l.c.Span}
	dir := Known(pkg.dir)
	l.inner(inner{
		kind: innerShell, script: Known(text), args: append([]Word{zero}, args...), dir: &dir, file: pkg.file,
		via: Via{Kind: ViaScript, Name: l.name + " run " + name, File: pkg.file, Line: lineOf(pkg.text, script.Index)},
	})
	return true
}

// gjsonKey escapes what gjson takes for syntax in a key.
func gjsonKey(name string) string {
	return strings.NewReplacer(".", `\.`, "*", `\*`, "?", `\?`, "|", `\|`, "#", `\#`, "@", `\@`, "!", `\!`).Replace(name)
}

func lineOf(text []byte, at int) int {
	return 1 + bytes.Count(text[:min(at, len(text))], []byte("\n"))
}
