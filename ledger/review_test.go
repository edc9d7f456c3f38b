package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// reviewed is a project whose changes are kept.
type reviewed struct {
	*Reviews
	t       *testing.T
	project string
	data    string
	now     time.Time
}

func newReviewed(t *testing.T) *reviewed {
	t.Helper()
	r := &reviewed{t: t, project: t.TempDir(), data: t.TempDir(), now: time.UnixMilli(1_700_000_000_000)}
	var err error
	r.Reviews, err = OpenReviews(r.data, func() time.Time { return r.now })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reviewed) path(name string) string { return filepath.Join(r.project, name) }

func (r *reviewed) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o640); err != nil {
		r.t.Fatal(err)
	}
}

// change is one call that writes text, or removes the file.
func (r *reviewed) change(name string, fn func()) *ReviewChange {
	r.t.Helper()
	r.now = r.now.Add(time.Second)
	snap, err := r.Before(ReviewTarget{Session: "s", MessageID: "m", Project: r.project, Path: r.path(name), Operation: "write"})
	if err != nil {
		r.t.Fatal(err)
	}
	fn()
	change, err := r.After(snap)
	if err != nil {
		r.t.Fatal(err)
	}
	return change
}

func (r *reviewed) is(name, want string) {
	r.t.Helper()
	got, err := os.ReadFile(r.path(name))
	if err != nil || string(got) != want {
		r.t.Errorf("%s = %q, %v; want %q", name, got, err, want)
	}
}

func TestH6ReviewRecord(t *testing.T) {
	r := newReviewed(t)
	r.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	got := r.change("a.txt", func() { r.write("a.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") })
	want := &ReviewChange{
		Version: 1, SnapshotID: got.SnapshotID, MessageID: "m", Path: "a.txt", Operation: "write", Status: "modified", State: "active",
		Additions: 1, Deletions: 1, Reversible: true,
		Hunks: []DiffHunk{{OldStart: 2, OldLines: 7, NewStart: 2, NewLines: 7, Lines: []DiffLine{
			{"context", "2"}, {"context", "3"}, {"context", "4"}, {"delete", "5"}, {"add", "five"}, {"context", "6"}, {"context", "7"}, {"context", "8"},
		}}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	listed, err := r.Changes("s")
	if err != nil || len(listed) != 1 || cmp.Diff(*want, listed[0]) != "" {
		t.Errorf("listed = %+v, %v", listed, err)
	}
	if entries, _ := os.ReadDir(r.project); len(entries) != 1 {
		t.Errorf("the project holds %v; want nothing of the guard's", entries)
	}
}

func TestH6Rollback(t *testing.T) {
	for name, tc := range map[string]struct {
		before string // "" for no file
		change func(r *reviewed)
		status string
	}{
		"modified": {"old\n", func(r *reviewed) { r.write("d/f", "new\n") }, "modified"},
		"added":    {"", func(r *reviewed) { r.write("d/f", "new\n") }, "added"},
		"deleted":  {"old\n", func(r *reviewed) { os.Remove(r.path("d/f")) }, "deleted"},
		"binary":   {"old\x00\xff", func(r *reviewed) { r.write("d/f", "new\x00\xfe") }, "modified"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReviewed(t)
			if tc.before != "" {
				r.write("d/f", tc.before)
				if err := os.Chmod(r.path("d/f"), 0o750); err != nil {
					t.Fatal(err)
				}
			}
			change := r.change("d/f", func() { tc.change(r) })
			if change.Status != tc.status || change.Binary != (name == "binary") {
				t.Errorf("change = %+v; want status %s", change, tc.status)
			}
			back, err := r.Rollback(context.Background(), "s", change.SnapshotID)
			if err != nil || back.State != "rolledBack" {
				t.Fatal(back, err)
			}
			if tc.before == "" {
				if _, err := os.Stat(r.path("d/f")); err == nil {
					t.Error("the new file is still there")
				}
			} else {
				r.is("d/f", tc.before)
				if info, _ := os.Stat(r.path("d/f")); info.Mode().Perm() != 0o750 {
					t.Errorf("mode = %v; want it restored too", info.Mode())
				}
			}
			if _, err := r.Rollback(context.Background(), "s", change.SnapshotID); err == nil {
				t.Error("it was rolled back twice")
			}
		})
	}
}

// TestH6Conflict shows that a file which was changed since is left alone.
func TestH6Conflict(t *testing.T) {
	for name, later := range map[string]func(r *reviewed){
		"edited":            func(r *reviewed) { r.write("f", "later\n") },
		"removed":           func(r *reviewed) { os.Remove(r.path("f")) },
		"turned to symlink": func(r *reviewed) { os.Remove(r.path("f")); os.Symlink("/etc/hostname", r.path("f")) },
		"turned to directory": func(r *reviewed) {
			os.Remove(r.path("f"))
			os.Mkdir(r.path("f"), 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReviewed(t)
			r.write("f", "old\n")
			change := r.change("f", func() { r.write("f", "new\n") })
			later(r)
			want := describe(t, r.path("f"))
			if _, err := r.Rollback(context.Background(), "s", change.SnapshotID); !errors.Is(err, ErrConflict) {
				t.Errorf("error = %v; want a conflict", err)
			}
			if got := describe(t, r.path("f")); got != want {
				t.Errorf("the file is now %s; it was %s", got, want)
			}
			if entries, _ := os.ReadDir(r.project); len(entries) > 1 {
				t.Errorf("a rest was left in the project: %v", entries)
			}
		})
	}
	// The parent directory turned into a link elsewhere.
	r := newReviewed(t)
	r.write("d/f", "old\n")
	change := r.change("d/f", func() { r.write("d/f", "new\n") })
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "f"), []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(r.path("d")), os.Symlink(elsewhere, r.path("d"))); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Rollback(context.Background(), "s", change.SnapshotID); err == nil {
		t.Error("a rollback went through a symlink")
	}
	if text, _ := os.ReadFile(filepath.Join(elsewhere, "f")); string(text) != "new\n" {
		t.Error("a file elsewhere was changed")
	}
}

