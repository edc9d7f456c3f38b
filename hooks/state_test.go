package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-guard/pi-guard/profiles"
)

func TestStateRoundTrip(t *testing.T) {
	f := stateOf(t.TempDir(), "s1")
	want := state{
		Version: stateVersion, Session: "s1", Mode: "build", Approval: "auto", PermissionProfile: "read-only",
		Grants: profiles.Grants{{Kind: profiles.GrantName, Scope: profiles.ScopeSession, Surface: profiles.SurfaceBash, Target: "git"}},
		Blocks: []string{"/x"}, Denied: map[string]int{"a": 2},
	}
	if err := f.save(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.load("s1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	for path, want := range map[string]os.FileMode{f.path: 0o600, filepath.Dir(f.path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v (%v), want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

// TestStateUnreadable: what cannot be read grants nothing, says why, and is
// not destroyed.
func TestStateUnreadable(t *testing.T) {
	tests := map[string]string{
		"not JSON":        `{"version":`,
		"other version":   `{"version":99,"session":"s1","grants":[{"kind":"tool","surface":"write"}]}`,
		"another session": `{"version":1,"session":"s2","grants":[{"kind":"tool","surface":"write"}]}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.write("~/data/sessions/s1.json", text)
			started := d.begin()
			if len(started.Notices) == 0 || !strings.Contains(started.Notices[0].Text, "s1.json") {
				t.Errorf("notices %v do not name the file", started.Notices)
			}
			if v := d.call("write", path("a.txt")); !v.Block || len(d.person.shown) != 1 {
				t.Errorf("block %v, %d prompts: the file granted something", v.Block, len(d.person.shown))
			}
			kept, err := os.ReadFile(filepath.Join(d.home, "data/sessions/s1.json.unreadable"))
			if err != nil || string(kept) != text {
				t.Errorf("the unreadable file was not kept: %v", err)
			}
		})
	}
}

// TestStateUnwritable: an answer that cannot be kept holds for now, and the
// person is told.
func TestStateUnwritable(t *testing.T) {
	d := newDesk(t, "Allow for session")
	d.write("~/data", "a file where the directory should be")
	if v := d.call("write", path("a.txt")); v.Block {
		t.Fatal(v.Reason)
	}
	if v := d.call("write", path("b.txt")); v.Block || len(d.person.shown) != 1 {
		t.Errorf("block %v, %d prompts", v.Block, len(d.person.shown))
	}
	if len(d.person.told) == 0 || !strings.Contains(d.person.told[0].Text, "holds until pi ends") {
		t.Errorf("the person is told %v", d.person.told)
	}
}

func TestFileName(t *testing.T) {
	for id, want := range map[string]string{
		"0199-abc":     "0199-abc",
		"../../etc/x":  "id-",
		"a/b":          "id-",
		"":             "id-",
		".hidden":      "id-",
		"a\x00b":       "id-",
		"Ünïcode":      "id-",
		"a.json":       "a.json",
		"0199_ABC-def": "0199_ABC-def",
	} {
		if got := fileName(id); !strings.HasPrefix(got, want) || strings.ContainsAny(got, "/\x00") {
			t.Errorf("fileName(%q) = %q, want it to begin with %q", id, got, want)
		}
	}
}
