package order

import (
	"fmt"
	"slices"
	"strings"

	ctlcap "carvel.dev/kapp/pkg/kapp/clusterapply"
	ctldiff "carvel.dev/kapp/pkg/kapp/diff"
	"carvel.dev/kapp/pkg/kapp/diffgraph"
	ctlres "carvel.dev/kapp/pkg/kapp/resources"
)

// Op is what kapp does to a resource.
type Op string

const (
	OpCreate  Op = "create"
	OpUpdate  Op = "update"
	OpReplace Op = "replace" // deletes it, and creates it anew
	OpDelete  Op = "delete"
	OpWait    Op = "wait"   // changes nothing, but waits until it is ready
	OpExists  Op = "exists" // waits until another app has created it
	OpKeep    Op = "keep"   // sees no change, and does nothing
)

// Change is what kapp does to one resource.
type Change struct {
	Op                          Op
	APIVersion, Kind, Namespace string
	Name                        string
	// Events and Run are what the annotations of a hook's Job say, and empty on all else.
	Events []string
	Run    string
	// WaitingFor are the changes that must be done, and ready, before this one begins.
	WaitingFor []*Change

	diff ctldiff.Change
	node *diffgraph.Change
	wait ctlcap.ClusterChangeWaitOp
	// strategy is kapp's word for how it applies the change.
	strategy ctlcap.ClusterChangeApplyStrategyOp
}

// String gives the reference of the resource: "Kind/name" or "Kind/namespace/name".
func (c *Change) String() string { return reference(c.Resource()) }

// IsHook says whether the change is to a hook's Job.
func (c *Change) IsHook() bool { return len(c.Events) > 0 }

// Resource gives the resource as kapp would have it afterwards, or as it is where kapp does not write it. It must
// not be written to.
func (c *Change) Resource() ctlres.Resource { return c.diff.NewOrExistingResource() }

// Diff gives the lines that change, as kapp shows them, and nothing where none does.
func (c *Change) Diff() string {
	diff := c.diff.ConfigurableTextDiff()
	if diff == nil {
		return ""
	}
	full := diff.Full()
	if !full.HasChanges() {
		return ""
	}
	return full.MinimalString()
}

// Graph is kapp's plan of one operation.
type Graph struct {
	// Changes are all that kapp does or waits for.
	Changes []*Change
	// Kept are the resources that do not change. They have no part in the order: nothing waits for them or through them.
	Kept []*Change

	op    operation
	graph *diffgraph.ChangeGraph
	of    map[*diffgraph.Change]*Change
}

// planned is what a node of kapp's graph can say of itself (pkg/kapp/clusterapply/cluster_change.go); its type is kapp's own.
type planned interface {
	ApplyOp() ctlcap.ClusterChangeApplyOp
	WaitOp() ctlcap.ClusterChangeWaitOp
	ApplyStrategyOp() (ctlcap.ClusterChangeApplyStrategyOp, error)
}

func newGraph(op operation, changes []ctldiff.Change, graph *diffgraph.ChangeGraph) (*Graph, error) {
	diffs := make(map[ctlres.Resource]ctldiff.Change, len(changes))
	for _, change := range changes {
		diffs[change.NewOrExistingResource()] = change
	}
	g := &Graph{op: op, graph: graph, of: map[*diffgraph.Change]*Change{}}
	for _, node := range graph.All() {
		change, err := newChange(node, diffs[node.Change.Resource()])
		if err != nil {
			return nil, err
		}
		delete(diffs, node.Change.Resource())
		g.Changes = append(g.Changes, change)
		g.of[node] = change
	}
	for node, change := range g.of {
		for _, other := range node.WaitingFor {
			change.WaitingFor = append(change.WaitingFor, g.of[other])
		}
	}
	for _, diff := range diffs {
		g.Kept = append(g.Kept, describe(diff))
	}
	// kapp keeps some of its resources in maps.
	byName := func(a, b *Change) int { return strings.Compare(a.String(), b.String()) }
	slices.SortFunc(g.Kept, byName)
	g.Kept = slices.CompactFunc(g.Kept, func(a, b *Change) bool { return key(a.Resource()) == key(b.Resource()) })
	return g, nil
}

func newChange(node *diffgraph.Change, diff ctldiff.Change) (*Change, error) {
	change := describe(diff)
	change.node = node
	plan := node.Change.(planned)
	strategy, err := plan.ApplyStrategyOp()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", change, err)
	}
	change.strategy = strategy
	change.wait = plan.WaitOp()
	switch plan.ApplyOp() {
	case ctlcap.ClusterChangeApplyOpAdd:
		change.Op = OpCreate
	case ctlcap.ClusterChangeApplyOpUpdate:
		change.Op = OpUpdate
		if strategy == alwaysReplace {
			change.Op = OpReplace
		}
	case ctlcap.ClusterChangeApplyOpDelete:
		change.Op = OpDelete
	case ctlcap.ClusterChangeApplyOpExists:
		change.Op = OpExists
	default:
		change.Op = OpWait
	}
	return change, nil
}

// The strategies of pkg/kapp/clusterapply that matter here; kapp does not export them.
const (
	alwaysReplace     ctlcap.ClusterChangeApplyStrategyOp = "always-replace"
	fallbackOnReplace ctlcap.ClusterChangeApplyStrategyOp = "fallback-on-replace"
	skipUpdate        ctlcap.ClusterChangeApplyStrategyOp = "skip"
	orphan            ctlcap.ClusterChangeApplyStrategyOp = "orphan"
)

func describe(diff ctldiff.Change) *Change {
	res := diff.NewOrExistingResource()
	change := &Change{Op: OpKeep, APIVersion: res.APIVersion(), Kind: res.Kind(), Namespace: res.Namespace(), Name: res.Name(), diff: diff}
	if events := res.Annotations()["kapp-lifecycle.dev/events"]; events != "" {
		change.Events = strings.Split(events, ",")
		change.Run = res.Annotations()["kapp-lifecycle.dev/run"]
	}
	return change
}

// Find gives the one change to the resource that a reference ("Job/migrate" or "Job/namespace/migrate") means, nil where none
// or several are meant. Kept resources are found too.
func (g *Graph) Find(ref string) *Change {
	var found *Change
	for _, changes := range [][]*Change{g.Changes, g.Kept} {
		for _, change := range changes {
			if !refersTo(ref, change.Resource()) {
				continue
			}
			if found != nil {
				return nil
			}
			found = change
		}
	}
	return found
}

// Before says whether the change to b waits for the change to a, directly or through others. It is false
// where one of them does not change: kapp's order does not pass through such.
func (g *Graph) Before(a, b string) bool {
	first, second := g.Find(a), g.Find(b)
	if first == nil || second == nil || first.node == nil || second.node == nil {
		return false
	}
	return second.node.IsTransitivelyWaitingFor(first.node)
}

// Phases gives the changes in the order in which they can begin, if each takes as long as any other: what stands in one
// phase waits for something in the phase before it.
func (g *Graph) Phases() [][]*Change {
	sections, _ := g.graph.Linearized()
	var phases [][]*Change
	for _, section := range sections {
		var phase []*Change
		for _, node := range section {
			phase = append(phase, g.of[node])
		}
		if len(phase) > 0 {
			phases = append(phases, phase)
		}
	}
	return phases
}
