package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/pi-guard/pi-guard/profiles"
)

// keepLasting writes down the grants that outlast the session: those for ever
// as rules of the person's own modes, with its comments kept, and those for the
// project in a file of the guard's data, so that no repository brings any along
// (P6, P11). It returns the grants that the session itself must remember, which
// are also those that could not be written.
func (s *Session) keepLasting(ctx context.Context, t *sitting, grants profiles.Grants) (profiles.Grants, error) {
	var mine, project profiles.Grants
	var failed error
	for _, g := range grants {
		surface, pattern, forever := profiles.ForeverRule(g)
		switch {
		case forever:
			if err := s.writeRule(ctx, t, g.Mode, surface, pattern); err != nil {
				failed = errors.Join(failed, err)
				mine = append(mine, g)
			}
		case g.Scope == profiles.ScopeProject:
			project = append(project, g)
			mine = append(mine, g)
		default:
			mine = append(mine, g)
		}
	}
	if len(project) > 0 {
		failed = errors.Join(failed, s.changeProjectGrants(t, func(gs profiles.Grants) profiles.Grants { return gs.Add(project...) }))
	}
	return mine, failed
}

// writeRule adds a rule to the person's own modes. Other sessions may do so at
// the same time, so it is done under a lock.
func (s *Session) writeRule(ctx context.Context, t *sitting, mode string, surface profiles.Surface, pattern string) error {
	policy := s.stand(ctx, t).policy
	path := t.source.sources.GlobalFile()
	return underLock(path, func() error {
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("allow %s for ever: %w", pattern, err)
		}
		if text, err = policy.WithRule(text, mode, surface, pattern, profiles.Allow); err != nil {
			return fmt.Errorf("allow %s for ever: %w", pattern, err)
		}
		if err := renameio.WriteFile(path, text, 0o600); err != nil {
			return fmt.Errorf("allow %s for ever: %w", pattern, err)
		}
		return nil
	})
}

// projectGrants are the grants that are kept for the session's project.
func (s *Session) projectGrants(t *sitting) (profiles.Grants, error) {
	text, err := os.ReadFile(profiles.ProjectGrantsFile(s.opts.DataDir, t.start.Cwd))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the grants of this project: %w", err)
	}
	return profiles.UnmarshalGrants(t.start.Cwd, text)
}

// changeProjectGrants changes the grants that are kept for the project.
func (s *Session) changeProjectGrants(t *sitting, change func(profiles.Grants) profiles.Grants) error {
	path := profiles.ProjectGrantsFile(s.opts.DataDir, t.start.Cwd)
	return underLock(path, func() error {
		grants, err := s.projectGrants(t)
		if err != nil {
			return err
		}
		text, err := profiles.MarshalGrants(t.start.Cwd, change(grants))
		if err != nil {
			return err
		}
		if err := renameio.WriteFile(path, text, 0o600); err != nil {
			return fmt.Errorf("keep a grant for this project: %w", err)
		}
		return nil
	})
}

// underLock makes the directory of a file and does something while no other
// process does the same.
func underLock(path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep what was granted: %w", err)
	}
	lock := flock.New(path + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("keep what was granted: %w", err)
	}
	defer func() { _ = lock.Unlock() }()
	return do()
}

// takeBack takes a grant out of the project's file where it is kept there.
func (s *Session) takeBack(t *sitting, gone profiles.Grant) error {
	if gone.Scope != profiles.ScopeProject {
		return nil
	}
	return s.changeProjectGrants(t, func(gs profiles.Grants) profiles.Grants {
		return slices.DeleteFunc(gs, func(g profiles.Grant) bool { return g == gone })
	})
}
