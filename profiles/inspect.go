package profiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pi-guard/pi-guard/bashast"
	"github.com/pi-guard/pi-guard/paths"
)

// maxInspectDepth is how deep an input may be nested before it cannot be
// classified safely (R MAX_TOOL_INPUT_INSPECTION_DEPTH).
const maxInspectDepth = 32

// maxCandidates bounds the paths of one input.
const maxCandidates = 4096

// Candidate is a text of a tool's input that may be a path.
type Candidate struct {
	// Field is where it stands, such as "path" or "files[2]".
	Field string
	// Path is the text as written.
	Path string
	// Effect is what the tool does to it: Read, Write or Delete.
	Effect bashast.EffectKind
	// Sure is false where the tool's name does not say whether it changes what
	// the path names; Effect is then Write.
	Sure bool
	// Pattern is true for a search pattern that names files.
	Pattern bool
	// Guess is true in a field that need not hold paths.
	Guess bool
	// Weak is true for a guess without any sign of a path: a bare word, which
	// is one only where a symlink of that name exists.
	Weak bool
}

// InspectInput lists every text of a tool's input that may be a path: in
// nested objects and lists, in keys, and in JSON inside texts (R, spec row F6).
// Content fields are skipped. problem says why an input cannot be inspected,
// which denies the call: it is no JSON object, nested deeper than 32, or holds
// more than 4096 paths.
func InspectInput(tool string, input json.RawMessage) (candidates []Candidate, problem string) {
	in := inspector{tool: newToolVerb(tool)}
	if len(bytes.TrimSpace(input)) > 0 {
		root, err := decodeInput(input)
		if err != nil {
			return nil, err.Error()
		}
		if _, ok := root.(map[string]any); !ok && root != nil {
			return nil, "it is no JSON object"
		}
		in.walk(root, place{}, 1)
	}
	if in.problem != "" {
		return nil, in.problem
	}
	in.defaultPath(tool)
	in.rebase()
	if len(in.found) > maxCandidates {
		return nil, fmt.Sprintf("it holds more than %d paths", maxCandidates)
	}
	return in.found, ""
}

// decodeInput decodes a JSON value; the decoder of encoding/json has a bound on
// nesting of its own, far above ours.
func decodeInput(input []byte) (any, error) {
	var root any
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		return nil, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if decoder.More() {
		return nil, fmt.Errorf("there is more than one JSON value")
	}
	return root, nil
}

// inspector walks one input.
type inspector struct {
	tool    toolVerb
	found   []Candidate
	bases   []string // values of fields that other paths may be relative to
	problem string
}

// place is where in the input the walk is.
type place struct {
	name string // as shown, such as files[2]
	key  string // the nearest key, folded
}

func (p place) child(key string) place {
	name := key
	if p.name != "" {
		name = p.name + "." + key
	}
	return place{name, foldKey(key)}
}

func (p place) element(i int) place { return place{fmt.Sprintf("%s[%d]", p.name, i), p.key} }

// foldKey is a key in lower case without separators, so that filePath,
// file_path and file-path are one.
func foldKey(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}

func (in *inspector) walk(value any, at place, depth int) {
	if in.problem != "" {
		return
	}
	if depth > maxInspectDepth {
		in.problem = fmt.Sprintf("it is nested deeper than %d", maxInspectDepth)
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if weak := !looksLikePath(key); !weak || isWord(key) && in.tool.isPath(at.key) {
				in.add(Candidate{Field: at.child(key).name, Path: key, Guess: true, Weak: weak}, at.key)
			}
			in.walk(v[key], at.child(key), depth+1)
		}
	case []any:
		for i, element := range v {
			in.walk(element, at.element(i), depth+1)
		}
	case string:
		in.text(v, at, depth)
	}
}

// text looks at one text of the input.
func (in *inspector) text(text string, at place, depth int) {
	switch {
	case text == "":
	case in.isPattern(at.key):
		in.found = append(in.found, Candidate{Field: at.name, Path: text, Pattern: true, Sure: true})
	case in.tool.isContent(at.key):
	case in.tool.isPath(at.key):
		if isBaseField(at.key) {
			in.bases = append(in.bases, text)
		}
		if SurfaceOf(in.tool.name) != SurfaceTool || !isURL(text) {
			in.add(Candidate{Field: at.name, Path: text}, at.key)
		}
	case looksLikeJSON(text):
		if inner, err := decodeInput([]byte(text)); err == nil {
			in.walk(inner, at, depth+1)
		}
	case looksLikePath(text):
		in.add(Candidate{Field: at.name, Path: text, Guess: true}, at.key)
	case isWord(text):
		in.add(Candidate{Field: at.name, Path: text, Guess: true, Weak: true}, at.key)
	}
}

