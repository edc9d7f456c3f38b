package hooks

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-guard/pi-guard/rpc"
)

// TestReadBashRun has results as both versions of pi were seen to give them.
func TestReadBashRun(t *testing.T) {
	tests := map[string]struct {
		text, structured string
		isError          bool
		want             bashRun
	}{
		"new, passed":              {"ok\n", `{"output":"ok\n","truncated":false,"exit_code":0,"wall_time_seconds":1.5}`, false, bashRun{Exit: number(0), Took: 1500 * time.Millisecond}},
		"new, failed":              {"no\n\nCommand exited with code 3", `{"output":"no","exit_code":3,"wall_time_seconds":0.1}`, true, bashRun{Exit: number(3), Took: 100 * time.Millisecond}},
		"new, killed by a signal":  {"\n\nCommand exited with code 137", `{"exit_code":137}`, true, bashRun{Exit: number(137)}},
		"new, silent success":      {"(no output)", `{"exit_code":0}`, false, bashRun{Exit: number(0)}},
		"new, cut":                 {"x", `{"exit_code":0,"truncated":true}`, false, bashRun{Exit: number(0), Truncated: true}},
		"new, without a status":    {"x\n\nCommand terminated without an exit code", ``, true, bashRun{}},
		"old, passed":              {"ok\n", ``, false, bashRun{Exit: number(0)}},
		"old, failed":              {"no\n\nCommand exited with code 3", ``, true, bashRun{Exit: number(3)}},
		"old, a success that lies": {"Command exited with code 7", ``, false, bashRun{Exit: number(0)}},
		"old, a failure that lies": {"Command exited with code 0\n\nCommand exited with code 2", ``, true, bashRun{Exit: number(2)}},
		"old, maybe killed":        {"(no output)", ``, false, bashRun{}},
		"timed out":                {"x\n\nCommand timed out after 5 seconds", ``, true, bashRun{TimedOut: true}},
		"timed out, shell exited":  {"x\n\nCommand timed out after 5 seconds. The shell exited with code 0 after 1 seconds, but background processes it started kept writing output until the timeout.", ``, true, bashRun{TimedOut: true}},
		"aborted":                  {"x\n\nCommand aborted", ``, true, bashRun{Aborted: true}},
		"says timed out":           {"Command timed out after 5 seconds", ``, false, bashRun{Exit: number(0)}},
		"old, cut":                 {"x\n\n[Showing lines 1-2 of 9. Full output: /tmp/x]", ``, false, bashRun{Exit: number(0), Truncated: true}},
		"error without a word":     {"spawn failed", ``, true, bashRun{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			content, err := json.Marshal([]textBlock{{"text", tt.text}})
			if err != nil {
				t.Fatal(err)
			}
			r := rpc.ToolResult{Content: content, IsError: tt.isError}
			if tt.structured != "" {
				r.StructuredContent = json.RawMessage(tt.structured)
			}
			tt.want.Output, tt.want.failed = tt.text, tt.isError
			if diff := cmp.Diff(tt.want, readBashRun(r), cmp.AllowUnexported(bashRun{})); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
		})
	}
}
