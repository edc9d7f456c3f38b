package hooks

import (
	"context"
	"encoding/json"

	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// UserBash is pi's user_bash: a command that the person typed. It is the
// person's own and passes, unless their configuration says that these are
// judged too; there is nobody to ask then but the one who typed it, so only a
// denial stops it (B17).
func (s *Session) UserBash(ctx context.Context, e rpc.UserBash) (rpc.UserBashAnswer, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.UserBashAnswer{}, err
	}
	g := s.stand(ctx, t)
	t.evidence.typed(ctx, e.Command, e.Cwd)
	if g.policy.Host().UserBash != "judge" {
		return rpc.UserBashAnswer{}, nil
	}
	input, err := json.Marshal(map[string]string{"command": e.Command})
	if err != nil {
		return rpc.UserBashAnswer{}, err
	}
	j := &judging{call: Call{Tool: "bash", Input: input, Cwd: e.Cwd}}
	said := func() (profiles.Session, profiles.Grants) { return s.said(t) }
	follow(ctx, j, judgeOn(g, said, false))
	if j.resolution.Action != profiles.Deny {
		return rpc.UserBashAnswer{}, nil
	}
	return rpc.UserBashAnswer{Block: true, Reason: profiles.ModelText(j.resolution)}, nil
}
