// Package sandbox will contain what a call runs (spec section 5). This version
// of pi-guard judges and records; it contains nothing, and says so.
package sandbox

// State says whether commands run contained.
type State string

// The states of P's composition table. Disabled is that of a person or mode
// that wants no containment; it is not a failure, so no call is asked about
// because of it. Unavailable is that of a mode that wants it where it cannot be
// had.
const (
	Ready       State = "ready"
	Unavailable State = "unavailable"
	Disabled    State = "disabled"
)

// Probe reports the state of containment on this machine, and why it is so.
func Probe() (State, string) {
	return Disabled, "this version judges and records calls, it does not contain them"
}
