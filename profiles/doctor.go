package profiles

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// ProfileDoctor checks the project's profile against the project (R
// profile-doctor). root is the project's directory. Findings of severity error
// fail the check.
func (p *Policy) ProfileDoctor(root fs.FS) []Diagnostic {
	d := &doctor{file: ProfileFile(p.project)}
	if p.profile == nil {
		d.err("", "the project has no profile", "Run pi-guard profile init")
		return d.out
	}
	d.identity(p.profile)
	d.files(p.profile, root)
	d.lists(p.profile)
	d.lock(p.profile, root)
	d.commands(p.profile)
	if status := p.Permission(Session{}); status.Warning != "" {
		d.warn("permissionProfile", status.Warning, "Write a profile that is allowed here")
	}
	return d.out
}

// doctor collects findings about one file.
type doctor struct {
	file string
	out  []Diagnostic
}

func (d *doctor) err(key, problem, fix string) {
	d.out = append(d.out, Diagnostic{Severity: Broken, File: d.file, Key: key, Problem: problem, Fix: fix})
}

func (d *doctor) warn(key, problem, fix string) {
	d.out = append(d.out, Diagnostic{Severity: Warned, File: d.file, Key: key, Problem: problem, Fix: fix})
}

func (d *doctor) identity(p *Profile) {
	if p.SchemaVersion != 1 {
		d.err("schemaVersion", fmt.Sprintf("it is %d", p.SchemaVersion), "Write 1")
	}
	if !projectID.MatchString(p.ProjectID) {
		d.err("projectId", fmt.Sprintf("%q is no project id", p.ProjectID), "Write lower-case letters, digits and hyphens, beginning with a letter or digit")
	}
	if p.DisplayName == "" {
		d.err("displayName", "it is empty", "Write the project's name for people")
	}
	if p.Mode == "" {
		d.err("mode", "it is empty", "Write the kind of project, or extends with a preset")
	} else if !slices.Contains(Presets(), p.Mode) {
		d.warn("mode", fmt.Sprintf("%q is none of the shipped kinds of project", p.Mode), presetFix(p.Mode))
	}
}

// files checks that what the profile names is there.
func (d *doctor) files(p *Profile, root fs.FS) {
	exists := func(name string) bool {
		_, err := fs.Stat(root, strings.TrimSuffix(name, "/"))
		return err == nil
	}
	switch {
	case len(p.RootMarkers) == 0:
		d.warn("rootMarkers", "nothing marks the project's root", "Name a file that is always there, such as .git")
	case !slices.ContainsFunc(p.RootMarkers, exists):
		d.err("rootMarkers", "none of "+strings.Join(p.RootMarkers, ", ")+" is here", "Name a file of the project's root, or run in it")
	}
	for _, name := range p.RequiredContext {
		if !exists(name) {
			d.warn("requiredContext", name+" does not exist", "Write the file, or take it out of the list")
		}
	}
}

// lists checks the lists of paths and capabilities.
func (d *doctor) lists(p *Profile) {
	if len(p.ProtectedPaths) == 0 {
		d.warn("protectedPaths", "nothing is protected", "Name what no tool should read, such as **/.env")
	}
	if len(p.MCPCapabilities) == 0 {
		d.warn("mcpCapabilities", "no capability is granted", "Name what other tools may use, such as filesystem-readonly")
	}
	d.shellOnly(p)
	if n := len(p.CapabilitySources); n > 16 {
		d.err("capabilitySources", fmt.Sprintf("there are %d, more than 16", n), "Remove some")
	}
	if c := p.CapabilityPolicy; c != nil && max(len(c.AllowedFilesystemRead), len(c.AllowedFilesystemWrite)) > 128 {
		d.err("capabilityPolicy", "a list of paths has more than 128 entries", "Use patterns for directories")
	}
}

// shellOnly reports paths that are protected from commands alone, as older
// profiles have them (R).
func (d *doctor) shellOnly(p *Profile) {
	for _, pattern := range p.ShellProtectedPaths {
		if !slices.Contains(p.ProtectedPaths, pattern) && !slices.Contains(p.ReadOnlyPaths, pattern) {
			d.warn("shellProtectedPaths", fmt.Sprintf("%q is protected from commands only; read, write and edit reach it", pattern),
				"Move it to protectedPaths, or to readOnlyPaths where reading is meant")
		}
	}
}

