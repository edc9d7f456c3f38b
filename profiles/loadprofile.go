package profiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// profileFile is where the project's profile is: PIAGENT_PROFILE names another
// file (R).
func (l *loader) profileFile() string {
	if file, set := l.src.Getenv("PIAGENT_PROFILE"); set && file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(l.src.Project, file)
		}
		return file
	}
	return ProfileFile(l.src.Project)
}

// loadProfile reads the project's profile. One that is broken, or that extends
// a preset that does not exist, is read-only (R).
func (l *loader) loadProfile(p *Policy) {
	if l.src.Project == "" {
		return
	}
	file := l.profileFile()
	profile := &Profile{}
	before := len(l.diags)
	found := l.read(file, profile)
	if found == absent {
		return
	}
	if profile.Extends != "" {
		base, ok := Preset(profile.Extends)
		if !ok {
			l.add(Diagnostic{
				Severity: Broken, File: file, Key: "extends", Problem: fmt.Sprintf("there is no preset %q", profile.Extends),
				Fix: presetFix(profile.Extends),
			})
			found = broken
		} else {
			l.diags = l.diags[:before]
			profile = base
			found = l.read(file, profile)
		}
	}
	l.checkProfile(p, profile, file)
	if found == broken {
		profile.PermissionProfile = ReadOnly
	}
	p.profile = profile
	named, _ := l.src.Getenv("PIAGENT_PROFILE")
	p.profileTrusted = (l.src.ProfileTrusted || named != "") && found == sound
}

func presetFix(name string) string {
	if near := nearest(name, Presets()); near != "" {
		return fmt.Sprintf("Did you mean %q?", near)
	}
	return "Write one of: " + strings.Join(Presets(), ", ")
}

// checkProfile reports what a profile lacks and what it has no say in.
func (l *loader) checkProfile(p *Policy, profile *Profile, file string) {
	if profile.SchemaVersion != 1 {
		l.warn(file, "schemaVersion", fmt.Sprintf("this is version %d", profile.SchemaVersion), "Write 1")
	}
	if profile.ProjectID != "" && !projectID.MatchString(profile.ProjectID) {
		l.warn(file, "projectId", fmt.Sprintf("%q is no project id", profile.ProjectID), "Use lower-case letters, digits and hyphens")
	}
	for category, on := range profile.HardGates {
		if !on {
			l.warn(file, "hardGates."+category, "a project cannot switch a hard gate off", "Remove it; a mode of the global permission-mode.json can")
		}
	}
	for _, pattern := range slices.Concat(profile.ProtectedPaths, profile.ReadOnlyPaths, profile.ShellProtectedPaths) {
		if pattern == "" || pattern == "/" {
			l.warn(file, "protectedPaths", fmt.Sprintf("the pattern %q protects nothing", pattern), "Remove it")
		}
	}
}

// protect compiles everything that is protected whatever the rules say.
func (l *loader) protect(p *Policy) {
	s := &p.protected
	s.rows = l.shipped.protected
	s.sealed = slices.Clone(stateSegments)
	if dir := l.src.AgentDir; dir != "" {
		s.sealed = append(s.sealed,
			sealedPath{path: filepath.Join(dir, "permission-mode"), reason: "the guard's own rules"},
			sealedPath{path: filepath.Join(dir, "permission-mode.json"), reason: "the guard's own rules"},
			dataDir(filepath.Join(dir, "pi-guard")),
		)
	}
	if l.src.DataDir != "" {
		s.sealed = append(s.sealed, dataDir(filepath.Clean(l.src.DataDir)))
	}
	if p.project != "" {
		s.sealed = append(s.sealed, sealedPath{path: filepath.Join(p.project, ".pi", "piagent-state"), reason: stateSegments[0].reason})
	}
	s.sealed = append(s.sealed, sealedPath{path: filepath.Dir(l.src.ManagedFile), reason: "the organisation's rules"})
	for _, file := range l.src.Installed {
		s.sealed = append(s.sealed, sealedPath{path: filepath.Clean(file), readable: true, reason: "the guard's own program"})
	}
	l.protectLists(p)
}

// dataDir is the guard's data directory; scratch directories lie in it and have
// a root of their own (F8).
func dataDir(dir string) sealedPath {
	return sealedPath{path: dir, open: filepath.Join(dir, "scratch"), reason: "the guard's own data"}
}

// protectLists compiles R's lists of profile, base and managed policy.
func (l *loader) protectLists(p *Policy) {
	s := &p.protected
	add := func(list *[]pathPattern, patterns []string, file string) {
		for _, text := range patterns {
			*list = append(*list, compilePathPattern(text, p.home, file)...)
		}
	}
	add(&s.noAccess, p.base.ProtectedPaths, "base-policy.json")
	add(&s.noAccess, p.managed.ProtectedPaths, l.src.ManagedFile)
	add(&s.readOnly, p.managed.ReadOnlyPaths, l.src.ManagedFile)
	add(&s.shell, p.base.ShellProtectedPaths, "base-policy.json")
	if p.profile == nil {
		return
	}
	file := l.profileFile()
	add(&s.noAccess, p.profile.ProtectedPaths, file)
	add(&s.readOnly, p.profile.ReadOnlyPaths, file)
	add(&s.shell, p.profile.ShellProtectedPaths, file)
}
