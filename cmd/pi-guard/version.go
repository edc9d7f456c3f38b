package main

import (
	"fmt"
	"runtime/debug"

	"github.com/pi-guard/pi-guard/rpc"
)

// version is the guard's version; package.json has the same.
const version = "0.1.0"

// versionCmd prints the version.
type versionCmd struct{}

// Run prints the version of the guard, of the protocol and of the source.
func (versionCmd) Run(std streams) error {
	revision := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	_, err := fmt.Fprintf(std.out, "pi-guard %s (protocol %d, source %s)\n", version, rpc.Version, revision)
	return err
}
