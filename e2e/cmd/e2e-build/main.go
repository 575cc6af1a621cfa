// Command e2e-build builds what the end-to-end tests need and says how far it is. The tests would build
// it too, but `go test` shows nothing of a package until it ends.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "e2e-build:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	builder, err := build.New(os.Stderr)
	if err != nil {
		return err
	}
	for _, program := range []build.Program{build.Kapp, build.Kube} {
		path, err := builder.Cached(ctx, program)
		if err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}
