package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// BeforeAgentStart is pi's before_agent_start.
func (s *Session) BeforeAgentStart(context.Context, rpc.BeforeAgentStart) (rpc.AgentStart, error) {
	return rpc.AgentStart{}, nil
}
