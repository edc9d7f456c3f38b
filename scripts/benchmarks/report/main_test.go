package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-guard/pi-guard/scripts/benchmarks"
)

// results are benchmark lines in which every limit is kept, at the given share of it.
func results(share float64) string {
	var b strings.Builder
	for _, limit := range benchmarks.Limits() {
		for range 3 {
			fmt.Fprintf(&b, "Benchmark%s-2  \t 10\t %g %s\n", limit.Benchmark, limit.Most*share, limit.Unit)
		}
	}
	return b.String()
}

func TestReport(t *testing.T) {
	one := benchmarks.Limits()[0]
	for _, test := range []struct {
		name, results string
		kept          bool
		says          string
	}{
		{"all kept", results(0.5), true, "ok"},
		{"all over", results(1.01), false, "OVER"},
		{"one over", results(0.5) + strings.Repeat(fmt.Sprintf("Benchmark%s 1 %g %s\n", one.Benchmark, 2*one.Most, one.Unit), 4), false, "OVER"},
		{"nothing measured", "PASS\n", false, "not measured"},
	} {
		t.Run(test.name, func(t *testing.T) {
			values, err := read(strings.NewReader(test.results))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if kept := report(&out, values); kept != test.kept || !strings.Contains(out.String(), test.says) {
				t.Errorf("report = %v:\n%s", kept, out.String())
			}
		})
	}
}

func TestReadRefusesNonsense(t *testing.T) {
	if _, err := read(strings.NewReader("BenchmarkX 1 many ns/op\n")); err == nil {
		t.Error("read took a value that is no number")
	}
}
