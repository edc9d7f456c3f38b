package bashast

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// recipeFile is a file of recipes in a form that just and Taskfile share.
type recipeFile struct {
	file    string
	recipes map[string]*recipe
	first   string
}

// recipe is one recipe: what it depends on, and its lines. One whose body
// begins with #! is a single script.
type recipe struct {
	after []string
	lines []makeLine
	whole bool
	later []string
}

// recipeText reads the file that an option names, else the first of names.
func (l *looker) recipeText(p *parsed, option string, names ...string) (text, file string) {
	files := l.defaultFiles(names...)
	if v, ok := p.value(option); ok {
		files = []Value{v}
	}
	if len(files) == 0 {
		return "", ""
	}
	target, ok := absolute(l.dirNow(), files[0], l.env).Text()
	if !ok || !l.inProject(target) || isForeign(l.c) {
		return "", ""
	}
	content, err := l.readScript(target)
	switch {
	case errors.Is(err, errNoFile):
		return "", ""
	case err != nil:
		l.problem(ProblemScript, fmt.Sprintf("%s was not read: %v", target, err), -1)
		return "", ""
	}
	return string(content), target
}

// followRecipes adds the recipes that the operands name, or the first.
func (l *looker) followRecipes(p *parsed, f recipeFile) {
	done := map[string]bool{}
	named := false
	for n := 1; ; n++ {
		word := p.operand(n)
		if word == 0 {
			break
		}
		name, ok := l.c.Words[word].Text()
		if !ok {
			l.problem(ProblemScript, "which recipe "+l.name+" runs is not known", word)
			return
		}
		if !strings.Contains(name, "=") {
			named = true
			l.recipe(f, name, done)
		}
	}
	if !named {
		l.recipe(f, f.first, done)
	}
}

func (l *looker) recipe(f recipeFile, name string, done map[string]bool) {
	r := f.recipes[name]
	if r == nil || done[name] || len(done) >= maxTargets {
		return
	}
	done[name] = true
	for _, a := range r.after {
		l.recipe(f, a, done)
	}
	for _, line := range r.lines {
		text := strings.TrimLeft(line.text, "@- \t")
		if r.whole {
			text = line.text
		}
		if text == "" {
			continue
		}
		l.inner(inner{
			kind: innerShell, script: Known(text), file: f.file,
			assigns: []Assign{{Name: "RECIPE_VALUE", Value: Unknown("a value that " + l.name + " computes"), Exported: true}},
			via:     Via{Kind: ViaScript, Name: l.name + " " + name, File: f.file, Line: line.line},
		})
	}
	for _, a := range r.later {
		l.recipe(f, a, done)
	}
}

// placeholders puts a variable of the shell in the place of {{…}}.
func placeholders(text string) string {
	for {
		i := strings.Index(text, "{{")
		if i < 0 {
			return text
		}
		n := strings.Index(text[i:], "}}")
		if n < 0 {
			return text
		}
		text = text[:i] + "$RECIPE_VALUE" + text[i+n+2:]
	}
}

// just follows the recipes of a justfile (just manual, "Recipes").
func (l *looker) just(p *parsed) {
	if p.has("-l", "--summary", "--show", "--dump", "-n", "-c", "--evaluate", "--fmt", "--init", "-e") {
		return
	}
	text, file := l.recipeText(p, "-f", "justfile", "Justfile", ".justfile")
	if file == "" {
		return
	}
	f := recipeFile{file: file, recipes: map[string]*recipe{}}
	var current *recipe
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
		case line[0] == ' ' || line[0] == '\t':
			if current != nil {
				current.add(placeholders(strings.TrimSpace(line)), i+1)
			}
		case strings.HasPrefix(line, "#") || strings.HasPrefix(line, "set ") || strings.HasPrefix(line, "["):
		case strings.Contains(line, ":="):
			l.justVariable(line)
			current = nil
		default:
			current = f.justHead(line)
		}
	}
	l.followRecipes(p, f)
}

