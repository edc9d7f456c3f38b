package bashast

import (
	"strings"
	"testing"
)

// TestBoundsOfValues holds that a short line does not make the analysis grow
// without bound, and that what it cannot follow it says.
func TestBoundsOfValues(t *testing.T) {
	for name, line := range map[string]string{
		"doubling":    "a=aaaaaaaaaa;" + strings.Repeat("a=$a$a;", 40) + "rm $a",
		"parentheses": "echo $((" + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200) + "))",
	} {
		p := Analyze(line, Env{Dir: "/proj", Project: "/proj", Home: "/home/u"})
		known := false
		if n := len(p.Commands); n > 0 && len(p.Commands[n-1].Words) > 1 {
			known = p.Commands[n-1].Words[1].Resolved()
		}
		if !p.Unresolved() && known {
			t.Errorf("%s: the line passes for known", name)
		}
	}
}
