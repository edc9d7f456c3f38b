package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/rpc"
)

// doctorCmd looks at everything that has to be right for pi to be guarded.
type doctorCmd struct {
	Cwd string `help:"The project to look at. Default: the current directory."`
}

// finding is what the doctor says of one thing.
type finding struct {
	level string // "ok", "warn" or "fail"
	text  string
	fix   string // what to do, "" for ok
}

// patience is how long pi or a guard may take to answer the doctor.
const patience = 10 * time.Second

// Run prints the findings. It fails when one of them does.
func (c *doctorCmd) Run(std streams) error {
	here, err := standing(c.Cwd, "")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	failed := false
	for _, look := range []func(context.Context, where) []finding{lookAtServe, lookAtPi, lookAtSettings, lookAtData, lookAtPolicy, lookAtBash} {
		for _, f := range look(ctx, here) {
			failed = failed || f.level == "fail"
			fmt.Fprintf(std.out, "%-4s  %s\n", f.level, f.text)
			if f.fix != "" {
				fmt.Fprintf(std.out, "      what to do: %s\n", f.fix)
			}
		}
	}
	if failed {
		return statusFailure
	}
	return nil
}

// lookAtServe starts a guard as the extension would and speaks to it.
func lookAtServe(ctx context.Context, _ where) []finding {
	start := time.Now()
	answer, err := handshake(ctx)
	if err != nil {
		return []finding{{"fail", "the guard does not start: " + err.Error(), "build or install pi-guard again"}}
	}
	return []finding{{"ok", fmt.Sprintf("pi-guard %s answers, protocol %d, in %d ms", answer.Version, answer.Protocol, time.Since(start).Milliseconds()), ""}}
}

func handshake(ctx context.Context) (rpc.Initialized, error) {
	exe, err := os.Executable()
	if err != nil {
		return rpc.Initialized{}, err
	}
	guard := exec.CommandContext(ctx, exe, "serve")
	in, err := guard.StdinPipe()
	if err != nil {
		return rpc.Initialized{}, err
	}
	out, err := guard.StdoutPipe()
	if err != nil {
		return rpc.Initialized{}, err
	}
	if err := guard.Start(); err != nil {
		return rpc.Initialized{}, err
	}
	defer func() { _ = guard.Wait() }() // it has answered; how it ends says nothing more
	defer in.Close()
	if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":%d}}`+"\n", rpc.Version); err != nil {
		return rpc.Initialized{}, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return rpc.Initialized{}, err
	}
	var answer struct {
		Result rpc.Initialized
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return rpc.Initialized{}, err
	}
	if answer.Error != nil {
		return rpc.Initialized{}, errors.New(answer.Error.Message)
	}
	return answer.Result, nil
}

func lookAtPi(ctx context.Context, _ where) []finding {
	path, err := exec.LookPath("pi")
	if err != nil {
		return []finding{{"warn", "no pi is on PATH", "npm install -g @earendil-works/pi-coding-agent, or use scripts/run"}}
	}
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return []finding{{"fail", fmt.Sprintf("%s does not start: %v", path, err), "run pi --version and read what it says"}}
	}
	return []finding{{"ok", "pi " + strings.TrimSpace(string(out)) + " at " + path, ""}}
}

func lookAtSettings(context.Context, where) []finding {
	p, err := userPlace()
	if err != nil {
		return []finding{{"fail", err.Error(), "unset the variable or correct it"}}
	}
	settings, _, err := p.read()
	if err != nil {
		return []finding{{"fail", err.Error(), "mend pi's settings by hand"}}
	}
	var found []string
	for _, source := range settings.packages() {
		if isGuardPackage(p.local(source)) || strings.Contains(source, "pi-guard") {
			found = append(found, source)
		}
	}
	switch len(found) {
	case 0:
		return []finding{{"warn", "pi's settings do not name pi-guard", "pi-guard install, or pi install with the repository's directory, or pi -e with the extension's index.ts"}}
	case 1:
		return []finding{{"ok", "pi loads pi-guard from " + found[0], ""}}
	}
	return []finding{{"fail", "pi loads pi-guard more than once: " + strings.Join(found, ", "), "keep one of them: pi remove SOURCE"}}
}

func lookAtData(context.Context, where) []finding {
	opts, err := hooks.DefaultOptions()
	if err != nil {
		return []finding{{"fail", err.Error(), "set HOME, or PI_GUARD_DATA to an absolute path"}}
	}
	info, err := os.Stat(opts.DataDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []finding{{"ok", "the data directory " + opts.DataDir + " will be made when it is needed", ""}}
	case err != nil:
		return []finding{{"fail", err.Error(), "make the data directory readable, or set PI_GUARD_DATA"}}
	case !info.IsDir():
		return []finding{{"fail", opts.DataDir + " is no directory", "move it away, or set PI_GUARD_DATA"}}
	case info.Mode().Perm()&0o022 != 0:
		return []finding{{"fail", opts.DataDir + " can be written by others", "chmod 700 " + opts.DataDir}}
	}
	probe, err := os.CreateTemp(opts.DataDir, ".doctor-")
	if err != nil {
		return []finding{{"fail", "the data directory cannot be written: " + err.Error(), "make it writable, or set PI_GUARD_DATA"}}
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	return []finding{{"ok", "the data directory is " + opts.DataDir, ""}}
}

func lookAtPolicy(ctx context.Context, w where) []finding {
	opts, err := hooks.DefaultOptions()
	if err != nil {
		return nil // lookAtData has said so
	}
	policy, diags := hooks.LoadPolicy(ctx, w.cwd, w.home, opts.DataDir)
	found := []finding{{"ok", "the policy has the modes " + strings.Join(policy.Modes(), ", "), ""}}
	for _, d := range diags {
		found = append(found, finding{"warn", d.String(), "correct the file; until then the policy is stricter"})
	}
	return found
}

func lookAtBash(context.Context, where) []finding {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return []finding{{"ok", "bash is " + path, ""}}
		}
	}
	if path, err := exec.LookPath("bash"); err == nil {
		return []finding{{"ok", "bash is " + filepath.Clean(path), ""}}
	}
	return []finding{{"fail", "SHELL_NOT_FOUND: there is no bash", "install bash"}}
}
