package hooks

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-guard/pi-guard/profiles"
)

func TestMarkedLine(t *testing.T) {
	long := "echo " + strings.Repeat("a ", 300) + "&& rm -rf / && " + strings.Repeat("b ", 300)
	at := strings.Index(long, "rm -rf /")
	tests := map[string]struct {
		line  string
		marks [][2]int
		want  string
	}{
		"none":              {"git status", nil, "git status"},
		"one":               {"ls && rm -rf x", [][2]int{{6, 14}}, "ls && »rm -rf x«"},
		"two":               {"a; b; c", [][2]int{{6, 7}, {0, 1}}, "»a«; b; »c«"},
		"overlapping":       {"a b c", [][2]int{{0, 3}, {2, 5}}, "»a b c«"},
		"touching":          {"abc", [][2]int{{0, 1}, {1, 2}}, "»ab«c"},
		"out of range":      {"abc", [][2]int{{-5, 1}, {2, 99}, {3, 3}, {50, 60}}, "»a«b»c«"},
		"several lines":     {"a\nb", nil, "a⏎b"},
		"terminal escapes":  {"a\x1b[2K\rb\x07", nil, "a␛[2K␍b␇"},
		"reversed text":     {"a\u202eb", nil, "a�b"},
		"not UTF-8":         {"a\xffb", nil, "a�b"},
		"long with a mark":  {long, [][2]int{{at, at + 8}}, "»rm -rf /«"},
		"long without mark": {long, nil, "…"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := markedLine(tt.line, tt.marks)
			if len(tt.line) > maxShown {
				if !strings.Contains(got, tt.want) || utf8.RuneCountInString(got) > 3*maxShown {
					t.Errorf("got %q, want it short and with %q", got, tt.want)
				}
				return
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPromptText(t *testing.T) {
	got := promptText(&profiles.Prompt{
		Title:   "Allow bash? (deletes what git does not know) ls && git clean -fdx",
		Reasons: []string{"deletes what git does not know"},
		Safer:   []string{"git clean -n shows what would go"},
		Command: "ls && git clean -fdx", Marks: [][2]int{{6, 20}},
	}, "/home/u/proj", "/home/u")
	want := `Allow bash? (deletes what git does not know)
  ls && »git clean -fdx«
  Instead: git clean -n shows what would go
in ~/proj`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("prompt (-want +got):\n%s", diff)
	}
}

// FuzzMarkedLine: no line and no marks make a text that a terminal acts upon.
func FuzzMarkedLine(f *testing.F) {
	f.Add("ls && rm -rf x", 6, 14, 0, 2)
	f.Add(strings.Repeat("é", 500), 401, 800, -1, 3)
	f.Fuzz(func(t *testing.T, line string, a, b, c, d int) {
		got := markedLine(line, [][2]int{{a, b}, {c, d}})
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Errorf("%q holds a control character at %d", got, i)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
	})
}
