package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
