package scripted

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseScript(t *testing.T) {
	text := strings.Join([]string{
		"# a tour",
		"turn",
		"say First.",
		"say Second.",
		"bash ls -la",
		"call read {\"path\": \"a\"}",
		"",
		"turn",
		"bash cat <<EOF",
		"\tone",
		"\t\ttwo",
		"\tEOF",
	}, "\n")
	got, err := ParseScript(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Turn{
		{Text: "First.\nSecond.", Calls: []Call{
			{Name: "bash", Arguments: `{"command":"ls -la"}`},
			{Name: "read", Arguments: `{"path": "a"}`},
		}},
		{Calls: []Call{{Name: "bash", Arguments: `{"command":"cat \u003c\u003cEOF\none\n\ttwo\nEOF"}`}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ParseScript (-want +got):\n%s", diff)
	}
}

func TestParseScriptErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"say hello", "line 1: \"say\" before the first turn"},
		{"turn\nshout hello", "line 2: unknown verb \"shout\""},
		{"turn\n\ncall read {path}", "line 3: call read: arguments are not JSON"},
	} {
		if _, err := ParseScript(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseScript(%q): error %v, want %q", test.text, err, test.want)
		}
	}
}
