package house

import (
	"regexp"
	"strings"
)

// block is one fenced block of a page that means something to a test.
type block struct {
	// kind is "console", "pi", "file" or "capture".
	kind string
	// name is the path of a file block, the name of a capture.
	name string
	text string
	line int // of the page, from 1
}

// A comment before a block gives it a meaning: <!-- file: PATH --> writes it,
// <!-- capture: NAME --> says that it is docs/captures/NAME.txt.
var directive = regexp.MustCompile(`^<!-- (file|capture): (\S+) -->$`)

// parsePage finds the blocks of a page: those marked console and pi, and those
// with a directive.
func parsePage(text string) []block {
	var blocks []block
	var current *block
	kind, name := "", ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case current != nil && line == "```":
			if current.kind != "" {
				blocks = append(blocks, *current)
			}
			current = nil
		case current != nil:
			current.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			current = &block{kind: kind, name: name, line: i + 1}
			if language := strings.TrimPrefix(line, "```"); kind == "" && (language == "console" || language == "pi") {
				current.kind = language
			}
			kind, name = "", ""
		default:
			if m := directive.FindStringSubmatch(line); m != nil {
				kind, name = m[1], m[2]
			}
		}
	}
	return blocks
}

// exchange is something typed and what must come back.
type exchange struct {
	typed string
	want  []string
	line  int
}

// exchanges reads a block in which what is typed follows a prompt; a line that
// ends with a backslash goes on in the next.
func (b block) exchanges(prompt string) []exchange {
	var list []exchange
	more := false
	for i, line := range strings.Split(strings.TrimSuffix(b.text, "\n"), "\n") {
		typed, isTyped := strings.CutPrefix(line, prompt)
		switch {
		case more:
			last := &list[len(list)-1]
			last.typed += "\n" + line
			more = strings.HasSuffix(line, `\`)
		case isTyped:
			list = append(list, exchange{typed: typed, line: b.line + 1 + i})
			more = strings.HasSuffix(line, `\`)
		case len(list) > 0:
			last := &list[len(list)-1]
			last.want = append(last.want, line)
		}
	}
	return list
}

// asPage makes what came back look as on a page: home is ~.
func asPage(text, home string) string {
	return strings.ReplaceAll(text, home, "~")
}

// matches compares what came back with what the page says. An ellipsis stands
// for anything within a line; alone on a line it stands for any lines.
func matches(want []string, got string) bool {
	var pattern strings.Builder
	pattern.WriteString(`(?s)^`)
	for _, line := range want {
		if line == "…" {
			pattern.WriteString(`(.*\n)?`)
			continue
		}
		parts := strings.Split(line, "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern.WriteString(strings.Join(parts, `[^\n]*`) + `[ \t]*\n`)
	}
	pattern.WriteString(`$`)
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	return regexp.MustCompile(pattern.String()).MatchString(got)
}
