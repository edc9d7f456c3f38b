package profiles

import (
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
)

// argv is a command as the rows of the hard-gate table look at it. A word
// that is not known has no texts, and matches only where a row says so.
type argv struct {
	command *bashast.Command
	name    string
	table   *gateTable

	operands []int // indexes of the words that are neither options nor their values
	split    bool
}

func (a *argv) matches(r *gateRule) bool {
	if !a.matchWords(r) {
		return false
	}
	if len(r.Any) > 0 && !a.hasAny(r.Any, r.Unknown) {
		return false
	}
	for _, want := range r.All {
		if !a.has(want, r.Unknown) {
			return false
		}
	}
	for _, not := range r.None {
		if a.has(not, false) {
			return false
		}
	}
	if r.Hidden && !a.hidesArgument() {
		return false
	}
	return r.text == nil || a.matchText(r)
}

func (a *argv) hidesArgument() bool {
	for _, w := range a.command.Words[1:] {
		if !w.Resolved() {
			return true
		}
	}
	return false
}

func (a *argv) matchWords(r *gateRule) bool {
	if len(r.words) == 0 && !r.Bare {
		return true
	}
	a.splitOperands()
	if len(a.operands) < len(r.words) || r.Bare && len(a.operands) > len(r.words) {
		return false
	}
	for i, alternatives := range r.words {
		if !a.wordIs(a.operands[i], alternatives) {
			return false
		}
	}
	return true
}

func (a *argv) wordIs(index int, alternatives []string) bool {
	for _, text := range a.command.Words[index].Texts() {
		if matchesAny(alternatives, text) {
			return true
		}
	}
	return false
}

// splitOperands finds the words that are no options, skipping the values of
// the program's global options (git -C DIR, kubectl -n NAME).
func (a *argv) splitOperands() {
	if a.split {
		return
	}
	a.split = true
	takesValue := a.table.Globals[a.name]
	words := a.command.Words
	for i := 1; i < len(words); i++ {
		text, known := words[i].Text()
		if !known || !strings.HasPrefix(text, "-") || text == "-" {
			a.operands = append(a.operands, i)
			continue
		}
		for _, option := range takesValue {
			if text == option {
				i++
				break
			}
		}
	}
}

func (a *argv) hasAny(wants []string, unknown bool) bool {
	for _, w := range wants {
		if a.has(w, unknown) {
			return true
		}
	}
	return false
}

func (a *argv) has(want string, unknown bool) bool {
	words := a.command.Words
	for i := 1; i < len(words); i++ {
		if !words[i].Resolved() {
			if unknown && mayBeArgument(words[i].Value, want) {
				return true
			}
			continue
		}
		for _, text := range words[i].Texts() {
			if argumentIs(text, want) {
				return true
			}
		}
	}
	return false
}

func mayBeArgument(v bashast.Value, want string) bool {
	if strings.ContainsRune(want, '*') {
		return v.Prefix() == "" || strings.HasPrefix(v.Prefix(), strings.SplitN(want, "*", 2)[0])
	}
	return v.MayBe(want)
}

// argumentIs reports whether one argument is, holds or abbreviates what a row
// wants (POSIX utility conventions 12.2; GNU long options).
func argumentIs(text, want string) bool {
	switch {
	case strings.ContainsRune(want, '*'):
		return globMatch(want, text)
	case strings.ContainsRune(want, '='):
		return text == want
	case strings.HasPrefix(want, "--") && len(want) > 2:
		name, _, _ := strings.Cut(text, "=")
		return name == want || len(name) >= 5 && strings.HasPrefix(want, name)
	case len(want) == 2 && want[0] == '-' && want[1] != '-':
		return text == want || isCluster(text) && strings.ContainsRune(text[1:], rune(want[1]))
	}
	return text == want
}

// isCluster reports whether text looks like several one-letter options.
func isCluster(text string) bool {
	if len(text) < 2 || text[0] != '-' || text[1] == '-' {
		return false
	}
	for _, r := range text[1:] {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}

func (a *argv) matchText(r *gateRule) bool {
	re := r.text()
	for _, w := range a.command.Words[1:] {
		for _, text := range w.Texts() {
			if re.MatchString(text) {
				return true
			}
		}
	}
	text, known := a.command.Stdin.Text()
	return known && re.MatchString(text)
}
