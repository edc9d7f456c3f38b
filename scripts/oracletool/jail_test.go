package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if ran, err := jailed(os.Args); ran {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func testKit(t *testing.T) *kit {
	t.Helper()
	k, err := newKit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// eachJail runs f in every kind of jail. At least one kind has to work here.
func eachJail(t *testing.T, f func(t *testing.T, observe func(line string) observation)) {
	t.Helper()
	k := testKit(t)
	working := 0
	for _, b := range builders() {
		t.Run(b.name, func(t *testing.T) {
			j, err := startJail(t.Context(), k, b, 0)
			if err != nil {
				t.Skipf("this kind of jail does not work here: %v", err)
			}
			working++
			defer func() {
				if err := j.Close(); err != nil {
					t.Error(err)
				}
			}()
			f(t, func(line string) observation {
				t.Helper()
				got, err := j.run([]request{{Line: line, Real: append(alwaysReal(), "perl", "mkdir", "rm"), Limit: 300 * time.Millisecond}})
				if err != nil {
					t.Fatalf("%q broke the jail: %v", line, err)
				}
				return got[0]
			})
		})
	}
	if working == 0 {
		t.Fatal("no kind of jail works here: apt-get install bubblewrap, or allow user namespaces")
	}
}

// started lists what was started, each as one text.
func started(o observation) []string {
	var all []string
	for _, s := range o.Starts {
		all = append(all, strings.Join(s.Argv, " "))
	}
	return all
}

func TestJailHoldsFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s"), 0o644); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	eachJail(t, func(t *testing.T, observe func(string) observation) {
		o := observe(`for d in / /bin /usr /usr/bin /usr/lib /lib /etc /opt/oracle /opt/oracle/sys /dev /dev/shm /proc /sys /home /root /var /run; do
			(: > $d/canary) 2>/dev/null && X wrote $d; done
			(: >> /etc/passwd) && X appended; (: > /opt/oracle/driver) && X driver; (: > /usr/bin/rm) && X stub`)
		if got := started(o); got != nil {
			t.Errorf("wrote outside the open folders: %q", got)
		}
		o = observe(`[ -e '` + secret + `' ] && X sees; for f in /root /home/* /work /mnt /srv /var /sys /boot; do X $f; done; X $HOSTNAME; X "$(env -i env)"`)
		if got := started(o); slices.Contains(got, "X sees") || !slices.Contains(got, "X jail") && host != "jail" {
			t.Errorf("sees the host: %q", got)
		}
		for _, seen := range started(o) {
			for _, path := range []string{"/root", "/work", "/mnt", "/srv", "/var", "/sys", "/boot"} {
				if seen == "X "+path {
					if o := observe("[ -e " + path + " ] && X"); len(o.Starts) > 0 {
						t.Errorf("%s of the host is in the jail", path)
					}
				}
			}
		}
		o = observe(`while read -r k v; do case $k in Cap*|NoNewPrivs:) X $k $v;; esac; done < /proc/self/status; mount -t tmpfs x /tmp`)
		for _, line := range started(o) {
			if fields := strings.Fields(line); len(fields) == 3 && strings.Trim(fields[2], "0") != "" && fields[1] != "NoNewPrivs:" {
				t.Errorf("the jail has privileges: %s", line)
			}
		}
	})
	if _, err := os.Stat("/canary"); err == nil {
		t.Error("a canary is on the host")
	}
}

