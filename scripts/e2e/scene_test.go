package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/pi-guard/pi-guard/cmd/pi-guard/scripted"
	"github.com/rogpeppe/go-internal/testscript"
)

// mode is how pi is started.
type mode string

const (
	printMode mode = "print"
	rpcMode   mode = "rpc"
	tuiMode   mode = "tui"
)

type sceneKey struct{}

// scene is one scenario under way.
type scene struct {
	t             testscript.T
	work          string
	home, project string
	docs          string // the repository's
	mode          mode
	tag           string
	pi, version   string
	args          []string // of every pi
	model         *scripted.Model
	seat          seat // nil unless pi is running
	// asked is how many requests the model had answered at the last say.
	asked int
}

// seat is the place of a person before a running pi.
type seat interface {
	// say sends a text.
	say(ctx context.Context, text string) error
	// seen is what the person has before the eyes: in the terminal the
	// screen, in RPC mode what came since the last say.
	seen() string
	// choose takes the option with that text in the open dialog.
	choose(ctx context.Context, option string) error
	// enter answers the open dialog with a text.
	enter(ctx context.Context, text string) error
	// dismiss dismisses the open dialog.
	dismiss(ctx context.Context) error
	// abort stops the run.
	abort(ctx context.Context) error
	// settle waits until the run that the last say began is over.
	settle(ctx context.Context) error
	// leave ends pi as a person does and waits until it is gone.
	leave(ctx context.Context) error
	// pid is the process id of pi.
	pid() int
}

func sceneOf(ts *testscript.TestScript) *scene { return ts.Value(sceneKey{}).(*scene) }

// startModel starts the model with the script in the file named model.
func (s *scene) startModel() error {
	if s.model != nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(s.work, "model"))
	if err != nil {
		return fmt.Errorf("a scenario needs a file named model: %w", err)
	}
	turns, err := scripted.ParseScript(string(text))
	if err != nil {
		return err
	}
	if s.model, err = scripted.StartModel(turns); err != nil {
		return err
	}
	return s.model.Configure(s.home)
}

// sit starts pi with the environment and in the directory of ts.
func (s *scene) sit(ts *testscript.TestScript, args []string) error {
	if s.seat != nil {
		return errors.New("pi is already running: leave first")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if s.mode == tuiMode {
		s.seat, err = sitAtTerminal(ctx, s, ts, args)
	} else {
		s.seat, err = sitAtRPC(ctx, s, ts, args)
	}
	return err
}

// command is a pi that has not been started.
func (s *scene) command(ts *testscript.TestScript, args ...string) *exec.Cmd {
	cmd := exec.Command(s.pi, append(append([]string(nil), s.args...), args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environment(ts)
	return cmd
}

// environment is that of ts. testscript has no way to list it, so the
// variables that a scenario may set are named here.
func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, key := range []string{
		"HOME", "PROJECT", "PATH", "TERM", "LANG", "TMPDIR", "WORK", tagVariable, "PI_OFFLINE",
		"PI_GUARD_BIN", "PI_GUARD_PROMPT_TIMEOUT", "PI_GUARD_DATA", "PIAGENT_PERMISSION_PROFILE", "PI_PERMISSION_MODE",
	} {
		if value := ts.Getenv(key); value != "" {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// see waits until what is seen matches.
func (s *scene) see(pattern *regexp.Regexp) error {
	if until(func() bool { return pattern.MatchString(s.seat.seen()) }) {
		return nil
	}
	return fmt.Errorf("the person never saw %s", pattern)
}

// told waits until text(model) matches. Without a pi nothing will be told.
func (s *scene) told(pattern *regexp.Regexp, text func() string) error {
	if s.seat == nil {
		if pattern.MatchString(text()) {
			return nil
		}
		return fmt.Errorf("the model was never told %s", pattern)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.model.Wait(ctx, func([]scripted.Request) bool { return pattern.MatchString(text()) }) != nil {
		return fmt.Errorf("the model was never told %s", pattern)
	}
	return nil
}

// signal sends a signal to the guard.
func (s *scene) signal(signal syscall.Signal) error {
	guards := named(tagged(s.tag), "pi-guard")
	if len(guards) == 0 {
		return errors.New("no guard process is running")
	}
	for _, g := range guards {
		if err := syscall.Kill(g.pid, signal); err != nil {
			return fmt.Errorf("signal %v to the guard: %w", signal, err)
		}
	}
	return nil
}

// leave ends pi and demands that nothing of it is left.
func (s *scene) leave() error {
	if s.seat == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.seat.leave(ctx)
	s.seat = nil
	return errors.Join(err, s.nothingLeft())
}

func (s *scene) nothingLeft() error {
	if until(func() bool { return len(tagged(s.tag)) == 0 }) {
		return nil
	}
	left := tagged(s.tag)
	text := describe(left)
	for _, p := range left {
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	return fmt.Errorf("processes were left behind:\n%s", text)
}

// close ends the scenario: tells what happened when it failed, and ends
// everything it started.
func (s *scene) close() {
	failed := s.t.(interface{ Failed() bool }).Failed()
	if failed && s.seat != nil {
		s.t.Log("== seen:\n" + s.seat.seen())
	}
	if failed && s.model != nil {
		s.t.Log("== told:\n" + s.model.Told())
	}
	err := s.leave()
	if err == nil {
		err = s.nothingLeft()
	}
	if s.model != nil {
		err = errors.Join(err, s.model.Close())
	}
	if err != nil {
		s.t.(interface{ Errorf(string, ...any) }).Errorf("at the end: %v", err)
	}
}
