package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// paramSchema is the part of JSON Schema that tools.json is written in; a
// keyword beyond it is an error when the file is read. A general validator is
// the reference in the tests and no more: it takes several milliseconds to
// start, which every process of the guard would pay.
type paramSchema struct {
	Type                 string                  `json:"type"`
	Description          string                  `json:"description"`
	Properties           map[string]*paramSchema `json:"properties"`
	Required             []string                `json:"required"`
	AdditionalProperties *bool                   `json:"additionalProperties"`
	Items                *paramSchema            `json:"items"`
	Enum                 []string                `json:"enum"`
	Pattern              string                  `json:"pattern"`
	MinLength            *int                    `json:"minLength"`
	MaxLength            *int                    `json:"maxLength"`
	MinItems             *int                    `json:"minItems"`
	MaxItems             *int                    `json:"maxItems"`
	UniqueItems          bool                    `json:"uniqueItems"`
	Minimum              *float64                `json:"minimum"`
	Maximum              *float64                `json:"maximum"`

	pattern *regexp.Regexp
}

func readParamSchema(text []byte) (*paramSchema, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var s paramSchema
	if err := dec.Decode(&s); err != nil {
		return nil, err
	}
	return &s, s.compile()
}

func (s *paramSchema) compile() error {
	if s.Pattern != "" {
		var err error
		if s.pattern, err = regexp.Compile(s.Pattern); err != nil {
			return err
		}
	}
	if s.Items != nil {
		if err := s.Items.compile(); err != nil {
			return err
		}
	}
	for _, p := range s.Properties {
		if err := p.compile(); err != nil {
			return err
		}
	}
	return nil
}

// decodeParams reads one JSON value and nothing after it, numbers as written.
func decodeParams(params []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(params))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return doc, nil
}

// check adds what is wrong with a value at a place, "" for the whole.
func (s *paramSchema) check(at string, value any, problems []string) []string {
	wrong := func(format string, args ...any) {
		place := at
		if place == "" {
			place = "the call"
		}
		problems = append(problems, place+" "+fmt.Sprintf(format, args...))
	}
	if got := typeName(value); s.Type != "" && got != s.Type && (s.Type != "number" || got != "integer") {
		wrong("is of type %s: write a value of type %s", got, s.Type)
		return problems
	}
	switch v := value.(type) {
	case map[string]any:
		deeper := s.checkObject(at, v, wrong)
		problems = append(problems, deeper...)
	case []any:
		s.checkLength(len(v), "entries", s.MinItems, s.MaxItems, "give", wrong)
		if s.UniqueItems && repeats(v) {
			wrong("holds an entry twice: give each once")
		}
		for i := range v {
			if s.Items != nil {
				problems = s.Items.check(at+"."+strconv.Itoa(i), v[i], problems)
			}
		}
	case string:
		s.checkText(v, wrong)
	case json.Number:
		n, _ := v.Float64() // out of range is an infinity, which no bound lets pass
		if s.Minimum != nil && n < *s.Minimum {
			wrong("is %s: write at least %v", v, *s.Minimum)
		}
		if s.Maximum != nil && n > *s.Maximum {
			wrong("is %s: write at most %v", v, *s.Maximum)
		}
	}
	return problems
}

// checkObject says by wrong what is wrong with the object and returns what is
// wrong inside.
func (s *paramSchema) checkObject(at string, v map[string]any, wrong func(string, ...any)) (deeper []string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			wrong("lacks %s: add it", name)
		}
	}
	for name, value := range v {
		inner := s.Properties[name]
		switch {
		case inner != nil:
			place := name
			if at != "" {
				place = at + "." + name
			}
			deeper = inner.check(place, value, deeper)
		case s.AdditionalProperties != nil && !*s.AdditionalProperties:
			wrong("does not take %s: leave it out", name)
		}
	}
	return deeper
}

func (s *paramSchema) checkText(v string, wrong func(string, ...any)) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		want := s.Enum[0]
		for _, e := range s.Enum[1:] {
			want += ", " + e
		}
		wrong("is %s: write one of %s", v, want)
	}
	s.checkLength(utf8.RuneCountInString(v), "characters", s.MinLength, s.MaxLength, "write", wrong)
	if s.pattern != nil && !s.pattern.MatchString(v) {
		wrong("is %q: write a text that matches %s", v, s.Pattern)
	}
}

func (s *paramSchema) checkLength(n int, what string, least, most *int, verb string, wrong func(string, ...any)) {
	if least != nil && n < *least {
		wrong("has %d %s: %s at least %d", n, what, verb, *least)
	}
	if most != nil && n > *most {
		wrong("has %d %s: %s at most %d", n, what, verb, *most)
	}
}

// typeName is JSON Schema's name of a value's type.
func typeName(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if f, err := v.Float64(); err == nil && f == float64(int64(f)) {
			return "integer"
		}
	}
	return "number"
}

// repeats reports whether two entries are the same JSON.
func repeats(list []any) bool {
	seen := map[string]bool{}
	for _, v := range list {
		text, err := json.Marshal(v)
		if err != nil || seen[string(text)] {
			return true
		}
		seen[string(text)] = true
	}
	return false
}
