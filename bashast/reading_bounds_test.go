package bashast

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// shape is a kind of line that can be made as long as one likes.
type shape struct {
	name string
	line func(n int) string
}

// fill repeats unit to about n bytes.
func fill(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }

// shapes are kinds of lines that are costly for a parser or deep for a
// recursive one. BenchmarkReadShapes plots the first six.
var shapes = []shape{
	{"pipeline", func(n int) string { return fill("a b c | ", n) + "x" }},
	{"list", func(n int) string { return fill("echo hello world\n", n) + "x" }},
	{"heredoc", func(n int) string { return "cat <<E\n" + fill("line of text $x here\n", n) + "E\n" }},
	{"words", func(n int) string { return "x " + fill(`"a $b" 'c' \d `, n) }},
	{"nesting", func(n int) string { return "x " + fill("$(", n/2) + fill(")", n/2) }},
	{"quotes", func(n int) string { return "x " + fill(`"`, n) }},
	{"substitutions", func(n int) string { return "x " + fill("$(a) ", n) }},
	{"open substitutions", func(n int) string { return "x " + fill("$(", n) }},
	{"parentheses", func(n int) string { return fill("(", n/2) + fill(")", n/2) }},
	{"arithmetic", func(n int) string { return "x " + fill("$((", n) }},
	{"operators", func(n int) string { return "x $((" + fill("1+", n) + "1))" }},
	{"minuses", func(n int) string { return "x $((" + fill("- ", n) + "1))" }},
	{"expansions", func(n int) string { return "x " + fill("${a:-", n) }},
	{"subscripts", func(n int) string { return "x " + fill("${a[", n) }},
	{"backslashes", func(n int) string { return "x " + fill(`\`, n) }},
	{"backquotes", func(n int) string { return "x " + fill("`", n) }},
	{"single quotes", func(n int) string { return "x " + fill("'", n) }},
	{"continuations", func(n int) string { return "x " + fill("\\\n", n) }},
	{"negations", func(n int) string { return fill("! ", n) + "x" }},
	{"times", func(n int) string { return fill("time ", n) + "x" }},
	{"coprocs", func(n int) string { return fill("coproc ", n) + "x" }},
	{"groups", func(n int) string { return fill("{ ", n) }},
	{"ifs", func(n int) string { return fill("if ", n) }},
	{"elifs", func(n int) string { return "if a; then b; " + fill("elif a; then b; ", n) + "fi" }},
	{"cases", func(n int) string { return "case a in " + fill("a) b;; ", n) + "esac" }},
	{"tests", func(n int) string { return "[[ " + fill("! ", n) + "a ]]" }},
	{"test groups", func(n int) string { return "[[ " + fill("( ", n) + "a ]]" }},
	{"patterns", func(n int) string { return "[[ a == " + fill("@(", n) + " ]]" }},
	{"array", func(n int) string { return "a=(" + fill("b ", n) + ")" }},
	{"assignments", func(n int) string { return fill("a=b ", n) }},
	{"redirects", func(n int) string { return "x " + fill(">a ", n) }},
	{"here-documents", func(n int) string { return "x " + fill("<<E ", n) }},
	{"functions", func(n int) string { return fill("f() ", n) + "{ a; }" }},
	{"subshells undone", func(n int) string { return fill("((a);b)\n", n) }},
	{"not arithmetic", func(n int) string { return "x " + fill("$((a;", n) }},
	{"comments", func(n int) string { return fill("# a\\\n", n) }},
	{"carriage returns", func(n int) string { return fill("echo a\r\n", n) }},
}

// A line of any shape and size gets an answer; one of 1 MiB is over a bound.
// None changes how the next line is read.
func TestReadBounds(t *testing.T) {
	const ordinary = `git log --format='%h' | while read -r h; do echo "$h $(date)"; done > log`
	want := render(read(ordinary))
	for _, s := range shapes {
		for _, n := range []int{64, 1 << 12, 1 << 15, maxText - 64, 1 << 20} {
			got := read(s.line(n))
			if got.file == nil {
				t.Errorf("%s of %d bytes: no file", s.name, n)
			}
			if n > maxText && !hasCode(got, ProblemBound) {
				t.Errorf("%s of %d bytes: %v, want a bound", s.name, n, got.problems)
			}
			if after := render(read(ordinary)); after != want {
				t.Fatalf("after %s of %d bytes an ordinary line is read as\n%s\nand before as\n%s", s.name, n, after, want)
			}
		}
	}
}

func hasCode(r reading, code ProblemCode) bool {
	for _, p := range r.problems {
		if p.Code == code {
			return true
		}
	}
	return false
}

// render is all of a reading as text.
func render(r reading) string {
	var b strings.Builder
	syntax.DebugPrint(&b, r.file)
	for _, s := range r.extra {
		syntax.DebugPrint(&b, s)
	}
	fmt.Fprint(&b, r.problems)
	return b.String()
}

// What cannot be read at all says so and where.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		line string
		code ProblemCode
	}{
		{"echo a\x00b", ProblemSyntax},
		{"echo \xff", ProblemSyntax},
		{"echo \x01 a\r", ProblemReadings},
		{strings.Repeat("a", maxText+1), ProblemBound},
		{strings.Repeat("(", maxNesting+1), ProblemBound},
		{strings.Repeat("a;", maxCommands+1), ProblemBound},
		{"time " + strings.Repeat("time ", maxPrefixes) + "a", ProblemBound},
		{"echo $((" + strings.Repeat("1+", maxArithmetic) + "1))", ProblemBound},
	} {
		got := read(c.line)
		if !hasCode(got, c.code) {
			t.Errorf("%.40q: %v, want %s", c.line, got.problems, c.code)
		}
		for _, p := range got.problems {
			if p.Span.Start < 0 || p.Span.End > len(c.line) || p.Span.Start > p.Span.End {
				t.Errorf("%.40q: span %v is not of the line", c.line, p.Span)
			}
		}
	}
}

// FuzzRead: any text is read without a panic, the same way twice, with spans
// that lie in it.
func FuzzRead(f *testing.F) {
	for _, b := range readLines[blindSpot](f, "blindspots.jsonl") {
		f.Add(b.Line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got := read(line)
		for _, p := range got.problems {
			if p.Span.Start < 0 || p.Span.End > len(line) || p.Span.Start > p.Span.End {
				t.Errorf("span %v of %q is not of the line", p.Span, p.Reason)
			}
		}
		if a, b := render(got), render(read(line)); a != b {
			t.Errorf("read twice:\n%s\n%s", a, b)
		}
	})
}
