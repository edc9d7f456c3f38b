package ledger

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maskings are lines around `npm test`. passing and failing are what must be
// concluded from the status that bash gives when npm test passes and fails.
var maskings = []struct {
	line             string
	passing, failing Outcome
}{
	{`npm test`, Pass, Fail},
	{`npm test 2>&1`, Pass, Fail},
	{`npm test >/dev/null 2>&1`, Pass, Fail},
	{`npm test | cat`, Inconclusive, Inconclusive},
	{`npm test 2>&1 | tail -n 3`, Inconclusive, Inconclusive},
	{`npm test |& tee log`, Inconclusive, Inconclusive},
	{`npm test || true`, Inconclusive, Inconclusive},
	{`npm test || echo failed`, Inconclusive, Inconclusive},
	{`npm test || exit 1`, Pass, Fail},
	{`npm test || (echo failed; exit 3)`, Pass, Fail},
	{`npm test || npm test`, Inconclusive, Fail},
	{`npm test; echo done`, Inconclusive, Inconclusive},
	{"npm test\necho done", Inconclusive, Inconclusive},
	{`npm test; true`, Inconclusive, Inconclusive},
	{`echo start; npm test`, Pass, Fail},
	{`npm test & wait`, Inconclusive, Inconclusive},
	{`npm test &`, Inconclusive, Inconclusive},
	{`! npm test`, Inconclusive, Fail},
	{`! ! npm test`, Inconclusive, Inconclusive},
	{`npm test && echo ok`, Pass, Fail},
	{`echo start && npm test`, Pass, Fail},
	{`cd . && npm test`, Pass, Fail},
	{`cd /nowhere/at/all; npm test`, Pass, Fail},
	{`cd /nowhere/at/all && npm test`, Inconclusive, Inconclusive},
	{`ls >/dev/null && npm test`, Pass, Inconclusive},
	{`npm test && ls >/dev/null`, Pass, Inconclusive},
	{`set -o pipefail; npm test | cat`, Pass, Inconclusive},
	{`set -o pipefail && npm test 2>&1 | tail -n 3`, Pass, Inconclusive},
	{`set -euo pipefail; npm test | cat; echo done`, Pass, Inconclusive},
	{`set +o pipefail; npm test | cat`, Inconclusive, Inconclusive},
	{`set -e; npm test; echo done`, Pass, Fail},
	{`set -e; npm test || true; echo done`, Inconclusive, Inconclusive},
	{`set -e; if npm test; then :; fi; echo done`, Inconclusive, Inconclusive},
	{`(npm test)`, Pass, Fail},
	{`{ npm test; }`, Pass, Fail},
	{`(npm test; echo done)`, Inconclusive, Inconclusive},
	{`(set -o pipefail; npm test | cat)`, Pass, Inconclusive},
	{`bash -o pipefail -c 'npm test | cat'`, Pass, Inconclusive},
	{`bash -c 'npm test'`, Pass, Fail},
	{`bash -c 'npm test | cat'`, Inconclusive, Inconclusive},
	{`bash -ec 'npm test; echo done'`, Pass, Fail},
	{`sh -c 'npm test; exit $?'`, Pass, Fail},
	{`out=$(npm test)`, Pass, Fail},
	{`out=$(npm test); echo "$out"`, Inconclusive, Inconclusive},
	{`out=$(npm test 2>&1) || { echo "$out"; exit 1; }`, Pass, Fail},
	{`echo "$(npm test)"`, Inconclusive, Inconclusive},
	{`export OUT=$(npm test)`, Inconclusive, Inconclusive},
	{`npm test; rc=$?; echo $rc; exit $rc`, Pass, Fail},
	{`npm test; rc=$?; echo rc; exit 0`, Inconclusive, Inconclusive},
	{`npm test; exit $?`, Pass, Fail},
	{`npm test | tee log; exit ${PIPESTATUS[0]}`, Pass, Fail},
	{`npm test | tee log; test ${PIPESTATUS[0]} -eq 0`, Pass, Fail},
	{`npm test | tee log; exit ${PIPESTATUS[1]}`, Inconclusive, Inconclusive},
	{`npm test; [ $? -eq 0 ]`, Pass, Fail},
	{`npm test; [ $? -ne 0 ]`, Inconclusive, Fail},
	{`if npm test; then echo ok; else echo bad; exit 1; fi`, Pass, Fail},
	{`if npm test; then echo ok; fi`, Inconclusive, Inconclusive},
	{`if ! npm test; then exit 1; fi`, Pass, Fail},
	{`while ! npm test; do exit 1; done`, Inconclusive, Inconclusive},
	{`for i in 1 2; do npm test; done`, Inconclusive, Inconclusive},
	{`time npm test`, Pass, Fail},
	{`timeout 60 npm test`, Pass, Fail},
	{`nice -n 5 npm test`, Pass, Fail},
	{`nohup npm test`, Pass, Fail},
	{`env CI=1 npm test`, Pass, Fail},
	{`CI=true npm test`, Pass, Fail},
	{`command npm test`, Pass, Fail},
	{`exec npm test`, Pass, Fail},
	{`xargs npm test </dev/null`, Inconclusive, Inconclusive},
	{`npm test < <(echo y)`, Pass, Fail},
	{`npm test < no/such/file`, Inconclusive, Inconclusive},
	{`npm test < /dev/null > log 2>&1`, Pass, Fail},
	{`cat <(npm test)`, Inconclusive, Inconclusive},
	{`npm test > >(cat)`, Pass, Fail},
	{`trap 'exit 0' EXIT; npm test`, Inconclusive, Inconclusive},
	{`npm() { return 0; }; npm test`, Inconclusive, Inconclusive},
	{`eval 'npm() { :; }'; npm test`, Inconclusive, Inconclusive},
	{`PATH=/usr/bin:/bin; npm test`, Inconclusive, Inconclusive},
	{`NODE_OPTIONS=--require=./x.js npm test`, Inconclusive, Inconclusive},
	{`npm  test`, Inconclusive, Inconclusive},
	{`npm test -- one.test.js`, Inconclusive, Inconclusive},
	{`case x in x) npm test;; esac`, Inconclusive, Inconclusive},
	{`true && npm test || false`, Pass, Fail},
	{`false || npm test`, Pass, Fail},
	{`false && npm test`, Inconclusive, Inconclusive},
	{`true || npm test`, Inconclusive, Inconclusive},
	{`exit 0; npm test`, Inconclusive, Inconclusive},
	{`npm test; npm test`, Inconclusive, Fail},
	{`npm test && npm test`, Pass, Fail},
	{`npm test & npm test`, Inconclusive, Fail},
	{`coproc npm test; wait`, Inconclusive, Inconclusive},
	{`set -n; npm test`, Inconclusive, Inconclusive},
	{`npm test # | true`, Pass, Fail},
	{"npm test <<'E'\nx || true\nE", Pass, Fail},
	{`"npm" test`, Inconclusive, Inconclusive},
	{`f() { npm test; }; f`, Inconclusive, Inconclusive},
	{`local x=$(npm test)`, Inconclusive, Inconclusive},
	{`npm test; (exit $?)`, Pass, Fail},
	{`x=1; npm test`, Pass, Fail},
	{`[[ $(npm test) ]]`, Inconclusive, Inconclusive},
	{`npm test > out/of/reach/log || exit 1`, Inconclusive, Inconclusive},
}

