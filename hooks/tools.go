package hooks

import (
	"context"

	"github.com/pi-guard/pi-guard/rpc"
)

// CallTool runs one of the guard's own tools.
func (s *Session) CallTool(_ context.Context, e rpc.CallTool) (rpc.ToolOutput, error) {
	return rpc.ToolOutput{Text: "there is no tool " + e.Name, IsError: true}, nil
}
