package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// loadModes merges the shipped modes with the person's (P3). A broken file
// leaves the shipped modes with everything asked, and what it denies where
// that can be read.
func (l *loader) loadModes(p *Policy) {
	p.modes = map[string]*Mode{}
	p.host = Host{BashTimeout: 60, BashTimeoutMax: 300, PromptTimeout: 120, UserBash: "allow"}
	merged := l.shipped.modes
	merged.Modes = maps.Clone(l.shipped.modes.Modes)
	file, global, found := l.readGlobal()
	switch found {
	case sound:
		l.mergeGlobal(&merged, global, file)
		p.host.merge(global.Host)
		p.acknowledged = get(global.AcknowledgeDefaults, nil)
	case broken:
		p.overlays = append(p.overlays, askEverything(file, LayerConfig))
		p.overlays = append(p.overlays, tightening(global, p.home, LayerConfig)...)
		merged.DefaultMode = l.shipped.modes.DefaultMode
	}
	for _, name := range slices.Sorted(maps.Keys(merged.Modes)) {
		config := merged.Modes[name]
		if !slices.Contains(p.managed.DisabledModes, name) {
			p.modes[name] = compileMode(name, config, p.home)
			l.checkMode(file, p.modes[name])
		}
	}
	l.orderModes(p, &merged, file)
	if found == broken {
		for _, m := range p.modes {
			m.HardGates, m.BypassProtectedPaths = true, false
		}
	}
}

// readGlobal reads the person's modes from the first place that has them.
func (l *loader) readGlobal() (file string, config *ModeFile, found state) {
	for _, path := range l.globalFiles() {
		config = &ModeFile{}
		if found = l.read(path, config); found != absent {
			return path, config, found
		}
	}
	return "", nil, absent
}

// mergeGlobal lays the person's modes over the shipped ones: a surface replaces
// a surface, a field of the sandbox a field.
func (l *loader) mergeGlobal(merged *ModeFile, global *ModeFile, file string) {
	for name, config := range global.Modes {
		if config == nil {
			continue
		}
		if base, ok := merged.Modes[name]; ok {
			merged.Modes[name] = mergeMode(base, config)
			continue
		}
		merged.Modes[name] = mergeMode(plainMode(name), config)
	}
	if global.DefaultMode != nil {
		merged.DefaultMode = global.DefaultMode
	}
	if global.CycleOrder != nil {
		merged.CycleOrder = global.CycleOrder
	}
	for _, name := range append(slices.Clone(*merged.CycleOrder), *merged.DefaultMode) {
		if _, ok := merged.Modes[name]; !ok {
			fix := "Define it below modes, or remove it"
			if near := nearest(name, slices.Collect(maps.Keys(merged.Modes))); near != "" {
				fix = fmt.Sprintf("Did you mean %q?", near)
			}
			l.warn(file, "cycleOrder", fmt.Sprintf("there is no mode %q", name), fix)
		}
	}
}

// plainMode is what a mode of the person's own starts from: it asks about
// everything that it does not speak of.
func plainMode(name string) *ModeConfig {
	color, enabled, writable := Color("muted"), true, true
	return &ModeConfig{
		Label: &name, Color: &color, Sandbox: &SandboxConfig{Enabled: &enabled, Writable: &writable},
		Permission: &PermissionConfig{},
	}
}

// mergeMode is base with what over sets.
func mergeMode(base, over *ModeConfig) *ModeConfig {
	m := *base
	set(&m.Label, over.Label)
	set(&m.Color, over.Color)
	set(&m.SystemPrompt, over.SystemPrompt)
	set(&m.InjectSandboxInfo, over.InjectSandboxInfo)
	set(&m.Operating, over.Operating)
	set(&m.Approval, over.Approval)
	set(&m.HardGates, over.HardGates)
	set(&m.BypassProtectedPaths, over.BypassProtectedPaths)
	set(&m.HideTools, over.HideTools)
	if over.Sandbox != nil {
		s := SandboxConfig{}
		if base.Sandbox != nil {
			s = *base.Sandbox
		}
		mergeSandbox(&s, over.Sandbox)
		m.Sandbox = &s
	}
	permission := PermissionConfig{}
	if base.Permission != nil {
		maps.Copy(permission, *base.Permission)
	}
	if over.Permission != nil {
		maps.Copy(permission, *over.Permission)
	}
	m.Permission = &permission
	return &m
}

