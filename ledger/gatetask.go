package ledger

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// judgeTask adds what the task's contract asks (R, final gate).
func (g *gate) judgeTask(q GateQuery) {
	t, need := g.task, g.contract.Require
	if t.DigestAlgorithm != treeAlgorithm {
		g.fail(Reason{Code: "digest-algorithm", Text: "the task was opened with another way of reading the work tree", Remedy: "open it again"})
	}
	if t.Attempt > t.MaxAttempts {
		g.fail(Reason{Code: "attempts", Text: fmt.Sprintf("attempt %d of %d", t.Attempt, t.MaxAttempts), Remedy: "ask the person how to go on"})
	}
	if need.ContextManifest {
		g.judgeManifest()
	}
	if need.Trace && t.Trace.Outcome != outcomeCompleted {
		g.fail(Reason{Code: "trace", Text: fmt.Sprintf("the task's trace is %s, not completed", t.Trace.Outcome), Remedy: "close the task with piagent_trace_record"})
	}
	if open := openSteps(t); len(open) > 0 {
		g.fail(Reason{Code: "open-steps", Text: "steps of the plan are open: " + strings.Join(open, ", "), Remedy: "finish them, or mark them skipped with piagent_task_progress"})
	}
	g.judgeChanges(q)
}

func (g *gate) judgeManifest() {
	if len(g.task.ContextManifest) == 0 {
		g.fail(Reason{Code: "no-context", Text: "no file was recorded as read for the task", Remedy: "record the files and why they were read with piagent_context_record"})
		return
	}
	if missing := missingContext(g.task); len(missing) > 0 {
		g.fail(Reason{Code: "required-context", Text: "required files were not recorded as read", Files: missing, Remedy: "read them, then piagent_context_record"})
	}
}

// judgeChanges compares what changed with what the contract allows and what
// the agent said.
func (g *gate) judgeChanges(q GateQuery) {
	if !g.changesKnown {
		return
	}
	t := g.task
	declared := map[string]bool{}
	for _, file := range append(slices.Clone(t.ChangedFiles), q.ChangedFiles...) {
		declared[path.Clean(file)] = true
	}
	var undeclared, outside []string
	changed := map[string]bool{}
	for _, c := range g.answer.ChangedFiles {
		changed[c.Path] = true
		if g.generated(c.Path) {
			continue
		}
		if !declared[c.Path] {
			undeclared = append(undeclared, c.Path)
		}
		if !inScope(t.Scope, c.Path) || inScope(t.OutOfScope, c.Path) {
			outside = append(outside, c.Path)
		}
	}
	if t.ChangeMode == "read-only" && g.answer.SourcesChanged {
		g.fail(Reason{Code: "read-only", Text: "the task is read-only, but files changed", Files: undeclared, Remedy: "undo the changes, or open a task that may change sources"})
	}
	if len(outside) > 0 {
		g.fail(Reason{Code: "scope", Text: "files changed outside the task's scope", Files: outside, Remedy: "undo these changes, or open a task with a wider scope"})
	}
	if len(undeclared) > 0 {
		g.fail(Reason{Code: "undeclared", Text: "changed files were not declared", Files: undeclared, Remedy: "name them in changedFiles of piagent_trace_record or piagent_task_gate_check"})
	}
	var unsupported []string
	for file := range declared {
		if !changed[file] {
			unsupported = append(unsupported, file)
		}
	}
	if slices.Sort(unsupported); len(unsupported) > 0 {
		g.fail(Reason{Code: "unsupported", Text: "declared files did not change", Files: unsupported, Remedy: "leave them out of changedFiles"})
	}
}

// inScope reports whether a file matches one of the patterns or lies in a
// directory that one names.
func inScope(patterns []string, file string) bool {
	for _, p := range patterns {
		p = strings.TrimSuffix(path.Clean(p), "/")
		if p == "." || p == file || strings.HasPrefix(file, p+"/") || matchGlob(p, file) {
			return true
		}
	}
	return false
}

// matchesAny reports whether a file matches one of the patterns; one without a
// slash matches the name in any directory, as in .gitignore.
func matchesAny(patterns []string, file string) bool {
	for _, p := range patterns {
		if !strings.Contains(strings.TrimSuffix(p, "/"), "/") && !strings.HasPrefix(p, "**") {
			p = "**/" + p
		}
		if inScope([]string{p}, file) || matchGlob(p+"/**", file) {
			return true
		}
	}
	return false
}

// matchGlob matches a slash-separated path: * and ? stay within a component,
// ** crosses any number of them.
func matchGlob(pattern, file string) bool {
	return matchParts(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), strings.Split(file, "/"))
}

func matchParts(pattern, file []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for len(pattern) > 1 && pattern[1] == "**" {
				pattern = pattern[1:]
			}
			for i := range len(file) + 1 {
				if matchParts(pattern[1:], file[i:]) {
					return true
				}
			}
			return false
		}
		if len(file) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], file[0]); err != nil || !ok {
			return false
		}
		pattern, file = pattern[1:], file[1:]
	}
	return len(file) == 0
}
