package profiles

import (
	"regexp"
	"slices"
	"strings"
)

// claude reads Claude Code's settings.json. There deny goes before ask and ask
// before allow whatever the order; here the last match wins, so they are
// written in the order allow, ask, deny.
func (im *importer) claude() {
	m := im.mode("default")
	permissions, _ := im.root.child("permissions")
	for _, list := range []struct {
		name   string
		action Action
	}{{"allow", Allow}, {"ask", Ask}, {"deny", Deny}} {
		if rules, ok := permissions.child(list.name); ok {
			rules.elements(func(n node) { im.claudeRule(m, n, list.action) })
		}
	}
	im.root.members(func(key string, _, value node) {
		switch key {
		case "permissions", "$schema":
		case "hooks", "sandbox", "env", "apiKeyHelper", "disableBypassPermissionsMode":
			im.note(value, "%s has no equivalent here", key)
		}
	})
	permissions.members(func(key string, _, value node) { im.claudePermission(m, key, value) })
}

// claudePermission reads the settings beside the lists of rules.
func (im *importer) claudePermission(m *importedMode, key string, value node) {
	switch key {
	case "allow", "ask", "deny":
	case "defaultMode":
		im.claudeMode(m, value)
	case "additionalDirectories":
		value.elements(func(n node) {
			dir, _ := n.text()
			dir = strings.TrimSuffix(dir, "/")
			m.add(SurfaceExternal, dir, Allow)
			m.add(SurfaceExternal, dir+"/*", Allow)
			im.note(n, "reading %s is allowed; changing what lies outside the project still asks", dir)
		})
	case "disableBypassPermissionsMode":
		im.note(value, "to take yolo away, write disabledModes in the managed policy")
	default:
		im.note(value, "%s has no equivalent here", key)
	}
}

func (im *importer) claudeMode(m *importedMode, value node) {
	mode, _ := value.text()
	switch mode {
	case "default":
	case "acceptEdits":
		m.fields["approval"] = ApprovalAcceptEdits
	case "plan":
		im.defaultMode = "plan"
	case "auto":
		m.fields["approval"] = ApprovalAuto
		im.note(value, "auto answers what a default asks; it does not judge calls by a model")
	default:
		im.note(value, "the mode %q is not taken over; choose a mode with /perm", mode)
	}
}

// claudeRuleText is Tool or Tool(specifier).
var claudeRuleText = regexp.MustCompile(`^([A-Za-z_][\w-]*)(?:\((.*)\))?$`)

// claudeFileSurfaces are the surfaces that a rule on a file tool is about.
var claudeFileSurfaces = map[string][]Surface{
	"Read": {SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs}, "Edit": {SurfaceEdit, SurfaceWrite}, "Write": {SurfaceWrite},
	"MultiEdit": {SurfaceEdit}, "NotebookEdit": {SurfaceEdit}, "Glob": {SurfaceFind}, "Grep": {SurfaceGrep}, "LS": {SurfaceLs},
}

func (im *importer) claudeRule(m *importedMode, n node, action Action) {
	text, _ := n.text()
	match := claudeRuleText.FindStringSubmatch(text)
	if match == nil {
		im.note(n, "%q is not understood", text)
		return
	}
	tool, specifier := match[1], match[2]
	switch {
	case tool == "Bash":
		im.claudeBash(m, specifier, action)
	case claudeFileSurfaces[tool] != nil:
		im.claudeFile(m, n, tool, specifier, action)
	case tool == "WebSearch":
		m.add(SurfaceWebSearch, "*", action)
	case tool == "WebFetch":
		im.claudeFetch(m, n, specifier, action)
	case tool == "Skill":
		for _, pattern := range optionalArguments(orElse(specifier, "*")) {
			m.add(SurfaceSkill, strings.TrimSuffix(pattern, ":*"), action)
		}
	case strings.HasPrefix(tool, "mcp__"):
		if strings.Count(tool, "__") == 1 {
			tool += "__*"
		}
		m.add(SurfaceTool, tool, action)
	default:
		im.note(n, "the tool %s does not exist in pi", tool)
	}
}

// claudeBash reads the specifier of Bash: "prefix:*" is a prefix at a word's
// end, and one " *" at the end also stands for no arguments.
func (im *importer) claudeBash(m *importedMode, specifier string, action Action) {
	if prefix, ok := strings.CutSuffix(specifier, ":*"); ok {
		specifier = prefix + " *"
	}
	for _, pattern := range optionalArguments(orElse(specifier, "*")) {
		m.add(SurfaceBash, pattern, action)
	}
}

// claudeFile reads the specifier of a file tool, a pattern as of gitignore:
// //x is absolute, ~/x is below home, /x and ./x are below the project, and one
// without a slash is at any depth.
func (im *importer) claudeFile(m *importedMode, n node, tool, specifier string, action Action) {
	pattern := orElse(specifier, "*")
	switch {
	case strings.HasPrefix(pattern, "//"):
		pattern = pattern[1:]
	case strings.HasPrefix(pattern, "/"):
		pattern = pattern[1:]
	case strings.HasPrefix(pattern, "./"):
		pattern = pattern[2:]
	case !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") && pattern != "*" && pattern != "**" && !strings.HasPrefix(pattern, "~"):
		pattern = "**/" + pattern
	}
	patterns := []string{pattern}
	if base, ok := strings.CutSuffix(pattern, "/**"); ok && action != Allow {
		patterns = append(patterns, base)
	}
	if action == Allow && strings.Contains(strings.NewReplacer("**/", "", "/**", "", "**", "").Replace(pattern), "*") && pattern != "*" {
		im.note(n, "a * here crosses directories too, so %q allows more than there", pattern)
	}
	surfaces := claudeFileSurfaces[tool]
	if tool == "Read" && action == Deny {
		surfaces = append(slices.Clone(surfaces), SurfacePath) // commands that read the file too
	}
	for _, surface := range surfaces {
		for _, pattern := range patterns {
			m.add(surface, pattern, action)
		}
	}
}

// claudeFetch reads WebFetch(domain:x): hosts belong to the sandbox here.
func (im *importer) claudeFetch(m *importedMode, n node, specifier string, action Action) {
	host, ok := strings.CutPrefix(specifier, "domain:")
	if !ok || action == Ask {
		im.note(n, "pi has no tool that fetches; hosts are asked about by the sandbox")
		return
	}
	sandbox, _ := m.fields["sandbox"].(map[string]map[string][]string)
	if sandbox == nil {
		mode, _ := Defaults().Mode("default")
		sandbox = map[string]map[string][]string{"network": {
			"allowedDomains": slices.Clone(mode.Sandbox.AllowedDomains), "deniedDomains": slices.Clone(mode.Sandbox.DeniedDomains),
		}}
		m.fields["sandbox"] = sandbox
	}
	key := map[Action]string{Allow: "allowedDomains", Deny: "deniedDomains"}[action]
	sandbox["network"][key] = union(sandbox["network"][key], []string{host})
}
