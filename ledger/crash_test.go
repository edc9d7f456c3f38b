package ledger

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The long run is
//
//	go test ./ledger -run Processes -processes 50 -appends 1000 -rounds 20
var (
	processes = flag.Int("processes", 20, "processes that append at once")
	appends   = flag.Int("appends", 60, "records each appends")
	rounds    = flag.Int("rounds", 1, "how often to repeat it")
)

// childEnv makes the test binary a process that appends.
const childEnv = "LEDGER_TEST_APPEND"

func TestMain(m *testing.M) {
	if spec := os.Getenv(childEnv); spec != "" {
		appendAsChild(strings.Split(spec, "\n"))
		return
	}
	if spec := os.Getenv(gateEnv); spec != "" {
		gateAsChild(strings.Split(spec, "\n"))
		return
	}
	os.Exit(m.Run())
}

// appendAsChild appends records and prints a line for each that was
// acknowledged, or for the error.
func appendAsChild(spec []string) {
	project, data, name := spec[0], spec[1], spec[2]
	n, _ := strconv.Atoi(spec[3])
	l, err := Open(context.Background(), Options{Project: project, DataDir: data, Session: name, SegmentBytes: 64 << 10})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	status := 0
	for i := range n {
		rec, err := l.Observe(context.Background(), Observation{
			Cwd: project, Command: fmt.Sprintf("echo %s %d %s", name, i, strings.Repeat("x", i%97)), ExitCode: &status, ToolCallID: fmt.Sprintf("%s-%d", name, i),
		})
		if err != nil {
			fmt.Println("error", err)
			continue
		}
		fmt.Println("ack", rec.ToolCallID, rec.Seq)
	}
}

// child starts a process that appends n records.
func child(t *testing.T, project, data, name string, n int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{project, data, name, strconv.Itoa(n)}, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestE2ProcessesAppendAndDie lets many processes append at once, kills half of
// them at some point, and demands every acknowledged record, in an intact chain.
func TestE2ProcessesAppendAndDie(t *testing.T) {
	for round := range *rounds {
		f := newFixture(t, func(o *Options) { o.SegmentBytes = 64 << 10 })
		var mu sync.Mutex
		acked := map[string]uint64{}
		var wg sync.WaitGroup
		for p := range *processes {
			cmd, out := child(t, f.project, f.data, fmt.Sprintf("r%d-p%d", round, p), *appends)
			killAfter := -1
			if p%2 == 0 {
				killAfter = rand.IntN(*appends)
			}
			wg.Go(func() {
				for n := 0; out.Scan(); n++ {
					fields := strings.Fields(out.Text())
					if fields[0] != "ack" {
						t.Errorf("process %d: %s", p, out.Text())
						continue
					}
					seq, _ := strconv.ParseUint(fields[2], 10, 64)
					mu.Lock()
					acked[fields[1]] = seq
					mu.Unlock()
					if n == killAfter {
						_ = cmd.Process.Kill()
					}
				}
				_ = cmd.Wait()
			})
		}
		wg.Wait()
		f.run("ls", 0) // heals and adopts what was left
		f.holds(acked)
	}
}

// holds demands an intact ledger with these records.
func (f *fixture) holds(acked map[string]uint64) {
	f.t.Helper()
	if r := f.verify(); !r.Intact || len(r.Breaks) > 0 {
		f.t.Errorf("the chain is broken: %v", r.FirstBreak())
	}
	got := map[string]uint64{}
	for _, r := range f.all() {
		got[r.ToolCallID] = r.Seq
	}
	for id, seq := range acked {
		if got[id] != seq {
			f.t.Errorf("record %s was acknowledged as %d, but the ledger has it as %d", id, seq, got[id])
		}
	}
}

// all reads every record of all segments.
func (f *fixture) all() []Record {
	f.t.Helper()
	var out []Record
	paths, err := filepath.Glob(f.file() + "*")
	if err != nil {
		f.t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			r, err := ParseRecord([]byte(strings.TrimSuffix(line, "\n")))
			if err != nil {
				f.t.Errorf("%s: %v: %q", path, err, line)
			}
			out = append(out, r)
		}
	}
	return out
}

