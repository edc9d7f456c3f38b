package rpc

import "encoding/json"

// Version is the version of the protocol. The two sides must have the same:
// the shim and the binary are installed together.
const Version = 1

// Initialize opens the conversation.
type Initialize struct {
	// Protocol is the version the shim speaks.
	Protocol int `json:"protocol"`
	// Host says which pi it is: "1.6.0", or "" where unknown.
	Host string `json:"host"`
	// HostDir is the directory of pi's package, "" where unknown. Its
	// documents may be read.
	HostDir string `json:"hostDir"`
}

// Initialized answers Initialize.
type Initialized struct {
	// Protocol is the version the guard speaks.
	Protocol int `json:"protocol"`
	// Version is the guard's own version.
	Version string `json:"version"`
	// Tools are the tools to register in pi.
	Tools []ToolSpec `json:"tools"`
}

// ToolSpec is a tool that the guard offers to the model.
type ToolSpec struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Description string `json:"description"`
	// Parameters is a JSON Schema.
	Parameters json.RawMessage `json:"parameters"`
}

// SessionStart is pi's session_start, and what a restarted guard is told.
type SessionStart struct {
	// Reason is pi's: "startup", "reload", "new", "resume", "fork"; or
	// "restart" for a guard that took the place of a dead one.
	Reason string `json:"reason"`
	// SessionID is pi's id of the session. It keys everything that is kept.
	SessionID string `json:"sessionId"`
	// PreviousSessionFile is the file of the session this one came from.
	PreviousSessionFile string `json:"previousSessionFile,omitempty"`
	// Cwd is the session's directory, absolute.
	Cwd string `json:"cwd"`
	// HasUI is true where a person can be asked.
	HasUI bool `json:"hasUI"`
	// UI is pi's mode: "tui", "rpc", "json", "print", or "" where pi does not say.
	UI string `json:"ui"`
	// Trusted is true where the person trusts the project's own files.
	Trusted bool `json:"trusted"`
	// Perm is the value of the --perm flag, "" when it was not given.
	Perm string `json:"perm"`
	// ActiveTools are the tools declared to the model.
	ActiveTools []string `json:"activeTools"`
}

// SessionStarted answers SessionStart.
type SessionStarted struct {
	// Notices are shown to the person.
	Notices []Notice `json:"notices"`
}

// Notice is a line for the person.
type Notice struct {
	// Level is "info", "warning" or "error".
	Level string `json:"level"`
	Text  string `json:"text"`
}

// SessionShutdown is pi's session_shutdown.
type SessionShutdown struct {
	// Reason is pi's: "quit", "reload", "new", "resume", "fork".
	Reason string `json:"reason"`
}

// BeforeAgentStart is pi's before_agent_start.
type BeforeAgentStart struct {
	// ActiveTools are the tools declared to the model.
	ActiveTools []string `json:"activeTools"`
}

// AgentStart answers BeforeAgentStart.
type AgentStart struct {
	// Section is the guard's part of the system prompt.
	Section string `json:"section"`
}

// MessageEnd is pi's message_end for a message of the agent without tool
// calls: what it says when it is done.
type MessageEnd struct {
	Text string `json:"text"`
}

// MessageFooter answers MessageEnd.
type MessageFooter struct {
	// Footer is added below the message; "" for nothing.
	Footer string `json:"footer"`
}

// ToolCall is pi's tool_call, before the tool runs.
type ToolCall struct {
	ToolCallID string `json:"toolCallId"`
	// ParentToolCallID is set when another tool makes the call.
	ParentToolCallID string          `json:"parentToolCallId,omitempty"`
	ToolName         string          `json:"toolName"`
	Input            json.RawMessage `json:"input"`
	// Cwd is the directory pi runs in, absolute.
	Cwd string `json:"cwd"`
}

// ToolVerdict answers ToolCall.
type ToolVerdict struct {
	// Block stops the call; Reason is what the model is told.
	Block  bool   `json:"block"`
	Reason string `json:"reason,omitempty"`
	// Terminate asks pi to end the run where it can.
	Terminate bool `json:"terminate,omitempty"`
	// Input, where it is set, takes the place of the call's input.
	Input json.RawMessage `json:"input,omitempty"`
	// Env, where it is set, are environment variables for whatever pi runs
	// from now on.
	Env map[string]string `json:"env,omitempty"`
}

// ToolResult is pi's tool_result, after the tool ran.
type ToolResult struct {
	ToolCallID       string          `json:"toolCallId"`
	ParentToolCallID string          `json:"parentToolCallId,omitempty"`
	ToolName         string          `json:"toolName"`
	Input            json.RawMessage `json:"input"`
	// Content is the list of text and image blocks for the model.
	Content json.RawMessage `json:"content"`
	// StructuredContent is what scripts see, where pi has it.
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	IsError           bool            `json:"isError"`
	Cwd               string          `json:"cwd"`
}

