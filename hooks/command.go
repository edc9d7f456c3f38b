package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// Command is a slash command or a key of the guard. The person is told what it
// did.
func (s *Session) Command(ctx context.Context, e rpc.Command) (rpc.Empty, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.Empty{}, err
	}
	args := strings.Fields(e.Args)
	switch e.Name {
	case "perm":
		err = s.perm(ctx, t, args, e.ActiveTools)
	case "permission":
		err = s.permission(ctx, t, args)
	case "permission-status":
		err = s.permissionStatus(ctx, t)
	case "read-only", "workspace-write", "full-access", "trusted-full-access":
		err = s.setPermission(ctx, t, e.Name)
	default:
		err = fmt.Errorf("there is no command /%s", e.Name)
	}
	return rpc.Empty{}, err
}

// Complete completes the arguments of a command.
func (s *Session) Complete(ctx context.Context, e rpc.Complete) (rpc.Completions, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.Completions{}, err
	}
	all := s.completions(ctx, t, e.Name)
	items := []rpc.Completion{}
	prefix := strings.TrimLeft(e.Prefix, " ")
	for _, c := range all {
		if strings.HasPrefix(c.Value, prefix) {
			items = append(items, c)
		}
	}
	return rpc.Completions{Items: items}, nil
}

// completions are all arguments that a command takes now.
func (s *Session) completions(ctx context.Context, t *sitting, command string) []rpc.Completion {
	policy := s.stand(ctx, t).policy
	switch command {
	case "permission":
		items := []rpc.Completion{}
		for _, p := range policy.AllowedPermissionProfiles() {
			items = append(items, completion(string(p), permissionHelp[p]))
		}
		for _, a := range approvals {
			items = append(items, completion("approval "+a, approvalHelp[a]))
		}
		return append(items, completion("status", "show what is in force"), completion("reset", "go back to the project's permission profile"))
	case "perm":
		items := []rpc.Completion{}
		for _, m := range policy.Modes() {
			items = append(items, completion(m, "switch to the mode "+m))
		}
		items = append(items, completion("next", "switch to the next mode of the cycle"))
		items = append(items, permVerbs...)
		session, _ := s.said(t)
		for _, b := range session.Blocks {
			items = append(items, completion("unblock "+b, "lift this block"))
		}
		return items
	}
	return nil
}

func completion(value, description string) rpc.Completion {
	return rpc.Completion{Value: value, Label: value, Description: description}
}

var permissionHelp = map[profiles.PermissionProfile]string{
	profiles.ReadOnly:          "look, but change nothing and run nothing",
	profiles.WorkspaceWrite:    "work inside the project, under the mode's rules",
	profiles.TrustedFullAccess: "for trusted automation; protected paths and hard gates stay",
}

// approvals are the arguments of /permission approval.
var approvals = []string{"ask", "accept-edits", "auto", "inherit"}

var approvalHelp = map[string]string{
	"ask":          "prompt for whatever the rules ask about",
	"accept-edits": "write and edit inside the project without a prompt",
	"auto":         "pass what only a default or a catch-all rule asks about",
	"inherit":      "follow the mode",
}

var permVerbs = []rpc.Completion{
	completion("explain", "say why the latest call was judged as it was"),
	completion("approvals", "list what is allowed for this session"),
	completion("revoke", "take back one approval, by its number in the list"),
	completion("clear-approvals", "take back all approvals, blocks and refusals of this session"),
	completion("blocks", "list the blocked paths"),
	completion("unblock", "lift the block of a path"),
}

// choose asks the person to choose in a command, outside of any call.
func (s *Session) choose(ctx context.Context, t *sitting, title string, labels []string) (index int, err error) {
	if !t.start.HasUI {
		return -1, fmt.Errorf("nobody can be asked here: name one of %s", strings.Join(labels, ", "))
	}
	release, err := t.dialogs.take(ctx)
	if err != nil {
		return -1, err
	}
	defer release()
	index, outcome, err := t.dialogs.choose(ctx, title, labels)
	if err != nil || outcome != answered {
		return -1, err
	}
	return index, nil
}

// permission is /permission.
func (s *Session) permission(ctx context.Context, t *sitting, args []string) error {
	switch {
	case len(args) == 0:
		return s.pickPermission(ctx, t)
	case args[0] == "approval":
		return s.setApproval(ctx, t, args[1:])
	case args[0] == "status" && len(args) == 1:
		return s.permissionStatus(ctx, t)
	case (args[0] == "reset" || args[0] == "inherit") && len(args) == 1:
		return s.storePermission(ctx, t, "")
	}
	return s.setPermission(ctx, t, strings.Join(args, " "))
}

