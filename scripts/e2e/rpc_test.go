package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pi-guard/pi-guard/cmd/pi-guard/scripted"
	"github.com/rogpeppe/go-internal/testscript"
)

// rpcSeat is a person at pi's RPC mode.
type rpcSeat struct {
	person  *scripted.Person
	settled string // the event after which pi does nothing by itself

	mu       sync.Mutex
	since    int // the first event after the last say
	answered map[string]bool
	failed   error // what pi answered to a say
}

func sitAtRPC(ctx context.Context, s *scene, ts *testscript.TestScript, args []string) (seat, error) {
	person, err := scripted.Sit(s.command(ts, append([]string{"--mode", "rpc"}, args...)...))
	if err != nil {
		return nil, err
	}
	r := &rpcSeat{person: person, settled: "agent_settled", answered: map[string]bool{}}
	if strings.HasPrefix(s.version, "0.") {
		r.settled = "agent_end"
	}
	_, err = person.Command(ctx, "get_state", nil)
	return r, err
}

func (r *rpcSeat) say(ctx context.Context, text string) error {
	r.mu.Lock()
	r.since = len(r.person.Events())
	r.mu.Unlock()
	// pi answers only after the command of an extension is done, and that may
	// wait for a dialog; so nothing here waits for the answer.
	go func() {
		_, err := r.person.Command(context.WithoutCancel(ctx), "prompt", map[string]any{"message": text, "streamingBehavior": "steer"})
		if err != nil && !errors.Is(err, scripted.ErrEnded) {
			r.mu.Lock()
			r.failed = errors.Join(r.failed, err)
			r.mu.Unlock()
		}
	}()
	return nil
}

func (r *rpcSeat) seen() string {
	r.mu.Lock()
	since := r.since
	r.mu.Unlock()
	var b strings.Builder
	for _, event := range r.person.Events()[since:] {
		b.WriteString(render(event))
	}
	b.WriteString(r.person.Stderr())
	return unmarked(b.String())
}

// render is an event as a person would see it, "" for one that is not shown.
func render(e scripted.Event) string {
	switch {
	case e.Type == "extension_error":
		return fmt.Sprintf("[error] %s\n", e.Raw)
	case e.Type == "response" && !e.Success:
		return fmt.Sprintf("[error] %s\n", e.Error)
	case e.Type != "extension_ui_request":
		return ""
	}
	switch e.Method {
	case "select":
		return fmt.Sprintf("[select] %s\n- %s\n", e.Title, strings.Join(e.Options, "\n- "))
	case "confirm":
		return fmt.Sprintf("[confirm] %s\n%s\n", e.Title, e.MessageText())
	case "input", "editor":
		return fmt.Sprintf("[%s] %s\n%s%s\n", e.Method, e.Title, e.Placeholder, e.Prefill)
	case "notify":
		return fmt.Sprintf("[%s] %s\n", e.NotifyType, e.MessageText())
	case "setStatus":
		return fmt.Sprintf("[status] %s\n", e.StatusText)
	case "setWidget":
		return fmt.Sprintf("[widget] %s\n", strings.Join(e.WidgetLines, "\n"))
	}
	return ""
}

// dialog waits for the first dialog since the last say that has no answer. One
// from before is closed: pi does not say so.
func (r *rpcSeat) dialog(ctx context.Context) (scripted.Event, error) {
	r.mu.Lock()
	since := r.since
	r.mu.Unlock()
	dialog, _, err := r.person.Await(ctx, since, func(e scripted.Event) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return e.Dialog() && !r.answered[e.ID]
	})
	if err != nil {
		return dialog, fmt.Errorf("no dialog is open: %w", err)
	}
	return dialog, nil
}

func (r *rpcSeat) answer(dialog scripted.Event, answer any) error {
	r.mu.Lock()
	r.answered[dialog.ID] = true
	r.mu.Unlock()
	return r.person.Answer(dialog, answer)
}

func (r *rpcSeat) choose(ctx context.Context, option string) error {
	dialog, err := r.dialog(ctx)
	if err != nil {
		return err
	}
	if dialog.Method == "confirm" {
		return r.answer(dialog, strings.EqualFold(option, "yes"))
	}
	i := find(dialog.Options, option)
	if i < 0 {
		return fmt.Errorf("the dialog %q has no option %q but %q", dialog.Title, option, dialog.Options)
	}
	return r.answer(dialog, dialog.Options[i])
}

// find is the index of an option: the one with exactly that text, else the
// first that contains it, else -1.
func find(options []string, text string) int {
	if i := slices.Index(options, text); i >= 0 {
		return i
	}
	return slices.IndexFunc(options, func(o string) bool { return strings.Contains(o, text) })
}

func (r *rpcSeat) enter(ctx context.Context, text string) error {
	dialog, err := r.dialog(ctx)
	if err != nil {
		return err
	}
	return r.answer(dialog, text)
}

func (r *rpcSeat) dismiss(ctx context.Context) error {
	dialog, err := r.dialog(ctx)
	if err != nil {
		return err
	}
	return r.answer(dialog, nil)
}

func (r *rpcSeat) abort(ctx context.Context) error {
	_, err := r.person.Command(ctx, "abort", nil)
	return err
}

func (r *rpcSeat) settle(ctx context.Context) error {
	r.mu.Lock()
	since := r.since
	r.mu.Unlock()
	_, _, err := r.person.Await(ctx, since, func(e scripted.Event) bool { return e.Type == r.settled })
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = errors.Join(err, r.failed); err != nil {
		return fmt.Errorf("the run did not end: %w", err)
	}
	return nil
}

func (r *rpcSeat) leave(ctx context.Context) error {
	select {
	case <-r.person.Exited(): // killed by the scenario
		return nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, patience/2)
	defer cancel()
	return r.person.Leave(ctx)
}

func (r *rpcSeat) pid() int { return r.person.PID() }
