package profiles

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Schemas are the JSON Schemas of all configuration files, by the name of the
// file they are published in below schemas/ (P3). They are made from the Go
// types that the files are decoded into, so that both say the same.
func Schemas() (map[string][]byte, error) {
	files := map[string]struct {
		title    string
		value    any
		required []string
	}{
		"permission-mode.schema.json": {"Modes of pi-guard: permission-mode.json", ModeFile{}, nil},
		"piagent-profile.schema.json": {"Profile of a project: .pi/piagent-profile.json", Profile{}, []string{"schemaVersion", "projectId", "displayName"}},
		"base-policy.schema.json":     {"Base policy: base-policy.json", BasePolicy{}, nil},
		"managed.schema.json":         {"Policy of an organisation: /etc/pi-guard/managed.json", Managed{}, nil},
	}
	schemas := make(map[string][]byte, len(files))
	for name, file := range files {
		s := schemaOf(reflect.TypeOf(file.value))
		s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
		s["title"] = file.title
		if file.required != nil {
			s["required"] = file.required
		}
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("make the schema %s: %w", name, err)
		}
		schemas[name] = append(text, '\n')
	}
	return schemas, nil
}

// schema is one JSON Schema; encoding/json sorts its keys.
type schema map[string]any

// comments are the keys that decoding ignores, as a pattern.
const comments = `^(\$comment|\$schema|//.*)$`

// schemaOf is the schema of a Go type as decodeDocument reads it.
func schemaOf(t reflect.Type) schema {
	if t.Kind() == reflect.Pointer {
		return schemaOf(t.Elem())
	}
	switch t {
	case reflect.TypeFor[SurfaceConfig]():
		return surfaceSchema()
	case reflect.TypeFor[Action]():
		return schema{"enum": Action(0).choices()}
	}
	if d, ok := reflect.Zero(t).Interface().(described); ok {
		return schema{"type": "string", "enum": d.choices()}
	}
	switch t.Kind() {
	case reflect.Slice:
		return schema{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return mapSchema(t)
	case reflect.Struct:
		return structSchema(t)
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int:
		return schema{"type": "integer"}
	case reflect.String:
		return schema{"type": "string"}
	}
	return schema{}
}

func mapSchema(t reflect.Type) schema {
	s := schema{
		"type": "object", "additionalProperties": schemaOf(t.Elem()),
		"patternProperties": schema{comments: schema{}},
	}
	if d, ok := reflect.Zero(t.Key()).Interface().(described); ok {
		properties := schema{}
		for _, name := range d.choices() {
			properties[name] = schemaOf(t.Elem())
		}
		s["properties"], s["additionalProperties"] = properties, false
	}
	return s
}

func structSchema(t reflect.Type) schema {
	properties := schema{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		property := schemaOf(f.Type)
		if doc := f.Tag.Get("doc"); doc != "" {
			property["description"] = doc
		}
		properties[name] = property
	}
	return schema{
		"type": "object", "properties": properties, "additionalProperties": false,
		"patternProperties": schema{comments: schema{}},
	}
}

// surfaceSchema is an action, or patterns with actions or rules.
func surfaceSchema() schema {
	action := schema{"enum": Action(0).choices()}
	rule := schema{
		"type": "object", "required": []string{"action"}, "additionalProperties": false,
		"properties": schema{
			"action": action,
			"reason": schema{"type": "string", "description": "Why, and what to do instead: shown to the model where the rule denies or the person refuses. Cut at 500 characters. Global file only."},
		},
		"patternProperties": schema{comments: schema{}},
	}
	return schema{"oneOf": []any{action, schema{
		"type": "object", "additionalProperties": schema{"oneOf": []any{action, rule}},
		"patternProperties": schema{comments: schema{}},
		"description":       "Patterns in file order; the last that matches wins. See docs/patterns.md.",
	}}}
}