// runsBash runs a line with npm being a program that ends with the status.
func runsBash(t *testing.T, line, dir, bin string) int {
	t.Helper()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + dir}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestE13MaskedStatus holds each conclusion against bash itself: the line is
// run with npm test passing and failing, and what the status is taken to prove
// must be true, and as much as the table demands.
func TestE13MaskedStatus(t *testing.T) {
	for _, status := range []int{0, 7} {
		bin := t.TempDir()
		script := "#!/bin/sh\nexit " + string(rune('0'+status)) + "\n"
		if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, m := range maskings {
			dir := t.TempDir()
			a := Attribute(m.line, "npm test", dir, isDir)
			if !a.Found {
				t.Errorf("%q: npm test was not found", m.line)
				continue
			}
			got, want := a.Of(runsBash(t, m.line, dir, bin)), m.passing
			if status != 0 {
				want = m.failing
			}
			if got != want {
				t.Errorf("%q with npm test ending in %d: %s (%s); want %s", m.line, status, got, a.Reason, want)
			}
			if got == Inconclusive && (a.Reason == "" || !strings.Contains(a.Remedy, "npm test")) {
				t.Errorf("%q: inconclusive without a reason (%q) or a remedy (%q)", m.line, a.Reason, a.Remedy)
			}
		}
	}
}

// TestE6NotTheCommand shows lines that hold no run of the command at all.
func TestE6NotTheCommand(t *testing.T) {
	for _, line := range []string{"npm run build", "echo npm", "ls", "git commit -m 'run npm test'", "npx npm-test"} {
		if a := Attribute(line, "npm test", "/", nil); a.Found {
			t.Errorf("%q is taken for npm test: %+v", line, a)
		}
	}
}

