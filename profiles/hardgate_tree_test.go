package profiles

import (
	"slices"
	"strings"
	"testing"
)

// TestDiscardingLooksAtTheTree holds B22: nothing to lose, no question; else
// the question names what would be lost.
func TestDiscardingLooksAtTheTree(t *testing.T) {
	policy := Defaults()
	for _, c := range []struct {
		line string
		tree *TreeState
		want Action
		says string
	}{
		{"git reset --hard", nil, Ask, "throws away"},
		{"git reset --hard", &TreeState{}, Allow, ""},
		{"git reset --hard", &TreeState{Untracked: []string{"n"}}, Allow, ""},
		{"git reset --hard", &TreeState{Modified: []string{"a.go"}}, Ask, "a.go"},
		{"git reset --hard HEAD~2", &TreeState{}, Ask, "another commit"},
		{"git clean -fd", &TreeState{Modified: []string{"a.go"}}, Allow, ""},
		{"git clean -fd", &TreeState{Untracked: []string{"n"}}, Ask, "n"},
		{"git checkout .", &TreeState{}, Allow, ""},
		{"git stash drop", &TreeState{Stashes: 2}, Ask, "2 stashes"},
		{"git push", &TreeState{}, Ask, "remote"},
	} {
		f := Facts{
			Tool: "bash", Surface: SurfaceBash, Program: analyzeInProj(c.line), Tree: c.tree,
			Session: Session{Mode: "build"},
		}
		f.Paths = ProgramPaths(f.Program, lexically)
		v := policy.Judge(f)
		said := slices.ContainsFunc(v.Opinions(), func(o Opinion) bool {
			return o.Layer == LayerHardGate && strings.Contains(o.Reason, c.says)
		})
		gated := slices.ContainsFunc(v.Opinions(), func(o Opinion) bool { return o.Layer == LayerHardGate })
		if gated != (c.want == Ask) || gated && !said {
			t.Errorf("%s with %+v: %v, wanted %s saying %q", c.line, c.tree, v.Opinions(), c.want, c.says)
		}
	}
}

func TestDiscardsIn(t *testing.T) {
	for line, want := range map[string]bool{
		"git reset --hard":                 true,
		"git status && git checkout -- .":  true,
		"echo x > a; git checkout -- .":    false,
		"touch b; git clean -fd":           false,
		"git -C /other reset --hard":       false,
		"GIT_DIR=/x git reset --hard":      false,
		"git reset --hard; git stash drop": false,
		"git status":                       false,
		"bash -c 'git reset --hard'":       false,
	} {
		if _, ok := DiscardsIn(analyzeInProj(line)); ok != want {
			t.Errorf("DiscardsIn(%q) = %v", line, ok)
		}
	}
}
