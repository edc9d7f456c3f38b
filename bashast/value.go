package bashast

import (
	"slices"
	"strings"
)

// Value is what is known of a text before the shell computes it (B2). The
// zero value is Unknown: forgetting to set a value never claims knowledge.
type Value struct {
	kind   Kind
	texts  []string // Known: one, OneOf: two or more, distinct, in order of appearance
	prefix string   // Partial: what it begins with
	suffix string   // Partial: what it ends with
	why    string   // Partial and Unknown: for a person
	below  bool     // Partial: the unknown part holds no ".." segment
}

// Kind says how much of a value is known.
type Kind uint8

// How much is known, from nothing to everything.
const (
	UnknownKind Kind = iota // nothing
	PartialKind             // how it begins or ends
	OneOfKind               // it is one of a few texts
	KnownKind               // the text
)

// maxTexts bounds the alternatives that a value keeps.
const maxTexts = 32

// Known is the value that is surely text.
func Known(text string) Value { return Value{kind: KnownKind, texts: []string{text}} }

// OneOf is the value that is one of the given texts. More than a bounded
// number of them becomes a Partial of what they have in common.
func OneOf(texts ...string) Value {
	var distinct []string
	for _, t := range texts {
		if !slices.Contains(distinct, t) {
			distinct = append(distinct, t)
		}
		if len(distinct) > maxTexts {
			return Partial(commonPrefix(texts), "", "more than a few possible values")
		}
	}
	switch len(distinct) {
	case 0:
		return Unknown("no possible value")
	case 1:
		return Known(distinct[0])
	}
	return Value{kind: OneOfKind, texts: distinct}
}

// Partial is the value that begins with prefix and ends with suffix; the two
// do not overlap. why says for a person what is missing.
func Partial(prefix, suffix, why string) Value {
	if prefix == "" && suffix == "" {
		return Unknown(why)
	}
	return Value{kind: PartialKind, prefix: prefix, suffix: suffix, why: why}
}

// Unknown is the value of which nothing is known; why says so for a person.
func Unknown(why string) Value { return Value{why: why} }

// Kind says how much of the value is known.
func (v Value) Kind() Kind { return v.kind }

// Resolved reports whether the value is Known or OneOf.
func (v Value) Resolved() bool { return v.kind >= OneOfKind }

// Text is the value's only text.
func (v Value) Text() (string, bool) {
	if v.kind != KnownKind {
		return "", false
	}
	return v.texts[0], true
}

// Texts are all texts the value may be; nil when they are not bounded. The
// caller must not change the slice.
func (v Value) Texts() []string { return v.texts }

// Prefix is what every possible text begins with.
func (v Value) Prefix() string {
	if v.kind >= OneOfKind {
		return commonPrefix(v.texts)
	}
	return v.prefix
}

// Suffix is what a Partial ends with, and what a Known text is.
func (v Value) Suffix() string {
	if v.kind == KnownKind {
		return v.texts[0]
	}
	return v.suffix
}

// Glob is the Partial of an unbounded glob: what stands between prefix and
// suffix are names of existing files, so it never climbs by "..".
func Glob(prefix, suffix, why string) Value {
	v := Partial(prefix, suffix, why)
	v.below = v.kind == PartialKind
	return v
}

// Below reports whether the unknown part of a Partial is known to hold no
// ".." segment, so that the value stays below its known beginning.
func (v Value) Below() bool { return v.below }

// Why says for a person what is not known and where it came from.
func (v Value) Why() string { return v.why }

// MayBe reports whether the value could be text.
func (v Value) MayBe(text string) bool {
	switch v.kind {
	case KnownKind, OneOfKind:
		return slices.Contains(v.texts, text)
	case PartialKind:
		return len(text) >= len(v.prefix)+len(v.suffix) &&
			strings.HasPrefix(text, v.prefix) && strings.HasSuffix(text, v.suffix)
	}
	return true
}

// String renders the value for a person: the text, the alternatives between
// braces, or the known ends around an ellipsis.
func (v Value) String() string {
	switch v.kind {
	case KnownKind:
		return v.texts[0]
	case OneOfKind:
		return "{" + strings.Join(v.texts, ",") + "}"
	case PartialKind:
		return v.prefix + "…" + v.suffix
	}
	return "…"
}

// Concat is the value of a followed by b.
func Concat(a, b Value) Value {
	switch {
	case a.Resolved() && b.Resolved():
		texts := make([]string, 0, len(a.texts)*len(b.texts))
		for _, x := range a.texts {
			for _, y := range b.texts {
				texts = append(texts, x+y)
			}
		}
		return OneOf(texts...)
	case a.kind == KnownKind:
		return Partial(a.texts[0]+b.prefix, b.suffix, b.why)
	case b.kind == KnownKind:
		return Partial(a.prefix, a.suffix+b.texts[0], a.why)
	}
	why := a.why
	if why == "" {
		why = b.why
	}
	return Partial(a.Prefix(), b.Suffix(), why)
}

// Join is the value that is either a or b, as after the two ways of a
// conditional.
func Join(a, b Value) Value {
	if a.Resolved() && b.Resolved() {
		return OneOf(append(slices.Clone(a.texts), b.texts...)...)
	}
	why := a.why
	if why == "" {
		why = b.why
	}
	return Partial(commonPrefix([]string{a.Prefix(), b.Prefix()}), "", why)
}

func commonPrefix(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	p := texts[0]
	for _, t := range texts[1:] {
		n := 0
		for n < len(p) && n < len(t) && p[n] == t[n] {
			n++
		}
		p = p[:n]
	}
	return p
}
