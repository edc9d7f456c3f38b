// Package paths reads paths the way pi's own tools open them, resolves them,
// and says in which root they lie (spec rows F1, F2, F4, F10). It knows
// nothing of policy.
package paths

// Root is the region of the file system that a path lies in.
type Root string

// The roots of spec row F4. Result records carry these names.
const (
	Workspace Root = "workspace" // below the project
	Scratch   Root = "scratch"   // below the session's scratch directory
	Writable  Root = "writable"  // below a root the mode lets be written, such as /tmp/pi
	Inside    Root = "inside"    // below a root that counts as inside the project for reading
	External  Root = "external"  // anywhere else
)

// Resolved is one path in all the forms that a judgement needs (F1, F2).
type Resolved struct {
	// Raw is the path as the tool was given it.
	Raw string
	// Lexical is absolute and clean, no symlink followed.
	Lexical string
	// Canonical has every symlink of the nearest existing ancestor followed.
	// It equals Lexical where no symlink is involved.
	Canonical string
	// Rel and CanonicalRel are Lexical and Canonical relative to the project,
	// with "." for the project itself, and "" outside it.
	Rel, CanonicalRel string
	// Also holds further absolute paths that some tool could open for the same
	// text, each lexical and canonical: the text percent-decoded once, the
	// kernel's reading of ".." after a symlink, the spellings of macOS that pi
	// falls back to, a file URL taken for a plain name by older versions.
	Also []string
	// Exists and Dir describe Canonical at the time of resolution.
	Exists, Dir bool
	// Root is the least trusted root of all forms.
	Root Root
	// Problem says why the text is no path; the other fields are then empty.
	Problem string
}
