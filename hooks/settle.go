package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// AgentEnd is pi's agent_end.
func (s *Session) AgentEnd(context.Context, rpc.Settle) (rpc.Empty, error) {
	return rpc.Empty{}, nil
}

// BeforeSettle is pi's agent_before_settle, the last place where the agent can
// be made to go on.
func (s *Session) BeforeSettle(context.Context, rpc.Settle) (rpc.SettleAnswer, error) {
	return rpc.SettleAnswer{}, nil
}
