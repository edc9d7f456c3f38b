package hooks

import (
	"context"
	"time"

	"github.com/pi-guard/pi-guard/profiles"
)

// statusText is the guard's place in pi's footer: the mode and the permission
// profile, and what is out of the ordinary about either.
func statusText(p *profiles.Policy, session profiles.Session) string {
	label := session.Mode
	if m, ok := p.Mode(session.Mode); ok {
		label = m.Label
		if approval := p.Approval(session); approval != m.Approval {
			label += " (" + string(approval) + ")"
		}
	} else {
		label += " (unknown mode: plan)"
	}
	permission := p.Permission(session)
	text := label + " · " + string(permission.Mode)
	if permission.Warning != "" {
		text += " (!)"
	}
	return text
}

// showStatus shows the status. pi being gone is no failure of the caller.
func (s *Session) showStatus(ctx context.Context, t *sitting, g *ground) {
	session, _ := s.said(t)
	_ = s.host.SetStatus(ctx, statusText(g.policy, session))
}

// promptTimeout is how long a prompt waits for an answer (H D005).
func (s *Session) promptTimeout(p *profiles.Policy) time.Duration {
	if s.opts.PromptTimeout > 0 {
		return s.opts.PromptTimeout
	}
	return time.Duration(p.Host().PromptTimeout) * time.Second
}
