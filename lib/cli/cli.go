// Package cli is the command line: one function a command, each of which is given its streams, so that a
// test runs it in-process. What a command does is done elsewhere; here stand flags, help and exit codes.
package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// Version of the program; a release sets it at link time (-X ...lib/cli.Version=1.2.3).
var Version = "develop"

// Streams are where a command reads and writes.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// Main runs the command line and gives the exit code: 0, or 1 with the reason on Err and nothing on Out.
func Main(args []string, streams Streams) int {
	command := newRoot(streams)
	command.SetArgs(args)
	command.SetIn(streams.In)
	command.SetOut(streams.Out)
	command.SetErr(streams.Err)
	if err := command.Execute(); err != nil {
		fmt.Fprintln(streams.Err, message(err))
		return 1
	}
	return 0
}

// message words an error for a person; findings name their places themselves.
func message(err error) string {
	var list problem.List
	var one problem.Problem
	if errors.As(err, &list) || errors.As(err, &one) {
		lines := strings.Split(err.Error(), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "there is no") || strings.HasPrefix(line, "the input") {
				lines[i] = "kapp-lifecycle: " + line
			}
		}
		return strings.Join(lines, "\n")
	}
	return "kapp-lifecycle: " + err.Error()
}

func newRoot(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "kapp-lifecycle",
		Short: "Hooks for apps that kapp deploys",
		Long: `kapp-lifecycle gives apps that kapp deploys hooks: Jobs that run before or after an install or upgrade.

It reads the app's manifests and a lifecycle.yaml, and writes plain Kubernetes and kapp YAML.`,
		Example:       "  kapp-lifecycle render -f config/ -f lifecycle.yaml | kapp deploy -a app -f- -y",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRender(streams), newPlan(streams), newSchema(streams), newVersion(streams))
	return root
}
