package benchmarks

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tree_sitter "github.com/tree-sitter/go-tree-sitter"
	tree_sitter_bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/scripts/internal/pis"
)

// built is where TestMain lets the program be built.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "pi-guard-bench-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	built = dir
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// guard builds the program once.
var guard = sync.OnceValues(func() (string, error) {
	program := filepath.Join(built, "pi-guard")
	build := exec.Command("go", "build", "-o", program, "./cmd/pi-guard")
	build.Dir = filepath.Join("..", "..")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building pi-guard: %w\n%s", err, output)
	}
	return program, nil
})

// program is the guard, with a home of its own.
func program(b *testing.B) string {
	b.Helper()
	program, err := guard()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv("HOME", b.TempDir())
	return program
}

// milliseconds reports the mean time of an operation in the unit of its limit.
func milliseconds(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/op")
}

// The way of a call from Node through the extension's own connection to the
// guard and back, with a bash verdict.
func BenchmarkNodeRoundTrip(b *testing.B) {
	// Before program, which takes away the home that the cache is in.
	install, err := pis.Releases()[0].Get(b.Context(), func(step string) { b.Log(step) })
	if err != nil {
		b.Fatal(err)
	}
	program := program(b)
	for b.Loop() {
		node := exec.Command(install.Node, "--experimental-transform-types", "--disable-warning=ExperimentalWarning", "roundtrip.mjs", program, b.TempDir())
		node.Stderr = os.Stderr
		output, err := node.Output()
		if err != nil {
			b.Fatal(err)
		}
		var got struct{ P50, P99 float64 }
		if err := json.Unmarshal(output, &got); err != nil {
			b.Fatalf("roundtrip.mjs printed %s: %v", output, err)
		}
		b.ReportMetric(got.P50, "p50-µs")
		b.ReportMetric(got.P99, "p99-µs")
	}
	b.ReportMetric(0, "ns/op")
}

// From exec to the answer to initialize, which is what a session waits for.
func BenchmarkServeInitialize(b *testing.B) {
	program := program(b)
	for b.Loop() {
		serve := exec.Command(program, "serve")
		stdin, err := serve.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		stdout, err := serve.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := serve.Start(); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,"host":""}}`)
		answer, err := bufio.NewReader(stdout).ReadBytes('\n')
		if err != nil || !bytes.Contains(answer, []byte(`"result"`)) {
			b.Fatalf("initialize was answered %s, %v", answer, err)
		}
		b.StopTimer()
		_ = stdin.Close()
		if err := serve.Wait(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	milliseconds(b)
}

func BenchmarkCheckProcess(b *testing.B) {
	program := program(b)
	dir := b.TempDir()
	for b.Loop() {
		check := exec.Command(program, "check", "bash", "git status")
		check.Dir = dir
		if output, err := check.CombinedOutput(); err != nil {
			b.Fatalf("check: %v\n%s", err, output)
		}
	}
	milliseconds(b)
}

//go:embed lines.txt
var ordinary string

// lines are the lines to judge: those of the JSONL file that PI_GUARD_CORPUS
// names (field cmd), else ordinary ones.
func lines(b *testing.B) []string {
	b.Helper()
	file := os.Getenv("PI_GUARD_CORPUS")
	if file == "" {
		return strings.Split(strings.TrimSpace(ordinary), "\n")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for _, row := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var line struct{ Cmd string }
		if err := json.Unmarshal([]byte(row), &line); err != nil {
			b.Fatal(err)
		}
		lines = append(lines, line.Cmd)
	}
	return lines
}

// A verdict beside the parse that every guard of this kind pays, on the same
// lines in the same run. Each line's verdict and parse are timed in turn, and
// their medians are compared.
func BenchmarkVerdictToParse(b *testing.B) {
	lines := lines(b)
	judge, err := hooks.NewJudge(hooks.JudgeOptions{Project: b.TempDir(), Home: b.TempDir(), Mode: "build"})
	if err != nil {
		b.Fatal(err)
	}
	calls := make([]hooks.Call, len(lines))
	for i, line := range lines {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			b.Fatal(err)
		}
		calls[i] = hooks.Call{Tool: "bash", Input: input}
	}
	parser := tree_sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(tree_sitter.NewLanguage(tree_sitter_bash.Language())); err != nil {
		b.Fatal(err)
	}
	verdicts, parses := &sample{}, &sample{}
	for b.Loop() {
		for i, line := range lines {
			verdicts.time(func() { judge.Decide(calls[i]) })
			parses.time(func() { parser.Parse([]byte(line), nil).Close() })
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(verdicts.quantile(0.5), "p50-µs")
	b.ReportMetric(verdicts.quantile(0.99), "p99-µs")
	b.ReportMetric(parses.quantile(0.5), "parse-p50-µs")
	b.ReportMetric(verdicts.quantile(0.5)/parses.quantile(0.5), "x-of-parse")
}

// A line of 1 MiB in six shapes, each in a process of its own, whose whole
// time and memory count.
func BenchmarkMegabyte(b *testing.B) {
	const size = 1 << 20
	program := program(b)
	for _, shape := range shapes() {
		b.Run(shape.name, func(b *testing.B) {
			query, err := json.Marshal(map[string]string{"id": "1", "cmd": shape.line(size)})
			if err != nil {
				b.Fatal(err)
			}
			most := 0.0
			for b.Loop() {
				check := exec.Command(program, "check", "--batch", "--cwd", "/", "--home", "/")
				check.Stdin = bytes.NewReader(query)
				output, err := check.Output()
				if err != nil || !bytes.Contains(output, []byte(`"action"`)) {
					b.Fatalf("check --batch: %v\n%s", err, output)
				}
				usage := check.ProcessState.SysUsage().(*syscall.Rusage)
				most = max(most, float64(usage.Maxrss)/1024)
			}
			milliseconds(b)
			b.ReportMetric(most, "max-MiB")
		})
	}
}

type shape struct {
	name string
	line func(size int) string
}

func shapes() []shape {
	repeat := func(first, more string) func(int) string {
		return func(size int) string { return first + strings.Repeat(more, (size-len(first))/len(more)) }
	}
	return []shape{
		{"pipeline", repeat("cat file", " | grep -v x")},
		{"list", repeat("true", "; echo one two")},
		{"nested", func(size int) string {
			n := (size - len("true")) / len("echo $()")
			return strings.Repeat("echo $(", n) + "true" + strings.Repeat(")", n)
		}},
		{"arguments", repeat("echo", " word")},
		{"quotes", func(size int) string { return "echo '" + strings.Repeat("x", size-len("echo ''")) + "'" }},
		{"heredoc", func(size int) string { return "cat <<'E'\n" + strings.Repeat("line of text\n", size/13) + "E\n" }},
	}
}

// sample is a set of durations in microseconds.
type sample struct{ times []float64 }

func (s *sample) time(f func()) {
	start := time.Now()
	f()
	s.times = append(s.times, float64(time.Since(start).Nanoseconds())/1000)
}

func (s *sample) quantile(q float64) float64 { return Quantile(s.times, q) }
