package bashast

import "testing"

func TestExtension(t *testing.T) {
	for text, want := range map[string]string{
		"rm -rf x":                   "",
		"echo ${x:-y} $((1+2))":      "",
		"awk '{print $1, $2}' f":     "",
		"f() { echo a, b; }":         "",
		"X {a,b}":                    "{a,b}",
		"X {1..3}":                   "{1..3}",
		"X $'a'":                     "$'",
		"X &> o":                     "&>",
		"[[ -f x ]]":                 "[[",
		"((x))":                      "((",
		"test x=~":                   "=~",
		"docker ps --format {{.ID}}": "",
	} {
		if got := extension(text); got != want {
			t.Errorf("extension(%q) = %q, wanted %q", text, got, want)
		}
	}
}

// TestShIsNotBash holds that what sh may read otherwise than bash is not
// taken for known.
func TestShIsNotBash(t *testing.T) {
	for line, unresolved := range map[string]bool{
		"sh -c 'X {1..3}'":      true,
		"sh -c 'X a'":           false,
		"bash -c 'X {1..3}'":    false,
		"dash -c \"X \\$'a'\"":  true,
		"echo 'X {a,b}' | sh":   true,
		"echo 'X {a,b}' | bash": false,
	} {
		p := Analyze(line, Env{Dir: "/proj", Project: "/proj", Home: "/home/u"})
		if p.Unresolved() != unresolved {
			t.Errorf("%q: unresolved is %v", line, p.Unresolved())
		}
	}
}
