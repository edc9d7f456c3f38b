package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

type command = func(ts *testscript.TestScript, neg bool, args []string)

// commands are the commands of a scenario; doc.go describes them.
func commands() map[string]command {
	return map[string]command{
		"pi":      cmdPi,
		"say":     cmdSay,
		"see":     cmdSee,
		"choose":  atSeat(1, func(ctx context.Context, p seat, args []string) error { return p.choose(ctx, args[0]) }),
		"enter":   atSeat(1, func(ctx context.Context, p seat, args []string) error { return p.enter(ctx, args[0]) }),
		"dismiss": atSeat(0, func(ctx context.Context, p seat, _ []string) error { return p.dismiss(ctx) }),
		"abort":   atSeat(0, func(ctx context.Context, p seat, _ []string) error { return p.abort(ctx) }),
		"settle":  atSeat(0, func(ctx context.Context, p seat, _ []string) error { return p.settle(ctx) }),
		"press":   atSeat(-1, press),
		"rpc":     atSeat(-1, sendRPC),
		"capture": atSeat(1, capture),
		"told":    cmdTold(func(s *scene) func() string { return s.model.Told }),
		"system":  cmdTold(func(s *scene) func() string { return s.model.System }),
		"offered": cmdOffered,
		"leave":   func(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(sceneOf(ts).leave()) },
		"guard":   cmdGuard,
	}
}

func cmdPi(ts *testscript.TestScript, neg bool, args []string) {
	s := sceneOf(ts)
	if slices.Equal(args, []string{"kill"}) {
		ts.Check(syscall.Kill(s.seat.pid(), syscall.SIGKILL))
		return
	}
	ts.Check(s.startModel())
	if s.mode != printMode {
		ts.Check(s.sit(ts, args))
		return
	}
	err := ts.Exec(s.pi, append(append([]string{"-p"}, s.args...), args...)...)
	if err != nil && !neg {
		ts.Fatalf("pi: %v", err)
	}
	if err == nil && neg {
		ts.Fatalf("pi did not fail")
	}
}

func cmdSay(ts *testscript.TestScript, _ bool, args []string) {
	s := sceneOf(ts)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.asked = len(s.model.Requests())
	ts.Check(s.seat.say(ctx, strings.Join(args, " ")))
}

func cmdSee(ts *testscript.TestScript, neg bool, args []string) {
	s := sceneOf(ts)
	pattern := onePattern(ts, "see", args)
	if neg {
		if pattern.MatchString(s.seat.seen()) {
			ts.Fatalf("the person sees %s", pattern)
		}
		return
	}
	ts.Check(s.see(pattern))
}

func cmdTold(text func(*scene) func() string) command {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		s := sceneOf(ts)
		pattern := onePattern(ts, "told", args)
		if neg {
			if pattern.MatchString(text(s)()) {
				ts.Fatalf("the model was told %s", pattern)
			}
			return
		}
		ts.Check(s.told(pattern, text(s)))
	}
}

func cmdOffered(ts *testscript.TestScript, neg bool, args []string) {
	requests := sceneOf(ts).model.Requests()
	if len(requests) == 0 {
		ts.Fatalf("the model was not asked yet")
	}
	tools := requests[len(requests)-1].Tools
	for _, name := range args {
		if slices.Contains(tools, name) == neg {
			ts.Fatalf("the model was offered %s", strings.Join(tools, " "))
		}
	}
}

func cmdGuard(ts *testscript.TestScript, _ bool, args []string) {
	s := sceneOf(ts)
	if len(args) != 1 {
		ts.Fatalf("usage: guard kill|stop|continue|running|gone")
	}
	count := func(n int) func() bool {
		return func() bool { return len(named(tagged(s.tag), "pi-guard")) == n }
	}
	switch args[0] {
	case "kill":
		ts.Check(s.signal(syscall.SIGKILL))
	case "stop":
		ts.Check(s.signal(syscall.SIGSTOP))
	case "continue":
		ts.Check(s.signal(syscall.SIGCONT))
	case "running":
		if !until(count(1)) {
			ts.Fatalf("there is not one guard process but:\n%s", describe(tagged(s.tag)))
		}
	case "gone":
		if !until(count(0)) {
			ts.Fatalf("guard processes are left:\n%s", describe(tagged(s.tag)))
		}
	default:
		ts.Fatalf("guard %s: write kill, stop, continue, running or gone", args[0])
	}
}

// atSeat makes a command of something a person does; arguments says how many
// arguments it takes, -1 for any number.
func atSeat(arguments int, do func(context.Context, seat, []string) error) command {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		s := sceneOf(ts)
		switch {
		case neg:
			ts.Fatalf("this command cannot be negated")
		case arguments >= 0 && len(args) != arguments:
			ts.Fatalf("got %d arguments, want %d", len(args), arguments)
		case s.seat == nil:
			ts.Fatalf("pi is not running")
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		ts.Check(do(ctx, s.seat, args))
	}
}

func press(_ context.Context, p seat, keys []string) error {
	terminal, ok := p.(*terminalSeat)
	if !ok {
		return fmt.Errorf("press works in the terminal only")
	}
	return terminal.keys(keys...)
}

func sendRPC(ctx context.Context, p seat, args []string) error {
	rpc, ok := p.(*rpcSeat)
	if !ok || len(args) == 0 {
		return fmt.Errorf("usage, in RPC mode only: rpc COMMAND [JSON]")
	}
	var fields map[string]any
	if len(args) > 1 {
		if err := json.Unmarshal([]byte(args[1]), &fields); err != nil {
			return fmt.Errorf("rpc %s: %w", args[0], err)
		}
	}
	_, err := rpc.person.Command(ctx, args[0], fields)
	return err
}

func onePattern(ts *testscript.TestScript, name string, args []string) *regexp.Regexp {
	if len(args) != 1 {
		ts.Fatalf("usage: %s REGEXP", name)
	}
	pattern, err := regexp.Compile("(?s)" + args[0])
	ts.Check(err)
	return pattern
}
