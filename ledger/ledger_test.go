package ledger

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// fixture is a ledger over a project in a temporary directory.
type fixture struct {
	*Ledger
	t       *testing.T
	project string
	data    string
	now     time.Time
}

// newFixture opens a ledger with one verify command, npm test.
func newFixture(t *testing.T, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, project: t.TempDir(), data: t.TempDir(), now: time.UnixMilli(1_700_000_000_000)}
	f.open(change...)
	return f
}

func (f *fixture) open(change ...func(*Options)) {
	f.t.Helper()
	opts := Options{
		Project: f.project, DataDir: f.data, Session: "s1",
		Clock: func() time.Time { return f.now },
		Contract: Contract{
			Verify: map[string][]string{"source": {"npm test"}},
			Gate:   GateEnforce, Budget: DefaultBudget(), Require: DefaultRequirements(),
		},
	}
	for _, fn := range change {
		fn(&opts)
	}
	l, err := Open(context.Background(), opts)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Ledger = l
	f.t.Cleanup(func() { l.Close() })
}

// write makes a file of the project.
func (f *fixture) write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.project, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// git runs git in the project.
func (f *fixture) git(args ...string) string {
	f.t.Helper()
	return runGit(f.t, f.project, args...)
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "protocol.file.allow=always", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// run observes a command as if it had run.
func (f *fixture) run(command string, status int) Record {
	f.t.Helper()
	before, err := f.Before(context.Background(), command, f.project)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.observe(Observation{Command: command, ExitCode: &status, IsError: status != 0, Before: before})
}

func (f *fixture) observe(o Observation) Record {
	f.t.Helper()
	if o.Cwd == "" {
		o.Cwd = f.project
	}
	rec, err := f.Observe(context.Background(), o)
	if err != nil {
		f.t.Fatal(err)
	}
	return rec
}

func (f *fixture) file() string {
	return filepath.Join(f.project, ".pi", "piagent-state", "observed-bash.jsonl")
}

func (f *fixture) lines() []string {
	f.t.Helper()
	text, err := os.ReadFile(f.file())
	if err != nil {
		f.t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

func (f *fixture) verify() Report {
	f.t.Helper()
	report, err := f.Verify(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	return report
}

func TestE1RecordHoldsWhatRan(t *testing.T) {
	f := newFixture(t)
	status := 3
	start := f.now.Add(-1500 * time.Millisecond)
	f.observe(Observation{
		Command: "  make check\r\n", ExitCode: &status, IsError: true, Started: start, Finished: f.now,
		ToolCallID: "call-1", Source: FromDelegate, Delegate: "scout", Output: "one\ntwo\n",
	})
	var got map[string]any
	if err := json.Unmarshal([]byte(f.lines()[0]), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"schemaVersion": 1.0, "seq": 1.0, "kind": "bash", "cwd": f.project, "command": "make check", "isError": true,
		"exitCode": 3.0, "durationMs": 1500.0, "toolCallId": "call-1", "session": "s1", "source": "delegate", "delegate": "scout",
		"recordedAtMs": 1.7e12, "commandHash": f.CommandHash("make check"), "prev": genesis,
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s = %v; want %v", key, got[key], value)
		}
	}
	info, err := os.Stat(f.file())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the ledger = %v, %v; want 0600", info.Mode().Perm(), err)
	}
	info, err = os.Stat(filepath.Dir(f.file()))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of its directory = %v, %v; want 0700", info.Mode().Perm(), err)
	}
}

func TestE15SecretIsNoEvidence(t *testing.T) {
	f := newFixture(t)
	rec := f.run("NPM_TOKEN=abc123 npm test", 0)
	if rec.CommandHash != "" || !rec.HoldsSecret || rec.Verify != nil {
		t.Errorf("a command with a secret has hash %q and verification %v; want none", rec.CommandHash, rec.Verify)
	}
	if line := f.lines()[0]; strings.Contains(line, "abc123") {
		t.Errorf("the secret was recorded: %s", line)
	}
}

func TestE15HashIsKeyed(t *testing.T) {
	a, b := newFixture(t), newFixture(t)
	if a.CommandHash("npm test") == b.CommandHash("npm test") {
		t.Error("two installs hash a command alike")
	}
	if a.CommandHash("npm test") != a.CommandHash(" npm test\r\n") {
		t.Error("white space at the ends changes the hash")
	}
	if a.CommandHash("npm test") == a.CommandHash("npm  test") {
		t.Error("white space within a command does not change the hash")
	}
}

func TestE1NoSymlinkIsFollowed(t *testing.T) {
	for _, link := range []string{".pi", ".pi/piagent-state", ".pi/piagent-state/observed-bash.jsonl"} {
		t.Run(link, func(t *testing.T) {
			f := newFixture(t)
			elsewhere := filepath.Join(t.TempDir(), "x")
			if strings.HasSuffix(link, "jsonl") {
				if err := os.WriteFile(elsewhere, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			} else if err := os.MkdirAll(elsewhere, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(f.project, link)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(elsewhere, path); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Observe(context.Background(), Observation{Cwd: f.project, Command: "ls"}); err == nil {
				t.Error("a record was written through a symlink")
			} else if !strings.Contains(err.Error(), "symlink") {
				t.Errorf("the error does not say why: %v", err)
			}
		})
	}
}

func TestE3ChainIsIntact(t *testing.T) {
	f := newFixture(t)
	for range 20 {
		f.run("ls", 0)
	}
	f.Close()
	f.open()
	f.run("pwd", 0)
	if r := f.verify(); !r.Intact || r.Records != 21 || len(r.Notes) != 0 {
		t.Errorf("report = %+v; want 21 intact records", r)
	}
}

func TestE2RotationKeepsTheChain(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.SegmentBytes = 4000 })
	for range 50 {
		f.run("ls", 0)
	}
	if r := f.verify(); !r.Intact || r.Records != 50 {
		t.Errorf("report = %+v; want 50 intact records", r)
	}
	if _, err := os.Stat(f.file() + ".1"); err != nil {
		t.Errorf("no segment was sealed: %v", err)
	}
}

func BenchmarkObserve(b *testing.B) {
	l, err := Open(context.Background(), Options{Project: b.TempDir(), DataDir: b.TempDir(), Contract: Contract{Verify: map[string][]string{"source": {"npm test", "npm run lint"}}}})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	status := 0
	for b.Loop() {
		if _, err := l.Observe(context.Background(), Observation{Cwd: l.Project(), Command: "git status --short | head -20", ExitCode: &status}); err != nil {
			b.Fatal(err)
		}
	}
}
