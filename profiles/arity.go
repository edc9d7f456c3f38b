package profiles

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/pi-guard/pi-guard/bashast"
)

//go:embed data/arity.json
var arityData []byte

// arityTable says how many words of a command make a grant worth giving (P11).
type arityTable struct {
	banned map[string]bool
	words  map[string]int
	// examples are commands with the pattern that is proposed, for the tests.
	examples map[string]string
}

// arity is the shipped table.
var arity = sync.OnceValue(func() *arityTable {
	var data struct {
		Banned   []string          `json:"banned"`
		Words    map[string]int    `json:"words"`
		Examples map[string]string `json:"examples"`
	}
	mustUnmarshal("arity.json", arityData, &data)
	t := &arityTable{banned: map[string]bool{}, words: data.Words, examples: data.Examples}
	for _, name := range data.Banned {
		t.banned[name] = true
	}
	return t
})

// mustUnmarshal decodes embedded data, whose validity the tests show.
func mustUnmarshal(name string, data []byte, target any) {
	if err := json.Unmarshal(data, target); err != nil {
		panic("embedded " + name + ": " + err.Error())
	}
}

// propose is the grant pattern for the words of a command, "" for none: none
// for what runs other programs, for a name alone that has subcommands, and
// where an option stands among the words that would be fixed.
func (t *arityTable) propose(words []string) string {
	if len(words) == 0 || t.banned[words[0][strings.LastIndexByte(words[0], '/')+1:]] {
		return ""
	}
	size := 1
	for n := min(len(words), 3); n > 0; n-- {
		if s, ok := t.words[strings.Join(words[:n], " ")]; ok {
			size = s
			break
		}
	}
	if len(words) < size {
		return ""
	}
	for _, w := range words[:size] {
		if w == "" || w[0] == '-' || strings.ContainsAny(w, "*?~$ \t\n") {
			return ""
		}
	}
	return strings.Join(words[:size], " ") + " *"
}

// ProposePattern is the grant pattern that a prompt on a bash line proposes for
// the person to edit (P11): only where one command is asked about, by its rules
// alone, and all its words are known.
func (p *Policy) ProposePattern(f *Facts, open []Opinion) string {
	if f.Program == nil {
		return ""
	}
	proposal := ""
	for i := range open {
		if open[i].Origin == OriginEscape || open[i].Origin == OriginUnresolved || open[i].Layer == LayerPath {
			return ""
		}
		c := commandOf(f.Program, &open[i])
		if c == nil {
			return ""
		}
		words, ok := texts(c.Words)
		pattern := arity().propose(words)
		if !ok || pattern == "" || proposal != "" && proposal != pattern {
			return ""
		}
		proposal = pattern
	}
	return proposal
}

// commandOf is the command of a line that an opinion is about.
func commandOf(program *bashast.Program, o *Opinion) *bashast.Command {
	for i := range program.Commands {
		if c := &program.Commands[i]; o.End > o.Start && c.Span.Start == o.Start && c.Span.End == o.End {
			return c
		}
	}
	return nil
}

// texts are the words' texts; ok is false when one is not known.
func texts(words []bashast.Word) (out []string, ok bool) {
	for i := range words {
		text, known := words[i].Text()
		if !known {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}
