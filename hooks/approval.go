package hooks

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// maxPrompts bounds how often one call may be asked about because what it
// names keeps changing under it.
const maxPrompts = 3

// ask is the step that asks a person what nothing else answers. After a yes
// the files are looked at again: a target that changed meanwhile is judged, and
// if need be asked about, again (F2).
func (s *Session) ask(t *sitting) func(context.Context, *judging) error {
	return func(ctx context.Context, j *judging) error {
		for range maxPrompts {
			if j.resolution.Action != profiles.Ask {
				return nil
			}
			if err := s.askOnce(ctx, t, j); err != nil {
				return err
			}
			if j.resolution.Action != profiles.Allow || !j.prompted {
				return nil
			}
			if s.confirmed(ctx, t, j) {
				return nil
			}
		}
		if j.resolution.Action == profiles.Ask {
			return errors.New("what the call names changed after every answer")
		}
		return nil
	}
}

// askOnce waits for its turn, sees whether an answer given meanwhile is one to
// this call too (P11), and otherwise shows the prompt.
func (s *Session) askOnce(ctx context.Context, t *sitting, j *judging) error {
	arrived := time.Now()
	defer func() { j.waited += time.Since(arrived) }()
	release, err := t.dialogs.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.look(ctx, t, j)
	if j.resolution.Action != profiles.Ask {
		return nil
	}
	return s.show(ctx, t, j)
}

// look goes through the steps that need no person once more, on the ground as
// it is now.
func (s *Session) look(ctx context.Context, t *sitting, j *judging) {
	said := func() (profiles.Session, profiles.Grants) { return s.said(t) }
	follow(ctx, j, judgeOn(s.stand(ctx, t), said, !t.start.HasUI))
}

// show shows the prompt and takes the answer.
func (s *Session) show(ctx context.Context, t *sitting, j *judging) error {
	prompt := j.resolution.Prompt
	labels := make([]string, len(prompt.Options))
	for i, o := range prompt.Options {
		labels[i] = visible(o.Label)
	}
	dir := j.call.Cwd
	if dir == "" {
		dir = t.start.Cwd
	}
	j.prompted = true
	index, outcome, err := t.dialogs.choose(ctx, promptText(prompt, dir, s.opts.Home), labels)
	switch {
	case err != nil:
		return err
	case outcome == timedOut:
		j.resolution = j.resolution.TimedOut()
		return nil
	case outcome == dismissed:
		j.resolution, _, _ = j.resolution.Answered(profiles.ChooseDeny, "")
		return nil
	}
	choice := prompt.Options[index].Choice
	pattern := prompt.Pattern
	if choice == profiles.ChoosePattern || choice == profiles.ChooseProject || choice == profiles.ChooseForever {
		if pattern, err = s.editPattern(ctx, t, pattern); err != nil {
			return err
		}
		choice = s.checked(ctx, j, choice, pattern)
	}
	resolution, grants, block := j.resolution.Answered(choice, pattern)
	j.resolution, j.blocked = resolution, block != ""
	return s.keep(ctx, t, grants, block)
}

// editPattern lets the person change the pattern of a grant. No answer leaves
// it as it was proposed.
func (s *Session) editPattern(ctx context.Context, t *sitting, pattern string) (string, error) {
	if pattern == "" {
		return "", nil
	}
	text, outcome, err := t.dialogs.input(ctx, "Pattern to allow (enter alone keeps: "+visible(pattern)+")", pattern)
	if err != nil || outcome != answered || text == "" {
		return pattern, err
	}
	return text, nil
}

// checked is the choice, or once where the pattern cannot be granted: the call
// was allowed, and what was wrong with the pattern is said (P11).
func (s *Session) checked(ctx context.Context, j *judging, choice profiles.Choice, pattern string) profiles.Choice {
	if j.facts.Surface != profiles.SurfaceBash || pattern == "" {
		return choice
	}
	if wrong := j.ground.policy.CheckGrantPattern(pattern, j.facts, j.resolution); wrong != nil {
		s.tell(ctx, "warning", "pi-guard: "+wrong.Error()+". The command was allowed once.")
		return profiles.ChooseOnce
	}
	return choice
}