func mergeSandbox(s, over *SandboxConfig) {
	set(&s.Enabled, over.Enabled)
	set(&s.Writable, over.Writable)
	set(&s.AllowWrite, over.AllowWrite)
	set(&s.DenyWrite, over.DenyWrite)
	set(&s.DenyRead, over.DenyRead)
	set(&s.InsideRoots, over.InsideRoots)
	set(&s.Network, over.Network)
	set(&s.AskOnBlockedHost, over.AskOnBlockedHost)
}

// set replaces a setting by one that is present.
func set[T any](target **T, value *T) {
	if value != nil {
		*target = value
	}
}

// get is a setting, or a default where it is absent.
func get[T any](value *T, def T) T {
	if value == nil {
		return def
	}
	return *value
}

func (h *Host) merge(c *HostConfig) {
	if c == nil {
		return
	}
	h.BashTimeout = get(c.BashTimeoutSeconds, h.BashTimeout)
	h.BashTimeoutMax = get(c.BashTimeoutMaxSeconds, h.BashTimeoutMax)
	h.PromptTimeout = get(c.PromptTimeoutSeconds, h.PromptTimeout)
	h.UserBash = get(c.UserBash, h.UserBash)
}

// compileMode compiles a merged mode.
func compileMode(name string, c *ModeConfig, home string) *Mode {
	m := &Mode{
		Name: name, Label: get(c.Label, name), Color: get(c.Color, "muted"),
		SystemPrompt: get(c.SystemPrompt, ""), InjectSandboxInfo: get(c.InjectSandboxInfo, true),
		Operating: get(c.Operating, OperatingAgent), Approval: get(c.Approval, ApprovalAsk),
		HardGates: get(c.HardGates, true), BypassProtectedPaths: get(c.BypassProtectedPaths, false),
		HideTools: get(c.HideTools, nil),
		Sandbox:   Sandbox{Enabled: true, Writable: true, AskOnBlockedHost: true},
	}
	if s := c.Sandbox; s != nil {
		m.Sandbox = Sandbox{
			Enabled: get(s.Enabled, true), Writable: get(s.Writable, true), AskOnBlockedHost: get(s.AskOnBlockedHost, true),
			AllowWrite: get(s.AllowWrite, nil), DenyWrite: get(s.DenyWrite, nil), DenyRead: get(s.DenyRead, nil),
			InsideRoots: get(s.InsideRoots, nil),
		}
		if s.Network != nil {
			m.Sandbox.AllowedDomains = get(s.Network.AllowedDomains, nil)
			m.Sandbox.DeniedDomains = get(s.Network.DeniedDomains, nil)
		}
	}
	if c.Permission != nil {
		m.rules = compileSurfaces(*c.Permission, home, "")
	}
	return m
}

// compileSurfaces compiles the rules of every surface. A fixed origin replaces
// those that follow from the patterns.
func compileSurfaces(config PermissionConfig, home string, origin Origin) map[Surface]*RuleSet {
	compiled := make(map[Surface]*RuleSet, len(config))
	for surface, c := range config {
		if c == nil {
			continue
		}
		rules := make([]Rule, len(c.Entries))
		for i, e := range c.Entries {
			rules[i] = Rule{
				Pattern: CompilePattern(e.Pattern, home), Action: e.Action, Origin: OriginPattern,
				Reason: e.Reason, File: e.File, Line: e.Line,
			}
			switch {
			case origin != "":
				rules[i].Origin = origin
			case c.Bare:
				rules[i].Origin = OriginDefault
			case rules[i].Pattern.CatchAll():
				rules[i].Origin = OriginCatchAll
			}
		}
		compiled[surface] = NewRuleSet(rules)
	}
	return compiled
}

