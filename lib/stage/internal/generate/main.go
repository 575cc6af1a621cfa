// Command generate writes the stage table for the ytt program to the file that it is given.
package main

import (
	"fmt"
	"os"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/stage"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], stage.Starlark(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
