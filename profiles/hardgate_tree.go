package profiles

import (
	"fmt"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// DiscardsIn is the directory of the work tree that a line would discard work
// of, when it can be looked at before: the command is the only one that
// changes anything, stands in a known directory, and is not sent elsewhere.
func DiscardsIn(program *bashast.Program) (dir string, ok bool) {
	gates, err := loadGates()
	if err != nil || program == nil || program.Unresolved() {
		return "", false
	}
	found := false
	for i := range program.Commands {
		c := &program.Commands[i]
		if !gates.discards(c) {
			if !looksOnly(c, gates) {
				return "", false
			}
			continue
		}
		text, known := c.Dir.Text()
		if found || !known || len(c.Via) > 0 || goesElsewhere(c) {
			return "", false
		}
		dir, found = text, true
	}
	return dir, found
}

// discards reports whether a row speaks of c that says what would be lost.
func (t *gateTable) discards(c *bashast.Command) bool {
	for _, r := range t.gateCommand(c) {
		if r.Loses != "" {
			return true
		}
	}
	return false
}

func looksOnly(c *bashast.Command, gates *gateTable) bool {
	if len(c.Words) == 0 {
		return len(c.Redirects) == 0
	}
	for _, e := range c.Effects {
		if e.Kind != bashast.Read && e.Kind != bashast.Network {
			return false
		}
	}
	table, err := loadOrdinary()
	return err == nil && table.holds(c, gates, true)
}

// goesElsewhere reports whether git is sent to another directory or store.
func goesElsewhere(c *bashast.Command) bool {
	for _, w := range c.Words[1:] {
		text, known := w.Text()
		if !known || text == "-C" || strings.HasPrefix(text, "--git-dir") || strings.HasPrefix(text, "--work-tree") {
			return true
		}
	}
	for _, a := range c.Assigns {
		if strings.HasPrefix(a.Name, "GIT_") {
			return true
		}
	}
	return false
}

// lost names what a row's command would lose of the tree.
func (s *TreeState) lost(what string) []string {
	switch what {
	case "modified":
		return s.Modified
	case "untracked":
		return s.Untracked
	case "stashes":
		if s.Stashes > 0 {
			return []string{fmt.Sprintf("%d stashes", s.Stashes)}
		}
	}
	return nil
}

// maxLost is how many names a prompt lists.
const maxLost = 5

// listLost is the names for a prompt.
func listLost(lost []string) string {
	if len(lost) > maxLost {
		return strings.Join(lost[:maxLost], ", ") + fmt.Sprintf(" and %d more", len(lost)-maxLost)
	}
	return strings.Join(lost, ", ")
}
