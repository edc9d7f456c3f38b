package hooks

import (
	"encoding/json"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/profiles"
)

// Call is one tool call, as pi or anyone else describes it.
type Call struct {
	// ID is pi's id of the call, "" outside a session.
	ID string
	// Tool is the name pi calls the tool by.
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// Cwd is the directory the tool works in; "" means the project.
	Cwd string
}

// JudgeOptions says where and under which settings calls are judged.
type JudgeOptions struct {
	// Project is the root of the project, absolute. It need not exist.
	Project string
	// Home is the person's home directory, absolute.
	Home string
	// Mode names the mode.
	Mode string
	// PermissionProfile and Approval override those of project and mode.
	PermissionProfile, Approval string
}

// Judge judges calls outside any session: it knows neither grants nor blocks,
// asks nobody and keeps nothing.
type Judge struct{ opts JudgeOptions }

// NewJudge loads the policy that opts name.
func NewJudge(opts JudgeOptions) (*Judge, error) { return &Judge{opts}, nil }

// Decision is what would happen to a call.
type Decision struct {
	// Action is Allow where the call passes in silence and Ask where a person
	// would be asked.
	Action profiles.Action
	Layer  profiles.Layer
	Rule   string
	// Reason is one sentence for a person.
	Reason string
	// Unresolved is true when the line is not known in full (B11).
	Unresolved bool
}

// Decide judges one call.
func (j *Judge) Decide(c Call) Decision {
	d := Decision{
		Action: profiles.Ask, Layer: profiles.LayerMode, Rule: "*",
		Reason: "no policy is loaded, so a person decides",
	}
	if c.Tool != "bash" {
		return d
	}
	var in struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return Decision{Action: profiles.Deny, Layer: profiles.LayerInput, Reason: "the input of bash cannot be read: " + err.Error()}
	}
	p := bashast.Analyze(in.Command, bashast.Env{
		Dir: j.opts.Project, Project: j.opts.Project, Home: j.opts.Home, Files: Files{},
	})
	d.Unresolved = p.Unresolved()
	return d
}
