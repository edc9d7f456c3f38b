package profiles

import (
	"path"
	"strings"

	"github.com/pi-guard/pi-guard/paths"
)

// protectedRow is one row of data/protected.json: consecutive segments of a
// path, matched without regard to case (P, spec row F5).
type protectedRow struct {
	Segments []string `json:"segments"`
	Except   []string `json:"except"`
	Reason   string   `json:"reason"`
	Matches  []string `json:"matches"`
	Differs  []string `json:"differs"`
}

// protectedSet is every path that is protected whatever the rules say: P's set
// for mutation, R's lists of profile, base and managed policy (spec L5).
type protectedSet struct {
	rows     []protectedRow
	sealed   []sealedPath
	noAccess []pathPattern // R protectedPaths
	readOnly []pathPattern // R readOnlyPaths
	shell    []pathPattern // R shellProtectedPaths
}

// pathPattern is a pattern of R's lists: without regard to case, and dir/**
// matches dir too. It is matched against every form of a path.
type pathPattern struct {
	text    string
	pattern Pattern
	file    string
}

// compilePathPattern compiles a pattern of R's lists. Like git's own ignore
// patterns, one without a slash names the file at any depth.
func compilePathPattern(text, home, file string) []pathPattern {
	lower := strings.ToLower(text)
	patterns := []string{lower}
	if !strings.Contains(strings.TrimSuffix(lower, "/"), "/") {
		patterns = append(patterns, "**/"+lower)
	}
	var out []pathPattern
	for _, p := range patterns {
		p = strings.TrimSuffix(p, "/")
		out = append(out, pathPattern{text, CompilePattern(p, strings.ToLower(home)), file})
		if base, ok := strings.CutSuffix(p, "/**"); ok {
			out = append(out, pathPattern{text, CompilePattern(base, strings.ToLower(home)), file})
		} else {
			out = append(out, pathPattern{text, CompilePattern(p+"/**", strings.ToLower(home)), file})
		}
	}
	return out
}

// matchPathPattern is the first pattern that names the path or something it
// lies in. Templates of secrets are exempt from patterns of environment files
// (B19).
func matchPathPattern(list []pathPattern, r *paths.Resolved) *pathPattern {
	if len(list) == 0 {
		return nil
	}
	for form := range forms(r) {
		lower := strings.ToLower(form)
		for i := range list {
			if list[i].pattern.Match(lower) && !(isTemplate(lower) && strings.Contains(list[i].text, ".env")) {
				return &list[i]
			}
		}
	}
	return nil
}

// isTemplate reports whether a file is the template of a secret one.
func isTemplate(name string) bool {
	switch path.Ext(name) {
	case ".example", ".sample", ".template", ".dist":
		return true
	}
	return false
}

// forms yields every form of a path that rules are matched against.
func forms(r *paths.Resolved) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, form := range [...]string{r.Rel, r.Lexical, r.CanonicalRel, r.Canonical} {
			if form != "" && !yield(form) {
				return
			}
		}
		for _, form := range r.Also {
			if !yield(form) {
				return
			}
		}
	}
}

// protectedRow is the row of P's set that a path falls under, nil for none.
// Inside the project only the part below its root counts, so that a project
// that lies in such a directory itself can be worked on.
func (s *protectedSet) row(r *paths.Resolved) *protectedRow {
	if row := s.rowOf(orElse(r.Rel, r.Lexical)); row != nil {
		return row
	}
	if row := s.rowOf(orElse(r.CanonicalRel, r.Canonical)); row != nil {
		return row
	}
	for _, form := range r.Also {
		if row := s.rowOf(form); row != nil {
			return row
		}
	}
	return nil
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (s *protectedSet) rowOf(name string) *protectedRow {
	for i := range s.rows {
		if s.rows[i].matches(name) {
			return &s.rows[i]
		}
	}
	return nil
}

// matches reports whether the row's segments stand next to each other in name.
func (row *protectedRow) matches(name string) bool {
	for rest := name; ; {
		if row.matchesAt(rest) {
			return true
		}
		_, after, found := strings.Cut(rest, "/")
		if !found {
			return false
		}
		rest = after
	}
}

func (row *protectedRow) matchesAt(rest string) bool {
	for _, want := range row.Segments {
		segment, after, _ := strings.Cut(rest, "/")
		if !matchSegment(want, segment) || row.excepts(segment) {
			return false
		}
		rest = after
	}
	return true
}

func (row *protectedRow) excepts(segment string) bool {
	for _, e := range row.Except {
		if len(segment) >= len(e)-1 && strings.EqualFold(segment[len(segment)-len(e)+1:], e[1:]) {
			return true
		}
	}
	return false
}

// matchSegment matches one segment without regard to case; a * at the end of
// want is any rest.
func matchSegment(want, segment string) bool {
	if prefix, ok := strings.CutSuffix(want, "*"); ok {
		return len(segment) >= len(prefix) && strings.EqualFold(segment[:len(prefix)], prefix)
	}
	return strings.EqualFold(want, segment)
}

// judgeProtected is layer 4 for one path (P, R, F5).
func (p *Policy) judgeProtected(f *Facts, m *Mode, path *PathFact, v *Verdict) {
	if path.Partial {
		return
	}
	shown := path.display()
	add := func(action Action, rule, file, reason string) {
		v.Add(Opinion{
			Layer: LayerProtected, Action: action, Origin: OriginFixed, Rule: rule, File: file,
			Target: shown, Name: shown, Reason: reason, Start: path.Span.Start, End: path.Span.End,
		})
	}
	if m := matchPathPattern(p.protected.noAccess, &path.Resolved); m != nil {
		add(Deny, m.text, m.file, "Path "+quote(shown)+" is protected by the profile")
	}
	mutates := path.Mutates || path.MayMutate
	if m := matchPathPattern(p.protected.readOnly, &path.Resolved); m != nil && (mutates || f.Surface == SurfaceBash) {
		add(Deny, m.text, m.file, "Path "+quote(shown)+" is read-only by the profile")
	}
	if f.Surface == SurfaceBash {
		if m := matchPathPattern(p.protected.shell, &path.Resolved); m != nil {
			add(Deny, m.text, m.file, "Path "+quote(shown)+" is protected from commands by the profile")
		}
		return
	}
	if m.BypassProtectedPaths && !p.managed.EnforceProtectedPaths || !mutates || path.Guess && !path.Mutates {
		return
	}
	if row := p.protected.row(&path.Resolved); row != nil {
		action := Deny
		if !path.Mutates {
			action = Ask
		}
		add(action, strings.Join(row.Segments, "/"), "", "Path "+quote(shown)+" is protected: "+row.Reason)
	}
}

// ProtectedReason is why P's set protects a path from being changed, "" when
// it does not or the mode bypasses the set. It is for the shell, which has
// exceptions of its own, such as build outputs.
func (p *Policy) ProtectedReason(mode string, r *paths.Resolved) string {
	if p.mode(mode).BypassProtectedPaths && !p.managed.EnforceProtectedPaths {
		return ""
	}
	if row := p.protected.row(r); row != nil {
		return row.Reason
	}
	return ""
}
