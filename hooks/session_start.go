package hooks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// Initialize agrees on the protocol. Both versions are told, so that either
// side can say what does not fit.
func (s *Session) Initialize(_ context.Context, e rpc.Initialize) (rpc.Initialized, error) {
	s.mu.Lock()
	s.hostDir = e.HostDir
	s.mu.Unlock()
	return rpc.Initialized{Protocol: rpc.Version, Version: s.opts.Version, Tools: toolSpecs()}, nil
}

// SessionStart is pi's session_start. It is also how a guard that takes the
// place of a dead one comes to know the session; what the person had said is
// read from the disk.
func (s *Session) SessionStart(ctx context.Context, e rpc.SessionStart) (rpc.SessionStarted, error) {
	t := &sitting{
		start:  e,
		source: newPolicySource(s.sources(e)),
		file:   stateOf(s.opts.DataDir, e.SessionID),
		vars:   environment(),
		prefix: projectPrefix(e.Cwd),
		calls:  map[string]*judging{},

		refused: map[string]bool{},
		scratch: scratchOf(s.opts.DataDir, e.SessionID),
	}
	t.vars["TMPDIR"], t.vars["PI_SCRATCH_DIR"] = t.scratch, t.scratch
	notices := []rpc.Notice{}
	var err error
	if t.state, err = t.file.load(e.SessionID); err != nil {
		notices = append(notices, rpc.Notice{Level: "warning", Text: "pi-guard: " + err.Error() + ". What was granted and blocked in this session is forgotten; the file is kept beside it."})
		if err := t.file.setAside(); err != nil {
			notices = append(notices, rpc.Notice{Level: "error", Text: "pi-guard: " + err.Error()})
		}
	}
	kept, err := s.projectGrants(t)
	if err != nil {
		notices = append(notices, rpc.Notice{Level: "warning", Text: "pi-guard: " + err.Error() + ". What was granted for this project is asked about again."})
	}
	t.state.Grants = t.state.Grants.Clear(profiles.ScopeProject).Add(kept...)
	policy, _, diags := t.source.current(ctx)
	notices = append(notices, diagnosticNotices(diags)...)
	inherited := s.inherit(t)
	chosen, choiceNotices := chooseMode(t, policy)
	notices = append(notices, choiceNotices...)
	if e.Reason != "restart" && e.Reason != "reload" {
		t.state.Hidden = nil // pi begins with all its tools
	}
	if inherited || chosen {
		if err := t.file.save(t.state); err != nil {
			notices = append(notices, rpc.Notice{Level: "warning", Text: "pi-guard: " + err.Error()})
		}
	}
	t.evidence = s.newEvidence(t, policy)
	timeout, problem := promptTimeout(s.opts.PromptTimeout, policy)
	if problem != "" {
		notices = append(notices, rpc.Notice{Level: "warning", Text: "pi-guard: " + problem + "."})
	}
	t.dialogs = newDialogs(s.host, timeout)
	s.mu.Lock()
	s.now = t
	s.mu.Unlock()
	s.hideTools(ctx, t, s.stand(ctx, t), e.ActiveTools)
	s.busy.Go(func() { warm(policy) })
	s.busy.Go(func() { sweepScratch(s.opts.DataDir, t.scratch) })
	if status := policy.Permission(t.session()); status.Warning != "" {
		notices = append(notices, rpc.Notice{Level: "warning", Text: "pi-guard: " + status.Warning + "."})
	}
	return rpc.SessionStarted{Notices: notices}, nil
}

// warm reads the tables that the first call would otherwise wait for.
func warm(policy *profiles.Policy) {
	g := newGround(policy, policy.DefaultMode(), "", nil)
	policy.Judge(g.facts(Call{Tool: "bash", Input: json.RawMessage(`{"command":"true"}`)}, profiles.Session{}, true))
}

