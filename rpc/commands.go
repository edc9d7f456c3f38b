package rpc

// SlashCommand is a command that pi offers to the person.
type SlashCommand struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Arguments is true when the guard can complete arguments.
	Arguments bool `json:"arguments"`
}

// Commands are the slash commands of the guard. The shim registers them before
// a guard runs, so they are part of what is generated for it.
func Commands() []SlashCommand {
	return []SlashCommand{
		{"permission", "Choose the permission profile, or the approval mode", true},
		{"permission-status", "Show the permission profile, the mode and what they allow", false},
		{"read-only", "Permission profile read-only: look, but change nothing", false},
		{"workspace-write", "Permission profile workspace-write: work inside the project", false},
		{"full-access", "Permission profile trusted-full-access", false},
		{"trusted-full-access", "Permission profile trusted-full-access", false},
		{"perm", "Choose the mode; list and clear approvals and blocks", true},
	}
}

// Shortcut is a key that does what a command does.
type Shortcut struct {
	Key         string `json:"key"`
	Command     string `json:"command"`
	Args        string `json:"args"`
	Description string `json:"description"`
}

// Shortcuts are the guard's keys.
func Shortcuts() []Shortcut {
	return []Shortcut{{"alt+m", "perm", "next", "Switch to the next permission mode"}}
}