// TestE13Directory shows where a command is seen to run.
func TestE13Directory(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"npm test":                           dir,
		"cd sub && npm test":                 dir + "/sub",
		"cd sub; npm test":                   dir + "/sub",
		"cd sub && cd deep && npm test":      dir + "/sub/deep",
		"(cd sub && npm test)":               dir + "/sub",
		"(cd sub); npm test":                 dir,
		"cd $X && npm test":                  "",
		"pushd sub && npm test":              "",
		"cd sub && bash -c 'npm test'":       dir + "/sub",
		"bash -c 'cd sub'; npm test":         dir,
		"if true; then cd sub; fi; npm test": "",
		"cd " + dir + " && npm test":         dir,
	} {
		if a := Attribute(line, "npm test", dir, isDir); a.Dir != want {
			t.Errorf("%q runs in %q; want %q", line, a.Dir, want)
		}
	}
}

// TestE13CompoundVerifier shows commands of a profile that have parts.
func TestE13CompoundVerifier(t *testing.T) {
	for _, tc := range []struct {
		line, verifier string
		zero, nonZero  Outcome
	}{
		{"npm run lint && npm test", "npm run lint && npm test", Pass, Fail},
		{"cd . && npm test", "cd . && npm test", Pass, Fail},
		{"npm run lint && npm test", "npm test", Pass, Inconclusive},
		{"set -o pipefail; npm test | cat", "npm test | cat", Pass, Fail},
		{"(npm run lint && npm test)", "npm run lint && npm test", Pass, Fail},
		{"npm run lint && npm test || true", "npm run lint && npm test", Inconclusive, Inconclusive},
	} {
		a := Attribute(tc.line, tc.verifier, "/", func(string) bool { return true })
		if a.Zero != tc.zero || a.NonZero != tc.nonZero {
			t.Errorf("%q for %q: %s, %s (%s); want %s, %s", tc.line, tc.verifier, a.Zero, a.NonZero, a.Reason, tc.zero, tc.nonZero)
		}
	}
}

// TestE6WeakCommands shows which commands a profile may not name.
func TestE6WeakCommands(t *testing.T) {
	for command, ok := range map[string]bool{
		"npm test": true, "go vet ./... && go test ./...": true, "make check": true, "cd web && npm test": true,
		"set -o pipefail; npm test | tee log": true, "bash -c 'npm test'": true,
		"true": false, ":": false, "echo ok": false, "exit 0": false, "npm test || true": false, "npm test | tee log": false,
		"npm test; echo done": false, "npm test &": false, "docker compose up -d; npm test; docker compose down": false,
		"NPM_TOKEN=abc123 npm test": false, "echo 'no verify configured'": false, "if": false, "! npm test": false,
	} {
		if err := CheckVerifyCommand(command); (err == nil) != ok {
			t.Errorf("CheckVerifyCommand(%q) = %v; want ok %v", command, err, ok)
		}
	}
}

// TestE13Bounded shows that lines made to be costly are given up on, not
// followed for ever: the number of steps does not grow with their size.
func TestE13Bounded(t *testing.T) {
	for name, line := range map[string]string{
		"subshells":     strings.Repeat("(a; ", 60) + "npm test" + strings.Repeat(")", 60),
		"substitutions": strings.Repeat("x=$(a; ", 60) + "npm test" + strings.Repeat(")", 60),
		"pipeline":      strings.Repeat("a | ", 3000) + "npm test",
		"list":          strings.Repeat("a || ", 3000) + "npm test",
	} {
		file, err := parseBash(line)
		if err != nil {
			t.Fatal(err)
		}
		run := newShellRun(line, "npm test", "/", nil)
		run.lineEnds(file.Stmts, &shellEnv{})
		if limit := 4 * maxShellSteps; run.steps > limit {
			t.Errorf("%s: %d steps; want at most %d", name, run.steps, limit)
		}
		if a := Attribute(line, "npm test", "/", nil); a.Zero == Pass && run.steps > maxShellSteps {
			t.Errorf("%s: given up on, yet taken for a pass", name)
		}
	}
}

func FuzzAttribute(f *testing.F) {
	for _, m := range maskings {
		f.Add(m.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		a := Attribute(line, "npm test", "/", nil)
		if a.Exact && a.Zero != Pass {
			t.Errorf("the command itself proves nothing: %+v", a)
		}
	})
}
