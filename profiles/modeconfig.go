package profiles

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// ModeFile is permission-mode.json: the modes, in P's format (spec row P3).
// The global file has full authority; the project's may only tighten.
type ModeFile struct {
	// DefaultMode is the mode of a session that names none.
	DefaultMode *string `json:"defaultMode" doc:"The mode of a session that names none."`
	// CycleOrder is the order in which alt+m goes through the modes.
	CycleOrder *[]string `json:"cycleOrder" doc:"The order in which alt+m goes through the modes."`
	// Modes are the modes by name; one of a shipped name retunes it.
	Modes map[string]*ModeConfig `json:"modes" doc:"The modes by name; one of a shipped name retunes it."`
	// Host is how the guard itself behaves.
	Host *HostConfig `json:"host" doc:"How the guard itself behaves. Global file only."`
	// AcknowledgeDefaults silences the report on copied defaults that have
	// become looser than the shipped ones (P12).
	AcknowledgeDefaults *[]string `json:"acknowledgeDefaults" doc:"Rules that are looser than the shipped ones on purpose, each as MODE.SURFACE.PATTERN."`
	// PlanApproval is read for compatibility: the plan's own approval.
	PlanApproval *PlanApprovalConfig `json:"planApproval" doc:"What an approved plan switches to. Global file only."`
}

// PlanApprovalConfig is what follows an approved plan.
type PlanApprovalConfig struct {
	ApproveMode    string `json:"approveMode" doc:"The mode that an approved plan is carried out in."`
	ApproveMessage string `json:"approveMessage" doc:"The message sent to the model; {path} is the plan's file."`
}

// HostConfig is how the guard behaves around calls (spec rows B14, B17, D005).
type HostConfig struct {
	BashTimeoutSeconds    *int      `json:"bashTimeoutSeconds" doc:"Seconds that a bash call may take when it names no timeout. 60 when absent."`
	BashTimeoutMaxSeconds *int      `json:"bashTimeoutMaxSeconds" doc:"The most seconds that a bash call may ask for. 300 when absent."`
	PromptTimeoutSeconds  *int      `json:"promptTimeoutSeconds" doc:"Seconds that a prompt waits before it counts as denied. 120 when absent."`
	UserBash              *UserBash `json:"userBash" doc:"Whether commands that the person types with ! are judged. allow when absent."`
}

// UserBash says what happens to commands the person types (B17).
type UserBash string

func (UserBash) choices() []string { return []string{"allow", "judge"} }

// ModeConfig is one mode as written. What is absent keeps the shipped value of
// a mode of that name, or the value of a plain mode.
type ModeConfig struct {
	Label                *string           `json:"label" doc:"What the status line shows."`
	Color                *Color            `json:"color" doc:"The colour of the label."`
	SystemPrompt         *string           `json:"systemPrompt" doc:"Text added to the system prompt while the mode is active; @plan is the shipped text on planning."`
	InjectSandboxInfo    *bool             `json:"injectSandboxInfo" doc:"Whether the model is told the effective policy. true when absent."`
	Operating            *Operating        `json:"operating" doc:"agent works; plan and goal only inspect and submit a document."`
	Approval             *Approval         `json:"approval" doc:"How what is left to ask is answered without a prompt."`
	HardGates            *bool             `json:"hardGates" doc:"false lets high-risk actions follow the rules alone. Global file only."`
	BypassProtectedPaths *bool             `json:"bypassProtectedPaths" doc:"true lets write and edit reach protected paths and drops the default rules on secrets. Global file only."`
	Sandbox              *SandboxConfig    `json:"sandbox" doc:"How bash is contained."`
	Permission           *PermissionConfig `json:"permission" doc:"The rules by surface."`
	HideTools            *[]string         `json:"hideTools" doc:"Tools that the model does not see in this mode."`
}

// SandboxConfig is a mode's containment of bash (P).
type SandboxConfig struct {
	Enabled          *bool          `json:"enabled" doc:"Whether bash runs contained."`
	Writable         *bool          `json:"writable" doc:"false makes everything read-only."`
	AllowWrite       *[]string      `json:"allowWrite" doc:"Directories that may be written."`
	DenyWrite        *[]string      `json:"denyWrite" doc:"Paths that may not be written though they lie in one that may."`
	DenyRead         *[]string      `json:"denyRead" doc:"Paths that may not be read."`
	InsideRoots      *[]string      `json:"insideRoots" doc:"Directories outside the project that bash may read without it being an escape."`
	Network          *NetworkConfig `json:"network" doc:"Which hosts may be reached."`
	AskOnBlockedHost *bool          `json:"askOnBlockedHost" doc:"Whether a host off the list is asked about."`
}

// NetworkConfig is the list of hosts of a sandbox.
type NetworkConfig struct {
	AllowedDomains *[]string `json:"allowedDomains" doc:"Hosts that may be reached; *.example.org is every host below it."`
	DeniedDomains  *[]string `json:"deniedDomains" doc:"Hosts that may not be reached."`
}

// Color is a colour of pi's theme.
type Color string

func (Color) choices() []string { return []string{"muted", "mdLink", "accent", "error"} }

// Operating is what kind of work a mode is for (H section 10).
type Operating string

