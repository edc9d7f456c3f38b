package benchmarks

import (
	"slices"
)

// Quantile is the value below which the share q of the values lies; q is from
// 0 to 1. It is 0 for no values. The values are left as they are.
func Quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
