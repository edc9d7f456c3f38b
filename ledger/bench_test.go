package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func BenchmarkRedactCommand(b *testing.B) {
	for b.Loop() {
		Redact("cd /srv/project && npm run test -- --reporter=dot 2>&1 | tail -20")
	}
}

func BenchmarkRedactOutput(b *testing.B) {
	text := strings.Repeat("ok  	example.org/pkg/token	0.01s	key: value, password checks: 3 passed\n", 1400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Redact(text)
	}
}

// BenchmarkTree100000 reads an unchanged tree of 100,000 files again, in the
// same process and in a new one.
func BenchmarkTree100000(b *testing.B) {
	project, data := b.TempDir(), b.TempDir()
	for d := range 1000 {
		dir := filepath.Join(project, fmt.Sprintf("d%02d", d%40), fmt.Sprintf("e%03d", d))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for i := range 100 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%03d.go", i)), fmt.Appendf(nil, "package x // %d %d\n", d, i), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = project
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	open := func() *Ledger {
		l, err := Open(context.Background(), Options{Project: project, DataDir: data})
		if err != nil {
			b.Fatal(err)
		}
		return l
	}
	read := func(l *Ledger) {
		if t, err := l.Tree(context.Background()); err != nil || t.Files != 100_000 {
			b.Fatal(t, err)
		}
	}
	l := open()
	read(l)
	time.Sleep(3 * time.Second) // let the files come to rest
	read(l)
	b.Run("same process", func(b *testing.B) {
		for b.Loop() {
			read(l)
		}
	})
	b.Run("new process", func(b *testing.B) {
		for b.Loop() {
			read(open())
		}
	})
	b.Run("one file changed", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if err := os.WriteFile(filepath.Join(project, "d00", "e000", "file000.go"), fmt.Appendf(nil, "%d", n), 0o644); err != nil {
				b.Fatal(err)
			}
			if _, err := l.keptTree(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// gateEnv makes the test binary a process that asks the gate once.
const gateEnv = "LEDGER_TEST_GATE"

// gateAsChild prints how long opening, a look-up and the gate's answer took.
func gateAsChild(spec []string) {
	start := time.Now()
	l, err := Open(context.Background(), benchOptions(spec[0], spec[1]))
	if err != nil {
		fmt.Println("error", err)
		return
	}
	opened := time.Now()
	rec, err := l.observed(context.Background(), "npm test", 0)
	if err != nil || rec == nil {
		fmt.Println("error", rec, err)
		return
	}
	looked := time.Now()
	g, err := l.Gate(context.Background(), GateQuery{})
	if err != nil || g.Decision != GatePass {
		fmt.Println("error", g.Text(), err)
		return
	}
	fmt.Println(opened.Sub(start).Microseconds(), looked.Sub(opened).Microseconds(), time.Since(looked).Microseconds(), peakKiB())
}

// peakKiB is the most memory that this process has had resident.
func peakKiB() int {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kib int
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return kib
		}
	}
	return 0
}

func benchOptions(project, data string) Options {
	return Options{Project: project, DataDir: data, Contract: Contract{
		Verify: map[string][]string{"source": {"npm test"}}, Gate: GateEnforce, Require: DefaultRequirements(),
	}}
}

// BenchmarkGate1000000 asks the gate of a ledger of a million records, each
// time in a new process.
func BenchmarkGate1000000(b *testing.B) {
	project, data := b.TempDir(), b.TempDir()
	if err := os.WriteFile(filepath.Join(project, "main.go"), []byte("package main\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	l, err := Open(context.Background(), benchOptions(project, data))
	if err != nil {
		b.Fatal(err)
	}
	fillLedger(b, l, 1_000_000)
	status := 0
	before, err := l.Before(context.Background(), "npm test", project)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := l.Observe(context.Background(), Observation{Cwd: project, Command: "npm test", ExitCode: &status, Before: before}); err != nil {
		b.Fatal(err)
	}
	fillLedger(b, l, 1000)
	l.Close()
	var open, look, gate, rss float64
	n := 0.0
	for b.Loop() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), gateEnv+"="+project+"\n"+data)
		out, err := cmd.Output()
		var o, lk, g, kib float64
		if _, scanErr := fmt.Sscan(string(out), &o, &lk, &g, &kib); err != nil || scanErr != nil {
			b.Fatalf("%s: %v %v", out, err, scanErr)
		}
		open, look, gate, rss, n = open+o, look+lk, gate+g, rss+kib, n+1
	}
	b.ReportMetric(open/n, "µs/open")
	b.ReportMetric(look/n, "µs/look-up")
	b.ReportMetric(gate/n, "µs/gate")
	b.ReportMetric(rss/n/1024, "MiB/process")
}

// fillLedger appends n records of ordinary commands under one lock.
func fillLedger(b *testing.B, l *Ledger, n int) {
	err := l.bash.locked(context.Background(), func(h *head) error {
		for i := range n {
			command := fmt.Sprintf("go test ./pkg%d && npm run x%d", i%997, i%31)
			p := l.payloadOf(context.Background(), Observation{Cwd: l.project, Command: command})
			text, err := json.Marshal(p)
			if err != nil {
				return err
			}
			if err := l.bash.appendTo(h, item{payload: text, key: p.indexKey(), timeMs: p.RecordedAtMs}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
