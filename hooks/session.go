package hooks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/pi-guard/pi-guard/profiles"
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
	// PromptTimeout is how long a prompt waits for an answer where that is
	// shorter than the policy's time, written as time.ParseDuration reads it; ""
	// leaves it to the policy (H D005). It is PI_GUARD_PROMPT_TIMEOUT.
	PromptTimeout string
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
	return Options{Home: home, DataDir: dir}, nil
}

// Session is the guard of one pi process. It implements rpc.Guard; each event
// is in the file of its name.
type Session struct {
	host Host
	opts Options
	busy sync.WaitGroup // work that goes on after an answer

	mu      sync.Mutex
	hostDir string   // where pi itself lies, "" where not known
	now     *sitting // nil before session_start
}

// sitting is one pi session while this process guards it.
type sitting struct {
	start   rpc.SessionStart
	source  *policySource
	dialogs *dialogs
	file    stateFile
	vars    map[string]string
	prefix  string
	// scratch is the session's scratch directory, which need not exist yet.
	scratch string
	// evidence is what the session writes down.
	evidence *evidence

	// Below are guarded by Session.mu.
	state    state
	last     *judging            // the latest call that was judged
	handoffs int                 // how often the agent was sent back for evidence
	ground   *ground             // what calls are judged on now
	calls    map[string]*judging // allowed calls that have no result yet, by pi's id
	refused  map[string]bool     // keys of state.Denied that the model is told of when the turn ends

	turn        atomic.Int64 // pi's number of the turn
	toldScratch atomic.Bool  // the person knows that there is no scratch directory
}

// turnID names the turn in the audit log.
func (t *sitting) turnID() string { return strconv.FormatInt(t.turn.Load(), 10) }

// NewSession makes a session that pi has not started yet.
func NewSession(host Host, opts Options) *Session {
	return &Session{host: host, opts: opts}
}

// errNotStarted is the answer to any event that comes before session_start.
var errNotStarted = errors.New("no session has been started")

// sitting is the session in progress.
func (s *Session) sitting() (*sitting, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil, errNotStarted
	}
	return s.now, nil
}

// said is what the person has said in this session, for judging.
func (s *Session) said(t *sitting) (profiles.Session, profiles.Grants) {
	s.mu.Lock()
	defer s.mu.Unlock()
	denied := make(map[string]int, len(t.state.Denied))
	for k, n := range t.state.Denied {
		denied[k] = n
	}
	return profiles.Session{
		Mode:              t.state.Mode,
		Approval:          t.state.Approval,
		PermissionProfile: t.state.PermissionProfile,
		Blocks:            t.state.Blocks[:len(t.state.Blocks):len(t.state.Blocks)],
		Denied:            denied,
	}, t.state.Grants[:len(t.state.Grants):len(t.state.Grants)]
}

// change changes what the person has said and keeps it. What cannot be kept
// holds for this process all the same, and the error says so.
func (s *Session) change(t *sitting, f func(*state)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&t.state)
	return t.file.save(t.state)
}

// stand is the ground that calls are judged on: the policy as its files are
// now, in the mode that the session is in now. It tells the person when the
// policy has changed.
func (s *Session) stand(ctx context.Context, t *sitting) *ground {
	policy, changed, diags := t.source.current(ctx)
	s.mu.Lock()
	old := t.ground
	if old == nil || changed || old.mode != t.state.Mode {
		t.ground = newGround(policy, t.state.Mode, t.scratch, t.vars)
		t.ground.prefix = t.prefix
	}
	g := t.ground
	s.mu.Unlock()
	if old == nil || old.policy != g.policy {
		t.evidence.setContract(contractOf(g.policy))
	}
	if old != nil && old.policy != g.policy {
		s.tell(ctx, "info", "pi-guard: the configuration has changed and is in force.")
		for _, n := range diagnosticNotices(diags) {
			s.tell(ctx, n.Level, n.Text)
		}
	}
	if old == nil || old != g {
		s.showStatus(ctx, t, g)
	}
	return g
}

// tell shows a line to the person. pi being gone is no failure of the caller.
func (s *Session) tell(ctx context.Context, level, text string) {
	_ = s.host.Notify(ctx, rpc.Notice{Level: level, Text: text})
}
