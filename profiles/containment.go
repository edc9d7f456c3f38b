package profiles

import "github.com/pi-guard/pi-guard/paths"

// judgeContainment is P's table of policy and sandbox for a bash line. What a
// rule of its own or the table of ordinary commands allows stands by itself;
// what only a catch-all allows was allowed on the strength of the sandbox, so
// without one it is asked about. A missing sandbox is therefore no prompt for
// every command.
func (p *Policy) judgeContainment(f *Facts, m *Mode, v *Verdict) {
	if p.managed.RequireSandbox && f.Sandbox != SandboxReady {
		v.Add(Opinion{
			Layer: LayerManagedPolicy, Action: Deny, Origin: OriginFixed, Rule: "requireSandbox", Target: f.Tool,
			Reason: orElse(p.managed.Message, "this organisation lets commands run in a sandbox only, and there is none"),
		})
	}
	if !m.Sandbox.Enabled || f.Sandbox != SandboxUnavailable {
		return
	}
	for _, o := range v.Opinions() {
		if o.Layer != LayerMode || o.Surface != SurfaceBash || o.Action != Allow || !restsOnSandbox(&o) {
			continue
		}
		v.Add(Opinion{
			Layer: LayerSandbox, Surface: SurfaceBash, Action: Ask, Origin: o.Origin, Rule: "sandbox-unavailable",
			File: o.File, Line: o.Line, Target: o.Target, Name: o.Name, Start: o.Start, End: o.End,
			Reason: "the sandbox that the rule " + quote(o.Rule) + " relies on is unavailable",
		})
	}
}

// restsOnSandbox reports whether an allow is no more than a rule for everything.
func restsOnSandbox(o *Opinion) bool {
	return o.Name != "" && (o.Origin == OriginDefault || o.Origin == OriginCatchAll)
}

// judgeShape refuses paths of the wrong kind, with the tool to use instead
// (H D208, spec row F3). What lies outside is asked about first, since its kind
// is nobody's business without permission.
func (p *Policy) judgeShape(f *Facts, path *PathFact, v *Verdict) {
	if !path.Exists || path.Root == paths.External || path.Problem != "" || path.Pattern || path.Field != "path" {
		return
	}
	reason, instead := "", ""
	switch {
	case f.Surface == SurfaceRead && path.Dir:
		reason, instead = "is a directory", "list it with ls, or search it with find or grep"
	case isMutation(f.Surface) && path.Dir:
		reason, instead = "is a directory", "name a file in it"
	case (f.Surface == SurfaceFind || f.Surface == SurfaceLs) && !path.Dir:
		reason, instead = "is a file", "read it with read, or search in it with grep"
	default:
		return
	}
	v.Add(Opinion{
		Layer: LayerInput, Action: Deny, Origin: OriginFixed, Rule: "path-shape", Target: path.display(),
		Reason: "Path " + quote(path.display()) + " " + reason, Safer: instead, Code: CodeInvalidArgument,
	})
}
