package bashast

import (
	"slices"
	"testing"
)

// TestIntoDirectory holds that a name in a destination directory is a write.
func TestIntoDirectory(t *testing.T) {
	for line, want := range map[string]string{
		"cp evil.json .pi/":      "/proj/.pi/evil.json",
		"cp -tdocs b.txt":        "/proj/docs/b.txt",
		"mv a.txt b.txt src":     "/proj/src/b.txt",
		"ln -s /etc/hosts links": "/proj/links/hosts",
		"cp -r lib /srv/x":       "/srv/x/lib",
		"cp a/b.txt \"$HOME\"":   "/home/u/b.txt",
	} {
		p := Analyze(line, Env{Dir: "/proj", Project: "/proj", Home: "/home/u"})
		hit := slices.ContainsFunc(p.Commands[0].Effects, func(e Effect) bool { return e.Kind == Write && e.Target.MayBe(want) })
		if !hit {
			t.Errorf("%q does not list a write of %s: %v", line, want, p.Commands[0].Effects)
		}
	}
}
