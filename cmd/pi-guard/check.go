package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/profiles"
)

// checkCmd prints what would happen to a call: allow without a word, ask a
// person, or deny. It knows no grants of any session.
type checkCmd struct {
	judgeFlags
	Batch bool   `help:"Read one JSON object a line: id, tool, input, cwd; or id, cmd."`
	JSON  bool   `name:"json" help:"Print the verdict as JSON."`
	Tool  string `arg:"" optional:"" help:"The tool, by pi's name: bash, read, write, edit, grep, find, ls, or any other."`
	Input string `arg:"" optional:"" help:"For bash the line, for any other tool its input as JSON."`
}

// judgeFlags say where and under which settings a call is judged.
type judgeFlags struct {
	Mode              string `help:"The mode to judge in." default:"default"`
	PermissionProfile string `help:"read-only, workspace-write or trusted-full-access. Default: the project's."`
	Approval          string `help:"ask, accept-edits or auto. Default: the mode's."`
	Cwd               string `help:"The project directory. It need not exist. Default: the current one."`
	Home              string `help:"The home directory. Default: the user's own."`
}

// judge is the judge that the flags describe.
func (f *judgeFlags) judge() (*hooks.Judge, error) {
	place, err := standing(f.Cwd, f.Home)
	if err != nil {
		return nil, err
	}
	opts, err := hooks.DefaultOptions()
	if err != nil {
		return nil, err
	}
	judge, err := hooks.NewJudge(hooks.JudgeOptions{
		Project: place.cwd, Home: place.home, DataDir: opts.DataDir,
		Mode: f.Mode, PermissionProfile: f.PermissionProfile, Approval: f.Approval,
	})
	if err != nil {
		return nil, usageError(err.Error())
	}
	return judge, nil
}

// checkQuery is one line of check --batch.
type checkQuery struct {
	ID    json.RawMessage `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	Cmd   *string         `json:"cmd"`
	Cwd   string          `json:"cwd"`
}

// checkAnswer is what check --batch prints for one line.
type checkAnswer struct {
	ID         json.RawMessage `json:"id,omitempty"`
	Action     profiles.Action `json:"action"`
	Layer      profiles.Layer  `json:"layer"`
	Rule       string          `json:"rule"`
	Reason     string          `json:"reason"`
	Unresolved bool            `json:"unresolved"`
	// Micros is how long the judgement took, in microseconds.
	Micros int64 `json:"us"`
}

// Run judges one call, or one for each line of the input.
func (c *checkCmd) Run(std streams) error {
	judge, err := c.judge()
	if err != nil {
		return err
	}
	if c.Batch {
		return eachLine(std.in, std.out, func(q checkQuery) any { return check(judge, q) })
	}
	q, err := queryOf(c.Tool, c.Input)
	if err != nil {
		return err
	}
	a := check(judge, q)
	if bad, ok := a.(batchError); ok {
		return usageError(bad.Error)
	}
	return c.print(std, a.(checkAnswer))
}

// queryOf makes of the arguments what a line of a batch would be.
func queryOf(tool, input string) (checkQuery, error) {
	switch {
	case tool == "":
		return checkQuery{}, usageError("name a tool, or use --batch")
	case tool == "bash":
		return checkQuery{Cmd: &input}, nil
	case input == "":
		return checkQuery{}, usageError("give the input of " + tool + " as JSON")
	case !json.Valid([]byte(input)):
		return checkQuery{}, usageError("the input of " + tool + " is not valid JSON: " + input)
	}
	return checkQuery{Tool: tool, Input: json.RawMessage(input)}, nil
}

func (c *checkCmd) print(std streams, a checkAnswer) error {
	if c.JSON {
		enc := json.NewEncoder(std.out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(a); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(std.out, "%s: %s\n  %s %s\n", a.Action, a.Reason, a.Layer, a.Rule)
	}
	return exitOf(a.Action)
}

// exitOf is the exit status that tells an action.
func exitOf(a profiles.Action) error {
	switch a {
	case profiles.Allow:
		return nil
	case profiles.Ask:
		return statusAsk
	}
	return statusDeny
}

// check judges one query: a checkAnswer, or a batchError for one that makes no sense.
func check(judge *hooks.Judge, q checkQuery) any {
	call, err := q.call()
	if err != nil {
		return batchError{ID: q.ID, Error: err.Error()}
	}
	start := time.Now()
	d := judge.Decide(call)
	return checkAnswer{
		ID: q.ID, Action: d.Action, Layer: d.Layer, Rule: d.Rule, Reason: d.Reason,
		Unresolved: d.Unresolved, Micros: time.Since(start).Microseconds(),
	}
}

func (q *checkQuery) call() (hooks.Call, error) {
	if q.Cmd != nil {
		input, err := json.Marshal(map[string]string{"command": *q.Cmd})
		return hooks.Call{Tool: "bash", Input: input, Cwd: q.Cwd}, err
	}
	if q.Tool == "" {
		return hooks.Call{}, errors.New("neither \"tool\" nor \"cmd\" is given")
	}
	return hooks.Call{Tool: q.Tool, Input: q.Input, Cwd: q.Cwd}, nil
}
