package profiles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// WithRule is the text of a permission-mode.json with one more rule in a mode,
// with all comments and the order of everything else kept (P3, P6). The rule
// stands last, so that it wins. A surface that the file does not speak of yet is
// written out with the rules in force, since a surface of the file replaces the
// shipped one. config may be empty.
func (p *Policy) WithRule(config []byte, mode string, surface Surface, pattern string, action Action) ([]byte, error) {
	if len(bytes.TrimSpace(config)) == 0 {
		config = []byte("{\n}\n")
	}
	root, err := hujson.Parse(config)
	if err != nil {
		return nil, fmt.Errorf("add a rule to permission-mode.json: %w", err)
	}
	rules := &root
	for depth, name := range []string{"modes", mode, "permission", string(surface)} {
		object, ok := rules.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("add a rule to permission-mode.json: %q is not below an object", name)
		}
		if rules = lookUp(object, name); rules == nil {
			rules = insert(object, name, hujson.Value{Value: &hujson.Object{}}, depth+1)
			if depth == 3 {
				p.seed(rules, mode, surface)
			}
		}
	}
	object, err := asMap(rules)
	if err != nil {
		return nil, fmt.Errorf("add a rule to permission-mode.json: %s: %w", surface, err)
	}
	object.Members = slices.DeleteFunc(object.Members, func(m hujson.ObjectMember) bool { return nameOf(&m) == pattern })
	insert(object, pattern, hujson.Value{Value: hujson.String(action.String())}, 5)
	return root.Pack(), nil
}

// seed writes the rules in force on a surface into a new object.
func (p *Policy) seed(value *hujson.Value, mode string, surface Surface) {
	object := value.Value.(*hujson.Object)
	rules := p.mode(mode).rules[surface].Rules()
	if len(rules) == 0 {
		insert(object, "*", hujson.Value{Value: hujson.String(Ask.String())}, 5)
	}
	for i := range rules {
		insert(object, rules[i].Pattern.String(), ruleValue(&rules[i]), 5)
	}
}

func ruleValue(r *Rule) hujson.Value {
	if r.Reason == "" {
		return hujson.Value{Value: hujson.String(r.Action.String())}
	}
	text, _ := json.Marshal(struct {
		Action Action `json:"action"`
		Reason string `json:"reason"`
	}{r.Action, r.Reason})
	value, _ := hujson.Parse(text)
	return value
}

// asMap is the object of a surface; one that is a single action becomes a map
// with that action for everything.
func asMap(value *hujson.Value) (*hujson.Object, error) {
	switch v := value.Value.(type) {
	case *hujson.Object:
		return v, nil
	case hujson.Literal:
		object := &hujson.Object{}
		value.Value = object
		insert(object, "*", hujson.Value{Value: v}, 5)
		return object, nil
	}
	return nil, fmt.Errorf("it is neither an action nor an object")
}

func nameOf(m *hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// lookUp is the value of the last member of that name, nil when there is none.
func lookUp(object *hujson.Object, name string) *hujson.Value {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if nameOf(&object.Members[i]) == name {
			return &object.Members[i].Value
		}
	}
	return nil
}

// insert adds a member at the end of an object, on a line of its own indented
// for its depth, and returns its value.
func insert(object *hujson.Object, name string, value hujson.Value, depth int) *hujson.Value {
	indent := "\n" + strings.Repeat("  ", depth)
	if n := len(object.Members); n > 0 {
		if before := object.Members[n-1].Name.BeforeExtra; bytes.Contains(before, []byte("\n")) {
			indent = "\n" + string(before[bytes.LastIndexByte(before, '\n')+1:])
		}
	}
	value.BeforeExtra = hujson.Extra(" ")
	object.Members = append(object.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(indent), Value: hujson.String(name)},
		Value: value,
	})
	if !bytes.Contains(object.AfterExtra, []byte("\n")) {
		object.AfterExtra = append(object.AfterExtra, indent[:max(len(indent)-2, 1)]...)
	}
	return &object.Members[len(object.Members)-1].Value
}
