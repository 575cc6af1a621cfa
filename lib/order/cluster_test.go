package order

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	ctlcap "carvel.dev/kapp/pkg/kapp/clusterapply"
	ctlres "carvel.dev/kapp/pkg/kapp/resources"
)

// With its healthy status, kapp takes a resource of every kind for ready, and without any it takes none for ready.
func TestHealthyIsWhatKappWaitsFor(t *testing.T) {
	for _, kind := range []string{
		"apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1 DaemonSet", "batch/v1 Job", "v1 Pod", "v1 Service",
		"apiextensions.k8s.io/v1 CustomResourceDefinition", "apiregistration.k8s.io/v1 APIService", "kappctrl.k14s.io/v1alpha1 App",
		"packaging.carvel.dev/v1alpha1 PackageInstall", "packaging.carvel.dev/v1alpha1 PackageRepository",
	} {
		t.Run(kind, func(t *testing.T) {
			apiVersion, kind, _ := strings.Cut(kind, " ")
			spec := "{replicas: 3}"
			if kind == "Service" {
				spec = "{type: LoadBalancer}"
			} else if kind != "Deployment" && kind != "StatefulSet" {
				spec = "{}"
			}
			cluster := NewCluster()
			check(t, cluster.Add(fmt.Appendf(nil, "{apiVersion: %s, kind: %s, metadata: {name: x}, spec: %s}", apiVersion, kind, spec)))
			ready := func() bool {
				converged := ctlcap.NewConvergedResourceFactory(nil, ctlcap.ConvergedResourceFactoryOpts{}).New(cluster.Get(kind+"/x"), nil)
				state, _, err := converged.IsDoneApplying()
				check(t, err)
				return state.Done && state.Successful
			}
			if ready() {
				t.Error("ready without a status")
			}
			check(t, cluster.SetStatus(kind+"/x", Healthy(cluster.Get(kind+"/x"))))
			if !ready() {
				t.Error("not ready with the healthy status")
			}
		})
	}
}

func TestRunStopsBehindAFailure(t *testing.T) {
	cluster := NewCluster()
	g := mustDeploy(t, &Planner{}, mustRead(t, shop(t)), cluster, "1")
	err := g.Run(cluster, func(res ctlres.Resource) map[string]any {
		if res.Name() == "migrate" {
			return JobFailed()
		}
		return Healthy(res)
	})
	if err == nil || !strings.Contains(err.Error(), "create Job/shop/migrate does not get ready: Failed with reason BackoffLimitExceeded") {
		t.Errorf("error %v", err)
	}
	for ref, want := range map[string]bool{"ConfigMap/settings": true, "Job/migrate": true, "Deployment/api": false, "Job/configure": false, "ConfigMap/shop-revision-ver-1": false} {
		if got := cluster.Get(ref) != nil; got != want {
			t.Errorf("%s in the cluster: %t, want %t", ref, got, want)
		}
	}
	// The next deploy tries again, and what is there already is kept.
	g = mustDeploy(t, &Planner{}, mustRead(t, shop(t)), cluster, "2")
	if got := g.Find("Job/migrate").Op; got != OpReplace {
		t.Errorf("%s, want replace", got)
	}
	check(t, g.Run(cluster, Healthy))
	if cluster.Get("ConfigMap/shop-revision-ver-1") == nil {
		t.Error("the second deploy did not get to the end")
	}
}

func TestDeleteRunsToTheEnd(t *testing.T) {
	cluster, err := Deployed(shop(t))
	check(t, err)
	check(t, cluster.Add([]byte("{apiVersion: v1, kind: Secret, metadata: {name: other, namespace: shop}}")))
	g, err := new(Planner).Delete(cluster)
	check(t, err)
	check(t, g.Run(cluster, Healthy))
	if left := cluster.Resources(); len(left) != 1 || left[0].Name() != "other" {
		t.Errorf("%d resources are left, want the one that kapp did not deploy", len(left))
	}
}

