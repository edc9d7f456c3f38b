package scripted

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wireRequest is the part of OpenAI's chat-completions request that is kept.
type wireRequest struct {
	Messages []struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []struct {
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

func readRequest(r *http.Request) (Request, error) {
	var wire wireRequest
	if err := json.NewDecoder(r.Body).Decode(&wire); err != nil {
		return Request{}, fmt.Errorf("reading a chat-completions request: %w", err)
	}
	var request Request
	for _, m := range wire.Messages {
		message := Message{Role: m.Role, Text: contentText(m.Content)}
		for _, c := range m.ToolCalls {
			message.Calls = append(message.Calls, Call{Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		request.Messages = append(request.Messages, message)
	}
	for _, t := range wire.Tools {
		request.Tools = append(request.Tools, t.Function.Name)
	}
	return request, nil
}

// contentText flattens a message's content, which is a string, null, or a
// list of parts of which those with text are kept.
func contentText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n")
}
