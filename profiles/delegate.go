package profiles

import (
	"fmt"
	"slices"
	"strings"
)

// delegable are the tools that a delegate's definition may name (H10).
var delegable = []string{"read", "find", "grep", "browser_preview", "bash", "edit", "write"}

// ParseDelegateTools reads the tools that a delegate's definition declares:
// none means read, grep and find; "*" means all seven that there are; a name
// that is not one of them is dropped with a warning (H10).
func ParseDelegateTools(declared []string) (tools, warnings []string) {
	for _, name := range declared {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
		case name == "*":
			return slices.Clone(delegable), warnings
		case slices.Contains(delegable, name):
			tools = append(tools, name)
		default:
			warnings = append(warnings, fmt.Sprintf("a delegate cannot have the tool %q; it may have %s", name, strings.Join(delegable, ", ")))
		}
	}
	if len(declared) == 0 {
		tools = []string{"read", "grep", "find"}
	}
	return tools, warnings
}

// judgeDelegate holds a delegate to its definition, whatever its session may
// do (H10).
func (p *Policy) judgeDelegate(f Facts, v *Verdict) {
	if f.Delegate == "" || slices.Contains(f.DelegateTools, f.Tool) {
		return
	}
	v.Add(Opinion{
		Layer: LayerDelegate, Action: Deny, Origin: OriginFixed, Rule: "delegate-tools", Target: f.Tool,
		Reason: "the delegate " + quote(f.Delegate) + " may use only " + strings.Join(f.DelegateTools, ", "),
		Safer:  "return to the agent that delegated, and say what is needed",
	})
}
