package profiles

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

//go:embed data/modes.jsonc
var modesData []byte

//go:embed data/base-policy.json
var basePolicyData []byte

//go:embed data/protected.json
var protectedData []byte

//go:embed data/secrets.json
var secretsData []byte

// Sources says where configuration comes from. The zero value of a field means
// its usual place, or nothing.
type Sources struct {
	// Project is the root of the project, absolute; "" for none.
	Project string
	// Home is the person's home directory, absolute.
	Home string
	// AgentDir is pi's directory; ~/.pi/agent when "".
	AgentDir string
	// DataDir holds the guard's own data; nothing in it is ever reached by a tool.
	DataDir string
	// Installed are the guard's own program files: tools may read them and
	// never change them.
	Installed []string
	// Reference are further directories and files that pi's system prompt points
	// at: pi's documentation and examples, the guard's own. Reading them is no
	// access outside the project (F9).
	Reference []string
	// ManagedFile is the organisation's policy; /etc/pi-guard/managed.json when "".
	ManagedFile string
	// Getenv reads an environment variable; nil means none is set.
	Getenv func(name string) (value string, set bool)
	// ProfileTrusted is true when the person trusts the project, so that its
	// profile's verify commands pass without a prompt. It may tighten in any case.
	ProfileTrusted bool
	// ReadFile reads a configuration file; nil reads the real one, bounded.
	ReadFile func(path string) ([]byte, error)
}

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 4 << 20

// shipped is the embedded data, decoded once.
type shipped struct {
	modes     ModeFile
	base      BasePolicy
	protected []protectedRow
	secrets   []secretRow
}

var shippedData = sync.OnceValue(func() *shipped {
	s := &shipped{}
	mustDecode("modes.jsonc", modesData, &s.modes)
	mustDecode("base-policy.json", basePolicyData, &s.base)
	mustUnmarshal("protected.json", protectedData, &s.protected)
	mustUnmarshal("secrets.json", secretsData, &s.secrets)
	for _, m := range s.modes.Modes {
		for _, surface := range *m.Permission {
			for i := range surface.Entries {
				surface.Entries[i].File, surface.Entries[i].Line = "", 0
			}
		}
	}
	return s
})

// mustDecode decodes embedded configuration, whose validity the tests show.
func mustDecode(name string, data []byte, target any) {
	if diags, _ := decodeDocument(name, data, target); len(diags) > 0 {
		panic("embedded " + diags[0].String())
	}
}

// Defaults is the policy that is shipped, for no project and home.
func Defaults() *Policy {
	p, _ := Load(context.Background(), Sources{ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist }})
	return p
}

// Load reads all configuration and compiles it. It always returns a policy: a
// file that is broken makes it stricter, and a Diagnostic says so (P3). The
// files are, in order: the organisation's, the person's base policy and modes,
// the project's modes and profile.
func Load(ctx context.Context, src Sources) (*Policy, []Diagnostic) {
	l := &loader{ctx: ctx, src: src, shipped: shippedData()}
	l.fillIn()
	p := &Policy{home: l.src.Home, project: l.src.Project}
	l.loadManaged(p)
	l.loadBase(p)
	l.loadModes(p)
	l.loadProfile(p)
	l.loadProjectModes(p)
	l.protect(p)
	p.reference = l.reference(p)
	p.secrets = compileSecrets(l.shipped.secrets, p.home)
	if value, set := l.src.Getenv("PIAGENT_PERMISSION_PROFILE"); set {
		p.permissionEnv = &value
	}
	return p, l.diags
}

// loader collects what loading finds.
type loader struct {
	ctx     context.Context
	src     Sources
	shipped *shipped
	diags   []Diagnostic
}

func (l *loader) fillIn() {
	if l.src.AgentDir == "" && l.src.Home != "" {
		l.src.AgentDir = filepath.Join(l.src.Home, ".pi", "agent")
	}
	if l.src.ManagedFile == "" {
		l.src.ManagedFile = "/etc/pi-guard/managed.json"
	}
	if l.src.Getenv == nil {
		l.src.Getenv = func(string) (string, bool) { return "", false }
	}
	if l.src.ReadFile == nil {
		l.src.ReadFile = readBounded
	}
}

// readBounded reads a regular file of at most maxConfig bytes.
func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: it is no regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(data) > maxConfig {
		return nil, fmt.Errorf("read %s: it is larger than %d bytes", path, maxConfig)
	}
	return data, nil
}

// state is how a configuration file was found.
type state uint8

const (
	absent state = iota
	sound
	broken
)

