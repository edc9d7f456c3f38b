package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pi-guard/pi-guard/profiles"
)

// scratchAge is how long a scratch directory that nobody touches is kept (H D114).
const scratchAge = 7 * 24 * time.Hour

// scratchOf is the scratch directory of a session. It is made when it is first
// needed (F8).
func scratchOf(dataDir, session string) string {
	return filepath.Join(dataDir, "scratch", fileName(session))
}

// makeScratch is the step that makes the scratch directory and has commands
// told where it is. Without one they go on in the system's.
func (s *Session) makeScratch(t *sitting) func(context.Context, *judging) error {
	return func(ctx context.Context, j *judging) error {
		if err := t.makeScratch(j); err != nil && !t.toldScratch.Swap(true) {
			s.tell(ctx, "warning", "pi-guard: "+err.Error()+". Temporary files go where they went before.")
		}
		return nil
	}
}

func (t *sitting) makeScratch(j *judging) error {
	if j.resolution.Action != profiles.Allow {
		return nil
	}
	switch j.facts.Surface {
	case profiles.SurfaceBash, profiles.SurfaceWrite, profiles.SurfaceEdit:
	default:
		return nil
	}
	if err := os.MkdirAll(t.scratch, 0o700); err != nil {
		return fmt.Errorf("make the scratch directory: %w", err)
	}
	j.env = map[string]string{"PI_SCRATCH_DIR": t.scratch, "TMPDIR": t.scratch}
	return nil
}

// sweepScratch removes the scratch directories of other sessions that nobody
// has touched for long. What cannot be removed is left for the next time.
func sweepScratch(dataDir, mine string) {
	root := filepath.Join(dataDir, "scratch")
	entries, err := os.ReadDir(root)
	if err != nil {
		return
	}
	oldest := time.Now().Add(-scratchAge)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if dir != mine && e.IsDir() && untouchedSince(dir, oldest) {
			_ = os.RemoveAll(dir)
		}
	}
}

var errTouched = errors.New("touched")

// untouchedSince reports whether nothing in dir, itself included, has changed
// since a time. What cannot be looked at counts as changed.
func untouchedSince(dir string, oldest time.Time) bool {
	return filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.ModTime().After(oldest) {
			err = errTouched
		}
		return err
	}) == nil
}
