package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

func newPlan(streams Streams) *cobra.Command {
	var flags renderFlags
	var event string
	command := &cobra.Command{
		Use:   "plan",
		Short: "Show the order in which kapp will do things, without a cluster",
		Long: `Show the order in which kapp will do things, without a cluster.

The phases are those of kapp's own change graph. What stands in one phase waits for nothing in it.`,
		Example: `  kapp-lifecycle plan -f config/ -f lifecycle.yaml
  kapp-lifecycle plan -f config/ -f lifecycle.yaml --event delete`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			plans := map[string]func([]byte) (*order.Graph, error){"install": order.Install, "delete": order.Delete}
			plan, known := plans[event]
			if !known {
				return fmt.Errorf("--event %s is not an event of plan: it is install or delete", event)
			}
			text, err := flags.render(streams)
			if err != nil {
				return err
			}
			graph, err := plan(text)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(streams.Out, graph.Text())
			return err
		},
	}
	flags.add(command)
	command.Flags().StringVar(&event, "event", "install", "what to plan: install or delete")
	return command
}
