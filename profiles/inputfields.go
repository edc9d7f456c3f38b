package profiles

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/pi-guard/pi-guard/bashast"
)

//go:embed data/inputfields.json
var inputFieldsData []byte

// inputFields is what is known of the names of fields and tools (R).
type inputFields struct {
	Content      []string            `json:"content"`
	Path         []string            `json:"path"`
	PathEndings  []string            `json:"pathEndings"`
	Base         []string            `json:"base"`
	Sources      []string            `json:"sources"`
	Destinations []string            `json:"destinations"`
	Verbs        map[string][]string `json:"verbs"`
}

var fieldTable = sync.OnceValue(func() *inputFields {
	t := &inputFields{}
	mustUnmarshal("inputfields.json", inputFieldsData, t)
	return t
})

// isPathField reports whether a folded key is one that holds paths.
func isPathField(key string) bool {
	t := fieldTable()
	if slices.Contains(t.Path, key) {
		return true
	}
	for _, ending := range t.PathEndings {
		if strings.HasSuffix(key, ending) {
			return true
		}
	}
	return false
}

// isBaseField reports whether other paths of the input may be relative to what
// the field holds.
func isBaseField(key string) bool { return slices.Contains(fieldTable().Base, key) }

// toolVerb is what a tool does to the paths it is given, by its name.
type toolVerb struct {
	name string
	verb string // "read", "write", "delete", "copy", "move", or "" for not known
}

func newToolVerb(tool string) toolVerb {
	t := toolVerb{name: tool}
	words := nameWords(tool)
	for _, verb := range [...]string{"move", "copy", "delete", "write", "read"} {
		for _, word := range words {
			if slices.Contains(fieldTable().Verbs[verb], word) {
				t.verb = verb
				return t
			}
		}
	}
	return t
}

// isContent reports whether a field holds text that is no path. A source is a
// path where something is copied or moved, and a remark elsewhere.
func (t toolVerb) isContent(key string) bool {
	if key == "source" && (t.verb == "copy" || t.verb == "move") {
		return false
	}
	return slices.Contains(fieldTable().Content, key)
}

// isPath reports whether a field holds paths.
func (t toolVerb) isPath(key string) bool {
	return isPathField(key) || key == "source" && (t.verb == "copy" || t.verb == "move")
}

// effect is what the tool does to the path in a field: copying reads its
// source, moving takes it away, and both write their destination. sure is
// false where the tool's name says nothing.
func (t toolVerb) effect(key string) (effect bashast.EffectKind, sure bool) {
	if isBaseField(key) && t.verb != "delete" && t.verb != "move" {
		return bashast.Read, true
	}
	destination := slices.Contains(fieldTable().Destinations, key)
	switch t.verb {
	case "read":
		if destination && strings.HasPrefix(key, "out") {
			return bashast.Write, true
		}
		return bashast.Read, true
	case "write":
		return bashast.Write, true
	case "delete":
		return bashast.Delete, true
	case "copy":
		if destination {
			return bashast.Write, true
		}
		return bashast.Read, true
	case "move":
		if destination {
			return bashast.Write, true
		}
		return bashast.Delete, true
	}
	return bashast.Write, false
}
