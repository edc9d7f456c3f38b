package profiles

import "strings"

// opencode reads opencode.json in both of its versions: the object permission,
// and the list permissions. As here, the last match wins; unlike here, " *" at
// the end also stands for no arguments.
func (im *importer) opencode() {
	im.opencodeBlock("default", im.root)
	for _, key := range []string{"agent", "mode", "agents"} {
		if agents, ok := im.root.child(key); ok {
			agents.members(func(name string, _, value node) { im.opencodeBlock(opencodeMode(name), value) })
		}
	}
	im.root.members(func(key string, _, value node) {
		switch key {
		case "mcp", "plugin", "provider", "command", "experimental", "instructions":
			im.note(value, "%s is pi's matter, not the guard's", key)
		}
	})
}

// opencodeMode is our name of an agent of opencode.
func opencodeMode(name string) string { return strings.ToLower(name) }

func (im *importer) opencodeBlock(mode string, block node) {
	if permission, ok := block.child("permission"); ok {
		im.opencodePermission(im.mode(mode), permission)
	}
	if rules, ok := block.child("permissions"); ok {
		rules.elements(func(n node) { im.opencodeRule(im.mode(mode), n) })
	}
	if tools, ok := block.child("tools"); ok {
		var hidden []string
		tools.members(func(name string, _, value node) {
			if value.value.Value.Kind() == 'f' {
				hidden = append(hidden, name)
			}
		})
		if hidden != nil {
			im.mode(mode).fields["hideTools"] = hidden
		}
	}
}

// opencodePermission reads version 1: an action for everything, or by key an
// action or patterns.
func (im *importer) opencodePermission(m *importedMode, permission node) {
	if text, ok := permission.text(); ok {
		im.opencodeAll(m, permission, text)
		return
	}
	permission.members(func(key string, at, value node) {
		if text, ok := value.text(); ok {
			if key == "*" {
				im.opencodeAll(m, value, text)
				return
			}
			im.opencodeAdd(m, at, key, "*", text)
			return
		}
		value.members(func(pattern string, place, inner node) {
			text, _ := inner.text()
			im.opencodeAdd(m, place, key, pattern, text)
		})
	})
}

// opencodeAll is an action for every surface.
func (im *importer) opencodeAll(m *importedMode, n node, text string) {
	for _, surface := range Surfaces() {
		if surface != SurfacePath {
			im.addAction(m, n, surface, "*", text)
		}
	}
}

// opencodeRule reads one rule of version 2.
func (im *importer) opencodeRule(m *importedMode, n node) {
	field := func(name string) string {
		child, _ := n.child(name)
		text, _ := child.text()
		return text
	}
	key, pattern, effect := field("action"), orElse(field("resource"), "*"), field("effect")
	if key == "*" {
		if pattern != "*" {
			im.note(n, "a rule for every action with the resource %q is not taken over", pattern)
			return
		}
		im.opencodeAll(m, n, effect)
		return
	}
	im.opencodeAdd(m, n, key, pattern, effect)
}

// opencodeSurfaces are the surfaces that a key of opencode is about.
var opencodeSurfaces = map[string][]Surface{
	"read": {SurfaceRead}, "edit": {SurfaceEdit, SurfaceWrite}, "write": {SurfaceWrite}, "patch": {SurfaceEdit},
	"bash": {SurfaceBash}, "shell": {SurfaceBash}, "grep": {SurfaceGrep}, "glob": {SurfaceFind}, "list": {SurfaceLs},
	"websearch": {SurfaceWebSearch}, "skill": {SurfaceSkill}, "external_directory": {SurfaceExternal},
}

func (im *importer) opencodeAdd(m *importedMode, n node, key, pattern, text string) {
	surfaces, known := opencodeSurfaces[key]
	switch {
	case known:
		patterns := []string{pattern}
		if surfaces[0] == SurfaceBash {
			patterns = optionalArguments(pattern)
		}
		for _, surface := range surfaces {
			for _, p := range patterns {
				im.addAction(m, n, surface, p, text)
			}
		}
	case strings.Contains(key, "_") && key != "doom_loop" || strings.HasPrefix(key, "mcp"):
		im.addAction(m, n, SurfaceTool, key, text)
		im.note(n, "%q is taken for the name of a tool; pi writes tools of MCP servers as mcp__server__tool", key)
	default:
		im.note(n, "%s has no equivalent here", key)
	}
}

// addAction adds a rule whose action is a text; one that is not known is
// noted, and denies.
func (im *importer) addAction(m *importedMode, n node, surface Surface, pattern, text string) {
	var action Action
	if err := action.UnmarshalText([]byte(text)); err != nil {
		im.note(n, "%v; it is taken for deny", err)
		action = Deny
	}
	m.add(surface, pattern, action)
}
