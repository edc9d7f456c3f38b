package profiles

// ErrorCode is a stable code of a refused or failed call (H, spec row H12).
type ErrorCode string

// The codes.
const (
	CodeDenied          ErrorCode = "TOOL_DENIED"
	CodeFailed          ErrorCode = "TOOL_FAILED"
	CodeInvalidArgument ErrorCode = "INVALID_ARGUMENT"
	CodeShellNotFound   ErrorCode = "SHELL_NOT_FOUND"
	CodeShellChanged    ErrorCode = "COMMAND_SHELL_CHANGED"
	CodeShellInvalid    ErrorCode = "COMMAND_SHELL_INVALID"
	CodePluginInPlan    ErrorCode = "PLUGIN_DISABLED_IN_PLAN"
)
