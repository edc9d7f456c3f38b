package paths

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxLen bounds a path, in bytes: PATH_MAX of Linux.
const maxLen = 4096

// Read turns a path as a model writes it into the absolute, clean path that
// pi's own tools would open (spec row F1): spaces of Unicode become plain
// ones, one leading @ goes, ~ and ~/ mean home, a file URL is decoded, and a
// relative path is read against cwd. No symlink is followed and no percent
// sign outside a URL is decoded, since pi does neither; Resolver.Resolve adds
// those readings. Text that no tool could open is an error: empty, longer than
// 4096 bytes, not UTF-8, with a NUL, or a URL of another host.
func Read(raw, cwd, home string) (lexical string, err error) {
	abs, err := readUnclean(raw, cwd, home)
	if err != nil {
		return "", err
	}
	return filepath.Clean(abs), nil
}

// readUnclean is Read without the cleaning, which the kernel does differently
// from path.Clean where ".." follows a symlink.
func readUnclean(raw, cwd, home string) (string, error) {
	switch {
	case raw == "":
		return "", errors.New("the path is empty")
	case len(raw) > maxLen:
		return "", fmt.Errorf("the path is %d bytes long, more than %d", len(raw), maxLen)
	case !utf8.ValidString(raw):
		return "", errors.New("the path is not valid UTF-8")
	case strings.IndexByte(raw, 0) >= 0:
		return "", errors.New("the path holds a NUL byte")
	}
	text := strings.TrimPrefix(plainSpaces(raw), "@")
	switch {
	case text == "~":
		return home, nil
	case strings.HasPrefix(text, "~/"):
		return home + "/" + text[2:], nil
	case hasURLScheme(text):
		return fromFileURL(text)
	case strings.HasPrefix(text, "/"):
		return text, nil
	}
	return cwd + "/" + text, nil
}

// hasURLScheme reports whether text begins with file://, in any case.
func hasURLScheme(text string) bool {
	return len(text) >= 7 && strings.EqualFold(text[:7], "file://")
}

// fromFileURL is the path of a file URL, percent-decoded once.
func fromFileURL(text string) (string, error) {
	host, path, found := strings.Cut(text[7:], "/")
	if host != "" && !strings.EqualFold(host, "localhost") {
		return "", fmt.Errorf("the file URL names the host %q", host)
	}
	if !found {
		return "/", nil
	}
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	decoded, err := url.PathUnescape("/" + path)
	if err != nil {
		return "", fmt.Errorf("decode the file URL: %w", err)
	}
	if strings.IndexByte(decoded, 0) >= 0 {
		return "", errors.New("the file URL holds a NUL byte")
	}
	return decoded, nil
}

// plainSpaces replaces the Unicode spaces that pi replaces.
func plainSpaces(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xA0, r >= 0x2000 && r <= 0x200A, r == 0x202F, r == 0x205F, r == 0x3000:
			return ' '
		}
		return r
	}, text)
}

// Within reports whether path is root or lies below it. Both are absolute and
// clean.
func Within(root, path string) bool {
	if root == "" || !strings.HasPrefix(path, root) {
		return false
	}
	return len(path) == len(root) || root == "/" || path[len(root)] == '/'
}

// WithinFold is Within without regard to case, for what must hold on file
// systems that fold it too.
func WithinFold(root, path string) bool {
	if root == "" || len(path) < len(root) || !strings.EqualFold(path[:len(root)], root) {
		return false
	}
	return len(path) == len(root) || root == "/" || path[len(root)] == '/'
}

// rel is path relative to root, "." for root itself, "" when it is not within.
func rel(root, path string) string {
	switch {
	case !Within(root, path):
		return ""
	case len(path) == len(root):
		return "."
	case root == "/":
		return path[1:]
	}
	return path[len(root)+1:]
}
