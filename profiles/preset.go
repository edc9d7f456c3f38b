package profiles

import (
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed data/presets/*.json
var presetFiles embed.FS

// presetNames are the names of all presets, in order.
var presetNames = sync.OnceValue(func() []string {
	entries, err := presetFiles.ReadDir("data/presets")
	if err != nil {
		panic("embedded presets: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return names
})

// Presets are the names of the shipped project profiles: ten kinds of project
// and generic (R, spec row E8).
func Presets() []string { return slices.Clone(presetNames()) }

// Preset is a fresh copy of the shipped profile of that name.
func Preset(name string) (*Profile, bool) {
	if !slices.Contains(presetNames(), name) {
		return nil, false
	}
	data, err := presetFiles.ReadFile(path.Join("data/presets", name+".json"))
	if err != nil {
		return nil, false
	}
	profile := &Profile{}
	mustDecode(name+".json", data, profile)
	return profile, true
}
