package profiles

import (
	"slices"
	"strings"
	"unicode"
)

// ToolDecision is what the tool registry says of a tool (R, layer 8).
type ToolDecision struct {
	// Decision is allow, ask or deny.
	Decision Action      `json:"decision"`
	Mode     Enforcement `json:"mode"`
	// RequiredCapabilities are those the tool needs; nil when it is not
	// registered.
	RequiredCapabilities  []string `json:"requiredCapabilities"`
	AvailableCapabilities []string `json:"availableCapabilities"`
	Reason                string   `json:"reason"`
}

// CheckTool says what the registry says of a tool in a session. Under enforce a
// tool that is not registered, or that needs a capability the profile does not
// grant, is denied; under advisory it is only said so (R). The permission
// profile trusted-full-access relaxes it.
func (p *Policy) CheckTool(tool string, s Session) ToolDecision {
	mode, available := p.registry()
	d := ToolDecision{Mode: mode, AvailableCapabilities: available}
	if isOwnTool(tool) || matchesName(p.base.ToolRegistry.AlwaysAllowedTools, tool) {
		d.Reason = "it needs no capability"
		return d
	}
	for pattern, needs := range p.base.ToolRegistry.ToolCapabilities {
		if matchesName([]string{pattern}, tool) {
			d.RequiredCapabilities = append(d.RequiredCapabilities, needs...)
		}
	}
	slices.Sort(d.RequiredCapabilities)
	d.RequiredCapabilities = slices.Compact(d.RequiredCapabilities)
	missing := slices.DeleteFunc(slices.Clone(d.RequiredCapabilities), func(c string) bool {
		return slices.Contains(available, c) || SurfaceOf(tool) != SurfaceTool
	})
	switch {
	case d.RequiredCapabilities == nil:
		d.Reason = "the tool is not in the registry"
	case len(missing) > 0:
		d.Reason = "the profile does not grant " + strings.Join(missing, ", ")
	default:
		d.Reason = "the profile grants what it needs"
		return d
	}
	if mode == Enforce && !p.relaxesRegistry(s) {
		d.Decision = Deny
	}
	return d
}

// registry is how strictly the registry is applied and which capabilities are
// granted. The profile of a project that the person does not trust may only
// tighten: it grants nothing, and cannot switch the registry off.
func (p *Policy) registry() (mode Enforcement, available []string) {
	mode = p.base.ToolRegistry.DefaultMode.or(Advisory)
	if p.profile == nil {
		return mode, nil
	}
	own := p.profile.RuntimePolicy.ToolRegistry.or(mode)
	if p.profileTrusted {
		return own, p.profile.MCPCapabilities
	}
	if own == Enforce && mode != Enforce {
		return own, p.profile.MCPCapabilities
	}
	return mode, nil
}

// relaxesRegistry reports whether the permission profile lifts the registry's
// denials (R), which a project that is not trusted cannot do for itself.
func (p *Policy) relaxesRegistry(s Session) bool {
	status := p.Permission(s)
	return status.Mode == TrustedFullAccess && (status.Source != "profile" || p.profileTrusted)
}

func matchesName(patterns []string, name string) bool {
	for _, text := range patterns {
		if p := CompilePattern(text, ""); p.Match(name) {
			return true
		}
	}
	return false
}

// judgeRegistry is layer 8, and R's policy on tools that write to something
// outside, which is a hard gate.
func (p *Policy) judgeRegistry(f *Facts, v *Verdict) {
	if isOwnTool(f.Tool) {
		return
	}
	if d := p.CheckTool(f.Tool, f.Session); d.Decision != Allow {
		v.Add(Opinion{
			Layer: LayerRegistry, Action: d.Decision, Origin: OriginFixed, Rule: string(d.Mode), Target: f.Tool,
			Reason: "the tool registry refuses " + f.Tool + ": " + d.Reason,
			Safer:  "ask the person to add the capability to mcpCapabilities in the project's profile",
		})
	}
	if verb, provider := p.externalWrite(f.Tool); verb != "" && p.GateEnabled(f.Session.Mode, externalCategory) {
		v.Add(Opinion{
			Layer: LayerHardGate, Action: Ask, Origin: OriginHardGate, Rule: "external-action", Target: f.Tool, Name: f.Tool,
			Reason: f.Tool + " changes something at " + provider + " (" + verb + ")",
			Safer:  "prepare the text of the change and let the person send it",
		})
	}
}

// externalCategory is the hard-gate category of tools that write to something
// outside (R externalActionPolicy).
const externalCategory = "external-write"

// externalWrite is the write verb and the provider in a tool's name, "" when it
// is not one that writes to something outside. A name with a safe verb before
// any write verb only looks (R).
func (p *Policy) externalWrite(tool string) (verb, provider string) {
	policy := &p.base.ExternalActionPolicy
	if policy.DefaultMode == Off {
		return "", ""
	}
	if p.profile != nil && matchesName(p.profile.ExternalWriteTools, tool) {
		return "write", "something outside"
	}
	safe := false
	for _, word := range nameWords(tool) {
		switch {
		case slices.Contains(policy.Providers, word) && provider == "":
			provider = word
		case slices.Contains(policy.SafeVerbs, word) && verb == "":
			safe = true
		case slices.Contains(policy.WriteVerbs, word) && verb == "" && !safe:
			verb = word
		}
	}
	if provider == "" || verb == "" {
		return "", ""
	}
	return verb, provider
}

// nameWords splits a name at everything that is no letter and where a capital
// follows a small letter, in lower case.
func nameWords(name string) []string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(b.String())
}
