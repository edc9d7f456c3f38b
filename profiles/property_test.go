package profiles

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
	"pgregory.net/rapid"
)

// The properties of this file are checked with -rapid.checks cases each, 100 in
// a normal run; -rapid.checks=25000 makes the hundred thousand of the record.

var (
	drawAction  = rapid.SampledFrom([]string{"allow", "ask", "deny"})
	drawPattern = rapid.SampledFrom([]string{
		"*", "src/*", "*.md", "**/.env", "~/*", "/out/*", "git *", "git push *", "rm *", "tool_a", "mcp__*", "a?c", "docs/**", "secret*", "",
	})
	drawSurface = rapid.SampledFrom(Surfaces())
	drawMode    = rapid.SampledFrom([]string{"", "default", "plan", "goal", "build", "yolo", "mine", "gone"})
	drawPath    = rapid.SampledFrom([]string{
		"a.md", "src/a.go", "docs/x/y", ".env", ".env.example", "secret.txt", ".git/config", ".pi/piagent-state/x", ".pi/permission-mode.json",
		"/out/x", "~/x", "~/.ssh/id_rsa", "/proj/src/b", "../out/y", "/scratch/t", "/tmp/pi/t", "vault/x",
	})
	drawLine = rapid.SampledFrom([]string{"ls", "git status", "git push origin main", "rm -rf x", "make && git push", "frobnicate", "cat a.md"})
)

// drawPermission is the permission block of a mode.
func drawPermission(t *rapid.T, label string) map[Surface]any {
	block := map[Surface]any{}
	for _, surface := range rapid.SliceOfDistinct(drawSurface, rapid.ID[Surface]).Draw(t, label) {
		if rapid.Bool().Draw(t, "bare") {
			block[surface] = drawAction.Draw(t, "action")
			continue
		}
		// An ordered object: the order of patterns matters.
		var b strings.Builder
		b.WriteString("{")
		for i, pattern := range rapid.SliceOfDistinct(drawPattern, rapid.ID[string]).Draw(t, "patterns") {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, "%q: %q", pattern, drawAction.Draw(t, "action"))
		}
		block[surface] = json.RawMessage(b.String() + "}")
	}
	return block
}

// drawModes is a permission-mode.json.
func drawModes(t *rapid.T, label string) string {
	modes := map[string]any{}
	for _, name := range []string{"default", "build", "mine", "plan"} {
		if rapid.Bool().Draw(t, label+name) {
			modes[name] = map[string]any{
				"permission": drawPermission(t, label), "hardGates": rapid.Bool().Draw(t, "gates"),
				"bypassProtectedPaths": rapid.Bool().Draw(t, "bypass"),
				"approval":             rapid.SampledFrom(Approval("").choices()).Draw(t, "approval"),
				"sandbox":              map[string]any{"enabled": rapid.Bool().Draw(t, "enabled"), "writable": rapid.Bool().Draw(t, "writable")},
			}
		}
	}
	text, err := json.Marshal(map[string]any{"modes": modes})
	if err != nil {
		t.Fatal(err)
	}
	if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
		text = text[:rapid.IntRange(0, len(text)-1).Draw(t, "cut")]
	}
	return string(text)
}

