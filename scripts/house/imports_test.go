package house

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is the prefix of every import path of ours.
const module = "github.com/pi-guard/pi-guard/"

// rule is a row of ARCHITECTURE.md's table of rooms.
type rule struct {
	room string
	all  bool
	may  []string
}

// roomRow matches a row of the table: the room in backticks, what it is, and
// which rooms it may import: names in backticks, or the word all.
var (
	roomRow  = regexp.MustCompile("(?m)^\\|\\s*`([a-z/-]+?)/?`\\s*\\|[^|]*\\|([^|]*)\\|\\s*$")
	roomName = regexp.MustCompile("`([a-z/-]+?)/?`")
)

func parseRules(text string) []rule {
	var rules []rule
	for _, row := range roomRow.FindAllStringSubmatch(text, -1) {
		r := rule{room: row[1], all: strings.TrimSpace(row[2]) == "all"}
		for _, name := range roomName.FindAllStringSubmatch(row[2], -1) {
			r.may = append(r.may, name[1])
		}
		rules = append(rules, r)
	}
	return rules
}

// roomOf is the room that a directory lies in: the longest that is a prefix.
func roomOf(rules []rule, dir string) (rule, bool) {
	best, found := rule{}, false
	for _, r := range rules {
		if (dir == r.room || strings.HasPrefix(dir, r.room+"/")) && len(r.room) >= len(best.room) {
			best, found = r, true
		}
	}
	return best, found
}

func (r rule) allows(other string) bool {
	return r.all || other == r.room || slices.Contains(r.may, other)
}

// Which room may import which is written in ARCHITECTURE.md, and this holds
// the code to it. Tests may import what they need.
func TestImportsFollowArchitecture(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "ARCHITECTURE.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("ARCHITECTURE.md is not written yet")
	}
	if err != nil {
		t.Fatal(err)
	}
	rules := parseRules(string(text))
	if len(rules) < 6 {
		t.Fatalf("ARCHITECTURE.md has a table of %d rooms: its rows must be | `room/` | sentence | imports |", len(rules))
	}
	list := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	list.Dir = root(t)
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room, ok := roomOf(rules, strings.TrimPrefix(p.ImportPath, module))
		if !ok {
			t.Errorf("%s lies in no room of ARCHITECTURE.md", p.ImportPath)
			continue
		}
		seen[room.room] = true
		for _, imported := range p.Imports {
			dir, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			if other, ok := roomOf(rules, dir); ok && !room.allows(other.room) {
				t.Errorf("%s imports %s: ARCHITECTURE.md does not let %s import %s", p.ImportPath, imported, room.room, other.room)
			}
		}
	}
	for _, r := range rules {
		if !seen[r.room] && !hasOther(t, r.room) {
			t.Errorf("ARCHITECTURE.md names the room %s, which is not there", r.room)
		}
	}
}

// hasOther reports whether a room that holds no Go is there.
func hasOther(t *testing.T, room string) bool {
	_, err := os.Stat(filepath.Join(root(t), room))
	return err == nil
}

func TestParseRules(t *testing.T) {
	rules := parseRules(strings.Join([]string{
		"| room | what | may import |",
		"|---|---|---|",
		"| `cmd/pi-guard/` | the command line | all |",
		"| `cmd/pi-guard/extension/` | the shim | – |",
		"| `profiles/` | policy | `paths`, `bashast` |",
	}, "\n"))
	profiles, ok := roomOf(rules, "profiles/data")
	if !ok || !profiles.allows("paths") || profiles.allows("hooks") || !profiles.allows("profiles") {
		t.Errorf("profiles: %+v, %v", profiles, ok)
	}
	if shim, _ := roomOf(rules, "cmd/pi-guard/extension"); shim.room != "cmd/pi-guard/extension" || shim.allows("paths") {
		t.Errorf("shim: %+v", shim)
	}
	if cmd, _ := roomOf(rules, "cmd/pi-guard/scripted"); cmd.room != "cmd/pi-guard" || !cmd.allows("hooks") {
		t.Errorf("cmd: %+v", cmd)
	}
	if _, ok := roomOf(rules, "profilesx"); ok {
		t.Error("profilesx is in a room")
	}
}
