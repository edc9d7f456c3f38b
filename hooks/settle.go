package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/rpc"
)

// maxHandoffs bounds how often an agent is sent back for evidence in one run.
const maxHandoffs = 2

// MessageEnd is pi's message_end for what the agent says when it is done: a
// claim of success that nothing observed supports gets a footer (E7).
func (s *Session) MessageEnd(ctx context.Context, e rpc.MessageEnd) (rpc.MessageFooter, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.MessageFooter{}, err
	}
	if _, claims := ledger.ClaimsSuccess(e.Text); !claims {
		return rpc.MessageFooter{}, nil
	}
	answer, asked, err := s.gate(ctx, t)
	if err != nil || !asked {
		return rpc.MessageFooter{}, err
	}
	return rpc.MessageFooter{Footer: ledger.ClaimFooter(e.Text, &answer)}, nil
}

// AgentEnd is pi's agent_end.
func (s *Session) AgentEnd(context.Context, rpc.Settle) (rpc.Empty, error) {
	return rpc.Empty{}, nil
}

// BeforeSettle is pi's agent_before_settle, the last place where the agent can
// be made to go on. It is told what evidence is missing, a bounded number of
// times; after that the person is (E7).
func (s *Session) BeforeSettle(ctx context.Context, e rpc.Settle) (rpc.SettleAnswer, error) {
	t, err := s.sitting()
	if err != nil || e.Outcome != "completed" {
		return rpc.SettleAnswer{}, err
	}
	message, err := s.handoff(ctx, t)
	if err != nil || message == "" {
		return rpc.SettleAnswer{}, err
	}
	if !s.sendBack(t) {
		s.tell(ctx, "warning", "pi-guard: the agent ends its work without what the profile asks for.\n"+message)
		return rpc.SettleAnswer{}, nil
	}
	return rpc.SettleAnswer{Continue: true, Message: message}, nil
}

// gate asks the ledger whether the session's work may be handed over. asked is
// false where nothing asks for evidence: no profile, or a gate that is off, or
// a session that has changed nothing.
func (s *Session) gate(ctx context.Context, t *sitting) (answer ledger.GateAnswer, asked bool, err error) {
	g := s.stand(ctx, t)
	if contractOf(g.policy).Gate == ledger.GateOff || !t.evidence.used() {
		return answer, false, nil
	}
	// A session of which no call was let through has no beginning noted yet:
	// it is as it was found, whatever lies in the project from others.
	t.evidence.begin(ctx)
	answer, err = t.evidence.open(ctx).Gate(ctx, ledger.GateQuery{Session: t.start.SessionID})
	return answer, err == nil && answer.SourcesChanged, err
}

// handoff is what the agent is to be told if it ends its work now, "" for
// nothing.
func (s *Session) handoff(ctx context.Context, t *sitting) (string, error) {
	answer, asked, err := s.gate(ctx, t)
	switch {
	case err != nil:
		return "", err
	case !asked || answer.Decision == ledger.GatePass:
		return "", nil
	case !answer.Blocks():
		s.tell(ctx, "warning", "pi-guard: "+answer.Text())
		return "", nil
	}
	return "Your work cannot be handed over yet.\n" + answer.Text() +
		"\nDo what is missing, or say plainly in your last message what you could not do and why.", nil
}

// sendBack counts a sending back and reports whether there is one left.
func (s *Session) sendBack(t *sitting) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.handoffs++
	return t.handoffs <= maxHandoffs
}
