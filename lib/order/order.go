package order

// Install plans the first deploy of a rendered stream.
func Install(stream []byte) (*Graph, error) {
	return deploy(stream, NewCluster())
}

// Upgrade plans the deploy of a rendered stream where an earlier one has been deployed whole.
func Upgrade(stream, deployed []byte) (*Graph, error) {
	cluster, err := Deployed(deployed)
	if err != nil {
		return nil, err
	}
	return deploy(stream, cluster)
}

// Delete plans the deletion of the app that a rendered stream was deployed as.
func Delete(deployed []byte) (*Graph, error) {
	cluster, err := Deployed(deployed)
	if err != nil {
		return nil, err
	}
	return new(Planner).Delete(cluster)
}

// Deployed gives the cluster in which a rendered stream has been deployed whole: all is healthy, and every Job complete.
func Deployed(stream []byte) (*Cluster, error) {
	cluster := NewCluster()
	graph, err := deploy(stream, cluster)
	if err != nil {
		return nil, err
	}
	return cluster, graph.Run(cluster, Healthy)
}

func deploy(stream []byte, cluster *Cluster) (*Graph, error) {
	app, err := Read(stream)
	if err != nil {
		return nil, err
	}
	// A nonce must only differ from those of earlier deploys, and every deploy writes something.
	return new(Planner).Deploy(app, cluster, cluster.nonce())
}
