package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/pi-guard/pi-guard/hooks"
)

//go:embed extension/*.ts
var extensionFiles embed.FS

// installCmd puts the extension in place for the user.
type installCmd struct{}

// uninstallCmd takes it away.
type uninstallCmd struct{}

// place is where the extension of a user lies and where pi is told of it.
type place struct {
	// dir is the package that pi loads; record remembers what the settings
	// were before.
	dir, record string
	// agent is pi's directory, settings its settings.
	agent, settings string
}

// installed is what install remembers for uninstall.
type installed struct {
	// Existed is false when there were no settings; Listed is false when they
	// had no list of packages.
	Existed bool `json:"existed"`
	Listed  bool `json:"listed"`
	// Before and After are the settings as they were and as install left them.
	Before []byte `json:"before"`
	After  []byte `json:"after"`
}

// userPlace is the place of the current user.
func userPlace() (place, error) {
	opts, err := hooks.DefaultOptions()
	if err != nil {
		return place{}, err
	}
	agent := os.Getenv("PI_CODING_AGENT_DIR")
	switch {
	case agent == "":
		agent = filepath.Join(opts.Home, ".pi", "agent")
	case agent == "~" || strings.HasPrefix(agent, "~/"):
		agent = filepath.Join(opts.Home, strings.TrimPrefix(agent, "~"))
	}
	if !filepath.IsAbs(agent) {
		return place{}, fmt.Errorf("PI_CODING_AGENT_DIR is %q: write an absolute path", agent)
	}
	return place{
		dir: filepath.Join(opts.DataDir, "package"), record: filepath.Join(opts.DataDir, "install.json"),
		agent: agent, settings: filepath.Join(agent, "settings.json"),
	}, nil
}

// Run writes the package and names it in pi's settings. Doing it again renews
// the package and leaves the settings as they are.
func (installCmd) Run(std streams) error {
	p, err := userPlace()
	if err != nil {
		return err
	}
	settings, existed, err := p.read()
	if err != nil {
		return err
	}
	listed := false
	for _, source := range settings.packages() {
		switch dir := p.local(source); {
		case dir == p.dir:
			listed = true
		case isGuardPackage(dir):
			return fmt.Errorf("pi already loads pi-guard from %s: two guards would ask everything twice; run \"pi remove %s\" first", dir, source)
		}
	}
	if err := p.unpack(); err != nil {
		return err
	}
	if !listed {
		if err := p.enter(settings, existed); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(std.out, "pi-guard is installed: pi loads it from %s at its next start.\nTake it away with \"pi-guard uninstall\".\n", p.dir)
	return err
}

// Run takes the entry out of pi's settings and the package away. Settings that
// nobody has touched since are restored to the byte.
func (uninstallCmd) Run(std streams) error {
	p, err := userPlace()
	if err != nil {
		return err
	}
	settings, existed, err := p.read()
	if err != nil {
		return err
	}
	removed := false
	if existed {
		if removed, err = p.leave(settings); err != nil {
			return err
		}
	}
	for _, path := range []string{p.dir, p.record} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("uninstall: %w", err)
		}
	}
	text := "pi-guard was not installed for pi; nothing was changed in its settings.\n"
	if removed {
		text = "pi-guard is uninstalled: pi no longer loads it. Evidence and session states stay in " + filepath.Dir(p.dir) + ".\n"
	}
	_, err = fmt.Fprint(std.out, text)
	return err
}

// read reads the settings; existed is false when there are none.
func (p place) read() (s *piSettings, existed bool, err error) {
	data, err := os.ReadFile(p.settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("read pi's settings: %w", err)
	}
	existed = err == nil
	s, err = readSettings(p.settings, data)
	return s, existed, err
}

// local is the directory that a local package source names, "" for any other.
func (p place) local(source string) string {
	switch {
	case source == "" || strings.Contains(source, ":"):
		return ""
	case strings.HasPrefix(source, "~/"):
		return filepath.Join(filepath.Dir(filepath.Dir(p.agent)), source[2:])
	case filepath.IsAbs(source):
		return filepath.Clean(source)
	}
	return filepath.Join(p.agent, source)
}

// isGuardPackage reports whether a directory holds a package named pi-guard.
func isGuardPackage(dir string) bool {
	if dir == "" {
		return false
	}
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var manifest struct {
		Name string `json:"name"`
	}
	return err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Name == "pi-guard"
}

// unpack writes the package: the extension, and a link to this program.
func (p place) unpack() error {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return fmt.Errorf("install: find this program: %w", err)
	}
	for _, dir := range []string{"extension", "bin"} {
		if err := os.MkdirAll(filepath.Join(p.dir, dir), 0o700); err != nil {
			return fmt.Errorf("install: %w", err)
		}
	}
	manifest := fmt.Sprintf("{\n  \"name\": \"pi-guard\",\n  \"version\": %q,\n  \"type\": \"module\",\n  \"pi\": {\n    \"extensions\": [\n      \"./extension/index.ts\"\n    ]\n  }\n}\n", version)
	if err := renameio.WriteFile(filepath.Join(p.dir, "package.json"), []byte(manifest), 0o600); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	err = fs.WalkDir(extensionFiles, "extension", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := extensionFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return renameio.WriteFile(filepath.Join(p.dir, filepath.FromSlash(name)), data, 0o600)
	})
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := renameio.Symlink(exe, filepath.Join(p.dir, "bin", "pi-guard")); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return nil
}

// enter names the package in the settings. What they were is remembered first.
func (p place) enter(settings *piSettings, existed bool) error {
	record := installed{
		Existed: existed, Listed: settings.member("packages") != nil,
		Before: settings.data, After: settings.with(p.dir),
	}
	data, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	if err := renameio.WriteFile(p.record, data, 0o600); err != nil {
		return fmt.Errorf("install: remember the settings: %w", err)
	}
	if err := os.MkdirAll(p.agent, 0o700); err != nil {
		return fmt.Errorf("install: %w", err)
	}
	return p.write(record.After)
}

// leave takes the package out of the settings.
func (p place) leave(settings *piSettings) (removed bool, err error) {
	var record installed
	data, err := os.ReadFile(p.record)
	if err == nil {
		err = json.Unmarshal(data, &record)
	}
	known := err == nil
	if known && string(record.After) == string(settings.data) {
		if !record.Existed {
			return true, os.Remove(p.settings)
		}
		return true, p.write(record.Before)
	}
	text, found := settings.without(p.dir, known && !record.Listed)
	if !found {
		return false, nil
	}
	return true, p.write(text)
}

// write replaces the settings at once, keeping their mode, and following a
// link that some people keep them behind.
func (p place) write(text []byte) error {
	path, mode := p.settings, fs.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err := renameio.WriteFile(path, text, mode, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("write pi's settings: %w", err)
	}
	return nil
}
