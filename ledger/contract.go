package ledger

// GateMode says what the gate does about missing evidence (E7).
type GateMode string

// The modes of the gate. R's "advisory" is Warn.
const (
	GateOff     GateMode = "off"
	GateWarn    GateMode = "warn"
	GateEnforce GateMode = "enforce"
)

// Contract is what a project's profile asks of evidence (field of R, E6, E8).
// The ledger does not read profiles; the host hands it this.
type Contract struct {
	// Verify holds the exact commands by group. The group docsOnly is asked
	// for changes of documents alone; every other group for all changes.
	Verify map[string][]string
	// RequiredContext names the files every task's manifest must hold.
	RequiredContext []string
	// ProtectedPaths and MCPCapabilities are copied into task contracts.
	ProtectedPaths, MCPCapabilities []string
	// Generated holds patterns of files that a verifier may write without
	// making its own evidence stale (E14). "*" and "**" as in .gitignore.
	Generated []string
	// Budget bounds the context of a task (E10).
	Budget Budget
	// Gate is the mode of the final gate, and Require what it asks of a task.
	Gate    GateMode
	Require Requirements
	// Profile is the profile as it is shown by piagent_context.
	Profile any
}

// DocsOnly is the group of commands for changes of documents.
const DocsOnly = "docsOnly"

// Budget bounds context files (field of R, E10). Sizes are in characters.
type Budget struct {
	Mode                string `json:"mode"` // off, advisory, enforce
	MaxContextFileChars int    `json:"maxContextFileChars"`
	MaxMemoryFileChars  int    `json:"maxMemoryFileChars"`
	MaxManifestFiles    int    `json:"maxManifestFiles"`
	WarnFragmentChars   int    `json:"warnFragmentChars"`
}

// Requirements says what the gate asks of a task (R's finalGate).
type Requirements struct {
	TaskContract    bool `json:"requireTaskContract"`
	ContextManifest bool `json:"requireContextManifest"`
	VerifyEvidence  bool `json:"requireVerifyEvidence"`
	Trace           bool `json:"requireTrace"`
	PassingVerify   bool `json:"requirePassingVerify"`
}

// DefaultBudget is R's context budget.
func DefaultBudget() Budget {
	return Budget{Mode: "enforce", MaxContextFileChars: 50000, MaxMemoryFileChars: 20000, MaxManifestFiles: 80, WarnFragmentChars: 4000}
}

// DefaultRequirements is R's final gate: everything is asked of a task.
func DefaultRequirements() Requirements {
	return Requirements{true, true, true, true, true}
}

// Usage is what pi says of the session's context and tokens.
type Usage struct {
	ContextTokens int     `json:"contextTokens"`
	ContextWindow int     `json:"contextWindow"`
	InputTokens   int     `json:"inputTokens"`
	OutputTokens  int     `json:"outputTokens"`
	CacheRead     int     `json:"cacheReadTokens"`
	CacheWrite    int     `json:"cacheWriteTokens"`
	CostUSD       float64 `json:"costUsd"`
	Model         string  `json:"model,omitempty"`
}