// TestE2TornLineIsHealed shows that a part of a line is cut off, told, and
// costs no evidence.
func TestE2TornLineIsHealed(t *testing.T) {
	f := fiveRecords(t)
	whole := f.lines()[4]
	for _, torn := range []string{whole[:1], whole[:len(whole)/2], whole[:len(whole)-1], "\x00\x00\x00"} {
		file, err := os.OpenFile(f.file(), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(torn); err != nil {
			t.Fatal(err)
		}
		file.Close()
		if r := f.verify(); !r.Intact || !strings.Contains(strings.Join(r.Notes, "\n"), "torn") {
			t.Errorf("report = %+v; want a note on a torn line", r)
		}
		f.wants()
		f.run("ls", 0)
		if r := f.verify(); !r.Intact || !strings.Contains(strings.Join(r.Notes, "\n"), "healed") {
			t.Errorf("report = %+v; want a note on the healing", r)
		}
	}
}

// TestE2KilledBetweenLineAndHead shows that a record whose process died before
// it wrote the head is adopted, index and all.
func TestE2KilledBetweenLineAndHead(t *testing.T) {
	for _, what := range []string{"head", "head and index"} {
		t.Run(what, func(t *testing.T) {
			f := newFixture(t)
			f.repo()
			f.write("main.go", "package main // changed\n")
			f.run("ls", 0)
			saved := f.saved(what)
			f.run("npm test", 0)
			f.Close()
			for path, text := range saved {
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f.open()
			f.wants()
			if r := f.verify(); !r.Intact || r.Records != 2 {
				t.Errorf("report = %+v; want two intact records", r)
			}
		})
	}
}

// saved are the files outside the project as they are now.
func (f *fixture) saved(what string) map[string][]byte {
	f.t.Helper()
	out := map[string][]byte{}
	for _, kind := range []string{"head", "index", "buckets"} {
		if !strings.Contains(what, kind) && !(kind == "buckets" && strings.Contains(what, "index")) {
			continue
		}
		path := filepath.Join(f.aux, "observed-bash.jsonl."+kind)
		text, err := os.ReadFile(path)
		if err != nil {
			f.t.Fatal(err)
		}
		out[path] = text
	}
	return out
}

// TestE2RotationCutShort shows that a process which died between the steps of
// a rotation loses nothing.
func TestE2RotationCutShort(t *testing.T) {
	f := newFixture(t, func(o *Options) { o.SegmentBytes = 1500 })
	f.repo()
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 0)
	f.run("ls", 0)
	f.Close()
	if err := os.Rename(f.file(), f.file()+".1"); err != nil {
		t.Fatal(err)
	}
	f.open()
	f.wants()
	f.run("pwd", 0)
	if r := f.verify(); !r.Intact || r.Records != 3 {
		t.Errorf("report = %+v; want three intact records", r)
	}
}

// TestE2DirectoryDeletedMeanwhile shows that the next record is written all
// the same, and that the loss is told.
func TestE2DirectoryDeletedMeanwhile(t *testing.T) {
	f := fiveRecords(t)
	if err := os.RemoveAll(filepath.Join(f.project, ".pi")); err != nil {
		t.Fatal(err)
	}
	f.run("ls", 0)
	if r := f.verify(); r.Intact || r.FirstBreak().Flaw != Replaced {
		t.Errorf("report = %+v; want the removed file named", r)
	}
	f.wants("ledger-damaged")
}

// TestE2ClockSetBack shows that order comes from the sequence, not the clock.
func TestE2ClockSetBack(t *testing.T) {
	f := newFixture(t)
	f.repo()
	f.must("piagent_task_start", taskParams())
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 1)
	f.now = f.now.Add(-time.Hour)
	f.run("npm test", 0)
	g, err := f.Gate(context.Background(), GateQuery{TaskID: "t1"})
	if err != nil || len(g.MissingVerifyCommands) != 0 {
		t.Errorf("gate = %s, %v; want the later run to count", g.Text(), err)
	}
	if r := f.verify(); !r.Intact || !strings.Contains(strings.Join(r.Notes, "\n"), "clock") {
		t.Errorf("report = %+v; want a note on the clock", r)
	}
}