func describe(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		return "missing"
	}
	text, _ := os.ReadFile(path)
	return info.Mode().String() + " " + string(text)
}

// TestH6Bounds shows what gets no hunks, or no record at all.
func TestH6Bounds(t *testing.T) {
	r := newReviewed(t)
	if c := r.change("same", func() {}); c != nil {
		t.Errorf("a call that changed nothing has the record %+v", c)
	}
	r.write("same", "x")
	if c := r.change("same", func() { r.write("same", "x") }); c != nil {
		t.Errorf("a call that changed nothing has the record %+v", c)
	}
	if c := r.change("../outside", func() {}); c != nil {
		t.Errorf("a path outside has the record %+v", c)
	}
	r.write("long", strings.Repeat("a\n", 5000))
	if c := r.change("long", func() { r.write("long", strings.Repeat("b\n", 5000)) }); !c.Truncated || c.Additions != 5000 || !c.Reversible {
		t.Errorf("a long change has truncated %v, additions %d", c.Truncated, c.Additions)
	}
	r.write("huge", strings.Repeat("x", maxReviewBytes+1))
	c := r.change("huge", func() { r.write("huge", "small") })
	if c.Reversible || c.Status != "modified" {
		t.Errorf("an oversized file has the record %+v; want it not reversible", c)
	}
	if _, err := r.Rollback(context.Background(), "s", c.SnapshotID); err == nil {
		t.Error("an oversized file was rolled back")
	}
	if c := r.change("new-huge", func() { r.write("new-huge", strings.Repeat("x", maxReviewBytes+1)) }); c.Reversible {
		t.Error("a new oversized file is said to be reversible")
	}
}

func TestH6Sweep(t *testing.T) {
	r := newReviewed(t)
	r.change("f", func() { r.write("f", "x") })
	alive := func(string) bool { return false }
	r.now = time.Now().Add(6 * 24 * time.Hour)
	if err := r.Sweep(alive); err != nil {
		t.Fatal(err)
	}
	if c, _ := r.Changes("s"); len(c) != 1 {
		t.Error("young snapshots were swept")
	}
	r.now = time.Now().Add(8 * 24 * time.Hour)
	if err := r.Sweep(func(s string) bool { return s == "s" }); err != nil {
		t.Fatal(err)
	}
	if c, _ := r.Changes("s"); len(c) != 1 {
		t.Error("the snapshots of a living session were swept")
	}
	if err := r.Sweep(alive); err != nil {
		t.Fatal(err)
	}
	if c, _ := r.Changes("s"); len(c) != 0 {
		t.Error("old snapshots of a dead session were kept")
	}
	r.change("g", func() { r.write("g", "x") })
	if err := r.Drop("s"); err != nil {
		t.Fatal(err)
	}
	if c, _ := r.Changes("s"); len(c) != 0 {
		t.Error("the snapshots of a removed session were kept")
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Add("a", "a\n")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		d := diff([]byte(a), []byte(b))
		if d.binary || d.truncated {
			return
		}
		if lines := countLines(b) - countLines(a); d.additions-d.deletions != lines {
			t.Errorf("%q → %q: +%d -%d, but the number of lines changed by %d", a, b, d.additions, d.deletions, lines)
		}
		if (a == b) != (len(d.hunks) == 0) {
			t.Errorf("%q → %q has %d hunks", a, b, len(d.hunks))
		}
	})
}
