// Package profiles holds configuration and policy: modes, project profiles,
// permission profiles, patterns, layers and hard gates, and the one pure
// function Judge that turns facts into a Verdict (spec sections 0, 1 and 4).
package profiles

import "fmt"

// Action is what a layer wants done with a call. The order is the order of
// strictness: Allow < Ask < Deny (spec section 0).
type Action uint8

// The three actions.
const (
	Allow Action = iota
	Ask
	Deny
)

// Stricter is the stricter of two actions. It is the only way actions are
// composed, so that adding a layer never loosens a verdict (spec section 1).
func Stricter(a, b Action) Action { return max(a, b) }

// String is "allow", "ask" or "deny".
func (a Action) String() string {
	switch a {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	}
	return "deny"
}

// MarshalText writes the action's name.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads "allow", "ask" or "deny" and nothing else.
func (a *Action) UnmarshalText(text []byte) error {
	switch string(text) {
	case "allow":
		*a = Allow
	case "ask":
		*a = Ask
	case "deny":
		*a = Deny
	default:
		return fmt.Errorf("action %q: write allow, ask or deny", text)
	}
	return nil
}
