package bashast

import "testing"

// BenchmarkAnalyze compares the analysis of ordinary lines with their reading
// alone, which it includes.
func BenchmarkAnalyze(b *testing.B) {
	for name, line := range map[string]string{
		"plain":    "git status --short",
		"list":     "cd src && npm test 2>&1 | head -20",
		"variable": `dir=build; rm -rf "$dir"/tmp && mkdir -p "$dir"`,
		"loop":     "for f in a b c; do wc -l $f.txt; done",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Analyze(line, wholeEnv)
			}
		})
		b.Run(name+"/reading", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read(line)
			}
		})
	}
}
