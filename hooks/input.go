package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// Input is pi's input. It changes nothing: what was refused stays refused until
// the person says so with /perm clear-approvals, since a text may come from
// elsewhere than from a change of mind (P10).
func (s *Session) Input(context.Context, rpc.Input) (rpc.InputAnswer, error) {
	if _, err := s.sitting(); err != nil {
		return rpc.InputAnswer{}, err
	}
	return rpc.InputAnswer{}, nil
}
