package profiles

import "slices"

// Managed is the policy of an organisation, /etc/pi-guard/managed.json. It is
// obeyed only where root owns the file and nobody else can write it, and
// neither person nor project can loosen it.
type Managed struct {
	// Permission tightens every mode.
	Permission *PermissionConfig `json:"permission" doc:"Rules that tighten every mode."`
	// DisabledModes are removed, yolo for one.
	DisabledModes []string `json:"disabledModes" doc:"Modes that do not exist on this machine, such as yolo."`
	// PermissionProfiles are the permission profiles that may be used.
	PermissionProfiles []PermissionProfile `json:"permissionProfiles" doc:"The permission profiles that may be used; all when absent."`
	// Approvals are the approval modes that may be used.
	Approvals []Approval `json:"approvals" doc:"The approval modes that may be used; all when absent. ask always may."`
	// EnforceHardGates keeps all hard gates in every mode.
	EnforceHardGates bool `json:"enforceHardGates" doc:"true keeps every hard gate in every mode."`
	// HardGateCategories keeps these categories in every mode.
	HardGateCategories []string `json:"hardGateCategories" doc:"Categories of hard gates that stay in every mode."`
	// EnforceProtectedPaths keeps protected paths in every mode.
	EnforceProtectedPaths bool `json:"enforceProtectedPaths" doc:"true keeps protected paths in every mode."`
	// ProtectedPaths and ReadOnlyPaths are added to every profile's.
	ProtectedPaths []string `json:"protectedPaths" doc:"Paths that nothing reads or writes, in every project."`
	ReadOnlyPaths  []string `json:"readOnlyPaths" doc:"Paths that nothing writes, in every project."`
	// RequireSandbox refuses bash where it cannot be contained.
	RequireSandbox bool `json:"requireSandbox" doc:"true refuses bash where it cannot be contained."`
	// NoLastingGrants takes "allow forever" and project grants away.
	NoLastingGrants bool `json:"noLastingGrants" doc:"true takes away grants that outlast a session."`
	// Message is shown to the person where the managed policy refuses.
	Message string `json:"message" doc:"Shown to the person where this policy refuses, such as whom to ask."`
}

// limitApproval is a where it may be used, else the strictest.
func (m *Managed) limitApproval(a Approval) Approval {
	if len(m.Approvals) == 0 || slices.Contains(m.Approvals, a) {
		return a
	}
	return ApprovalAsk
}
