package profiles

// BasePolicy is R's base policy: the safe defaults below every project
// profile. The shipped one is data/base-policy.json; a person's own, beside
// permission-mode.json, replaces it key by key.
type BasePolicy struct {
	SchemaVersion  int      `json:"schemaVersion" doc:"1."`
	Name           string   `json:"name" doc:"The policy's name."`
	ProtectedPaths []string `json:"protectedPaths" doc:"Paths that no tool reads or writes, in every project."`
	// ShellProtectedPaths are for commands alone.
	ShellProtectedPaths         []string           `json:"shellProtectedPaths" doc:"Paths that no command touches, in every project."`
	BlockedCommandPatterns      []string           `json:"blockedCommandPatterns" doc:"Beginnings of commands that are refused."`
	RequireConfirmationPatterns []string           `json:"requireConfirmationPatterns" doc:"Beginnings of commands that are asked about."`
	DefaultRequiredContext      []string           `json:"defaultRequiredContext" doc:"Files that are read before work begins."`
	PermissionProfiles          PermissionDefaults `json:"permissionProfiles" doc:"The permission profiles of the installation."`
	ExecPolicy                  ExecPolicy         `json:"execPolicy" doc:"Further rules on commands."`
	ContextBudget               ContextBudget      `json:"contextBudget" doc:"Bounds on files read as context."`
	ToolRegistry                ToolRegistry       `json:"toolRegistry" doc:"Capabilities of tools."`
	ExternalActionPolicy        ExternalPolicy     `json:"externalActionPolicy" doc:"Tools that write to something outside."`
	FinalGate                   FinalGate          `json:"finalGate" doc:"What the gate before handoff demands."`
	OrchestrationPolicy         map[string]any     `json:"orchestrationPolicy" doc:"Free for other tools."`
}

// PermissionDefaults are the permission profiles of the installation (R).
type PermissionDefaults struct {
	DefaultMode  PermissionProfile   `json:"defaultMode" doc:"The profile where nothing names one."`
	AllowedModes []PermissionProfile `json:"allowedModes" doc:"The profiles that may be used."`
}

// ExecPolicy is R's further rules on commands.
type ExecPolicy struct {
	DefaultMode             Enforcement `json:"defaultMode" doc:"How strictly the rules are applied where the profile does not say."`
	BannedPrefixSuggestions []string    `json:"bannedPrefixSuggestions" doc:"Command beginnings that no grant may consist of."`
	Rules                   []ExecRule  `json:"rules" doc:"The rules."`
}

// ExecRule is one rule on commands (R).
type ExecRule struct {
	ID                    string     `json:"id" doc:"The rule's name."`
	Action                ExecAction `json:"action" doc:"allow, prompt or forbid."`
	Match                 ExecMatch  `json:"match" doc:"How value is matched against the command."`
	Value                 string     `json:"value" doc:"The text that is matched."`
	Reason                string     `json:"reason" doc:"Why, for a person."`
	IgnoreSearchArguments bool       `json:"ignoreSearchArguments" doc:"Whether arguments of search commands are left out."`
}

// ExecAction is R's name of an action.
type ExecAction string

func (ExecAction) choices() []string { return []string{"allow", "prompt", "forbid"} }

// ExecMatch is how an ExecRule is matched.
type ExecMatch string

func (ExecMatch) choices() []string { return []string{"prefix", "contains", "regex"} }

// ContextBudget bounds files read as context, in characters and files (R).
type ContextBudget struct {
	DefaultMode         Enforcement `json:"defaultMode" doc:"How strictly it is applied where the profile does not say."`
	MaxContextFileChars int         `json:"maxContextFileChars" doc:"The most characters of one file."`
	MaxMemoryFileChars  int         `json:"maxMemoryFileChars" doc:"The most characters of one memory file."`
	MaxManifestFiles    int         `json:"maxManifestFiles" doc:"The most files of a task's context."`
	WarnFragmentChars   int         `json:"warnFragmentChars" doc:"Characters from which a fragment is warned about."`
}

// ToolRegistry says what tools are able to do (R, layer 8).
type ToolRegistry struct {
	DefaultMode        Enforcement         `json:"defaultMode" doc:"How strictly it is applied where the profile does not say."`
	AlwaysAllowedTools []string            `json:"alwaysAllowedTools" doc:"Tools that need no capability, as patterns."`
	ToolCapabilities   map[string][]string `json:"toolCapabilities" doc:"The capabilities a tool needs, by name or pattern."`
}

// ExternalPolicy finds tools that write to something outside by their names (R).
type ExternalPolicy struct {
	DefaultMode Enforcement `json:"defaultMode" doc:"How strictly it is applied."`
	Providers   []string    `json:"providers" doc:"Words in a tool's name that stand for something outside."`
	WriteVerbs  []string    `json:"writeVerbs" doc:"Words in a tool's name that stand for a change."`
	SafeVerbs   []string    `json:"safeVerbs" doc:"Words in a tool's name that stand for a look."`
}

// FinalGate is what the gate before handoff demands (R).
type FinalGate struct {
	RequireTaskContract    bool `json:"requireTaskContract" doc:"A task contract."`
	RequireContextManifest bool `json:"requireContextManifest" doc:"A manifest of files read."`
	RequireVerifyEvidence  bool `json:"requireVerifyEvidence" doc:"Evidence of verification."`
	RequireTrace           bool `json:"requireTrace" doc:"A trace."`
	RequirePassingVerify   bool `json:"requirePassingVerify" doc:"Verification that passed."`
}
