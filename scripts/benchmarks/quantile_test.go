package benchmarks

import "testing"

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{nil, 0.5, 0},
		{[]float64{7}, 0.99, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 3, 2, 1}, 1, 4},
		{[]float64{4, 3, 2, 1}, 0, 1},
	} {
		if got := Quantile(test.values, test.q); got != test.want {
			t.Errorf("Quantile(%v, %g) = %g, want %g", test.values, test.q, got, test.want)
		}
	}
}

func TestShapesHaveTheirSize(t *testing.T) {
	const size = 1 << 12
	for _, s := range shapes() {
		if n := len(s.line(size)); n > size+16 || n < size-16 {
			t.Errorf("%s: a line of %d bytes has %d", s.name, size, n)
		}
	}
}
