package order

import (
	"cmp"
	"fmt"

	ctlcap "carvel.dev/kapp/pkg/kapp/clusterapply"
	ctlconf "carvel.dev/kapp/pkg/kapp/config"
	ctldiff "carvel.dev/kapp/pkg/kapp/diff"
	"carvel.dev/kapp/pkg/kapp/logger"
	ctlres "carvel.dev/kapp/pkg/kapp/resources"
)

// Planner plans deploys and deletions of one app. The zero value plans for the namespace "default". It may be used by several
// goroutines at once.
type Planner struct {
	// Namespace is where resources go that name none (kapp's --namespace).
	Namespace string

	rebases cache
}

// operation is what one kapp command works with. It outlives the plan, since kapp rebases and diffs
// again while it applies.
type operation struct {
	conf       ctlconf.Conf
	factory    ctldiff.ChangeFactory
	changeSets ctldiff.ChangeSetFactory
	opts       ctlcap.ClusterChangeOpts
}

// Deploy plans `kapp deploy` of an app to a cluster, as in pkg/kapp/cmd/app/deploy.go. The nonce must differ from those
// of earlier deploys to the cluster; kapp itself takes the time. Neither app nor cluster change.
//
// Errors: a CycleError, or what kapp says of a rule or of an annotation that it cannot read.
func (p *Planner) Deploy(app *App, cluster *Cluster, nonce string) (graph *Graph, err error) {
	defer asError(&err)
	against := ctldiff.ChangeSetOpts{AgainstLastApplied: true}
	factory := ctldiff.NewChangeFactory(p.rebases.wrap(app.conf.RebaseMods()), app.conf.DiffAgainstLastAppliedFieldExclusionMods(),
		app.conf.DiffAgainstExistingFieldExclusionMods(), ctldiff.ChangeOpts{})
	op := operation{
		conf:       app.conf,
		factory:    factory,
		changeSets: ctldiff.NewChangeSetFactory(against, factory),
		opts:       ctlcap.ClusterChangeOpts{Wait: true},
	}

	resources, err := prepare(app, cmp.Or(p.Namespace, "default"), nonce)
	if err != nil {
		return nil, err
	}
	existing := cluster.ofApp(resources)
	if err := ctldiff.NewRenewableResources(existing, resources).Prepare(); err != nil {
		return nil, err
	}
	changes, err := ctldiff.NewChangeSetWithVersionedRs(existing, resources, app.conf.TemplateRules(), against, factory).Calculate()
	if err != nil {
		return nil, fmt.Errorf("comparing with what is deployed: %w", err)
	}
	return op.graph(changes)
}

// Delete plans `kapp delete`, as in pkg/kapp/cmd/app/delete.go: no Config of the app is at hand, only what stands on the
// resources in the cluster. Its errors are those of Deploy.
func (p *Planner) Delete(cluster *Cluster) (graph *Graph, err error) {
	defer asError(&err)
	_, conf, err := ctlconf.NewConfFromResourcesWithDefaults(nil)
	if err != nil {
		return nil, err
	}
	factory := ctldiff.NewChangeFactory(nil, nil, nil, ctldiff.ChangeOpts{})
	op := operation{
		conf:       conf,
		factory:    factory,
		changeSets: ctldiff.NewChangeSetFactory(ctldiff.ChangeSetOpts{AgainstLastApplied: true}, factory),
		opts:       ctlcap.ClusterChangeOpts{Wait: true, WaitIgnored: true},
	}
	changes, err := op.changeSets.New(cluster.ofApp(nil), nil).Calculate()
	if err != nil {
		return nil, fmt.Errorf("comparing with what is deployed: %w", err)
	}
	return op.graph(changes)
}

// graph takes kapp's changes through kapp's change set for clusters, which needs no client until it applies.
func (op operation) graph(changes []ctldiff.Change) (*Graph, error) {
	noCluster := ctlres.IdentifiedResources{}
	converged := ctlcap.NewConvergedResourceFactory(op.conf.WaitRules(), ctlcap.ConvergedResourceFactoryOpts{})
	factory := ctlcap.NewClusterChangeFactory(op.opts, noCluster, op.factory, op.changeSets, converged, nil, nil)
	set := ctlcap.NewClusterChangeSet(changes, ctlcap.ClusterChangeSetOpts{}, factory,
		op.conf.ChangeGroupBindings(), op.conf.ChangeRuleBindings(), nil, logger.NewNoopLogger())

	_, graph, err := set.Calculate()
	if err != nil {
		if cycle := findCycle(graph); cycle != nil {
			return nil, cycle
		}
		return nil, fmt.Errorf("ordering the changes: %w", err)
	}
	return newGraph(op, changes, graph)
}
