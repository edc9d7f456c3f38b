package ledger

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// staleness are things that happen after npm test passed, and what the gate
// then says: "" for still fresh, or the files that changed.
var staleness = []struct {
	name   string
	happen func(f *fixture)
	files  string
}{
	{"nothing", func(*fixture) {}, ""},
	{"edit after pass", func(f *fixture) { f.write("main.go", "package other\n") }, "main.go"},
	{"edit and revert", func(f *fixture) {
		text := f.read("main.go")
		f.write("main.go", "package other\n")
		f.gate()
		f.write("main.go", text)
	}, ""},
	{"edit of the same length within the clock's tick", func(f *fixture) {
		text := f.read("main.go")
		f.gate()
		f.write("main.go", strings.ToUpper(text))
	}, "main.go"},
	{"date set back after an edit", func(f *fixture) {
		path := filepath.Join(f.project, "main.go")
		info, err := os.Stat(path)
		if err != nil {
			f.t.Fatal(err)
		}
		f.write("main.go", strings.ToUpper(f.read("main.go")))
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			f.t.Fatal(err)
		}
	}, "main.go"},
	{"touch", func(f *fixture) { f.write("main.go", f.read("main.go")) }, ""},
	{"formatter run", func(f *fixture) {
		f.write("main.go", strings.ReplaceAll(f.read("main.go"), "\n", "\n\n"))
		f.write("lib/a.go", strings.ReplaceAll(f.read("lib/a.go"), "\n", "\n\n"))
	}, "lib/a.go main.go"},
	{"formatter run that changes nothing", func(f *fixture) { f.write("lib/a.go", f.read("lib/a.go")) }, ""},
	{"generated file", func(f *fixture) { f.write("gen/api.pb.go", "package gen\n") }, ""},
	{"ignored file", func(f *fixture) { f.write("out/bin", "x"); f.write("a.log", "x") }, ""},
	{"file that is no longer ignored", func(f *fixture) {
		f.write("a.log", "x")
		f.write(".gitignore", "out/\n")
	}, ".gitignore a.log"},
	{"commit", func(f *fixture) { f.git("add", "."); f.git("commit", "-qm", "y") }, ""},
	{"staging", func(f *fixture) { f.git("add", ".") }, ""},
	{"branch switch", func(f *fixture) { f.git("commit", "-qam", "y"); f.git("switch", "-q", "side") }, "main.go side.go"},
	{"branch switch and back", func(f *fixture) {
		f.git("commit", "-qam", "y")
		f.git("switch", "-q", "side")
		f.gate()
		f.git("switch", "-q", "-")
	}, ""},
	{"stash", func(f *fixture) { f.git("stash", "-q") }, ""}, // back to where the session began,
	{"new untracked source", func(f *fixture) { f.write("lib/new.go", "package lib\n") }, "lib/new.go"},
	{"new untracked source in a new directory", func(f *fixture) { f.write("x/y/new.go", "package y\n") }, "x/y/new.go"},
	{"new untracked source in an empty directory", func(f *fixture) { f.write("empty/new.go", "package e\n") }, "empty/new.go"},
	{"removed source", func(f *fixture) { f.remove("lib/a.go") }, "lib/a.go"},
	{"renamed source", func(f *fixture) { f.rename("lib/a.go", "lib/b.go") }, "lib/a.go lib/b.go"},
	{"executable bit", func(f *fixture) { f.chmod("main.go", 0o755) }, "main.go"},
	{"symlink turned", func(f *fixture) { f.remove("link"); f.symlink("lib", "link") }, "link"},
	{"file for a symlink", func(f *fixture) { f.remove("link"); f.write("link", "main.go") }, "link"},
	{"directory for a file", func(f *fixture) { f.remove("main.go"); f.write("main.go/x", "y") }, "main.go main.go/x"},
	{"submodule change", func(f *fixture) { f.write("sub/s.go", "package s // changed\n") }, "sub"},
	{"submodule change and revert", func(f *fixture) {
		text := f.read("sub/s.go")
		f.write("sub/s.go", "package s // changed\n")
		f.gate()
		f.write("sub/s.go", text)
	}, ""},
	{"change in a repository within", func(f *fixture) { f.write("inner/i.go", "package i // changed\n") }, "inner"},
	{"the guard's own state", func(f *fixture) { f.run("ls", 0) }, ""},
	{"file of odd name", func(f *fixture) { f.write("lib/ä \n\"x\".go", "package lib\n") }, "lib/ä \n\"x\".go"},
}

