package profiles

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Watch keeps a policy up to date with its files (P4). A change takes effect at
// the next call; nothing is watched in the background. It is safe for use by
// several goroutines.
type Watch struct {
	mu     sync.Mutex
	src    Sources
	stamp  string
	policy *Policy
	diags  []Diagnostic
}

// NewWatch loads the policy of src.
func NewWatch(ctx context.Context, src Sources) *Watch {
	w := &Watch{src: src}
	w.reload(ctx)
	return w
}

// Policy is the policy as its files stand now; changed is true when they were
// read again since the last call.
func (w *Watch) Policy(ctx context.Context) (p *Policy, diags []Diagnostic, changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if stamp(w.src.Files()) != w.stamp {
		w.reload(ctx)
		changed = true
	}
	return w.policy, w.diags, changed
}

// Trust says whether the person trusts the project, from the next call on.
func (w *Watch) Trust(trusted bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.src.ProfileTrusted != trusted {
		w.src.ProfileTrusted, w.stamp = trusted, ""
	}
}

// reload takes the stamp before reading, so that a file that is changed while
// it is read is read again.
func (w *Watch) reload(ctx context.Context) {
	w.stamp = stamp(w.src.Files())
	w.policy, w.diags = Load(ctx, w.src)
}

// stamp tells one state of the files from another by size, time and mode.
func stamp(files []string) string {
	var b strings.Builder
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			b.WriteString("-;")
			continue
		}
		fmt.Fprintf(&b, "%d %d %o;", info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	return b.String()
}

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
