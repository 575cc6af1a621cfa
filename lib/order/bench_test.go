package order

import (
	"fmt"
	"testing"
)

// BenchmarkRebase is one question to the ytt rule, uncached.
func BenchmarkRebase(b *testing.B) {
	app := mustRead(b, stream(config(b), hook{run: "once", digest: "a"}.job(b)))
	cluster := NewCluster()
	g := mustDeploy(b, &Planner{}, app, cluster, "1")
	check(b, g.Run(cluster, Healthy))
	resources, err := prepare(app, "ns", "2")
	check(b, err)
	mods := app.conf.RebaseMods()
	for b.Loop() {
		res := resources[0].DeepCopy()
		check(b, mods[len(mods)-1].ApplyFromMultiple(res, sources(cluster.Get("Job/migrate"), res)))
	}
}

// BenchmarkDeploy plans the deploy of one hook to a cluster that has it: with questions that were asked before, and without.
func BenchmarkDeploy(b *testing.B) {
	app := mustRead(b, stream(config(b), revision(b, "a"), hook{run: "once", digest: "a"}.job(b)))
	cluster := NewCluster()
	check(b, mustDeploy(b, &Planner{}, app, cluster, "1").Run(cluster, Healthy))
	b.Run("cached", func(b *testing.B) {
		planner := &Planner{}
		for b.Loop() {
			mustDeploy(b, planner, app, cluster, "2")
		}
	})
	b.Run("uncached", func(b *testing.B) {
		for b.Loop() {
			mustDeploy(b, &Planner{}, app, cluster, "2")
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := stream(config(b), revision(b, "a"), hook{run: "once", digest: "a"}.job(b))
	for b.Loop() {
		_, err := Read(text)
		check(b, err)
	}
}

// BenchmarkInstall plans a large app: the order itself, no rebase.
func BenchmarkInstall(b *testing.B) {
	docs := [][]byte{hook{run: "once", digest: "a"}.job(b)}
	for i := range 2000 {
		docs = append(docs, fmt.Appendf(nil, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%d, namespace: ns, annotations: {kapp.k14s.io/change-group.kapp-lifecycle: app.kapp-lifecycle.dev/workloads}}}\n", i))
	}
	app := mustRead(b, stream(docs...))
	for b.Loop() {
		mustDeploy(b, &Planner{}, app, NewCluster(), "1")
	}
}
