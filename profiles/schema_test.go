package profiles

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tailscale/hujson"
)

// update writes the published files anew: go test ./profiles -run Published -update.
var update = flag.Bool("update", false, "write the published files anew")

// TestSchemasArePublished: the files below schemas/ are those of the Go types.
func TestSchemasArePublished(t *testing.T) {
	schemas, err := Schemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range schemas {
		file := filepath.Join("..", "schemas", name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go test ./profiles -run Published -update", file)
		}
	}
}

// compileSchema compiles one published schema.
func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schemas, err := Schemas()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemas[name]))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid reports whether a JSONC text is valid by a schema.
func valid(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// TestShippedFilesAreValid: what is shipped is valid by what is published.
func TestShippedFilesAreValid(t *testing.T) {
	if err := valid(t, compileSchema(t, "permission-mode.schema.json"), modesData); err != nil {
		t.Error(err)
	}
	if err := valid(t, compileSchema(t, "base-policy.schema.json"), basePolicyData); err != nil {
		t.Error(err)
	}
	profile := compileSchema(t, "piagent-profile.schema.json")
	for _, name := range Presets() {
		data, err := presetFiles.ReadFile("data/presets/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, profile, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaAndLoaderAgree: a text is valid by the schema if and only if the
// loader finds no error in it.
func TestSchemaAndLoaderAgree(t *testing.T) {
	s := compileSchema(t, "permission-mode.schema.json")
	for _, text := range []string{
		`{}`, `{"$schema": "x", "//": 1, "$comment": []}`, `{"modes": {}}`, `{"mods": {}}`, `{"modes": []}`, `{"modes": {"a": {}}}`, `{"modes": {"a": 1}}`,
		`{"modes": {"a": {"operating": "plan"}}}`, `{"modes": {"a": {"operating": "plans"}}}`, `{"modes": {"a": {"hardGates": false}}}`, `{"modes": {"a": {"hardGates": 0}}}`,
		`{"modes": {"a": {"permission": {"bash": "ask"}}}}`, `{"modes": {"a": {"permission": {"bash": "asks"}}}}`, `{"modes": {"a": {"permission": {"bash": {}}}}}`,
		`{"modes": {"a": {"permission": {"bash": {"*": "ask", "x": {"action": "deny", "reason": "y"}}}}}}`, `{"modes": {"a": {"permission": {"bash": {"x": {"reason": "y"}}}}}}`,
		`{"modes": {"a": {"permission": {"bash": {"x": {"action": "deny", "why": "y"}}}}}}`, `{"modes": {"a": {"permission": {"bush": "ask"}}}}`, `{"modes": {"a": {"permission": {"bash": ["ask"]}}}}`,
		`{"cycleOrder": ["a"]}`, `{"cycleOrder": "a"}`, `{"cycleOrder": [1]}`, `{"host": {"bashTimeoutSeconds": 30}}`, `{"host": {"bashTimeoutSeconds": "30"}}`, `{"host": {"bashTimeoutSeconds": 1.5}}`,
		`{"modes": {"a": {"sandbox": {"network": {"allowedDomains": ["x"]}}}}}`, `{"modes": {"a": {"sandbox": {"network": {"allowedDomain": ["x"]}}}}}`, `{"modes": {"a": {"hideTools": ["x", 1]}}}`,
	} {
		var m ModeFile
		diags, _ := decodeDocument("x", []byte(text), &m)
		bySchema, byLoader := valid(t, s, []byte(text)), errorsOf(diags)
		if (bySchema == nil) != (len(byLoader) == 0) {
			t.Errorf("%s: the schema says %v, the loader %v", text, bySchema, byLoader)
		}
	}
}

// TestSchemaDescribesEveryKey: every key says what it means.
func TestSchemaDescribesEveryKey(t *testing.T) {
	schemas, err := Schemas()
	if err != nil {
		t.Fatal(err)
	}
	var walk func(where string, value any)
	walk = func(where string, value any) {
		object, ok := value.(map[string]any)
		if !ok {
			return
		}
		for key, child := range object {
			if key == "properties" && !strings.HasSuffix(where, ".permission") {
				for name, property := range child.(map[string]any) {
					if p := property.(map[string]any); p["description"] == nil && name != "action" && p["enum"] == nil {
						t.Errorf("%s.%s has no description", where, name)
					}
				}
			}
			walk(where+"."+key, child)
		}
	}
	for name, text := range schemas {
		var doc any
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		walk(name, doc)
	}
}
