package hooks

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pi-guard/pi-guard/profiles"
)

// The marks around the part of a line that is asked about.
const (
	markOpen  = "»"
	markClose = "«"
)

// maxShown is how many characters of a line a prompt shows.
const maxShown = 320

// promptText is a prompt as one text for a terminal: the question, why, the
// line with the part that is meant marked, where it runs, and what could be
// done instead. It is kept to a few lines.
func promptText(p *profiles.Prompt, dir, home string) string {
	title := p.Title
	lines := []string{}
	if p.Command != "" {
		title = strings.TrimSuffix(title, profiles.OneLine(p.Command))
		lines = append(lines, "  "+markedLine(p.Command, p.Marks))
	}
	for _, r := range first(p.Reasons, 3) {
		if !strings.Contains(title, r) {
			lines = append(lines, "  - "+visible(r))
		}
	}
	if n := len(p.Reasons) - 3; n > 0 {
		lines = append(lines, "  - and more")
	}
	for _, s := range first(p.Safer, 1) {
		lines = append(lines, "  Instead: "+visible(s))
	}
	where := "in " + shortPath(dir, home)
	if p.Delegate != "" {
		where = "for the delegate " + visible(p.Delegate) + ", " + where
	}
	lines = append(lines, where)
	return strings.TrimSpace(visible(title)) + "\n" + strings.Join(lines, "\n")
}

func first(list []string, n int) []string { return list[:min(n, len(list))] }

// markedLine is the line with the marked parts between » and «, on one line,
// control characters made visible. Of a long line the beginning and what
// surrounds the marks are shown.
func markedLine(line string, marks [][2]int) string {
	marks = joinMarks(marks, len(line))
	if utf8.RuneCountInString(line) <= maxShown {
		return visible(withMarks(line, marks, 0))
	}
	if len(marks) == 0 {
		return visible(line[:boundary(line, maxShown)]) + "…"
	}
	from := boundary(line, max(0, marks[0][0]-maxShown/4))
	to := boundary(line, min(len(line), max(marks[0][0]+maxShown/2, min(marks[0][1], marks[0][0]+2*maxShown))))
	text := visible(withMarks(line[from:to], marks, from))
	if from > 0 {
		head := boundary(line, min(from, maxShown/4))
		text = visible(line[:head]) + " … " + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// joinMarks sorts the marks, joins those that touch and drops those that are none.
func joinMarks(marks [][2]int, length int) [][2]int {
	marks = slices.Clone(marks)
	slices.SortFunc(marks, func(a, b [2]int) int { return a[0] - b[0] })
	var out [][2]int
	for _, m := range marks {
		m[0], m[1] = max(0, m[0]), min(length, m[1])
		switch {
		case m[0] >= m[1]:
		case len(out) > 0 && m[0] <= out[len(out)-1][1]:
			out[len(out)-1][1] = max(out[len(out)-1][1], m[1])
		default:
			out = append(out, m)
		}
	}
	return out
}

// withMarks puts the marks into a part of the line that begins at offset.
func withMarks(part string, marks [][2]int, offset int) string {
	var b strings.Builder
	at := 0
	for _, m := range marks {
		from, to := m[0]-offset, m[1]-offset
		if to <= 0 || from >= len(part) {
			continue
		}
		from, to = max(from, at), min(to, len(part))
		b.WriteString(part[at:from] + markOpen + part[from:to] + markClose)
		at = to
	}
	return b.String() + part[at:]
}

// boundary is the nearest start of a character at or before i.
func boundary(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// visible makes a text safe to show: what a terminal would act upon, or what
// would make it read otherwise than it is, is replaced by a sign for it.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case r == '\t':
			return ' '
		case r < 0x20:
			return 0x2400 + r // the picture of the control character
		case r == 0x7f:
			return '␡'
		case r == utf8.RuneError, unicode.Is(unicode.Cf, r), unicode.Is(unicode.Cc, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return '�'
		}
		return r
	}, s)
}

// shortPath is a path with ~ for home.
func shortPath(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home); ok && home != "" && home != "/" && (rest == "" || rest[0] == '/') {
		return visible("~" + rest)
	}
	return visible(path)
}
