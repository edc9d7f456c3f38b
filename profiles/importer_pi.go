package profiles

import (
	"fmt"
	"strings"
)

// permissionSystem reads the configuration of pi-permission-system, of either
// kind: one block permission by surface, or sections with a defaultPolicy.
func (im *importer) permissionSystem() {
	m := im.mode("default")
	if permission, ok := im.root.child("permission"); ok {
		im.flatPermission(m, permission)
		return
	}
	if policy, ok := im.root.child("defaultPolicy"); ok {
		policy.members(func(key string, _, value node) {
			text, _ := value.text()
			for _, surface := range sectionSurfaces[key] {
				im.addAction(m, value, surface, "*", text)
			}
		})
	}
	im.root.members(func(section string, _, value node) {
		switch section {
		case "defaultPolicy", "$schema":
		case "tools", "bash", "mcp", "skills", "special":
			value.members(func(pattern string, at, inner node) {
				text, _ := inner.text()
				im.sectionRule(m, at, section, pattern, text)
			})
		default:
			im.note(value, "%s has no equivalent here", section)
		}
	})
}

// sectionSurfaces are the surfaces that a default of defaultPolicy is about.
var sectionSurfaces = map[string][]Surface{
	"tools": {SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs, SurfaceWrite, SurfaceEdit, SurfaceTool, SurfaceWebSearch},
	"bash":  {SurfaceBash}, "mcp": {SurfaceTool}, "skills": {SurfaceSkill}, "special": {SurfaceExternal},
}

// sectionRule adds one rule of a section.
func (im *importer) sectionRule(m *importedMode, at node, section, pattern, text string) {
	switch section {
	case "bash":
		im.addAction(m, at, SurfaceBash, pattern, text)
	case "skills":
		im.addAction(m, at, SurfaceSkill, pattern, text)
	case "mcp":
		im.addAction(m, at, SurfaceTool, mcpName(pattern), text)
	case "special":
		if target, ok := strings.CutPrefix(pattern, "external_directory"); ok {
			im.addAction(m, at, SurfaceExternal, orElse(strings.TrimPrefix(target, ":"), "*"), text)
			return
		}
		im.note(at, "%s has no equivalent here", pattern)
	case "tools":
		tool, path, _ := strings.Cut(pattern, ":")
		if tool == "*" {
			for _, surface := range sectionSurfaces["tools"] {
				im.addAction(m, at, surface, "*", text)
			}
			return
		}
		if surface := SurfaceOf(tool); surface != SurfaceTool {
			im.addAction(m, at, surface, orElse(path, "*"), text)
			return
		}
		im.addAction(m, at, SurfaceTool, pattern, text)
	}
}

// mcpName is pi's name of a tool of an MCP server: server:tool there.
func mcpName(pattern string) string {
	if server, tool, ok := strings.Cut(pattern, ":"); ok {
		return "mcp__" + server + "__" + tool
	}
	if pattern == "*" {
		return "mcp__*"
	}
	return "mcp__" + pattern + "__*"
}

// flatPermission reads the newer block, by surface.
func (im *importer) flatPermission(m *importedMode, permission node) {
	permission.members(func(key string, at, value node) {
		surface := Surface(key)
		text, bare := value.text()
		switch {
		case key == "*" && bare:
			im.opencodeAll(m, value, text)
			return
		case key == "mcp":
			surface = SurfaceTool
		case surface != SurfacePath && SurfaceOf(key) == SurfaceTool && surface != SurfaceExternal && surface != SurfaceSkill:
			im.addAction(m, at, SurfaceTool, key, text)
			return
		}
		rename := func(pattern string) string {
			if key == "mcp" {
				return mcpName(pattern)
			}
			return pattern
		}
		if bare {
			im.addAction(m, value, surface, rename("*"), text)
			return
		}
		value.members(func(pattern string, place, inner node) {
			action, _ := inner.text()
			if child, ok := inner.child("action"); ok {
				action, _ = child.text()
			}
			im.addAction(m, place, surface, rename(pattern), action)
		})
	})
}

// piagent reads a profile of piagent, which is ours, or a base policy.
func (im *importer) piagent() (Imported, error) {
	if _, ok := im.root.child("blockedCommandPatterns"); ok {
		im.basePolicy()
		return Imported{Config: im.config(im.root.doc.file), File: "permission-mode.json", Notes: im.notes}, nil
	}
	var profile Profile
	diags, _ := decodeDocument(im.root.doc.file, im.root.doc.data, &profile)
	if errs := brokenOf(diags); len(errs) > 0 && profile.SchemaVersion == 0 {
		return Imported{}, fmt.Errorf("this is neither a profile nor a base policy of piagent: %s", errs[0])
	}
	for _, d := range diags {
		im.notes = append(im.notes, d.String())
	}
	return Imported{Config: im.root.doc.data, File: "piagent-profile.json", Notes: im.notes}, nil
}

func brokenOf(diags []Diagnostic) []Diagnostic {
	var out []Diagnostic
	for _, d := range diags {
		if d.Severity == Broken {
			out = append(out, d)
		}
	}
	return out
}

// basePolicy turns the rules of a base policy into rules of the default mode.
func (im *importer) basePolicy() {
	m := im.mode("default")
	list := func(key string, add func(n node, text string)) {
		if child, ok := im.root.child(key); ok {
			child.elements(func(n node) {
				if text, ok := n.text(); ok {
					add(n, text)
				}
			})
		}
	}
	list("requireConfirmationPatterns", func(_ node, text string) { im.commandPrefix(m, text, Ask) })
	if exec, ok := im.root.child("execPolicy"); ok {
		if rules, ok := exec.child("rules"); ok {
			rules.elements(func(n node) { im.execRule(m, n) })
		}
	}
	list("blockedCommandPatterns", func(_ node, text string) { im.commandPrefix(m, text, Deny) })
	list("protectedPaths", func(_ node, text string) { m.add(SurfacePath, text, Deny) })
	im.root.members(func(key string, _, value node) {
		switch key {
		case "requireConfirmationPatterns", "execPolicy", "blockedCommandPatterns", "protectedPaths", "schemaVersion", "name", "$schema":
		default:
			im.note(value, "%s keeps its place: put it into base-policy.json beside permission-mode.json", key)
		}
	})
}

// commandPrefix adds the commands that begin with some words.
func (im *importer) commandPrefix(m *importedMode, text string, action Action) {
	prefix := strings.TrimSpace(text)
	m.add(SurfaceBash, prefix, action)
	m.add(SurfaceBash, prefix+" *", action)
}

// execRule adds one rule of execPolicy.
func (im *importer) execRule(m *importedMode, n node) {
	field := func(name string) string {
		child, _ := n.child(name)
		text, _ := child.text()
		return text
	}
	action, known := map[string]Action{"allow": Allow, "prompt": Ask, "forbid": Deny}[field("action")]
	if !known {
		action = Deny
	}
	switch match := field("match"); match {
	case "prefix":
		im.commandPrefix(m, field("value"), action)
	case "contains":
		m.add(SurfaceBash, "*"+field("value")+"*", action)
	default:
		im.note(n, "a rule that matches by %q has no equivalent here", orElse(match, "nothing"))
	}
}
