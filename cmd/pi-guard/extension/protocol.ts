// Code generated from package rpc by go generate. DO NOT EDIT.

/** The version of the protocol. */
export const PROTOCOL = 1;

/** The longest message, in bytes. */
export const MAX_MESSAGE = 33554432;

/** Initialize opens the conversation. */
export interface Initialize {
  /** Protocol is the version the shim speaks. */
  protocol: number;
  /** Host says which pi it is: "1.6.0", or "" where unknown. */
  host: string;
  /** HostDir is the directory of pi's package, "" where unknown. Its
   * documents may be read. */
  hostDir: string;
}

/** Initialized answers Initialize. */
export interface Initialized {
  /** Protocol is the version the guard speaks. */
  protocol: number;
  /** Version is the guard's own version. */
  version: string;
  /** Tools are the tools to register in pi. */
  tools: ToolSpec[];
}

/** ToolSpec is a tool that the guard offers to the model. */
export interface ToolSpec {
  name: string;
  label: string;
  description: string;
  /** Parameters is a JSON Schema. */
  parameters: unknown;
}

/** SessionStart is pi's session_start, and what a restarted guard is told. */
export interface SessionStart {
  /** Reason is pi's: "startup", "reload", "new", "resume", "fork"; or
   * "restart" for a guard that took the place of a dead one. */
  reason: string;
  /** SessionID is pi's id of the session. It keys everything that is kept. */
  sessionId: string;
  /** PreviousSessionFile is the file of the session this one came from. */
  previousSessionFile?: string;
  /** Cwd is the session's directory, absolute. */
  cwd: string;
  /** HasUI is true where a person can be asked. */
  hasUI: boolean;
  /** UI is pi's mode: "tui", "rpc", "json", "print", or "" where pi does not say. */
  ui: string;
  /** Trusted is true where the person trusts the project's own files. */
  trusted: boolean;
  /** Perm is the value of the --perm flag, "" when it was not given. */
  perm: string;
  /** ActiveTools are the tools declared to the model. */
  activeTools: string[];
}

/** SessionStarted answers SessionStart. */
export interface SessionStarted {
  /** Notices are shown to the person. */
  notices: Notice[];
}

/** Notice is a line for the person. */
export interface Notice {
  /** Level is "info", "warning" or "error". */
  level: string;
  text: string;
}

/** SessionShutdown is pi's session_shutdown. */
export interface SessionShutdown {
  /** Reason is pi's: "quit", "reload", "new", "resume", "fork". */
  reason: string;
}

/** BeforeAgentStart is pi's before_agent_start. */
export interface BeforeAgentStart {
  /** ActiveTools are the tools declared to the model. */
  activeTools: string[];
}

/** AgentStart answers BeforeAgentStart. */
export interface AgentStart {
  /** Section is the guard's part of the system prompt. */
  section: string;
}

/** MessageEnd is pi's message_end for a message of the agent without tool
 * calls: what it says when it is done. */
export interface MessageEnd {
  text: string;
}

/** MessageFooter answers MessageEnd. */
export interface MessageFooter {
  /** Footer is added below the message; "" for nothing. */
  footer: string;
}

/** ToolCall is pi's tool_call, before the tool runs. */
export interface ToolCall {
  toolCallId: string;
  /** ParentToolCallID is set when another tool makes the call. */
  parentToolCallId?: string;
  toolName: string;
  input: unknown;
  /** Cwd is the directory pi runs in, absolute. */
  cwd: string;
}

/** ToolVerdict answers ToolCall. */
export interface ToolVerdict {
  /** Block stops the call; Reason is what the model is told. */
  block: boolean;
  reason?: string;
  /** Terminate asks pi to end the run where it can. */
  terminate?: boolean;
  /** Input, where it is set, takes the place of the call's input. */
  input?: unknown;
  /** Env, where it is set, are environment variables for whatever pi runs
   * from now on. */
  env?: Record<string, string>;
}

/** ToolResult is pi's tool_result, after the tool ran. */
export interface ToolResult {
  toolCallId: string;
  parentToolCallId?: string;
  toolName: string;
  input: unknown;
  /** Content is the list of text and image blocks for the model. */
  content: unknown;
  /** StructuredContent is what scripts see, where pi has it. */
  structuredContent?: unknown;
  isError: boolean;
  cwd: string;
}

/** ToolPatch answers ToolResult. */
export interface ToolPatch {
  /** Content takes the place of the result's content; without it the result
   * stays as it is. */
  content?: unknown;
  /** StructuredContent goes with Content; without it scripts see none. */
  structuredContent?: unknown;
  /** Handoff is what the agent is to be told if it ends its work now; "" for
   * nothing. It is sent along because older versions of pi cannot wait for
   * an answer when the agent ends. */
  handoff?: string;
}

/** UserBash is pi's user_bash: a command that the person typed. */
export interface UserBash {
  command: string;
  /** Hidden is true for "!!": the model does not see it. */
  hidden: boolean;
  cwd: string;
}

/** UserBashAnswer answers UserBash. */
export interface UserBashAnswer {
  /** Block stops the command; Reason is shown in the place of its output. */
  block: boolean;
  reason?: string;
}

/** Input is pi's input: what a person or a program typed, before anything is
 * expanded in it. */
export interface Input {
  text: string;
  /** Source is "interactive", "rpc" or "extension". */
  source: string;
}

/** InputAnswer answers Input. */
export interface InputAnswer {
  /** Handled stops the input here. */
  handled: boolean;
}

