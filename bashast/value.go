package bashast

import (
	"slices"
	"strings"
)

// Value is what is known of a text before the shell computes it (B2). The
// zero value is Unknown: forgetting to set a value never claims knowledge.
type Value struct {
	kind Kind
	// atom is true when the text, though not known, is surely one word: not
	// empty, without blanks, slashes or pattern characters. Numbers are.
	atom bool
	// text is the text of a Known value, and for a person the reason of a
	// Partial or Unknown one.
	text string
	// more is nil for Known and Unknown values.
	more *valueParts
}

// valueParts holds what only the less common values need.
type valueParts struct {
	texts  []string // OneOf: two or more, distinct, in order of appearance
	prefix string   // Partial: what it begins with
	suffix string   // Partial: what it ends with
	glob   string   // Partial: the pattern it is a match of
	below  bool     // Partial: the unknown part holds no ".." segment
	core   bool     // Partial: the unknown part is one atom
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

// maxLength bounds the texts that values grow to by being joined, in bytes.
const maxLength = 256 << 10

// Known is the value that is surely text.
func Known(text string) Value { return Value{kind: KnownKind, text: text} }

// OneOf is the value that is one of the given texts. More than a bounded
// number of them becomes a Partial of what they have in common.
func OneOf(texts ...string) Value {
	var distinct []string
	for _, t := range texts {
		if slices.Contains(distinct, t) {
			continue
		}
		distinct = append(distinct, t)
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
	return Value{kind: OneOfKind, more: &valueParts{texts: distinct}}
}

// Partial is the value that begins with prefix and ends with suffix; the two
// do not overlap. why says for a person what is missing.
func Partial(prefix, suffix, why string) Value {
	if prefix == "" && suffix == "" {
		return Unknown(why)
	}
	return Value{kind: PartialKind, text: why, more: &valueParts{prefix: prefix, suffix: suffix}}
}

// Unknown is the value of which nothing is known; why says so for a person.
func Unknown(why string) Value { return Value{text: why} }

// unknownAtom is an Unknown value that is surely one plain word, such as a
// number.
func unknownAtom(why string) Value { return Value{text: why, atom: true} }

// matchOf is a match of the pattern glob, which begins with prefix and ends
// with suffix.
func matchOf(glob, prefix, suffix string) Value {
	return Value{
		kind: PartialKind,
		text: "whatever matches " + glob,
		more: &valueParts{prefix: prefix, suffix: suffix, glob: glob, below: true},
	}
}

// Glob is the Partial of an unbounded glob: what stands between prefix and
// suffix are names of existing files, so it never climbs by "..".
func Glob(prefix, suffix, why string) Value {
	return Value{kind: PartialKind, text: why, more: &valueParts{prefix: prefix, suffix: suffix, below: true}}
}

// Below reports whether the unknown part of a Partial is known to hold no
// ".." segment, so that the value stays below its known beginning.
func (v Value) Below() bool { return v.kind == PartialKind && v.more.below }

// Kind says how much of the value is known.
func (v Value) Kind() Kind { return v.kind }

// Resolved reports whether the value is Known or OneOf.
func (v Value) Resolved() bool { return v.kind >= OneOfKind }

// Text is the value's only text.
func (v Value) Text() (string, bool) {
	if v.kind != KnownKind {
		return "", false
	}
	return v.text, true
}

// Texts are all texts the value may be; nil when they are not bounded. The
// caller must not change the slice.
func (v Value) Texts() []string {
	switch v.kind {
	case KnownKind:
		return []string{v.text}
	case OneOfKind:
		return v.more.texts
	}
	return nil
}

// Prefix is what every possible text begins with.
func (v Value) Prefix() string {
	switch v.kind {
	case KnownKind:
		return v.text
	case OneOfKind:
		return commonPrefix(v.more.texts)
	case PartialKind:
		return v.more.prefix
	}
	return ""
}

// Suffix is what a Partial ends with, and what a Known text is.
func (v Value) Suffix() string {
	switch v.kind {
	case KnownKind:
		return v.text
	case PartialKind:
		return v.more.suffix
	}
	return ""
}

// Pattern is the pattern of which the value is a match, or the pattern itself
// where nothing matches: each wildcard stands for characters of one name, and
// never makes a "." or ".." (bash manual 3.5.8). False when there is none.
func (v Value) Pattern() (string, bool) {
	if v.kind != PartialKind || v.more.glob == "" {
		return "", false
	}
	return v.more.glob, true
}

// Why says for a person what is not known and where it came from.
func (v Value) Why() string {
	if v.kind == KnownKind {
		return ""
	}
	return v.text
}

// MayBe reports whether the value could be text.
func (v Value) MayBe(text string) bool {
	switch v.kind {
	case KnownKind:
		return v.text == text
	case OneOfKind:
		return slices.Contains(v.more.texts, text)
	case PartialKind:
		return len(text) >= len(v.more.prefix)+len(v.more.suffix) &&
			strings.HasPrefix(text, v.more.prefix) && strings.HasSuffix(text, v.more.suffix)
	}
	return !v.atom || text != ""
}

// String renders the value for a person: the text, the alternatives between
// braces, or the known ends around an ellipsis.
func (v Value) String() string {
	switch v.kind {
	case KnownKind:
		return v.text
	case OneOfKind:
		return "{" + strings.Join(v.more.texts, ",") + "}"
	case PartialKind:
		if v.more.glob != "" {
			return v.more.glob
		}
		return v.more.prefix + "…" + v.more.suffix
	}
	return "…"
}

// equal reports whether two values say the same.
func (v Value) equal(w Value) bool {
	if v.kind != w.kind || v.atom != w.atom {
		return false
	}
	switch v.kind {
	case KnownKind:
		return v.text == w.text
	case OneOfKind:
		return slices.Equal(v.more.texts, w.more.texts)
	case PartialKind:
		return v.more == w.more || v.more.prefix == w.more.prefix &&
			v.more.suffix == w.more.suffix && v.more.glob == w.more.glob && v.more.below == w.more.below
	}
	return true
}

// mapText is the value after f, which is applied to each possible text. why
// stands for what f does to a text that is not known.
func (v Value) mapText(why string, f func(string) string) Value {
	switch v.kind {
	case KnownKind:
		return Known(f(v.text))
	case OneOfKind:
		out := make([]string, len(v.more.texts))
		for i, t := range v.more.texts {
			out[i] = f(t)
		}
		return OneOf(out...)
	}
	if why == "" {
		why = v.text
	}
	return Unknown(why)
}

// Concat is the value of a followed by b.
func Concat(a, b Value) Value {
	switch {
	case a.kind == KnownKind && b.kind == KnownKind:
		switch {
		case a.text == "":
			return b
		case b.text == "":
			return a
		}
		if len(a.text)+len(b.text) > maxLength {
			return Partial(a.text[:min(len(a.text), 64)], "", "a text too long to be followed")
		}
		return Known(a.text + b.text)
	case a.kind == KnownKind && a.text == "":
		return b
	case b.kind == KnownKind && b.text == "":
		return a
	case a.Resolved() && b.Resolved():
		return concatResolved(a.Texts(), b.Texts())
	}
	why := a.Why()
	if why == "" {
		why = b.Why()
	}
	prefix, suffix := a.Prefix(), b.Suffix()
	if a.kind == KnownKind {
		prefix += b.Prefix()
	}
	if b.kind == KnownKind && a.kind == PartialKind {
		suffix = a.more.suffix + suffix
	}
	v := Partial(prefix, suffix, why)
	v.atom = isAtom(a) && isAtom(b)
	if v.more != nil {
		v.more.core = a.core() && b.kind == KnownKind || a.kind == KnownKind && b.core()
	}
	return v
}

// core reports whether what is not known of v is one atom.
func (v Value) core() bool {
	return v.kind == UnknownKind && v.atom || v.kind == PartialKind && v.more.core
}

func concatResolved(as, bs []string) Value {
	if len(as)*len(bs) > 4*maxTexts {
		return Partial(commonPrefix(as), "", "more than a few possible values")
	}
	texts := make([]string, 0, len(as)*len(bs))
	for _, x := range as {
		for _, y := range bs {
			if len(x)+len(y) > maxLength {
				return Unknown("a text too long to be followed")
			}
			texts = append(texts, x+y)
		}
	}
	return OneOf(texts...)
}

// Join is the value that is either a or b, as after the two ways of a
// conditional.
func Join(a, b Value) Value {
	if a.equal(b) {
		return a
	}
	if a.kind == KnownKind && b.kind == KnownKind {
		return Value{kind: OneOfKind, more: &valueParts{texts: []string{a.text, b.text}}}
	}
	if a.Resolved() && b.Resolved() {
		return OneOf(append(slices.Clone(a.Texts()), b.Texts()...)...)
	}
	why := a.Why()
	if why == "" {
		why = b.Why()
	}
	v := Partial(commonPrefix([]string{a.Prefix(), b.Prefix()}), "", why)
	v.atom = isAtom(a) && isAtom(b)
	return v
}

// isAtom reports whether v is surely one plain word.
func isAtom(v Value) bool {
	switch v.kind {
	case KnownKind:
		return plainWord(v.text)
	case OneOfKind:
		return !slices.ContainsFunc(v.more.texts, func(t string) bool { return !plainWord(t) })
	}
	return v.atom
}

// plainWord reports whether text is made of letters, digits and the few
// marks that no splitting or pattern ever touches.
func plainWord(text string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '_', c == '+', c == '.', c == '=', c == ',', c == '%', c == '@':
		default:
			return false
		}
	}
	return text != ""
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
