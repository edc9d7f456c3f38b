package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Provider is the name of the scripted provider, and of its only model, in
// models.json: pi --provider scripted --model scripted.
const Provider = "scripted"

// Model is a running model server. It answers every request with the next
// turn of its script and keeps every request, which is all that the model was
// told. Its methods may be called from several goroutines.
type Model struct {
	listener net.Listener
	server   *http.Server

	mu       sync.Mutex
	turns    []Turn
	next     int
	requests []Request
	changed  chan struct{} // closed and replaced whenever a request is answered
}

// Request is what pi sent to the model for one turn.
type Request struct {
	Messages []Message
	// Tools are the names of the tools on offer.
	Tools []string
	// Final is true when the turn that answered it had no tool calls.
	Final bool
}

// Message is one message of a request, its content flattened to text.
type Message struct {
	// Role is "system", "developer", "user", "assistant" or "tool".
	Role string
	Text string
	// Calls are the tool calls of an assistant message.
	Calls []Call
}

// StartModel serves turns on a free port of 127.0.0.1 until Close.
func StartModel(turns []Turn) (*Model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the scripted model: %w", err)
	}
	m := &Model{listener: listener, turns: turns, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.serveCompletion)
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		// Serve always ends with an error; after Close it is ErrServerClosed,
		// and any other shows itself as a refused connection in pi.
		_ = m.server.Serve(listener)
	}()
	return m, nil
}

// Close ends the server and every open answer.
func (m *Model) Close() error { return m.server.Close() }

// URL is the base URL that models.json names.
func (m *Model) URL() string { return "http://" + m.listener.Addr().String() + "/v1" }

// Configure names the model in home/.pi/agent/models.json, the file in which
// pi looks for providers of the user's own.
func (m *Model) Configure(home string) error {
	config := map[string]any{"providers": map[string]any{Provider: map[string]any{
		"baseUrl": m.URL(),
		"apiKey":  "scripted",
		"api":     "openai-completions",
		"models":  []any{map[string]any{"id": Provider}},
	}}}
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return fmt.Errorf("writing models.json: %w", err)
	}
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing models.json: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "models.json"), append(data, '\n'), 0o600)
}

// Requests are the requests answered so far, in order.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Wait returns as soon as done says yes to the requests answered so far.
func (m *Model) Wait(ctx context.Context, done func([]Request) bool) error {
	for {
		m.mu.Lock()
		requests, changed := m.requests, m.changed
		m.mu.Unlock()
		if done(requests) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the model after %d requests: %w", len(requests), ctx.Err())
		case <-changed:
		}
	}
}

// Told is what the model has been told: of the latest request the messages
// that are not its own, each headed by its role in brackets. It leaves the
// system prompt out; System has it.
func (m *Model) Told() string {
	requests := m.Requests()
	if len(requests) == 0 {
		return ""
	}
	var b strings.Builder
	for _, message := range requests[len(requests)-1].Messages {
		switch message.Role {
		case "system", "developer", "assistant":
		default:
			fmt.Fprintf(&b, "[%s] %s\n", message.Role, message.Text)
		}
	}
	return b.String()
}

// System is the system prompt of the latest request.
func (m *Model) System() string {
	requests := m.Requests()
	if len(requests) == 0 {
		return ""
	}
	for _, message := range requests[len(requests)-1].Messages {
		if message.Role == "system" || message.Role == "developer" {
			return message.Text
		}
	}
	return ""
}

func (m *Model) serveCompletion(w http.ResponseWriter, r *http.Request) {
	request, err := readRequest(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	turn, number := m.take(request)
	w.Header().Set("Content-Type", "text/event-stream")
	// An error means that pi went away in mid-answer: no one is left to tell.
	_ = stream(w, turn, number)
}

// take records request and returns the turn that answers it, and its number.
func (m *Model) take(request Request) (Turn, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	turn := Turn{Text: "The script has ended."}
	if m.next < len(m.turns) {
		turn = m.turns[m.next]
		m.next++
	}
	request.Final = len(turn.Calls) == 0
	m.requests = append(m.requests, request)
	close(m.changed)
	m.changed = make(chan struct{})
	return turn, len(m.requests)
}

// stream writes turn as the chunks of OpenAI's streaming chat completions.
func stream(w http.ResponseWriter, turn Turn, number int) error {
	send := func(choice map[string]any) error {
		chunk := map[string]any{
			"id": "scripted", "object": "chat.completion.chunk", "created": 0, "model": Provider,
			"choices": []any{choice},
		}
		if choice["finish_reason"] != nil {
			chunk["usage"] = map[string]int{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
		}
		data, err := json.Marshal(chunk)
		if err != nil {
			return fmt.Errorf("streaming a turn: %w", err)
		}
		_, err = fmt.Fprintf(w, "data: %s\n\n", data)
		return err
	}
	delta := map[string]any{"role": "assistant", "content": turn.Text}
	if len(turn.Calls) > 0 {
		delta["tool_calls"] = toolCalls(number, turn.Calls)
	}
	finish := "stop"
	if len(turn.Calls) > 0 {
		finish = "tool_calls"
	}
	if err := send(map[string]any{"index": 0, "delta": delta, "finish_reason": nil}); err != nil {
		return err
	}
	if err := send(map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish}); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, "data: [DONE]\n\n")
	return err
}

// toolCalls are the calls of the turn with the given number, with ids that no
// other turn uses.
func toolCalls(number int, calls []Call) []any {
	var list []any
	for i, call := range calls {
		list = append(list, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", number, i+1), "type": "function",
			"function": map[string]string{"name": call.Name, "arguments": call.Arguments},
		})
	}
	return list
}
