package hooks

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/pi-guard/pi-guard/profiles"
	"github.com/pi-guard/pi-guard/rpc"
)

// ToolResult is pi's tool_result: what came back is observed, and changed
// before the model sees it where it must be.
func (s *Session) ToolResult(ctx context.Context, e rpc.ToolResult) (rpc.ToolPatch, error) {
	t, err := s.sitting()
	if err != nil {
		return rpc.ToolPatch{}, err
	}
	s.mu.Lock()
	j := t.calls[e.ToolCallID] // nil when another process judged the call
	delete(t.calls, e.ToolCallID)
	s.mu.Unlock()
	g := s.stand(ctx, t)
	result := newResult(e)
	result.filter(g, t.session())
	if j != nil && j.note != "" {
		result.append(j.note)
	}
	changed := changedAfter(j, e)
	s.witness(ctx, t, j, e, changed)
	if text := changed; text != "" {
		s.tell(ctx, "warning", "pi-guard: "+text)
		result.append("[pi-guard: " + text + "]")
	}
	patch := result.patch()
	patch.Handoff = s.handoffNow(ctx, t, j)
	return patch, nil
}

// handoffNow is what the agent is to be told if this was its last call. Only
// older versions of pi need it so early: they do not wait for an answer when
// the agent ends. Where the gate cannot answer, the agent is not sent back;
// the next result tries again.
func (s *Session) handoffNow(ctx context.Context, t *sitting, j *judging) string {
	if t.start.UI != "" || j == nil || !changes(&j.facts) {
		return ""
	}
	message, err := s.handoff(ctx, t)
	if err != nil {
		s.tell(ctx, "warning", "pi-guard: "+err.Error()+".")
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.handoffs >= maxHandoffs {
		return ""
	}
	return message
}

// witness writes down what ran: the evidence first, since the answer to the
// model must not come before it, then the audit record.
func (s *Session) witness(ctx context.Context, t *sitting, j *judging, e rpc.ToolResult, changed string) {
	var run bashRun
	if e.ToolName == "bash" {
		run = readBashRun(e)
		t.evidence.observe(ctx, j, run, commandOf(e.Input), e.Cwd, e.ToolCallID)
	}
	if j != nil {
		s.auditResult(t, j, e.IsError, changed, run.Took)
	}
}

// changedAfter says how what ran differs from what was judged, "" when it does
// not: an extension that comes after the guard may change a call (B24).
func changedAfter(j *judging, e rpc.ToolResult) string {
	if j == nil || e.ToolName != "bash" {
		return ""
	}
	judged, ran := j.command(), commandOf(e.Input)
	if judged == ran {
		return ""
	}
	return fmt.Sprintf("another extension changed this command after it was judged. Judged: %s. Ran: %s.",
		profiles.OneLine(visible(judged)), profiles.OneLine(visible(ran)))
}

// result is a tool's result on its way to the model.
type result struct {
	event      rpc.ToolResult
	content    []json.RawMessage
	structured json.RawMessage
	changed    bool
}

func newResult(e rpc.ToolResult) *result {
	r := &result{event: e, structured: e.StructuredContent}
	gjson.ParseBytes(e.Content).ForEach(func(_, block gjson.Result) bool {
		r.content = append(r.content, json.RawMessage(block.Raw))
		return true
	})
	return r
}

// textBlock is a text block of a result.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func textContent(text string) json.RawMessage {
	raw, _ := json.Marshal(textBlock{"text", text}) // strings always encode
	return raw
}

// append adds a text block for the model.
func (r *result) append(text string) {
	r.content = append(r.content, textContent(text))
	r.changed = true
}

// mapText changes every text block.
func (r *result) mapText(f func(string) string) {
	for i, raw := range r.content {
		block := gjson.ParseBytes(raw)
		if block.Get("type").Str != "text" {
			continue
		}
		old := block.Get("text").Str
		if text := f(old); text != old {
			r.content[i] = textContent(text)
			r.changed = true
		}
	}
}

// patch is the change as pi wants it: what is not changed stays away.
func (r *result) patch() rpc.ToolPatch {
	if !r.changed {
		return rpc.ToolPatch{}
	}
	content, err := json.Marshal(r.content)
	if err != nil { // the blocks were valid JSON when they came
		panic(err)
	}
	return rpc.ToolPatch{Content: content, StructuredContent: r.structured}
}
