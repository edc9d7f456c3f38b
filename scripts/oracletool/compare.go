package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// finding is one thing in which the analysis and bash differ.
type finding struct {
	Kind findingKind
	// What is the start, the change, or the reason it is about.
	What string
}

// findingKind says how an analysis was wrong.
type findingKind string

const (
	// missStart: a program was started that is neither listed nor unresolved.
	missStart findingKind = "start"
	// missDir: it is listed, but surely in another directory.
	missDir findingKind = "directory"
	// missWrite: a path was changed and that is neither listed nor unresolved.
	missWrite findingKind = "write"
	// missName: a command whose name is not known, in a line called resolved.
	missName findingKind = "name"
	// crash: the analysis failed.
	crash findingKind = "crash"
	// overAsk: the line fixes everything, the analysis says it does not know.
	overAsk findingKind = "over-ask"
	// blur: the line fixes everything, the line is resolved, a word is not.
	blur findingKind = "blur"
	// idle: a command is listed with all its words and was not started. It may
	// stand where it is started under other conditions.
	idle findingKind = "idle"
)

// miss reports whether a finding of this kind breaks the promise.
func (k findingKind) miss() bool { return k != overAsk && k != blur && k != idle }

// compare holds what an analysis claims against what bash did. fixed says
// that the line alone decides what happens.
func compare(c claim, o observation, fixed bool) []finding {
	var found []finding
	if c.Unresolved {
		if fixed {
			found = append(found, finding{overAsk, strings.Join(c.Reasons, "; ")})
		}
		return found
	}
	started := make([]bool, len(c.Commands))
	for _, s := range distinct(o.Starts) {
		if f, ok := judgeStart(c, s, started); !ok {
			found = append(found, f)
		}
	}
	for _, ch := range o.Changes {
		if !covered(c, ch) && !(c.Effectless && len(o.Starts) > 0) {
			found = append(found, finding{missWrite, fmt.Sprintf("%s %s", ch.Kind, ch.Path)})
		}
	}
	for i, command := range c.Commands {
		found = append(found, judgeListed(command, started[i], fixed)...)
	}
	return found
}

// distinct leaves out starts that are the same as an earlier one.
func distinct(starts []start) []start {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(starts), func(s start) bool {
		key := fmt.Sprintf("%q %q %q", s.Argv, s.Dir, s.Path)
		again := seen[key]
		seen[key] = true
		return again
	})
}

// judgeListed looks at one listed command of a resolved line.
func judgeListed(c claimCommand, started, fixed bool) []finding {
	var found []finding
	if !c.Words[0].Resolved() {
		found = append(found, finding{missName, c.String()})
	}
	known := !slices.ContainsFunc(c.Words, func(w claimWord) bool { return !w.Resolved() || w.Many })
	if fixed && !known {
		found = append(found, finding{blur, c.String()})
	}
	if known && !started {
		found = append(found, finding{idle, c.String()})
	}
	return found
}

// judgeStart looks for a listed command that s may be, and marks it.
func judgeStart(c claim, s start, started []bool) (finding, bool) {
	if implied(s) {
		return finding{}, true
	}
	var elsewhere []string
	listed := false
	for i, command := range c.Commands {
		if command.Function || !matches(command, s) {
			continue
		}
		if !inDir(command.Dir, s.Dir) {
			elsewhere = append(elsewhere, command.Dir.String())
			continue
		}
		started[i], listed = true, true
	}
	switch {
	case listed:
		return finding{}, true
	case len(elsewhere) > 0:
		return finding{missDir, fmt.Sprintf("%q in %s, not in %s", s.Argv, s.Dir, strings.Join(elsewhere, ", "))}, false
	}
	return finding{missStart, s.String()}, false
}

// implied reports whether s is how something listed is done, not a command of
// its own: the shell that a program uses for system(), a not-found handler.
func implied(s start) bool {
	if len(s.Argv) == 0 {
		return true
	}
	shell := isShell(path.Base(s.Argv[0])) && len(s.Argv) > 1 && s.Argv[1] == "-c"
	return shell && strings.HasPrefix(s.Parent, optDir+"/sys/") && !isShell(path.Base(s.Parent))
}

