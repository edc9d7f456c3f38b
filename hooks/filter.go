package hooks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/paths"
	"github.com/pi-guard/pi-guard/profiles"
)

// filter takes out of the results of grep, find and ls what the model may not
// see: lines of and names of paths that a read would have been refused or
// asked about because of what they are. A broad search passes the gate by the
// directory it names; what it finds is looked at here (F7).
func (r *result) filter(g *ground, session profiles.Session) {
	var pathsOf func(string) []string
	switch r.event.ToolName {
	case "grep":
		pathsOf = grepPaths
	case "find", "ls":
		pathsOf = func(line string) []string { return []string{line} }
	default:
		return
	}
	f := listing{ground: g, session: session, root: r.searchRoot(g), seen: map[string]bool{}}
	r.mapText(func(text string) string { return f.text(text, pathsOf) })
	if r.changed {
		r.structured = nil
	}
}

// searchRoot is the directory that the paths of a result are relative to.
func (r *result) searchRoot(g *ground) string {
	raw := gjson.GetBytes(r.event.Input, "path").Str
	if raw == "" {
		raw = "."
	}
	root := g.resolver.Resolve(raw, r.event.Cwd)
	if root.Problem != "" {
		return r.event.Cwd
	}
	if r.event.ToolName == "grep" && root.Exists && !root.Dir {
		return filepath.Dir(root.Lexical) // a file that was searched is shown by its name
	}
	return root.Lexical
}

// listing filters the lines of one result.
type listing struct {
	ground  *ground
	session profiles.Session
	root    string
	seen    map[string]bool // path → hidden
}

// text is a result without the lines of hidden paths, and with a word about
// how many there were.
func (f *listing) text(text string, pathsOf func(string) []string) string {
	lines := strings.Split(text, "\n")
	kept := lines[:0:0]
	hidden := 0
	for _, line := range lines {
		if slices.ContainsFunc(pathsOf(line), f.hidden) {
			hidden++
			continue
		}
		kept = append(kept, line)
	}
	if hidden == 0 {
		return text
	}
	return strings.Join(kept, "\n") + fmt.Sprintf("\n[pi-guard: %d lines about protected paths were removed]", hidden)
}

// hidden reports whether the model may not see a path of the listing.
func (f *listing) hidden(path string) bool {
	if path == "" {
		return false
	}
	hide, known := f.seen[path]
	if !known {
		hide = f.judge(f.ground.resolver.ResolveExact(strings.TrimSuffix(path, "/"), f.root))
		f.seen[path] = hide
	}
	return hide
}

func (f *listing) judge(r paths.Resolved) bool {
	v := f.ground.policy.Judge(profiles.Facts{
		Tool: "read", Surface: profiles.SurfaceRead, Session: f.session,
		Paths: []profiles.PathFact{{Resolved: r, Field: "path", Command: -1}},
	})
	for _, o := range v.Opinions() {
		if o.Action == profiles.Allow || o.Layer == profiles.LayerExternal || o.Layer == profiles.LayerInput {
			continue
		}
		if o.Origin == profiles.OriginPattern || o.Origin == profiles.OriginProject || o.Origin == profiles.OriginFixed {
			return true
		}
	}
	return false
}

// maxReadings bounds the paths that one line of grep is read as.
const maxReadings = 16

// grepPaths are the paths that a line of grep's result may be about:
// path:12: text for a match, path-12- text for a line around it. A path may
// itself hold what looks like such a number, so that there may be several; a
// line is hidden when any of them is.
func grepPaths(line string) []string {
	var all []string
	for i := 1; i < len(line) && len(all) < maxReadings; i++ {
		sep := line[i]
		if sep != ':' && sep != '-' {
			continue
		}
		end := i + 1
		for end < len(line) && line[end] >= '0' && line[end] <= '9' {
			end++
		}
		if end > i+1 && end < len(line) && line[end] == sep {
			all = append(all, line[:i])
		}
	}
	return all
}
