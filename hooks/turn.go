package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// TurnStart is pi's turn_start.
func (s *Session) TurnStart(_ context.Context, e rpc.Turn) (rpc.Empty, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.Empty{}, err
	}
	t.turn.Store(int64(e.Index))
	return rpc.Empty{}, nil
}

// TurnEnd is pi's turn_end. A call that was allowed and has no result by now
// will have none: it was aborted. What was refused counts as one try from now on.
func (s *Session) TurnEnd(ctx context.Context, e rpc.Turn) (rpc.Empty, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.Empty{}, err
	}
	if e.HandedOff {
		s.sendBack(t)
	}
	if err := s.countTries(t); err != nil {
		s.tell(ctx, "warning", "pi-guard: "+err.Error()+".")
	}
	s.mu.Lock()
	lost := t.calls
	t.calls = map[string]*judging{}
	s.mu.Unlock()
	for _, j := range lost {
		s.auditLost(t, j)
	}
	return rpc.Empty{}, nil
}
