package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds on what a line is made of.
const (
	maxDepth = 4
	maxParts = 60
)

// sample is a made line and what is known of it by the way it was made.
type sample struct {
	Line string
	// Fixed is true when the line alone decides what happens.
	Fixed bool
	// Writers is true when writersReal are themselves.
	Writers bool
	// Path is the constructs it is made of, outermost first.
	Path []string
	// Ways is Path with the number of the way taken in each.
	Ways []string
	// Choices make the line again.
	Choices []int
	// Status and Output are what the stubs do for this line.
	Status int
	Output string
}

// maker makes one line.
type maker struct {
	grammar *grammar
	choices *choices
	// only is the construct that the first piece of its kind must be, "" for any.
	only     string
	depth    int
	parts    int
	loose    bool
	writers  bool
	path     []string
	ways     []string
	settings []string // asked for and not yet put in front of a statement
}

// makeLine makes a line from choices. only, as "kind/name", puts that
// construct into it.
func makeLine(g *grammar, c *choices, only string) sample {
	m := &maker{grammar: g, choices: c, only: only}
	s := sample{Status: max(0, c.below(8)-6)}
	outputs := stubOutputs()
	s.Output = outputs[max(0, c.below(2*len(outputs))-len(outputs))]
	s.Line = m.whole()
	if only == "" && c.chance(12) {
		s.Line = m.mutate(s.Line)
	}
	s.Fixed, s.Writers, s.Path, s.Ways, s.Choices = !m.loose, m.writers, m.path, m.ways, c.made
	return s
}

// stubOutputs are what stubs print: mostly nothing, else what does something
// where it is run, split or globbed.
func stubOutputs() []string {
	return []string{
		"", "o\n", "W from output\n", "-rf o\n", "rm -rf o\nW second\n", "*.txt\n", "1\n", "/tmp\n", "src\n", "a b\n",
		"'W' \"q\"\n", "$(W inner)\n", "a[$(W subscript)]\n", "v=W\n", "; W after\n", "\n\n", "HIDDEN\n",
	}
}

// whole is a whole line: one that has to stand alone, or a list.
func (m *maker) whole() string {
	kind, name, _ := strings.Cut(m.only, "/")
	m.only = name
	switch kind {
	case "", "stmt":
		m.only = ""
		if kind == "" && m.choices.chance(15) {
			return m.withSettings(m.piece)("line")
		}
		m.only = name
		return strings.TrimSuffix(m.list(), "\n")
	case "line", "cmd":
		return m.withSettings(m.piece)(kind)
	case "name":
		return m.withSettings(func(k string) string { return m.piece(k) + " a" })(kind)
	case "dq":
		return m.withSettings(func(k string) string { return `X "` + m.piece(k) + `"` })(kind)
	case "redir":
		return m.withSettings(func(k string) string { return "X a " + m.piece(k) })(kind)
	case "test":
		return m.withSettings(func(k string) string { return "[[ " + m.piece(k) + " ]]" })(kind)
	case "arith":
		return m.withSettings(func(k string) string { return "X $((" + m.piece(k) + "))" })(kind)
	}
	return m.withSettings(func(k string) string { return "X " + m.piece(k) })(kind)
}

func (m *maker) withSettings(f func(string) string) func(string) string {
	return func(kind string) string {
		text := f(kind)
		return m.inFront(text)
	}
}

// inFront puts the settings that were asked for in front of text.
func (m *maker) inFront(text string) string {
	var b strings.Builder
	for _, s := range m.settings {
		b.WriteString(m.grammar.settings[s] + m.or("; ", "\n"))
	}
	m.settings = nil
	return b.String() + text
}

func (m *maker) or(a, b string) string {
	if m.choices.below(4) == 3 {
		return b
	}
	return a
}

