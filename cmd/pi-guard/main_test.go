package main

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/ledger"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pi-guard": main})
}

// TestScripts runs what a person would type, from testdata.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := env.WorkDir + "/home"
			env.Setenv("HOME", home)
			env.Setenv("DATA", home+"/.local/share/pi-guard")
			env.Setenv("SETTINGS", home+"/.pi/agent/settings.json")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"observe": observe,
			// status STATUS COMMAND [ARG...] runs a command that must end with
			// an exit status of its own.
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: status STATUS COMMAND [ARG...]")
				}
				err := ts.Exec(args[1], args[2:]...)
				got := "0"
				if err != nil {
					got = err.Error()
					if len(got) > 12 && got[:12] == "exit status " {
						got = got[12:]
					}
				}
				if got != args[0] {
					ts.Fatalf("status %s, want %s", got, args[0])
				}
			},
		},
	})
}

// observe STATUS COMMAND records a run in the directory of the script, as a
// session does that saw it.
func observe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: observe STATUS COMMAND")
	}
	exit, err := strconv.Atoi(args[0])
	ts.Check(err)
	ctx, project := context.Background(), ts.MkAbs(".")
	l, _, err := hooks.OpenLedger(ctx, project, hooks.Options{Home: ts.Getenv("HOME"), DataDir: ts.Getenv("DATA")})
	ts.Check(err)
	defer l.Close()
	before, err := l.Before(ctx, args[1], project)
	ts.Check(err)
	_, err = l.Observe(ctx, ledger.Observation{
		Cwd: project, Command: args[1], ExitCode: &exit, IsError: exit != 0, Before: before,
		Started: time.Now(), Finished: time.Now(), Source: ledger.FromAgent, Session: "s1", Output: "ok",
	})
	ts.Check(err)
}
