package profiles

import (
	"fmt"
	"strings"
	"testing"
)

// manyRules is a mode with n rules on a surface.
func manyRules(surface Surface, n int) string {
	var b strings.Builder
	b.WriteString(`{"*": "ask"`)
	for i := 1; i < n; i++ {
		pattern := []string{"git push origin branch%d *", "**/dir%d/*", "*.ext%d", "tool%d *"}[i%4]
		fmt.Fprintf(&b, `, %q: "deny"`, fmt.Sprintf(pattern, i))
	}
	return mode("default", fmt.Sprintf(`{%q: %s}}`, surface, b.String()))
}

func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000} {
		p := loadTexts(map[string]string{globalPath: manyRules(SurfaceRead, n)})
		f := Facts{Tool: "read", Surface: SurfaceRead, Paths: []PathFact{{
			Resolved: propertyResolver.Resolve("src/deep/er/file.go", "/proj"), Field: "path", Command: -1,
		}}}
		b.Run(fmt.Sprintf("read/%d", n), func(b *testing.B) {
			for b.Loop() {
				p.Judge(f)
			}
		})
		p = loadTexts(map[string]string{globalPath: manyRules(SurfaceBash, n)})
		f = Facts{Tool: "bash", Surface: SurfaceBash, Program: program("git push origin main --force-with-lease")}
		b.Run(fmt.Sprintf("bash/%d", n), func(b *testing.B) {
			for b.Loop() {
				p.Judge(f)
			}
		})
	}
}

func BenchmarkDefaults(b *testing.B) {
	for b.Loop() {
		Defaults()
	}
}

func BenchmarkDecodeShipped(b *testing.B) {
	for b.Loop() {
		var m ModeFile
		mustDecode("modes.jsonc", modesData, &m)
	}
}
