package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// world is a directory on disk with a project, a home and things outside.
type world struct {
	dir string
	r   *Resolver
}

// newWorld makes files (names that end with a slash are directories) and
// symlinks (name to target, both below the world; a target is used as written
// where it begins with a dot).
func newWorld(t *testing.T, files []string, links map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append([]string{"proj/", "home/", "out/", "scratch/", "tmp/"}, files...) {
		full := filepath.Join(dir, f)
		if strings.HasSuffix(f, "/") {
			err = os.MkdirAll(full, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(full), 0o700); err == nil {
			err = os.WriteFile(full, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range links {
		if !strings.HasPrefix(target, ".") {
			target = filepath.Join(dir, target)
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{dir: dir}
	w.r = NewResolver(Roots{
		Project: dir + "/proj", Scratch: dir + "/scratch", Writable: []string{dir + "/tmp"},
		Inside: []string{"~/docs"}, Home: dir + "/home",
	}, nil)
	return w
}

func (w *world) resolve(raw string) Resolved {
	return w.r.Resolve(strings.ReplaceAll(raw, "$", w.dir), w.dir+"/proj")
}

func TestResolveRoots(t *testing.T) {
	w := newWorld(t, []string{"proj/src/a.go", "home/docs/x", "out/secret"}, map[string]string{
		"proj/inner":    "./src",
		"proj/leak":     "out",
		"proj/dangling": "out/new",
		"proj/loop":     "./loop",
		"out/back":      "proj/src",
		"scratch/leak":  "proj",
		"proj/up":       "../proj",
	})
	tests := []struct {
		name, raw string
		root      Root
		canonical string
	}{
		{"inside", "src/a.go", Workspace, "$/proj/src/a.go"},
		{"the project itself", ".", Workspace, "$/proj"},
		{"new file", "src/new/deep.go", Workspace, "$/proj/src/new/deep.go"},
		{"link inside", "inner/a.go", Workspace, "$/proj/src/a.go"},
		{"link out", "leak/secret", External, "$/out/secret"},
		{"new file behind a link out", "leak/new/file", External, "$/out/new/file"},
		{"write through a dangling link", "dangling", External, "$/out/new"},
		{"link loop", "loop/x", Workspace, "$/proj/loop/x"},
		{"outside and back in is outside by name", "$/out/back/a.go", External, "$/proj/src/a.go"},
		{"climbs out", "../out/secret", External, "$/out/secret"},
		{"link to itself and up", "up/src/a.go", Workspace, "$/proj/src/a.go"},
		{"kernel reads dots after a link", "leak/../home/x", External, "$/home/x"},
		{"scratch", "$/scratch/t", Scratch, "$/scratch/t"},
		{"link from scratch", "$/scratch/leak/src/a.go", Scratch, "$/proj/src/a.go"},
		{"writable", "$/tmp/t", Writable, "$/tmp/t"},
		{"inside for reading", "~/docs/x", Inside, "$/home/docs/x"},
		{"home", "~/x", External, "$/home/x"},
		{"prefix of the project", "$/projx", External, "$/projx"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := w.resolve(tt.raw)
			if want := strings.ReplaceAll(tt.canonical, "$", w.dir); got.Root != tt.root || got.Canonical != want {
				t.Errorf("Resolve(%q) = %s %s; want %s %s", tt.raw, got.Root, got.Canonical, tt.root, want)
			}
		})
	}
}

func TestResolveKeepsOtherReadings(t *testing.T) {
	w := newWorld(t, []string{"proj/.env", "proj/sub/x", "proj/it\u2019s", "out/o"}, map[string]string{"proj/leak": "out"})
	tests := []struct{ name, raw, also string }{
		{"percent", "%2eenv", "$/proj/.env"},
		{"percent slash", "sub%2Fx", "$/proj/sub/x"},
		{"decoded once only", "%252eenv", "$/proj/%2eenv"},
		{"percent climbs", "%2e%2e/out/o", "$/out/o"},
		{"dots taken as text", "leak/../.env", "$/proj/.env"},
		{"curly quote", "it's", "$/proj/it\u2019s"},
		{"URL taken for a name", "file:///sub", "$/proj/file:/sub"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := w.resolve(tt.raw)
			want := strings.ReplaceAll(tt.also, "$", w.dir)
			if !slices.Contains(append(got.Also, got.Lexical), want) {
				t.Errorf("Resolve(%q): %s and %q lack %q", tt.raw, got.Lexical, got.Also, want)
			}
		})
	}
	if got := w.resolve("sub/x"); len(got.Also) != 0 {
		t.Errorf("an ordinary path has other readings: %q", got.Also)
	}
	if got := w.resolve("%2e%2e/out/o"); got.Root != External {
		t.Errorf("the least trusted reading decides; got %s", got.Root)
	}
}

func TestResolveProblem(t *testing.T) {
	w := newWorld(t, nil, nil)
	if got := w.resolve("a\x00"); got.Problem == "" || got.Lexical != "" {
		t.Errorf("a NUL is a problem; got %+v", got)
	}
}

func TestResolveExactTakesTextAsItStands(t *testing.T) {
	w := newWorld(t, nil, nil)
	for raw, want := range map[string]string{
		"@x": "/proj/@x", "~/x": "/proj/~/x", "file:///x": "/proj/file:/x", "%2e": "/proj/%2e", "a\u00a0b": "/proj/a\u00a0b",
	} {
		if got := w.r.ResolveExact(raw, w.dir+"/proj"); got.Lexical != w.dir+want || len(got.Also) != 0 {
			t.Errorf("ResolveExact(%q) = %s %q, want %s", raw, got.Lexical, got.Also, want)
		}
	}
	for _, raw := range []string{"", "a\x00", strings.Repeat("a", 5000)} {
		if got := w.r.ResolveExact(raw, "/"); got.Problem == "" {
			t.Errorf("ResolveExact(%.9q) has no problem", raw)
		}
	}
}

func TestProcSelfIsPisNotTheGuards(t *testing.T) {
	r := NewResolver(Roots{Project: "/proj", Home: "/home/u"}, memory{
		link: map[string]string{"/proc/self/cwd": "/guard", "/proc/12/cwd": "/guard"},
		dirs: []string{"/proc", "/proc/self", "/proc/12", "/proj"},
	})
	for _, raw := range []string{"/proc/self/cwd/.pi/x", "/proc/12/cwd/.pi/x"} {
		if got := r.Resolve(raw, "/proj"); got.Canonical != "/proj/.pi/x" {
			t.Errorf("Resolve(%q) = %s", raw, got.Canonical)
		}
	}
}

func TestCaseOfFoldingFileSystem(t *testing.T) {
	files := memory{fold: true, dirs: []string{"/Users", "/Users/Proj", "/Users/Proj/Secrets", "/Users/Proj/Secrets/Key"}}
	r := NewResolver(Roots{Project: "/Users/Proj", Home: "/Users"}, files)
	got := r.Resolve("secrets/KEY", "/Users/Proj")
	if got.Canonical != "/Users/Proj/Secrets/Key" || got.Root != Workspace {
		t.Errorf("got %s in %s, want the spelling on disk", got.Canonical, got.Root)
	}
	if got := r.Resolve("/users/proj/x", "/Users/Proj"); got.Root != Workspace {
		t.Errorf("another case of the project is %s", got.Root)
	}
	files.fold = false
	r = NewResolver(Roots{Project: "/Users/Proj", Home: "/Users"}, files)
	if got := r.Resolve("/users/proj/x", "/Users/Proj"); got.Root != External {
		t.Errorf("where case counts, another case of the project is %s", got.Root)
	}
}

// memory is a file system of directories and symlinks, folding case or not.
type memory struct {
	fold bool
	dirs []string
	link map[string]string
}

func (m memory) Lstat(name string) (fs.FileInfo, error) {
	if _, ok := m.link[name]; ok {
		return info(name, fs.ModeSymlink)
	}
	for _, d := range m.dirs {
		if d == name || m.fold && strings.EqualFold(d, name) {
			return info(name, fs.ModeDir)
		}
	}
	if name == "/" {
		return info(name, fs.ModeDir)
	}
	return nil, fs.ErrNotExist
}

func info(name string, mode fs.FileMode) (fs.FileInfo, error) {
	base := filepath.Base(name)
	return fstest.MapFS{base: {Mode: mode}}.Lstat(base)
}

func (m memory) Readlink(name string) (string, error) {
	if target, ok := m.link[name]; ok {
		return target, nil
	}
	return "", errors.New("no symlink")
}

func (m memory) ReadDir(name string) ([]fs.DirEntry, error) {
	tree := fstest.MapFS{}
	for _, d := range m.dirs {
		if filepath.Dir(d) == name {
			tree[filepath.Base(d)] = &fstest.MapFile{Mode: fs.ModeDir}
		}
	}
	return fs.ReadDir(tree, ".")
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a", "@~/x", "file:///%41", "~", "..//..", "\u00a0@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Read(raw, "/proj", "/home/u")
		if err == nil && (!filepath.IsAbs(got) || filepath.Clean(got) != got) {
			t.Errorf("Read(%q) = %q is not absolute and clean", raw, got)
		}
	})
}
