package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// Call is one tool call, as pi or anyone else describes it.
type Call struct {
	// ID is pi's id of the call, "" outside a session; Parent is that of the
	// tool that makes it.
	ID, Parent string
	// Tool is the name pi calls the tool by.
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// Cwd is the directory the tool works in; "" means the project.
	Cwd string
}

// judging is one call on its way through the pipeline.
type judging struct {
	call    Call
	started time.Time
	ground  *ground
	// facts, verdict and resolution are what the steps so far have made of it.
	facts      profiles.Facts
	verdict    profiles.Verdict
	resolution profiles.Resolution
	// prompted is true when a person was asked; waited is how long it took.
	// blocked is true when the answer blocked a path for the session.
	prompted bool
	blocked  bool
	waited   time.Duration
	// input, where it is set, takes the place of the call's input; note is
	// what the model is told about that.
	input json.RawMessage
	note  string
	// env is what the commands that pi runs are to be told.
	env map[string]string
	// before is the work tree before the call, where it matters as evidence.
	before *ledger.Tree
	// released is when the answer went out.
	released time.Time
}

// step is one stage of the way of a call. A step that fails ends the way: the
// call is blocked.
type step struct {
	name string
	run  func(context.Context, *judging) error
}

// follow takes a call through steps.
func follow(ctx context.Context, j *judging, steps []step) {
	for _, s := range steps {
		if err := s.run(ctx, j); err != nil {
			j.resolution = profiles.Failed(j.call.Tool, fmt.Sprintf("the step %q failed: %v", s.name, err))
			return
		}
	}
}

// judgeOn is the part of the way that is the same in a session and outside:
// facts, verdict, and what answers it without a person.
func judgeOn(g *ground, said func() (profiles.Session, profiles.Grants), headless bool) []step {
	return []step{
		{"facts", func(_ context.Context, j *judging) error {
			session, _ := said()
			j.ground = g
			j.facts = g.facts(j.call, session, headless)
			return nil
		}},
		{"judge", func(_ context.Context, j *judging) error {
			j.verdict = g.policy.Judge(j.facts)
			return nil
		}},
		{"answer", func(_ context.Context, j *judging) error {
			_, grants := said()
			j.resolution = g.policy.Answer(j.verdict, j.facts, grants)
			return nil
		}},
	}
}
