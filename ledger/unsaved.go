package ledger

import (
	"bytes"
	"context"
	"strings"
)

// Unsaved is what a git work tree holds that no commit does (spec row B22).
type Unsaved struct {
	// Modified and Untracked are paths relative to the top of the tree.
	Modified, Untracked []string
	// Stashes counts the stashes.
	Stashes int
}

// FindUnsaved asks git what would be lost in the work tree that dir lies in.
// It only reads. ok is false where dir is in no work tree or git cannot say.
func FindUnsaved(ctx context.Context, dir string) (u Unsaved, ok bool) {
	root, isGit, err := gitRoot(ctx, dir)
	if err != nil || !isGit {
		return Unsaved{}, false
	}
	out, err := git(ctx, root, "status", "--porcelain=v1", "-z", "--untracked-files=normal")
	if err != nil {
		return Unsaved{}, false
	}
	entries := bytes.Split(out, []byte{0})
	for i := 0; i < len(entries); i++ {
		entry := string(entries[i])
		if len(entry) < 4 {
			continue
		}
		if strings.HasPrefix(entry, "??") {
			u.Untracked = append(u.Untracked, entry[3:])
			continue
		}
		u.Modified = append(u.Modified, entry[3:])
		if entry[0] == 'R' || entry[0] == 'C' {
			i++ // the old name follows
		}
	}
	stashes, err := git(ctx, root, "stash", "list")
	if err != nil {
		return Unsaved{}, false
	}
	u.Stashes = bytes.Count(stashes, []byte{'\n'})
	return u, true
}
