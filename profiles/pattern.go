package profiles

import (
	"strings"
	"unicode/utf8"
)

// Pattern is one compiled pattern of a surface's map (spec row P1): `*` is any
// run of characters, slashes and newlines too; a whole `**/` segment is zero
// or more directories; `?` is exactly one character; `~` and `$HOME` are the
// home directory; everything else is literal. docs/patterns.md has every case.
// It is immutable and matches without allocating.
type Pattern struct {
	text     string
	segments []segment
	// head and tail are what every matching text begins and ends with.
	head, tail string
}

// segment is a wildcard followed by text without one of any length.
type segment struct {
	before wildcard
	atoms  []atom
}

// atom is a literal text, or one character when one is set.
type atom struct {
	literal string
	one     bool
}

type wildcard uint8

const (
	noWildcard  wildcard = iota
	anyRun               // *
	directories          // **/
)

// CompilePattern compiles a pattern; home is what ~ and $HOME mean.
func CompilePattern(text, home string) Pattern {
	c := compiler{segments: []segment{{}}}
	for i := 0; i < len(text); {
		rest := text[i:]
		segmentStart := i == 0 || text[i-1] == '/'
		switch {
		case segmentStart && strings.HasPrefix(rest, "**/"):
			c.wildcard(directories)
			i += 3
		case rest[0] == '*':
			c.wildcard(anyRun)
			i += len(rest) - len(strings.TrimLeft(rest, "*"))
		case rest[0] == '?':
			c.add(atom{one: true})
			i++
		default:
			if n := homeMark(text, i); n > 0 {
				c.add(atom{literal: home})
				i += n
				continue
			}
			n := 1 + literalRun(rest[1:])
			c.add(atom{literal: rest[:n]})
			i += n
		}
	}
	return c.pattern(text)
}

// literalRun is how many bytes of text are surely literal.
func literalRun(text string) int {
	if n := strings.IndexAny(text, "*?~$"); n >= 0 {
		return n
	}
	return len(text)
}

// compiler collects the segments of a pattern.
type compiler struct{ segments []segment }

func (c *compiler) wildcard(w wildcard) {
	last := &c.segments[len(c.segments)-1]
	if len(last.atoms) == 0 && last.before == w && len(c.segments) > 1 {
		return
	}
	c.segments = append(c.segments, segment{before: w})
}

func (c *compiler) add(a atom) {
	s := &c.segments[len(c.segments)-1]
	if n := len(s.atoms); !a.one && n > 0 && !s.atoms[n-1].one {
		s.atoms[n-1].literal += a.literal
		return
	}
	s.atoms = append(s.atoms, a)
}

func (c *compiler) pattern(text string) Pattern {
	p := Pattern{text: text, segments: c.segments}
	if first := p.segments[0].atoms; len(first) > 0 && !first[0].one {
		p.head = first[0].literal
	}
	if last := p.segments[len(p.segments)-1].atoms; len(last) > 0 && !last[len(last)-1].one {
		p.tail = last[len(last)-1].literal
	}
	return p
}

// String is the pattern as it was written.
func (p *Pattern) String() string { return p.text }

// CatchAll reports whether the pattern matches every text.
func (p *Pattern) CatchAll() bool {
	last := len(p.segments) - 1
	for i := range p.segments {
		if len(p.segments[i].atoms) > 0 {
			return false
		}
	}
	return last > 0 && p.segments[last].before == anyRun
}

// Match reports whether the whole of text matches. Text that may hold ~ or
// $HOME is given through ExpandHome first.
//
// Every part is taken at the first place where it fits. That is enough: what a
// later wildcard can reach from a later place it can reach from an earlier one,
// since a `**/` always follows a slash or the start. So the time is bounded by
// the product of the lengths, and nothing is tried twice.
func (p *Pattern) Match(text string) bool {
	if !strings.HasPrefix(text, p.head) || !strings.HasSuffix(text, p.tail) {
		return false
	}
	at, last := 0, len(p.segments)-1
	for i := range p.segments {
		end, ok := p.segments[i].find(text, at, i == last)
		if !ok {
			return false
		}
		at = end
	}
	return true
}

