package profiles

import (
	"fmt"
	"slices"
	"strings"
)

// Surroundings is what the awareness text says of a session besides the policy.
type Surroundings struct {
	// Sandbox is one of the states of containment.
	Sandbox string
	// Scratch is the session's scratch directory, "" for none (F8).
	Scratch string
	// Today is the date as YYYY-MM-DD, for the name of a plan.
	Today string
	// Headless is true when nobody can be asked.
	Headless bool
}

// SystemPrompt is what is added to the system prompt in a session: the mode's
// own text and, unless the mode opts out, what the policy really does, short
// and true (P). The approval mode is not told: the model cannot influence it,
// and need not know whether a person or a setting says yes (H D115).
func (p *Policy) SystemPrompt(s Session, sur Surroundings) string {
	m := p.mode(s.Mode)
	var parts []string
	switch m.SystemPrompt {
	case "":
	case "@plan", "@goal":
		parts = append(parts, contractPrompt(strings.TrimPrefix(m.SystemPrompt, "@")))
	default:
		parts = append(parts, strings.ReplaceAll(m.SystemPrompt, "{today}", sur.Today))
	}
	if m.InjectSandboxInfo {
		parts = append(parts, "## Sandbox & permissions\n\n"+strings.Join(p.awareness(m, s, sur), "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// contractPrompt is the shipped text on making a plan or a goal (H section 10).
func contractPrompt(kind string) string {
	return fmt.Sprintf(`## %s mode

You are making a %s, not carrying it out. Look at what you need with read, grep, find, ls and commands that only look;
write and edit are off, and so are the tools of extensions. When the %s is ready, call submit_%s once, as the only call
of its message, with the whole Markdown text. Answer plain questions plainly, without a %s.`,
		strings.ToUpper(kind[:1])+kind[1:], kind, kind, kind, kind)
}

// awareness are the lines on the policy in force.
func (p *Policy) awareness(m *Mode, s Session, sur Surroundings) []string {
	lines := []string{fmt.Sprintf("- Every tool call passes a guard. Mode: %s. Permission profile: %s.", m.Label, p.Permission(s).Mode)}
	lines = append(lines, p.surfaceLines(m, s)...)
	lines = append(lines, sandboxLine(m, sur.Sandbox))
	if !m.BypassProtectedPaths || p.managed.EnforceProtectedPaths {
		lines = append(lines, "- write and edit cannot touch .git, node_modules, .vscode, .idea, .env files and shell or tool dotfiles. Files that hold secrets are asked about before they are read.")
	}
	if m.HardGates || p.managed.EnforceHardGates {
		lines = append(lines, "- A person confirms each: deleting beyond build outputs, discarding work, pushing, publishing, deploying, database changes, credentials, anything as root.")
	}
	lines = append(lines, "- .pi/piagent-state and the guard's own files are reached by the piagent_* tools only.")
	if sur.Scratch != "" {
		lines = append(lines, "- Put temporary files in "+sur.Scratch+" (also $PI_SCRATCH_DIR); nothing there needs a prompt.")
	}
	if len(s.Blocks) > 0 {
		lines = append(lines, "- Blocked for this session, do not try: "+strings.Join(s.Blocks, ", ")+".")
	}
	if sur.Headless {
		lines = append(lines, "- Nobody can be asked in this session: whatever needs a yes is denied.")
	}
	return append(lines, "- A denial is the policy working as intended. Do not retry it, rephrase it or reach the same target another way; say what you need and go on with something else.")
}

// surfaceLines say which tools pass, are asked about or denied by default. A
// surface with patterns of its own is told by its catch-all, and that it has
// exceptions.
func (p *Policy) surfaceLines(m *Mode, s Session) []string {
	by := map[Action][]string{}
	for _, surface := range Surfaces() {
		if surface == SurfacePath {
			continue
		}
		action, exceptions := p.usual(m, s, surface)
		name := map[Surface]string{
			SurfaceExternal: "paths outside the project", SurfaceTool: "other tools", SurfaceSkill: "skills",
		}[surface]
		name = orElse(name, string(surface))
		if exceptions {
			name += " (with exceptions)"
		}
		by[action] = append(by[action], name)
	}
	var lines []string
	for _, action := range []Action{Allow, Ask, Deny} {
		if len(by[action]) > 0 {
			verb := map[Action]string{Allow: "Allowed", Ask: "Asked about", Deny: "Denied"}[action]
			lines = append(lines, "- "+verb+": "+strings.Join(by[action], ", ")+".")
		}
	}
	return lines
}

// usual is what happens to an ordinary call on a surface, and whether patterns
// say otherwise for some.
func (p *Policy) usual(m *Mode, s Session, surface Surface) (action Action, exceptions bool) {
	var v Verdict
	f := Facts{Tool: string(surface), Surface: surface, Session: s}
	if surface == SurfaceExternal {
		f.Surface, f.Tool = SurfaceRead, "read"
	}
	p.judgePermission(f, &v)
	p.judgeOperating(f, m, &v)
	rules := m.rules[surface].Rules()
	own := Ask
	for i := range rules {
		if rules[i].catchesAll() {
			own, exceptions = rules[i].Action, false
		} else if rules[i].Action != own {
			exceptions = true
		}
	}
	for i := range p.overlays {
		if o := &p.overlays[i]; (o.mode == "" || o.mode == m.Name) && len(o.rules[surface].Rules()) > 0 {
			exceptions = true
		}
	}
	if surface == SurfaceBash && own == Ask {
		exceptions = true // ordinary commands that only look pass
	}
	action = Stricter(v.Action(), own)
	return action, exceptions && v.Action() != Deny
}

func sandboxLine(m *Mode, state string) string {
	switch {
	case !m.Sandbox.Enabled:
		return "- bash runs without a sandbox."
	case state != SandboxReady:
		return "- bash cannot be contained on this machine, so more of it is asked about."
	case !m.Sandbox.Writable:
		return "- bash runs in a sandbox that can write nothing."
	}
	line := "- bash runs in a sandbox that can write " + strings.Join(m.Sandbox.AllowWrite, ", ") + " and scratch"
	if len(m.Sandbox.DenyRead) > 0 {
		line += ", cannot read " + strings.Join(m.Sandbox.DenyRead, ", ")
	}
	return line + "."
}

// HiddenTools are the tools that the model does not see in a session, of those
// that are active: what the mode hides, and what it could not use at all. It
// only ever removes (P7).
func (p *Policy) HiddenTools(s Session, active []string) []string {
	m := p.mode(s.Mode)
	var hidden []string
	for _, tool := range active {
		if slices.Contains(m.HideTools, tool) {
			hidden = append(hidden, tool)
		}
	}
	return hidden
}
