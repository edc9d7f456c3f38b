package hooks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-guard/pi-guard/rpc"
)

// person is a pi with a person before it, who answers prompts by a script.
type person struct {
	mu sync.Mutex
	// answers are what to choose, one for each prompt: a label's beginning, or
	// "" for closing the dialog. A func does something first.
	answers []any
	// shown are the prompts, told the notices, statuses the footer's texts.
	shown    []rpc.Select
	told     []rpc.Notice
	statuses []string
	active   [][]string
	followed []string
	typed    string // what to type where a text is asked for
}

func (p *person) Select(ctx context.Context, s rpc.Select) (rpc.Chosen, error) {
	p.mu.Lock()
	p.shown = append(p.shown, s)
	var answer any = ""
	if len(p.answers) > 0 {
		answer, p.answers = p.answers[0], p.answers[1:]
	}
	p.mu.Unlock()
	switch a := answer.(type) {
	case func() string:
		answer = a()
	case func(context.Context) string:
		answer = a(ctx)
	}
	if err := ctx.Err(); err != nil {
		return rpc.Chosen{}, err
	}
	want := answer.(string)
	if want == "" {
		return rpc.Chosen{}, nil
	}
	i := slices.IndexFunc(s.Options, func(o string) bool { return strings.HasPrefix(o, want) })
	if i < 0 {
		return rpc.Chosen{Answered: true, Value: "no such option: " + want}, nil
	}
	return rpc.Chosen{Answered: true, Value: s.Options[i]}, nil
}

func (p *person) Input(context.Context, rpc.Prompt) (rpc.Chosen, error) {
	return rpc.Chosen{Answered: p.typed != "", Value: p.typed}, nil
}

func (p *person) Notify(_ context.Context, n rpc.Notice) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, n)
	return nil
}

func (p *person) SetStatus(_ context.Context, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.statuses = append(p.statuses, text)
	return nil
}

func (p *person) SetActiveTools(_ context.Context, names []string) error {
	p.active = append(p.active, names)
	return nil
}

func (p *person) FollowUp(_ context.Context, text string) error {
	p.followed = append(p.followed, text)
	return nil
}

// desk is a session under test, with its directories.
type desk struct {
	t             *testing.T
	person        *person
	session       *Session
	project, home string
	start         rpc.SessionStart
	count         int    // of the bash calls made by runs
	wait          string // how long prompts are to wait, "" for the policy's time
}

// newDesk starts a session "s1" in an empty project.
func newDesk(t *testing.T, answers ...any) *desk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, person: &person{answers: answers}, project: filepath.Join(root, "proj"), home: filepath.Join(root, "home")}
	for _, dir := range []string{d.project, d.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"PIAGENT_PERMISSION_PROFILE", "PI_PERMISSION_MODE", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, "")
		_ = os.Unsetenv(name)
	}
	d.start = rpc.SessionStart{Reason: "startup", SessionID: "s1", Cwd: d.project, HasUI: true}
	d.begin()
	t.Cleanup(func() {
		if _, err := d.session.SessionShutdown(context.Background(), rpc.SessionShutdown{Reason: "quit"}); err != nil {
			t.Error(err)
		}
	})
	return d
}

// begin starts a guard process anew, as after a crash or a reload.
func (d *desk) begin() rpc.SessionStarted {
	d.t.Helper()
	if d.session != nil {
		d.session.busy.Wait()
	}
	d.session = NewSession(d.person, Options{
		Home: d.home, DataDir: filepath.Join(d.home, "data"), PromptTimeout: d.wait, Version: "test",
	})
	started, err := d.session.SessionStart(context.Background(), d.start)
	if err != nil {
		d.t.Fatal(err)
	}
	return started
}

// write writes a file below the project, or below home where the name begins
// with ~/.
func (d *desk) write(name, text string) {
	d.t.Helper()
	path := filepath.Join(d.project, name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(d.home, rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// call makes a call and returns what pi is told.
func (d *desk) call(tool string, input any) rpc.ToolVerdict {
	d.t.Helper()
	return d.callID("c1", tool, input)
}

func (d *desk) callID(id, tool string, input any) rpc.ToolVerdict {
	d.t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := d.session.ToolCall(context.Background(), rpc.ToolCall{ToolCallID: id, ToolName: tool, Input: raw, Cwd: d.project})
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

// command runs a slash command.
func (d *desk) command(line string) error {
	d.t.Helper()
	name, args, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	_, err := d.session.Command(context.Background(), rpc.Command{Name: name, Args: args})
	return err
}

// says makes the person say something.
func (d *desk) says(text string) {
	d.t.Helper()
	if _, err := d.session.Input(context.Background(), rpc.Input{Text: text, Source: "interactive"}); err != nil {
		d.t.Fatal(err)
	}
}

// turnEnds tells the guard that the model gets the results of its calls.
func (d *desk) turnEnds() {
	d.t.Helper()
	if _, err := d.session.TurnEnd(context.Background(), rpc.Turn{}); err != nil {
		d.t.Fatal(err)
	}
}

// status is the latest text of the footer.
func (d *desk) status() string {
	d.person.mu.Lock()
	defer d.person.mu.Unlock()
	if len(d.person.statuses) == 0 {
		return ""
	}
	return d.person.statuses[len(d.person.statuses)-1]
}

func path(p string) map[string]any { return map[string]any{"path": p, "content": "x"} }
