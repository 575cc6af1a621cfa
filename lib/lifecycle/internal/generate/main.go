// Command generate writes what is made from the Lifecycle's types into the repository that it is given.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/lifecycle"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate REPOSITORY")
		os.Exit(2)
	}
	files, err := lifecycle.Generated()
	for path, content := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], path), content, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
