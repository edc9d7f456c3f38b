// Getpi gets a release of pi into the cache and prints the path of its
// program: go run ./scripts/getpi [VERSION]. Without a version it is the
// newest that pi-guard is tested with.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/pi-guard/pi-guard/scripts/internal/pis"
)

func main() {
	version := pis.Newest
	if len(os.Args) > 1 {
		version = os.Args[1]
	}
	if err := run(version); err != nil {
		fmt.Fprintln(os.Stderr, "getpi:", err)
		os.Exit(1)
	}
}

func run(version string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	release, err := pis.ByVersion(version)
	if err != nil {
		return err
	}
	install, err := release.Get(ctx, func(step string) { fmt.Fprintln(os.Stderr, step) })
	if err != nil {
		return err
	}
	fmt.Println(install.Pi)
	return nil
}
