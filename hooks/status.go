package hooks

import (
	"context"
	"fmt"
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

// promptTimeout is how long a prompt waits for an answer (H D005): as long as
// the policy says, or shorter where the environment of pi wants it so. What is
// wrong about that wish is for the person; the policy's time holds then.
func promptTimeout(wish string, p *profiles.Policy) (timeout time.Duration, problem string) {
	most := time.Duration(p.Host().PromptTimeout) * time.Second
	if wish == "" {
		return most, ""
	}
	wished, err := time.ParseDuration(wish)
	switch {
	case err != nil || wished < time.Millisecond: // pi counts in milliseconds
		return most, fmt.Sprintf("PI_GUARD_PROMPT_TIMEOUT is %q, which is no time to wait: write one such as 30s. Prompts wait %s", visible(wish), most)
	case wished > most:
		return most, fmt.Sprintf("PI_GUARD_PROMPT_TIMEOUT is %s, which is longer than the policy's promptTimeoutSeconds: only a shorter time counts. Prompts wait %s", wished, most)
	}
	return wished, ""
}
