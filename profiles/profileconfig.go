package profiles

import "regexp"

// Profile is the project's contract, .pi/piagent-profile.json (R, spec row
// E8). With Extends only the first three fields are required, and every other
// key that is present replaces the preset's whole.
type Profile struct {
	SchemaVersion int    `json:"schemaVersion" doc:"1."`
	ProjectID     string `json:"projectId" doc:"A short name: lower-case letters, digits and hyphens."`
	DisplayName   string `json:"displayName" doc:"The project's name for people."`
	Extends       string `json:"extends" doc:"The preset that fills in what is absent: generic, web-frontend, backend-api, be-readonly-fe, fullstack, node-typescript, python, data, devops, mobile or docs."`
	Mode          string `json:"mode" doc:"The kind of project: the name of a preset."`

	RootMarkers     []string            `json:"rootMarkers" doc:"Files or directories of which at least one is in the project's root."`
	RequiredContext []string            `json:"requiredContext" doc:"Files that are read before work begins."`
	VerifyCommands  map[string][]string `json:"verifyCommands" doc:"The commands that prove a change, by group; source and docsOnly are the usual groups."`

	PermissionProfile PermissionProfile `json:"permissionProfile" doc:"The ceiling over every mode."`
	AuthorityProfile  AuthorityProfile  `json:"authorityProfile" doc:"How much the agent decides on its own."`

	ProtectedPaths      []string `json:"protectedPaths" doc:"Paths that no tool reads or writes, and no command either where shellProtectedPaths is absent."`
	ShellProtectedPaths []string `json:"shellProtectedPaths" doc:"Paths that no command may touch; path tools may."`
	ReadOnlyPaths       []string `json:"readOnlyPaths" doc:"Paths that path tools may read; writing and commands are refused."`
	AdditionalReadRoots []string `json:"additionalReadRoots" doc:"Directories outside the project whose reading needs no permission of its own. Only taken from a trusted project's profile named by the person."`

	MCPCapabilities    []string          `json:"mcpCapabilities" doc:"The capabilities that other tools may use."`
	CapabilityPacks    []CapabilityPack  `json:"capabilityPacks" doc:"Named packs of capabilities."`
	CapabilitySources  []string          `json:"capabilitySources" doc:"Where packs come from; at most 16."`
	CapabilityPolicy   *CapabilityPolicy `json:"capabilityPolicy" doc:"Limits on what packs may do."`
	HardGates          map[string]bool   `json:"hardGates" doc:"true keeps a category of high-risk actions gated in every mode; a project cannot switch one off."`
	RuntimePolicy      RuntimePolicy     `json:"runtimePolicy" doc:"How strictly each policy is applied."`
	TaskModes          map[string]any    `json:"taskModes" doc:"Free for the project's own tools."`
	Memory             map[string]any    `json:"memory" doc:"Free for the project's own tools."`
	ContextIndex       map[string]any    `json:"contextIndex" doc:"Free for the project's own tools."`
	Orchestration      map[string]any    `json:"orchestration" doc:"Free for the project's own tools."`
	TechStack          map[string]any    `json:"techStack" doc:"Free for the project's own tools."`
	GeneratedPaths     []string          `json:"generatedPaths" doc:"Paths that commands write and that do not make evidence stale."`
	ExternalWriteTools []string          `json:"externalWriteTools" doc:"Further tools whose every call writes to something outside, as patterns."`
}

// projectID is what a project's id and a preset's name look like.
var projectID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// AuthorityProfile is how much the agent decides on its own (R).
type AuthorityProfile string

func (AuthorityProfile) choices() []string {
	return []string{"broad-default", "mechanical-only", "strict-high-risk"}
}

// CapabilityPack names a pack and its version (R).
type CapabilityPack struct {
	Name    string `json:"name" doc:"The pack's name."`
	Version string `json:"version" doc:"The pack's version."`
}

// CapabilityPolicy limits what capability packs may do (R).
type CapabilityPolicy struct {
	AllowedOwners          []string         `json:"allowedOwners" doc:"Owners whose packs may be used."`
	AllowedLifecycles      []Lifecycle      `json:"allowedLifecycles" doc:"Lifecycles that may be used."`
	AllowedFilesystemRead  []string         `json:"allowedFilesystemRead" doc:"Paths that packs may read; at most 128."`
	AllowedFilesystemWrite []string         `json:"allowedFilesystemWrite" doc:"Paths that packs may write; at most 128."`
	AllowedNetworkDomains  []string         `json:"allowedNetworkDomains" doc:"Hosts that packs may reach."`
	AllowedExternalActions []ExternalAction `json:"allowedExternalActions" doc:"External actions that packs may ask for."`
}

// Lifecycle is how mature a capability pack is (R).
type Lifecycle string

func (Lifecycle) choices() []string { return []string{"experimental", "stable", "deprecated"} }

// ExternalAction is a kind of action outside the project (R).
type ExternalAction string

func (ExternalAction) choices() []string {
	return []string{
		"git-push", "github-pull-request", "github-issue", "release", "publish", "deploy",
		"database-change", "external-provider-write",
	}
}

// RuntimePolicy is how strictly each policy is applied; "" is the default:
// enforce, enforce, advisory, enforce (R).
type RuntimePolicy struct {
	ExecPolicy    Enforcement `json:"execPolicy" doc:"Rules on commands. enforce when absent."`
	ContextBudget Enforcement `json:"contextBudget" doc:"Bounds on files read as context. enforce when absent."`
	ToolRegistry  Enforcement `json:"toolRegistry" doc:"Capabilities of other tools. advisory when absent."`
	FinalGate     Enforcement `json:"finalGate" doc:"The gate before handoff. enforce when absent."`
}

// Enforcement is how strictly a policy is applied (R).
type Enforcement string

// The degrees of enforcement.
const (
	Off      Enforcement = "off"
	Advisory Enforcement = "advisory"
	Enforce  Enforcement = "enforce"
)

func (Enforcement) choices() []string { return []string{"off", "advisory", "enforce"} }

// or is e, or the default where it is not set.
func (e Enforcement) or(def Enforcement) Enforcement {
	if e == "" {
		return def
	}
	return e
}
