package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-guard/pi-guard/profiles"
)

// perm is /perm: the mode, and what was allowed and blocked in this session.
func (s *Session) perm(ctx context.Context, t *sitting, args, active []string) error {
	if len(args) == 0 {
		return s.pickMode(ctx, t, active)
	}
	rest := strings.Join(args[1:], " ")
	switch args[0] {
	case "next":
		return s.nextMode(ctx, t, active)
	case "explain":
		return s.explainLast(ctx, t)
	case "approvals":
		return s.listApprovals(ctx, t)
	case "revoke":
		return s.revoke(ctx, t, rest)
	case "clear-approvals":
		return s.clearApprovals(ctx, t)
	case "blocks":
		return s.listBlocks(ctx, t)
	case "unblock":
		return s.unblock(ctx, t, rest)
	}
	return s.setMode(ctx, t, strings.Join(args, " "), active)
}

func (s *Session) pickMode(ctx context.Context, t *sitting, active []string) error {
	policy := s.stand(ctx, t).policy
	session, _ := s.said(t)
	names := policy.Modes()
	labels := make([]string, len(names))
	for i, name := range names {
		labels[i] = name
		if m, ok := policy.Mode(name); ok {
			labels[i] = fmt.Sprintf("%s - %s, approval %s", name, m.Operating, m.Approval)
		}
	}
	index, err := s.choose(ctx, t, "Permission mode (now "+session.Mode+")", labels)
	if err != nil || index < 0 {
		return err
	}
	return s.setMode(ctx, t, names[index], active)
}

// nextMode goes to the next mode of the cycle.
func (s *Session) nextMode(ctx context.Context, t *sitting, active []string) error {
	session, _ := s.said(t)
	cycle := s.stand(ctx, t).policy.Cycle()
	if len(cycle) == 0 {
		return fmt.Errorf("the configuration's cycleOrder is empty: choose a mode with /perm")
	}
	i := slices.Index(cycle, session.Mode) // -1 goes to the first
	return s.setMode(ctx, t, cycle[(i+1)%len(cycle)], active)
}

// setMode switches the session to a mode. The approval mode chosen before was
// chosen for the mode before.
func (s *Session) setMode(ctx context.Context, t *sitting, name string, active []string) error {
	policy := s.stand(ctx, t).policy
	if _, ok := policy.Mode(name); !ok {
		return fmt.Errorf("there is no mode %q: write one of %s", name, strings.Join(policy.Modes(), ", "))
	}
	kept := s.change(t, func(st *state) { st.Mode, st.Approval = name, "" })
	g := s.stand(ctx, t)
	s.showStatus(ctx, t, g)
	s.hideTools(ctx, t, g, active)
	text := "Mode: " + name + "."
	if m, _ := g.policy.Mode(name); !m.HardGates {
		text += " Hard gates and their confirmations are off in this mode."
	}
	s.tell(ctx, "info", text)
	return kept
}

// explainLast says why the latest call was judged as it was (N2).
func (s *Session) explainLast(ctx context.Context, t *sitting) error {
	s.mu.Lock()
	last := t.last
	s.mu.Unlock()
	if last == nil {
		s.tell(ctx, "info", "No call has been judged in this session yet.")
		return nil
	}
	s.tell(ctx, "info", visible(last.call.Tool)+"\n"+Explain(decisionOf(last)))
	return nil
}

func (s *Session) listApprovals(ctx context.Context, t *sitting) error {
	_, grants := s.said(t)
	if len(grants) == 0 {
		s.tell(ctx, "info", "Nothing is allowed for this session beyond the rules.")
		return nil
	}
	lines := []string{"Allowed for this session:"}
	for i, g := range grants {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, visible(g.String())))
	}
	s.tell(ctx, "info", strings.Join(append(lines, "Take one back with /perm revoke NUMBER, all with /perm clear-approvals."), "\n"))
	return nil
}

func (s *Session) revoke(ctx context.Context, t *sitting, number string) error {
	_, grants := s.said(t)
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(grants) {
		return fmt.Errorf("revoke %q: write the number of an approval, from 1 to %d, as /perm approvals lists them", number, len(grants))
	}
	gone := grants[n-1]
	kept := s.change(t, func(st *state) {
		if i := slices.Index(st.Grants, gone); i >= 0 {
			st.Grants = slices.Delete(slices.Clone(st.Grants), i, i+1)
		}
	})
	s.tell(ctx, "info", "Taken back: "+visible(gone.String())+".")
	return errors.Join(kept, s.takeBack(t, gone))
}

// clearApprovals takes back grants, blocks and refusals of the session alike (P
// "Deny and block", P10). Those kept for the project are taken back one by one,
// with revoke.
func (s *Session) clearApprovals(ctx context.Context, t *sitting) error {
	session, grants := s.said(t)
	left := grants.Clear(profiles.ScopeSession).Clear(profiles.ScopeGlobal)
	kept := s.change(t, func(st *state) { st.Grants, st.Blocks, st.Denied = left, nil, nil })
	s.tell(ctx, "info", fmt.Sprintf("Cleared %d approvals and %d blocks of this session. What was refused may be asked about again.",
		len(grants)-len(left), len(session.Blocks)))
	return kept
}

func (s *Session) listBlocks(ctx context.Context, t *sitting) error {
	session, _ := s.said(t)
	if len(session.Blocks) == 0 {
		s.tell(ctx, "info", "No path is blocked in this session.")
		return nil
	}
	text := "Blocked in this session:"
	for _, b := range session.Blocks {
		text += "\n" + visible(b)
	}
	s.tell(ctx, "info", text+"\nLift one with /perm unblock PATH.")
	return nil
}

// unblock lifts the block of a path, which may be written in any way.
func (s *Session) unblock(ctx context.Context, t *sitting, raw string) error {
	if raw == "" {
		return fmt.Errorf("unblock: name the path, as /perm blocks lists it")
	}
	session, _ := s.said(t)
	path := raw
	if r := s.stand(ctx, t).resolver.Resolve(raw, t.start.Cwd); !slices.Contains(session.Blocks, raw) && r.Problem == "" {
		path = r.Canonical
	}
	if !slices.Contains(session.Blocks, path) {
		return fmt.Errorf("unblock %q: it is not blocked; /perm blocks lists what is", raw)
	}
	kept := s.change(t, func(st *state) {
		st.Blocks = slices.DeleteFunc(slices.Clone(st.Blocks), func(b string) bool { return b == path })
	})
	s.tell(ctx, "info", "No longer blocked: "+visible(path)+".")
	return kept
}
