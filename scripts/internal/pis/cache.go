package pis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// typescript is the compiler that checks the extension's types.
const typescript = "typescript@7.0.2"

// TypeScript returns the path of tsc in the cache, after installing it there
// when it is missing.
func TypeScript(ctx context.Context) (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", fmt.Errorf("getting %s: %w", typescript, err)
	}
	dir := filepath.Join(cache, strings.ReplaceAll(typescript, "@", "-"))
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", fmt.Errorf("getting %s: %w", typescript, err)
	}
	defer unlock()
	tsc := filepath.Join(dir, "node_modules", ".bin", "tsc")
	if _, err := os.Stat(tsc); err == nil {
		return tsc, nil
	}
	if err := npmInstall(ctx, dir, typescript); err != nil {
		return "", fmt.Errorf("getting %s: %w", typescript, err)
	}
	return tsc, nil
}

// npmInstall installs packages ("name@version") into a new dir, which appears
// whole or not at all.
func npmInstall(ctx context.Context, dir string, packages ...string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return errors.New("npm is not on PATH: install Node.js 20 or newer with npm (on Debian and Ubuntu: apt-get install nodejs npm)")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	args := append([]string{"install", "--prefix", fresh, "--no-audit", "--no-fund", "--loglevel=error"}, packages...)
	cmd := exec.CommandContext(ctx, npm, args...)
	cmd.Dir = fresh
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm install %s: %w\n%s\nIs the npm registry within reach? npm ping tells", strings.Join(packages, " "), err, output)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}

// CacheDir is where releases are kept: PI_GUARD_CACHE, or pi-guard below the
// user's cache folder (XDG_CACHE_HOME, ~/.cache).
func CacheDir() (string, error) {
	if dir := os.Getenv("PI_GUARD_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: set PI_GUARD_CACHE to one: %w", err)
	}
	return filepath.Join(dir, "pi-guard"), nil
}

func lock(ctx context.Context, file string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	l := flock.New(file)
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("waiting for %s: %w", file, err)
	}
	return func() { _ = l.Unlock() }, nil
}

// lockRetry is how often a process that waits for another looks again.
const lockRetry = 200 * time.Millisecond
