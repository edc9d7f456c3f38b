package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tagVariable is set in the environment of every process that a scenario
// starts, so that those left behind can be found whoever their parent is.
const tagVariable = "PI_GUARD_E2E"

// process is one running process of a scenario.
type process struct {
	pid  int
	name string // base name of the program
}

// tagged lists the running processes that carry the tag. Zombies have no
// environment and are not listed.
func tagged(tag string) []process {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []process
	for _, file := range environs {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+tagVariable+"="+tag+"\x00")) {
			continue
		}
		dir := filepath.Dir(file)
		program, err := os.Readlink(filepath.Join(dir, "exe"))
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		found = append(found, process{pid: pid, name: filepath.Base(program)})
	}
	return found
}

// named keeps the processes that run the program with that base name.
func named(processes []process, name string) []process {
	var kept []process
	for _, p := range processes {
		if p.name == name {
			kept = append(kept, p)
		}
	}
	return kept
}

func describe(processes []process) string {
	var b strings.Builder
	for _, p := range processes {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		fmt.Fprintf(&b, "%d %s\n", p.pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
	}
	return b.String()
}

// until asks again and again until condition holds; false after the patience.
// The state of other processes cannot be waited for in any other way.
func until(condition func() bool) bool {
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(20 * time.Millisecond)
	}
	return true
}
