// Package benchmarks measures what a person feels: how long a call waits for
// its verdict on the way from pi through the guard and back, how fast the
// guard starts, what a very long line costs. scripts/bench runs it, prints the
// medians and compares them with the limits in limits.go.
package benchmarks