// drawProfile is a piagent-profile.json.
func drawProfile(t *rapid.T) string {
	text, err := json.Marshal(map[string]any{
		"schemaVersion": 1, "projectId": "x", "displayName": "X",
		"permissionProfile":   rapid.SampledFrom([]string{"read-only", "workspace-write", "trusted-full-access", "nonsense"}).Draw(t, "permission"),
		"protectedPaths":      rapid.SliceOf(drawPattern).Draw(t, "protected"),
		"readOnlyPaths":       rapid.SliceOf(drawPattern).Draw(t, "readonly"),
		"shellProtectedPaths": rapid.SliceOf(drawPattern).Draw(t, "shell"),
		"verifyCommands":      map[string][]string{"source": {"frobnicate", "rm -rf x"}},
		"mcpCapabilities":     []string{"browser", "github"},
		"hardGates":           map[string]bool{"external-write": rapid.Bool().Draw(t, "gate")},
		"runtimePolicy":       map[string]string{"toolRegistry": rapid.SampledFrom([]string{"off", "advisory", "enforce"}).Draw(t, "registry")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// noDisk is a file system without files.
type noDisk struct{}

func (noDisk) Lstat(string) (fs.FileInfo, error)     { return nil, fs.ErrNotExist }
func (noDisk) Readlink(string) (string, error)       { return "", fs.ErrNotExist }
func (noDisk) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrNotExist }

var propertyResolver = paths.NewResolver(paths.Roots{
	Project: "/proj", Scratch: "/scratch", Writable: []string{"/tmp/pi"}, Home: "/home/u",
}, noDisk{})

// drawFacts is a random call.
func drawFacts(t *rapid.T) Facts {
	tool := rapid.SampledFrom([]string{
		"read", "grep", "find", "ls", "write", "edit", "bash", "tool_a", "mcp__github__create_issue", "mcp__fs__delete", "browser_x", "piagent_context", "submit_plan", "web_search",
	}).Draw(t, "tool")
	f := Facts{
		Tool: tool, Surface: SurfaceOf(tool),
		Sandbox: rapid.SampledFrom([]string{SandboxReady, SandboxUnavailable, SandboxDisabled}).Draw(t, "sandbox"),
		Session: Session{
			Mode:              drawMode.Draw(t, "mode"),
			Approval:          rapid.SampledFrom([]string{"", "ask", "accept-edits", "auto"}).Draw(t, "approval"),
			PermissionProfile: rapid.SampledFrom([]string{"", "read-only", "workspace-write", "full"}).Draw(t, "profile"),
		},
	}
	path := drawPath.Draw(t, "path")
	switch f.Surface {
	case SurfaceBash:
		f.Program = program(drawLine.Draw(t, "line"))
		f.Paths = []PathFact{{
			Resolved: propertyResolver.Resolve(path, "/proj"), Field: "command", Command: 0,
			Effect: rapid.SampledFrom([]bashast.EffectKind{bashast.Read, bashast.Write, bashast.Delete}).Draw(t, "effect"),
		}}
		f.Paths[0].Mutates = f.Paths[0].Effect != bashast.Read
	case SurfaceWebSearch:
		f.Target = "secret x"
	default:
		f.Input, _ = json.Marshal(map[string]string{"path": path})
		candidates, problem := InspectInput(tool, f.Input)
		f.InputProblem, f.Paths = problem, PathFacts(candidates, propertyResolver, "/proj")
	}
	return f
}

// loadTexts loads a policy from texts by the end of their path.
func loadTexts(texts map[string]string) *Policy {
	p, _ := Load(context.Background(), Sources{
		Home: "/home/u", Project: "/proj", ReadFile: func(path string) ([]byte, error) {
			if text, ok := texts[path]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		},
	})
	return p
}

const (
	globalPath  = "/home/u/.pi/agent/permission-mode/permission-mode.json"
	projectPath = "/proj/.pi/permission-mode.json"
	profilePath = "/proj/.pi/piagent-profile.json"
	managedPath = "/etc/pi-guard/managed.json"
)

// TestAFileOfTheProjectNeverLoosens: neither the project's modes nor its
// profile make any verdict or any answer less strict.
func TestAFileOfTheProjectNeverLoosens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{globalPath: drawModes(t, "global")}
		before := loadTexts(texts)
		if rapid.Bool().Draw(t, "project") {
			texts[projectPath] = drawModes(t, "project")
		}
		if rapid.Bool().Draw(t, "profile") {
			texts[profilePath] = drawProfile(t)
		}
		after := loadTexts(texts)
		for range 10 {
			f := drawFacts(t)
			stricter(t, before, after, f)
		}
	})
}

// TestAManagedPolicyNeverLoosens: the same for the organisation's policy.
func TestAManagedPolicyNeverLoosens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := map[string]string{globalPath: drawModes(t, "global")}
		before := loadTexts(texts)
		managed, err := json.Marshal(map[string]any{
			"permission": drawPermission(t, "managed"), "enforceHardGates": rapid.Bool().Draw(t, "gates"),
			"enforceProtectedPaths": rapid.Bool().Draw(t, "paths"), "protectedPaths": rapid.SliceOf(drawPattern).Draw(t, "protected"),
			"approvals": rapid.SliceOf(rapid.SampledFrom(Approval("").choices())).Draw(t, "approvals"),
		})
		if err != nil {
			t.Fatal(err)
		}
		texts[managedPath] = string(managed)
		after := loadTexts(texts)
		for range 10 {
			stricter(t, before, after, drawFacts(t))
		}
	})
}

