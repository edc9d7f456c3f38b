package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/pi-guard/pi-guard/scripts/internal/pis"
	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a command of a scenario waits for what it demands. It
// is far more than ever needed: a scenario that is right never reaches it.
const patience = time.Minute

// rig is what all scenarios share.
type rig struct {
	root      string // the repository
	guard     string // the pi-guard program
	extension string // the extension's entry
}

func TestScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("end-to-end scenarios need both releases of pi")
	}
	if runtime.GOOS != "linux" {
		t.Skip("end-to-end scenarios look for processes in /proc")
	}
	r := newRig(t)
	for _, release := range pis.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			t.Parallel()
			install, err := release.Get(context.Background(), func(step string) { t.Log(step) })
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range []struct {
				dir  string
				mode mode
			}{
				{"print", printMode},
				{"rpc", rpcMode},
				{"tui", tuiMode},
				{"dialog", rpcMode},
				{"dialog", tuiMode},
			} {
				t.Run(run.dir+"-"+string(run.mode), func(t *testing.T) {
					t.Parallel()
					r.run(t, install, run.dir, run.mode)
				})
			}
		})
	}
}

func newRig(t *testing.T) rig {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	r := rig{
		root:      root,
		guard:     filepath.Join(t.TempDir(), "pi-guard"),
		extension: filepath.Join(root, "cmd", "pi-guard", "extension", "index.ts"),
	}
	build := exec.Command("go", "build", "-o", r.guard, "./cmd/pi-guard")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building pi-guard: %v\n%s", err, output)
	}
	return r
}

func (r rig) run(t *testing.T, install pis.Install, dir string, mode mode) {
	if mode == tuiMode {
		if _, err := exec.LookPath("tmux"); err != nil {
			t.Fatal("tmux is not on PATH: scripts/test installs it, or apt-get install tmux")
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", dir),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return r.setup(env, install, mode) },
		Cmds:                commands(),
		Condition: func(condition string) (bool, error) {
			switch condition {
			case string(printMode), string(rpcMode), string(tuiMode):
				return condition == string(mode), nil
			case "pi:" + install.Version:
				return true, nil
			}
			for _, other := range pis.Releases() {
				if condition == "pi:"+other.Version {
					return false, nil
				}
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
	})
}

// setup makes the scenario's home and project and puts it on the scene.
func (r rig) setup(env *testscript.Env, install pis.Install, mode mode) error {
	home, project := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "project")
	for _, dir := range []string{home, project} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	env.Cd = project
	tag := filepath.Base(filepath.Dir(env.WorkDir)) + "-" + filepath.Base(env.WorkDir) // unique by testscript's own folder
	for key, value := range map[string]string{
		"HOME": home, "PROJECT": project,
		"PATH":         filepath.Dir(r.guard) + ":" + filepath.Dir(install.Pi) + ":" + os.Getenv("PATH"),
		"PI_GUARD_BIN": r.guard,
		"PI_OFFLINE":   "1",
		"TERM":         "xterm-256color", "LANG": "C.UTF-8",
		tagVariable: tag,
	} {
		env.Setenv(key, value)
	}
	s := &scene{
		t: env.T(), work: env.WorkDir, mode: mode, tag: tag,
		args: []string{"--provider", "scripted", "--model", "scripted", "-e", r.extension},
		pi:   install.Pi, version: install.Version, home: home, project: project, docs: filepath.Join(r.root, "docs"),
	}
	env.Values[sceneKey{}] = s
	env.Defer(s.close)
	return nil
}
