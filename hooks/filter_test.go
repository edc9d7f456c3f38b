package hooks

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-guard/pi-guard/rpc"
)

func TestGrepPaths(t *testing.T) {
	for line, want := range map[string][]string{
		"src/a.go:12: func main()":       {"src/a.go"},
		"src/a.go-12- // before":         {"src/a.go"},
		".env:1: SECRET=1":               {".env"},
		"a-1-b/.env:3: x":                {"a", "a-1-b/.env"},
		"my-file-2.txt:10: a:1: b":       {"my-file-2.txt", "my-file-2.txt:10: a"},
		"No matches found":               nil,
		"":                               nil,
		"[100 matches limit reached. x]": nil,
		":1: x":                          nil,
	} {
		if got := grepPaths(line); !slices.Equal(got, want) {
			t.Errorf("grepPaths(%q) = %q, want %q", line, got, want)
		}
	}
}

// TestFilter: what a broad search finds in protected places does not reach the
// model (F7).
func TestFilter(t *testing.T) {
	tests := map[string]struct{ tool, input, text, want string }{
		"grep": {
			"grep", `{"pattern":"KEY","path":"."}`,
			"a.go:1: KEY\nbuild-1-x/.env:2: KEY=secret\n.pi/piagent-state/observed-bash.jsonl:1: KEY\nsub/.env.local-3- x",
			"a.go:1: KEY\n[pi-guard: 3 lines about protected paths were removed]",
		},
		"grep of a template": {"grep", `{"pattern":"KEY"}`, ".env.example:1: KEY=", ".env.example:1: KEY="},
		"find":               {"find", `{"pattern":"*"}`, "a.go\n.pi/piagent-state/x.jsonl\nid_rsa", "a.go\n[pi-guard: 2 lines about protected paths were removed]"},
		"ls":                 {"ls", `{"path":".pi"}`, "piagent-profile.json\npiagent-state/\nsettings.json", "settings.json\n[pi-guard: 2 lines about protected paths were removed]"},
		"read is no search":  {"read", `{"path":"a.go"}`, ".env:2: KEY", ".env:2: KEY"},
		"nothing":            {"find", `{"pattern":"*"}`, "No files found matching pattern", "No files found matching pattern"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			content, _ := json.Marshal([]textBlock{{"text", tt.text}})
			patch, err := d.session.ToolResult(context.Background(), rpc.ToolResult{
				ToolCallID: "c1", ToolName: tt.tool, Input: json.RawMessage(tt.input), Content: content,
				StructuredContent: json.RawMessage(`{"secret":1}`), Cwd: d.project,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := tt.text
			if patch.Content != nil {
				got = contentText(patch.Content)
				if patch.StructuredContent != nil {
					t.Errorf("structured content %s passes the filter", patch.StructuredContent)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzGrepPaths: each path is a beginning of its line, followed by a separator.
func FuzzGrepPaths(f *testing.F) {
	f.Add("src/a.go:12: func main()")
	f.Add("a-1-b:2:")
	f.Fuzz(func(t *testing.T, line string) {
		for _, path := range grepPaths(line) {
			if !strings.HasPrefix(line, path) || !strings.ContainsAny(line[len(path):len(path)+1], ":-") {
				t.Errorf("grepPaths(%q) has %q", line, path)
			}
		}
	})
}
