package bashast

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// specialRunner goes on with the programs that run what a file of the project
// defines (B6).
func (l *looker) specialRunner(p *parsed) bool {
	switch p.row.do {
	case "make":
		l.make(p)
	case "npm":
		l.packageManager(p)
	case "just":
		l.common(p)
		l.just(p)
	case "task":
		l.task(p)
	case "hooks":
		l.common(p)
		l.gitHooks(p)
	default:
		return false
	}
	return true
}

// maxTargets bounds the targets of a makefile that one command follows.
const maxTargets = 64

// make reads the makefile and follows the recipes of the targets.
func (l *looker) make(p *parsed) {
	m := makefile{vars: map[string]string{}, given: map[string]bool{}, rules: map[string][]*makeRule{}, l: l}
	var files []Value
	var targets []string
	for i := range p.uses {
		u := &p.uses[i]
		switch {
		case u.flag:
		case u.opt != nil && u.opt.names[0] == "-f":
			files = append(files, p.of(u))
		case u.opt != nil && u.opt.names[0] == "-E":
			l.makeText(&m, p.of(u), u.word)
		case u.opt == nil:
			targets = l.makeWord(&m, p.of(u), u.word, targets)
		}
	}
	if len(files) == 0 {
		files = l.defaultFiles("GNUmakefile", "makefile", "Makefile")
	}
	for _, f := range files {
		l.makeFile(&m, f)
	}
	if !p.has("-n", "-q", "-t", "-v", "-h", "-p") {
		m.follow(targets)
	}
}

// dirNow is the directory that options have set, else that of the command.
func (l *looker) dirNow() Value {
	if l.dir != nil {
		return *l.dir
	}
	return l.c.Dir
}

// defaultFiles is the first of the names that is a file in the directory in
// force, where that lies in the project.
func (l *looker) defaultFiles(names ...string) []Value {
	for _, n := range names {
		target, ok := absolute(l.dirNow(), Known(n), l.env).Text()
		if !ok || !l.inProject(target) || l.env.Files == nil || isForeign(l.c) {
			return nil
		}
		if info, err := l.env.Files.Stat(target); err == nil && info.Mode().IsRegular() {
			return []Value{Known(n)}
		}
	}
	return nil
}

// makeWord is a target, or NAME=VALUE, which goes before what the makefile says.
func (l *looker) makeWord(m *makefile, v Value, word int, targets []string) []string {
	name, _, isVariable := strings.Cut(v.Prefix(), "=")
	if !isVariable {
		if t, ok := v.Text(); ok {
			return append(targets, t)
		}
		return targets
	}
	value := cutPrefix(v, len(name)+1)
	name = strings.TrimRight(name, ":?+! ")
	text, known := value.Text()
	if !known {
		text = makeUnknown
		if isProgramVariable(name) {
			l.problem(ProblemScript, "the program that make's "+name+" names is not known", word)
		}
	}
	m.vars[name], m.given[name] = text, true
	if !known {
		return targets
	}
	if isProgramVariable(name) && !startsShell(text) {
		l.shell(Known(text), word)
	}
	m.expand(text, nil)
	return targets
}

// startsShell reports whether a command is a shell alone, which make gives
// the recipes to.
func startsShell(text string) bool {
	r := rowOf(path.Base(text))
	return r != nil && r.do == "shell"
}

// isProgramVariable reports whether makefiles by custom run the value of a
// variable (GNU make manual 10.3).
func isProgramVariable(name string) bool {
	return isOneOf(name, "CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "RM", "LEX", "YACC", "SHELL", "MAKE", "INSTALL",
		"PYTHON", "NODE", "NPM", "GO", "CARGO", "CURL", "GIT", "DOCKER", "CMAKE", "STRIP", "RANLIB", "TEX", "MAKEINFO",
		"SUDO", "BASH", "SH", "PIP", "RUSTC", "JAVA", "PKG_CONFIG", "DIFF", "SED", "AWK", "GREP", "CP", "MV", "LN", "MKDIR", "TAR")
}

// makeText reads makefile text that the line gives.
func (l *looker) makeText(m *makefile, v Value, word int) {
	text, ok := v.Text()
	if !ok {
		l.problem(ProblemScript, "the makefile text that make reads is not known", word)
		return
	}
	m.read(text, "", 0)
}

// makeFile reads one makefile: a file of the project, or standard input.
func (l *looker) makeFile(m *makefile, v Value) {
	if t, ok := v.Text(); ok && (t == "-" || t == "/dev/stdin") {
		text, file, reads := l.stdin()
		switch {
		case !reads:
		case file != nil:
			l.makeFile(m, *file)
		default:
			l.makeText(m, text, -1)
		}
		return
	}
	target, ok := absolute(l.dirNow(), v, l.env).Text()
	if !ok || !l.inProject(target) || isForeign(l.c) {
		return
	}
	text, err := l.readScript(target)
	switch {
	case err == errNoFile:
	case err != nil:
		l.problem(ProblemScript, fmt.Sprintf("the makefile %s was not read: %v", target, err), -1)
	default:
		m.read(string(text), target, 0)
	}
}

