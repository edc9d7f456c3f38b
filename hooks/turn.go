package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// TurnStart is pi's turn_start.
func (s *Session) TurnStart(context.Context, rpc.Turn) (rpc.Empty, error) {
	return rpc.Empty{}, nil
}

// TurnEnd is pi's turn_end. A call that was allowed and has no result by now
// will have none: it was aborted.
func (s *Session) TurnEnd(context.Context, rpc.Turn) (rpc.Empty, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.Empty{}, err
	}
	s.mu.Lock()
	clear(t.calls)
	s.mu.Unlock()
	return rpc.Empty{}, nil
}
