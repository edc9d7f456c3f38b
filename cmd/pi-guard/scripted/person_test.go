package scripted

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// stubPi speaks just enough of RPC mode: it answers the commands that come,
// asks one question, and repeats what it is answered.
const stubPi = `
read -r state
printf '{"type":"response","id":"1","command":"get_state","success":true,"data":{"n":1}}\n'
printf 'no JSON\n'
printf '{"type":"extension_ui_request","id":"d1","method":"select","title":"Allow?","options":["Yes","No"]}\n'
read -r answer
printf '{"type":"extension_ui_request","id":"n1","method":"notify","message":"got it","notifyType":"info"}\n'
echo "$answer" >&2
read -r prompt
printf '{"type":"response","id":"2","command":"prompt","success":false,"error":"busy"}\n'
cat >/dev/null
exit 3`

func TestPerson(t *testing.T) {
	ctx := t.Context()
	p, err := Sit(exec.Command("sh", "-c", stubPi))
	if err != nil {
		t.Fatal(err)
	}
	if state, err := p.Command(ctx, "get_state", nil); err != nil || string(state.Data) != `{"n":1}` {
		t.Fatalf("get_state: %+v, %v", state, err)
	}
	dialog, next, err := p.Await(ctx, 0, Event.Dialog)
	if err != nil || dialog.Title != "Allow?" {
		t.Fatalf("dialog %+v, %v", dialog, err)
	}
	if err := p.Answer(dialog, "No"); err != nil {
		t.Fatal(err)
	}
	note, _, err := p.Await(ctx, next, func(e Event) bool { return e.Method == "notify" })
	if err != nil || note.MessageText() != "got it" || note.Dialog() {
		t.Fatalf("notification %+v, %v", note, err)
	}
	if _, err := p.Command(ctx, "prompt", map[string]any{"message": "go"}); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("a failed response gave %v", err)
	}
	if err := p.Leave(ctx); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("Leave = %v", err)
	}
	if want := `{"id":"d1","type":"extension_ui_response","value":"No"}`; strings.TrimSpace(p.Stderr()) != want {
		t.Errorf("pi was answered %s, want %s", p.Stderr(), want)
	}
	if _, _, err := p.Await(ctx, 0, func(Event) bool { return false }); !errors.Is(err, ErrEnded) {
		t.Errorf("Await after the end = %v", err)
	}
}

func TestLeaveKillsAPiThatStays(t *testing.T) {
	p, err := Sit(exec.Command("sh", "-c", "exec sleep 3600"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Leave(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Leave = %v", err)
	}
	<-p.Exited()
}
