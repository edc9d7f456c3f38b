package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// deadRules reports the rules of a file that can never decide, since later ones
// match everything they match (P12).
func deadRules(key string, set *RuleSet) []Diagnostic {
	var diags []Diagnostic
	for i := range set.Rules() {
		r := &set.rules[i]
		if r.File == "" || r.Pattern.String() == "" {
			continue
		}
		if by := shadowedBy(set, r); by != nil {
			diags = append(diags, Diagnostic{
				Severity: Warned, File: r.File, Line: r.Line, Column: 1, Key: key + "." + r.Pattern.String(),
				Problem: fmt.Sprintf("this rule never decides: %q on line %d matches all that it matches, and the last match wins", by.Pattern.String(), by.Line),
				Fix:     "Move it below that rule, or remove it",
			})
		}
	}
	return diags
}

// shadowedBy is a later rule that wins over r wherever r matches; nil when r
// ever decides.
func shadowedBy(set *RuleSet, r *Rule) *Rule {
	var by *Rule
	for _, text := range r.Pattern.samples() {
		winner := set.Match(text)
		if winner == nil || winner == r {
			return nil
		}
		by = winner
	}
	return by
}

// maxSampled bounds the wildcards of a pattern that are varied one by one.
const maxSampled = 4

// samples are texts that the pattern matches, such that another pattern that
// matches all of them matches whatever this one does: every wildcard is tried
// empty, as a rare name, and as a path of rare names.
func (p *Pattern) samples() []string {
	wild := 0
	for i := range p.segments {
		if p.segments[i].before != noWildcard {
			wild++
		}
	}
	if wild > maxSampled {
		return []string{p.sample(0, true), p.sample(1, true), p.sample(2, true)}
	}
	count := 1
	for range wild {
		count *= 3
	}
	var texts []string
	for n := range count {
		texts = append(texts, p.sample(n, false))
	}
	return texts
}

// sample is one text: the digits of n to the base of three choose for each
// wildcard; with same, n chooses for all.
func (p *Pattern) sample(n int, same bool) string {
	fillings := map[wildcard][3]string{
		anyRun:      {"", "\x01", "\x01/\x02"},
		directories: {"", "\x01/", "\x01/\x02/"},
	}
	var b strings.Builder
	for i := range p.segments {
		if w := p.segments[i].before; w != noWildcard {
			b.WriteString(fillings[w][n%3])
			if !same {
				n /= 3
			}
		}
		for _, a := range p.segments[i].atoms {
			if a.one {
				b.WriteString("\x03")
			}
			b.WriteString(a.literal)
		}
	}
	return b.String()
}

// Audit looks over a loaded policy for what loading does not refuse (P12): the
// person's rules that are looser than the shipped ones of the same mode, which
// happens to copied defaults after an upgrade. Rules that the file names in
// acknowledgeDefaults, as MODE.SURFACE.PATTERN, are left out.
func (p *Policy) Audit() []Diagnostic {
	var diags []Diagnostic
	for _, name := range slices.Sorted(maps.Keys(shippedData().modes.Modes)) {
		mode, ok := p.modes[name]
		if !ok {
			continue
		}
		shipped := compileSurfaces(*shippedData().modes.Modes[name].Permission, p.home, "")
		for _, surface := range Surfaces() {
			diags = append(diags, p.looser(name, surface, mode.rules[surface], shipped[surface])...)
		}
	}
	return diags
}

// looser reports where own allows more than shipped does, by shipped pattern.
func (p *Policy) looser(mode string, surface Surface, own, shipped *RuleSet) []Diagnostic {
	var diags []Diagnostic
	for i := range shipped.Rules() {
		r := &shipped.rules[i]
		key := strings.Join([]string{mode, string(surface), r.Pattern.String()}, ".")
		if slices.Contains(p.acknowledged, key) {
			continue
		}
		for _, text := range r.Pattern.samples() {
			if shipped.Match(text) != r {
				continue
			}
			if mine := own.Match(text); mine != nil && mine.File != "" && mine.Action < r.Action {
				diags = append(diags, Diagnostic{
					Severity: Warned, File: mine.File, Line: mine.Line, Column: 1, Key: key,
					Problem: fmt.Sprintf("%q says %s, where the shipped mode says %s", mine.Pattern.String(), mine.Action, r.Action),
					Fix:     fmt.Sprintf("Remove it to follow the shipped mode, or add %q to acknowledgeDefaults", key),
				})
				break
			}
		}
	}
	return diags
}
