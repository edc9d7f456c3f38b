package ledger

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

// Verification says what a run means for a verify command of the profile.
type Verification struct {
	// Command is the profile's command and Hash its keyed hash.
	Command string `json:"command"`
	Hash    string `json:"hash"`
	Group   string `json:"group"`
	// Exact is R's matchedProfileCommand: the line is the command itself.
	Exact bool `json:"matchedProfileCommand"`
	// Targeted runs cover a part and never stand for the whole.
	Targeted bool    `json:"targeted,omitempty"`
	Outcome  Outcome `json:"outcome"`
	// Reason says why the outcome is not a pass, Remedy what to do.
	Reason string `json:"reason,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

// verifyCommand is one command of the profile with its group.
type verifyCommand struct{ group, command string }

// commands lists the contract's verify commands, groups in order.
func (c *Contract) commands() []verifyCommand {
	groups := make([]string, 0, len(c.Verify))
	for group := range c.Verify {
		groups = append(groups, group)
	}
	sort.Strings(groups)
	var out []verifyCommand
	for _, group := range groups {
		for _, command := range c.Verify[group] {
			out = append(out, verifyCommand{group, command})
		}
	}
	return out
}

// Verifies reports whether a line may be evidence for a verify command, so
// that the tree around its run matters (E14).
func (l *Ledger) Verifies(command, cwd string) bool {
	_, found := l.verifierIn(command, cwd)
	return found
}

// attributed is a verify command found in a line.
type attributed struct {
	verifyCommand
	Attribution
}

// verifierIn finds the verify command that a line runs: one that it is, or
// else the first that stands in it.
func (l *Ledger) verifierIn(command, cwd string) (attributed, bool) {
	contract := l.Contract()
	var best attributed
	for _, vc := range contract.commands() {
		if name, _, _ := strings.Cut(normalise(vc.command), " "); !strings.Contains(command, name) {
			continue // saves the reading of nearly every ordinary line
		}
		a := Attribute(command, vc.command, cwd, isDir)
		if !a.Found {
			continue
		}
		if a.Exact {
			return attributed{vc, a}, true
		}
		if !best.Found || best.Zero != Pass && a.Zero == Pass {
			best = attributed{vc, a}
		}
	}
	return best, best.Found
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// attribute says what a run means for the profile's commands; nil when it runs
// none of them.
func (l *Ledger) attribute(o Observation) *Verification {
	a, found := l.verifierIn(o.Command, o.Cwd)
	if !found {
		return nil
	}
	v := &Verification{
		Command: a.command, Hash: l.CommandHash(a.command), Group: a.group,
		Exact: a.Exact, Targeted: a.Targeted, Reason: a.Reason, Remedy: a.Remedy,
	}
	switch {
	case o.TimedOut, o.Aborted:
		v.Outcome, v.Reason = Fail, "the run did not come to its own end"
		v.Remedy = "run it again with a longer timeout"
	case o.ExitCode == nil && o.IsError:
		v.Outcome, v.Reason = a.NonZero, "the run failed without an exit status"
	case o.ExitCode == nil:
		v.Outcome = a.Zero
		if v.Outcome == Pass {
			v.Outcome, v.Reason = Reported, "no exit status was reported"
		}
	default:
		v.Outcome = a.Of(*o.ExitCode)
	}
	if v.Outcome == Pass && o.IsError {
		v.Outcome, v.Reason = Inconclusive, "the run was reported as an error with exit status 0"
	}
	if v.Outcome == Pass && !l.atProject(a.Dir) {
		v.Outcome = Inconclusive
		v.Reason = fmt.Sprintf("it ran in %s, not in the project", orUnknown(a.Dir))
		v.Remedy = fmt.Sprintf("run exactly `%s` in %s", a.command, l.project)
	}
	if v.Outcome == Pass || v.Outcome == Fail && v.Reason == a.Reason {
		v.Reason, v.Remedy = "", ""
	}
	return v
}

func orUnknown(dir string) string {
	if dir == "" {
		return "an unknown directory"
	}
	return dir
}
