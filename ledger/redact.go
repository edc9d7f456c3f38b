package ledger

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
)

//go:embed redact.json
var redactJSON []byte

// redactTable is the embedded table of what a secret looks like.
type redactTable struct {
	Marker       string `json:"marker"`
	Placeholders struct {
		Pattern string `json:"pattern"`
	} `json:"placeholders"`
	Names struct {
		Suffixes []string `json:"suffixes"`
		Whole    []string `json:"whole"`
		// Outright names need a shorter value after a bare colon.
		Outright []string `json:"outright"`
	} `json:"names"`
	Rows []redactRow `json:"rows"`

	placeholder *regexp.Regexp
}

// redactRow is one kind of secret. A row either looks for its pattern in the
// lines that hold one of Needs, or, with At, behind each name that says that
// it holds a secret and is followed by the separator At.
type redactRow struct {
	ID      string   `json:"id"`
	Reason  string   `json:"reason"`
	At      string   `json:"at"`
	Needs   []string `json:"needs"` // lower case
	Pattern string   `json:"pattern"`
	// Check says how a value is looked at: "" always a secret, "value"
	// unless it is a placeholder, "mixed" when it also has a digit or a
	// capital, "named" when the name before it says so.
	Check string      `json:"check"`
	Match [][2]string `json:"match"`
	Keep  []string    `json:"keep"`

	re      *regexp.Regexp
	secrets []int // indexes of the groups that hold the secret
}

var loadRedactTable = sync.OnceValue(func() *redactTable {
	var t redactTable
	if err := json.Unmarshal(redactJSON, &t); err != nil {
		panic(fmt.Sprintf("redact.json: %v", err)) // embedded: tests read it
	}
	t.placeholder = regexp.MustCompile(t.Placeholders.Pattern)
	for i := range t.Rows {
		row := &t.Rows[i]
		row.re = regexp.MustCompile(row.Pattern)
		for g, name := range row.re.SubexpNames() {
			if strings.HasPrefix(name, "secret") {
				row.secrets = append(row.secrets, g)
			}
		}
	}
	return &t
})

// Redact replaces every secret in text by [REDACTED_SECRET] and reports
// whether there was one (H9, E15). What only stands for a secret, such as
// $TOKEN or <your key>, is kept. It is linear in the length of text.
func Redact(text string) (redacted string, found bool) {
	t := loadRedactTable()
	r := redaction{table: t, text: text, lower: lowerASCII(text)}
	for i := range t.Rows {
		if row := &t.Rows[i]; row.At == "" {
			r.lines(row)
		}
	}
	r.names()
	return r.apply()
}

// redaction is one text and the secrets found in it so far.
type redaction struct {
	table       *redactTable
	text, lower string // of equal length
	spans       [][2]int
}

// apply puts the marker in the place of the spans.
func (r *redaction) apply() (string, bool) {
	if len(r.spans) == 0 {
		return r.text, false
	}
	sort.Slice(r.spans, func(i, j int) bool { return r.spans[i][0] < r.spans[j][0] })
	var out strings.Builder
	end := 0
	for _, s := range r.spans {
		if s[0] >= end {
			out.WriteString(r.text[end:s[0]])
			out.WriteString(r.table.Marker)
		}
		end = max(end, s[1])
	}
	out.WriteString(r.text[end:])
	return out.String(), true
}

// lines looks for a row in the lines that hold one of its texts.
func (r *redaction) lines(row *redactRow) {
	next := make([]int, len(row.Needs))
	for i, need := range row.Needs {
		next[i] = strings.Index(r.lower, need)
	}
	for {
		at := -1
		for _, n := range next {
			if n >= 0 && (at < 0 || n < at) {
				at = n
			}
		}
		if at < 0 {
			return
		}
		start := strings.LastIndexByte(r.lower[:at], '\n') + 1
		end := r.search(row, start, lineEnd(r.lower, at))
		for i, need := range row.Needs {
			if next[i] >= 0 && next[i] < end {
				if next[i] = strings.Index(r.lower[end:], need); next[i] >= 0 {
					next[i] += end
				}
			}
		}
	}
}

func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// search looks for a row between start and end, which a match that began there
// may pass, and returns where it stopped.
func (r *redaction) search(row *redactRow, start, end int) int {
	for pos := start; pos < end; {
		window := r.text[pos:end]
		if strings.Contains(row.Pattern, `\s\S`) { // a secret of several lines
			window = r.text[pos:]
		}
		m := row.re.FindStringSubmatchIndex(window)
		if m == nil {
			return end
		}
		kept := r.take(row, "", pos, m)
		next := pos + m[1]
		if kept >= 0 {
			next = kept // the value may hold the beginning of another match
		}
		pos = max(next, pos+1)
		end = max(end, pos)
	}
	return end
}