// makefile is what is read of a makefile: variables and rules. Conditionals
// are read with both their ways, so that more is followed than runs.
type makefile struct {
	l     *looker
	vars  map[string]string
	given map[string]bool // set on the command line
	rules map[string][]*makeRule
	first string
	done  map[string]bool
	count int
}

// makeRule is one rule for a target.
type makeRule struct {
	prerequisites []string
	recipe        []makeLine
	file          string
}

// makeLine is one line of a recipe.
type makeLine struct {
	text string
	line int
}

// makeUnknown stands in a recipe for what make computes: a variable of the
// shell whose value is not known.
const makeUnknown = "$MAKE_VALUE"

// read reads makefile text; depth counts includes.
func (m *makefile) read(text, file string, depth int) {
	lines := strings.Split(text, "\n")
	var current []*makeRule
	for i := 0; i < len(lines); i++ {
		start := i
		line := lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + "\n" + lines[i]
		}
		if strings.HasPrefix(line, "\t") {
			for _, r := range current {
				r.recipe = append(r.recipe, makeLine{strings.TrimPrefix(line, "\t"), start + 1})
			}
			continue
		}
		line = strings.TrimSpace(strings.ReplaceAll(line, "\n", " "))
		if line == "" || line[0] == '#' {
			continue
		}
		if isMakeDirective(line) {
			m.directive(line, file, depth)
			continue
		}
		if m.assignment(line) {
			current = nil
			continue
		}
		current = m.rule(line, file, start+1)
	}
}

func isMakeDirective(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return isOneOf(word, "include", "-include", "sinclude", "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "endef", "unexport", "vpath", "undefine") ||
		strings.HasPrefix(line, "ifeq(") || strings.HasPrefix(line, "ifneq(")
}

// directive follows includes; other directives only say which lines count.
func (m *makefile) directive(line, file string, depth int) {
	word, rest, _ := strings.Cut(line, " ")
	if !strings.HasSuffix(word, "include") || depth >= maxScriptDepth {
		if strings.Contains(line, "$(shell") {
			m.expand(line, nil)
		}
		return
	}
	for _, name := range strings.Fields(m.expand(rest, nil)) {
		target := absolute(m.l.dirNow(), Known(name), m.l.env)
		t, ok := target.Text()
		if !ok || !m.l.inProject(t) || strings.Contains(name, "$") {
			continue
		}
		if text, err := m.l.readScript(t); err == nil {
			m.read(string(text), t, depth+1)
		}
	}
	_ = file
}

// assignment reads NAME = value and its kin, and reports whether line is one.
func (m *makefile) assignment(line string) bool {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "export "), "override ")
	i := strings.IndexAny(line, "=:")
	if i < 0 || strings.ContainsAny(line[:i], "$ ") && strings.ContainsAny(strings.TrimRight(line[:i], "?+!: "), " $") {
		return false
	}
	op, rest := "", ""
	for _, o := range []string{":::=", "::=", ":=", "?=", "+=", "!=", "="} {
		if before, after, ok := strings.Cut(line, o); ok && strings.TrimRight(before, " ") != "" && !strings.ContainsAny(before, "=:") {
			op, rest, line = o, after, before
			break
		}
	}
	if op == "" {
		return false
	}
	name := strings.TrimSpace(line)
	rest = strings.TrimSpace(rest)
	switch {
	case m.given[name]:
	case op == "!=":
		m.l.shell(Known(m.expand(rest, nil)), -1)
		m.vars[name] = makeUnknown
	case op == "+=":
		m.vars[name] = strings.TrimSpace(m.vars[name] + " " + rest)
	case op == "?=" && m.vars[name] != "":
	case op == ":=" || op == "::=" || op == ":::=":
		m.vars[name] = m.expand(rest, nil)
	default:
		m.vars[name] = rest
		if strings.Contains(rest, "$(shell") {
			m.expand(rest, nil)
		}
	}
	return true
}

// rule reads "targets: prerequisites ; recipe".
func (m *makefile) rule(line, file string, at int) []*makeRule {
	targets, rest, ok := strings.Cut(m.expandHead(line), ":")
	if !ok {
		m.expand(line, nil)
		return nil
	}
	rest = strings.TrimLeft(rest, ":")
	head, command, inline := strings.Cut(rest, ";")
	var rules []*makeRule
	for _, t := range strings.Fields(targets) {
		r := &makeRule{file: file}
		for _, p := range strings.Fields(head) {
			if p != "|" {
				r.prerequisites = append(r.prerequisites, p)
			}
		}
		if inline {
			r.recipe = append(r.recipe, makeLine{strings.TrimSpace(command), at})
		}
		if m.first == "" && !strings.HasPrefix(t, ".") && !strings.Contains(t, "%") {
			m.first = t
		}
		m.rules[t] = append(m.rules[t], r)
		rules = append(rules, r)
	}
	return rules
}

