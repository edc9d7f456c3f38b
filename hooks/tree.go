package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// lookAtTree is the step that finds out what a command that discards work
// would lose, so that nothing is asked where nothing is lost and the prompt
// names the files otherwise (B22).
func lookAtTree(ctx context.Context, j *judging) error {
	dir, wanted := profiles.DiscardsIn(j.facts.Program)
	if !wanted {
		return nil
	}
	if u, ok := ledger.FindUnsaved(ctx, dir); ok {
		j.facts.Tree = &profiles.TreeState{Modified: u.Modified, Untracked: u.Untracked, Stashes: u.Stashes}
	}
	return nil
}