// add adds a line to a recipe; those of a script are joined.
func (r *recipe) add(text string, line int) {
	if len(r.lines) == 0 && strings.HasPrefix(text, "#!") {
		words := shebangWords([]byte(text))
		row := rowOf(interpreterName(words))
		r.whole = true
		if row == nil || row.do != "shell" {
			r.lines = []makeLine{{"", line}}
			r.whole = false
			return
		}
	}
	if n := len(r.lines); n > 0 && (r.whole || strings.HasSuffix(r.lines[n-1].text, `\`)) {
		last := &r.lines[n-1]
		if !r.whole {
			last.text = strings.TrimSuffix(last.text, `\`) + " " + text
			return
		}
		last.text += "\n" + text
		return
	}
	if len(r.lines) == 1 && r.lines[0].text == "" {
		return
	}
	r.lines = append(r.lines, makeLine{text, line})
}

// justVariable adds the commands in backticks that a variable is made of.
func (l *looker) justVariable(line string) {
	parts := strings.Split(line, "`")
	for i := 1; i < len(parts); i += 2 {
		l.shell(Known(parts[i]), -1)
	}
}

// justHead reads "name params: dependencies && later".
func (f *recipeFile) justHead(line string) *recipe {
	head, deps, ok := strings.Cut(line, ":")
	if !ok {
		return nil
	}
	names := strings.Fields(strings.TrimPrefix(head, "@"))
	if len(names) == 0 || names[0] == "alias" || names[0] == "import" || names[0] == "mod" || names[0] == "export" {
		return nil
	}
	r := &recipe{}
	before, later, _ := strings.Cut(deps, "&&")
	r.after = strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(before))
	r.later = strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(later))
	f.recipes[names[0]] = r
	if f.first == "" {
		f.first = names[0]
	}
	return r
}

// task follows the tasks of a Taskfile (taskfile.dev, schema version 3).
func (l *looker) task(p *parsed) {
	if p.has("-l", "-a", "-n") {
		return
	}
	text, file := l.recipeText(p, "-t", "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml")
	if file == "" {
		return
	}
	var doc struct {
		Tasks map[string]yaml.Node `yaml:"tasks"`
		Vars  map[string]yaml.Node `yaml:"vars"`
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		l.problem(ProblemScript, fmt.Sprintf("%s was not read: %v", file, err), -1)
		return
	}
	l.taskVariables(doc.Vars)
	f := recipeFile{file: file, recipes: map[string]*recipe{}, first: "default"}
	for name, node := range doc.Tasks {
		f.recipes[name] = taskRecipe(&node)
	}
	l.followRecipes(p, f)
}

// taskVariables adds the commands that variables are made of.
func (l *looker) taskVariables(vars map[string]yaml.Node) {
	for _, node := range vars {
		var v struct {
			Sh string `yaml:"sh"`
		}
		if node.Kind == yaml.MappingNode && node.Decode(&v) == nil && v.Sh != "" {
			l.shell(Known(placeholders(v.Sh)), -1)
		}
	}
}

// taskRecipe is a task: a command, a list of commands, or a mapping.
func taskRecipe(node *yaml.Node) *recipe {
	r := &recipe{}
	switch node.Kind {
	case yaml.ScalarNode:
		r.lines = append(r.lines, makeLine{placeholders(node.Value), node.Line})
	case yaml.SequenceNode:
		r.taskCommands(node)
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			switch node.Content[i].Value {
			case "cmds", "cmd", "preconditions", "status":
				r.taskCommands(node.Content[i+1])
			case "deps":
				r.taskNames(node.Content[i+1])
			}
		}
	}
	return r
}

// taskCommands reads one command or a list of them.
func (r *recipe) taskCommands(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode {
		r.lines = append(r.lines, makeLine{placeholders(node.Value), node.Line})
		return
	}
	for _, item := range node.Content {
		if item.Kind == yaml.ScalarNode {
			r.lines = append(r.lines, makeLine{placeholders(item.Value), item.Line})
			continue
		}
		for i := 0; i+1 < len(item.Content); i += 2 {
			switch value := item.Content[i+1]; item.Content[i].Value {
			case "cmd", "sh", "defer":
				if value.Kind == yaml.ScalarNode {
					r.lines = append(r.lines, makeLine{placeholders(value.Value), value.Line})
				}
			case "task":
				r.later = append(r.later, value.Value)
			}
		}
	}
}

// taskNames reads the names of other tasks.
func (r *recipe) taskNames(node *yaml.Node) {
	for _, item := range node.Content {
		if item.Kind == yaml.ScalarNode {
			r.after = append(r.after, item.Value)
			continue
		}
		for i := 0; i+1 < len(item.Content); i += 2 {
			if item.Content[i].Value == "task" {
				r.after = append(r.after, item.Content[i+1].Value)
			}
		}
	}
}