func isShell(program string) bool {
	return program == "bash" || program == "dash" || program == "sh"
}

func inDir(claimed claimWord, dir string) bool {
	return claimed.MayBe(dir) || claimed.Kind() == 0 ||
		slices.ContainsFunc(claimed.Texts(), func(t string) bool { return path.Clean(t) == dir })
}

// matches reports whether the program that was started may be the command.
func matches(c claimCommand, s start) bool {
	if !matchesName(c.Words[0], s) {
		return false
	}
	if s.script() { // bash was given the script, the kernel put its interpreter in front
		return matchesWords(c.Words[1:], s.scriptArgs())
	}
	return matchesWords(c.Words[1:], s.Argv[1:])
}

func matchesName(w claimWord, s start) bool {
	if !w.Resolved() {
		return true
	}
	if s.script() {
		return w.MayBe(s.Path)
	}
	name := s.Argv[0]
	if s.Path == "" || path.Base(s.Path) == path.Base(name) {
		return w.MayBe(name)
	}
	// exec -a and hash -p give a program another name than that of its file:
	// it is the file that counts.
	return slices.ContainsFunc(w.Texts(), func(t string) bool {
		return t == s.Path || !strings.Contains(t, "/") && t == path.Base(s.Path)
	})
}

// matchesWords reports whether words may become args, each word of unknown
// number any number of them.
func matchesWords(words []claimWord, args []string) bool {
	if len(words) == 0 {
		return len(args) == 0
	}
	w := words[0]
	if w.Many {
		for n := range len(args) + 1 {
			if matchesWords(words[1:], args[n:]) {
				return true
			}
		}
		return false
	}
	return len(args) > 0 && w.MayBe(args[0]) && matchesWords(words[1:], args[1:])
}

// script reports whether the kernel ran an interpreter for a file that names it.
func (s start) script() bool {
	return s.Path != "" && len(s.Argv) > 1 && path.Base(s.Path) != path.Base(s.Argv[0]) &&
		slices.Contains(s.Argv[1:min(len(s.Argv), 3)], s.Path)
}

func (s start) scriptArgs() []string {
	return s.Argv[1+slices.Index(s.Argv[1:], s.Path)+1:]
}

// covered reports whether the claim says that the path of ch is written or
// removed. A folder that is made on the way to a file that is claimed goes
// without saying.
func covered(c claim, ch change) bool {
	p := ch.Path
	return slices.ContainsFunc(c.Writes, func(w claimWrite) bool {
		if !w.Target.Resolved() {
			return w.Target.MayBe(p) || w.Recursive && strings.HasPrefix(p, w.Target.Prefix())
		}
		return slices.ContainsFunc(w.Target.Texts(), func(t string) bool {
			t = path.Clean(t)
			return t == p || w.Recursive && strings.HasPrefix(p, strings.TrimSuffix(t, "/")+"/") || aliasOf(t) == p ||
				ch.Kind == created && strings.HasPrefix(t, p+"/")
		})
	})
}

// aliasOf is where the links of the tree lead t.
func aliasOf(t string) string {
	for _, e := range worldTree() {
		if e.mode&^0o777 != 0 && !e.mode.IsDir() && e.path == t {
			return path.Join(path.Dir(t), e.text)
		}
	}
	return t
}

func (s start) String() string {
	if s.Dir == projectDir {
		return fmt.Sprintf("%q", s.Argv)
	}
	return fmt.Sprintf("%q in %s", s.Argv, s.Dir)
}

func (c claimCommand) String() string {
	var b strings.Builder
	for i, w := range c.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.Many {
			b.WriteString("*")
		}
		fmt.Fprintf(&b, "%q", w.String())
	}
	if !c.Dir.MayBe(projectDir) || !c.Dir.Resolved() {
		fmt.Fprintf(&b, " in %s", c.Dir.String())
	}
	if c.Function {
		b.WriteString(" (function)")
	}
	return b.String()
}
