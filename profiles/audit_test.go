package profiles

import "testing"

func TestDeadRulesAreReported(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"modes": {"default": {"permission": {
		"bash": {
			"git *": "allow",
			"rm ?": "deny",
			"*": "ask",
			"make *": "allow",
			"make test": "ask",
			"make t*": "allow"
		},
		"read": {"*": "allow", "a/**/b": "deny", "a/*": "ask", "a?": "deny", "a*c": "ask"}}}}}`})
	w.wantDiag("warning", ":3:", "bash.git *", `"*" on line 5`)
	w.wantDiag("bash.rm ?", `"*" on line 5`)
	w.wantDiag("bash.make test", `"make t*"`)
	w.wantDiag("read.a/**/b", `"a/*"`)
	if len(w.diags) != 4 {
		t.Errorf("more is reported than is dead: %v", w.diags)
	}
}

func TestShippedModesHaveNoDeadRules(t *testing.T) {
	for _, m := range Defaults().modes {
		for surface, set := range m.rules {
			for i := range set.rules {
				if by := shadowedBy(set, &set.rules[i]); by != nil {
					t.Errorf("%s.%s: %q is shadowed by %q", m.Name, surface, set.rules[i].Pattern.String(), by.Pattern.String())
				}
			}
		}
	}
}

func TestAuditReportsLooserCopies(t *testing.T) {
	w := newWorld(t, map[string]string{"global": `{"acknowledgeDefaults": ["default.edit.*"], "modes": {"default": {"permission": {
		"write": "allow", "edit": "allow", "external_directory": "ask", "tool": {"*": "ask", "x": "allow"}, "read": {"*": "deny"}}}}}`})
	w.diags = w.policy.Audit()
	w.wantDiag("default.write.*", "says allow", "shipped mode says ask", "acknowledgeDefaults")
	if len(w.diags) != 1 {
		t.Errorf("findings: %v", w.diags)
	}
	if diags := Defaults().Audit(); len(diags) > 0 {
		t.Errorf("the shipped modes are looser than themselves: %v", diags)
	}
}

func TestSamplesMatchTheirPattern(t *testing.T) {
	for _, text := range []string{"*", "a*b", "**/x", "a/**/b", "a?b*", "*/**/*", "~/x*", "a*b*c*d*e*f", "**/a/**/b/**/c/**/d/**/e"} {
		p := CompilePattern(text, testHome)
		for _, sample := range p.samples() {
			if !p.Match(sample) {
				t.Errorf("%q does not match its sample %q", text, sample)
			}
		}
	}
}
