package hooks

import (
	"strings"
	"testing"
)

// TestPromptTimeout: the environment may shorten the policy's time and not
// lengthen it, and what it cannot do is said (H D005).
func TestPromptTimeout(t *testing.T) {
	const config = `{"modes": {"default": {}}, "host": {"promptTimeoutSeconds": 40}}`
	tests := map[string]struct {
		wish   string
		wantMs int
		said   string
	}{
		"none":         {"", 40_000, ""},
		"shorter":      {"5s", 5_000, ""},
		"the same":     {"40s", 40_000, ""},
		"longer":       {"2m", 40_000, "PI_GUARD_PROMPT_TIMEOUT is 2m0s, which is longer"},
		"no unit":      {"30", 40_000, `PI_GUARD_PROMPT_TIMEOUT is "30"`},
		"no number":    {"soon", 40_000, `PI_GUARD_PROMPT_TIMEOUT is "soon"`},
		"nothing":      {"0s", 40_000, `PI_GUARD_PROMPT_TIMEOUT is "0s"`},
		"before now":   {"-5s", 40_000, `PI_GUARD_PROMPT_TIMEOUT is "-5s"`},
		"below pi's":   {"1us", 40_000, `PI_GUARD_PROMPT_TIMEOUT is "1us"`},
		"never at all": {"9999999h", 40_000, "PI_GUARD_PROMPT_TIMEOUT"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "Deny")
			d.write("~/.pi/agent/permission-mode.json", config)
			d.wait = tt.wish
			said := ""
			for _, n := range d.begin().Notices {
				said += n.Text + "\n"
			}
			d.call("write", path("a.txt"))
			if len(d.person.shown) != 1 || d.person.shown[0].TimeoutMs != tt.wantMs {
				t.Errorf("prompts %+v, want one that waits %d ms", d.person.shown, tt.wantMs)
			}
			if !strings.Contains(said, tt.said) || (said == "") != (tt.said == "") {
				t.Errorf("the person is told %q, want %q", said, tt.said)
			}
		})
	}
}
