package rpc

import (
	"context"
	"encoding/json"
	"reflect"
)

// Guard is what pi speaks to. Every method may be called while another one
// runs; a context ends when pi cancels the request or goes away.
type Guard interface {
	Initialize(context.Context, Initialize) (Initialized, error)
	SessionStart(context.Context, SessionStart) (SessionStarted, error)
	SessionShutdown(context.Context, SessionShutdown) (Empty, error)
	BeforeAgentStart(context.Context, BeforeAgentStart) (AgentStart, error)
	ToolCall(context.Context, ToolCall) (ToolVerdict, error)
	ToolResult(context.Context, ToolResult) (ToolPatch, error)
	UserBash(context.Context, UserBash) (UserBashAnswer, error)
	Input(context.Context, Input) (InputAnswer, error)
	TurnStart(context.Context, Turn) (Empty, error)
	MessageEnd(context.Context, MessageEnd) (MessageFooter, error)
	TurnEnd(context.Context, Turn) (Empty, error)
	AgentEnd(context.Context, Settle) (Empty, error)
	BeforeSettle(context.Context, Settle) (SettleAnswer, error)
	Command(context.Context, Command) (Empty, error)
	Complete(context.Context, Complete) (Completions, error)
	CallTool(context.Context, CallTool) (ToolOutput, error)
}

// Method is one request of the protocol.
type Method struct {
	Name string
	// Params and Result are the types that its messages carry.
	Params, Result reflect.Type

	call func(context.Context, Guard, json.RawMessage) (any, error)
}

// GuardMethods are the requests that pi makes, in the order of a session.
func GuardMethods() []Method {
	return []Method{
		guard("initialize", Guard.Initialize),
		guard("hook/sessionStart", Guard.SessionStart),
		guard("hook/sessionShutdown", Guard.SessionShutdown),
		guard("hook/beforeAgentStart", Guard.BeforeAgentStart),
		guard("hook/toolCall", Guard.ToolCall),
		guard("hook/toolResult", Guard.ToolResult),
		guard("hook/userBash", Guard.UserBash),
		guard("hook/input", Guard.Input),
		guard("hook/turnStart", Guard.TurnStart),
		guard("hook/messageEnd", Guard.MessageEnd),
		guard("hook/turnEnd", Guard.TurnEnd),
		guard("hook/agentEnd", Guard.AgentEnd),
		guard("hook/beforeSettle", Guard.BeforeSettle),
		guard("command/run", Guard.Command),
		guard("command/complete", Guard.Complete),
		guard("tool/call", Guard.CallTool),
		{Name: methodPing, Params: reflect.TypeFor[Empty](), Result: reflect.TypeFor[Empty]()},
	}
}

// HostMethods are the requests that the guard makes of pi.
func HostMethods() []Method {
	return []Method{
		host[Select, Chosen](methodSelect),
		host[Prompt, Chosen](methodInput),
		host[Notice, Empty](methodNotify),
		host[Status, Empty](methodStatus),
		host[ActiveTools, Empty](methodActiveTools),
		host[FollowUp, Empty](methodFollowUp),
	}
}

const (
	methodPing        = "ping"
	methodCancel      = "cancel"
	methodSelect      = "ui/select"
	methodInput       = "ui/input"
	methodNotify      = "ui/notify"
	methodStatus      = "ui/status"
	methodActiveTools = "tools/setActive"
	methodFollowUp    = "message/followUp"
)

func host[P, R any](name string) Method {
	return Method{Name: name, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R]()}
}

func guard[P, R any](name string, f func(Guard, context.Context, P) (R, error)) Method {
	return Method{
		Name: name, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R](),
		call: func(ctx context.Context, g Guard, raw json.RawMessage) (any, error) {
			var params P
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, &paramsError{err}
			}
			return f(g, ctx, params)
		},
	}
}

// paramsError is parameters that do not fit the method.
type paramsError struct{ err error }

func (e *paramsError) Error() string { return "invalid parameters: " + e.err.Error() }

func (e *paramsError) Unwrap() error { return e.err }
