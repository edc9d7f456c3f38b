package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/pi-guard/pi-guard/ledger"
	"github.com/pi-guard/pi-guard/profiles"
)

// gateCmd asks whether work may be handed over.
type gateCmd struct {
	Ask         gateAskCmd         `cmd:"" default:"withargs" help:"Say whether the evidence holds for the work tree as it is. Exit status 0 pass, 1 fail."`
	InstallHook gateInstallHookCmd `cmd:"" help:"Make git ask the gate before it pushes or commits."`
}

// gateAskCmd is the gate for people, CI and git hooks.
type gateAskCmd struct {
	evidenceFlags
	Task   string `help:"The task or task run to judge. Default: the work tree as it is." placeholder:"ID"`
	ByMode bool   `help:"Fail only where the profile enforces the gate, as git hooks do."`
}

// Run prints the gate's answer. Whatever keeps it from one is a failure.
func (c *gateAskCmd) Run(std streams) error {
	ctx := context.Background()
	l, diags, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, d := range diags {
		if d.Severity == profiles.Broken {
			return fmt.Errorf("what evidence is asked for is not known: %s", d)
		}
	}
	answer, err := l.Gate(ctx, ledger.GateQuery{TaskID: c.Task})
	if err != nil {
		return fmt.Errorf("asking the gate: %w", err)
	}
	if c.JSON {
		err = writeJSONLine(std.out, &answer)
	} else {
		_, err = fmt.Fprintln(std.out, answer.Text())
	}
	if err != nil {
		return err
	}
	if answer.Blocks() || answer.Decision == ledger.GateFail && !c.ByMode {
		return statusFailure
	}
	return nil
}

// gateInstallHookCmd writes a git hook.
type gateInstallHookCmd struct {
	Cwd  string `help:"The project directory. Default: the current one."`
	Hook string `arg:"" enum:"pre-push,pre-commit" help:"pre-push or pre-commit."`
}

// hookMark is the line that tells our hook from anyone else's.
const hookMark = "# Written by `pi-guard gate install-hook`, which also replaces it."

// Run writes the hook where git looks for it. A hook that somebody else wrote
// is left alone.
func (c *gateInstallHookCmd) Run(std streams) error {
	dir, prefix, err := c.places()
	if err != nil {
		return err
	}
	file := filepath.Join(dir, c.Hook)
	if err := replaceable(file); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making git's directory of hooks: %w", err)
	}
	if err := renameio.WriteFile(file, []byte(hookText(prefix)), 0o755, renameio.WithStaticPermissions(0o755)); err != nil {
		return fmt.Errorf("writing the hook: %w", err)
	}
	fmt.Fprintf(std.out, "%s asks the gate from now on\n", file)
	return nil
}

// places asks git where its hooks lie, and where below the root of the work
// tree the project does.
func (c *gateInstallHookCmd) places() (hooksDir, prefix string, err error) {
	git := exec.Command("git", "rev-parse", "--path-format=absolute", "--git-path", "hooks", "--show-prefix")
	git.Dir = c.Cwd
	var said strings.Builder
	git.Stderr = &said
	out, err := git.Output()
	if err != nil {
		return "", "", fmt.Errorf("asking git for its hooks: %s (%w): run it in a git work tree", strings.TrimSpace(said.String()), err)
	}
	hooksDir, prefix, _ = strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	return hooksDir, prefix, nil
}

// replaceable says why a hook must not be written over.
func replaceable(file string) error {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), hookMark+"\n") {
			return nil
		}
	}
	return fmt.Errorf("%s is there and is not pi-guard's: it was left alone. Add the line `pi-guard gate --by-mode || exit 1` to it", file)
}

// hookText is the hook for a project below the root of the work tree, where
// git starts hooks.
func hookText(prefix string) string {
	where := ""
	if prefix != "" {
		where = " --cwd '" + strings.ReplaceAll(prefix, "'", `'\''`) + "'"
	}
	return `#!/bin/sh
` + hookMark + `
guard=${PI_GUARD_BIN:-pi-guard}
if ! command -v "$guard" >/dev/null; then
	echo "pi-guard is not on PATH, so that the gate cannot be asked: put it there, or name it in PI_GUARD_BIN" >&2
	exit 1
fi
exec "$guard" gate --by-mode` + where + "\n"
}
