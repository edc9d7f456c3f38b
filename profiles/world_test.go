package profiles

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// world is a policy with the files of one test on disk: a project, a home and
// something outside.
type world struct {
	t          *testing.T
	dir        string // holds proj, home, out, scratch
	policy     *Policy
	diags      []Diagnostic
	session    Session
	sandbox    string
	headless   bool
	grants     Grants
	resolver   *paths.Resolver
	env        map[string]string
	trusted    bool
	installed  []string
	configFile map[string]string
}

// newWorld makes a world from configuration files by their places: "global",
// "project", "profile", "managed", "base", and from further files below dir;
// a value that begins with "-> " is a symlink.
func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, sandbox: SandboxUnavailable, configFile: map[string]string{}, env: map[string]string{}}
	places := map[string]string{
		"global":  "home/.pi/agent/permission-mode/permission-mode.json",
		"base":    "home/.pi/agent/permission-mode/base-policy.json",
		"project": "proj/.pi/permission-mode.json",
		"profile": "proj/.pi/piagent-profile.json",
		"managed": "etc/managed.json",
	}
	for _, d := range []string{"proj", "home", "out", "scratch", "tmp"} {
		w.must(os.MkdirAll(filepath.Join(dir, d), 0o700))
	}
	for name, text := range files {
		if place, ok := places[name]; ok {
			name = place
		}
		w.write(name, text)
	}
	w.load()
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	full := filepath.Join(w.dir, name)
	w.must(os.MkdirAll(filepath.Dir(full), 0o700))
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		w.must(os.Symlink(strings.ReplaceAll(target, "$", w.dir), full))
		return
	}
	w.must(os.WriteFile(full, []byte(strings.ReplaceAll(text, "$DIR", w.dir)), 0o600))
}

// load loads the policy afresh.
func (w *world) load() {
	w.policy, w.diags = Load(context.Background(), Sources{
		Project: w.dir + "/proj", Home: w.dir + "/home", ManagedFile: w.dir + "/etc/managed.json",
		Getenv:         func(name string) (string, bool) { v, ok := w.env[name]; return v, ok },
		ProfileTrusted: w.trusted, Installed: w.installed,
	})
	w.resolver = paths.NewResolver(paths.Roots{
		Project: w.dir + "/proj", Scratch: w.dir + "/scratch", Writable: []string{w.dir + "/tmp"},
		Inside: []string{"~/docs"}, Home: w.dir + "/home",
	}, nil)
}

// facts are the facts of a call; input is JSON in which $DIR is the world.
func (w *world) facts(tool, input string) Facts {
	w.t.Helper()
	input = strings.ReplaceAll(input, "$DIR", w.dir)
	f := Facts{
		Tool: tool, Surface: SurfaceOf(tool), Input: json.RawMessage(input),
		Session: w.session, Sandbox: w.sandbox, Headless: w.headless,
	}
	if f.Surface == SurfaceBash {
		var in struct{ Command string }
		w.must(json.Unmarshal(f.Input, &in))
		f.Program = program(in.Command)
	}
	candidates, problem := InspectInput(tool, f.Input)
	f.InputProblem = problem
	f.Paths = PathFacts(candidates, w.resolver, w.dir+"/proj")
	return f
}

// program is a program of simple words, so that policy can be tested apart
// from the reading of shell.
func program(line string) *bashast.Program {
	p := &bashast.Program{Text: line}
	at := 0
	for part := range strings.SplitSeq(line, " && ") {
		var words []bashast.Word
		for word := range strings.FieldsSeq(part) {
			words = append(words, bashast.Word{Value: bashast.Known(word)})
		}
		p.Commands = append(p.Commands, bashast.Command{Words: words, Span: bashast.Span{Start: at, End: at + len(part)}})
		at += len(part) + 4
	}
	return p
}

// call judges and answers a call.
func (w *world) call(tool, input string) Resolution {
	w.t.Helper()
	f := w.facts(tool, input)
	return w.policy.Answer(w.policy.Judge(f), f, w.grants)
}

// on judges a call of a file tool on a path.
func (w *world) on(tool, path string) Resolution {
	w.t.Helper()
	input, err := json.Marshal(map[string]string{"path": strings.ReplaceAll(path, "$DIR", w.dir)})
	w.must(err)
	return w.call(tool, string(input))
}

// bash judges a line.
func (w *world) bash(line string) Resolution {
	w.t.Helper()
	input, err := json.Marshal(map[string]string{"command": line})
	w.must(err)
	return w.call("bash", string(input))
}

// want checks what becomes of a call.
func (w *world) want(r Resolution, action Action, what string) {
	w.t.Helper()
	if r.Action != action {
		w.t.Errorf("%s: %s by %s, want %s\n%+v", what, r.Action, r.By, action, r.Open)
	}
}

// wantText checks that the model is told something.
func (w *world) wantText(r Resolution, parts ...string) {
	w.t.Helper()
	text := ModelText(r)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			w.t.Errorf("the model is told %q, which lacks %q", text, part)
		}
	}
}

// wantDiag checks that a finding holds all parts.
func (w *world) wantDiag(parts ...string) {
	w.t.Helper()
search:
	for _, d := range w.diags {
		for _, part := range parts {
			if !strings.Contains(d.String(), part) {
				continue search
			}
		}
		return
	}
	w.t.Errorf("no finding with %q among %v", parts, w.diags)
}

// offers reports whether a prompt has an option.
func offers(r Resolution, c Choice) bool {
	if r.Prompt == nil {
		return false
	}
	for _, o := range r.Prompt.Options {
		if o.Choice == c {
			return true
		}
	}
	return false
}

// problemOf is a problem of a program.
func problemOf(reason string) bashast.Problem {
	return bashast.Problem{Code: bashast.ProblemName, Reason: reason}
}