// orderModes fixes the default mode, the cycle and the order of all modes.
func (l *loader) orderModes(p *Policy, merged *ModeFile, file string) {
	for _, name := range *merged.CycleOrder {
		if _, ok := p.modes[name]; ok && !slices.Contains(p.cycle, name) {
			p.cycle = append(p.cycle, name)
		}
	}
	p.names = slices.Clone(p.cycle)
	for _, name := range slices.Sorted(maps.Keys(p.modes)) {
		if !slices.Contains(p.names, name) {
			p.names = append(p.names, name)
		}
	}
	p.defaultMode = *merged.DefaultMode
	if _, ok := p.modes[p.defaultMode]; !ok {
		p.defaultMode = "default"
	}
	if _, ok := p.modes[p.defaultMode]; !ok && len(p.names) > 0 {
		p.defaultMode = p.names[0]
	}
}

// tightening are overlays of everything in a file that is not allow, by mode.
func tightening(config *ModeFile, home string, layer Layer) []overlay {
	var overlays []overlay
	for _, name := range slices.Sorted(maps.Keys(config.Modes)) {
		m := config.Modes[name]
		if m == nil || m.Permission == nil {
			continue
		}
		overlays = append(overlays, overlay{
			layer: layer, origin: OriginProject, mode: name,
			rules: compileSurfaces(*m.Permission, home, OriginProject),
		})
	}
	return overlays
}

// loadProjectModes reads the project's modes, which only tighten (P3).
func (l *loader) loadProjectModes(p *Policy) {
	if l.src.Project == "" {
		return
	}
	file := ProjectFile(l.src.Project)
	var config ModeFile
	found := l.read(file, &config)
	if found == absent {
		return
	}
	if found == broken {
		p.overlays = append(p.overlays, askMutation(file))
	}
	l.refuseLoosening(p, &config, file)
	for _, o := range tightening(&config, p.home, LayerProject) {
		for _, surface := range Surfaces() {
			l.diags = append(l.diags, deadRules("modes."+o.mode+".permission."+string(surface), o.rules[surface])...)
		}
		p.overlays = append(p.overlays, o)
	}
	for name, m := range config.Modes {
		if mode, ok := p.modes[name]; ok && m != nil && m.Sandbox != nil {
			tightenSandbox(&mode.Sandbox, m.Sandbox)
		}
	}
}

// askMutation stands in for a project's file that cannot be read: what changes
// things is asked about until it can.
func askMutation(file string) overlay {
	o := askEverything(file, LayerProject)
	for _, s := range [...]Surface{SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs, SurfacePath, SurfaceExternal} {
		delete(o.rules, s)
	}
	return o
}

// refuseLoosening drops from a project's file what a project has no say in,
// with a warning for each.
func (l *loader) refuseLoosening(p *Policy, config *ModeFile, file string) {
	drop := func(key, problem string) { l.warn(file, key, problem, "Move it to the global permission-mode.json") }
	if config.DefaultMode != nil {
		drop("defaultMode", "a project cannot change the default mode")
	}
	if config.CycleOrder != nil {
		drop("cycleOrder", "a project cannot change the order of modes")
	}
	if config.Host != nil {
		drop("host", "a project cannot change how the guard behaves")
	}
	for name, m := range config.Modes {
		key := "modes." + name
		if _, ok := p.modes[name]; !ok {
			drop(key, fmt.Sprintf("a project cannot add the mode %q", name))
			delete(config.Modes, name)
			continue
		}
		if m == nil {
			continue
		}
		fields := map[string]bool{
			"systemPrompt": m.SystemPrompt != nil, "operating": m.Operating != nil, "approval": m.Approval != nil,
			"hardGates": m.HardGates != nil, "bypassProtectedPaths": m.BypassProtectedPaths != nil,
			"hideTools": m.HideTools != nil, "injectSandboxInfo": m.InjectSandboxInfo != nil,
			"label": m.Label != nil, "color": m.Color != nil,
		}
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if fields[field] {
				drop(key+"."+field, "a project cannot set "+field)
			}
		}
		l.refuseSandbox(m.Sandbox, p.modes[name], key+".sandbox", drop)
		l.dropReasons(m.Permission, file, key)
	}
}

