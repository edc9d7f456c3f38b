package profiles

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/bashast"
)

//go:embed data/hardgates.json
var hardGateData []byte

// gateTable is the hard-gate table (B10), indexed by the command names its
// rules speak of. A row is decoded when a command of its name is first seen:
// most processes see a few of a hundred and more.
type gateTable struct {
	Globals    map[string][]string
	Outputs    []string
	categories []string
	byName     map[string][]lazyRule
	globNames  []globRule
	byEffect   []*gateRule
}

// lazyRule decodes its row at the first call.
type lazyRule func() *gateRule

// globRule is a row whose command names are patterns.
type globRule struct {
	names []string
	rule  lazyRule
}

// gateRule is one row of the table. A row matches a command when every field
// that is set holds.
type gateRule struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	// Action is what the gate demands: ask when empty, deny for what no yes
	// in the middle of a task should allow.
	Action *Action `json:"action"`
	// Command names the programs, without directory; * stands for any run.
	Command []string `json:"command"`
	// Words are the subcommand words in order, each with alternatives between
	// bars, after the program's global options are skipped.
	Words string `json:"words"`
	// Any needs one of these among the arguments, All needs each, None none.
	// "-f" is also found in a cluster, "--force" also as --force=x and
	// abbreviated; anything else is a pattern for one whole argument.
	Any  []string `json:"any"`
	All  []string `json:"all"`
	None []string `json:"none"`
	// Bare is true when the row wants no operand beyond Words.
	Bare bool `json:"bare"`
	// Unknown is true when an argument that is not known may be one of Any.
	Unknown bool `json:"unknown"`
	// Hidden is true when the row wants an argument that is not known.
	Hidden bool `json:"hidden"`
	// Text is a regular expression, without case, for any argument or the
	// standard input where it is known.
	Text string `json:"text"`
	// Effect and Path match the effects of a command instead of its words.
	Effect []string `json:"effect"`
	Path   []string `json:"path"`

	// Loses says what of a work tree would be lost: modified, untracked or
	// stashes (B22).
	Loses  string `json:"loses"`
	Reason string `json:"reason"`
	Safer  string `json:"safer"`

	words [][]string
	text  func() *regexp.Regexp
}

// loadGates indexes the table once; it is embedded, so an error is a defect
// of the build and makes every bash call ask.
var loadGates = sync.OnceValues(func() (*gateTable, error) {
	t := &gateTable{byName: map[string][]lazyRule{}}
	if !gjson.ValidBytes(hardGateData) {
		return nil, errors.New("the embedded hard-gate table is not valid JSON")
	}
	root := gjson.ParseBytes(hardGateData)
	if err := json.Unmarshal([]byte(root.Get("globals").Raw), &t.Globals); err != nil {
		return nil, fmt.Errorf("reading the global options of the embedded hard-gate table: %w", err)
	}
	for _, v := range root.Get("buildOutputs").Array() {
		t.Outputs = append(t.Outputs, v.Str)
	}
	root.Get("rules").ForEach(func(_, row gjson.Result) bool {
		t.index(row)
		return true
	})
	return t, nil
})

func (t *gateTable) index(row gjson.Result) {
	rule := lazyRule(sync.OnceValue(func() *gateRule { return decodeGate(row.Raw) }))
	if category := row.Get("category").Str; !slices.Contains(t.categories, category) {
		t.categories = append(t.categories, category)
	}
	if row.Get("effect").Exists() {
		t.byEffect = append(t.byEffect, rule())
		return
	}
	var patterns []string
	row.Get("command").ForEach(func(_, name gjson.Result) bool {
		if strings.ContainsRune(name.Str, '*') {
			patterns = append(patterns, name.Str)
		} else {
			t.byName[name.Str] = append(t.byName[name.Str], rule)
		}
		return true
	})
	if len(patterns) > 0 {
		t.globNames = append(t.globNames, globRule{patterns, rule})
	}
}

// decodeGate decodes a row. One that cannot be decoded asks about every
// command of its names.
func decodeGate(raw string) *gateRule {
	r := &gateRule{}
	if err := json.Unmarshal([]byte(raw), r); err != nil {
		return &gateRule{ID: "unreadable-row", Reason: "a row of the hard-gate table cannot be read: " + err.Error()}
	}
	for w := range strings.FieldsSeq(r.Words) {
		r.words = append(r.words, strings.Split(w, "|"))
	}
	if r.Text != "" {
		r.text = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?is)" + r.Text) })
	}
	return r
}

// HardGateCategories lists the categories a profile may name in hardGates, in
// the order of the table.
func HardGateCategories() []string {
	t, err := loadGates()
	if err != nil {
		return nil
	}
	return slices.Clone(t.categories)
}

// action is what the row demands.
func (r *gateRule) action() Action {
	if r.Action == nil {
		return Ask
	}
	return *r.Action
}

// opinion says what the row says of the command at span.
func (r *gateRule) opinion(target string, span bashast.Span) Opinion {
	return Opinion{
		Layer: LayerHardGate, Action: r.action(), Origin: OriginHardGate,
		Rule: r.ID, Target: target, Reason: r.Reason, Safer: r.Safer,
		Start: span.Start, End: span.End,
	}
}

// gateCommand returns every row that c matches.
func (t *gateTable) gateCommand(c *bashast.Command) []*gateRule {
	if len(c.Words) == 0 {
		return nil
	}
	var found []*gateRule
	for _, full := range c.Words[0].Texts() {
		name := baseName(full)
		call := argv{command: c, name: name, table: t}
		for _, rule := range t.byName[name] {
			if r := rule(); call.matches(r) {
				found = append(found, r)
			}
		}
		for _, g := range t.globNames {
			if matchesAny(g.names, name) && call.matches(g.rule()) {
				found = append(found, g.rule())
			}
		}
	}
	return found
}

// gateEffect returns every row that speaks of an effect on the given path.
func (t *gateTable) gateEffect(kind bashast.EffectKind, path string) []*gateRule {
	var found []*gateRule
	for _, r := range t.byEffect {
		if effectNamed(r.Effect, kind) && matchesAny(r.Path, path) {
			found = append(found, r)
		}
	}
	return found
}

func effectNamed(names []string, kind bashast.EffectKind) bool {
	for _, n := range names {
		if n == effectName(kind) {
			return true
		}
	}
	return false
}

func effectName(kind bashast.EffectKind) string {
	switch kind {
	case bashast.Read:
		return "read"
	case bashast.Write:
		return "write"
	case bashast.Delete:
		return "delete"
	case bashast.Execute:
		return "execute"
	case bashast.Chmod:
		return "chmod"
	case bashast.Network:
		return "network"
	}
	return ""
}

func matchesAny(patterns []string, text string) bool {
	for _, p := range patterns {
		if globMatch(p, text) {
			return true
		}
	}
	return false
}

// globMatch matches with * for any run of characters and nothing else
// special. It is the table's own small language; policy patterns are richer.
func globMatch(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	if !strings.HasPrefix(text, head) {
		return false
	}
	text = text[len(head):]
	for {
		part, tail, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], tail
	}
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
