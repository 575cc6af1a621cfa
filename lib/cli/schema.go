package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kapp-lifecycle/kapp-lifecycle/schema"
)

func newSchema(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of lifecycle.yaml, for editors",
		Example: "  kapp-lifecycle schema > lifecycle.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := streams.Out.Write(schema.JSON)
			return err
		},
	}
}

func newVersion(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  kapp-lifecycle version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(streams.Out, "kapp-lifecycle "+Version)
			return err
		},
	}
}