// keep remembers grants and a block. The call goes on even when they cannot be
// written: the person is told that the answer was for now only.
func (s *Session) keep(ctx context.Context, t *sitting, grants profiles.Grants, block string) error {
	if len(grants) == 0 && block == "" {
		return nil
	}
	mine, lasting := s.keepLasting(ctx, t, grants)
	err := s.change(t, func(st *state) {
		for _, g := range mine {
			st.Grants = slices.Clone(st.Grants).Add(g)
		}
		if block != "" && !slices.Contains(st.Blocks, block) {
			st.Blocks = append(slices.Clone(st.Blocks), block)
		}
	})
	if err = errors.Join(err, lasting); err != nil {
		s.tell(ctx, "warning", "pi-guard: "+err.Error()+". The answer holds until pi ends.")
	}
	return nil
}

// confirmed looks at the call again after a yes and reports whether the yes
// was to what the call is now. If not, j holds the new state of things.
func (s *Session) confirmed(ctx context.Context, t *sitting, j *judging) bool {
	before := *j
	s.look(ctx, t, j)
	switch {
	case j.resolution.Action == profiles.Deny:
		return true // the denial stands
	case j.resolution.Action == profiles.Allow && samePaths(before.facts.Paths, j.facts.Paths):
		j.resolution = before.resolution
		return true
	case j.resolution.Action == profiles.Allow:
		return true
	}
	if samePaths(before.facts.Paths, j.facts.Paths) && covers(before.resolution.Open, j.resolution.Open) {
		j.resolution = before.resolution
		return true
	}
	return false
}

// samePaths reports whether two looks at a call found the same targets.
func samePaths(a, b []profiles.PathFact) bool {
	return slices.EqualFunc(a, b, func(x, y profiles.PathFact) bool {
		return x.Lexical == y.Lexical && x.Canonical == y.Canonical && x.Root == y.Root
	})
}

// covers reports whether all of what is open was answered before.
func covers(answered, open []profiles.Opinion) bool {
	for _, o := range open {
		if !slices.Contains(answered, o) {
			return false
		}
	}
	return true
}

// remember is the step that keeps refusals (P10), until the person takes them
// back with /perm clear-approvals. They hold for the calls of the
// same message at once, but count as a try only when the turn ends: the model
// wrote those calls before it was told.
func (s *Session) remember(t *sitting) func(context.Context, *judging) error {
	return func(ctx context.Context, j *judging) error {
		if j.resolution.Action != profiles.Deny || j.ground == nil {
			return nil
		}
		refused := j.resolution
		if j.blocked {
			refused.By = profiles.ByRule // the block refuses from now on, until it is lifted
		}
		keys := j.ground.policy.DenialKeys(j.facts, refused)
		if len(keys) == 0 {
			return nil
		}
		err := s.change(t, func(st *state) {
			denied := make(map[string]int, len(st.Denied)+len(keys))
			maps.Copy(denied, st.Denied)
			for _, k := range keys {
				denied[k] = st.Denied[k] // 0 is there, and refuses
				t.refused[k] = true
			}
			st.Denied = denied
		})
		if err != nil {
			s.tell(ctx, "warning", "pi-guard: "+err.Error()+".")
		}
		return nil
	}
}

// countTries counts up what was refused in the turn that ends: the model is told.
func (s *Session) countTries(t *sitting) error {
	s.mu.Lock()
	none := len(t.refused) == 0
	s.mu.Unlock()
	if none {
		return nil
	}
	return s.change(t, func(st *state) {
		denied := maps.Clone(st.Denied)
		for k := range t.refused {
			if _, there := denied[k]; there { // the person may have cleared it
				denied[k]++
			}
		}
		st.Denied = denied
		t.refused = map[string]bool{}
	})
}

var _ Host = (*rpc.Host)(nil)