// expandHead expands the variables of a rule's head, its inline recipe kept.
func (m *makefile) expandHead(line string) string {
	head, command, inline := strings.Cut(line, ";")
	head = m.expand(head, nil)
	if inline {
		return head + ";" + command
	}
	return head
}

// follow adds the recipes of the targets and of what they depend on.
func (m *makefile) follow(targets []string) {
	if len(targets) == 0 {
		targets = []string{m.first}
	}
	m.done = map[string]bool{}
	for _, t := range targets {
		m.target(t)
	}
}

func (m *makefile) target(name string) {
	if m.done[name] || name == "" {
		return
	}
	if m.count++; m.count > maxTargets {
		m.l.problem(ProblemBound, fmt.Sprintf("make builds more than %d targets", maxTargets), -1)
		m.done = map[string]bool{}
		return
	}
	m.done[name] = true
	rules, stem := m.rulesFor(name)
	for _, r := range rules {
		for _, p := range r.prerequisites {
			m.target(strings.ReplaceAll(p, "%", stem))
		}
	}
	for _, r := range rules {
		m.recipe(name, stem, r)
	}
}

// rulesFor are the rules of a target, by name or else by pattern.
func (m *makefile) rulesFor(name string) ([]*makeRule, string) {
	if rules := m.rules[name]; len(rules) > 0 {
		for _, r := range rules {
			if len(r.recipe) > 0 {
				return rules, ""
			}
		}
		if p, stem := m.patternFor(name); p != nil {
			return append(slices.Clone(rules), p...), stem
		}
		return rules, ""
	}
	return m.patternFor(name)
}

func (m *makefile) patternFor(name string) ([]*makeRule, string) {
	for pattern, rules := range m.rules {
		prefix, suffix, ok := strings.Cut(pattern, "%")
		if ok && len(name) >= len(prefix)+len(suffix) && strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) {
			return rules, name[len(prefix) : len(name)-len(suffix)]
		}
	}
	return nil, ""
}

// recipe adds the lines of a rule, each run by a shell of its own.
func (m *makefile) recipe(target, stem string, r *makeRule) {
	first := ""
	if len(r.prerequisites) > 0 {
		first = strings.ReplaceAll(r.prerequisites[0], "%", stem)
	}
	automatic := map[string]string{
		"@": target, "<": first, "*": stem, "^": strings.ReplaceAll(strings.Join(r.prerequisites, " "), "%", stem),
		"+": strings.Join(r.prerequisites, " "), "?": makeUnknown, "@D": path.Dir(target), "@F": path.Base(target),
	}
	for _, line := range r.recipe {
		text := strings.TrimLeft(m.expand(line.text, automatic), "@-+ \t")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		m.l.inner(inner{
			kind: innerShell, script: Known(text), file: r.file,
			assigns: []Assign{{Name: "MAKE_VALUE", Value: Unknown("a value that make computes"), Exported: true}},
			via:     Via{Kind: ViaScript, Name: "make " + target, File: r.file, Line: line.line},
		})
	}
}

// expand replaces the references of make in text. What make's functions
// compute is unknown; $(shell …) is a command that runs.
func (m *makefile) expand(text string, automatic map[string]string) string {
	return m.expandDepth(text, automatic, 0)
}

func (m *makefile) expandDepth(text string, automatic map[string]string, depth int) string {
	if !strings.Contains(text, "$") {
		return text
	}
	if depth > maxCommandDepth {
		return makeUnknown
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			n := balancedBy(text[i:], c)
			b.WriteString(m.reference(text[i+1:i+n-1], automatic, depth))
			i += n - 1
		default:
			b.WriteString(m.reference(string(c), automatic, depth))
		}
	}
	return b.String()
}

// balancedBy is the length of s up to the bracket that closes its first byte.
func balancedBy(s string, open byte) int {
	closing := byte(')')
	if open == '{' {
		closing = '}'
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s) + 1
}

// reference is the value of a variable or the call of a function.
func (m *makefile) reference(name string, automatic map[string]string, depth int) string {
	if v, ok := automatic[name]; ok {
		return v
	}
	word, rest, isCall := strings.Cut(name, " ")
	if word == "shell" && isCall {
		m.l.shell(Known(m.expandDepth(strings.TrimSpace(rest), automatic, depth+1)), -1)
		return makeUnknown
	}
	if v, ok := m.vars[name]; ok {
		return m.expandDepth(v, automatic, depth+1)
	}
	switch name {
	case "MAKE":
		return "make"
	case "CURDIR":
		if d, ok := m.l.dirNow().Text(); ok {
			return d
		}
	case "RM":
		return "rm -f"
	case "CC":
		return "cc"
	case "CXX":
		return "g++"
	case "AR":
		return "ar"
	case "MAKEFLAGS", "MFLAGS", "MAKEFILE_LIST":
		return ""
	}
	if isCall {
		m.expandDepth(rest, automatic, depth+1)
	}
	if v, ok := m.l.env.Vars[name]; ok && !isCall {
		return v
	}
	return makeUnknown
}
