package benchmarks

// Limit is the most that the median of a measure may be.
type Limit struct {
	// Benchmark is the name without the prefix "Benchmark".
	Benchmark string
	Unit      string
	Most      float64
	// Says is the limit for a person.
	Says string
}

// Limits are the numbers that pi-guard is held to, on a machine of today.
func Limits() []Limit {
	return []Limit{
		{"NodeRoundTrip", "p50-µs", 150, "pi to the guard and back with a bash verdict, p50"},
		{"NodeRoundTrip", "p99-µs", 1000, "the same, p99"},
		{"ServeInitialize", "ms/op", 15, "pi-guard serve, from exec to its answer to initialize"},
		{"CheckProcess", "ms/op", 6, "pi-guard check bash 'git status', the whole process"},
		{"VerdictToParse", "x-of-parse", 2, "a verdict, as a multiple of tree-sitter's parse alone"},
		{"Megabyte/pipeline", "ms/op", 100, "a line of 1 MiB: pipeline"},
		{"Megabyte/list", "ms/op", 100, "a line of 1 MiB: list"},
		{"Megabyte/nested", "ms/op", 100, "a line of 1 MiB: nested substitutions"},
		{"Megabyte/arguments", "ms/op", 100, "a line of 1 MiB: arguments"},
		{"Megabyte/quotes", "ms/op", 100, "a line of 1 MiB: one quoted word"},
		{"Megabyte/heredoc", "ms/op", 100, "a line of 1 MiB: here-document"},
		{"Megabyte/pipeline", "max-MiB", 256, "memory for it: pipeline"},
		{"Megabyte/list", "max-MiB", 256, "memory for it: list"},
		{"Megabyte/nested", "max-MiB", 256, "memory for it: nested substitutions"},
		{"Megabyte/arguments", "max-MiB", 256, "memory for it: arguments"},
		{"Megabyte/quotes", "max-MiB", 256, "memory for it: one quoted word"},
		{"Megabyte/heredoc", "max-MiB", 256, "memory for it: here-document"},
	}
}
