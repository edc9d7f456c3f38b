package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// TestParamsLikeAValidator compares the check of parameters with a validator of
// the whole of JSON Schema, on values made to be nearly right.
func TestParamsLikeAValidator(t *testing.T) {
	for _, spec := range ToolSpecs() {
		t.Run(spec.Name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Schema))
			if err != nil {
				t.Fatal(err)
			}
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource(spec.Name, doc); err != nil {
				t.Fatal(err)
			}
			reference := compiler.MustCompile(spec.Name)
			schema := loadTools().schemas[spec.Name]
			rapid.Check(t, func(t *rapid.T) {
				text, err := json.Marshal(nearly(schema).Draw(t, "value"))
				if err != nil {
					t.Fatal(err)
				}
				instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				want := reference.Validate(instance)
				got := ValidateParams(spec.Name, text)
				if (want == nil) != (got == nil) {
					t.Errorf("%s\ngot  %v\nwant %v", text, got, want)
				}
			})
		})
	}
}

// nearly makes values that fit a schema often, and miss it in one thing often.
func nearly(s *paramSchema) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 19).Draw(t, "stray") == 0 {
			return rapid.SampledFrom([]any{nil, true, 1, 1.5, "x", []any{}, map[string]any{}}).Draw(t, "other")
		}
		switch s.Type {
		case "object":
			value := map[string]any{}
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				p := s.Properties[name]
				if rapid.IntRange(0, 9).Draw(t, "skip") > 0 {
					value[name] = nearly(p).Draw(t, name)
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "more") == 0 {
				value["stranger"] = 1
			}
			return value
		case "array":
			n := rapid.IntRange(0, 3).Draw(t, "entries")
			if rapid.IntRange(0, 9).Draw(t, "many") == 0 {
				n = 20
			}
			list := []any{}
			for range n {
				list = append(list, nearly(s.Items).Draw(t, "entry"))
			}
			return list
		case "integer", "number":
			return rapid.SampledFrom([]any{0, 1, 3, 10, 11, 200, 12000, -1, 1.0, 2.5, json.Number("1e2"), json.Number("1e400")}).Draw(t, "number")
		}
		if len(s.Enum) > 0 && rapid.Bool().Draw(t, "enum") {
			return rapid.SampledFrom(s.Enum).Draw(t, "choice")
		}
		return rapid.SampledFrom([]string{"", "a", "ok-1", "äöü", "ten characters", strings.Repeat("long ", 60), strings.Repeat("é", 5000)}).Draw(t, "text")
	})
}

// TestParamsSay: each kind of mistake is named with its place and what to write.
func TestParamsSay(t *testing.T) {
	schema, err := readParamSchema([]byte(`{"type":"object","required":["a"],"additionalProperties":false,"properties":{
		"a":{"type":"array","maxItems":2,"uniqueItems":true,"items":{"type":"object","properties":{"n":{"type":"integer","maximum":5}}}},
		"b":{"type":"string","minLength":2,"pattern":"^x"},
		"c":{"type":"string","enum":["p","q"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`[]`:                         "the call is of type array: write a value of type object",
		`{}`:                         "the call lacks a: add it",
		`{"a":[],"z":1}`:             "the call does not take z: leave it out",
		`{"a":[1]}`:                  "a.0 is of type integer: write a value of type object",
		`{"a":[{"n":9}]}`:            "a.0.n is 9: write at most 5",
		`{"a":[{},{}]}`:              "a holds an entry twice: give each once",
		`{"a":[{"n":1},{"n":2},{}]}`: "a has 3 entries: give at most 2",
		`{"a":[],"b":"x"}`:           "b has 1 characters: write at least 2",
		`{"a":[],"b":"yy"}`:          `b is "yy": write a text that matches ^x`,
		`{"a":[],"c":"r"}`:           "c is r: write one of p, q",
		`{"a":[{"n":1.5}]}`:          "a.0.n is of type number: write a value of type integer",
		`{"a":[{"n":2.0}]}`:          "",
	} {
		doc, err := decodeParams([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := schema.check("", doc, nil)
		if fmt.Sprint(got) != fmt.Sprint(filter(want)) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func filter(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
