package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testLimit is the longest message in these tests, in bytes.
const testLimit = 100 << 10

// fakeGuard answers tool calls as their tool name says.
type fakeGuard struct {
	Guard // panics on what a test does not expect
	host  *Host
	// entered is sent to when a "wait" call is running.
	entered chan struct{}
}

func (g *fakeGuard) Initialize(context.Context, Initialize) (Initialized, error) {
	return Initialized{Protocol: Version, Version: "test", Tools: []ToolSpec{}}, nil
}

func (g *fakeGuard) ToolCall(ctx context.Context, c ToolCall) (ToolVerdict, error) {
	switch c.ToolName {
	case "panic":
		panic("a bug")
	case "fail":
		return ToolVerdict{}, errors.New("no luck")
	case "wait":
		g.entered <- struct{}{}
		<-ctx.Done()
		return ToolVerdict{}, ctx.Err()
	case "ask":
		g.entered <- struct{}{}
		chosen, err := g.host.Select(ctx, Select{Title: "Sure?", Options: []string{"yes", "no"}})
		return ToolVerdict{Block: chosen.Value != "yes"}, err
	case "long":
		return ToolVerdict{Reason: strings.Repeat("x", testLimit)}, nil
	}
	return ToolVerdict{Block: true, Reason: string(c.Input)}, nil
}

// peer is pi's end of a conversation.
type peer struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Reader
	guard *fakeGuard
	ended chan struct{}
}

// pipes is the guard's end of two pipes.
type pipes struct {
	io.Reader
	io.WriteCloser
}