/** Turn is pi's turn_start or turn_end. */
export interface Turn {
  index: number;
  /** ToolResults counts the tool results of the turn. */
  toolResults: number;
  /** HandedOff is true when the Handoff of a ToolPatch was sent. */
  handedOff?: boolean;
}

/** Empty is an answer that says nothing. */
export type Empty = Record<string, never>;

/** Settle is pi's agent_end or agent_before_settle. */
export interface Settle {
  /** Outcome is "completed", "aborted" or "error", or "" where pi does not say. */
  outcome: string;
}

/** SettleAnswer answers Settle. */
export interface SettleAnswer {
  /** Continue makes the agent go on, with Message as what it is told. Only
   * agent_before_settle heeds it. */
  continue: boolean;
  message?: string;
}

/** Command is a slash command or a shortcut of the guard. */
export interface Command {
  /** Name has no slash. */
  name: string;
  args: string;
  /** ActiveTools are the tools declared to the model. */
  activeTools: string[];
}

/** Complete asks for the completions of a command's arguments. */
export interface Complete {
  name: string;
  prefix: string;
}

/** Completions answers Complete. */
export interface Completions {
  items: Completion[];
}

/** Completion is one completion. */
export interface Completion {
  value: string;
  label: string;
  description?: string;
}

/** CallTool runs one of the guard's own tools. */
export interface CallTool {
  toolCallId: string;
  name: string;
  input: unknown;
  cwd: string;
}

/** ToolOutput answers CallTool. */
export interface ToolOutput {
  /** Text is for the model. */
  text: string;
  /** Details are for programs and for drawing. */
  details?: unknown;
  isError: boolean;
}

/** Cancel stops a request. It is a notification in both directions. */
export interface Cancel {
  /** ID is the id of the request: a number, or a string. */
  id: unknown;
}

/** Select asks the person to choose. */
export interface Select {
  title: string;
  options: string[];
  /** TimeoutMs is when pi closes the dialog, in milliseconds. */
  timeoutMs: number;
}

/** Prompt asks the person for a line of text. */
export interface Prompt {
  title: string;
  placeholder?: string;
  timeoutMs: number;
}

/** Chosen answers Select and Prompt. */
export interface Chosen {
  /** Answered is false when the dialog ended in any other way than by an answer. */
  answered: boolean;
  value: string;
}

/** Status sets the guard's text in pi's footer; "" clears it. */
export interface Status {
  text: string;
}

/** ActiveTools sets the tools declared to the model. */
export interface ActiveTools {
  names: string[];
}

/** FollowUp sends a message to the agent when its turn has ended. */
export interface FollowUp {
  text: string;
}

/** SlashCommand is a command that pi offers to the person. */
export interface SlashCommand {
  name: string;
  description: string;
  /** Arguments is true when the guard can complete arguments. */
  arguments: boolean;
}

/** Shortcut is a key that does what a command does. */
export interface Shortcut {
  key: string;
  command: string;
  args: string;
  description: string;
}

/** The requests that pi makes of the guard. */
export interface GuardMethods {
  "initialize": { params: Initialize; result: Initialized };
  "hook/sessionStart": { params: SessionStart; result: SessionStarted };
  "hook/sessionShutdown": { params: SessionShutdown; result: Empty };
  "hook/beforeAgentStart": { params: BeforeAgentStart; result: AgentStart };
  "hook/toolCall": { params: ToolCall; result: ToolVerdict };
  "hook/toolResult": { params: ToolResult; result: ToolPatch };
  "hook/userBash": { params: UserBash; result: UserBashAnswer };
  "hook/input": { params: Input; result: InputAnswer };
  "hook/turnStart": { params: Turn; result: Empty };
  "hook/messageEnd": { params: MessageEnd; result: MessageFooter };
  "hook/turnEnd": { params: Turn; result: Empty };
  "hook/agentEnd": { params: Settle; result: Empty };
  "hook/beforeSettle": { params: Settle; result: SettleAnswer };
  "command/run": { params: Command; result: Empty };
  "command/complete": { params: Complete; result: Completions };
  "tool/call": { params: CallTool; result: ToolOutput };
  "ping": { params: Empty; result: Empty };
}

/** The requests that the guard makes of pi. */
export interface HostMethods {
  "ui/select": { params: Select; result: Chosen };
  "ui/input": { params: Prompt; result: Chosen };
  "ui/notify": { params: Notice; result: Empty };
  "ui/status": { params: Status; result: Empty };
  "tools/setActive": { params: ActiveTools; result: Empty };
  "message/followUp": { params: FollowUp; result: Empty };
}

export const COMMANDS: readonly SlashCommand[] = [
  {
    "name": "permission",
    "description": "Choose the permission profile, or the approval mode",
    "arguments": true
  },
  {
    "name": "permission-status",
    "description": "Show the permission profile, the mode and what they allow",
    "arguments": false
  },
  {
    "name": "read-only",
    "description": "Permission profile read-only: look, but change nothing",
    "arguments": false
  },
  {
    "name": "workspace-write",
    "description": "Permission profile workspace-write: work inside the project",
    "arguments": false
  },
  {
    "name": "full-access",
    "description": "Permission profile trusted-full-access",
    "arguments": false
  },
  {
    "name": "trusted-full-access",
    "description": "Permission profile trusted-full-access",
    "arguments": false
  },
  {
    "name": "perm",
    "description": "Choose the mode; list and clear approvals and blocks",
    "arguments": true
  }
];

export const SHORTCUTS: readonly Shortcut[] = [
  {
    "key": "alt+m",
    "command": "perm",
    "args": "next",
    "description": "Switch to the next permission mode"
  }
];
