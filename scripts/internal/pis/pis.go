// Package pis knows the releases of pi that pi-guard is held to and gets them
// from the npm registry into a cache folder, with a Node that is new enough.
package pis

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Release is one release of pi.
type Release struct {
	Version string
	// Package is the npm package that holds it.
	Package string
	// entry is the program below the package's folder.
	entry string
	// node is the oldest Node it runs on, major and minor.
	node [2]int
}

// Newest is the release that a machine without pi gets.
const Newest = "1.6.0"

// Releases are the releases that the tests run against, newest first.
func Releases() []Release {
	return []Release{
		{Version: Newest, Package: "@earendil-works/pi-coding-agent", entry: "dist/bundle/cli.js", node: [2]int{22, 19}},
		{Version: "0.73.1", Package: "@mariozechner/pi-coding-agent", entry: "dist/cli.js", node: [2]int{20, 6}},
	}
}

// ByVersion finds a release.
func ByVersion(version string) (Release, error) {
	var known []string
	for _, r := range Releases() {
		if r.Version == version {
			return r, nil
		}
		known = append(known, r.Version)
	}
	return Release{}, fmt.Errorf("pi %s is not a release that pi-guard is tested with: write one of %s", version, strings.Join(known, ", "))
}

// Install is a release in the cache, ready to run.
type Install struct {
	Release
	// Dir holds node_modules.
	Dir string
	// Pi is the program to run.
	Pi string
	// Node is the Node that runs it.
	Node string
}

// PackageDir is the folder of pi's own package: its docs and its types.
func (i Install) PackageDir() string {
	return filepath.Join(i.Dir, "node_modules", filepath.FromSlash(i.Package))
}

// nodePackage is the npm package that holds a Node binary, for machines whose
// own is too old.
const nodePackage = "node@22"

// Get returns the release from the cache, after installing it there when it
// is missing. Processes that ask for the same release at the same time wait
// for the first. say is told about every step that takes long.
func (r Release) Get(ctx context.Context, say func(string)) (Install, error) {
	cache, err := CacheDir()
	if err != nil {
		return Install{}, fmt.Errorf("getting pi %s: %w", r.Version, err)
	}
	dir := filepath.Join(cache, "pi-"+r.Version)
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return Install{}, fmt.Errorf("getting pi %s: %w", r.Version, err)
	}
	defer unlock()

	if install, err := r.open(ctx, dir); err == nil {
		return install, nil
	}
	packages := []string{r.Package + "@" + r.Version}
	if !newEnough(ctx, "node", r.node) {
		say(fmt.Sprintf("Node %d.%d or newer is not on PATH: taking one from the npm package node as well", r.node[0], r.node[1]))
		packages = append(packages, nodePackage)
	}
	say(fmt.Sprintf("installing pi %s with npm into %s", r.Version, dir))
	if err := npmInstall(ctx, dir, packages...); err != nil {
		return Install{}, fmt.Errorf("getting pi %s: %w", r.Version, err)
	}
	if err := r.writeLauncher(dir); err != nil {
		return Install{}, fmt.Errorf("getting pi %s: %w", r.Version, err)
	}
	return r.open(ctx, dir)
}

// open checks that the release lies whole in dir and that a Node can run it.
func (r Release) open(ctx context.Context, dir string) (Install, error) {
	install := Install{Release: r, Dir: dir, Pi: filepath.Join(dir, "bin", "pi"), Node: ownNode(dir)}
	if _, err := os.Stat(install.Pi); err != nil {
		return Install{}, err
	}
	if _, err := os.Stat(install.Node); err != nil {
		install.Node = "node"
	}
	if !newEnough(ctx, install.Node, r.node) {
		return Install{}, fmt.Errorf("%s is older than %d.%d, which pi %s needs", install.Node, r.node[0], r.node[1], r.Version)
	}
	return install, nil
}

func ownNode(dir string) string { return filepath.Join(dir, "node_modules", ".bin", "node") }

// writeLauncher writes bin/pi, which runs the release with the right Node. It
// is written last: where it exists, the installation is whole.
func (r Release) writeLauncher(dir string) error {
	node := "node"
	if _, err := os.Stat(ownNode(dir)); err == nil {
		node = ownNode(dir)
	}
	entry := filepath.Join(dir, "node_modules", filepath.FromSlash(r.Package), filepath.FromSlash(r.entry))
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", node, entry)
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "bin", "pi"), []byte(text), 0o755)
}

// newEnough reports whether node runs and is at least the given version.
func newEnough(ctx context.Context, node string, oldest [2]int) bool {
	output, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return false
	}
	version, ok := parseVersion(string(output))
	return ok && (version[0] > oldest[0] || version[0] == oldest[0] && version[1] >= oldest[1])
}

// parseVersion reads major and minor of "v22.19.0\n".
func parseVersion(text string) (version [2]int, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(text), "v"), ".", 3)
	if len(parts) < 2 {
		return version, false
	}
	for i := range version {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return version, false
		}
		version[i] = n
	}
	return version, true
}
