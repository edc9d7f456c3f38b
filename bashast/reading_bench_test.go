package bashast

import (
	"fmt"
	"testing"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"
)

type benchLine struct{ Line string }

// BenchmarkRead is the whole reading of ordinary lines, one an operation.
func BenchmarkRead(b *testing.B) {
	lines := readLines[benchLine](b, "ordinary.jsonl")
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		read(lines[n%len(lines)].Line)
		n++
	}
}

// BenchmarkReadSimple is the reading of one simple line.
func BenchmarkReadSimple(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		read("git log --oneline -n 5 src")
	}
}

// BenchmarkRawTreeSitter is what tree-sitter alone takes for the lines of
// BenchmarkRead through its Go binding: the measure of the speed goal.
func BenchmarkRawTreeSitter(b *testing.B) {
	lines := readLines[benchLine](b, "ordinary.jsonl")
	texts := make([][]byte, len(lines))
	for i, l := range lines {
		texts[i] = []byte(l.Line)
	}
	p := tree_sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(bashLanguage()); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		p.Parse(texts[n%len(texts)], nil).Close()
		n++
	}
}

// BenchmarkReadShapes plots time and memory over the length of the line, for
// six shapes from 1 KiB to 1 MiB.
func BenchmarkReadShapes(b *testing.B) {
	for _, s := range shapes[:6] {
		for n := 1 << 10; n <= 1<<20; n <<= 2 {
			line := s.line(n)
			b.Run(fmt.Sprintf("%s/%dKiB", s.name, n>>10), func(b *testing.B) {
				b.SetBytes(int64(len(line)))
				b.ReportAllocs()
				for b.Loop() {
					read(line)
				}
			})
		}
	}
}
