package main

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Places inside the jail that only the driver and the stubs use.
const (
	driverArg   = "jail-driver"
	runDir      = "/run/oracle"
	logPath     = runDir + "/log"
	confPath    = runDir + "/conf"
	saidPath    = runDir + "/said"
	optDir      = "/opt/oracle"
	realShell   = optDir + "/real/bash"
	shellArgv0  = "/bin/bash"
	saidLimit   = 400
	startsLimit = 2000
)

// Limits of one line. Time on the wall is what ends a line that waits; the
// others keep a line that spins, grows or forks from hurting the machine.
const (
	lineTime      = time.Second
	lineCPU       = 2         // seconds, for each process
	lineMemory    = 512 << 20 // bytes of address space, for each process
	jailFileSize  = 4 << 20   // bytes, for each file
	jailProcesses = 200       // threads and processes together, the driver's included
)

// driver is the first process of the jail: it runs line after line and tells
// what each did. As the first process it outlives whatever a line kills, and
// inherits whatever a line leaves behind.
type driver struct {
	keeper *keeper
	env    []string
	conf   string
}

// drive serves requests until in ends.
func drive(in io.Reader, out io.Writer) error {
	if err := settle(); err != nil {
		return err
	}
	k, err := newKeeper(worldTree(), projectDir, homeDir, tempDir)
	if err != nil {
		return err
	}
	for _, path := range []string{logPath, confPath, saidPath} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return fmt.Errorf("preparing the log: %w", err)
		}
	}
	d := &driver{keeper: k, env: shellEnv()}
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	for {
		var batch []request
		if err := dec.Decode(&batch); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
		answers := make([]observation, len(batch))
		for i, r := range batch {
			if answers[i], err = d.run(r); err != nil {
				return fmt.Errorf("running %q: %w", r.Line, err)
			}
		}
		if err := enc.Encode(answers); err != nil {
			return fmt.Errorf("writing observations: %w", err)
		}
	}
}

// settle makes this process one that lines can neither stop nor look into,
// and sets the limits that all of them inherit.
func settle() error {
	// A caught signal is set back to its default in a new program; an
	// ignored one would stay ignored and change what trap does.
	signal.Notify(make(chan os.Signal, 1))
	signal.Reset(syscall.SIGCHLD, syscall.SIGURG)
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("closing the driver to others: %w", err)
	}
	for what, limit := range map[int]uint64{
		unix.RLIMIT_NPROC: jailProcesses, unix.RLIMIT_FSIZE: jailFileSize, unix.RLIMIT_CORE: 0,
	} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("setting limits: %w", err)
		}
	}
	return nil
}

func (d *driver) run(r request) (observation, error) {
	conf := fmt.Sprintf("%d\n %s \n%s", r.Status, strings.Join(r.Real, " "), r.Output)
	if conf != d.conf {
		if err := os.WriteFile(confPath, []byte(conf), 0o600); err != nil {
			return observation{}, fmt.Errorf("telling the stubs: %w", err)
		}
		d.conf = conf
	}
	var o observation
	if err := d.shell(r, &o); err != nil {
		return o, err
	}
	log, err := os.ReadFile(logPath)
	if err != nil {
		return o, fmt.Errorf("reading the log: %w", err)
	}
	if len(log) > 0 {
		o.Starts = parseLog(log)
		if err := os.Truncate(logPath, 0); err != nil {
			return o, fmt.Errorf("emptying the log: %w", err)
		}
	}
	o.Changes, err = d.keeper.restore()
	return o, err
}

// shell runs the line of r and waits until nothing of it is left.
func (d *driver) shell(r request, o *observation) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	said, err := os.OpenFile(saidPath, os.O_RDWR|os.O_TRUNC|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer said.Close()
	pid, err := syscall.ForkExec(realShell, []string{shellArgv0, "-c", r.Line}, &syscall.ProcAttr{
		Dir: projectDir, Env: d.env,
		Files: []uintptr{null.Fd(), said.Fd(), said.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("starting the shell: %w", err)
	}
	for what, limit := range map[int]uint64{unix.RLIMIT_CPU: lineCPU, unix.RLIMIT_AS: lineMemory} {
		_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: limit, Max: limit}, nil) // the line may be over already
	}
	o.Exit, o.TimedOut = reap(pid, cmp.Or(r.Limit, lineTime))
	buf := make([]byte, saidLimit)
	n, _ := said.ReadAt(buf, 0)
	o.Said = string(buf[:n])
	return nil
}

// reap waits for every process of the jail but this one, killing them all at
// limit. It returns the status of pid.
func reap(pid int, limit time.Duration) (status int, timedOut bool) {
	killed := make(chan struct{})
	timer := time.AfterFunc(limit, func() {
		defer close(killed)
		_ = syscall.Kill(-1, syscall.SIGKILL)
	})
	for {
		var ws syscall.WaitStatus
		done, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // ECHILD: nothing is left
			if !timer.Stop() {
				<-killed
				timedOut = true
			}
			return status, timedOut
		case done == pid:
			status = ws.ExitStatus()
		}
	}
}

// parseLog reads the records that the stubs wrote.
func parseLog(log []byte) []start {
	fields := bytes.Split(log, []byte{0})
	var starts []start
	for len(fields) > 4 && len(starts) < startsLimit {
		argc, err := strconv.Atoi(string(fields[0]))
		if err != nil || argc < 0 || len(fields) < 4+argc {
			return starts // a record cut short by a limit
		}
		s := start{Dir: string(fields[1]), Path: string(fields[2]), Parent: string(fields[3])}
		for _, word := range fields[4 : 4+argc] {
			s.Argv = append(s.Argv, string(word))
		}
		starts, fields = append(starts, s), fields[4+argc:]
	}
	return starts
}
