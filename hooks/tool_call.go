package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// ToolCall is pi's tool_call: the one way on which a call is judged.
func (s *Session) ToolCall(ctx context.Context, e rpc.ToolCall) (rpc.ToolVerdict, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.ToolVerdict{}, err
	}
	j := &judging{
		call:    Call{ID: e.ToolCallID, Parent: e.ParentToolCallID, Tool: e.ToolName, Input: e.Input, Cwd: e.Cwd},
		started: time.Now(),
	}
	follow(ctx, j, s.way(ctx, t))
	if err := ctx.Err(); err != nil {
		return rpc.ToolVerdict{}, err
	}
	s.mu.Lock()
	t.last = j
	s.mu.Unlock()
	if j.resolution.Action != profiles.Allow {
		s.auditJudged(t, j)
		return rpc.ToolVerdict{
			Block: true, Reason: profiles.ModelText(j.resolution), Terminate: j.resolution.Terminate,
		}, nil
	}
	j.released = time.Now()
	s.mu.Lock()
	t.calls[e.ToolCallID] = j
	s.mu.Unlock()
	return rpc.ToolVerdict{Input: j.input, Env: j.env}, nil
}

// way are the steps of a call in a session, in order.
func (s *Session) way(ctx context.Context, t *sitting) []step {
	said := func() (profiles.Session, profiles.Grants) { return s.said(t) }
	steps := judgeOn(s.stand(ctx, t), said, !t.start.HasUI)
	steps = slices.Insert(steps, 1, step{"look at the tree", lookAtTree})
	return append(steps,
		step{"ask", s.ask(t)},
		step{"remember", s.remember(t)},
		step{"bound the time", boundTime},
		step{"make the scratch directory", s.makeScratch(t)},
		step{"read the tree", readTree(t.evidence)},
	)
}

// boundTime is the step that gives a bash call a time-out within bounds (B14).
func boundTime(_ context.Context, j *judging) error {
	if j.resolution.Action != profiles.Allow || j.facts.Surface != profiles.SurfaceBash {
		return nil
	}
	host := j.ground.policy.Host()
	asked := gjson.GetBytes(j.call.Input, "timeout")
	seconds := float64(host.BashTimeout)
	if asked.Type == gjson.Number {
		seconds = min(max(asked.Num, 1), float64(host.BashTimeoutMax))
		if seconds == asked.Num {
			return nil
		}
		j.note = fmt.Sprintf("pi-guard set the timeout of this command to %s seconds: %s is not between 1 and %d.",
			formatSeconds(seconds), formatSeconds(asked.Num), host.BashTimeoutMax)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(j.call.Input, &fields); err != nil {
		return fmt.Errorf("read the input: %w", err)
	}
	fields["timeout"] = json.RawMessage(formatSeconds(seconds))
	input, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("write the input: %w", err)
	}
	j.input = input
	return nil
}

func formatSeconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }
