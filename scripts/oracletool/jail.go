package main

import (
	"context"
	_ "embed"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

//go:embed stub/stub.c
var stubSource []byte

// kit is the folder on the host that a jail is built from: the stub under all
// its names, this program as the driver, and the tree for the analyses.
type kit struct{ dir string }

// newKit builds the kit in a new folder below the system's temporary one.
func newKit(ctx context.Context) (*kit, error) {
	dir, err := os.MkdirTemp("", "pi-guard-oracle-")
	if err != nil {
		return nil, fmt.Errorf("making the jail's folder: %w", err)
	}
	k := &kit{dir}
	for _, step := range []func(context.Context) error{k.makeFolders, k.buildStub, k.linkReal, k.copySelf} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

// Close removes the kit.
func (k *kit) Close() error { return os.RemoveAll(k.dir) }

func (k *kit) path(parts ...string) string {
	return filepath.Join(append([]string{k.dir}, parts...)...)
}

// root is where the analyses find the tree.
func (k *kit) root() string { return k.path("root") }

func (k *kit) makeFolders(context.Context) error {
	// Others may pass: the jail runs as another user where it can.
	if err := os.Chmod(k.dir, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"bin", "opt", "opt/real", "opt/sys", "etc"} {
		if err := os.MkdirAll(k.path(name), 0o755); err != nil {
			return err
		}
	}
	files := map[string]string{
		"etc/passwd":        "root:x:0:0:root:/root:/bin/bash\nu:x:1000:1000:u:" + homeDir + ":/bin/bash\n",
		"etc/group":         "root:x:0:\nu:x:1000:\n",
		"etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
		"etc/hosts":         "127.0.0.1 localhost\n",
	}
	for name, text := range files {
		if err := os.WriteFile(k.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return makeTree(k.root(), worldTree())
}

// buildStub compiles the stub and puts it under every name.
func (k *kit) buildStub(ctx context.Context) error {
	source := k.path("stub.c")
	if err := os.WriteFile(source, stubSource, 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "gcc", "-static", "-O2", "-o", k.path("opt", "stub"), source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the recording stub (needs gcc and libc6-dev): %w\n%s", err, out)
	}
	if err := os.Link(k.path("opt", "stub"), k.path("opt", "not-found")); err != nil {
		return err
	}
	for _, name := range allNames() {
		if err := os.Symlink(optDir+"/stub", k.path("bin", name)); err != nil {
			return err
		}
	}
	return nil
}

// linkReal names the real programs of the host that a line may use. They lie
// where no PATH leads, so that each is started through its stub and recorded.
func (k *kit) linkReal(context.Context) error {
	for _, name := range allNames() {
		host, err := filepath.EvalSymlinks(filepath.Join("/usr/bin", name))
		if err != nil {
			continue // the host does not have it: the stub stands for it
		}
		inside, ok := strings.CutPrefix(host, "/usr/bin/")
		if !ok {
			continue
		}
		if err := os.Symlink(optDir+"/sys/"+inside, k.path("opt", "real", name)); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(k.path("opt", "real", "bash")); err != nil {
		return fmt.Errorf("looking for bash: there must be one in /usr/bin: %w", err)
	}
	return nil
}

func (k *kit) copySelf(context.Context) error {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer self.Close()
	driver, err := os.OpenFile(k.path("opt", "driver"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(driver, self)
	return errors.Join(err, driver.Close())
}

// jail is one running jail. It is used by one goroutine at a time.
type jail struct {
	cmd  *exec.Cmd
	enc  *gob.Encoder
	dec  *gob.Decoder
	in   io.Closer
	said *tail
}

// builder makes the command that starts the driver in a jail of one kind;
// number keeps jails that run side by side apart.
type builder struct {
	name  string
	build func(ctx context.Context, k *kit, number int) *exec.Cmd
}

// builders are the kinds of jail, best first.
func builders() []builder {
	return []builder{{"bubblewrap", bubblewrap}, {"namespaces", namespaces}}
}

// openJail starts a jail of the best kind that works here.
func openJail(ctx context.Context, k *kit, number int) (*jail, error) {
	var failed []error
	for _, b := range builders() {
		j, err := startJail(ctx, k, b, number)
		if err == nil {
			return j, nil
		}
		failed = append(failed, err)
	}
	return nil, fmt.Errorf("no jail works here: install bubblewrap (apt-get install bubblewrap) "+
		"or allow user namespaces (sysctl user.max_user_namespaces): %w", errors.Join(failed...))
}

// startJail starts a jail of kind b and has it run one line.
func startJail(ctx context.Context, k *kit, b builder, number int) (*jail, error) {
	cmd := b.build(ctx, k, number)
	cmd.Env = []string{"PATH=" + searchPath}
	j := &jail{cmd: cmd, said: &tail{}}
	cmd.Stderr = j.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	j.in, j.enc, j.dec = in, gob.NewEncoder(in), gob.NewDecoder(out)
	got, err := j.run([]request{{Line: "X hello"}})
	if err != nil || len(got[0].Starts) != 1 || !slices.Equal(got[0].Starts[0].Argv, []string{"X", "hello"}) {
		return nil, fmt.Errorf("%s: a first line was not observed: %w", b.name, errors.Join(err, j.Close()))
	}
	return j, nil
}

// run has the jail run the lines of batch, in order.
func (j *jail) run(batch []request) ([]observation, error) {
	if err := j.enc.Encode(batch); err != nil {
		return nil, fmt.Errorf("speaking to the jail: %w: %s", err, j.said)
	}
	var got []observation
	if err := j.dec.Decode(&got); err != nil {
		return nil, fmt.Errorf("hearing from the jail: %w: %s", err, j.said)
	}
	if len(got) != len(batch) {
		return nil, fmt.Errorf("hearing from the jail: %d observations of %d lines", len(got), len(batch))
	}
	return got, nil
}

// Close ends the jail and everything in it.
func (j *jail) Close() error {
	_ = j.in.Close()
	if err := j.cmd.Wait(); err != nil {
		return fmt.Errorf("jail: %w: %s", err, j.said)
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4096):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
