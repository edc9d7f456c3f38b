// Report compares the medians of benchmark results, read from standard input
// as go test -bench prints them, with the limits of package benchmarks. It
// fails when one is over its limit or was not measured.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pi-guard/pi-guard/scripts/benchmarks"
)

func main() {
	values, err := read(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
	if !report(os.Stdout, values) {
		os.Exit(1)
	}
}

type measure struct{ benchmark, unit string }

// processors is the suffix that go test puts after a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// read collects the values of every measure.
func read(r io.Reader) (map[measure][]float64, error) {
	values := map[measure][]float64{}
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		fields := strings.Fields(scanner.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(processors.ReplaceAllString(fields[0], ""), "Benchmark")
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("reading %q: %w", scanner.Text(), err)
			}
			m := measure{name, fields[i+1]}
			values[m] = append(values[m], value)
		}
	}
	return values, scanner.Err()
}

// report prints a row for every limit and reports whether all are kept.
func report(w io.Writer, values map[measure][]float64) bool {
	kept := true
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tmedian\tlimit\t\t")
	for _, limit := range benchmarks.Limits() {
		measured := values[measure{limit.Benchmark, limit.Unit}]
		median, verdict := "-", "not measured"
		if len(measured) > 0 {
			m := benchmarks.Quantile(measured, 0.5)
			median, verdict = strconv.FormatFloat(m, 'f', 2, 64), "ok"
			if m > limit.Most {
				verdict = "OVER"
			}
		}
		kept = kept && verdict == "ok"
		fmt.Fprintf(table, "%s\t%s\t%g\t%s\t%s\n", limit.Says, median, limit.Most, strings.TrimSuffix(limit.Unit, "/op"), verdict)
	}
	if err := table.Flush(); err != nil {
		return false
	}
	return kept
}
