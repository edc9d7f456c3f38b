package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pi-guard/pi-guard/rpc"
)

// Host is what the hooks ask of pi. *rpc.Host is one.
type Host interface {
	Select(context.Context, rpc.Select) (rpc.Chosen, error)
	Input(context.Context, rpc.Prompt) (rpc.Chosen, error)
	Notify(context.Context, rpc.Notice) error
	SetStatus(ctx context.Context, text string) error
	SetActiveTools(ctx context.Context, names []string) error
	FollowUp(ctx context.Context, text string) error
}

// Options is what a Session needs to know of the machine.
type Options struct {
	// Home is the person's home directory, absolute.
	Home string
	// DataDir is the guard's own directory, outside every project: keys,
	// session states, scratch directories.
	DataDir string
	// PromptTimeout is how long a prompt waits for an answer (H D005).
	PromptTimeout time.Duration
	// Version is the guard's version.
	Version string
}

// DefaultOptions are those of the current process. The data directory is
// PI_GUARD_DATA, else pi-guard below XDG_DATA_HOME or ~/.local/share.
func DefaultOptions() (Options, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Options{}, fmt.Errorf("find the home directory: %w", err)
	}
	dir := os.Getenv("PI_GUARD_DATA")
	if dir == "" {
		base := os.Getenv("XDG_DATA_HOME")
		if !filepath.IsAbs(base) {
			base = filepath.Join(home, ".local", "share")
		}
		dir = filepath.Join(base, "pi-guard")
	}
	if !filepath.IsAbs(dir) {
		return Options{}, fmt.Errorf("PI_GUARD_DATA is %q: write an absolute path", dir)
	}
	return Options{Home: home, DataDir: dir, PromptTimeout: 120 * time.Second}, nil
}

// Session is the guard of one pi process. It implements rpc.Guard; each event
// is in the file of its name.
type Session struct {
	host Host
	opts Options

	mu      sync.Mutex
	started rpc.SessionStart // zero before session_start
}

// NewSession makes a session that pi has not started yet.
func NewSession(host Host, opts Options) *Session {
	return &Session{host: host, opts: opts}
}

// errNotStarted is the answer to any event that comes before session_start.
var errNotStarted = errors.New("no session has been started")

// Initialize agrees on the protocol. Both versions are told, so that either
// side can say what does not fit.
func (s *Session) Initialize(_ context.Context, _ rpc.Initialize) (rpc.Initialized, error) {
	return rpc.Initialized{Protocol: rpc.Version, Version: s.opts.Version, Tools: []rpc.ToolSpec{}}, nil
}

// SessionStart is in session_start.go once there is something to start.
func (s *Session) SessionStart(_ context.Context, e rpc.SessionStart) (rpc.SessionStarted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = e
	return rpc.SessionStarted{Notices: []rpc.Notice{}}, nil
}

func (s *Session) SessionShutdown(context.Context, rpc.SessionShutdown) (rpc.Empty, error) {
	return rpc.Empty{}, nil
}

func (s *Session) BeforeAgentStart(context.Context, rpc.BeforeAgentStart) (rpc.AgentStart, error) {
	return rpc.AgentStart{}, nil
}

func (s *Session) ToolCall(ctx context.Context, e rpc.ToolCall) (rpc.ToolVerdict, error) {
	c, err := s.host.Select(ctx, rpc.Select{Title: "Allow " + e.ToolName + "?\n" + string(e.Input), Options: []string{"Allow once", "Deny"}, TimeoutMs: int(s.opts.PromptTimeout.Milliseconds())})
	if err != nil {
		return rpc.ToolVerdict{}, err
	}
	if c.Answered && c.Value == "Allow once" {
		return rpc.ToolVerdict{}, nil
	}
	return rpc.ToolVerdict{Block: true, Reason: "Blocked by pi-guard: nobody allowed it."}, nil
}

func (s *Session) ToolResult(context.Context, rpc.ToolResult) (rpc.ToolPatch, error) {
	return rpc.ToolPatch{}, nil
}

func (s *Session) UserBash(context.Context, rpc.UserBash) (rpc.UserBashAnswer, error) {
	return rpc.UserBashAnswer{}, nil
}

func (s *Session) Input(context.Context, rpc.Input) (rpc.InputAnswer, error) {
	return rpc.InputAnswer{}, nil
}

func (s *Session) TurnStart(context.Context, rpc.Turn) (rpc.Empty, error) { return rpc.Empty{}, nil }

func (s *Session) TurnEnd(context.Context, rpc.Turn) (rpc.Empty, error) { return rpc.Empty{}, nil }

func (s *Session) AgentEnd(context.Context, rpc.Settle) (rpc.Empty, error) { return rpc.Empty{}, nil }

func (s *Session) BeforeSettle(context.Context, rpc.Settle) (rpc.SettleAnswer, error) {
	return rpc.SettleAnswer{}, nil
}

func (s *Session) Command(context.Context, rpc.Command) (rpc.Empty, error) { return rpc.Empty{}, nil }

func (s *Session) Complete(context.Context, rpc.Complete) (rpc.Completions, error) {
	return rpc.Completions{Items: []rpc.Completion{}}, nil
}

func (s *Session) CallTool(context.Context, rpc.CallTool) (rpc.ToolOutput, error) {
	return rpc.ToolOutput{Text: "no such tool", IsError: true, Details: json.RawMessage("null")}, nil
}
