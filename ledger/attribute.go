package ledger

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Outcome is what a run says of a verify command (E13).
type Outcome string

// The outcomes. Only Pass may count as evidence.
const (
	Pass         Outcome = "pass"
	Fail         Outcome = "fail"
	Inconclusive Outcome = "inconclusive"
	// Reported is a run that pi called successful without an exit status.
	Reported Outcome = "reported"
)

// Attribution says what the exit status of a line tells of one verify command
// in it, without knowing the status.
type Attribution struct {
	// Found is true when the command stands in the line at all. All other
	// fields mean something only then.
	Found bool
	// Exact is true when the line is the command and nothing else.
	Exact bool
	// Targeted is true when the command was run with further arguments, so
	// that it stands for a part only.
	Targeted bool
	// Zero and NonZero are what an exit status of 0, or another, proves.
	Zero, NonZero Outcome
	// Dir is the directory the command runs in, "" when it is not known.
	Dir string
	// Reason says what keeps the status from telling, Remedy what to run.
	Reason, Remedy string
}

// Of is the outcome for an exit status.
func (a *Attribution) Of(status int) Outcome {
	if status == 0 {
		return a.Zero
	}
	return a.NonZero
}

// Attribute reads a line that bash ran in the directory cwd and says what its
// status tells of the verify command verifier. A pass is proven only where
// bash could not have returned 0 had the verifier failed or not been run: every
// course the line may take is followed, with the verifier and all other
// programs either failing or not (spec E13; bash manual 3.2.3 to 3.2.5).
// dirExists says whether an absolute path is a directory; nil: not known.
func Attribute(line, verifier, cwd string, dirExists func(string) bool) Attribution {
	line, verifier = normalise(line), normalise(verifier)
	a := Attribution{Exact: line == verifier}
	file, err := parseBash(line)
	if err != nil {
		a.Found = a.Exact || strings.Contains(line, verifier)
		return a.inconclusive("the line cannot be read: "+err.Error(), verifier)
	}
	run := newShellRun(line, verifier, cwd, dirExists)
	run.all = a.Exact
	ends := run.lineEnds(file.Stmts, &shellEnv{dir: cwd})
	a.Found = a.Exact || run.seen || run.mentioned
	if !a.Found {
		return a
	}
	a.Targeted = run.targeted && !run.seen
	a.Dir = run.verifierDir
	if a.Exact {
		a.Dir = cwd
	}
	return a.judge(ends, run, verifier)
}

// CheckVerifyCommand says what is wrong with a verify command of a profile: it
// cannot be read, it proves nothing (true, echo), or its status hides that of
// what it runs (E6, E13).
func CheckVerifyCommand(command string) error {
	if trivial(command) {
		return fmt.Errorf("verify command %q checks nothing: write the command that runs the project's tests", command)
	}
	if _, secret := Redact(command); secret {
		return fmt.Errorf("verify command %q holds a secret, so that no run of it can be evidence: pass the secret in the environment", mustRedact(command))
	}
	a := Attribute(command, command, "/", nil)
	if a.Zero != Pass {
		return fmt.Errorf("verify command %q proves nothing by its exit status: %s; %s", command, a.Reason, a.Remedy)
	}
	return nil
}

func mustRedact(s string) string {
	s, _ = Redact(s)
	return s
}

// judge draws the conclusion from the courses the line may take.
func (a Attribution) judge(ends states, run *shellRun, verifier string) Attribution {
	if !run.seen && !a.Exact {
		reason := run.reason
		if reason == "" {
			reason = "the command is not run as it is written in the profile"
		}
		return a.inconclusive(reason, verifier)
	}
	if run.poison != "" {
		return a.inconclusive(run.poison, verifier)
	}
	a.Zero, a.NonZero = Inconclusive, Inconclusive
	if ends.all(0, func(s state) bool { return s.ver == verOK }) {
		a.Zero = Pass
	} else if ends.all(0, state.failedOnce) {
		a.Zero = Fail
	}
	if ends.all(1, state.failedOnce) {
		a.NonZero = Fail
	}
	if a.Zero != Pass || a.NonZero != Fail {
		a.Reason = run.reason
		if a.Reason == "" {
			a.Reason = "the status of the line is not that of the command"
		}
		a.Remedy = remedy(verifier, a.Exact)
	}
	return a
}

func (a Attribution) inconclusive(reason, verifier string) Attribution {
	a.Zero, a.NonZero, a.Reason, a.Remedy = Inconclusive, Inconclusive, reason, remedy(verifier, a.Exact)
	return a
}

func remedy(verifier string, exact bool) string {
	if exact {
		return "change it in the profile's verifyCommands: join the parts with && and put `set -o pipefail` before a pipe"
	}
	return fmt.Sprintf("run exactly `%s`, alone on its line", verifier)
}

// trivial reports whether a command only says yes: it is no verification.
func trivial(command string) bool {
	file, err := parseBash(normalise(command))
	if err != nil {
		return false
	}
	for _, stmt := range file.Stmts {
		call, ok := stmt.Cmd.(*syntax.CallExpr)
		if !ok {
			return false
		}
		if len(call.Args) == 0 {
			continue
		}
		if !slices.Contains([]string{"true", ":", "echo", "printf", "exit", "sleep", "pwd", "date", "ls"}, literal(call.Args[0])) {
			return false
		}
	}
	return true
}

func parseBash(text string) (*syntax.File, error) {
	const bound = 32 << 10
	if len(text) > bound {
		return nil, fmt.Errorf("longer than %d bytes", bound)
	}
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// literal is the value of a word that is fixed by the text, "" otherwise.
func literal(w *syntax.Word) string {
	var out strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, "\\*?[~{") && part.Value != "[" {
				return ""
			}
			out.WriteString(part.Value)
		case *syntax.SglQuoted:
			if part.Dollar {
				return ""
			}
			out.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.Contains(lit.Value, `\`) {
					return ""
				}
				out.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return out.String()
}

// literals are the values of words, and whether all are fixed by the text.
func literals(words []*syntax.Word) ([]string, bool) {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = literal(w); out[i] == "" {
			return nil, false
		}
	}
	return out, true
}