func (f *fixture) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.project, name))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

func (f *fixture) do(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) remove(name string) { f.do(os.Remove(filepath.Join(f.project, name))) }
func (f *fixture) rename(from, to string) {
	f.do(os.Rename(filepath.Join(f.project, from), filepath.Join(f.project, to)))
}

func (f *fixture) chmod(name string, m fs.FileMode) {
	f.do(os.Chmod(filepath.Join(f.project, name), m))
}
func (f *fixture) symlink(to, name string) { f.do(os.Symlink(to, filepath.Join(f.project, name))) }

// workshop is a repository with all that a work tree may hold: a submodule, a
// repository that is no submodule, a symlink, an empty directory, another
// branch.
func workshop(t *testing.T) *fixture {
	f := newFixture(t, func(o *Options) { o.Contract.Generated = []string{"gen/**"} })
	module := t.TempDir()
	f.do(os.WriteFile(filepath.Join(module, "s.go"), []byte("package s\n"), 0o644))
	runGit(t, module, "init", "-q")
	runGit(t, module, "add", ".")
	runGit(t, module, "commit", "-qm", "m")
	f.write("main.go", "package main\n")
	f.write("lib/a.go", "package lib\n")
	f.write(".gitignore", "out/\n*.log\n")
	f.symlink("main.go", "link")
	f.do(os.Mkdir(filepath.Join(f.project, "empty"), 0o755))
	f.git("init", "-q", "-b", "main")
	f.git("submodule", "--quiet", "add", module, "sub")
	f.git("add", ".")
	f.git("commit", "-qm", "x")
	f.git("switch", "-qc", "side")
	f.write("side.go", "package main\n")
	f.git("add", ".")
	f.git("commit", "-qm", "side")
	f.git("switch", "-q", "main")
	f.write("inner/i.go", "package i\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "i"}} {
		runGit(t, filepath.Join(f.project, "inner"), args...)
	}
	f.do(f.Baseline(context.Background(), "s1"))
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 0)
	f.wants()
	return f
}

// TestE14Staleness shows for each thing that may happen after a pass whether
// the pass still holds.
func TestE14Staleness(t *testing.T) {
	for _, s := range staleness {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			f := workshop(t)
			s.happen(f)
			g := f.gate()
			if s.files == "" {
				if g.Decision != GatePass {
					t.Errorf("gate = %s; want the pass to hold", g.Text())
				}
				return
			}
			if !slices.Equal(g.codes(), []string{"stale"}) || strings.Join(g.Reasons[0].Files, " ") != s.files {
				t.Errorf("gate = %s; want %q stale", g.Text(), s.files)
			}
			// Another process, with the cache on disk only, says the same.
			f.Close()
			f.open(func(o *Options) { o.Contract.Generated = []string{"gen/**"} })
			if again := f.gate(); again.Digest != g.Digest || !slices.Equal(again.codes(), g.codes()) {
				t.Errorf("a new process says %s", again.Text())
			}
		})
	}
}

