package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pi-guard/pi-guard/cmd/pi-guard/scripted"
)

// demoCmd is a short tour: real pi, guarded, with a scripted model, in a
// temporary project and home. Nothing of the user's own is touched.
type demoCmd struct {
	Print     bool   `help:"Go through the tour without a terminal; a scripted person answers."`
	Pi        string `help:"The pi to run." default:"pi"`
	Extension string `help:"The extension's index.ts. Default: that of the package around this program." type:"path"`
}

//go:embed demo.script
var demoScript string

// demoRequest is what the person says first; the scripted model does not mind.
const demoRequest = "Show me what the guard does."

// demoLimit is how long the tour without a terminal may take.
const demoLimit = 2 * time.Minute

// Run goes through the tour and shows the ledger.
func (c *demoCmd) Run(std streams) error {
	extension, err := c.extension()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pi-guard-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer os.RemoveAll(dir)
	d := demo{std: std, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project")}
	if err := d.makeProject(); err != nil {
		return fmt.Errorf("demo: making the project: %w", err)
	}
	turns, err := scripted.ParseScript(demoScript)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if d.model, err = scripted.StartModel(turns); err != nil {
		return err
	}
	defer d.model.Close()
	if err := d.model.Configure(d.home); err != nil {
		return err
	}

	args := []string{"--provider", scripted.Provider, "--model", scripted.Provider, "-e", extension}
	if c.Print {
		err = d.print(d.pi(c.Pi, append(args, "--mode", "rpc")))
	} else {
		err = d.show(d.pi(c.Pi, append(args, demoRequest)))
	}
	return errors.Join(err, d.ledger())
}

// extension is the file that pi is to load.
func (c *demoCmd) extension() (string, error) {
	if c.Extension != "" {
		return c.Extension, nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("demo: %w", err)
	}
	file := filepath.Join(filepath.Dir(program), "..", "cmd", "pi-guard", "extension", "index.ts")
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("demo: %s is not there: name the extension's index.ts with --extension", file)
	}
	return file, nil
}

// demo is one tour.
type demo struct {
	std           streams
	home, project string
	model         *scripted.Model
}

func (d *demo) makeProject() error {
	if err := os.MkdirAll(d.home, 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"README.md":      "# A project for the tour\n",
		"notes/ideas.md": "Worth keeping.\n",
	} {
		file := filepath.Join(d.project, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// pi is a pi that has not been started, in the tour's project and home, and
// guarded by this very program.
func (d *demo) pi(program string, args []string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = d.project
	cmd.Env = append(os.Environ(), "HOME="+d.home, "PI_OFFLINE=1")
	if self, err := os.Executable(); err == nil {
		cmd.Env = append(cmd.Env, "PI_GUARD_BIN="+self)
	}
	return cmd
}

// show hands the terminal to pi.
func (d *demo) show(pi *exec.Cmd) error {
	pi.Stdin, pi.Stdout, pi.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := pi.Run(); err != nil {
		return fmt.Errorf("demo: running %s: %w", pi.Path, err)
	}
	return nil
}

// print goes through the tour in pi's RPC mode and tells what happens. It
// fails when the tour does not go as its text says.
func (d *demo) print(pi *exec.Cmd) error {
	ctx, cancel := context.WithTimeout(context.Background(), demoLimit)
	defer cancel()
	person, err := scripted.Sit(pi)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = person.Leave(ctx) }()
	fmt.Fprintf(d.std.out, "Real pi, a scripted model, a temporary project.\n\nperson  %s\n", demoRequest)
	if _, err := person.Command(ctx, "prompt", map[string]any{"message": demoRequest}); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	tour := tour{out: d.std.out}
	for next := 0; !tour.over; {
		var event scripted.Event
		event, next, err = person.Await(ctx, next, func(scripted.Event) bool { return true })
		if err != nil {
			return fmt.Errorf("demo: pi did not finish the tour: %w", err)
		}
		if err := tour.tell(person, event); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if _, err := os.Stat(filepath.Join(d.project, "notes")); err == nil {
		return errors.New("demo: rm -rf notes was allowed and did not run")
	}
	return tour.check()
}

// ledger prints what really ran.
func (d *demo) ledger() error {
	file := filepath.Join(d.project, ".pi", "piagent-state", "observed-bash.jsonl")
	records, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("demo: the ledger: %w", err)
	}
	fmt.Fprintf(d.std.out, "\nThe ledger, %s: what really ran.\n", filepath.Join(".pi", "piagent-state", filepath.Base(file)))
	_, err = io.Copy(d.std.out, bytes.NewReader(records))
	return err
}
