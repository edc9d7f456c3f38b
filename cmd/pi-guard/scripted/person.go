package scripted

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// Person sits at a pi in RPC mode: sends commands, sees events, answers
// dialogs. Its methods may be called from several goroutines.
type Person struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr lockedBuffer
	write  sync.Mutex // held while a record is written

	mu      sync.Mutex
	events  []Event
	ended   bool // pi closed its stdout
	changed chan struct{}
	lastID  int
	exited  chan struct{} // closed when pi is gone
	exitErr error
}

// Event is one record that pi wrote on stdout: a session event, the response
// to a command, or a request of an extension to the person.
type Event struct {
	Type string `json:"type"`

	// ID, Command, Success, Error and Data are those of a response; ID is
	// also that of a request to the person.
	ID      string          `json:"id"`
	Command string          `json:"command"`
	Success bool            `json:"success"`
	Error   string          `json:"error"`
	Data    json.RawMessage `json:"data"`

	// The rest describe a request to the person (type extension_ui_request).
	Method      string          `json:"method"`
	Title       string          `json:"title"`
	Options     []string        `json:"options"`
	Message     json.RawMessage `json:"message"`
	Placeholder string          `json:"placeholder"`
	Prefill     string          `json:"prefill"`
	Timeout     int             `json:"timeout"` // milliseconds
	NotifyType  string          `json:"notifyType"`
	StatusKey   string          `json:"statusKey"`
	StatusText  string          `json:"statusText"`
	WidgetLines []string        `json:"widgetLines"`

	// Raw is the whole record.
	Raw json.RawMessage `json:"-"`
}

// Dialog reports whether the event is a request that waits for an answer.
func (e Event) Dialog() bool {
	if e.Type != "extension_ui_request" {
		return false
	}
	switch e.Method {
	case "select", "confirm", "input", "editor":
		return true
	}
	return false
}

// MessageText is the text of a notification or of a confirmation.
func (e Event) MessageText() string {
	var text string
	if json.Unmarshal(e.Message, &text) != nil {
		return ""
	}
	return text
}

// Sit starts cmd, a pi in RPC mode that has not been started, and sits down at it.
func Sit(cmd *exec.Cmd) (*Person, error) {
	p := &Person{cmd: cmd, changed: make(chan struct{}), exited: make(chan struct{})}
	cmd.Stderr = &p.stderr
	// A child that outlives pi and holds its stderr must not hold the person.
	cmd.WaitDelay = 5 * time.Second
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("starting pi in RPC mode: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting pi in RPC mode: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting pi in RPC mode: %w", err)
	}
	go p.watch(stdout)
	return p, nil
}

// watch keeps what pi writes until it ends. Records are split on LF only, as
// pi's RPC framing demands.
func (p *Person) watch(stdout io.Reader) {
	reader := bufio.NewReader(stdout)
	for {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			event := Event{Raw: bytes.TrimSpace(line)}
			if json.Unmarshal(line, &event) != nil {
				event.Type = "not JSON"
			}
			p.update(func() { p.events = append(p.events, event) })
		}
		if err != nil {
			break
		}
	}
	p.exitErr = p.cmd.Wait()
	close(p.exited)
	p.update(func() { p.ended = true })
}

func (p *Person) update(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

// ErrEnded is returned by Await when pi ended before the event came.
var ErrEnded = errors.New("pi ended")

// Events are the events so far.
func (p *Person) Events() []Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events[:len(p.events):len(p.events)]
}

// Await returns the first event at or after index from that match accepts,
// and the index after it.
func (p *Person) Await(ctx context.Context, from int, match func(Event) bool) (Event, int, error) {
	for {
		p.mu.Lock()
		events, ended, changed := p.events, p.ended, p.changed
		p.mu.Unlock()
		for ; from < len(events); from++ {
			if match(events[from]) {
				return events[from], from + 1, nil
			}
		}
		if ended {
			return Event{}, from, fmt.Errorf("%w: %v\n%s", ErrEnded, p.exitErr, p.stderr.String())
		}
		select {
		case <-ctx.Done():
			return Event{}, from, ctx.Err()
		case <-changed:
		}
	}
}

// Command sends a command with its fields and waits for the response.
func (p *Person) Command(ctx context.Context, command string, fields map[string]any) (Event, error) {
	p.mu.Lock()
	p.lastID++
	id := strconv.Itoa(p.lastID)
	from := len(p.events)
	p.mu.Unlock()

	record := map[string]any{"id": id, "type": command}
	for key, value := range fields {
		record[key] = value
	}
	if err := p.send(record); err != nil {
		return Event{}, fmt.Errorf("command %s: %w", command, err)
	}
	response, _, err := p.Await(ctx, from, func(e Event) bool { return e.Type == "response" && e.ID == id })
	if err != nil {
		return Event{}, fmt.Errorf("command %s: %w", command, err)
	}
	if !response.Success {
		return response, fmt.Errorf("command %s: pi says: %s", command, response.Error)
	}
	return response, nil
}

// Answer answers a dialog: true or false for confirm, a text for the others,
// nil to dismiss it.
func (p *Person) Answer(dialog Event, answer any) error {
	record := map[string]any{"type": "extension_ui_response", "id": dialog.ID}
	switch answer := answer.(type) {
	case nil:
		record["cancelled"] = true
	case bool:
		record["confirmed"] = answer
	default:
		record["value"] = answer
	}
	if err := p.send(record); err != nil {
		return fmt.Errorf("answering %q: %w", dialog.Title, err)
	}
	return nil
}

func (p *Person) send(record map[string]any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	p.write.Lock()
	defer p.write.Unlock()
	_, err = p.stdin.Write(append(data, '\n'))
	return err
}

// Leave closes pi's stdin, which ends it, and waits until it is gone. When ctx
// is done first, pi is killed.
func (p *Person) Leave(ctx context.Context) error {
	_ = p.stdin.Close()
	select {
	case <-p.exited:
		return p.exitErr
	case <-ctx.Done():
		_ = p.cmd.Process.Kill()
		<-p.exited
		return fmt.Errorf("pi did not end by itself: %w", ctx.Err())
	}
}

// Exited is closed when pi is gone.
func (p *Person) Exited() <-chan struct{} { return p.exited }

// PID is the process id of pi.
func (p *Person) PID() int { return p.cmd.Process.Pid }

// Stderr is what pi wrote on stderr so far.
func (p *Person) Stderr() string { return p.stderr.String() }

// lockedBuffer is a buffer that one goroutine writes and others read.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
