package profiles

import (
	"fmt"
	"strings"
)

// execOverlay are the rules on commands of a base policy (R): beginnings that
// are asked about, rules of their own, and beginnings that are refused, the
// last so that they win. They only tighten.
func (l *loader) execOverlay(base *BasePolicy, file, home string) overlay {
	var rules []Rule
	add := func(action Action, patterns ...string) {
		for _, text := range patterns {
			rules = append(rules, Rule{Pattern: CompilePattern(text, home), Action: action, Origin: OriginProject, File: file})
		}
	}
	for _, text := range base.RequireConfirmationPatterns {
		add(Ask, commandPatterns(text)...)
	}
	for _, r := range base.ExecPolicy.Rules {
		action := map[ExecAction]Action{"prompt": Ask, "forbid": Deny}[r.Action]
		switch {
		case action == Allow:
		case r.Match == "prefix":
			add(action, prefixPatterns(r.Value)...)
		case r.Match == "contains":
			add(action, "*"+r.Value+"*")
		default:
			l.add(Diagnostic{
				Severity: Broken, File: file, Key: "execPolicy.rules." + r.ID,
				Problem: fmt.Sprintf("rules are not matched by %q", r.Match), Fix: `Write "prefix" or "contains"`,
			})
			add(action, "*")
		}
	}
	for _, text := range base.BlockedCommandPatterns {
		add(Deny, prefixPatterns(text)...)
	}
	return overlay{layer: LayerBase, origin: OriginProject, rules: map[Surface]*RuleSet{SurfaceBash: NewRuleSet(rules)}}
}

// prefixPatterns match the commands that begin with some words.
func prefixPatterns(text string) []string {
	words := strings.TrimSpace(text)
	if words == "" {
		return nil
	}
	return []string{words, words + " *"}
}

// scriptRunners run what a single word names (R).
var scriptRunners = [...]string{
	"npm", "npm run", "pnpm", "pnpm run", "yarn", "yarn run", "bun", "bun run", "just", "make", "task",
}

// commandPatterns are those of a confirmation: a single word is also the name of
// a script or target (R).
func commandPatterns(text string) []string {
	patterns := prefixPatterns(text)
	if len(patterns) == 0 || strings.Contains(patterns[0], " ") {
		return patterns
	}
	for _, runner := range scriptRunners {
		patterns = append(patterns, prefixPatterns(runner+" "+patterns[0])...)
	}
	return patterns
}