// ToolPatch answers ToolResult.
type ToolPatch struct {
	// Content takes the place of the result's content; without it the result
	// stays as it is.
	Content json.RawMessage `json:"content,omitempty"`
	// StructuredContent goes with Content; without it scripts see none.
	StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
	// Handoff is what the agent is to be told if it ends its work now; "" for
	// nothing. It is sent along because older versions of pi cannot wait for
	// an answer when the agent ends.
	Handoff string `json:"handoff,omitempty"`
}

// UserBash is pi's user_bash: a command that the person typed.
type UserBash struct {
	Command string `json:"command"`
	// Hidden is true for "!!": the model does not see it.
	Hidden bool   `json:"hidden"`
	Cwd    string `json:"cwd"`
}

// UserBashAnswer answers UserBash.
type UserBashAnswer struct {
	// Block stops the command; Reason is shown in the place of its output.
	Block  bool   `json:"block"`
	Reason string `json:"reason,omitempty"`
}

// Input is pi's input: what a person or a program typed, before anything is
// expanded in it.
type Input struct {
	Text string `json:"text"`
	// Source is "interactive", "rpc" or "extension".
	Source string `json:"source"`
}

// InputAnswer answers Input.
type InputAnswer struct {
	// Handled stops the input here.
	Handled bool `json:"handled"`
}

// Turn is pi's turn_start or turn_end.
type Turn struct {
	Index int `json:"index"`
	// ToolResults counts the tool results of the turn.
	ToolResults int `json:"toolResults"`
	// HandedOff is true when the Handoff of a ToolPatch was sent.
	HandedOff bool `json:"handedOff,omitempty"`
}

// Empty is an answer that says nothing.
type Empty struct{}

// Settle is pi's agent_end or agent_before_settle.
type Settle struct {
	// Outcome is "completed", "aborted" or "error", or "" where pi does not say.
	Outcome string `json:"outcome"`
}

// SettleAnswer answers Settle.
type SettleAnswer struct {
	// Continue makes the agent go on, with Message as what it is told. Only
	// agent_before_settle heeds it.
	Continue bool   `json:"continue"`
	Message  string `json:"message,omitempty"`
}

// Command is a slash command or a shortcut of the guard.
type Command struct {
	// Name has no slash.
	Name string `json:"name"`
	Args string `json:"args"`
	// ActiveTools are the tools declared to the model.
	ActiveTools []string `json:"activeTools"`
}

// Complete asks for the completions of a command's arguments.
type Complete struct {
	Name   string `json:"name"`
	Prefix string `json:"prefix"`
}

// Completions answers Complete.
type Completions struct {
	Items []Completion `json:"items"`
}

// Completion is one completion.
type Completion struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// CallTool runs one of the guard's own tools.
type CallTool struct {
	ToolCallID string          `json:"toolCallId"`
	Name       string          `json:"name"`
	Input      json.RawMessage `json:"input"`
	Cwd        string          `json:"cwd"`
}

// ToolOutput answers CallTool.
type ToolOutput struct {
	// Text is for the model.
	Text string `json:"text"`
	// Details are for programs and for drawing.
	Details json.RawMessage `json:"details,omitempty"`
	IsError bool            `json:"isError"`
}

// Cancel stops a request. It is a notification in both directions.
type Cancel struct {
	// ID is the id of the request: a number, or a string.
	ID json.RawMessage `json:"id"`
}

// Select asks the person to choose.
type Select struct {
	Title   string   `json:"title"`
	Options []string `json:"options"`
	// TimeoutMs is when pi closes the dialog, in milliseconds.
	TimeoutMs int `json:"timeoutMs"`
}

// Prompt asks the person for a line of text.
type Prompt struct {
	Title       string `json:"title"`
	Placeholder string `json:"placeholder,omitempty"`
	TimeoutMs   int    `json:"timeoutMs"`
}

// Chosen answers Select and Prompt.
type Chosen struct {
	// Answered is false when the dialog ended in any other way than by an answer.
	Answered bool   `json:"answered"`
	Value    string `json:"value"`
}

// Status sets the guard's text in pi's footer; "" clears it.
type Status struct {
	Text string `json:"text"`
}

// ActiveTools sets the tools declared to the model.
type ActiveTools struct {
	Names []string `json:"names"`
}

// FollowUp sends a message to the agent when its turn has ended.
type FollowUp struct {
	Text string `json:"text"`
}