// take adds the secrets of a match whose indexes count from pos. It returns
// the start of a value that is no secret, or -1.
func (r *redaction) take(row *redactRow, name string, pos int, m []int) int {
	kept := -1
	for _, g := range row.secrets {
		if m[2*g] < 0 || m[2*g] == m[2*g+1] {
			continue
		}
		start, end := pos+m[2*g], pos+m[2*g+1]
		if r.isSecret(row, name, start, end) {
			r.spans = append(r.spans, [2]int{start, end})
		} else {
			kept = start
		}
	}
	return kept
}

// names looks at every name that is followed by a separator.
func (r *redaction) names() {
	for i := range r.table.Rows {
		row := &r.table.Rows[i]
		if row.At == "" {
			continue
		}
		for pos := 0; ; {
			n := strings.Index(r.text[pos:], row.At)
			if n < 0 {
				break
			}
			pos += n
			if name, from := r.nameBefore(row.At, pos); name != "" {
				if m := row.re.FindStringSubmatchIndex(r.text[from:lineEnd(r.text, pos)]); m != nil {
					r.take(row, name, from, m)
				}
			}
			pos += len(row.At)
		}
	}
}

// nameBefore is the name of a secret that ends before the separator at pos,
// and where the row's pattern begins to be matched.
func (r *redaction) nameBefore(separator string, pos int) (name string, from int) {
	from = pos
	if separator == "=" && from > 0 && r.text[from-1] == ':' {
		from--
	}
	end := from
	if separator != " " {
		from = len(strings.TrimRight(r.text[:from], " \t"))
		end = len(strings.TrimRight(r.text[:from], "\"'\\]"))
	}
	start := end
	for start > 0 && nameByte(r.text[start-1]) {
		start--
	}
	name = r.lower[start:end]
	if separator == " " {
		var ok bool
		if name, ok = strings.CutPrefix(name, "--"); !ok {
			return "", 0
		}
	}
	if !r.table.names(name) {
		return "", 0
	}
	return name, from
}

func nameByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// names reports whether a lower-case name says that it holds a secret.
func (t *redactTable) names(name string) bool {
	if name == "" {
		return false
	}
	if slices.Contains(t.Names.Whole, name) {
		return true
	}
	bare := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, name)
	return hasSuffix(bare, t.Names.Suffixes) || hasSuffix(strings.TrimSuffix(bare, "s"), t.Names.Suffixes)
}

func hasSuffix(s string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// isSecret looks at the value between start and end.
func (r *redaction) isSecret(row *redactRow, name string, start, end int) bool {
	value := r.text[start:end]
	if value == r.table.Marker {
		return false
	}
	switch {
	case row.Check == "":
		return true
	case r.table.placeholder.MatchString(value):
		return false
	case row.Check == "mixed":
		return strings.ContainsAny(value, "0123456789") || strings.ToLower(value) != value
	case row.Check != "named":
		return true
	}
	quoted := start > 0 && strings.IndexByte(`'"`, r.text[start-1]) >= 0
	if row.At == ":" && !quoted && len(value) < r.table.bareColonLength(name) {
		return false
	}
	return holdsSecret(name, value)
}

// bareColonLength is how long a value after a bare colon must be: 8 for names
// that are outright secrets, 12 for others.
func (t *redactTable) bareColonLength(name string) int {
	if hasSuffix(strings.TrimSuffix(name, "s"), t.Names.Outright) {
		return 8
	}
	return 12
}

// holdsSecret sorts out names and values that only look the part: the shell's
// working directory, counts of tokens, comparisons, paths of key files.
func holdsSecret(name, value string) bool {
	path := strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../")
	switch {
	case strings.HasPrefix(value, "="), strings.HasPrefix(name, "no-"):
		return false
	case name == "pwd" || name == "oldpwd" || hasSuffix(strings.TrimSuffix(name, "s"), []string{"key", "credential"}):
		return !path
	case strings.HasSuffix(name, "tokens"):
		return strings.Trim(value, "0123456789.,_kKmM") != ""
	}
	return true
}

// lowerASCII lowers A to Z only, so that the length stays the same.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
