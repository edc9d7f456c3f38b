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
	schemas map[string]*paramSchema
}

var loadTools = sync.OnceValue(func() toolTable {
	var file struct {
		Tools []ToolSpec `json:"tools"`
	}
	if err := json.Unmarshal(toolsJSON, &file); err != nil {
		panic(fmt.Sprintf("tools.json: %v", err)) // embedded: tests read it
	}
	table := toolTable{file.Tools, map[string]*paramSchema{}}
	for _, spec := range file.Tools {
		schema, err := readParamSchema(spec.Schema)
		if err != nil {
			panic(fmt.Sprintf("tools.json: %s: %v", spec.Name, err))
		}
		table.schemas[spec.Name] = schema
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
	doc, err := decodeParams(params)
	if err != nil {
		return fmt.Errorf("%w: the parameters of %s are no JSON: %v", ErrInvalidArgument, name, err)
	}
	problems := schema.check("", doc, nil)
	if len(problems) == 0 {
		return nil
	}
	sort.Strings(problems)
	return fmt.Errorf("%w: %s: %s", ErrInvalidArgument, name, strings.Join(problems, "; "))
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
