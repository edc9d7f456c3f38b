package main

import "testing"

// What a command holds cannot move the cursor of the person who lists it, nor
// look like another record.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"ls src 🙂":                "ls src 🙂",
		"ls\n    2  a":            `ls\n    2  a`,
		"ls\x1b[2J\rok":           `ls\x1b[2J\rok`,
		"a\u202eb":                `a\u202eb`,
		`printf '\x1b' "q" 'it''`: `printf '\x1b' "q" 'it''`,
	} {
		if got := printable(text); got != want {
			t.Errorf("printable(%q) is %q, want %q", text, got, want)
		}
	}
}
