// Package order says in what order kapp will do things to the resources of a rendered stream, without a cluster.
//
// The plan is kapp's own: its reading of the stream, its Config and rebase rules, its diff, its change set and
// its change graph (carvel.dev/kapp/pkg/kapp: resources, config, diff, clusterapply, diffgraph). What kapp does with a
// client in hand is followed step by step instead, each with its place in kapp's source.
//
// For the common case, Install, Upgrade and Delete give the Graph of one operation; Graph.Before asks it what waits
// for what, Graph.Phases and Graph.Text show it.
//
// To follow an app over several deploys, keep a Planner (it remembers the slow part, the ytt rebase rules), Read each
// stream once, and let a Cluster stand for the real one:
//
//	graph, err := planner.Deploy(app, cluster, "1")
//	err = graph.Run(cluster, Healthy)
//
// or, change by change, Graph.Apply and Graph.Wait, with Cluster.SetStatus for what controllers would do. A Cluster is
// cheap to Clone: resources in it are replaced, never written to.
//
// The simulation knows the little of the API server and the controllers that kapp's decisions rest on. It is
// no test of Kubernetes.
package order
