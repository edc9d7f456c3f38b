package profiles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Imported is what another guard's configuration becomes (spec row N4).
type Imported struct {
	// Config is the text of a permission-mode.json or, from a profile of
	// piagent, of a piagent-profile.json; File says which.
	Config []byte
	File   string
	// Notes list what has no equivalent and what means something else here,
	// with the place it stands in the source.
	Notes []string
}

// Importers are the formats that Import reads.
func Importers() []string { return []string{"claude", "opencode", "pi-permission-system", "piagent"} }

// Import turns the configuration of another guard into ours. name names the
// file in the notes. Where the two mean different things the stricter meaning
// is taken; what cannot be said in ours is listed, never guessed.
func Import(format, name string, data []byte) (Imported, error) {
	value, err := hujson.Parse(data)
	if err != nil {
		line, column, problem := syntaxPlace(err)
		return Imported{}, fmt.Errorf("%s:%d:%d: this is not valid JSON: %s", name, line, column, problem)
	}
	doc := &document{file: name, data: data}
	im := &importer{root: node{doc: doc, value: &value}}
	switch format {
	case "claude":
		im.claude()
	case "opencode":
		im.opencode()
	case "pi-permission-system":
		im.permissionSystem()
	case "piagent":
		return im.piagent()
	default:
		return Imported{}, fmt.Errorf("there is no importer for %q: write one of %s", format, strings.Join(Importers(), ", "))
	}
	return Imported{Config: im.config(name), File: "permission-mode.json", Notes: im.notes}, nil
}

// importer collects modes and notes.
type importer struct {
	root        node
	modes       []*importedMode
	defaultMode string
	notes       []string
}

// importedMode is one mode to be written.
type importedMode struct {
	name     string
	fields   map[string]any // approval, hideTools, sandbox
	surfaces map[Surface][]RuleConfig
}

// mode is the mode of that name, made when it is not there yet.
func (im *importer) mode(name string) *importedMode {
	for _, m := range im.modes {
		if m.name == name {
			return m
		}
	}
	m := &importedMode{name: name, fields: map[string]any{}, surfaces: map[Surface][]RuleConfig{}}
	im.modes = append(im.modes, m)
	return m
}

// note says that something at n has no equivalent or another meaning.
func (im *importer) note(n node, format string, args ...any) {
	key := ""
	if n.key != "" {
		key = n.key + ": "
	}
	im.notes = append(im.notes, fmt.Sprintf("%s:%d: %s%s", n.doc.file, n.line(), key, fmt.Sprintf(format, args...)))
}

// add adds a rule to a surface. The first rule of a surface is the shipped
// default for everything, which the source does not change.
func (m *importedMode) add(surface Surface, pattern string, action Action) {
	if len(m.surfaces[surface]) == 0 && pattern != "*" {
		m.surfaces[surface] = append(m.surfaces[surface], RuleConfig{Pattern: "*", Action: m.usual(surface)})
	}
	// A later rule for the same pattern replaces the earlier one, and wins.
	m.surfaces[surface] = slices.DeleteFunc(m.surfaces[surface], func(r RuleConfig) bool { return r.Pattern == pattern })
	m.surfaces[surface] = append(m.surfaces[surface], RuleConfig{Pattern: pattern, Action: action})
}

// usual is what the shipped mode says of everything on a surface.
func (m *importedMode) usual(surface Surface) Action {
	if surface == SurfacePath {
		return Allow
	}
	mode, ok := Defaults().Mode(m.name)
	if !ok {
		mode, _ = Defaults().Mode("default")
	}
	for _, r := range mode.Rules(surface).Rules() {
		if r.catchesAll() {
			return r.Action
		}
	}
	return Ask
}

// config is the text of the permission-mode.json.
func (im *importer) config(name string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n// Imported from %s.\n", strings.ReplaceAll(name, "\n", " "))
	if im.defaultMode != "" {
		fmt.Fprintf(&b, "\"defaultMode\": %s,\n", asJSON(im.defaultMode))
	}
	b.WriteString("\"modes\": {\n")
	for _, m := range im.modes {
		fmt.Fprintf(&b, "%s: {\n", asJSON(m.name))
		for _, key := range []string{"approval", "hideTools", "sandbox"} {
			if value, ok := m.fields[key]; ok {
				fmt.Fprintf(&b, "%q: %s,\n", key, asJSON(value))
			}
		}
		b.WriteString("\"permission\": {\n")
		for _, surface := range Surfaces() {
			if rules := m.surfaces[surface]; len(rules) > 0 {
				fmt.Fprintf(&b, "%q: %s,\n", surface, rulesText(rules))
			}
		}
		b.WriteString("}\n},\n")
	}
	b.WriteString("}\n}\n")
	text, err := hujson.Format([]byte(b.String()))
	if err != nil {
		panic("an imported configuration is no JSON: " + err.Error())
	}
	return text
}

func rulesText(rules []RuleConfig) string {
	if len(rules) == 1 && rules[0].Pattern == "*" {
		return asJSON(rules[0].Action.String())
	}
	var b strings.Builder
	b.WriteString("{\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "%s: %q,\n", asJSON(r.Pattern), r.Action)
	}
	return b.String() + "}"
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic("an imported value is no JSON: " + err.Error())
	}
	return string(text)
}

// child is the member of that name; ok is false when there is none.
func (n node) child(name string) (child node, ok bool) {
	n.members(func(key string, _, value node) {
		if key == name {
			child, ok = value, true
		}
	})
	return child, ok
}

// elements calls visit for every element of a list.
func (n node) elements(visit func(node)) {
	if n.value == nil {
		return
	}
	array, ok := n.value.Value.(*hujson.Array)
	if !ok {
		return
	}
	for i := range array.Elements {
		visit(node{n.doc, &array.Elements[i], fmt.Sprintf("%s[%d]", n.key, i)})
	}
}

// optionalArguments are the two patterns for a source in which " *" at the end
// also stands for no arguments.
func optionalArguments(pattern string) []string {
	if bare, ok := strings.CutSuffix(pattern, " *"); ok && bare != "" {
		return []string{bare, pattern}
	}
	return []string{pattern}
}
