package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ProjectGrantsFile is where the grants for one project are kept: in the
// guard's data directory, so that no repository brings grants along (P11).
func ProjectGrantsFile(dataDir, project string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(project)))
	return filepath.Join(dataDir, "grants", hex.EncodeToString(sum[:16])+".json")
}

// grantFile is the form of a file of grants.
type grantFile struct {
	Version int    `json:"version"`
	Project string `json:"project"`
	Grants  Grants `json:"grants"`
}

// MarshalGrants is the text of a file that keeps the grants of a project.
func MarshalGrants(project string, grants Grants) ([]byte, error) {
	kept := slices.DeleteFunc(slices.Clone(grants), func(g Grant) bool { return g.Scope != ScopeProject })
	text, err := json.MarshalIndent(grantFile{1, project, kept}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write grants: %w", err)
	}
	return append(text, '\n'), nil
}

// UnmarshalGrants reads such a file. Grants of another project, of another
// scope or of an unknown kind are not taken: a doubt is a prompt.
func UnmarshalGrants(project string, text []byte) (Grants, error) {
	var file grantFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("read grants: %w", err)
	}
	if file.Version != 1 || file.Project != project {
		return nil, fmt.Errorf("read grants: the file is version %d for %q, not version 1 for %q", file.Version, file.Project, project)
	}
	kinds := []GrantKind{GrantTool, GrantDirectory, GrantPath, GrantName, GrantExact, GrantPattern}
	return slices.DeleteFunc(file.Grants, func(g Grant) bool {
		return g.Scope != ScopeProject || !slices.Contains(kinds, g.Kind) || g.Kind != GrantTool && g.Target == ""
	}), nil
}

// CheckGrantPattern says why a pattern that a person edited cannot be granted:
// it does not match the command that was asked about, or it would grant
// whatever a program runs (P11).
func (p *Policy) CheckGrantPattern(pattern string, f Facts, r Resolution) error {
	fields := strings.Fields(pattern)
	if len(fields) == 0 {
		return fmt.Errorf("the pattern is empty: write the command, such as git status *")
	}
	if strings.ContainsAny(fields[0], "*?") {
		return fmt.Errorf("the pattern %q does not say which command: begin it with the command's name", pattern)
	}
	name := commandName(fields[0])
	if arity().banned[name] {
		return fmt.Errorf("%s runs or removes whatever its arguments say, so it is allowed once or by the whole line only", name)
	}
	if size, ok := arity().words[name]; ok && size > 1 && (len(fields) == 1 || strings.HasPrefix(fields[1], "*")) {
		return fmt.Errorf("the pattern %q covers every subcommand of %s: name the subcommand, such as %s", pattern, name, orElse(p.ProposePattern(&f, r.Open), name+" status *"))
	}
	for i := range r.Open {
		if o := &r.Open[i]; o.Target != "" && !matchGrant(pattern, ExpandHome(o.Target, p.home), p.home) {
			return fmt.Errorf("the pattern %q does not match %q", pattern, OneLine(o.Target))
		}
	}
	return nil
}

// ForeverRule is the rule that "allow forever" writes to the global config for
// a grant of that scope; ok is false for another scope or kind.
func ForeverRule(g Grant) (surface Surface, pattern string, ok bool) {
	if g.Scope != ScopeGlobal {
		return "", "", false
	}
	switch g.Kind {
	case GrantName, GrantPattern:
		return g.Surface, g.Target, true
	}
	return "", "", false
}
