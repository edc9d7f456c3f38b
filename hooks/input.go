package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// Input is pi's input. When the person speaks, what they refused before may be
// asked about again.
func (s *Session) Input(ctx context.Context, e rpc.Input) (rpc.InputAnswer, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.InputAnswer{}, err
	}
	if e.Source == "extension" {
		return rpc.InputAnswer{}, nil
	}
	if err := s.forget(t); err != nil {
		s.tell(ctx, "warning", "pi-guard: "+err.Error()+".")
	}
	return rpc.InputAnswer{}, nil
}
