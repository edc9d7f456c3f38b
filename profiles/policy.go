package profiles

import (
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/paths"
)

// Policy is everything that Judge decides by, compiled from the shipped data
// and the configuration files. It is immutable and safe for use by several
// goroutines; a changed file makes a new Policy (P4).
type Policy struct {
	home, project  string
	modes          map[string]*Mode
	names          []string // all modes, those of cycle first
	cycle          []string
	defaultMode    string
	overlays       []overlay
	protected      protectedSet
	secrets        []secretRule
	base           *BasePolicy
	profile        *Profile
	profileTrusted bool
	managed        *Managed
	permissionEnv  *string
	host           Host
	reference      []string
	acknowledged   []string
}

// overlay is a set of rules that can only tighten: the project's, the managed
// policy's, and what stands in for a broken file.
type overlay struct {
	layer  Layer
	origin Origin
	mode   string // "" for every mode
	rules  map[Surface]*RuleSet
}

// Mode is one mode, merged and compiled (spec section 0).
type Mode struct {
	Name              string
	Label             string
	Color             Color
	SystemPrompt      string
	InjectSandboxInfo bool
	Operating         Operating
	Approval          Approval
	// HardGates is false where the mode drops them (yolo).
	HardGates bool
	// BypassProtectedPaths is true where P's set is not enforced.
	BypassProtectedPaths bool
	Sandbox              Sandbox
	// HideTools are removed from the model's view, never added (P7).
	HideTools []string
	rules     map[Surface]*RuleSet
}

// Sandbox is a mode's containment, merged: what the sandbox room is given.
type Sandbox struct {
	Enabled, Writable, AskOnBlockedHost        bool
	AllowWrite, DenyWrite, DenyRead            []string
	InsideRoots, AllowedDomains, DeniedDomains []string
}

// Host is how the guard behaves around calls; durations in seconds.
type Host struct {
	BashTimeout, BashTimeoutMax, PromptTimeout int
	UserBash                                   UserBash
}

// Rules are the mode's own rules on a surface; nil when it has none.
func (m *Mode) Rules(s Surface) *RuleSet { return m.rules[s] }

// Modes are the names of all modes: those of the cycle first, in its order.
func (p *Policy) Modes() []string { return slices.Clone(p.names) }

// Cycle are the modes that alt+m goes through.
func (p *Policy) Cycle() []string { return slices.Clone(p.cycle) }

// DefaultMode is the mode of a session that names none.
func (p *Policy) DefaultMode() string { return p.defaultMode }

// Mode is the mode of that name; ok is false when there is none or the managed
// policy has removed it.
func (p *Policy) Mode(name string) (m *Mode, ok bool) {
	m, ok = p.modes[name]
	return m, ok
}

// mode is the mode that judges a session: an empty name is the default mode, a
// name that is not known is the strictest shipped one.
func (p *Policy) mode(name string) *Mode {
	if name == "" {
		name = p.defaultMode
	}
	if m, ok := p.modes[name]; ok {
		return m
	}
	return p.modes[strictestMode]
}

// strictestMode judges sessions whose mode is not known.
const strictestMode = "plan"

// Approval is the approval mode in force: the session's where it names one,
// else the mode's.
func (p *Policy) Approval(s Session) Approval {
	if a, err := ParseApproval(s.Approval); err == nil {
		return p.managed.limitApproval(a)
	}
	return p.managed.limitApproval(p.mode(s.Mode).Approval)
}

// Profile is the project's profile; nil when it has none.
func (p *Policy) Profile() *Profile { return p.profile }

// Base is the base policy.
func (p *Policy) Base() *BasePolicy { return p.base }

// Host is how the guard behaves around calls.
func (p *Policy) Host() Host { return p.host }

// Roots are the regions of the file system as a mode sees them, for resolving
// the paths of its calls: its writable roots, and what may be read although it
// lies outside (F9). scratch is the session's scratch directory.
func (p *Policy) Roots(mode, scratch string) paths.Roots {
	m := p.mode(mode)
	return paths.Roots{
		Project: p.project, Home: p.home, Scratch: scratch,
		Writable: m.Sandbox.AllowWrite, Inside: slices.Concat(m.Sandbox.InsideRoots, p.reference),
	}
}

// Home and Project are the directories the policy was loaded for.
func (p *Policy) Home() string { return p.home }

// Project is the root of the project the policy was loaded for.
func (p *Policy) Project() string { return p.project }

// MatchText is the rule of the session's mode that decides about a text on a
// surface: a command, a name, a query. ok is false when no rule matches, which
// means Ask. It is for the surfaces that have no paths; the text's ~ and $HOME
// are expanded first.
func (p *Policy) MatchText(mode string, surface Surface, text string) (r *Rule, ok bool) {
	r = p.mode(mode).rules[surface].Match(ExpandHome(text, p.home))
	return r, r != nil
}

// OverlayText adds to v what the project, the managed policy and broken files
// say about a text on a surface. Unlike a mode they are silent where no rule
// matches, and they can only tighten.
func (p *Policy) OverlayText(v *Verdict, mode string, surface Surface, text string) {
	text = ExpandHome(text, p.home)
	for i := range p.overlays {
		o := &p.overlays[i]
		if o.mode != "" && o.mode != p.mode(mode).Name {
			continue
		}
		if r := o.rules[surface].Match(text); r != nil {
			op := o.opinion(r, surface, text)
			op.Name = text
			if surface == SurfaceBash {
				op.Name = commandName(text)
			}
			v.Add(op)
		}
	}
}

// commandName is the name of a joined command, without its directory: the key
// of a session grant.
func commandName(text string) string {
	name, _, _ := strings.Cut(text, " ")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// GateEnabled reports whether the hard gates of a category speak in a mode:
// always, but in a mode that the person's own global file frees of them, which
// the managed policy and, by category, the project's profile can forbid (spec
// section 1, layer 7).
func (p *Policy) GateEnabled(mode, category string) bool {
	if p.managed.EnforceHardGates || p.mode(mode).HardGates {
		return true
	}
	if p.profile != nil && p.profile.HardGates[category] {
		return true
	}
	return slices.Contains(p.managed.HardGateCategories, category)
}

func (o *overlay) opinion(r *Rule, surface Surface, target string) Opinion {
	return Opinion{
		Layer: o.layer, Surface: surface, Action: r.Action, Origin: o.origin, Rule: r.Pattern.String(),
		File: r.File, Line: r.Line, Target: target, Model: r.Reason,
		Reason: ruleReason(r, surface),
	}
}

// ruleReason is one sentence about a rule for a person.
func ruleReason(r *Rule, surface Surface) string {
	var b strings.Builder
	b.WriteString("the rule ")
	b.WriteString(string(surface))
	if r.Origin != OriginDefault {
		b.WriteString(" ")
		b.WriteString(quote(r.Pattern.String()))
	}
	b.WriteString(" says ")
	b.WriteString(r.Action.String())
	return b.String()
}

func quote(s string) string { return `"` + s + `"` }
