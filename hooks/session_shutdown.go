package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// SessionShutdown is pi's session_shutdown: what is still being written is
// finished.
func (s *Session) SessionShutdown(context.Context, rpc.SessionShutdown) (rpc.Empty, error) {
	s.busy.Wait()
	if t, err := s.sitting(); err == nil {
		t.evidence.close()
	}
	return rpc.Empty{}, nil
}