// read decodes one file into target and keeps its findings. A file that is
// there and cannot be read is broken.
func (l *loader) read(path string, target any) state {
	if err := l.ctx.Err(); err != nil {
		l.add(Diagnostic{Severity: Broken, File: path, Problem: "loading was interrupted: " + err.Error()})
		return broken
	}
	data, err := l.src.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return absent
	}
	if err != nil {
		l.add(Diagnostic{
			Severity: Broken, File: path, Problem: err.Error(), Fix: "Make it a readable file, or remove it",
		})
		return broken
	}
	diags, _ := decodeDocument(path, data, target)
	result := sound
	for _, d := range diags {
		if d.Severity == Broken {
			result = broken
		}
	}
	l.diags = append(l.diags, diags...)
	return result
}

func (l *loader) add(d Diagnostic) { l.diags = append(l.diags, d) }

// warn adds a finding about a file as a whole.
func (l *loader) warn(file, key, problem, fix string) {
	l.add(Diagnostic{Severity: Warned, File: file, Key: key, Problem: problem, Fix: fix})
}

// GlobalFile is where the person's modes are written (P3).
func GlobalFile(agentDir string) string {
	return filepath.Join(agentDir, "permission-mode", "permission-mode.json")
}

// globalFiles are the places where the person's modes are looked for.
func (l *loader) globalFiles() []string {
	if l.src.AgentDir == "" {
		return nil
	}
	return []string{GlobalFile(l.src.AgentDir), filepath.Join(l.src.AgentDir, "permission-mode.json")}
}

// GlobalFile is the file of the person's modes: the one that is there, else the
// usual one.
func (src Sources) GlobalFile() string {
	l := &loader{src: src}
	l.fillIn()
	files := l.globalFiles()
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// ProjectFile is where a project's modes are.
func ProjectFile(project string) string { return filepath.Join(project, ".pi", "permission-mode.json") }

// ProfileFile is where a project's profile is (R).
func ProfileFile(project string) string { return filepath.Join(project, ".pi", "piagent-profile.json") }

// reference is what may be read although it lies outside: what the host names,
// installed packages, skills and prompts of pi, whose places the system prompt
// tells the model, and the roots of a profile that the person trusts (R).
func (l *loader) reference(p *Policy) []string {
	reference := slices.Clone(l.src.Reference)
	if dir := l.src.AgentDir; dir != "" {
		for _, name := range [...]string{"npm/node_modules", "git", "skills", "prompts", "AGENTS.md"} {
			reference = append(reference, filepath.Join(dir, name))
		}
	}
	if l.src.Home != "" {
		reference = append(reference, filepath.Join(l.src.Home, ".agents", "skills"))
	}
	if p.profileTrusted {
		reference = append(reference, p.profile.AdditionalReadRoots...)
	}
	return reference
}

// loadManaged reads the organisation's policy. Since it can only tighten, it is
// obeyed whoever owns it; one that not only root can change is reported.
func (l *loader) loadManaged(p *Policy) {
	p.managed = &Managed{}
	path := l.src.ManagedFile
	switch l.read(path, p.managed) {
	case absent:
		return
	case broken:
		p.overlays = append(p.overlays, askEverything(path, LayerManagedPolicy))
		p.managed.EnforceHardGates, p.managed.EnforceProtectedPaths = true, true
		p.managed.DisabledModes = append(p.managed.DisabledModes, "yolo")
	}
	if writableByOthers(path) {
		l.warn(path, "", "not only root can change this file, so it protects against accidents only", "Give it to root with mode 0644, and its directory too")
	}
	if p.managed.Permission != nil {
		p.overlays = append(p.overlays, overlay{
			layer: LayerManagedPolicy, origin: OriginFixed,
			rules: compileSurfaces(*p.managed.Permission, p.home, OriginFixed),
		})
	}
}

// writableByOthers reports whether anybody but root may change an existing file.
func writableByOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().Perm()&0o022 != 0 || !ownedByRoot(info))
}

// askEverything stands in for a file that cannot be read: it asks about
// everything, and no approval mode answers for the person (P3).
func askEverything(file string, layer Layer) overlay {
	o := overlay{layer: layer, origin: OriginProject, rules: map[Surface]*RuleSet{}}
	for _, s := range Surfaces() {
		o.rules[s] = NewRuleSet([]Rule{{
			Pattern: CompilePattern("*", ""), Action: Ask, Origin: OriginProject, File: file,
		}})
	}
	return o
}

// loadBase reads the base policy: the shipped one, with the keys that the
// person's own replaces.
func (l *loader) loadBase(p *Policy) {
	base := l.shipped.base
	p.base = &base
	if l.src.AgentDir == "" {
		return
	}
	path := filepath.Join(l.src.AgentDir, "permission-mode", "base-policy.json")
	switch l.read(path, &base) {
	case sound:
		p.overlays = append(p.overlays, l.execOverlay(&base, path, p.home))
	case broken:
		p.overlays = append(p.overlays, askEverything(path, LayerConfig), l.execOverlay(&base, path, p.home))
		base = l.shipped.base
	}
}