// lock checks that capability packs are those of the lock file (R).
func (d *doctor) lock(p *Profile, root fs.FS) {
	if len(p.CapabilityPacks) == 0 {
		return
	}
	const name = ".pi/piagent-profile.lock.json"
	data, err := fs.ReadFile(root, name)
	if err != nil {
		d.warn("capabilityPacks", "there is no "+name+", so the packs are not pinned", "Commit the lock file")
		return
	}
	var lock struct {
		Packs map[string]struct {
			Version string `json:"version"`
		} `json:"packs"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		d.err("capabilityPacks", name+" cannot be read: "+err.Error(), "Make it anew")
		return
	}
	for _, pack := range p.CapabilityPacks {
		if got := lock.Packs[pack.Name].Version; got != pack.Version {
			d.err("capabilityPacks", fmt.Sprintf("%s is %q in the profile and %q in %s", pack.Name, pack.Version, got, name), "Make the lock file anew")
		}
	}
}

// commands checks the verify commands.
func (d *doctor) commands(p *Profile) {
	count := 0
	for _, group := range slices.Sorted(maps.Keys(p.VerifyCommands)) {
		for _, command := range p.VerifyCommands[group] {
			key := "verifyCommands." + group
			switch {
			case strings.TrimSpace(command) == "":
				d.err(key, "a command is empty", "Remove it")
			case !meaningful(command):
				d.warn(key, fmt.Sprintf("%q proves nothing", command), "Name the command that runs the tests")
			case group != "docsOnly":
				count++
			}
			if strings.Contains(command, "|| true") || strings.Contains(command, "|| :") {
				d.warn(key, fmt.Sprintf("%q passes whatever happens", command), "Take the || away")
			}
		}
	}
	if count == 0 {
		d.err("verifyCommands", "no command proves a change of source", `Write {"source": ["…"]} with the commands that run lint and tests`)
	}
}

// TeamDoctor checks what holds for the whole machine: that configuration is
// sound, is the person's own, and is not looser than what is shipped (R
// team-doctor). diags is what Load reported.
func (p *Policy) TeamDoctor(src Sources, diags []Diagnostic) []Diagnostic {
	l := &loader{src: src}
	l.fillIn()
	out := slices.Clone(diags)
	for _, dir := range []string{filepath.Join(l.src.AgentDir, "permission-mode"), l.src.DataDir} {
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o022 != 0 {
			out = append(out, Diagnostic{
				Severity: Broken, File: dir, Problem: "others can write it, and so loosen the policy", Fix: "Run chmod go-w " + dir,
			})
		}
	}
	for _, name := range p.names {
		m := p.modes[name]
		if !m.HardGates && !m.Sandbox.Enabled && m.BypassProtectedPaths && m.Name != "yolo" {
			out = append(out, Diagnostic{
				Severity: Warned, File: GlobalFile(l.src.AgentDir), Key: "modes." + name,
				Problem: "this mode has no sandbox, no hard gates and no protected paths", Fix: "Use yolo for that, and keep this mode guarded",
			})
		}
	}
	if p.profile != nil {
		d := &doctor{file: ProfileFile(p.project)}
		d.shellOnly(p.profile)
		out = append(out, d.out...)
	}
	return append(out, p.Audit()...)
}

// Difference is one field in which two profiles differ.
type Difference struct {
	Key  string `json:"key"`
	Base any    `json:"base"`
	Own  any    `json:"own"`
}

// Diff are the fields in which p differs from base, in the order of the schema.
func (p *Profile) Diff(base *Profile) []Difference {
	var out []Difference
	a, b := reflect.ValueOf(base).Elem(), reflect.ValueOf(p).Elem()
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			out = append(out, Difference{a.Type().Field(i).Tag.Get("json"), a.Field(i).Interface(), b.Field(i).Interface()})
		}
	}
	return out
}
