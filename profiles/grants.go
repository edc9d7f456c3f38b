package profiles

import (
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// GrantKind is what a grant is keyed by (spec L2, P5, P11).
type GrantKind string

// The kinds of grants.
const (
	// GrantTool is for a file tool on everything inside the project.
	GrantTool GrantKind = "tool"
	// GrantDirectory is for a file tool on one directory outside the project.
	GrantDirectory GrantKind = "directory"
	// GrantPath is for a file tool on one path that a rule of its own asks about.
	GrantPath GrantKind = "path"
	// GrantName is for a command, a tool or a skill of that name.
	GrantName GrantKind = "name"
	// GrantExact is for one bash line, letter by letter.
	GrantExact GrantKind = "exact"
	// GrantPattern is for the commands that a pattern matches.
	GrantPattern GrantKind = "pattern"
)

// Scope is how long a grant lasts.
type Scope string

// The scopes. A yes for one call makes no grant.
const (
	ScopeSession Scope = "session"
	ScopeProject Scope = "project" // kept in a file outside the repository
	ScopeGlobal  Scope = "global"  // kept in the global config
)

// Grant is a person's standing yes. It answers what a rule asks about, never
// what a layer denies, and never a hard gate.
type Grant struct {
	Kind  GrantKind `json:"kind"`
	Scope Scope     `json:"scope"`
	// Mode is the mode it was given in and is for; "" is every mode.
	Mode string `json:"mode,omitempty"`
	// Surface is the surface it is for.
	Surface Surface `json:"surface"`
	// Target is the directory, path, name, line or pattern; "" for GrantTool.
	Target string `json:"target,omitempty"`
	// Rule is the pattern that asked, where that was no catch-all: the grant is
	// then for what this rule asks about, and for what no rule speaks of.
	Rule string `json:"rule,omitempty"`
}

// Grants are the grants in force for a session.
type Grants []Grant

// String renders the grant for a person, for lists.
func (g Grant) String() string {
	var b strings.Builder
	b.WriteString(string(g.Surface))
	switch g.Kind {
	case GrantTool:
		b.WriteString(" inside the project")
	case GrantDirectory:
		b.WriteString(" below " + g.Target)
	default:
		b.WriteString(" " + g.Target)
	}
	if g.Mode != "" {
		b.WriteString(" in mode " + g.Mode)
	}
	return b.String() + " (" + string(g.Scope) + ")"
}

// Add adds grants that are not there yet.
func (gs Grants) Add(more ...Grant) Grants {
	for _, g := range more {
		if !slices.Contains(gs, g) {
			gs = append(gs, g)
		}
	}
	return gs
}

// Revoke takes one grant away; found is false when it is not there.
func (gs Grants) Revoke(g Grant) (rest Grants, found bool) {
	i := slices.Index(gs, g)
	if i < 0 {
		return gs, false
	}
	return slices.Delete(slices.Clone(gs), i, i+1), true
}

// Clear takes away all grants of a scope (/perm clear-approvals).
func (gs Grants) Clear(scope Scope) Grants {
	return slices.DeleteFunc(slices.Clone(gs), func(g Grant) bool { return g.Scope == scope })
}

// answers reports whether any grant answers an opinion of a call.
func (gs Grants) answers(p *Policy, f *Facts, o *Opinion) bool {
	if o.Origin == OriginFixed || o.Origin == OriginHardGate {
		return false
	}
	mode := p.mode(f.Session.Mode).Name
	for i := range gs {
		g := &gs[i]
		if (g.Mode == "" || g.Mode == mode) && g.Surface == f.Surface && g.covers(p, f, o) {
			return true
		}
	}
	return false
}

// covers reports whether the grant's key fits the opinion.
func (g *Grant) covers(p *Policy, f *Facts, o *Opinion) bool {
	if f.Surface == SurfaceBash {
		return g.coversBash(p, f, o)
	}
	if !isFileSurface(f.Surface) {
		return g.Kind == GrantName && o.Surface == f.Surface && g.Target == orElse(f.Target, f.Tool) && g.coversRule(o)
	}
	switch g.Kind {
	case GrantTool:
		return o.Surface == f.Surface && g.coversRule(o) && allInside(f)
	case GrantPath:
		return o.Name == g.Target
	case GrantDirectory:
		return o.Layer == LayerExternal && paths.Within(g.Target, o.Name)
	}
	return false
}

// coversBash is covers for a bash line (P "Session approvals").
func (g *Grant) coversBash(p *Policy, f *Facts, o *Opinion) bool {
	if g.Kind == GrantExact {
		return f.Program != nil && f.Program.Text == g.Target
	}
	if o.Origin == OriginEscape || o.Origin == OriginUnresolved || o.Layer == LayerPath {
		return false
	}
	switch g.Kind {
	case GrantName:
		return o.Name != "" && o.Name == g.Target && g.coversRule(o)
	case GrantPattern:
		return o.Target != "" && matchGrant(g.Target, ExpandHome(o.Target, p.home), p.home)
	}
	return false
}

// coversRule reports whether the grant was given for what the opinion asks: a
// rule with a pattern of its own is answered only by a grant given to it. The
// project's rules are not the person's, so any grant reaches past them (P).
func (g *Grant) coversRule(o *Opinion) bool {
	return o.Origin != OriginPattern || g.Rule == o.Rule
}

// matchGrant matches a grant's pattern; unlike in a rule, " *" at its end also
// stands for no arguments at all, so that `git status *` is git status too.
func matchGrant(pattern, text, home string) bool {
	p := CompilePattern(pattern, home)
	if p.Match(text) {
		return true
	}
	bare, ok := strings.CutSuffix(pattern, " *")
	if !ok {
		return false
	}
	p = CompilePattern(bare, home)
	return p.Match(text)
}

// allInside reports whether all paths of the call lie inside the project.
func allInside(f *Facts) bool {
	for i := range f.Paths {
		if r := f.Paths[i].Root; !f.Paths[i].Pattern && r != paths.Workspace && r != paths.Scratch {
			return false
		}
	}
	return true
}

// sessionGrants are the grants that "allow for session" makes of what is open.
func (p *Policy) sessionGrants(f *Facts, open []Opinion) Grants {
	var gs Grants
	mode := p.mode(f.Session.Mode).Name
	for i := range open {
		o := &open[i]
		g := Grant{Scope: ScopeSession, Mode: mode, Surface: f.Surface}
		if o.Origin == OriginPattern {
			g.Rule = o.Rule
		}
		switch {
		case f.Surface == SurfaceBash:
			g.Kind, g.Target = p.bashGrantKey(f, o)
		case !isFileSurface(f.Surface):
			g.Kind, g.Target = GrantName, orElse(f.Target, f.Tool)
		case o.Layer == LayerExternal:
			g.Kind, g.Target = GrantDirectory, o.Name
		case o.Surface == SurfacePath || o.Surface == SurfaceExternal || o.Origin == OriginPattern && o.Name != "":
			g.Kind, g.Target, g.Rule = GrantPath, o.Name, ""
		default:
			g.Kind = GrantTool
		}
		gs = gs.Add(g)
	}
	return gs
}

// bashGrantKey is what a session grant for part of a bash line is keyed by: the
// command's name, or the whole line where a name would grant too much (an
// escape, what is not resolved, a program that runs others).
func (p *Policy) bashGrantKey(f *Facts, o *Opinion) (GrantKind, string) {
	byName := o.Name != "" && o.Origin != OriginEscape && o.Origin != OriginUnresolved && o.Layer != LayerPath
	if byName && !runsOthers(o.Name) {
		return GrantName, o.Name
	}
	return GrantExact, f.Program.Text
}

// runsOthers reports whether a program runs what its arguments say, so that a
// grant by name would be a grant for everything (P11).
func runsOthers(name string) bool { return arity().banned[name] }

// effectOf is the word for an effect in denial keys.
func effectOf(path *PathFact) string {
	if path.Mutates || path.Effect == bashast.Write || path.Effect == bashast.Delete || path.Effect == bashast.Chmod {
		return "write"
	}
	return "read"
}
