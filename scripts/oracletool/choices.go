package main

import "math/rand/v2"

// choices is the stream of decisions that a line is made from. A line is made
// again, or a smaller one, by giving the decisions instead of drawing them.
type choices struct {
	rng   *rand.Rand // nil: decisions beyond those given are 0
	given []int
	made  []int
}

// drawn are the choices of the line with this number in the run of seed.
func drawn(seed, number uint64) *choices {
	return &choices{rng: rand.New(rand.NewPCG(seed, number))}
}

// replayed are given choices; each is cut to what is possible where it is used.
func replayed(given []int) *choices { return &choices{given: given} }

// below is a number from 0 to n-1; 0 is always the simplest choice.
func (c *choices) below(n int) int {
	choice := 0
	switch at := len(c.made); {
	case n <= 1:
	case at < len(c.given):
		choice = min(c.given[at], n-1)
	case c.rng != nil:
		choice = c.rng.IntN(n)
	}
	c.made = append(c.made, choice)
	return choice
}

// chance is true in percent of all cases.
func (c *choices) chance(percent int) bool { return c.below(100) >= 100-percent }
