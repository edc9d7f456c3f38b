package bashast

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

//go:embed data/variables.json
var variableData []byte

// variableRow says what an environment variable changes (B21).
type variableRow struct {
	// Effect is "lookup" where it changes which program or code later names
	// run, "script" where its value is a command line that a program runs.
	Effect string   `json:"effect"`
	Reason string   `json:"reason"`
	Safe   []string `json:"safe"`
}

var variableRows = sync.OnceValue(func() map[string]variableRow {
	rows := map[string]variableRow{}
	if err := json.Unmarshal(variableData, &rows); err != nil {
		panic("bashast: data/variables.json: " + err.Error())
	}
	return rows
})

// variableRowOf is the row of a variable.
func variableRowOf(name string) (variableRow, bool) {
	row, ok := variableRows()[name]
	for _, prefix := range []string{"GIT_CONFIG", "BASH_FUNC_"} {
		if !ok && strings.HasPrefix(name, prefix) {
			row, ok = variableRows()[prefix+"*"]
		}
	}
	return row, ok
}

// judgeAssign judges an assignment that changes what later names run. cmd is
// the command it belongs to, whose place in the program is at.
func (e *evaluator) judgeAssign(sh *shell, cmd *Command, at int, as Assign) {
	row, ok := variableRowOf(as.Name)
	if !ok || row.harmless(as.Value) {
		return
	}
	if as.Name == "PATH" && e.harmlessPath(sh, as.Value) {
		return
	}
	if row.Effect == "script" {
		e.assignedScript(sh, at, as)
		return
	}
	e.problem(at, ProblemLookup, as.Name+" is set: "+row.Reason, as.Span)
}

// harmless reports whether every possible value is one the row names as safe.
func (r *variableRow) harmless(v Value) bool {
	for _, text := range v.Texts() {
		ok := text == ""
		for _, s := range r.Safe {
			ok = ok || text == s || strings.HasSuffix(s, "*") && strings.HasPrefix(text, s[:len(s)-1])
		}
		if !ok {
			return false
		}
	}
	return v.Resolved()
}

// harmlessPath reports whether a search path puts nothing in front of what
// was there but where a system or a package manager keeps programs.
func (e *evaluator) harmlessPath(sh *shell, v Value) bool {
	old := sh.ctx.env.variable("PATH").val
	for _, part := range []string{v.Prefix(), v.Suffix()} {
		if text, ok := old.Text(); ok && text != "" {
			part = strings.Replace(part, text, "", 1)
		}
		for _, dir := range strings.Split(part, ":") {
			if dir != "" && !e.programDir(sh, dir) {
				return false
			}
		}
	}
	return v.Kind() >= PartialKind
}

// programDir reports whether a directory holds the programs of the system, of
// a package manager, or of the project's own dependencies.
func (e *evaluator) programDir(sh *shell, dir string) bool {
	if inSystemDirectory(dir + "/x") {
		return true
	}
	abs, ok := absolute(sh.dir, Known(dir), *sh.ctx.env).Text()
	if !ok {
		return false
	}
	env := sh.ctx.env
	if env.Project != "" && strings.HasPrefix(abs, env.Project+"/") {
		for _, s := range []string{"/node_modules/.bin", "/.venv/bin", "/venv/bin", "/vendor/bin"} {
			if strings.HasSuffix(abs, s) {
				return true
			}
		}
	}
	for _, s := range []string{"/go/bin", "/.cargo/bin", "/.local/bin", "/.bun/bin", "/.deno/bin", "/.npm-global/bin"} {
		if env.Home != "" && abs == env.Home+s {
			return true
		}
	}
	return abs == "/usr/local/go/bin" || abs == "/opt/homebrew/bin"
}

// assignedScript evaluates the value of a variable that a program or the
// shell runs.
func (e *evaluator) assignedScript(sh *shell, at int, as Assign) {
	via := Via{Kind: ViaTrap, Name: as.Name}
	child := sh.subshell()
	child.outMoved = true
	switch as.Name {
	case "PS4", "PS1", "PS0", "PS2":
		e.promptText(child, at, as.Value, as.Name)
		return
	}
	if !as.Value.Resolved() {
		e.problem(at, ProblemScript, "what "+as.Name+" runs is not known: "+as.Value.Why(), as.Span)
		return
	}
	e.evalText(child, at, as.Value, via)
	e.finish(child)
}
