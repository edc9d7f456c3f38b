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
//
// A large set is indexed: every rule that has a literal of four bytes or more
// is listed under the rarest four of them, and only the rules are tried whose
// four bytes stand somewhere in the text.
type RuleSet struct {
	rules []Rule
	// grams lists rules by four bytes that a matching text must hold, rest
	// those that have none. All lists are in file order.
	grams map[uint32][]int32
	rest  []int32
	// seen has a bit for each hash of a gram, so that most places of a text
	// cost no look-up.
	seen *[1024]uint64
}

// indexFrom is the number of rules from which an index is worth its building.
const indexFrom = 48

// NewRuleSet compiles rules, given in file order.
func NewRuleSet(rules []Rule) *RuleSet {
	s := &RuleSet{rules: rules}
	if len(rules) < indexFrom {
		for i := range rules {
			s.rest = append(s.rest, int32(i))
		}
		return s
	}
	s.grams, s.seen = map[uint32][]int32{}, &[1024]uint64{}
	for i := range rules {
		gram, ok := s.rarest(&rules[i].Pattern)
		if !ok {
			s.rest = append(s.rest, int32(i))
			continue
		}
		s.grams[gram] = append(s.grams[gram], int32(i))
		s.seen[bit(gram)>>6] |= 1 << (bit(gram) & 63)
	}
	return s
}

// rarest is the gram of a pattern under which the fewest rules are listed.
func (s *RuleSet) rarest(p *Pattern) (best uint32, ok bool) {
	fewest := len(s.rules) + 1
	for i := range p.segments {
		for _, a := range p.segments[i].atoms {
			for j := 0; j+4 <= len(a.literal); j++ {
				gram := gramAt(a.literal, j)
				if n := len(s.grams[gram]); n < fewest {
					best, ok, fewest = gram, true, n
				}
			}
		}
	}
	return best, ok
}

func gramAt(text string, i int) uint32 {
	return uint32(text[i]) | uint32(text[i+1])<<8 | uint32(text[i+2])<<16 | uint32(text[i+3])<<24
}

// bit is the place of a gram in the filter.
func bit(gram uint32) uint32 { return gram * 2654435761 >> 16 }

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
		if s.seen == nil {
			continue
		}
		for i := 0; i+4 <= len(text); i++ {
			gram := gramAt(text, i)
			if s.seen[bit(gram)>>6]&(1<<(bit(gram)&63)) != 0 {
				best = s.last(s.grams[gram], text, best)
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
