package profiles

// Rule is one entry of a surface's map, or the surface's bare action.
type Rule struct {
	Pattern Pattern
	Action  Action
	// Origin is OriginDefault for a bare action, OriginCatchAll for "*",
	// OriginProject for an overlay of the project, else OriginPattern.
	Origin Origin
	// Reason is the text for the model that the rule brings (P2).
	Reason string
	// File and Line say where it is written; File is "" for a shipped rule.
	File string
	Line int
}

// RuleSet is the compiled map of one surface. The last matching rule in file
// order wins (P1). It is immutable; looking up does not allocate.
type RuleSet struct {
	rules []Rule
	// heads and tails hold, by the length of the literal beginning or ending
	// (at most keyLen), the rules that begin or end so; rest holds the others.
	// All lists are in file order.
	heads, tails [keyLen + 1]map[uint64][]int32
	rest         []int32
}

// keyLen is the most bytes of a literal that the index looks at.
const keyLen = 8

// indexFrom is the number of rules from which an index is worth its building.
const indexFrom = 24

// NewRuleSet compiles rules, given in file order.
func NewRuleSet(rules []Rule) *RuleSet {
	s := &RuleSet{rules: rules}
	for i := range rules {
		p := &rules[i].Pattern
		n := int32(i)
		switch {
		case len(rules) < indexFrom || p.head == "" && p.tail == "":
			s.rest = append(s.rest, n)
		case min(len(p.head), keyLen) >= min(len(p.tail), keyLen):
			put(&s.heads, headKey(p.head, min(len(p.head), keyLen)), min(len(p.head), keyLen), n)
		default:
			put(&s.tails, tailKey(p.tail, min(len(p.tail), keyLen)), min(len(p.tail), keyLen), n)
		}
	}
	return s
}

func put(index *[keyLen + 1]map[uint64][]int32, key uint64, size int, n int32) {
	if index[size] == nil {
		index[size] = map[uint64][]int32{}
	}
	index[size][key] = append(index[size][key], n)
}

// Rules are all rules in file order. The caller must not change them.
func (s *RuleSet) Rules() []Rule {
	if s == nil {
		return nil
	}
	return s.rules
}

// Match is the last rule that matches any of the texts, which are spellings
// of one target; nil when none does.
func (s *RuleSet) Match(texts ...string) *Rule {
	if s == nil {
		return nil
	}
	best := int32(-1)
	for _, text := range texts {
		best = s.last(s.rest, text, best)
		for size := 1; size <= min(keyLen, len(text)); size++ {
			if m := s.heads[size]; m != nil {
				best = s.last(m[headKey(text, size)], text, best)
			}
			if m := s.tails[size]; m != nil {
				best = s.last(m[tailKey(text, size)], text, best)
			}
		}
	}
	if best < 0 {
		return nil
	}
	return &s.rules[best]
}

// last is the greatest index of the list, above best, whose rule matches; else best.
func (s *RuleSet) last(list []int32, text string, best int32) int32 {
	for i := len(list) - 1; i >= 0 && list[i] > best; i-- {
		if s.rules[list[i]].Pattern.Match(text) {
			return list[i]
		}
	}
	return best
}

func headKey(text string, size int) (key uint64) {
	for i := range size {
		key = key<<8 | uint64(text[i])
	}
	return key
}

func tailKey(text string, size int) uint64 { return headKey(text[len(text)-size:], size) }