// The operating modes.
const (
	OperatingAgent Operating = "agent"
	OperatingPlan  Operating = "plan"
	OperatingGoal  Operating = "goal"
)

func (Operating) choices() []string { return []string{"agent", "plan", "goal"} }

// Approval says who answers what is left to ask (H D115).
type Approval string

// The approval modes, from the most to the fewest prompts.
const (
	ApprovalAsk         Approval = "ask"
	ApprovalAcceptEdits Approval = "accept-edits"
	ApprovalAuto        Approval = "auto"
)

func (Approval) choices() []string { return []string{"ask", "accept-edits", "auto"} }

// ParseApproval is the approval mode of that name.
func ParseApproval(name string) (Approval, error) {
	for _, a := range Approval("").choices() {
		if a == name {
			return Approval(a), nil
		}
	}
	return "", fmt.Errorf("approval mode %q: write ask, accept-edits or auto", name)
}

// Surfaces are all surfaces, in the order of spec section 0.
func Surfaces() []Surface {
	return []Surface{
		SurfaceBash, SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs, SurfaceWrite, SurfaceEdit,
		SurfacePath, SurfaceExternal, SurfaceWebSearch, SurfaceTool, SurfaceSkill,
	}
}

// choices are the names of all surfaces.
func (Surface) choices() []string {
	var names []string
	for _, s := range Surfaces() {
		names = append(names, string(s))
	}
	return names
}

func (Action) choices() []string { return []string{"allow", "ask", "deny"} }

// PermissionConfig is the permission block of a mode, by surface.
type PermissionConfig map[Surface]*SurfaceConfig

// SurfaceConfig is the value of one surface: one action, or patterns in file
// order.
type SurfaceConfig struct {
	// Bare is true for a single action instead of a map.
	Bare    bool
	Entries []RuleConfig
}

// RuleConfig is one entry of a surface's map.
type RuleConfig struct {
	Pattern string
	Action  Action
	Reason  string
	File    string
	Line    int
}

// maxReason bounds a rule's reason, in characters (P2).
const maxReason = 500

// bareNumber is a key that JavaScript moves to the front of an object.
var bareNumber = regexp.MustCompile(`^(0|[1-9]\d{0,9})$`)

// decodeConfig reads an action or a map of patterns. What is not an action is
// reported and taken for deny, so that a mistake never loosens.
func (s *SurfaceConfig) decodeConfig(n node) {
	if _, ok := n.text(); ok {
		s.Bare = true
		s.Entries = []RuleConfig{{Pattern: "*", Action: n.action(), File: n.doc.file, Line: n.line()}}
		return
	}
	seen := map[string]bool{}
	ok := n.members(func(pattern string, at, value node) {
		if isComment(pattern) {
			return
		}
		at.checkPattern(pattern, seen)
		rule := RuleConfig{Pattern: pattern, File: n.doc.file, Line: at.line()}
		value.rule(&rule)
		s.Entries = append(s.Entries, rule)
	})
	if !ok {
		n.mismatch(`allow, ask or deny, or an object such as {"*": "ask", "git status*": "allow"}`)
		s.Bare = true
		s.Entries = []RuleConfig{{Pattern: "*", Action: Deny, File: n.doc.file, Line: n.line()}}
	}
}

// action reads an action; what is none is reported and is Deny.
func (n node) action() Action {
	text, _ := n.text()
	var a Action
	if err := a.UnmarshalText([]byte(text)); err == nil {
		return a
	}
	if text == "" {
		n.mismatch("allow, ask or deny")
	} else {
		n.unknownChoice(text, Action(0).choices())
	}
	return Deny
}

// rule reads the value of a pattern: an action, or one with a reason (P2).
func (n node) rule(r *RuleConfig) {
	if _, ok := n.value.Value.(*hujson.Object); !ok {
		r.Action = n.action()
		return
	}
	r.Action = Deny
	found := false
	n.members(func(name string, at, value node) {
		switch name {
		case "action":
			r.Action, found = value.action(), true
		case "reason":
			text, ok := value.text()
			if !ok {
				value.mismatch("a text between double quotes")
			}
			r.Reason = clip(strings.TrimSpace(text), maxReason)
		default:
			if !isComment(name) {
				at.unknownChoice(name, []string{"action", "reason"})
			}
		}
	})
	if !found {
		n.report(Broken, "the rule has no action", `Add "action": "allow", "ask" or "deny"`)
	}
}

// clip cuts text to at most n characters.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n])
}

// checkPattern reports keys that do not do what they look like (P1).
func (n node) checkPattern(pattern string, seen map[string]bool) {
	switch {
	case pattern == "":
		n.report(Warned, "an empty pattern matches nothing", `Write "*" for everything`)
	case bareNumber.MatchString(pattern):
		n.report(Warned, "JavaScript moves a bare number to the front of the map, so programs that rewrite this file change the order",
			fmt.Sprintf("Write %q", pattern+"*"))
	case seen[pattern]:
		n.report(Warned, fmt.Sprintf("the pattern %q stands here twice; the later one wins", pattern), "Remove one of them")
	case strings.HasPrefix(pattern, "./"):
		n.report(Warned, "paths are matched without a leading ./", fmt.Sprintf("Write %q", pattern[2:]))
	}
	seen[pattern] = true
}
