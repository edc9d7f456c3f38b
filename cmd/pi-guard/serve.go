package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pi-guard/pi-guard/hooks"
	"github.com/pi-guard/pi-guard/rpc"
)

// serveCmd is the guard of one pi process. It is started by the extension.
type serveCmd struct {
	PromptTimeout string `help:"How long a prompt waits before it counts as a no, such as 30s, where that is shorter than the policy says." env:"PI_GUARD_PROMPT_TIMEOUT"`
}

// Run answers pi on the standard streams until they close.
func (c *serveCmd) Run(std streams) error {
	// pi ends the guard by closing its input. A key pressed in pi's terminal
	// or a closed pipe must not end it in the middle of a record.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	opts, err := hooks.DefaultOptions()
	if err != nil {
		return err
	}
	opts.Version = version
	opts.PromptTimeout = c.PromptTimeout
	rpc.Serve(context.Background(), stdio{std.in, std.out}, func(pi *rpc.Host) rpc.Guard {
		return hooks.NewSession(pi, opts)
	})
	return nil
}

// stdio is the two standard streams as one connection.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes the output, and the input where it can be closed.
func (s stdio) Close() error {
	if f, ok := s.Reader.(*os.File); ok {
		_ = f.Close() // reading is over either way
	}
	if f, ok := s.Writer.(*os.File); ok {
		return f.Close()
	}
	return nil
}
