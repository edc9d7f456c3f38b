package profiles

import (
	"fmt"
	"strings"
)

// StartMode is the mode of a new session that asks for name: by the flag
// --perm, by PI_PERMISSION_MODE, or from before a reload. An empty name is the
// default mode; one that is not known is the strictest, and warning says so.
func (p *Policy) StartMode(name string) (mode, warning string) {
	if name == "" {
		return p.defaultMode, ""
	}
	if _, ok := p.modes[name]; ok {
		return name, ""
	}
	fix := "modes are " + strings.Join(p.names, ", ")
	if near := nearest(name, p.names); near != "" {
		fix = fmt.Sprintf("did you mean %q? %s", near, fix)
	}
	return strictestMode, fmt.Sprintf("there is no mode %q, so %s is in force; %s", name, strictestMode, fix)
}