// TestE14Mutated shows runs that write files themselves.
func TestE14Mutated(t *testing.T) {
	for name, tc := range map[string]struct {
		writes string
		want   []string
	}{
		"a source":         {"lib/a.go", []string{"stale"}},
		"a generated file": {"gen/x.go", nil},
		"an ignored file":  {"out/x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := workshop(t)
			before, err := f.Before(context.Background(), "npm test", f.project)
			f.do(err)
			f.write(tc.writes, "package written\n")
			status := 0
			f.observe(Observation{Command: "npm test", ExitCode: &status, Before: before})
			f.write("main.go", f.read("main.go"))
			g := f.gate()
			if name == "a source" {
				// The earlier pass is stale too, so the newest is named.
				if !slices.Equal(g.codes(), tc.want) || !strings.Contains(g.Text(), "the run itself wrote: lib/a.go") {
					t.Errorf("gate = %s", g.Text())
				}
				return
			}
			if g.Decision != GatePass {
				t.Errorf("gate = %s; want a pass", g.Text())
			}
		})
	}
}

// TestE14GitIsUntouched shows that reading the tree changes neither index nor
// object store, and runs nothing that the repository's config names.
func TestE14GitIsUntouched(t *testing.T) {
	f := workshop(t)
	f.git("config", "core.fsmonitor", "touch "+filepath.Join(f.project, "out-fsmonitor"))
	f.git("config", "core.hooksPath", "hooks")
	f.write("main.go", "package main // not in any object\n")
	before := listFiles(t, filepath.Join(f.project, ".git"))
	f.gate()
	f.run("npm test", 0)
	f.gate()
	if after := listFiles(t, filepath.Join(f.project, ".git")); after != before {
		t.Errorf("git's directory changed:\n%s\nwas\n%s", after, before)
	}
	if _, err := os.Stat(filepath.Join(f.project, "out-fsmonitor")); err == nil {
		t.Error("a program named in the repository's config was run")
	}
}

// listFiles lists a directory with sizes and dates.
func listFiles(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(&out, path, info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestE4PlainFolder shows a folder that is no git work tree.
func TestE4PlainFolder(t *testing.T) {
	f := newFixture(t)
	f.write("main.py", "x")
	f.write("node_modules/x/y.js", "x")
	f.do(f.Baseline(context.Background(), "s1"))
	f.write("main.py", "y")
	f.run("npm test", 0)
	g := f.gate()
	if g.Decision != GatePass || len(g.Warnings) != 1 || g.Warnings[0].Code != "partial" || !strings.HasPrefix(g.Digest, treePartial) {
		t.Errorf("gate = %s with digest %s; want a pass with a warning", g.Text(), g.Digest)
	}
	f.write("node_modules/x/y.js", "y")
	f.wants()
	f.write("new.py", "z")
	f.wants("stale")
}

// TestE4Unreadable shows that a tree which cannot be read whole proves nothing.
func TestE4Unreadable(t *testing.T) {
	f := newFixture(t)
	f.repo()
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 0)
	f.do(os.WriteFile(filepath.Join(f.project, ".git", "index"), []byte("garbage"), 0o644))
	g := f.gate()
	if g.Decision != GateFail || g.Reasons[0].Code != "no-digest" {
		t.Errorf("gate = %s; want it to fail for want of a digest", g.Text())
	}
}

// TestE4Subdirectory shows that a project within a repository is judged by the
// whole repository, and that one which the repository ignores is not.
func TestE4Subdirectory(t *testing.T) {
	outer := t.TempDir()
	runGit(t, outer, "init", "-q")
	for _, dir := range []string{"web", "ignored"} {
		if err := os.MkdirAll(filepath.Join(outer, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outer, ".gitignore"), []byte("ignored/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	digest := func(project string) string {
		l, err := Open(context.Background(), Options{Project: filepath.Join(outer, project), DataDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		tree, err := l.Tree(context.Background())
		if err != nil || !tree.Available() {
			t.Fatal(tree, err)
		}
		return tree.Digest
	}
	web, ignored := digest("web"), digest("ignored")
	if err := os.WriteFile(filepath.Join(outer, "shared.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if digest("web") == web {
		t.Error("a change elsewhere in the repository is not seen")
	}
	if digest("ignored") != ignored {
		t.Error("an ignored project is judged by the repository around it")
	}
}