// find is the end of the first place at or after from where the segment fits;
// a final segment must end where the text does.
func (s *segment) find(text string, from int, final bool) (end int, ok bool) {
	if s.before == noWildcard {
		end, ok = s.fits(text, from)
		return end, ok && (!final || end == len(text))
	}
	if len(s.atoms) == 0 && !final {
		return from, true
	}
	if final && s.plain() {
		start := len(text) - s.size()
		return len(text), start >= from && s.reaches(text, from, start) && strings.HasSuffix(text, s.literal())
	}
	for start := from; start <= len(text); {
		if start = s.next(text, from, start); start < 0 {
			return 0, false
		}
		if end, ok = s.fits(text, start); ok && (!final || end == len(text)) {
			return end, true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		start += max(size, 1)
	}
	return 0, false
}

// next is the first candidate at or after start, -1 when there is none.
func (s *segment) next(text string, from, start int) int {
	if s.before == directories {
		if s.reaches(text, from, start) {
			return start
		}
		if i := strings.IndexByte(text[start:], '/'); i >= 0 {
			return start + i + 1
		}
		return -1
	}
	if len(s.atoms) > 0 && !s.atoms[0].one {
		i := strings.Index(text[start:], s.atoms[0].literal)
		if i < 0 {
			return -1
		}
		return start + i
	}
	return start
}

// reaches reports whether the wildcard can lead from one place to another.
func (s *segment) reaches(text string, from, to int) bool {
	return s.before == anyRun || from == to || to > 0 && text[to-1] == '/'
}

// fits reports whether the atoms match at a place, and where they end.
func (s *segment) fits(text string, at int) (end int, ok bool) {
	for i := range s.atoms {
		if s.atoms[i].one {
			_, size := utf8.DecodeRuneInString(text[at:])
			if size == 0 {
				return 0, false
			}
			at += size
			continue
		}
		if !strings.HasPrefix(text[at:], s.atoms[i].literal) {
			return 0, false
		}
		at += len(s.atoms[i].literal)
	}
	return at, true
}

// plain reports whether the segment is literal text only.
func (s *segment) plain() bool { return len(s.atoms) == 0 || len(s.atoms) == 1 && !s.atoms[0].one }

// literal is the text of a plain segment.
func (s *segment) literal() string {
	if len(s.atoms) == 0 {
		return ""
	}
	return s.atoms[0].literal
}

// size is the length of a plain segment.
func (s *segment) size() int { return len(s.literal()) }

// ExpandHome replaces the marks of the home directory in a text that a pattern
// is matched against: ~ where a word begins, and $HOME or ${HOME}.
func ExpandHome(text, home string) string {
	if !strings.ContainsAny(text, "~$") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := homeMark(text, i); n > 0 {
			b.WriteString(home)
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// homeMark is the length of a mark of the home directory at i, 0 for none. A
// tilde is one where a word begins (at the start, after a blank, = or :) and
// where it stands alone or before a slash; $HOME is one where its name ends.
func homeMark(text string, i int) int {
	rest := text[i:]
	switch rest[0] {
	case '~':
		begins := i == 0 || strings.IndexByte(" \t\n=:", text[i-1]) >= 0
		ends := len(rest) == 1 || strings.IndexByte("/ \t\n", rest[1]) >= 0
		if begins && ends {
			return 1
		}
	case '$':
		if strings.HasPrefix(rest, "${HOME}") {
			return len("${HOME}")
		}
		const mark = "$HOME"
		if strings.HasPrefix(rest, mark) && (len(rest) == len(mark) || !isNameByte(rest[len(mark)])) {
			return len(mark)
		}
	}
	return 0
}

// isNameByte reports whether b may stand in the name of a shell variable.
func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}