// newEvidence is what the session will write down.
func (s *Session) newEvidence(t *sitting, policy *profiles.Policy) *evidence {
	return &evidence{
		options: ledger.Options{
			Project: t.start.Cwd, DataDir: s.opts.DataDir, Session: t.start.SessionID, Version: s.opts.Version,
			Contract: contractOf(policy),
		},
		wrong: func(err error) {
			s.tell(context.Background(), "error", "pi-guard: "+err.Error()+".")
		},
	}
}

// sources are the places of the session's configuration.
func (s *Session) sources(e rpc.SessionStart) profiles.Sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	src := sourcesFor(e.Cwd, s.opts.Home, s.opts.DataDir, s.hostDir)
	src.ProfileTrusted = e.Trusted
	return src
}

// session is the part of what the person said that names settings.
func (t *sitting) session() profiles.Session {
	return profiles.Session{Mode: t.state.Mode, Approval: t.state.Approval, PermissionProfile: t.state.PermissionProfile}
}

// inherit takes over the modes of the session that this one was forked from.
// Grants stay where they were given (P5).
func (s *Session) inherit(t *sitting) bool {
	if t.start.Reason != "fork" || t.start.PreviousSessionFile == "" || t.state.Mode != "" {
		return false
	}
	id := sessionIDOf(t.start.PreviousSessionFile)
	if id == "" {
		return false
	}
	old, err := stateOf(s.opts.DataDir, id).load(id)
	if err != nil {
		return false
	}
	t.state.Mode, t.state.Approval, t.state.PermissionProfile = old.Mode, old.Approval, old.PermissionProfile
	t.state.Blocks = old.Blocks
	return true
}

// sessionIDOf reads the id from the first line of pi's session file, "" when
// there is none.
func sessionIDOf(path string) string {
	data, err := Files{}.ReadFile(path, 64<<10)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	header := gjson.Parse(line)
	if header.Get("type").Str != "session" {
		return ""
	}
	return header.Get("id").Str
}

// chooseMode sets the mode that --perm or PI_PERMISSION_MODE names for a pi
// that was just started, and the default mode for a session without one. A
// name that does not exist chooses the strictest mode.
func chooseMode(t *sitting, policy *profiles.Policy) (changed bool, notices []rpc.Notice) {
	name, from := t.start.Perm, "--perm"
	if name == "" {
		name, from = os.Getenv("PI_PERMISSION_MODE"), "PI_PERMISSION_MODE"
	}
	if name != "" && t.start.Reason == "startup" {
		mode, warning := policy.StartMode(name)
		if warning != "" {
			notices = append(notices, rpc.Notice{Level: "error", Text: "pi-guard: " + from + ": " + warning + "."})
		}
		t.state.Mode = mode
		return true, notices
	}
	if t.state.Mode == "" {
		t.state.Mode = policy.DefaultMode()
		return false, nil
	}
	if _, ok := policy.Mode(t.state.Mode); !ok {
		notices = append(notices, rpc.Notice{Level: "warning", Text: "pi-guard: the session's mode \"" + t.state.Mode + "\" no longer exists; calls are judged as in plan until another is chosen with /perm."})
	}
	return false, notices
}

// projectPrefix is the shellCommandPrefix of the project's settings. pi puts
// it before every bash command, so a line is judged with it; the person's own
// global one is the person's own.
func projectPrefix(cwd string) string {
	data, err := Files{}.ReadFile(filepath.Join(cwd, ".pi", "settings.json"), maxConfig)
	if err != nil {
		return ""
	}
	var settings struct {
		ShellCommandPrefix string `json:"shellCommandPrefix"`
	}
	if json.Unmarshal(data, &settings) != nil {
		return ""
	}
	return settings.ShellCommandPrefix
}

// diagnosticNotices are what the loader says, for the person.
func diagnosticNotices(diags []profiles.Diagnostic) []rpc.Notice {
	notices := []rpc.Notice{}
	for _, d := range diags {
		level := "warning"
		if d.Severity == profiles.Broken {
			level = "error"
		}
		notices = append(notices, rpc.Notice{Level: level, Text: "pi-guard: " + d.String()})
	}
	return notices
}
