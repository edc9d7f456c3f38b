package profiles

import "strings"

// controlTools are the guard's own tools that steer the session (spec L6).
var controlTools = map[string]bool{
	"enter_plan_mode": true, "submit_plan": true, "enter_goal_mode": true, "submit_goal": true,
	"asktool": true, "new_context": true, "tool_search": true, "browser_preview": true,
	"show_plan": true, "request_network_access": true,
}

// isOwnTool reports whether a tool is the guard's own: a control tool, or one
// that keeps evidence.
func isOwnTool(name string) bool {
	return controlTools[name] || strings.HasPrefix(name, "piagent_")
}

// SurfaceOf is the surface that a tool belongs to by its name. A skill is no
// tool: its surface is given by whoever runs it.
func SurfaceOf(tool string) Surface {
	switch s := Surface(tool); s {
	case SurfaceBash, SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs, SurfaceWrite, SurfaceEdit, SurfaceWebSearch:
		return s
	}
	return SurfaceTool
}

// isFileSurface reports whether a surface's target is a path.
func isFileSurface(s Surface) bool {
	switch s {
	case SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs, SurfaceWrite, SurfaceEdit:
		return true
	}
	return false
}

// isMutation reports whether a file surface changes files.
func isMutation(s Surface) bool { return s == SurfaceWrite || s == SurfaceEdit }

// judgeOperating is layer 3: the operating mode's matrix (H section 10). It
// speaks before any prompt, and nothing re-enables what it refuses.
func (p *Policy) judgeOperating(f Facts, m *Mode, v *Verdict) {
	if reason, code := operatingDenial(f, m); reason != "" {
		v.Add(Opinion{
			Layer: LayerOperating, Action: Deny, Origin: OriginFixed, Rule: string(m.Operating),
			Target: f.Tool, Reason: reason, Code: code,
			Safer: "finish with submit_" + string(m.Operating) + ", or ask the person to switch modes",
		})
	}
}

// operatingDenial is why the operating mode refuses a call, "" when it does not.
func operatingDenial(f Facts, m *Mode) (reason string, code ErrorCode) {
	contract := m.Operating == OperatingPlan || m.Operating == OperatingGoal
	switch f.Tool {
	case "submit_plan", "submit_goal":
		if kind := strings.TrimPrefix(f.Tool, "submit_"); kind != string(m.Operating) {
			return f.Tool + " works in operating mode " + kind + " only; this session is in " + string(m.Operating), CodeDenied
		}
		return "", ""
	case "enter_plan_mode", "enter_goal_mode":
		if contract {
			return f.Tool + " works in operating mode agent only; this session is in " + string(m.Operating), CodeDenied
		}
		return "", ""
	}
	if !contract || isOwnTool(f.Tool) {
		return "", ""
	}
	switch f.Surface {
	case SurfaceWrite:
		return "write is off while a " + string(m.Operating) + " is made", CodeDenied
	case SurfaceEdit:
		return "edit is off while a " + string(m.Operating) + " is made", CodeDenied
	case SurfaceTool:
		return "tools of extensions are off while a " + string(m.Operating) + " is made", CodePluginInPlan
	}
	return "", ""
}