func TestJailHoldsNetwork(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	abstract, err := net.Listen("unix", fmt.Sprintf("@pi-guard-oracle-%d", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	reached := make(chan string, 10)
	for _, l := range []net.Listener{tcp, abstract} {
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				reached <- l.Addr().String()
				conn.Close()
			}
		}()
	}
	_, port, err := net.SplitHostPort(tcp.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	eachJail(t, func(t *testing.T, observe func(string) observation) {
		o := observe(`(: > /dev/tcp/127.0.0.1/` + port + `) 2>/dev/null && X tcp
			(: > /dev/udp/1.1.1.1/53) 2>/dev/null && X udp
			perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("\0` + abstract.Addr().String()[1:] + `")) and exec "X", "unix"'`)
		if got := started(o); len(got) != 1 || !strings.HasPrefix(got[0], "perl") {
			t.Errorf("reached the network: %q, %s", got, o.Said)
		}
	})
	select {
	case who := <-reached:
		t.Errorf("the jail reached %s on the host", who)
	default:
	}
}

func TestJailHoldsProcesses(t *testing.T) {
	sleeper := exec.CommandContext(t.Context(), "sleep", "600")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	pid := sleeper.Process.Pid
	eachJail(t, func(t *testing.T, observe func(string) observation) {
		o := observe(fmt.Sprintf(`for p in /proc/[0-9]*; do X $p; done; kill -0 %d && X signalled; kill -9 %d; kill -9 -1`, pid, pid))
		if got := started(o); len(got) > 20 || slices.Contains(got, "X signalled") {
			t.Errorf("sees the host's processes: %q", got)
		}
		observe(`kill -9 1; kill -STOP 1; kill -TERM 1; kill -HUP 1; kill -QUIT 1; kill -INT 1; kill -SEGV 1; kill -ABRT 1; kill -ALRM 1; kill -USR1 1; kill -PIPE 1`)
		observe(`(: < /proc/1/environ) && X looked; (: > /proc/1/mem) && X wrote`)
		if got := started(observe("X alive")); !slices.Equal(got, []string{"X alive"}) {
			t.Errorf("the driver does not answer after signals: %q", got)
		}
	})
	if sleeper.ProcessState != nil {
		t.Error("a process of the host was killed from the jail")
	}
	if err := sleeper.Process.Kill(); err != nil {
		t.Errorf("a process of the host was killed from the jail: %v", err)
	}
	_ = sleeper.Wait() // it was killed just now
}

func TestJailHoldsExhaustion(t *testing.T) {
	eachJail(t, func(t *testing.T, observe func(string) observation) {
		for name, line := range map[string]string{
			"fork bomb":          `f() { f | f & }; f; f`,
			"program bomb":       `f() { X | f & f & }; f`,
			"big file":           `while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done > big`,
			"many files":         `i=0; while :; do echo a > f$((i++)); done`,
			"memory":             `a=aaaaaaaa; while :; do a=$a$a; done`,
			"output":             `while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaa; done`,
			"endless":            `while :; do :; done`,
			"stopped":            `kill -STOP $$`,
			"ignores signals":    `trap '' TERM INT HUP; while :; do :; done`,
			"left behind":        `(while :; do :; done) & exec X`,
			"session of its own": `setsid -f bash -c 'while :; do :; done'; X`,
			"deep folders":       `while :; do mkdir d && cd d || exit; done`,
			"log":                `while :; do X aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done`,
			"no permissions":     `mkdir p; > p/f; chmod 0 p; umask 777; > q`,
			"folder removed":     `cd src/inner; rm -rf /proj; X`,
		} {
			observe(line)
			o := observe(`X *; [ -e a.txt ] && X "$(< a.txt)"; for p in /proc/[0-9]*; do Y $p; done`)
			got := started(o)
			if len(got) < 2 || got[0] != "X Makefile README.md a.txt b.txt docs empty.log lib.sh link.txt package.json run.sh src two words.txt vacant" || got[1] != "X alpha" {
				t.Errorf("after %s the next line finds %q (%s)", name, got, o.Said)
			}
			if len(got) > 4 {
				t.Errorf("after %s something is left running: %q", name, got)
			}
			if len(o.Changes) > 0 {
				t.Errorf("after %s the tree was not put back: %v", name, o.Changes)
			}
		}
	})
}

func TestJailObserves(t *testing.T) {
	eachJail(t, func(t *testing.T, observe func(string) observation) {
		o := observe(`X "a  b" | Y; cd src; /usr/bin/Z; nosuch 1; env W; ../run.sh 2; bash -c 'X "$0"'`)
		for _, want := range []start{
			{Argv: []string{"X", "a  b"}, Dir: "/proj", Path: "/usr/bin/X"},
			{Argv: []string{"Y"}, Dir: "/proj", Path: "/usr/bin/Y"},
			{Argv: []string{"/usr/bin/Z"}, Dir: "/proj/src", Path: "/usr/bin/Z"},
			{Argv: []string{"nosuch", "1"}, Dir: "/proj/src"},
			{Argv: []string{"env", "W"}, Dir: "/proj/src", Path: "/usr/bin/env"},
			{Argv: []string{"W"}, Dir: "/proj/src", Path: "/usr/bin/W"},
			{Argv: []string{"/bin/sh", "../run.sh", "2"}, Dir: "/proj/src", Path: "../run.sh"},
			{Argv: []string{"X", "run", "2"}, Dir: "/proj/src", Path: "/usr/bin/X"},
			{Argv: []string{"bash", "-c", `X "$0"`}, Dir: "/proj/src", Path: "/usr/bin/bash"},
			{Argv: []string{"X", "bash"}, Dir: "/proj/src", Path: "/usr/bin/X"},
		} {
			if !slices.ContainsFunc(o.Starts, func(s start) bool {
				return slices.Equal(s.Argv, want.Argv) && s.Dir == want.Dir && s.Path == want.Path
			}) {
				t.Errorf("%q was not observed", want)
			}
		}
		if len(o.Starts) != 10 {
			t.Errorf("%d programs were observed: %q", len(o.Starts), started(o))
		}
		o = observe(`> empty.log; > new; echo a > a.txt; ln -s x y; echo hi > ~/notes.txt; mkdir d; : >> b.txt`)
		want := []change{
			{"/home/u/notes.txt", altered},
			{"/proj/a.txt", altered},
			{"/proj/d", created},
			{"/proj/empty.log", touched},
			{"/proj/new", created},
		}
		if !slices.Equal(o.Changes, want) {
			t.Errorf("observed changes %v, want %v", o.Changes, want)
		}
	})
}
