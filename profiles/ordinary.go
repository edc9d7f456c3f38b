package profiles

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/pi-guard/pi-guard/bashast"
)

//go:embed data/ordinary.json
var ordinaryData []byte

// ordinaryTable is the table of commands that pass in silence where the
// shipped default would ask: readers, tests, builds. What such a command
// reads, writes or runs besides is judged by itself, so a row promises only
// that its name and first words are nothing to ask about. The value is true
// for what only looks, which passes while a plan is made, too.
type ordinaryTable struct {
	rows map[string]bool
	// scripts are words that name a test, check or build step wherever they
	// stand in the name of a task runner's script.
	scripts map[string]bool
}

var loadOrdinary = sync.OnceValues(func() (*ordinaryTable, error) {
	var file struct {
		Scripts []string `json:"scripts"`
		Rows    []struct {
			Commands []string `json:"commands"`
			Changes  bool     `json:"changes"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(ordinaryData, &file); err != nil {
		return nil, fmt.Errorf("reading the embedded table of ordinary commands: %w", err)
	}
	table := &ordinaryTable{rows: map[string]bool{}, scripts: map[string]bool{}}
	for _, word := range file.Scripts {
		table.scripts[word] = true
	}
	for _, row := range file.Rows {
		for _, command := range row.Commands {
			table.rows[command] = !row.Changes
		}
	}
	return table, nil
})

// maxOrdinaryWords is the length of the longest row, in words.
const maxOrdinaryWords = 4

// holds reports whether the first words of c, the global options of its
// program left out, are a row; looking says that only rows that look count.
func (t *ordinaryTable) holds(c *bashast.Command, gates *gateTable, looking bool) bool {
	if t.holdsPrefix(c, nil, looking) {
		return true
	}
	call := argv{command: c, name: c.Name(), table: gates}
	call.splitOperands()
	if !looking && t.isStep(&call) || isLocalFetch(c) {
		return true
	}
	return len(call.operands) > 0 && len(gates.Globals[call.name]) > 0 && t.holdsPrefix(c, call.operands, looking)
}

// isStep reports whether the command runs a script of a task runner that is
// named for testing, checking or building.
func (t *ordinaryTable) isStep(call *argv) bool {
	at := 0
	switch call.name {
	case "npm", "pnpm", "yarn", "bun":
		if len(call.operands) > 0 && call.wordIs(call.operands[0], []string{"run", "run-script"}) {
			at = 1
		} else if call.name == "npm" || call.name == "bun" {
			return false
		}
	case "make", "gmake", "just", "task":
	default:
		return false
	}
	if at >= len(call.operands) {
		return false
	}
	name, known := call.command.Words[call.operands[at]].Text()
	if !known {
		return false
	}
	found := false
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(":-_./", r) }) {
		switch word {
		case "deploy", "publish", "release", "migrate", "migration", "push", "prod", "production":
			return false
		}
		found = found || t.scripts[word]
	}
	return found
}

// isLocalFetch reports whether the command asks a service of this machine for
// something and neither sends nor keeps anything.
func isLocalFetch(c *bashast.Command) bool {
	if name := c.Name(); name != "curl" && name != "wget" && name != "http" && name != "xh" {
		return false
	}
	local := false
	for _, e := range c.Effects {
		if e.Kind != bashast.Network {
			if target, _ := e.Target.Text(); safeDevice(target) {
				continue
			}
			return false
		}
		if e.Send || !e.Target.Resolved() {
			return false
		}
		for _, host := range e.Target.Texts() {
			if !isLoopback(host) {
				return false
			}
			local = true
		}
	}
	return local
}

// row reports whether key is a row that counts.
func (t *ordinaryTable) row(key string, looking bool) bool {
	looks, ok := t.rows[key]
	return ok && (looks || !looking)
}

// holdsPrefix looks at the words as they stand, or at those of the indexes.
func (t *ordinaryTable) holdsPrefix(c *bashast.Command, indexes []int, looking bool) bool {
	key := c.Name()
	if key == "" {
		return false
	}
	if t.row(key, looking) {
		return true
	}
	for i := range maxOrdinaryWords - 1 {
		at := i + 1
		if indexes != nil {
			if i >= len(indexes) {
				return false
			}
			at = indexes[i]
		}
		if at >= len(c.Words) {
			return false
		}
		text, known := c.Words[at].Text()
		if !known {
			return false
		}
		key += " " + text
		if t.row(key, looking) {
			return true
		}
	}
	return false
}

// isVerifyCommand reports whether a command is, to the letter, one that the
// project's profile names for verifying (R). Only the profile of a project that
// the person trusts has a say, since it loosens.
func (p *Policy) isVerifyCommand(text string) bool {
	if p.profile == nil || !p.profileTrusted {
		return false
	}
	for _, group := range p.profile.VerifyCommands {
		for _, command := range group {
			if strings.TrimSpace(command) == text {
				return true
			}
		}
	}
	return false
}
