package profiles

import (
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// sealedPath is guard state: what no tool reaches in any spelling (R, layer 1).
type sealedPath struct {
	// path is absolute, or, where it begins with no slash, consecutive
	// segments anywhere in a path.
	path string
	// open is a directory below path that is not sealed, "" for none.
	open string
	// readable is true where only changing it is refused.
	readable bool
	reason   string
}

// stateSegments are guard state in any project: a nested project's is guarded
// as well as this one's.
var stateSegments = []sealedPath{
	{path: ".pi/piagent-state", reason: "evidence and task state of the guard"},
	{path: ".pi/piagent-profile.json", reason: "the project's contract with the guard"},
	{path: ".pi/piagent-profile.lock.json", reason: "the lock of the project's contract"},
	{path: ".pi/context-index.json", reason: "state of the guard"},
	{path: ".pi/permission-mode.json", reason: "the guard's rules for this project"},
}

// sealedPath is the guard state that a path is or lies in; nil for none. A
// path that is removed with all below it may also be what guard state lies in.
func (s *protectedSet) sealedBy(r *paths.Resolved, reads, removes bool) *sealedPath {
	for form := range forms(r) {
		for i := range s.sealed {
			g := &s.sealed[i]
			if g.readable && reads {
				continue
			}
			if g.holds(form) || removes && g.path[0] == '/' && paths.WithinFold(form, g.path) {
				return g
			}
		}
		if removes && strings.EqualFold(form[strings.LastIndexByte(form, '/')+1:], ".pi") {
			return &s.sealed[0]
		}
	}
	return nil
}

// holds reports whether a form of a path is the sealed one or below it.
func (g *sealedPath) holds(form string) bool {
	if g.path[0] == '/' {
		return paths.WithinFold(g.path, form) && (g.open == "" || !paths.Within(g.open, form))
	}
	for rest := form; ; {
		if paths.WithinFold(g.path, rest) {
			return true
		}
		_, after, found := strings.Cut(rest, "/")
		if !found {
			return false
		}
		rest = after
	}
}

// SealedReason says which guard state a path is or lies in, "" for none.
// effect is what is done to it: some of it may be read.
func (p *Policy) SealedReason(r *paths.Resolved, effect bashast.EffectKind) string {
	g := p.protected.sealedBy(r, effect == bashast.Read, effect == bashast.Delete)
	if g == nil {
		return ""
	}
	return g.reason
}

// judgeIntegrity is layer 1 for one path.
func (p *Policy) judgeIntegrity(path *PathFact, v *Verdict) {
	if path.Partial {
		return
	}
	reads := !path.Mutates && !path.MayMutate
	g := p.protected.sealedBy(&path.Resolved, reads, path.Effect == bashast.Delete)
	if g == nil && path.Pattern {
		g = p.protected.namedBy(path.Raw)
	}
	if g == nil {
		return
	}
	v.Add(Opinion{
		Layer: LayerIntegrity, Action: Deny, Origin: OriginFixed, Rule: g.path,
		Target: path.display(), Reason: "Path " + quote(path.display()) + " is guard state (" + g.reason + ")",
		Safer: "use the piagent_* tools, which read and write it for you",
		Start: path.Span.Start, End: path.Span.End,
	})
}

// namedBy is the guard state that a search pattern names on purpose: a segment
// of the pattern matches the state's own name and shares at least four letters
// of it in a row. Broad patterns such as *.json do not; their results are
// filtered instead (F7).
func (s *protectedSet) namedBy(pattern string) *sealedPath {
	for segment := range strings.SplitSeq(strings.ToLower(pattern), "/") {
		for i := range s.sealed {
			name := strings.ToLower(s.sealed[i].path[strings.LastIndexByte(s.sealed[i].path, '/')+1:])
			if s.sealed[i].readable {
				continue
			}
			if namesOnPurpose(segment, name) {
				return &s.sealed[i]
			}
		}
	}
	return nil
}

// namesOnPurpose reports whether a glob segment matches name and has a run of
// four literal characters that is more than the name's extension.
func namesOnPurpose(segment, name string) bool {
	pattern := CompilePattern(segment, "")
	if !pattern.Match(name) {
		return false
	}
	if segment == name {
		return true
	}
	extension := name[max(strings.LastIndexByte(name, '.'), 0):]
	for _, run := range strings.FieldsFunc(segment, func(r rune) bool { return strings.ContainsRune("*?[]{},", r) }) {
		if len(run) >= 4 && !strings.HasSuffix(extension, run) {
			return true
		}
	}
	return false
}
