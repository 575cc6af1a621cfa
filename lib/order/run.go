package order

import (
	"errors"
	"fmt"

	ctlcap "carvel.dev/kapp/pkg/kapp/clusterapply"
	ctldiff "carvel.dev/kapp/pkg/kapp/diff"
	ctlres "carvel.dev/kapp/pkg/kapp/resources"
)

// State is what kapp thinks of a change that it has applied.
type State struct {
	// Done says that kapp waits no longer, and Successful that what waits for the change may begin.
	Done, Successful bool
	Message          string
}

// Run applies all changes in their order, as kapp does. After each, status says what controllers would make of the
// resource; nil leaves it as it is. What waits for a change that does not get ready is not begun: that is the error,
// one for each such change.
func (g *Graph) Run(cluster *Cluster, status func(ctlres.Resource) map[string]any) error {
	ready := map[*Change]bool{}
	var errs []error
	for _, phase := range g.Phases() {
		for _, change := range phase {
			if !all(change.WaitingFor, ready) {
				continue
			}
			if err := g.runOne(change, cluster, status); err != nil {
				errs = append(errs, err)
				continue
			}
			ready[change] = true
		}
	}
	return errors.Join(errs...)
}

func (g *Graph) runOne(change *Change, cluster *Cluster, status func(ctlres.Resource) map[string]any) error {
	if err := g.Apply(change, cluster); err != nil {
		return err
	}
	if live := cluster.at(change.Resource()); live != nil {
		if made := status(live); made != nil {
			if err := cluster.SetStatus(reference(live), made); err != nil {
				return err
			}
		}
	}
	state, err := g.Wait(change, cluster)
	if err != nil {
		return err
	}
	if !state.Done || !state.Successful {
		return fmt.Errorf("%s %s does not get ready: %s", change.Op, change, state.Message)
	}
	return nil
}

func all(changes []*Change, ready map[*Change]bool) bool {
	for _, change := range changes {
		if !ready[change] {
			return false
		}
	}
	return true
}

// Wait says what kapp thinks of a change after it was applied, by the app's wait rules and by its own
// (pkg/kapp/clusterapply, IsDoneApplying). Pods and other resources that belong to this one are not looked at.
// Its error is ErrNotFound where the resource has gone.
func (g *Graph) Wait(change *Change, cluster *Cluster) (State, error) {
	live := cluster.at(change.Resource())
	switch change.wait {
	case ctlcap.ClusterChangeWaitOpOK:
		if live == nil {
			return State{}, fmt.Errorf("waiting for %s: %w", change, ErrNotFound)
		}
		converged := ctlcap.NewConvergedResourceFactory(g.op.conf.WaitRules(), ctlcap.ConvergedResourceFactoryOpts{}).New(live, nil)
		state, _, err := converged.IsDoneApplying()
		return State{state.Done || state.UnblockChanges, state.Successful || state.UnblockChanges, state.Message}, err
	case ctlcap.ClusterChangeWaitOpDelete:
		gone := live == nil || change.strategy == orphan || live.UID() != change.diff.ExistingResource().UID()
		return State{Done: gone, Successful: true}, nil
	default:
		return State{Done: true, Successful: true}, nil
	}
}

// Apply does to the cluster what kapp does for a change, its record of what it applied included.
//
// Errors: ErrExists and ErrNotFound where the cluster is not as at the time of the plan, ErrConflict where the resource
// is not and the change would now be another, ErrImmutable where Kubernetes refuses the update.
func (g *Graph) Apply(change *Change, cluster *Cluster) error {
	if err := g.Write(change, cluster); err != nil {
		return err
	}
	return g.record(change, cluster)
}

// Write is Apply without the record: what is left where kapp is killed between the two.
func (g *Graph) Write(change *Change, cluster *Cluster) error {
	var err error
	switch change.Op {
	case OpCreate:
		_, err = cluster.create(change.diff.NewResource())
	case OpReplace:
		err = replace(change, cluster)
	case OpUpdate:
		if change.strategy == skipUpdate {
			return nil
		}
		err = g.update(change, cluster)
		if errors.Is(err, ErrImmutable) && change.strategy == fallbackOnReplace {
			err = replace(change, cluster)
		}
	case OpDelete:
		err = remove(change, cluster)
	case OpExists:
		if cluster.at(change.Resource()) == nil {
			err = fmt.Errorf("%s: %w", change, ErrNotFound)
		}
	}
	return err
}

// replace creates the resource as it was applied: nothing of a rebase goes into it.
func replace(change *Change, cluster *Cluster) error {
	delete(cluster.resources, key(change.diff.ExistingResource()))
	_, err := cluster.create(change.diff.AppliedResource())
	return err
}

// update follows UpdatePlainStrategy and tryToResolveUpdateConflict of pkg/kapp/clusterapply/add_or_update_change.go: where the resource has
// changed since the plan, kapp compares again, and goes on only if it would do the same. An update without a version,
// which the API server takes for a Job (pkg/registry/batch/job/strategy.go, AllowUnconditionalUpdate), is no conflict.
func (g *Graph) update(change *Change, cluster *Cluster) error {
	planned := change.diff.NewResource()
	live := cluster.at(planned)
	version, versioned := metadataOf(planned)["resourceVersion"]
	if live != nil && versioned && metadataOf(live)["resourceVersion"] != version {
		again, err := g.op.changeSets.New([]ctlres.Resource{live}, []ctlres.Resource{change.diff.AppliedResource()}).Calculate()
		if err != nil {
			return err
		}
		if len(again) != 1 || again[0].Op() != ctldiff.ChangeOpUpdate || again[0].OpsDiff().MinimalMD5() != change.diff.OpsDiff().MinimalMD5() {
			return fmt.Errorf("updating %s: %w", change, ErrConflict)
		}
		planned = again[0].NewResource()
	}
	_, err := cluster.update(planned)
	return err
}

func remove(change *Change, cluster *Cluster) error {
	existing := change.diff.ExistingResource()
	live := cluster.at(existing)
	switch {
	case live == nil || live.UID() != existing.UID():
		return nil
	case change.strategy == orphan:
		return cluster.Edit(reference(live), func(object map[string]any) {
			delete(child(child(object, "metadata"), "labels"), appLabel)
		})
	}
	delete(cluster.resources, key(live))
	cluster.writes++
	return nil
}

// record follows recordAppliedResource of pkg/kapp/clusterapply/add_or_update_change.go.
func (g *Graph) record(change *Change, cluster *Cluster) error {
	if change.Op != OpCreate && change.Op != OpReplace && (change.Op != OpUpdate || change.strategy == skipUpdate) {
		return nil
	}
	saved := cluster.at(change.Resource())
	if saved == nil {
		return fmt.Errorf("recording what was applied to %s: %w", change, ErrNotFound)
	}
	history := g.op.factory.NewResourceWithHistory(saved)
	if !history.AllowsRecordingLastApplied() {
		return nil
	}
	applied, err := history.CalculateChange(change.diff.AppliedResource())
	if err != nil {
		return fmt.Errorf("comparing %s with what was applied: %w", change, err)
	}
	recorded, fits, err := history.RecordLastAppliedResource(applied)
	if err != nil || !fits {
		return err
	}
	cluster.put(recorded)
	return nil
}
