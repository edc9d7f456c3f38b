package profiles

import (
	"encoding/json"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// Surface is what a rule is about (spec section 0).
type Surface string

// The surfaces.
const (
	SurfaceBash      Surface = "bash"
	SurfaceRead      Surface = "read"
	SurfaceGrep      Surface = "grep"
	SurfaceFind      Surface = "find"
	SurfaceLs        Surface = "ls"
	SurfaceWrite     Surface = "write"
	SurfaceEdit      Surface = "edit"
	SurfacePath      Surface = "path"
	SurfaceExternal  Surface = "external_directory"
	SurfaceWebSearch Surface = "web_search"
	SurfaceTool      Surface = "tool"
	SurfaceSkill     Surface = "skill"
)

// Facts is everything that Judge is told about one call. Gathering it is the
// hooks' work; Judge itself looks at nothing else.
type Facts struct {
	// Tool is the name pi calls the tool by; Surface is where it belongs.
	Tool    string
	Surface Surface
	// Target is what the surface's patterns are matched against where that is
	// neither a path nor a command: the query of web_search, the name of a
	// skill. "" means Tool.
	Target string
	// Headless is true when nobody can be asked.
	Headless bool
	// Input is the tool's input as pi sent it.
	Input json.RawMessage
	// InputProblem is set when the input cannot be read or inspected (F6).
	InputProblem string
	// Program is the analysis of the line, for bash only.
	Program *bashast.Program
	// Paths holds every path of the input, with what the call does to it.
	Paths []PathFact
	// Sandbox is the state of containment: "ready", "unavailable" or "disabled".
	Sandbox string
	// Session is what the person has said in this session.
	Session Session
	// Delegate is the name of the asking delegate, "" for the agent itself.
	Delegate string
	// DelegateTools are the tools of the delegate's definition, from
	// ParseDelegateTools.
	DelegateTools []string
	// HoldsSecret is true when the input holds a secret: no grant is made of it.
	HoldsSecret bool
	// Tree is what destructive git commands would lose (B22); nil: not looked.
	Tree *TreeState
}

// PathFact is one path of a call.
type PathFact struct {
	paths.Resolved
	// Field is where in the input the path stands, such as "path" or "files[2]".
	Field string
	// Mutates is true when the call writes, creates or deletes it.
	Mutates bool
	// MayMutate is true when it is not known whether the call changes it.
	MayMutate bool
	// Guess is true when the path stands in a field that need not hold paths.
	Guess bool
	// Command is the index in Program.Commands, -1 outside bash.
	Command int
	// Effect is the kind of effect for a path of a bash line.
	Effect bashast.EffectKind
	// Pattern is true for a search pattern that names files (grep.glob, find.pattern).
	Pattern bool
	// Recursive is true when everything below the path is meant.
	Recursive bool
	// Metadata is true when only names, sizes and times are read.
	Metadata bool
	// Partial is true when the path is not known whole: Lexical then holds
	// its known beginning, which may be empty, and Value what is known (B2).
	Partial bool
	Value   bashast.Value
	// Span is the part of the command line that names the path.
	Span bashast.Span
}

// display is the path for a person.
func (f *PathFact) display() string {
	if f.Partial {
		return f.Value.String()
	}
	return f.Lexical
}

// cleanPartial reports whether the unknown part of a Partial cannot climb out
// of its known beginning: a glob's can not, an expansion's can.
func (f *PathFact) cleanPartial() bool { return f.Value.Below() }

// TreeState is what git says would be lost by discarding (B22).
type TreeState struct {
	// Modified, Untracked and Stashed name what is not committed.
	Modified, Untracked []string
	Stashes             int
	// Unpushed counts the commits that no remote branch holds.
	Unpushed int
}

// Session is the person's standing word in one session (P5, L7).
type Session struct {
	Mode              string
	Approval          string // "" follows the mode
	PermissionProfile string // "" follows the project profile
	Blocks            []string
	// Denied holds targets that a person or rule refused, by the keys that
	// DenialKeys makes. A key that is there refuses; its number is how often
	// the model was told so, which is 0 until it has been (P10).
	Denied map[string]int
}
