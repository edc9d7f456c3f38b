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
	// run, "script" where its value is a command line that a program runs,
	// "file" where it names code that is loaded.
	Effect string   `json:"effect"`
	Reason string   `json:"reason"`
	Safe   []string `json:"safe"`
}

var variableRows = sync.OnceValue(func() map[string]variableRow {
	rows := map[string]variableRow{}
	if err := json.Unmarshal(variableData, &rows); err != nil {
		return nil
	}
	return rows
})

// lookupAssigns judges assignments that change what later names run (B21).
func (e *evaluator) lookupAssigns(sh *shell, at int, assigns []Assign) {
	for i := range assigns {
		a := &assigns[i]
		row, ok := variableRows()[a.Name]
		if !ok && strings.HasPrefix(a.Name, "GIT_CONFIG") {
			row, ok = variableRows()["GIT_CONFIG*"]
		}
		if !ok && strings.HasPrefix(a.Name, "BASH_FUNC_") {
			row, ok = variableRows()["BASH_FUNC_*"]
		}
		if !ok || row.harmless(a.Value) {
			continue
		}
		if row.Effect == "script" {
			e.assignedScript(sh, at, a)
			continue
		}
		e.problem(at, ProblemLookup, a.Name+" is set: "+row.Reason, a.Span)
	}
}

// harmless reports whether every possible value is one the row names as safe.
func (r *variableRow) harmless(v Value) bool {
	if !v.Resolved() {
		return false
	}
	for _, text := range v.Texts() {
		ok := text == ""
		for _, s := range r.Safe {
			ok = ok || text == s || strings.HasSuffix(s, "*") && strings.HasPrefix(text, s[:len(s)-1])
		}
		if !ok {
			return false
		}
	}
	return true
}

// assignedScript evaluates the value of a variable that a program runs.
func (e *evaluator) assignedScript(sh *shell, at int, a *Assign) {
	in := inner{kind: innerShell, script: a.Value, via: Via{Kind: ViaTrap, Name: a.Name}}
	if a.Name == "PROMPT_COMMAND" || a.Name == "PS4" || a.Name == "PS1" {
		if text, ok := a.Value.Text(); ok && a.Name != "PROMPT_COMMAND" {
			in.script = Known(": \"" + strings.ReplaceAll(text, `"`, `\"`) + "\"")
		}
	}
	e.runInner(sh.subshell(), at, invocation{
		words: []Word{{Value: Known(a.Name)}}, span: a.Span, in: source{val: Unknown("standard input")}, moved: true,
	}, &in)
}