func (l *loader) refuseSandbox(s *SandboxConfig, mode *Mode, key string, drop func(key, problem string)) {
	if s == nil {
		return
	}
	if s.Enabled != nil && !*s.Enabled && mode.Sandbox.Enabled {
		drop(key+".enabled", "a project cannot disable the sandbox")
	}
	if s.Writable != nil && *s.Writable && !mode.Sandbox.Writable {
		drop(key+".writable", "a project cannot make the sandbox writable")
	}
	if s.InsideRoots != nil {
		drop(key+".insideRoots", "a project cannot widen what counts as inside")
	}
	for _, path := range get(s.AllowWrite, nil) {
		if !slices.Contains(mode.Sandbox.AllowWrite, path) {
			drop(key+".allowWrite", fmt.Sprintf("a project cannot make %q writable", path))
		}
	}
	if s.Network != nil {
		for _, host := range get(s.Network.AllowedDomains, nil) {
			if !slices.Contains(mode.Sandbox.AllowedDomains, host) {
				drop(key+".network.allowedDomains", fmt.Sprintf("a project cannot allow the host %q", host))
			}
		}
	}
}

// dropReasons takes the reasons out of a project's rules: they are text for the
// model, and a cloned repository has no business with it (P2).
func (l *loader) dropReasons(permission *PermissionConfig, file, key string) {
	if permission == nil {
		return
	}
	for surface, c := range *permission {
		if c == nil {
			continue
		}
		for i := range c.Entries {
			if c.Entries[i].Reason != "" {
				c.Entries[i].Reason = ""
				l.add(Diagnostic{
					Severity: Warned, File: file, Line: c.Entries[i].Line, Column: 1,
					Key:     strings.Join([]string{key, "permission", string(surface), c.Entries[i].Pattern}, "."),
					Problem: "a project cannot give reasons, which are text for the model; the reason is dropped",
					Fix:     "Move the rule to the global permission-mode.json",
				})
			}
		}
	}
}

// tightenSandbox applies what a project may ask of a sandbox: less.
func tightenSandbox(s *Sandbox, c *SandboxConfig) {
	s.Enabled = s.Enabled || get(c.Enabled, false)
	s.Writable = s.Writable && get(c.Writable, true)
	s.AskOnBlockedHost = s.AskOnBlockedHost && get(c.AskOnBlockedHost, true)
	if c.AllowWrite != nil {
		s.AllowWrite = intersect(s.AllowWrite, *c.AllowWrite)
	}
	s.DenyWrite = union(s.DenyWrite, get(c.DenyWrite, nil))
	s.DenyRead = union(s.DenyRead, get(c.DenyRead, nil))
	if c.Network != nil {
		if c.Network.AllowedDomains != nil {
			s.AllowedDomains = intersect(s.AllowedDomains, *c.Network.AllowedDomains)
		}
		s.DeniedDomains = union(s.DeniedDomains, get(c.Network.DeniedDomains, nil))
	}
}

func intersect(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// checkMode warns about a mode that contradicts itself, and about rules that
// never decide.
func (l *loader) checkMode(file string, m *Mode) {
	for _, surface := range Surfaces() {
		l.diags = append(l.diags, deadRules("modes."+m.Name+".permission."+string(surface), m.rules[surface])...)
	}
	if m.SystemPrompt == "@plan" && slices.Contains(m.HideTools, "show_plan") {
		l.warn(file, "modes."+m.Name+".hideTools", "the prompt @plan tells the model to call show_plan, which this mode hides",
			"Remove show_plan from hideTools, or set another systemPrompt")
	}
}
