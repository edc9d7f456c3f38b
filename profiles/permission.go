package profiles

import (
	"fmt"
	"slices"
	"strings"
)

// PermissionProfile is a ceiling over every mode (R, spec row E9).
type PermissionProfile string

// The permission profiles.
const (
	ReadOnly          PermissionProfile = "read-only"
	WorkspaceWrite    PermissionProfile = "workspace-write"
	TrustedFullAccess PermissionProfile = "trusted-full-access"
)

func (PermissionProfile) choices() []string {
	return []string{string(ReadOnly), string(WorkspaceWrite), string(TrustedFullAccess)}
}

// permissionAliases are further names of the profiles (R and its commands).
var permissionAliases = map[string]PermissionProfile{
	"read-only": ReadOnly, "readonly": ReadOnly, "read_only": ReadOnly, "ro": ReadOnly,
	"workspace-write": WorkspaceWrite, "workspace": WorkspaceWrite, "workspace_write": WorkspaceWrite, "ww": WorkspaceWrite,
	"trusted-full-access": TrustedFullAccess, "full-access": TrustedFullAccess, "full_access": TrustedFullAccess,
	"full": TrustedFullAccess, "trusted": TrustedFullAccess, "danger-full-access": TrustedFullAccess,
	"danger_full_access": TrustedFullAccess, "trusted_full_access": TrustedFullAccess,
}

// ParsePermissionProfile is the profile of that name or alias, in any case.
func ParsePermissionProfile(name string) (PermissionProfile, error) {
	if p, ok := permissionAliases[strings.ToLower(strings.TrimSpace(name))]; ok {
		return p, nil
	}
	return "", fmt.Errorf("permission profile %q: write read-only, workspace-write or trusted-full-access", name)
}

// PermissionStatus is the permission profile in force and where it comes from.
type PermissionStatus struct {
	Mode PermissionProfile `json:"mode"`
	// Source is env, command, profile, default, invalid-env, invalid-command,
	// invalid-profile or policy-fallback.
	Source string `json:"source"`
	// Requested is what was asked for, where that is not Mode.
	Requested string `json:"requested,omitempty"`
	// Warning says for a person why it is not what was asked for.
	Warning string `json:"warning,omitempty"`
}

// Permission is the permission profile of a session: the environment variable
// PIAGENT_PERMISSION_PROFILE goes before the session's command, that before
// the project's profile, that before the base policy's default. One that is not
// known is read-only; one that is not allowed is read-only where that is
// allowed, else the first that is (R, E9).
func (p *Policy) Permission(s Session) PermissionStatus {
	text, source := string(p.base.PermissionProfiles.DefaultMode), "default"
	switch {
	case p.permissionEnv != nil:
		text, source = *p.permissionEnv, "env"
	case s.PermissionProfile != "":
		text, source = s.PermissionProfile, "command"
	case p.profile != nil && p.profile.PermissionProfile != "":
		text, source = string(p.profile.PermissionProfile), "profile"
	}
	mode, err := ParsePermissionProfile(text)
	if err != nil {
		return PermissionStatus{
			Mode: ReadOnly, Source: "invalid-" + source, Requested: text,
			Warning: err.Error() + "; read-only is in force",
		}
	}
	allowed := p.AllowedPermissionProfiles()
	if slices.Contains(allowed, mode) {
		return PermissionStatus{Mode: mode, Source: source}
	}
	fallback := ReadOnly
	if len(allowed) > 0 && !slices.Contains(allowed, ReadOnly) {
		fallback = allowed[0]
	}
	return PermissionStatus{
		Mode: fallback, Source: "policy-fallback", Requested: text,
		Warning: fmt.Sprintf("%s is not allowed on this installation; %s is in force", mode, fallback),
	}
}

// AllowedPermissionProfiles are those that base and managed policy both allow.
func (p *Policy) AllowedPermissionProfiles() []PermissionProfile {
	var allowed []PermissionProfile
	for _, mode := range p.base.PermissionProfiles.AllowedModes {
		if len(p.managed.PermissionProfiles) == 0 || slices.Contains(p.managed.PermissionProfiles, mode) {
			allowed = append(allowed, mode)
		}
	}
	return allowed
}

// judgePermission is layer 2: the ceiling of the permission profile (R).
func (p *Policy) judgePermission(f Facts, v *Verdict) {
	if p.Permission(f.Session).Mode != ReadOnly {
		return
	}
	o := Opinion{
		Layer: LayerPermission, Origin: OriginFixed, Rule: string(ReadOnly), Target: f.Tool, Action: Deny,
		Safer: "ask the person to run /permission workspace-write if the task needs more than reading",
	}
	switch f.Surface {
	case SurfaceRead, SurfaceGrep, SurfaceFind, SurfaceLs, SurfaceSkill:
		return
	case SurfaceWrite, SurfaceEdit:
		o.Reason = "the permission profile read-only lets no file be changed"
	case SurfaceBash:
		o.Reason = "the permission profile read-only lets no command run"
	default:
		if isOwnTool(f.Tool) {
			return
		}
		o.Reason = "the permission profile read-only lets only read, grep, find, ls and the guard's own tools run"
	}
	v.Add(o)
}
