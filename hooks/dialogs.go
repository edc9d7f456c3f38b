package hooks

import (
	"context"
	"time"

	"github.com/pi-guard/pi-guard/rpc"
)

// dialogs shows one dialog at a time: pi has no place for two, and an answer to
// the first may answer the second (P11). The zero value is not ready; use
// newDialogs.
type dialogs struct {
	host    Host
	turn    chan struct{} // holds a token while no dialog is shown
	timeout time.Duration
}

func newDialogs(host Host, timeout time.Duration) *dialogs {
	d := &dialogs{host: host, turn: make(chan struct{}, 1), timeout: timeout}
	d.turn <- struct{}{}
	return d
}

// take waits for the caller's turn and returns what gives it back.
func (d *dialogs) take(ctx context.Context) (release func(), err error) {
	select {
	case <-d.turn:
		return func() { d.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// outcome is how a dialog ended.
type outcome uint8

const (
	answered  outcome = iota
	dismissed         // closed without an answer, or pi has nobody to show it to
	timedOut
)

// choose asks the person to choose one of labels; the caller has the turn. The
// error is that of a context that ended or of pi gone.
func (d *dialogs) choose(ctx context.Context, title string, labels []string) (index int, o outcome, err error) {
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout+grace, errLate)
	defer cancel()
	c, err := d.host.Select(ctx, rpc.Select{Title: title, Options: labels, TimeoutMs: int(d.timeout.Milliseconds())})
	if o, err := d.ended(ctx, start, c, err); err != nil || o != answered {
		return -1, o, err
	}
	for i, label := range labels {
		if label == c.Value {
			return i, answered, nil
		}
	}
	return -1, dismissed, nil // no answer of ours
}

// input asks the person for a line of text; the caller has the turn.
func (d *dialogs) input(ctx context.Context, title, placeholder string) (text string, o outcome, err error) {
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, d.timeout+grace, errLate)
	defer cancel()
	c, err := d.host.Input(ctx, rpc.Prompt{Title: title, Placeholder: placeholder, TimeoutMs: int(d.timeout.Milliseconds())})
	o, err = d.ended(ctx, start, c, err)
	return c.Value, o, err
}

// grace is what pi gets to close a dialog by itself: its own clock counts in
// whole seconds.
const grace = 2 * time.Second

type lateError struct{}

func (lateError) Error() string { return "the dialog outlived its time" }

var errLate error = lateError{}

// ended tells how a dialog ended. pi says no more than that there was no
// answer; that it took as long as the time-out tells the rest.
func (d *dialogs) ended(ctx context.Context, start time.Time, c rpc.Chosen, err error) (outcome, error) {
	switch {
	case err != nil && context.Cause(ctx) == errLate:
		return timedOut, nil
	case err != nil:
		return dismissed, err
	case c.Answered:
		return answered, nil
	case time.Since(start) >= d.timeout-50*time.Millisecond:
		return timedOut, nil
	}
	return dismissed, nil
}
