package rpc

import (
	"context"
	"encoding/json"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"
)

// Host is pi, as the guard sees it. It may be used once the first request has
// arrived.
type Host struct {
	conn *jsonrpc2.Conn
	here context.Context // ends when pi is gone
	last atomic.Uint64   // the last request's id
}

// Select asks the person to choose one of the options. When ctx ends first,
// pi is told to close the dialog.
func (h *Host) Select(ctx context.Context, s Select) (Chosen, error) {
	var c Chosen
	err := h.call(ctx, methodSelect, s, &c)
	return c, err
}

// Input asks the person for a line of text, like Select.
func (h *Host) Input(ctx context.Context, p Prompt) (Chosen, error) {
	var c Chosen
	err := h.call(ctx, methodInput, p, &c)
	return c, err
}

// Notify shows a line to the person.
func (h *Host) Notify(ctx context.Context, n Notice) error {
	return h.call(ctx, methodNotify, n, nil)
}

// SetStatus sets the guard's text in pi's footer.
func (h *Host) SetStatus(ctx context.Context, text string) error {
	return h.call(ctx, methodStatus, Status{text}, nil)
}

// SetActiveTools sets the tools declared to the model.
func (h *Host) SetActiveTools(ctx context.Context, names []string) error {
	return h.call(ctx, methodActiveTools, ActiveTools{names}, nil)
}

// FollowUp sends a message to the agent when its turn has ended.
func (h *Host) FollowUp(ctx context.Context, text string) error {
	return h.call(ctx, methodFollowUp, FollowUp{text}, nil)
}

func (h *Host) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.here, cancel)()
	id := jsonrpc2.ID{Num: h.last.Add(1)}
	wait, err := h.conn.DispatchCall(ctx, method, params, jsonrpc2.PickID(id))
	if err != nil {
		return err
	}
	err = wait.Wait(ctx, result)
	if ctx.Err() != nil {
		raw, _ := json.Marshal(id) // a number always encodes
		_ = h.conn.Notify(context.WithoutCancel(ctx), methodCancel, Cancel{ID: raw})
	}
	return err
}
