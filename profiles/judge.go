package profiles

import (
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// Judge says what every layer thinks of a call; the strictest of them is the
// verdict (spec section 1). It is pure: it looks at nothing but its arguments.
func (p *Policy) Judge(f Facts) Verdict {
	v := Verdict{opinions: make([]Opinion, 0, 4)}
	m := p.mode(f.Session.Mode)
	if f.InputProblem != "" {
		v.Add(Opinion{
			Layer: LayerInput, Action: Deny, Origin: OriginFixed, Rule: "unreadable-input", Target: f.Tool,
			Reason: "the input of " + f.Tool + " cannot be inspected: " + f.InputProblem, Code: CodeInvalidArgument,
		})
	}
	for i := range f.Paths {
		p.judgeIntegrity(&f.Paths[i], &v)
	}
	p.judgePermission(f, &v)
	p.judgeOperating(f, m, &v)
	p.judgeDelegate(f, &v)
	for i := range f.Paths {
		p.judgePathProblem(&f.Paths[i], &v)
		p.judgeShape(&f, &f.Paths[i], &v)
		p.judgeProtected(&f, m, &f.Paths[i], &v)
		p.judgeBlocked(&f, &f.Paths[i], &v)
	}
	p.judgeDeniedCall(&f, &v)
	switch {
	case f.Surface == SurfaceBash:
		p.judgeBash(&f, &v)
		p.judgeContainment(&f, m, &v)
	case isFileSurface(f.Surface):
		for i := range f.Paths {
			p.judgeFile(&f, m, &f.Paths[i], &v)
		}
		if len(f.Paths) == 0 && f.InputProblem == "" {
			v.Add(Opinion{
				Layer: LayerInput, Action: Deny, Origin: OriginFixed, Rule: "no-path", Target: f.Tool,
				Reason: f.Tool + " names no path", Code: CodeInvalidArgument,
			})
		}
	default:
		p.judgeNamed(&f, m, &v)
	}
	return v
}

// judgePathProblem refuses what is no path (F1).
func (p *Policy) judgePathProblem(path *PathFact, v *Verdict) {
	if path.Problem == "" {
		return
	}
	v.Add(Opinion{
		Layer: LayerInput, Action: Deny, Origin: OriginFixed, Rule: "unreadable-path", Target: path.Field,
		Reason: "the path in " + path.Field + " cannot be read: " + path.Problem, Code: CodeInvalidArgument,
	})
}

// judgeFile is layer 6 for one path of a file tool.
func (p *Policy) judgeFile(f *Facts, m *Mode, path *PathFact, v *Verdict) {
	if path.Problem != "" {
		return
	}
	if path.Pattern {
		p.judgeSearch(f, m, path, v)
		return
	}
	rule := matchForms(m.rules[f.Surface], &path.Resolved)
	o := p.fileOpinion(f, m, path, rule)
	if o.Action == Ask && path.Root == paths.Scratch && rule.catchesAll() {
		o.Action, o.Rule, o.Reason = Allow, "scratch", "the session's scratch directory needs no prompt"
	}
	v.Add(o)
	p.judgePathGate(m, path, v)
	p.judgeExternal(f, m, path, v)
	p.judgeOverlays(f, m, path, v)
}

// catchesAll reports whether a rule is no more than the surface's default.
func (r *Rule) catchesAll() bool {
	return r == nil || r.Origin == OriginDefault || r.Origin == OriginCatchAll
}

// fileOpinion is the opinion of the surface's own rule; rule is nil when none
// matches, which asks (P "Resolution").
func (p *Policy) fileOpinion(f *Facts, m *Mode, path *PathFact, rule *Rule) Opinion {
	o := ruleOpinion(LayerMode, f.Surface, rule, path.Lexical)
	if o.Action != Deny {
		return o
	}
	if isMutation(f.Surface) && !m.Sandbox.Writable {
		o.Reason, o.Model = m.Label+" allows editing Markdown files only", ""
		return o
	}
	o.Reason = "Path " + quote(path.Lexical) + " is blocked by " + m.Label
	return o
}

// ruleOpinion is the opinion of a rule of a mode, or of there being none.
func ruleOpinion(layer Layer, surface Surface, rule *Rule, target string) Opinion {
	if rule == nil {
		return Opinion{
			Layer: layer, Surface: surface, Action: Ask, Origin: OriginDefault, Rule: "(none)", Target: target,
			Reason: "no rule of " + string(surface) + " speaks of it",
		}
	}
	return Opinion{
		Layer: layer, Surface: surface, Action: rule.Action, Origin: rule.Origin, Rule: rule.Pattern.String(),
		File: rule.File, Line: rule.Line, Target: target, Model: rule.Reason,
		Reason: ruleReason(rule, surface),
	}
}

// matchForms is the strictest of what a rule set says about the lexical path,
// about the canonical one, and about each further reading; the forms of one
// path are spellings of one target. nil means that some form matches no rule
// and none is denied.
func matchForms(s *RuleSet, r *paths.Resolved) *Rule {
	rule := matchSpellings(s, r.Lexical, r.Rel)
	if r.Canonical != r.Lexical {
		rule = stricterRule(rule, matchSpellings(s, r.Canonical, r.CanonicalRel))
	}
	for _, form := range r.Also {
		rule = stricterRule(rule, s.Match(form))
	}
	return rule
}

func matchSpellings(s *RuleSet, abs, rel string) *Rule {
	if rel == "" {
		return s.Match(abs)
	}
	return s.Match(abs, rel)
}

// stricterRule is the stricter of two rules, where no rule means Ask.
func stricterRule(a, b *Rule) *Rule {
	action := func(r *Rule) Action {
		if r == nil {
			return Ask
		}
		return r.Action
	}
	if action(b) > action(a) {
		return b
	}
	return a
}

// judgePathGate is the path surface: one gate over all file access, with the
// default rules on secrets below the person's own (P, F11).
func (p *Policy) judgePathGate(m *Mode, path *PathFact, v *Verdict) {
	rule := matchForms(m.rules[SurfacePath], &path.Resolved)
	if rule != nil {
		o := ruleOpinion(LayerPath, SurfacePath, rule, path.display())
		o.Name = path.display()
		if o.Action == Deny {
			o.Reason = "Path " + quote(path.display()) + " is blocked by " + m.Label
		}
		v.Add(o)
	}
	if !rule.catchesAll() {
		return
	}
	if id, reason := p.SecretReason(m.Name, &path.Resolved); id != "" {
		v.Add(secretOpinion(id, reason, path))
	}
}

func secretOpinion(id, reason string, path *PathFact) Opinion {
	return Opinion{
		Layer: LayerPath, Surface: SurfacePath, Action: Ask, Origin: OriginPattern, Rule: id,
		Target: path.display(), Name: path.display(), Reason: path.display() + ": " + reason,
		Safer: "ask the person for the one value that is needed, or read the template beside it",
	}
}

// judgeSearch is the path surface for a pattern that names files: grep shows
// what stands in them, find only that they are there (F6).
func (p *Policy) judgeSearch(f *Facts, m *Mode, path *PathFact, v *Verdict) {
	if f.Surface != SurfaceGrep || m.BypassProtectedPaths && !p.managed.EnforceProtectedPaths {
		return
	}
	if s := p.searched(path.Raw); s != nil {
		v.Add(secretOpinion("secret:"+s.id, s.reason, path))
	}
}

// judgeExternal is the boundary of the project (P, F4, F9). What a command does
// beyond it, and what any tool changes there, is an escape: no approval mode
// answers for the person (B7).
func (p *Policy) judgeExternal(f *Facts, m *Mode, path *PathFact, v *Verdict) {
	mutates := path.Mutates || path.MayMutate
	if !outside(f, path, mutates) {
		return
	}
	o := ruleOpinion(LayerExternal, SurfaceExternal, matchForms(m.rules[SurfaceExternal], &path.Resolved), path.display())
	o.Name = outsideDirectory(path)
	if o.Action == Ask {
		o.Reason = path.display() + " lies outside the project"
		if mutates {
			o.Reason += " and would be changed"
		}
		if mutates || f.Surface == SurfaceBash {
			o.Origin = OriginEscape
		}
	}
	v.Add(o)
}

// outside reports whether a path lies beyond the boundary for what is done to
// it: reference material may be read, and a command may also write where the
// sandbox lets it (P "Resolution", "Bash").
func outside(f *Facts, path *PathFact, mutates bool) bool {
	switch path.Root {
	case paths.Workspace, paths.Scratch:
		return false
	case paths.Writable:
		return mutates && f.Surface != SurfaceBash
	case paths.Inside:
		return mutates
	}
	return true
}

// outsideDirectory is the directory that a prompt on a path outside shows and
// that a session grant is for (L2).
func outsideDirectory(path *PathFact) string {
	if path.Dir {
		return path.Canonical
	}
	if i := strings.LastIndexByte(path.Canonical, '/'); i > 0 {
		return path.Canonical[:i]
	}
	return "/"
}

// judgeOverlays lets the overlays tighten one path of a file tool.
func (p *Policy) judgeOverlays(f *Facts, m *Mode, path *PathFact, v *Verdict) {
	for i := range p.overlays {
		o := &p.overlays[i]
		if o.mode != "" && o.mode != m.Name {
			continue
		}
		for _, surface := range [...]Surface{f.Surface, SurfacePath, SurfaceExternal} {
			if surface == SurfaceExternal && (path.Root == paths.Workspace || path.Root == paths.Scratch) {
				continue
			}
			o.judge(surface, path, v)
		}
	}
}

// judge adds what the overlay says about a path on one surface. Unlike a mode
// it is silent where no rule matches.
func (o *overlay) judge(surface Surface, path *PathFact, v *Verdict) {
	set := o.rules[surface]
	add := func(r *Rule) {
		if r != nil {
			op := o.opinion(r, surface, path.display())
			op.Name = path.display()
			v.Add(op)
		}
	}
	lexical := matchSpellings(set, path.Lexical, path.Rel)
	add(lexical)
	if path.Canonical != path.Lexical {
		if r := matchSpellings(set, path.Canonical, path.CanonicalRel); r != lexical {
			add(r)
		}
	}
	for _, form := range path.Also {
		add(set.Match(form))
	}
}

// judgeNamed is layers 6 and 8 for surfaces whose target is a name or a text:
// other tools, skills, web_search. The paths in the input of another tool pass
// the same gates as a file tool's (F6, P9).
func (p *Policy) judgeNamed(f *Facts, m *Mode, v *Verdict) {
	target := orElse(f.Target, f.Tool)
	rule := m.rules[f.Surface].Match(target)
	if isOwnTool(f.Tool) && rule.catchesAll() {
		v.Add(Opinion{
			Layer: LayerMode, Action: Allow, Origin: OriginFixed, Rule: "own-tool", Target: f.Tool,
			Reason: f.Tool + " is the guard's own",
		})
		return
	}
	o := ruleOpinion(LayerMode, f.Surface, rule, target)
	o.Name = target
	if o.Action == Deny {
		o.Reason = string(f.Surface) + " " + quote(target) + " is blocked by " + m.Label
	}
	v.Add(o)
	p.OverlayText(v, m.Name, f.Surface, target)
	for i := range f.Paths {
		path := &f.Paths[i]
		if path.Problem != "" || path.Guess && !path.Exists {
			continue
		}
		p.judgePathGate(m, path, v)
		p.judgeExternal(f, m, path, v)
		p.judgeOverlays(f, m, path, v)
	}
	if f.Surface == SurfaceTool {
		p.judgeRegistry(f, v)
	}
}

// judgeBlocked is layer 5: what the person blocked for this session (P), and
// what was refused before (P10).
func (p *Policy) judgeBlocked(f *Facts, path *PathFact, v *Verdict) {
	if path.Partial || path.Problem != "" {
		return
	}
	for form := range forms(&path.Resolved) {
		for _, block := range f.Session.Blocks {
			if paths.Within(block, form) || path.Effect == bashast.Delete && paths.Within(form, block) {
				v.Add(Opinion{
					Layer: LayerBlock, Action: Deny, Origin: OriginFixed, Rule: block, Target: path.display(),
					Reason: "Path " + quote(path.display()) + " is blocked for this session by the person",
				})
				return
			}
		}
		if _, refused := f.Session.Denied[pathDenialKey(path, form)]; refused {
			v.Add(deniedBefore(path.display()))
			return
		}
	}
}