// stricter checks that after is at least as strict as before on a call.
func stricter(t *rapid.T, before, after *Policy, f Facts) {
	a, b := before.Judge(f), after.Judge(f)
	if b.Action() < a.Action() {
		t.Fatalf("%s %s in %q: %s became %s\nbefore %+v\nafter %+v", f.Tool, f.Input, f.Session.Mode, a.Action(), b.Action(), a.Opinions(), b.Opinions())
	}
	x, y := before.Answer(a, f, nil), after.Answer(b, f, nil)
	if y.Action < x.Action {
		t.Fatalf("%s %s in %q: the answer %s became %s\nbefore %+v\nafter %+v", f.Tool, f.Input, f.Session.Mode, x.Action, y.Action, x.Open, y.Open)
	}
}

// TestAddingAnOpinionNeverLoosens: the verdict's type sees to it.
func TestAddingAnOpinionNeverLoosens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var v Verdict
		strictest := Allow
		for _, a := range rapid.SliceOf(rapid.SampledFrom([]Action{Allow, Ask, Deny})).Draw(t, "actions") {
			v.Add(Opinion{Action: a})
			strictest = max(strictest, a)
			if v.Action() != strictest || v.Winner().Action != strictest {
				t.Fatalf("the verdict is %s, its winner %s, the strictest %s", v.Action(), v.Winner().Action, strictest)
			}
		}
	})
}

// TestGrantsStayInTheirScope: a grant made by one call answers another only
// where surface and mode are the same, nothing is denied, no hard gate is open,
// and the target falls under the grant's key.
func TestGrantsStayInTheirScope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := loadTexts(map[string]string{globalPath: drawModes(t, "global")})
		f, g := drawFacts(t), drawFacts(t)
		first := p.Answer(p.Judge(f), f, nil)
		if first.Action != Ask {
			return
		}
		_, grants, _ := first.Answered(ChooseSession, "")
		v := p.Judge(g)
		without, with := p.Answer(v, g, nil), p.Answer(v, g, grants)
		if with.Action == without.Action {
			return
		}
		if v.Action() == Deny || without.Action != Ask || with.Action != Allow {
			t.Fatalf("a grant turned %s into %s", without.Action, with.Action)
		}
		if f.Surface != g.Surface || p.mode(f.Session.Mode) != p.mode(g.Session.Mode) {
			t.Fatalf("a grant for %s in %q answered %s in %q", f.Surface, f.Session.Mode, g.Surface, g.Session.Mode)
		}
		for _, o := range without.Open {
			if o.Origin == OriginHardGate || o.Origin == OriginFixed {
				t.Fatalf("a grant answered %+v", o)
			}
			if !inScope(p, f, g, o, grants) {
				t.Fatalf("none of %v is for %+v of %s %s", grants, o, g.Tool, g.Input)
			}
		}
	})
}

// inScope is the meaning of each kind of grant, written down a second time.
func inScope(p *Policy, f, g Facts, o Opinion, grants Grants) bool {
	if approvalAnswers(p.Approval(g.Session), &g, &o) {
		return true
	}
	for _, grant := range grants {
		switch grant.Kind {
		case GrantTool:
			if f.Tool == g.Tool && sameRule(o, grant) && g.Paths[0].Root != paths.External && g.Paths[0].Root != paths.Writable {
				return true
			}
		case GrantDirectory:
			if f.Tool == g.Tool && o.Layer == LayerExternal && strings.HasPrefix(g.Paths[0].Canonical, strings.TrimSuffix(grant.Target, "/")+"/") {
				return true
			}
		case GrantPath:
			if g.Paths[0].Lexical == grant.Target {
				return true
			}
		case GrantName:
			if sameRule(o, grant) && (g.Surface != SurfaceBash && f.Tool == g.Tool || o.Name == grant.Target) {
				return true
			}
		case GrantExact:
			if f.Program.Text == g.Program.Text {
				return true
			}
		}
	}
	return false
}

// sameRule reports whether a grant was given for what a rule of its own asks.
func sameRule(o Opinion, g Grant) bool { return o.Origin != OriginPattern || o.Rule == g.Rule }
