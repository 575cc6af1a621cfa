// Command kapp-lifecycle gives apps that kapp deploys hooks: see lib/cli.
package main

import (
	"os"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
