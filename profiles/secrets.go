package profiles

import (
	"path"
	"strings"

	"github.com/pi-guard/pi-guard/paths"
)

// secretRow is one row of data/secrets.json: files that hold secrets, asked
// about by default on every surface (spec row F11).
type secretRow struct {
	ID       string   `json:"id"`
	Patterns []string `json:"patterns"`
	Except   []string `json:"except"`
	Reason   string   `json:"reason"`
	Matches  []string `json:"matches"`
	Differs  []string `json:"differs"`
}

// secretRule is a row compiled for one home directory.
type secretRule struct {
	id, reason       string
	patterns, except *RuleSet
	// names are examples of what the patterns name, for search patterns.
	names []string
}

func compileSecrets(rows []secretRow, home string) []secretRule {
	rules := make([]secretRule, len(rows))
	for i, row := range rows {
		rules[i] = secretRule{id: row.ID, reason: row.Reason, patterns: patternSet(row.Patterns, home), except: patternSet(row.Except, home)}
		for _, pattern := range row.Patterns {
			if name := path.Base(pattern); name != "**" {
				rules[i].names = append(rules[i].names, strings.ToLower(name))
			}
		}
	}
	return rules
}

// searched is the row whose files a search pattern names on purpose; nil for
// none. A broad pattern such as *.json names none: its results are filtered.
func (p *Policy) searched(pattern string) *secretRule {
	segment := strings.ToLower(path.Base(pattern))
	for i := range p.secrets {
		s := &p.secrets[i]
		if s.except.Match(segment) != nil {
			continue
		}
		for _, name := range s.names {
			if segment == name || namesOnPurpose(segment, strings.ReplaceAll(name, "*", "x")) {
				return s
			}
		}
	}
	return nil
}

func patternSet(patterns []string, home string) *RuleSet {
	rules := make([]Rule, len(patterns))
	for i, text := range patterns {
		rules[i] = Rule{Pattern: CompilePattern(text, home)}
	}
	return NewRuleSet(rules)
}

// secret is the row that a path falls under in any of its forms; nil for none.
func (p *Policy) secret(r *paths.Resolved) *secretRule {
	for form := range forms(r) {
		if !mayBeSecret(form) {
			continue
		}
		for i := range p.secrets {
			s := &p.secrets[i]
			if s.holds(form) || s.holds(strings.ToLower(form)) {
				return s
			}
		}
	}
	return nil
}

// holds reports whether the row is about a form of a path.
func (s *secretRule) holds(form string) bool {
	return s.patterns.Match(form) != nil && s.except.Match(form) == nil
}

// mayBeSecret is false for most source files at a glance, so that the rows are
// not looked at for them.
func mayBeSecret(form string) bool {
	name := form[strings.LastIndexByte(form, '/')+1:]
	for _, ext := range [...]string{".go", ".ts", ".tsx", ".js", ".py", ".rs", ".md", ".java", ".c", ".h", ".css", ".html"} {
		if strings.HasSuffix(name, ext) && !strings.HasPrefix(name, ".env.") {
			return strings.Contains(form, "/.")
		}
	}
	return true
}

// SecretReason is why a path is asked about by default, and the rule's id;
// both "" when it is not or the mode bypasses protected paths.
func (p *Policy) SecretReason(mode string, r *paths.Resolved) (id, reason string) {
	if p.mode(mode).BypassProtectedPaths && !p.managed.EnforceProtectedPaths {
		return "", ""
	}
	if s := p.secret(r); s != nil {
		return "secret:" + s.id, s.reason
	}
	return "", ""
}
