package ledger

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forgeries are what a shell command can do to the ledger's file, each with
// the damage that verify must name, and where.
var forgeries = []struct {
	name string
	// forge changes the lines of a file of five records: ls, npm test (fails),
	// pwd, npm test (passes), date.
	forge func(lines []string) []string
	flaw  Flaw
	seq   uint64
	line  int
}{
	{"append a copied record", func(l []string) []string { return append(l, l[3]) }, Copied, 4, 6},
	{"append a record made by hand", func(l []string) []string {
		return append(l, `{"schemaVersion":1,"seq":6,"key":"0123456789abcdef","prev":"`+strings.Repeat("0", 64)+`","kind":"bash","exitCode":0,"mac":"`+strings.Repeat("0", 64)+"\"}\n")
	}, Foreign, 6, 6},
	{"append a line of another kind", func(l []string) []string { return append(l, "{\"exitCode\":0}\n") }, Foreign, 6, 6},
	{"edit an exit code", func(l []string) []string {
		l[1] = strings.Replace(l[1], `"exitCode":1`, `"exitCode":0`, 1)
		return l
	}, Edited, 2, 2},
	{"edit a sequence number", func(l []string) []string {
		l[1] = strings.Replace(l[1], `"seq":2,`, `"seq":9,`, 1)
		return l
	}, Edited, 2, 2},
	{"break a record", func(l []string) []string { l[1] = "garbage\n"; return l }, Edited, 2, 2},
	{"delete a line", func(l []string) []string { return slices.Delete(l, 1, 2) }, Removed, 2, 2},
	{"delete the first line", func(l []string) []string { return l[1:] }, Removed, 1, 1},
	{"swap two lines", func(l []string) []string { l[1], l[2] = l[2], l[1]; return l }, Reordered, 2, 2},
	{"cut the tail", func(l []string) []string { return l[:3] }, Cut, 4, 4},
	{"empty the file", func([]string) []string { return nil }, Cut, 1, 1},
}

// fiveRecords makes the ledger that forgeries change; everything passes.
func fiveRecords(t *testing.T) *fixture {
	f := newFixture(t)
	f.repo()
	f.write("main.go", "package main // changed\n")
	f.run("ls", 0)
	f.run("npm test", 1)
	f.run("pwd", 0)
	f.run("npm test", 0)
	f.run("date", 0)
	f.wants()
	return f
}