// piece makes a piece of kind: it draws a construct by weight, then a way.
func (m *maker) piece(kind string) string {
	m.parts++
	c := m.construct(kind)
	m.loose = m.loose || c.loose
	m.writers = m.writers || c.writers
	m.path = append(m.path, c.kind+"/"+c.name)
	number := m.choices.below(len(c.ways))
	w := c.ways[number]
	m.ways = append(m.ways, fmt.Sprintf("%s/%s %d", c.kind, c.name, number))
	m.depth++
	defer func() { m.depth-- }()
	var b strings.Builder
	for _, p := range w {
		if p.hole {
			text := m.fill(p.text)
			m.loose = m.loose || len(w) > 1 && (p.text == "cmd" || p.text == "stmt") && breaks(text)
			b.WriteString(text)
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// breaks reports whether text, as a part of a larger statement, may fall apart
// and leave an assignment to chance: X && v=a; Y $v.
func breaks(text string) bool {
	return strings.ContainsAny(text, ";\n") && assigns.MatchString(text)
}

// assigns finds what changes a variable, the directory or the like.
var assigns = regexp.MustCompile(`=|\b(read|printf -v|mapfile|readarray|cd|pushd|popd|set|shopt|unset|getopts|let)\b|\+\+|\(\)`)

func (m *maker) construct(kind string) construct {
	constructs := m.grammar.kinds[kind]
	if m.only != "" {
		if i := slices.IndexFunc(constructs, func(c construct) bool { return c.name == m.only }); i >= 0 {
			m.only = ""
			return constructs[i]
		}
	}
	if m.depth > maxDepth || m.parts > maxParts {
		return constructs[0]
	}
	total := 0
	for _, c := range constructs {
		total += c.weight
	}
	at := m.choices.below(total)
	for _, c := range constructs {
		if at -= c.weight; at < 0 {
			return c
		}
	}
	return constructs[0]
}

// fill makes the content of a hole.
func (m *maker) fill(hole string) string {
	name, argument, _ := strings.Cut(hole, " ")
	if f, ok := fillers()[name]; ok {
		return f(m, argument)
	}
	return m.piece(hole)
}

// fillers are the holes that are more than a piece of the grammar.
func fillers() map[string]func(*maker, string) string {
	return map[string]func(*maker, string) string{
		// set asks for a setting in front of the statement.
		"set": func(m *maker, name string) string {
			if !slices.Contains(m.settings, name) {
				m.settings = append(m.settings, name)
			}
			return ""
		},
		// loose says that what follows is not fixed by the line.
		"loose": func(m *maker, _ string) string { m.loose = true; return "" },
		"list":  func(m *maker, _ string) string { return m.list() },
		// list; is a list with its end: what may stand before } or done.
		"list;": func(m *maker, _ string) string {
			text := m.list()
			if strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "&") {
				return text + " "
			}
			return text + m.or("; ", "\n")
		},
		"args": func(m *maker, _ string) string { return m.args() },
		// sq, dqq, ansi and esc quote what a piece makes.
		"sq":   func(m *maker, of string) string { return quoteSingle(m.fill(of)) },
		"dqq":  func(m *maker, of string) string { return quoteDouble(m.fill(of)) },
		"ansi": func(m *maker, of string) string { return quoteAnsi(m.fill(of)) },
		"esc":  func(m *maker, of string) string { return quoteEscapes(m.fill(of)) },
		// b64, hex and rev encode it for the program that decodes it.
		"b64": func(m *maker, of string) string { return base64.StdEncoding.EncodeToString([]byte(m.fill(of) + "\n")) },
		"hex": func(m *maker, of string) string { return hex.EncodeToString([]byte(m.fill(of) + "\n")) },
		"rev": func(m *maker, of string) string { return reverse(strings.ReplaceAll(m.fill(of), "\n", ";")) },
		// back is a piece as it is written inside backticks.
		"back": func(m *maker, of string) string {
			return strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(m.fill(of))
		},
	}
}

// list is one to three statements, with the settings they ask for.
func (m *maker) list() string {
	m.depth++
	defer func() { m.depth-- }()
	outer := m.settings
	m.settings = nil
	defer func() { m.settings = outer }()
	n := 1
	if m.depth <= 3 && m.parts < maxParts {
		n += max(0, m.choices.below(6)-3)
	}
	var b strings.Builder
	conditional := false
	for i := range n {
		text := m.inFront(m.piece("stmt"))
		m.loose = m.loose || conditional && breaks(text)
		conditional = false
		b.WriteString(text)
		if i == n-1 {
			break
		}
		switch {
		case strings.HasSuffix(text, "\n"): // a here-document or a comment has ended it
		case strings.HasSuffix(text, "&"):
			b.WriteString(m.or(" ", "\n"))
		default:
			sep := m.piece("sep")
			conditional = strings.Contains(sep, "&") || strings.Contains(sep, "|")
			b.WriteString(sep)
		}
	}
	return b.String()
}

func (m *maker) args() string {
	var b strings.Builder
	for range m.choices.below(4) {
		b.WriteString(m.piece("blank") + m.piece("word"))
	}
	return b.String()
}

// mutate changes a few characters of line: what it does then is for bash to say.
func (m *maker) mutate(line string) string {
	m.loose = true
	m.path = append(m.path, "noise")
	noise := []string{
		"\\", "\n", " ", "\\\n", "'", "\"", "`", "$", "(", ")", "{", "}", "#", ";", "&", "|", "<", ">", "!", "[", "]", "=", "\t",
		"\r", "\f", "\v", "*", "~", "$(", "${", "<(", "<<", "$'", "$\"", "((", "))", "]]", "[[", ";;", "&&", "||", "\u00a0", "\x01", "-", ":", "X", "1", "time ", "coproc ", "EOF\n",
	}
	runes := []rune(line)
	for range 1 + m.choices.below(3) {
		at := m.choices.below(len(runes) + 1)
		switch m.choices.below(4) {
		case 0, 1:
			insert := []rune(noise[m.choices.below(len(noise))])
			runes = slices.Concat(runes[:at], insert, runes[at:])
		case 2:
			end := min(len(runes), at+1+m.choices.below(3))
			runes = slices.Concat(runes[:at], runes[end:])
		case 3:
			end := min(len(runes), at+1+m.choices.below(6))
			to := m.choices.below(len(runes) + 1)
			runes = slices.Concat(runes[:to], runes[at:end], runes[to:])
		}
	}
	return string(runes)
}

func quoteSingle(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteDouble(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}

func quoteAnsi(s string) string {
	return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`).Replace(s) + "'"
}

func quoteEscapes(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' {
			b.WriteString("$'\\n'")
			continue
		}
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func reverse(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}
