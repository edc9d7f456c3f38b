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
type ordinaryTable map[string]bool

var loadOrdinary = sync.OnceValues(func() (ordinaryTable, error) {
	var file struct {
		Rows []struct {
			Commands []string `json:"commands"`
			Changes  bool     `json:"changes"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(ordinaryData, &file); err != nil {
		return nil, fmt.Errorf("reading the embedded table of ordinary commands: %w", err)
	}
	table := ordinaryTable{}
	for _, row := range file.Rows {
		for _, command := range row.Commands {
			table[command] = !row.Changes
		}
	}
	return table, nil
})

// maxOrdinaryWords is the length of the longest row, in words.
const maxOrdinaryWords = 4

// holds reports whether the first words of c, the global options of its
// program left out, are a row; looking says that only rows that look count.
func (t ordinaryTable) holds(c *bashast.Command, gates *gateTable, looking bool) bool {
	if t.holdsPrefix(c, nil, looking) {
		return true
	}
	call := argv{command: c, name: c.Name(), table: gates}
	call.splitOperands()
	return len(call.operands) > 0 && len(gates.Globals[call.name]) > 0 && t.holdsPrefix(c, call.operands, looking)
}

// row reports whether key is a row that counts.
func (t ordinaryTable) row(key string, looking bool) bool {
	looks, ok := t[key]
	return ok && (looks || !looking)
}

// holdsPrefix looks at the words as they stand, or at those of the indexes.
func (t ordinaryTable) holdsPrefix(c *bashast.Command, indexes []int, looking bool) bool {
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
