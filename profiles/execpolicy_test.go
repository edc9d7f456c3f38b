package profiles

import "testing"

func TestR_CommandRulesOfTheBasePolicy(t *testing.T) {
	w := newWorld(t, map[string]string{
		"base": `{"blockedCommandPatterns": ["frob wipe"], "requireConfirmationPatterns": ["shipit", "frob push"],
			"execPolicy": {"defaultMode": "enforce", "rules": [{"id": "a", "action": "forbid", "match": "contains", "value": "--danger"}, {"id": "b", "action": "prompt", "match": "prefix", "value": "frob up"}, {"id": "c", "action": "allow", "match": "prefix", "value": "frob wipe"}]}}`,
		"global": mode("build", `{"bash": {"*": "allow"}}`),
	})
	w.session.Mode = "build"
	for line, want := range map[string]Action{
		"frob wipe": Deny, "frob wipe all": Deny, "frob wiper": Allow, "shipit": Ask, "npm run shipit": Ask, "make shipit": Ask, "npm shipit now": Ask,
		"echo shipit": Allow, "frob push": Ask, "frob x --danger": Deny, "frob up y": Ask, "frob other": Allow,
	} {
		w.want(w.bash(line), want, line)
	}
	w = newWorld(t, map[string]string{"base": `{"execPolicy": {"rules": [{"id": "r", "action": "forbid", "match": "regex", "value": "x+"}]}}`})
	w.wantDiag("error", "execPolicy.rules.r", `"regex"`)
	w.want(w.bash("frob"), Deny, "a rule that cannot be matched matches everything")
}

func TestR_ProfileKeepsAHardGateInEveryMode(t *testing.T) {
	w := newWorld(t, map[string]string{"profile": `{"schemaVersion": 1, "projectId": "x", "displayName": "X", "hardGates": {"external-write": true}}`})
	w.session.Mode = "yolo"
	w.want(w.call("slack_post_message", `{}`), Ask, "yolo")
}
