package hooks

import (
	"context"
	"slices"
	"time"

	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// BeforeAgentStart is pi's before_agent_start: the model is told the policy in
// force, and sees the tools that the mode lets it see.
func (s *Session) BeforeAgentStart(ctx context.Context, e rpc.BeforeAgentStart) (rpc.AgentStart, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.AgentStart{}, err
	}
	g := s.stand(ctx, t)
	s.hideTools(ctx, t, g, e.ActiveTools)
	s.mu.Lock()
	t.handoffs = 0 // a new task of the person's
	s.mu.Unlock()
	session, _ := s.said(t)
	return rpc.AgentStart{Section: g.policy.SystemPrompt(session, profiles.Surroundings{
		Sandbox: profiles.SandboxUnavailable, Scratch: t.scratch,
		Today: time.Now().Format(time.DateOnly), Headless: !t.start.HasUI,
	})}, nil
}

// hideTools takes the tools away that the mode hides, and gives those back that
// an earlier mode hid. A tool that the person has off is neither (P7).
func (s *Session) hideTools(ctx context.Context, t *sitting, g *ground, active []string) {
	session, _ := s.said(t)
	s.mu.Lock()
	before := t.state.Hidden
	s.mu.Unlock()
	all := slices.Clone(active)
	for _, tool := range before {
		if !slices.Contains(all, tool) {
			all = append(all, tool)
		}
	}
	hidden := g.policy.HiddenTools(session, all)
	seen := slices.DeleteFunc(slices.Clone(all), func(tool string) bool { return slices.Contains(hidden, tool) })
	if !slices.Equal(hidden, before) {
		if err := s.change(t, func(st *state) { st.Hidden = hidden }); err != nil {
			s.tell(ctx, "warning", "pi-guard: "+err.Error()+".")
		}
	}
	if !slices.Equal(seen, active) {
		if err := s.host.SetActiveTools(ctx, seen); err != nil {
			s.tell(ctx, "warning", "pi-guard: the tools of the mode could not be set: "+err.Error()+".")
		}
	}
}