func converse(t *testing.T) *peer {
	t.Helper()
	guardIn, in := io.Pipe()
	out, guardOut := io.Pipe()
	p := &peer{t: t, in: in, out: bufio.NewReader(out), ended: make(chan struct{})}
	p.guard = &fakeGuard{entered: make(chan struct{}, 1)}
	go func() {
		defer close(p.ended)
		serve(context.Background(), newLines(pipes{guardIn, guardOut}, testLimit), func(h *Host) Guard {
			p.guard.host = h
			return p.guard
		})
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
		<-p.ended
	})
	return p
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) receive() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// call sends a tool call and returns its id for comparing.
func call(id, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"hook/toolCall","params":{"toolCallId":"c","toolName":%q,"input":{"n":1},"cwd":"/p"}}`, id, tool)
}

// TestAnswers sends one line and compares the answer. After each of them the
// conversation must go on.
func TestAnswers(t *testing.T) {
	tests := map[string]struct{ send, want string }{
		"a request":                {call("7", "echo"), `{"id":7,"result":{"block":true,"reason":"{\"n\":1}"},"jsonrpc":"2.0"}`},
		"a string id":              {call(`"a"`, "echo"), `{"id":"a","result":{"block":true,"reason":"{\"n\":1}"},"jsonrpc":"2.0"}`},
		"ping":                     {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`, `{"id":1,"result":{},"jsonrpc":"2.0"}`},
		"an unknown method":        {`{"jsonrpc":"2.0","id":1,"method":"nope"}`, `{"id":1,"error":{"code":-32601,"message":"unknown method nope"},"jsonrpc":"2.0"}`},
		"parameters of a bad type": {`{"jsonrpc":"2.0","id":1,"method":"hook/toolCall","params":{"toolName":3}}`, `{"id":1,"error":{"code":-32602,"message":"invalid parameters: json: cannot unmarshal number into Go struct field ToolCall.toolName of type string"},"jsonrpc":"2.0"}`},
		"parameters of a bad kind": {`{"jsonrpc":"2.0","id":1,"method":"hook/toolCall","params":[1]}`, `{"id":1,"error":{"code":-32602,"message":"invalid parameters: json: cannot unmarshal array into Go value of type rpc.ToolCall"},"jsonrpc":"2.0"}`},
		"an error":                 {call("1", "fail"), `{"id":1,"error":{"code":-32603,"message":"no luck"},"jsonrpc":"2.0"}`},
		"malformed JSON":           {`{"id":1,`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not valid JSON"}}`},
		"garbage":                  {"\x00\xff", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not valid JSON"}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := converse(t)
			p.send(tt.send)
			if diff := cmp.Diff(tt.want, p.receive()); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			p.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}`)
			if got, want := p.receive(), `{"id":99,"result":{},"jsonrpc":"2.0"}`; got != want {
				t.Errorf("afterwards: got %s, want %s", got, want)
			}
		})
	}
}

// TestNoMessage sends values that are JSON but no message.
func TestNoMessage(t *testing.T) {
	for _, line := range []string{`{}`, `[]`, `3`, `null`, `"x"`, `{"jsonrpc":"2.0","method":5,"id":1}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`} {
		t.Run(line, func(t *testing.T) {
			p := converse(t)
			p.send(line)
			var got struct {
				Error struct{ Code int }
			}
			if err := json.Unmarshal([]byte(p.receive()), &got); err != nil || got.Error.Code != -32600 {
				t.Errorf("got code %d (%v), want -32600", got.Error.Code, err)
			}
		})
	}
}

func TestIgnored(t *testing.T) {
	p := converse(t)
	for _, line := range []string{
		"", "  ", `{"jsonrpc":"2.0","method":"hook/toolCall","params":{}}`, `{"jsonrpc":"2.0","method":"cancel"}`,
		`{"jsonrpc":"2.0","method":"cancel","params":{"id":{}}}`, `{"jsonrpc":"2.0","id":5,"result":{}}`,
	} {
		p.send(line)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got, want := p.receive(), `{"id":1,"result":{},"jsonrpc":"2.0"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPanicIsOneError(t *testing.T) {
	p := converse(t)
	p.send(call("1", "panic"))
	if got := p.receive(); !strings.Contains(got, `"code":-32603`) || !strings.Contains(got, "a bug") {
		t.Errorf("got %s", got)
	}
	p.send(call("2", "echo"))
	if got := p.receive(); !strings.HasPrefix(got, `{"id":2,"result"`) {
		t.Errorf("afterwards: got %s", got)
	}
}

func TestConcurrentAndCancelled(t *testing.T) {
	p := converse(t)
	p.send(call("1", "wait"))
	<-p.guard.entered
	p.send(call("2", "echo"))
	if got := p.receive(); !strings.HasPrefix(got, `{"id":2,`) {
		t.Fatalf("got %s while 1 waits", got)
	}
	p.send(call("1", "echo"))
	if got := p.receive(); !strings.Contains(got, "the id is in use") {
		t.Fatalf("got %s for an id in use", got)
	}
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
	if got, want := p.receive(), `{"id":1,"error":{"code":-32800,"message":"cancelled"},"jsonrpc":"2.0"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAsksPi(t *testing.T) {
	p := converse(t)
	p.send(call("1", "ask"))
	<-p.guard.entered
	asked := p.receive()
	if want := `{"id":1,"jsonrpc":"2.0","method":"ui/select","params":{"title":"Sure?","options":["yes","no"],"timeoutMs":0}}`; asked != want {
		t.Fatalf("asked %s, want %s", asked, want)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"result":{"answered":true,"value":"yes"}}`)
	if got, want := p.receive(), `{"id":1,"result":{"block":false},"jsonrpc":"2.0"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCancelReachesPi closes the dialog of a call that pi has taken back.
func TestCancelReachesPi(t *testing.T) {
	p := converse(t)
	p.send(call("1", "ask"))
	<-p.guard.entered
	p.receive()
	p.send(`{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
	if got, want := p.receive(), `{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := p.receive(); !strings.Contains(got, `"code":-32800`) {
		t.Errorf("got %s", got)
	}
}

func TestTooLong(t *testing.T) {
	p := converse(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":"` + strings.Repeat("x", testLimit) + `"}`)
	if got := p.receive(); !strings.Contains(got, `"code":-32600`) || !strings.Contains(got, "longer than") {
		t.Errorf("got %.200s", got)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got, want := p.receive(), `{"id":2,"result":{},"jsonrpc":"2.0"}`; got != want {
		t.Errorf("afterwards: got %.200s, want %s", got, want)
	}
}

func TestLongestMessage(t *testing.T) {
	p := converse(t)
	head, tail := `{"jsonrpc":"2.0","id":1,"method":"ping","params":"`, `"}`
	p.send(head + strings.Repeat("x", testLimit-len(head)-len(tail)) + tail)
	if got, want := p.receive(), `{"id":1,"result":{},"jsonrpc":"2.0"}`; got != want {
		t.Errorf("got %.200s, want %s", got, want)
	}
}

func TestAnswerTooLong(t *testing.T) {
	p := converse(t)
	p.send(call("1", "long"))
	if got := p.receive(); !strings.Contains(got, `"code":-32603`) {
		t.Errorf("got %.200s", got)
	}
}

// TestEndsWithItsInput checks that Serve returns when pi is gone, and that what
// was running is told.
func TestEndsWithItsInput(t *testing.T) {
	p := converse(t)
	p.send(call("1", "wait"))
	<-p.guard.entered
	_ = p.in.Close()
	<-p.ended
}

// FuzzStream feeds bytes to the codec: it must end without a panic, and every
// message it passes on must be a message.
func FuzzStream(f *testing.F) {
	f.Add([]byte(call("1", "echo") + "\n"))
	f.Add([]byte("{}\n[]\nnull\n{\"id\":1}\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}` + "\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":-1,"method":"hook/toolCall","params":{"input":{"a":[{"b":{}}]}}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		guardIn, in := io.Pipe()
		out, guardOut := io.Pipe()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Serve(context.Background(), pipes{guardIn, guardOut}, func(h *Host) Guard {
				return &fakeGuard{host: h, entered: make(chan struct{}, 1<<16)}
			})
		}()
		_, _ = in.Write(data)
		_ = in.Close()
		<-ended
		_ = out.Close()
	})
}

// TestAnswersBeforeTheEnd: what was asked before the input ended is answered,
// except what would need somebody to answer.
func TestAnswersBeforeTheEnd(t *testing.T) {
	p := converse(t)
	p.send(call("1", "ask"))
	<-p.guard.entered
	p.receive()
	p.send(call("2", "echo"))
	_ = p.in.Close()
	got := map[bool]int{}
	for range 3 {
		got[strings.HasPrefix(p.receive(), `{"id":2,"result"`)]++
	}
	if got[true] != 1 {
		t.Errorf("the second call was answered %d times", got[true])
	}
	<-p.ended
}