// add adds a candidate with what the tool does to it by its name and the
// field's.
func (in *inspector) add(c Candidate, key string) {
	c.Effect, c.Sure = in.tool.effect(key)
	in.found = append(in.found, c)
}

// isPattern reports whether a field of this tool names files by a pattern.
func (in *inspector) isPattern(key string) bool {
	return in.tool.name == "grep" && key == "glob" || in.tool.name == "find" && key == "pattern"
}

// defaultPath adds the directory that grep, find and ls look at when the input
// names none.
func (in *inspector) defaultPath(tool string) {
	switch tool {
	case "grep", "find", "ls":
		for i := range in.found {
			if in.found[i].Field == "path" {
				return
			}
		}
		in.found = append(in.found, Candidate{Field: "path", Path: ".", Effect: bashast.Read, Sure: true})
	}
}

// rebase adds, for inputs that name a directory to work in, every relative
// path as read against it.
func (in *inspector) rebase() {
	for _, base := range in.bases {
		for _, c := range in.found {
			if !c.Pattern && !c.Weak && c.Path != base && isRelative(c.Path) && len(in.found) <= maxCandidates {
				c.Path, c.Guess = base+"/"+c.Path, true
				in.found = append(in.found, c)
			}
		}
	}
}

func isRelative(path string) bool {
	return path != "" && !strings.ContainsRune("/~@", rune(path[0])) && !strings.Contains(path, "://")
}

// urlScheme is how a URL begins (RFC 3986 section 3.1).
var urlScheme = regexp.MustCompile(`^@?([A-Za-z][A-Za-z0-9+.-]*)://`)

// isURL reports whether a text is a URL that is no file's.
func isURL(text string) bool {
	m := urlScheme.FindStringSubmatch(text)
	return m != nil && !strings.EqualFold(m[1], "file")
}

// isWord reports whether a text may be the name of a file in the directory a
// tool works in.
func isWord(text string) bool {
	return text != "" && len(text) <= 255 && !strings.ContainsAny(text, " \t\n\r") && !isURL(text)
}

// looksLikeJSON reports whether a text may be an object or a list.
func looksLikeJSON(text string) bool {
	t := strings.TrimSpace(text)
	return len(t) > 1 && (t[0] == '{' && t[len(t)-1] == '}' || t[0] == '[' && t[len(t)-1] == ']')
}

// looksLikePath reports whether a text of any field may be a path: one line of
// bounded length with a slash, or with a name that begins with a dot, or that
// names guard state.
func looksLikePath(text string) bool {
	if len(text) > 4096 || strings.ContainsAny(text, "\n\r") || isURL(text) {
		return false
	}
	if strings.ContainsAny(text, `/\`) {
		return true
	}
	lower := strings.ToLower(text)
	return strings.HasPrefix(text, "~") || strings.HasPrefix(text, "@") || strings.HasPrefix(text, ".") && len(text) > 1 ||
		strings.Contains(lower, "piagent-") || strings.Contains(lower, "%2f") || strings.Contains(lower, "%2e")
}

// PathFacts resolves candidates against cwd, for Facts.Paths.
func PathFacts(candidates []Candidate, r *paths.Resolver, cwd string) []PathFact {
	facts := make([]PathFact, 0, len(candidates))
	for _, c := range candidates {
		f := PathFact{
			Field: c.Field, Command: -1, Effect: c.Effect, Pattern: c.Pattern, Guess: c.Guess,
			Mutates: c.Effect != bashast.Read && c.Sure, MayMutate: !c.Sure,
		}
		if c.Pattern {
			f.Resolved = paths.Resolved{Raw: c.Path, Lexical: c.Path, Canonical: c.Path, Root: paths.Workspace}
			facts = append(facts, f)
			continue
		}
		f.Resolved = r.Resolve(c.Path, cwd)
		if c.Guess && f.Problem != "" || c.Weak && f.Canonical == f.Lexical {
			continue
		}
		facts = append(facts, f)
	}
	return facts
}
