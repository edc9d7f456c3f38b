// Command gen writes the types of the protocol to the file it is given. It is
// run by go generate in package rpc.
package main

import (
	"fmt"
	"os"

	"github.com/pi-guard/pi-guard/rpc/internal/typescript"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: gen FILE")
	}
	source, err := typescript.Generate(".")
	if err != nil {
		return err
	}
	return os.WriteFile(os.Args[1], source, 0o644)
}
