package bashast

import (
	"path"
	"strings"
)

// isPosixShell reports whether a shell's name promises no more than POSIX:
// sh is dash on Debian, bash on others, ash in small images.
func isPosixShell(name string) bool {
	switch path.Base(name) {
	case "sh", "dash", "ash":
		return true
	}
	return false
}

// posixScript reports whether the first line of a script names such a shell.
func posixScript(text string) bool {
	words := shebangWords([]byte(text))
	return len(words) > 0 && isPosixShell(interpreterName(words))
}

// extension is the first construct of text that bash reads and a POSIX shell
// reads as something else, "" for none (POSIX 2.2, 2.6, 2.9).
func extension(text string) string {
	for _, mark := range [...]string{"$'", `$"`, "&>", "|&", "[[", "((", "function ", "=~", " ~+", " ~-"} {
		if i := strings.Index(text, mark); i >= 0 && (mark != "((" || i == 0 || text[i-1] != '$') {
			return mark
		}
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '{' || i > 0 && text[i-1] == '$' {
			continue
		}
		end := strings.IndexAny(text[i:], " \t\n;}")
		if end > 0 && text[i+end] == '}' && (strings.Contains(text[i:i+end], ",") || strings.Contains(text[i:i+end], "..")) {
			return text[i : i+end+1]
		}
	}
	return ""
}