// smallDisk mounts a file system of a few pages on the project's state
// directory.
func smallDisk(t *testing.T, f *fixture, options string) {
	t.Helper()
	dir := filepath.Dir(f.file())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// TestE2FullDisk shows that a record which does not fit is reported, that the
// gate fails until a new run, in other processes too, and that nothing that was
// acknowledged is lost.
func TestE2FullDisk(t *testing.T) {
	f := newFixture(t)
	smallDisk(t, f, "size=16k,mode=0700")
	f.repo()
	f.write("main.go", "package main // changed\n")
	acked := map[string]uint64{}
	status := 0
	f.run("npm test", 0)
	f.wants()
	var failed error
	for i := 0; failed == nil && i < 100; i++ {
		var rec Record
		rec, failed = f.Observe(context.Background(), Observation{Cwd: f.project, Command: "ls " + strings.Repeat("x", 500), ExitCode: &status, ToolCallID: strconv.Itoa(i)})
		if failed == nil {
			acked[rec.ToolCallID] = rec.Seq
		}
	}
	if !errors.Is(failed, syscall.ENOSPC) {
		t.Fatalf("error = %v; want no space left", failed)
	}
	f.wants("ledger-damaged")
	if text := f.gate().Reasons[0].Text; !strings.Contains(text, "no space left") {
		t.Errorf("the reason does not say why: %s", text)
	}
	f.holds(acked)
	f.Close()
	f.open()
	f.wants("ledger-damaged")
	if err := unix.Mount("tmpfs", filepath.Dir(f.file()), "tmpfs", unix.MS_REMOUNT, "size=1m"); err != nil {
		t.Fatal(err)
	}
	f.run("npm test", 0)
	f.wants()
	f.holds(acked)
	if r := f.verify(); r.Lost != 1 || len(r.Notes) == 0 {
		t.Errorf("report = %+v; want one lost record told", r)
	}
}

// TestE2ReadOnlyDirectory shows the same for a directory that cannot be written.
func TestE2ReadOnlyDirectory(t *testing.T) {
	f := newFixture(t)
	smallDisk(t, f, "size=1m,mode=0700")
	f.repo()
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 0)
	dir := filepath.Dir(f.file())
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	status := 1
	if _, err := f.Observe(context.Background(), Observation{Cwd: f.project, Command: "npm test", ExitCode: &status, IsError: true}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("error = %v; want a read-only file system", err)
	}
	if g := f.gate(); g.Decision != GateFail {
		t.Errorf("gate = %s; want it to fail", g.Text())
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, ""); err != nil {
		t.Fatal(err)
	}
	f.run("npm test", 0)
	f.wants()
}

// TestE2NobodyMayWrite shows that a state directory without permission is an
// error that names it, for a process that is not root.
func TestE2NobodyMayWrite(t *testing.T) {
	f := newFixture(t)
	if err := os.MkdirAll(filepath.Dir(f.file()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(f.file()), 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	_, err := f.Observe(context.Background(), Observation{Cwd: f.project, Command: "ls"})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "piagent-state") {
		t.Errorf("error = %v; want a permission error that names the directory", err)
	}
}

// TestE2StoppedHolder shows that a process which was stopped while it held the
// lock does not stop the others for ever.
func TestE2StoppedHolder(t *testing.T) {
	f := newFixture(t)
	f.run("ls", 0)
	other, err := os.OpenFile(f.bash.head.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := unix.Flock(int(other.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Observe(ctx, Observation{Cwd: f.project, Command: "ls"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v; want the wait to end with its context", err)
	}
	if err := unix.Flock(int(other.Fd()), unix.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	f.repo()
	f.write("main.go", "package main // changed\n")
	f.run("npm test", 0)
	f.wants() // what could not be recorded lies before
	if r := f.verify(); r.Lost != 1 {
		t.Errorf("lost = %d; want the record that could not be written counted", r.Lost)
	}
}