func TestApplyOfAChangedCluster(t *testing.T) {
	running := func(t *testing.T) (*Graph, *Cluster) {
		cluster := NewCluster()
		app := mustRead(t, deployment(t, 1, hook{run: "once", digest: "a"}, "a"))
		g := mustDeploy(t, &Planner{}, app, cluster, "1")
		check(t, g.Apply(g.Find("Job/migrate"), cluster))
		check(t, cluster.SetStatus("Job/migrate", JobRunning()))
		return mustDeploy(t, &Planner{}, app, cluster, "2"), cluster
	}
	for _, tc := range []struct {
		name string
		edit func(c *Cluster) error
		want error
	}{
		{"as planned", func(c *Cluster) error { return nil }, nil},
		{"its pod was counted", func(c *Cluster) error {
			return c.SetStatus("Job/migrate", map[string]any{"active": int64(1), "ready": int64(1)})
		}, nil},
		{"it has ended", func(c *Cluster) error { return c.SetStatus("Job/migrate", JobComplete()) }, nil},
		{"it has failed", func(c *Cluster) error { return c.SetStatus("Job/migrate", JobFailed()) }, nil},
		{"it has gone", func(c *Cluster) error { c.Remove("Job/migrate"); return nil }, ErrNotFound},
	} {
		t.Run("touch: "+tc.name, func(t *testing.T) {
			g, cluster := running(t)
			check(t, tc.edit(cluster))
			change := g.Find("Job/migrate")
			if err := g.Apply(change, cluster); !errors.Is(err, tc.want) {
				t.Fatalf("error %v, want %v", err, tc.want)
			}
			if tc.want == nil && cluster.Get("Job/migrate").Annotations()["kapp.k14s.io/nonce"] != "2" {
				t.Error("the Job was not touched")
			}
		})
	}
	t.Run("create: it is there", func(t *testing.T) {
		cluster := NewCluster()
		g := mustDeploy(t, &Planner{}, mustRead(t, shop(t)), cluster, "1")
		check(t, cluster.Add([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}")))
		if err := g.Apply(g.Find("ConfigMap/settings"), cluster); !errors.Is(err, ErrExists) {
			t.Errorf("error %v, want ErrExists", err)
		}
	})
}

func TestUpdateStrategies(t *testing.T) {
	const job = "{apiVersion: batch/v1, kind: Job, metadata: {name: a, annotations: {kapp.k14s.io/update-strategy: %q}}, spec: {template: {spec: {containers: [{name: c, image: 'a:%d'}]}}}}"
	for strategy, want := range map[string]error{"": ErrImmutable, "fallback-on-replace": nil, "always-replace": nil, "skip": nil} {
		cluster, err := Deployed(fmt.Appendf(nil, job, strategy, 1))
		check(t, err)
		g := mustDeploy(t, &Planner{}, mustRead(t, fmt.Appendf(nil, job, strategy, 2)), cluster, "2")
		if err := g.Apply(g.Find("Job/a"), cluster); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", strategy, err, want)
		}
		replaced := strings.HasSuffix(cluster.Get("Job/a").UID(), "#2")
		if wantReplaced := strings.HasSuffix(strategy, "-replace"); replaced != wantReplaced {
			t.Errorf("%q: replaced %t, want %t", strategy, replaced, wantReplaced)
		}
	}
}

func TestOrphanStays(t *testing.T) {
	cluster, err := Deployed([]byte("{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {kapp.k14s.io/delete-strategy: orphan}}}"))
	check(t, err)
	g, err := new(Planner).Delete(cluster)
	check(t, err)
	check(t, g.Run(cluster, Healthy))
	if res := cluster.Get("Secret/a"); res == nil || res.Labels()[appLabel] != "" {
		t.Errorf("the Secret is %v, want it there without the app's label", res)
	}
}

func TestExistsWaitsForAnother(t *testing.T) {
	text := []byte("{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {kapp.k14s.io/exists: ''}}}")
	g, err := Install(text)
	check(t, err)
	cluster := NewCluster()
	if op := g.Find("Secret/a").Op; op != OpExists {
		t.Fatalf("%s, want exists", op)
	}
	if err := g.Apply(g.Find("Secret/a"), cluster); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v, want ErrNotFound", err)
	}
	check(t, cluster.Add([]byte("{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: default}}")))
	check(t, g.Apply(g.Find("Secret/a"), cluster))
}

func TestClone(t *testing.T) {
	cluster, err := Deployed(shop(t))
	check(t, err)
	before := everything(t, cluster)
	clone := cluster.Clone()
	check(t, clone.SetStatus("Job/migrate", JobFailed()))
	check(t, mustDeploy(t, &Planner{}, mustRead(t, shop(t, "digest: one", "digest: two")), clone, "2").Run(clone, Healthy))
	clone.Remove("Namespace/shop")
	if everything(t, cluster) != before {
		t.Error("the original changed with its clone")
	}
	if everything(t, clone) == before {
		t.Error("the clone did not change")
	}
}

// A plan changes neither the cluster nor the app, so that both can be planned with again.
func TestDeployChangesNothing(t *testing.T) {
	cluster, err := Deployed(shop(t))
	check(t, err)
	app := mustRead(t, shop(t, "digest: one", "digest: two"))
	before := everything(t, cluster)
	first := mustDeploy(t, &Planner{}, app, cluster, "2").Text()
	second := mustDeploy(t, &Planner{}, app, cluster, "2").Text()
	if first != second {
		t.Errorf("two plans of the same differ:\n%s\n%s", first, second)
	}
	if everything(t, cluster) != before {
		t.Error("the plan changed the cluster")
	}
}

func everything(t *testing.T, c *Cluster) string {
	t.Helper()
	var all []any
	for _, res := range c.Resources() {
		all = append(all, res.UnstructuredObject())
	}
	return compact(t, all)
}

// The same question is not asked twice, and another question is.
func TestCacheAnswersTheSame(t *testing.T) {
	planner := &Planner{}
	cluster, err := Deployed(shop(t))
	check(t, err)
	text := func(nonce string) string {
		g := mustDeploy(t, planner, mustRead(t, shop(t, "digest: one", "digest: two")), cluster, nonce)
		return g.Text() + g.Find("Job/migrate").Diff()
	}
	first := text("2")
	asked := len(planner.rebases.answers)
	if asked == 0 {
		t.Fatal("nothing was remembered")
	}
	if again := text("2"); again != first || len(planner.rebases.answers) != asked {
		t.Errorf("%d answers are remembered after %d, and the plan is\n%s\nwant\n%s", len(planner.rebases.answers), asked, again, first)
	}
	if other := text("3"); other == first || len(planner.rebases.answers) == asked {
		t.Error("another nonce gives the same plan")
	}
}

func TestNamespaceOfThePlanner(t *testing.T) {
	app := mustRead(t, []byte("{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: apart, namespace: x}}"))
	g := mustDeploy(t, &Planner{Namespace: "there"}, app, NewCluster(), "1")
	if g.Find("Secret/there/a") == nil || g.Find("Namespace/apart").Namespace != "" {
		t.Errorf("the plan is\n%s", g.Text())
	}
}
