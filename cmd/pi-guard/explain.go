package main

import (
	"encoding/json"
	"fmt"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/profiles"
)

// explainCmd prints why a call would be judged as it is.
type explainCmd struct {
	judgeFlags
	JSON  bool   `name:"json" help:"Print every layer's say as JSON."`
	Tool  string `arg:"" help:"The tool, by pi's name."`
	Input string `arg:"" help:"For bash the line, for any other tool its input as JSON."`
}

// explanation is what explain --json prints.
type explanation struct {
	Action     profiles.Action    `json:"action"`
	Layer      profiles.Layer     `json:"layer"`
	Rule       string             `json:"rule"`
	Reason     string             `json:"reason"`
	By         profiles.Decider   `json:"by"`
	Unresolved bool               `json:"unresolved"`
	Opinions   []profiles.Opinion `json:"opinions"`
}

// Run judges the call and ends with the exit status of its action.
func (c *explainCmd) Run(std streams) error {
	judge, err := c.judge()
	if err != nil {
		return err
	}
	q, err := queryOf(c.Tool, c.Input)
	if err != nil {
		return err
	}
	call, err := q.call()
	if err != nil {
		return usageError(err.Error())
	}
	d := judge.Decide(call)
	if !c.JSON {
		_, err = fmt.Fprint(std.out, hooks.Explain(d))
	} else {
		enc := json.NewEncoder(std.out)
		enc.SetEscapeHTML(false)
		err = enc.Encode(explanation{
			Action: d.Action, Layer: d.Layer, Rule: d.Rule, Reason: d.Reason,
			By: d.Resolution.By, Unresolved: d.Unresolved, Opinions: d.Verdict.Opinions(),
		})
	}
	if err != nil {
		return err
	}
	return exitOf(d.Action)
}
