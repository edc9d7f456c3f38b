package ledger

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fill expands {a20} to twenty letters a, so that no example in the table is a
// real token's text.
func fill(s string) string {
	re := regexp.MustCompile(`\{([a-zA-Z])(\d+)\}`)
	return re.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.Atoi(m[2 : len(m)-1])
		letter := m[1:2]
		if letter == "d" {
			letter = "7"
		}
		return strings.Repeat(letter, n)
	})
}

// TestH9RedactExamples runs the examples of every row: what must be redacted,
// and how it then reads, and what must be kept.
func TestH9RedactExamples(t *testing.T) {
	for _, row := range loadRedactTable().Rows {
		t.Run(row.ID, func(t *testing.T) {
			if row.Reason == "" || len(row.Match) == 0 || len(row.Keep) == 0 || len(row.secrets) == 0 {
				t.Error("the row lacks a reason, examples or a group named secret")
			}
			for _, ex := range row.Match {
				in, want := fill(ex[0]), fill(ex[1])
				if got, found := Redact(in); got != want || !found {
					t.Errorf("Redact(%q) = %q, %v; want %q", in, got, found, want)
				}
			}
			for _, keep := range row.Keep {
				in := fill(keep)
				if got, found := Redact(in); got != in || found {
					t.Errorf("Redact(%q) = %q, %v; want it kept", in, got, found)
				}
			}
		})
	}
}

// TestH9RedactTwice shows that redacted text has no secret left.
func TestH9RedactTwice(t *testing.T) {
	for _, row := range loadRedactTable().Rows {
		for _, ex := range row.Match {
			once, _ := Redact(fill(ex[0]))
			if twice, found := Redact(once); twice != once || found {
				t.Errorf("Redact(%q) = %q, %v; want it unchanged", once, twice, found)
			}
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, row := range loadRedactTable().Rows {
		for _, ex := range row.Match {
			f.Add(fill(ex[0]))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, found := Redact(text)
		if !found && got != text {
			t.Errorf("nothing found, yet %q became %q", text, got)
		}
		if found && !strings.Contains(got, "[REDACTED_SECRET]") {
			t.Errorf("found in %q, but no marker in %q", text, got)
		}
	})
}
