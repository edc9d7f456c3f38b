// Package rpc is how pi and the guard speak: JSON-RPC 2.0, one message a line,
// both directions. The types in messages.go are the source; those of the shim
// are generated from them.
package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

//go:generate go run ./internal/typescript/gen ../cmd/pi-guard/extension/protocol.ts

// farewell is how long requests may still take when pi has gone.
const farewell = 2 * time.Second

// CodeCancelled is the error of a request that was cancelled.
const CodeCancelled = -32800

// Serve answers pi on rw until it closes or ctx ends. makeGuard is given what
// is needed to speak to pi. Serve returns when every request that was begun
// has ended, or has had the farewell to do so.
func Serve(ctx context.Context, rw io.ReadWriteCloser, makeGuard func(*Host) Guard) {
	serve(ctx, newLines(rw, MaxMessage), makeGuard)
}

func serve(ctx context.Context, stream *lines, makeGuard func(*Host) Guard) {
	here, gone := context.WithCancel(ctx)
	defer gone()
	host := &Host{here: here}
	s := &server{
		guard:   makeGuard(host),
		ready:   make(chan struct{}),
		methods: map[string]Method{},
		running: map[jsonrpc2.ID]context.CancelFunc{},
	}
	for _, m := range GuardMethods() {
		s.methods[m.Name] = m
	}
	// The connection is closed as soon as the stream has ended, so what was
	// asked before is answered first. Nobody is there to be asked any more.
	stream.ended = func() {
		gone()
		s.finish()
	}
	host.conn = jsonrpc2.NewConn(ctx, stream, s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	close(s.ready)
	<-host.conn.DisconnectNotify()
	gone()
	s.finish()
}

// finish waits for the requests that were begun, but no longer than farewell.
func (s *server) finish() {
	ended := make(chan struct{})
	go func() {
		s.busy.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(farewell):
	}
}

// server hands requests to the guard, each in its own goroutine.
type server struct {
	guard   Guard
	methods map[string]Method
	ready   chan struct{} // closed when the guard can speak to pi
	busy    sync.WaitGroup

	mu      sync.Mutex
	running map[jsonrpc2.ID]context.CancelFunc
}

// Handle is called for one message after the other, in order.
func (s *server) Handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	<-s.ready
	switch {
	case req.Method == methodCancel:
		s.cancel(req)
	case req.Notif: // no other notification means anything
	case req.Method == methodPing:
		_ = conn.Reply(ctx, req.ID, Empty{}) // fails only when pi is gone
	default:
		s.begin(ctx, conn, req)
	}
}

func (s *server) begin(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	m, ok := s.methods[req.Method]
	if !ok {
		reply(ctx, conn, req.ID, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "unknown method " + req.Method})
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	_, taken := s.running[req.ID]
	if !taken {
		s.running[req.ID] = cancel
	}
	s.mu.Unlock()
	if taken {
		cancel()
		reply(ctx, conn, req.ID, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the id is in use"})
		return
	}
	s.busy.Go(func() {
		result, err := s.run(ctx, m, req)
		s.mu.Lock()
		delete(s.running, req.ID)
		s.mu.Unlock()
		reply(ctx, conn, req.ID, result, err)
		cancel()
	})
}

// run calls the guard. A panic is an error of that one request.
func (s *server) run(ctx context.Context, m Method, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, fmt.Errorf("%s: %v\n%s", m.Name, p, debug.Stack())
		}
	}()
	params := json.RawMessage("null")
	if req.Params != nil {
		params = *req.Params
	}
	return m.call(ctx, s.guard, params)
}

func (s *server) cancel(req *jsonrpc2.Request) {
	if req.Params == nil {
		return
	}
	var c Cancel
	var id jsonrpc2.ID
	if json.Unmarshal(*req.Params, &c) != nil || json.Unmarshal(c.ID, &id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop, ok := s.running[id]; ok {
		stop()
	}
}

// reply sends an answer. It can fail only when pi is gone or the answer is too
// long; for the latter an error is sent in its place.
func reply(ctx context.Context, conn *jsonrpc2.Conn, id jsonrpc2.ID, result any, err error) {
	if err == nil {
		err = conn.Reply(ctx, id, result)
		if err == nil || errors.Is(err, jsonrpc2.ErrClosed) {
			return
		}
	}
	var known *jsonrpc2.Error
	var params *paramsError
	switch {
	case errors.As(err, &known):
	case errors.As(err, &params):
		known = &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	case errors.Is(err, context.Canceled):
		known = &jsonrpc2.Error{Code: CodeCancelled, Message: "cancelled"}
	default:
		known = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
	}
	_ = conn.ReplyWithError(ctx, id, known) // fails only when pi is gone
}