func (s *Session) pickPermission(ctx context.Context, t *sitting) error {
	policy := s.stand(ctx, t).policy
	session, _ := s.said(t)
	now := policy.Permission(session)
	var labels []string
	allowed := policy.AllowedPermissionProfiles()
	for _, p := range allowed {
		labels = append(labels, string(p)+" - "+permissionHelp[p])
	}
	index, err := s.choose(ctx, t, fmt.Sprintf("Permission profile (now %s, from %s)", now.Mode, now.Source), labels)
	if err != nil || index < 0 {
		return err
	}
	return s.setPermission(ctx, t, string(allowed[index]))
}

// setPermission sets the session's permission profile by name or alias. A name
// that is none changes nothing: the person sees what may be written.
func (s *Session) setPermission(ctx context.Context, t *sitting, name string) error {
	p, err := profiles.ParsePermissionProfile(name)
	if err != nil {
		return err
	}
	return s.storePermission(ctx, t, string(p))
}

// storePermission keeps the session's permission profile, "" for none, and
// says what is in force now: the environment may have the last word.
func (s *Session) storePermission(ctx context.Context, t *sitting, name string) error {
	kept := s.change(t, func(st *state) { st.PermissionProfile = name })
	g := s.stand(ctx, t)
	s.showStatus(ctx, t, g)
	session, _ := s.said(t)
	status := g.policy.Permission(session)
	switch {
	case status.Warning != "":
		s.tell(ctx, "warning", "Permission profile: "+string(status.Mode)+". "+status.Warning+".")
	case name != "" && string(status.Mode) != name:
		s.tell(ctx, "warning", fmt.Sprintf("Permission profile: still %s, since %s goes before the command.", status.Mode, sourceName(status.Source)))
	default:
		s.tell(ctx, "info", fmt.Sprintf("Permission profile: %s (%s).", status.Mode, sourceName(status.Source)))
	}
	return kept
}

// sourceName says for a person where a permission profile comes from.
func sourceName(source string) string {
	switch source {
	case "env":
		return "PIAGENT_PERMISSION_PROFILE"
	case "command":
		return "this session's command"
	case "profile":
		return "the project's profile"
	}
	return "the policy's " + source
}

// setApproval is /permission approval.
func (s *Session) setApproval(ctx context.Context, t *sitting, args []string) error {
	if len(args) == 0 {
		index, err := s.choose(ctx, t, "Approval mode", labelled(approvals, approvalHelp))
		if err != nil || index < 0 {
			return err
		}
		args = approvals[index : index+1]
	}
	name := args[0]
	if len(args) > 1 || !slices.Contains(approvals, name) {
		return fmt.Errorf("approval mode %q: write one of %s", strings.Join(args, " "), strings.Join(approvals, ", "))
	}
	if name == "inherit" {
		name = ""
	}
	kept := s.change(t, func(st *state) { st.Approval = name })
	g := s.stand(ctx, t)
	s.showStatus(ctx, t, g)
	session, _ := s.said(t)
	s.tell(ctx, "info", "Approval mode: "+string(g.policy.Approval(session))+".")
	return kept
}

func labelled(names []string, help map[string]string) []string {
	labels := make([]string, len(names))
	for i, n := range names {
		labels[i] = n + " - " + help[n]
	}
	return labels
}

// permissionStatus is /permission-status.
func (s *Session) permissionStatus(ctx context.Context, t *sitting) error {
	g := s.stand(ctx, t)
	session, grants := s.said(t)
	permission := g.policy.Permission(session)
	lines := []string{
		fmt.Sprintf("Permission profile: %s (%s) - %s", permission.Mode, sourceName(permission.Source), permissionHelp[permission.Mode]),
	}
	if permission.Warning != "" {
		lines = append(lines, "  "+permission.Warning)
	}
	mode := "Mode: " + session.Mode
	if m, ok := g.policy.Mode(session.Mode); ok {
		mode = fmt.Sprintf("Mode: %s (%s, approval %s)", m.Label, m.Operating, g.policy.Approval(session))
		if !m.HardGates {
			mode += ", hard gates off"
		}
		if m.BypassProtectedPaths {
			mode += ", protected paths bypassed"
		}
	}
	lines = append(lines, mode, fmt.Sprintf("Approvals of this session: %d. Blocked paths: %d.", len(grants), len(session.Blocks)))
	s.tell(ctx, "info", strings.Join(lines, "\n"))
	return nil
}
