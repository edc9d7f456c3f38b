// Command pi-guard judges what the pi coding agent is about to do, keeps
// evidence of what it did, and answers people and programs who ask about
// either. The commands decide nothing: they read, hand over to the rooms below
// and print.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

// The exit statuses of every command that judges. A command that fails for
// another reason than its usage ends with statusFailure.
const (
	statusAllow   status = 0
	statusFailure status = 1
	statusUsage   status = 2
	statusAsk     status = 3
	statusDeny    status = 4
)

// status is an exit status as an error, so that a command can return it. It
// has been explained to the caller already and is not printed.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// usageError is a wrong use of a command that kong cannot see.
type usageError string

func (e usageError) Error() string { return string(e) }

// streams are the three standard streams of one run.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// commandLine is the whole command line. Each command is in the file of its name.
type commandLine struct {
	Check     checkCmd     `cmd:"" help:"Print what would happen to a tool call. Runs nothing."`
	Analyze   analyzeCmd   `cmd:"" help:"Print what a bash line would start and open. Runs nothing."`
	Explain   explainCmd   `cmd:"" help:"Print why a tool call would be judged as it is. Runs nothing."`
	Demo      demoCmd      `cmd:"" help:"Take a short tour of guarded pi with a scripted model."`
	Serve     serveCmd     `cmd:"" help:"Guard one pi process over its standard streams. Started by the extension."`
	Install   installCmd   `cmd:"" help:"Put the extension in place for your pi."`
	Uninstall uninstallCmd `cmd:"" help:"Take it away, leaving pi's settings as they were."`
	Doctor    doctorCmd    `cmd:"" help:"Look whether everything is right for pi to be guarded."`
	Ledger    ledgerCmd    `cmd:"" help:"Read the evidence of what ran, and check that it is whole."`
	Gate      gateCmd      `cmd:"" help:"Say whether work may be handed over."`
	Profile   profileCmd   `cmd:"" help:"Write, show and check the project's profile."`
	Import    importCmd    `cmd:"" help:"Turn another guard's rules into ours."`

	ProfileDoctor profileDoctorCmd `cmd:"" help:"Check the project's profile against the project."`
	TeamDoctor    teamDoctorCmd    `cmd:"" help:"Check what holds for every project on this machine."`

	Version versionCmd `cmd:"" help:"Print the version."`
}

func main() {
	os.Exit(int(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})))
}

// run is main without the process around it.
func run(args []string, std streams) status {
	var cl commandLine
	exited := statusAllow
	done := false
	parser, err := kong.New(&cl,
		kong.Name("pi-guard"),
		kong.Description("A guard for the pi coding agent."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(code int) { exited, done = status(code), true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return report(std, err)
	}
	ctx, err := parser.Parse(args)
	if done { // --help was printed
		return exited
	}
	if err != nil {
		return report(std, usageError(err.Error()))
	}
	return report(std, ctx.Run(std))
}

// report says on standard error why a run failed and chooses its exit status.
func report(std streams, err error) status {
	var s status
	var usage usageError
	switch {
	case err == nil:
		return statusAllow
	case errors.As(err, &s):
		return s
	case errors.As(err, &usage):
		fmt.Fprintf(std.err, "pi-guard: %s\nRun \"pi-guard --help\" for usage.\n", usage)
		return statusUsage
	}
	fmt.Fprintf(std.err, "pi-guard: %v\n", err)
	return statusFailure
}
