package ledger

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed tools.json
var toolsJSON []byte

// ToolSpec is a tool that the model may call (E5).
type ToolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Schema is the JSON Schema of the parameters.
	Schema json.RawMessage `json:"schema"`
	// Owner is the room that answers: "ledger" for those of CallTool,
	// "hooks" for those that need the policy.
	Owner string `json:"owner"`
}

// ToolResult is what a tool answers.
type ToolResult struct {
	// Text is for the model to read, Structured the same as values.
	Text       string `json:"text"`
	Structured any    `json:"structured"`
}

type toolTable struct {
	specs   []ToolSpec
	schemas map[string]*jsonschema.Schema
}

var loadTools = sync.OnceValue(func() toolTable {
	var file struct {
		Tools []ToolSpec `json:"tools"`
	}
	if err := json.Unmarshal(toolsJSON, &file); err != nil {
		panic(fmt.Sprintf("tools.json: %v", err)) // embedded: tests read it
	}
	table := toolTable{file.Tools, map[string]*jsonschema.Schema{}}
	for _, spec := range file.Tools {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Schema))
		if err != nil {
			panic(fmt.Sprintf("tools.json: %s: %v", spec.Name, err))
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(spec.Name, doc); err != nil {
			panic(fmt.Sprintf("tools.json: %s: %v", spec.Name, err))
		}
		table.schemas[spec.Name] = compiler.MustCompile(spec.Name)
	}
	return table
})

// ToolSpecs lists every piagent_* tool with its schema, those answered by the
// policy included.
func ToolSpecs() []ToolSpec { return append([]ToolSpec(nil), loadTools().specs...) }

// ErrInvalidArgument marks errors that the caller mends by other parameters.
var ErrInvalidArgument = errors.New("INVALID_ARGUMENT")

// ValidateParams checks the parameters of a tool of ToolSpecs. The error says
// of each wrong parameter what is wrong and what to write.
func ValidateParams(name string, params json.RawMessage) error {
	schema := loadTools().schemas[name]
	if schema == nil {
		return fmt.Errorf("%w: there is no tool %s", ErrInvalidArgument, name)
	}
	if len(bytes.TrimSpace(params)) == 0 {
		params = json.RawMessage("{}")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(params))
	if err != nil {
		return fmt.Errorf("%w: the parameters of %s are no JSON: %v", ErrInvalidArgument, name, err)
	}
	err = schema.Validate(doc)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return fmt.Errorf("%w: %s: %v", ErrInvalidArgument, name, err)
	}
	problems := leaves(invalid, nil)
	sort.Strings(problems)
	return fmt.Errorf("%w: %s: %s", ErrInvalidArgument, name, strings.Join(problems, "; "))
}

// leaves lists what is wrong at each place.
func leaves(e *jsonschema.ValidationError, out []string) []string {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			out = leaves(cause, out)
		}
		return out
	}
	return append(out, explainInvalid(e))
}

// explainInvalid is one sentence on one wrong parameter.
func explainInvalid(e *jsonschema.ValidationError) string {
	at := "/" + strings.Join(e.InstanceLocation, "/")
	place := strings.TrimPrefix(strings.ReplaceAll(at, "/", "."), ".")
	if place == "" {
		place = "the call"
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return fmt.Sprintf("%s lacks %s: add it", place, strings.Join(k.Missing, ", "))
	case *kind.AdditionalProperties:
		return fmt.Sprintf("%s does not take %s: leave it out", place, strings.Join(k.Properties, ", "))
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = fmt.Sprint(w)
		}
		return fmt.Sprintf("%s is %v: write one of %s", place, k.Got, strings.Join(want, ", "))
	case *kind.MinLength:
		return fmt.Sprintf("%s has %d characters: write at least %d", place, k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("%s has %d characters: write at most %d", place, k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("%s has %d entries: give at least %d", place, k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("%s has %d entries: give at most %d", place, k.Got, k.Want)
	case *kind.Type:
		return fmt.Sprintf("%s is of type %s: write a value of type %s", place, k.Got, strings.Join(k.Want, " or "))
	}
	return place + ": " + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

// CallTool answers one of the ledger's tools. Errors that wrap
// ErrInvalidArgument or are of type *ToolError are for the model, who can do
// something about them.
func (l *Ledger) CallTool(ctx context.Context, name string, params json.RawMessage) (ToolResult, error) {
	if l == nil {
		return ToolResult{}, errNoLedger
	}
	if err := ValidateParams(name, params); err != nil {
		return ToolResult{}, err
	}
	if len(bytes.TrimSpace(params)) == 0 {
		params = json.RawMessage("{}")
	}
	switch name {
	case "piagent_context":
		return call(ctx, params, l.toolContext)
	case "piagent_context_index_status":
		return call(ctx, params, l.toolIndexStatus)
	case "piagent_context_index_search":
		return call(ctx, params, l.toolIndexSearch)
	case "piagent_context_index_record":
		return call(ctx, params, l.toolIndexRecord)
	case "piagent_context_budget":
		return call(ctx, params, l.toolBudget)
	case "piagent_usage_snapshot":
		return call(ctx, params, l.toolUsage)
	case "piagent_task_start":
		return call(ctx, params, l.toolTaskStart)
	case "piagent_task_progress":
		return call(ctx, params, l.toolTaskProgress)
	case "piagent_context_record":
		return call(ctx, params, l.toolContextRecord)
	case "piagent_verify_record":
		return call(ctx, params, l.toolVerifyRecord)
	case "piagent_trace_record":
		return call(ctx, params, l.toolTraceRecord)
	case "piagent_task_gate_check":
		return call(ctx, params, l.toolGateCheck)
	}
	return ToolResult{}, fmt.Errorf("the ledger does not answer %s: the policy does", name)
}

// call reads the parameters, which are valid, and calls the tool.
func call[P any](ctx context.Context, params json.RawMessage, tool func(context.Context, P) (ToolResult, error)) (ToolResult, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return ToolResult{}, fmt.Errorf("%w: %v", ErrInvalidArgument, err)
	}
	return tool(ctx, p)
}

// ToolError is a refusal that tells the model what to do about it.
type ToolError struct {
	Code   string
	What   string
	Remedy string
}

// Error is the text for the model.
func (e *ToolError) Error() string { return e.Code + ": " + e.What + ". " + e.Remedy + "." }
