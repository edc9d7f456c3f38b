package pis

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// stubNPM installs nothing but the files that a release needs, and leaves a
// mark in a file named log.
const stubNPM = `#!/bin/sh
echo "$@" >> "$STUB/log"
while [ "$1" != --prefix ]; do shift; done
for file in node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js; do
	mkdir -p "$2/${file%/*}"
	echo "$file" > "$2/$file"
done
case "$*" in *node@22*)
	mkdir -p "$2/node_modules/.bin"
	printf '#!/bin/sh\necho v22.20.1\n' > "$2/node_modules/.bin/node"
	chmod +x "$2/node_modules/.bin/node" ;;
esac
[ ! -e "$STUB/fail" ]
`

// stub puts an npm and a node of the given version first on PATH.
func stub(t *testing.T, node string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("npm", stubNPM)
	write("node", "#!/bin/sh\necho "+node+"\n")
	t.Setenv("STUB", dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("PI_GUARD_CACHE", filepath.Join(dir, "cache"))
	return dir
}

func quiet(string) {}

func TestGetInstallsOnce(t *testing.T) {
	dir := stub(t, "v22.19.0")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			install, err := Releases()[0].Get(t.Context(), quiet)
			if err != nil {
				t.Error(err)
				return
			}
			if install.Node != "node" {
				t.Errorf("took the Node %s although that on PATH is new enough", install.Node)
			}
		})
	}
	wg.Wait()
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), "\n"); n != 1 {
		t.Errorf("npm ran %d times:\n%s", n, log)
	}
	if strings.Contains(string(log), "node@") {
		t.Errorf("npm was asked for a Node: %s", log)
	}
}

func TestGetTakesANodeWhenTheMachinesIsOld(t *testing.T) {
	stub(t, "v20.20.2")
	install, err := Releases()[0].Get(t.Context(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	launcher, err := os.ReadFile(install.Pi)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join("node_modules", ".bin", "node"); !strings.HasSuffix(install.Node, want) || !strings.Contains(string(launcher), install.Node) {
		t.Errorf("Node %s, launcher %s", install.Node, launcher)
	}
}

func TestGetLeavesNothingHalf(t *testing.T) {
	dir := stub(t, "v22.19.0")
	if err := os.WriteFile(filepath.Join(dir, "fail"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Releases()[0].Get(t.Context(), quiet); err == nil || !strings.Contains(err.Error(), "npm registry") {
		t.Errorf("a failing npm gave %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "cache", "pi-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		if !strings.HasSuffix(file, ".lock") {
			t.Errorf("left behind: %s", file)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for _, test := range []struct {
		text string
		want [2]int
		ok   bool
	}{
		{"v22.19.0\n", [2]int{22, 19}, true},
		{"v20.6.1", [2]int{20, 6}, true},
		{"", [2]int{}, false},
		{"v22", [2]int{}, false},
		{"vx.1.2", [2]int{}, false},
	} {
		if got, ok := parseVersion(test.text); ok != test.ok || ok && got != test.want {
			t.Errorf("parseVersion(%q) = %v, %v", test.text, got, ok)
		}
	}
}

func TestByVersion(t *testing.T) {
	if r, err := ByVersion("0.73.1"); err != nil || r.Package != "@mariozechner/pi-coding-agent" {
		t.Errorf("ByVersion(0.73.1) = %+v, %v", r, err)
	}
	if _, err := ByVersion("2.0.0"); err == nil || !strings.Contains(err.Error(), "1.6.0, 0.73.1") {
		t.Errorf("ByVersion(2.0.0) = %v", err)
	}
}
