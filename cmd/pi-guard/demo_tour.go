package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pi-guard/pi-guard/cmd/pi-guard/scripted"
)

// tour tells a run of pi as it happens, from the events of its RPC mode, and
// plays the person who is asked.
type tour struct {
	out                  io.Writer
	asked                int
	passed, stopped, all int // calls
	over                 bool
}

// demoAnswer is what the scripted person chooses; the first option that
// contains it, whatever the prompt's exact words.
const demoAnswer = "once"

// tell prints an event and answers it when it is a dialog.
func (t *tour) tell(person *scripted.Person, event scripted.Event) error {
	switch {
	case event.Dialog():
		return t.answer(person, event)
	case event.Type == "message_end":
		t.message(event.Raw)
	case event.Type == "tool_execution_end":
		t.result(event.Raw)
	case event.Type == "agent_end":
		t.over = true
	}
	return nil
}

func (t *tour) answer(person *scripted.Person, dialog scripted.Event) error {
	t.asked++
	t.line("guard", dialog.Title)
	for _, option := range dialog.Options {
		if strings.Contains(strings.ToLower(option), demoAnswer) {
			t.line("person", "["+strings.Join(dialog.Options, "] [")+"]  takes: "+option)
			return person.Answer(dialog, option)
		}
	}
	return fmt.Errorf("the prompt %q offers no %q but %q", dialog.Title, demoAnswer, dialog.Options)
}

func (t *tour) message(raw []byte) {
	var record struct {
		Message struct {
			Role    string `json:"role"`
			Content json.RawMessage
		} `json:"message"`
	}
	if json.Unmarshal(raw, &record) != nil || record.Message.Role != "assistant" {
		return
	}
	var parts []struct {
		Type, Text string
		Arguments  struct{ Command string }
	}
	if json.Unmarshal(record.Message.Content, &parts) != nil {
		return
	}
	fmt.Fprintln(t.out)
	for _, part := range parts {
		switch part.Type {
		case "text":
			t.line("model", part.Text)
		case "toolCall":
			t.line("model", "$ "+part.Arguments.Command)
		}
	}
}

func (t *tour) result(raw []byte) {
	var record struct {
		IsError bool `json:"isError"`
		Result  struct {
			Content []struct{ Text string }
		} `json:"result"`
	}
	if json.Unmarshal(raw, &record) != nil {
		return
	}
	t.all++
	who := "bash"
	if record.IsError {
		who = "guard"
		t.stopped++
	} else {
		t.passed++
	}
	for _, part := range record.Result.Content {
		t.line(who, part.Text)
	}
}

// line prints what someone says, the lines after the first indented as far.
func (t *tour) line(who, text string) {
	const width = 8
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+strings.Repeat(" ", width))
	fmt.Fprintf(t.out, "%-*s%s\n", width, who, text)
}

// check says where the tour did not go as its text says.
func (t *tour) check() error {
	switch {
	case t.all != 3:
		return fmt.Errorf("demo: %d calls were made, not 3", t.all)
	case t.stopped != 1:
		return fmt.Errorf("demo: %d calls were stopped, not 1", t.stopped)
	case t.asked != 1:
		return fmt.Errorf("demo: the person was asked %d times, not once", t.asked)
	}
	return nil
}
