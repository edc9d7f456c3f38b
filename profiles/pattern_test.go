package profiles

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// table reads the rows of the table with the given header from a page.
func table(t *testing.T, page, header string) [][]string {
	t.Helper()
	f, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	inside := false
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		switch {
		case strings.HasPrefix(line, header):
			inside = true
		case inside && strings.HasPrefix(line, "|--"):
		case inside && strings.HasPrefix(line, "|"):
			var cells []string
			for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
				cells = append(cells, strings.TrimSpace(cell))
			}
			rows = append(rows, cells)
		default:
			inside = false
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no table that begins with %q", page, header)
	}
	return rows
}

// code is the text of a table's cell.
func code(cell string) string {
	return strings.NewReplacer("`", "", "⏎", "\n", "␣", " ").Replace(cell)
}

const testHome = "/home/u"

// TestPatternsPage runs the cases that docs/patterns.md promises (P1).
func TestPatternsPage(t *testing.T) {
	for _, row := range table(t, "../docs/patterns.md", "| pattern | text | matches |") {
		pattern, text, want := code(row[0]), code(row[1]), row[2] == "yes"
		p := CompilePattern(pattern, testHome)
		if got := p.Match(ExpandHome(text, testHome)); got != want {
			t.Errorf("pattern %q on %q: %v, the page says %s", pattern, text, got, row[2])
		}
	}
}

// TestLastMatchPage runs the maps that docs/patterns.md promises (P1).
func TestLastMatchPage(t *testing.T) {
	for _, row := range table(t, "../docs/patterns.md", "| map | text | action |") {
		var rules []Rule
		for entry := range strings.SplitSeq(strings.Trim(row[0], "`"), "` `") {
			pattern, action, _ := strings.Cut(entry, ": ")
			r := Rule{Pattern: CompilePattern(pattern, testHome)}
			if err := r.Action.UnmarshalText([]byte(action)); err != nil {
				t.Fatal(err)
			}
			rules = append(rules, r)
		}
		got := "none"
		if r := NewRuleSet(rules).Match(code(row[1])); r != nil {
			got = r.Action.String()
		}
		if got != row[2] {
			t.Errorf("%s on %s: %s, the page says %s", row[0], row[1], got, row[2])
		}
	}
}

// reference matches by a regular expression: the meaning of P1, written down a
// second time and slowly.
func reference(pattern, text, home string) bool {
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	for i := 0; i < len(pattern); {
		start := i == 0 || pattern[i-1] == '/'
		switch {
		case start && strings.HasPrefix(pattern[i:], "**/"):
			re.WriteString(`(?:.*/)?`)
			i += 3
		case pattern[i] == '*':
			re.WriteString(`.*`)
			for i < len(pattern) && pattern[i] == '*' {
				i++
			}
		case pattern[i] == '?':
			re.WriteString(`.`)
			i++
		default:
			if n := homeMark(pattern, i); n > 0 {
				re.WriteString(regexp.QuoteMeta(home))
				i += n
				continue
			}
			re.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
			i++
		}
	}
	re.WriteString(`\z`)
	return regexp.MustCompile(re.String()).MatchString(text)
}

var (
	patternText = rapid.StringMatching(`([ab/.~?* ]|\*\*/|\*|\?){0,9}`)
	targetText  = rapid.StringMatching(`[ab/. \n~]{0,12}`)
)

func TestMatchIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := patternText.Draw(t, "pattern"), targetText.Draw(t, "text")
		p := CompilePattern(pattern, "/h?me*")
		if got, want := p.Match(text), reference(pattern, text, "/h?me*"); got != want {
			t.Fatalf("Match(%q, %q) = %v", pattern, text, got)
		}
	})
}

func TestLastMatchIsTheReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		patterns := rapid.SliceOfN(patternText, 0, 60).Draw(t, "patterns")
		texts := rapid.SliceOfN(targetText, 1, 3).Draw(t, "texts")
		rules := make([]Rule, len(patterns))
		for i, p := range patterns {
			rules[i] = Rule{Pattern: CompilePattern(p, testHome), Line: i}
		}
		want := -1
		for i, p := range patterns {
			for _, text := range texts {
				if reference(p, text, testHome) {
					want = i
				}
			}
		}
		got := -1
		if r := NewRuleSet(rules).Match(texts...); r != nil {
			got = r.Line
		}
		if got != want {
			t.Fatalf("the rule is %d, not %d", got, want)
		}
	})
}

func TestMatchDoesNotAllocate(t *testing.T) {
	rules := make([]Rule, 1000)
	for i := range rules {
		rules[i].Pattern = CompilePattern(fmt.Sprintf("**/dir%d/*.go", i), testHome)
	}
	set := NewRuleSet(rules)
	if n := testing.AllocsPerRun(100, func() { set.Match("/proj/src/dir7/x.go", "src/dir7/x.go") }); n != 0 {
		t.Errorf("a look-up allocates %v times", n)
	}
}

func TestCatchAll(t *testing.T) {
	for pattern, want := range map[string]bool{"*": true, "**": true, "**/*": true, "": false, "**/": false, "*a": false, "?*": false} {
		if p := CompilePattern(pattern, testHome); p.CatchAll() != want {
			t.Errorf("CatchAll(%q) = %v", pattern, !want)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		rules := []Rule{{Pattern: CompilePattern("*", testHome)}}
		for i := 1; i < n; i++ {
			rules = append(rules, Rule{Pattern: CompilePattern([]string{
				fmt.Sprintf("git push origin branch%d *", i), fmt.Sprintf("**/dir%d/*", i),
				fmt.Sprintf("*.ext%d", i), fmt.Sprintf("tool%d *", i),
			}[i%4], testHome)})
		}
		set := NewRuleSet(rules)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				set.Match("git push origin main --force-with-lease")
			}
		})
	}
}
