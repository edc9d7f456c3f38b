// Package scripted plays both ends of pi without a model account: a model
// that follows a script, as an OpenAI chat-completions server on loopback, and
// a person at pi's RPC mode. The demo and the end-to-end tests use it.
package scripted

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Turn is one assistant message: some text, then any number of tool calls.
type Turn struct {
	Text  string
	Calls []Call
}

// Call is one tool call of a turn.
type Call struct {
	// Name is the tool's name: "bash", "read", …
	Name string
	// Arguments is the JSON text of the arguments, sent as it stands, so that
	// a script can also say what no schema allows.
	Arguments string
}

// ParseScript reads a script: what the model says and calls, turn by turn.
//
//	# A comment, to the end of the line.
//	turn
//	say I will look around.
//	bash ls -la
//	call read {"path": "README.md"}
//	turn
//	say There is a README.
//
// A line that begins with a tab continues the one before it, so that a bash
// line may be a here-document. Every turn answers one request of pi.
func ParseScript(text string) ([]Turn, error) {
	var turns []Turn
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		number := i + 1
		line := lines[i]
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t") {
			i++
			line += "\n" + lines[i][1:]
		}
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "turn" {
			turns = append(turns, Turn{})
			continue
		}
		if len(turns) == 0 {
			return nil, fmt.Errorf("script line %d: %q before the first turn: begin with a line that says turn", number, verb)
		}
		if err := turns[len(turns)-1].add(verb, rest); err != nil {
			return nil, fmt.Errorf("script line %d: %w", number, err)
		}
	}
	return turns, nil
}

func (t *Turn) add(verb, rest string) error {
	switch verb {
	case "say":
		if t.Text != "" {
			t.Text += "\n"
		}
		t.Text += rest
	case "bash":
		arguments, err := json.Marshal(map[string]string{"command": rest})
		if err != nil {
			return fmt.Errorf("bash line %q: %w", rest, err)
		}
		t.Calls = append(t.Calls, Call{Name: "bash", Arguments: string(arguments)})
	case "call":
		name, arguments, _ := strings.Cut(rest, " ")
		if !json.Valid([]byte(arguments)) {
			return fmt.Errorf("call %s: arguments are not JSON: %s", name, arguments)
		}
		t.Calls = append(t.Calls, Call{Name: name, Arguments: arguments})
	default:
		return fmt.Errorf("unknown verb %q: write turn, say, bash or call", verb)
	}
	return nil
}