// TestE3ForgeryIsFound shows that each forgery is named by verify, that no
// evidence from before satisfies the gate, and that a new run does.
func TestE3ForgeryIsFound(t *testing.T) {
	for _, fg := range forgeries {
		t.Run(fg.name, func(t *testing.T) {
			f := fiveRecords(t)
			text := strings.Join(fg.forge(f.lines()), "")
			if err := os.WriteFile(f.file(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f.found(fg.flaw, fg.seq, fg.line, "observed-bash.jsonl")
			f.wants("ledger-damaged")
			f.found(fg.flaw, fg.seq, fg.line, "observed-bash.jsonl.1") // after it was set aside too
			f.run("npm test", 0)
			f.wants()
			if f.verify().Intact {
				t.Error("the damage is forgotten after a new record")
			}
		})
	}
}

// found demands that verify names this damage first.
func (f *fixture) found(flaw Flaw, seq uint64, line int, file string) {
	f.t.Helper()
	r := f.verify()
	b := r.FirstBreak()
	if r.Intact || b == nil {
		f.t.Fatalf("report = %+v; want the damage %q", r, flaw)
	}
	if b.Flaw != flaw || b.Seq != seq || b.Line != line || b.File != file {
		f.t.Errorf("first break = %+v; want %s at record %d, %s:%d", *b, flaw, seq, file, line)
	}
}

// TestE3FileReplaced covers what happens to the file as a whole.
func TestE3FileReplaced(t *testing.T) {
	for name, forge := range map[string]func(f *fixture) error{
		"removed":           func(f *fixture) error { return os.Remove(f.file()) },
		"directory removed": func(f *fixture) error { return os.RemoveAll(filepath.Dir(f.file())) },
		"that of another install": func(f *fixture) error {
			other := newFixture(f.t)
			other.run("npm test", 0)
			text, err := os.ReadFile(other.file())
			if err != nil {
				return err
			}
			return os.WriteFile(f.file(), text, 0o600)
		},
		"that of another project": func(f *fixture) error {
			other := newFixture(f.t, func(o *Options) { o.DataDir = f.data })
			other.run("npm test", 0)
			text, err := os.ReadFile(other.file())
			if err != nil {
				return err
			}
			return os.WriteFile(f.file(), text, 0o600)
		},
		"an older state of its own": func(f *fixture) error {
			text := strings.Join(f.lines(), "")
			f.run("npm test", 1)
			return os.WriteFile(f.file(), []byte(text), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fiveRecords(t)
			if err := forge(f); err != nil {
				t.Fatal(err)
			}
			if f.verify().Intact {
				t.Error("verify finds nothing")
			}
			f.wants("ledger-damaged")
			f.run("npm test", 0)
			f.wants()
		})
	}
}

// TestE3HeadLost shows that a ledger without its head, or one that came with
// the project, is set aside and is no evidence.
func TestE3HeadLost(t *testing.T) {
	f := fiveRecords(t)
	f.Close()
	if err := os.RemoveAll(filepath.Join(f.data, "ledger")); err != nil {
		t.Fatal(err)
	}
	f.open()
	if err := f.Baseline(context.Background(), "s1"); err != nil {
		t.Fatal(err)
	}
	f.write("main.go", "package main // again\n")
	f.wants("not-observed")
	f.run("npm test", 0)
	f.wants()
	if _, err := os.Stat(f.file() + ".1"); err != nil {
		t.Errorf("the old records were not kept: %v", err)
	}
	if r := f.verify(); !r.Intact || len(r.Notes) == 0 {
		t.Errorf("report = %+v; want an intact chain and a note on what was set aside", r)
	}
}

// TestE3SealedSegmentForged shows that damage to a rotated file counts too.
func TestE3SealedSegmentForged(t *testing.T) {
	for name, forge := range map[string]func(path string) error{
		"edited": func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(strings.Replace(string(text), `"exitCode":1`, `"exitCode":0`, 1)), 0o600)
		},
		"removed": os.Remove,
		"longer": func(path string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = file.WriteString("{}\n")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(o *Options) { o.SegmentBytes = 2500 })
			f.repo()
			f.write("main.go", "package main // changed\n")
			f.run("npm test", 1)
			f.run("npm test", 0)
			for range 8 {
				f.run("ls", 0)
			}
			f.wants()
			if err := forge(f.file() + ".1"); err != nil {
				t.Fatal(err)
			}
			if f.verify().Intact {
				t.Error("verify finds nothing")
			}
			f.wants("ledger-damaged")
			f.run("npm test", 0)
			f.wants()
		})
	}
}

// TestE3SealedSegmentMoved shows that the same content under another inode is
// no damage: a project may be restored from a copy.
func TestE3SealedSegmentMoved(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.SegmentBytes = 2500 })
	f.repo()
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 0)
	for range 8 {
		f.run("ls", 0)
	}
	for _, path := range []string{f.file(), f.file() + ".1"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.wants()
	if r := f.verify(); !r.Intact {
		t.Errorf("report = %+v; want it intact", r)
	}
}

// TestE3IndexIsACache shows that a lost or damaged index only costs time.
func TestE3IndexIsACache(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"removed":  os.Remove,
		"emptied":  func(path string) error { return os.Truncate(path, 0) },
		"cut":      func(path string) error { return os.Truncate(path, 70) },
		"scrawled": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 400)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			f := fiveRecords(t)
			f.Close()
			for _, kind := range []string{"index", "buckets"} {
				if err := harm(filepath.Join(f.aux, "observed-bash.jsonl."+kind)); err != nil {
					t.Fatal(err)
				}
			}
			f.open()
			f.wants()
		})
	}
}

// TestE3KeyIsGuarded shows that a key which others can read is refused.
func TestE3KeyIsGuarded(t *testing.T) {
	f := newFixture(t)
	key := filepath.Join(f.data, "ledger.key")
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("key: %v, %v; want mode 0600", info.Mode(), err)
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), Options{Project: f.project, DataDir: f.data}); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("Open = %v; want an error that says chmod 600", err)
	}
	if _, err := Open(context.Background(), Options{Project: f.project, DataDir: filepath.Join(f.project, "data")}); err == nil {
		t.Error("a data directory within the project was accepted")
	}
}
