package order

import (
	"fmt"
	"testing"
	"time"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"carvel.dev/kapp/pkg/kapp/yttresmod"
)

func TestDecisionEvery(t *testing.T) {
	for _, tc := range []struct {
		age   time.Duration
		state string
		want  string
	}{
		{time.Hour, "complete", "keep"},
		{48 * time.Hour, "complete", "replace"},
		{48 * time.Hour, "running", "touch"},
		{48 * time.Hour, "failed", "replace"},
	} {
		t.Run(fmt.Sprintf("%s after %s", tc.state, tc.age), func(t *testing.T) {
			planner, cluster := &Planner{}, NewCluster()
			cluster.Now = time.Now().Add(-tc.age)
			h := hook{run: "every", digest: "a"}
			g := mustDeploy(t, planner, mustRead(t, deployment(t, 1, h, "a")), cluster, "1")
			check(t, g.Apply(g.Find("Job/migrate"), cluster))
			check(t, cluster.SetStatus("Job/migrate", statuses[tc.state]))
			decide(t, planner, cluster, deployment(t, 1, h, "a"), tc.want)
		})
	}
}

// Once its interval is over, the hook runs once and then waits for the next.
func TestDecisionEveryRunsOnce(t *testing.T) {
	planner, cluster := &Planner{}, NewCluster()
	cluster.Now = time.Now().Add(-48 * time.Hour)
	app := mustRead(t, deployment(t, 1, hook{run: "every", digest: "a"}, "a"))
	var ops []Op
	for _, nonce := range []string{"1", "2", "3"} {
		g := mustDeploy(t, planner, app, cluster, nonce)
		ops = append(ops, g.Find("Job/migrate").Op)
		check(t, g.Run(cluster, Healthy))
		cluster.Now = time.Now()
	}
	if got, want := fmt.Sprint(ops), "[create replace keep]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A hook for upgrades only is skipped at the install, which is not its one time.
func TestDecisionUpgradeOnly(t *testing.T) {
	for _, tc := range []struct {
		name     string
		run      string
		before   hook
		now      hook
		deployed []string // contents deployed whole before
		content  string
		want     string
	}{
		{"first upgrade", "once", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a"}, "b", "replace"},
		{"first upgrade", "every", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a"}, "b", "replace"},
		{"first upgrade, same digest", "on-change", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a"}, "b", "keep"},
		{"same content", "once", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a"}, "a", "keep"},
		{"same content", "every", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a"}, "a", "keep"},
		{"second upgrade", "once", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a", "b"}, "c", "keep"},
		{"second upgrade", "every", hook{guard: "upgrade"}, hook{guard: "upgrade"}, []string{"a", "b"}, "c", "keep"},
		{"no longer for upgrades only", "once", hook{guard: "upgrade"}, hook{}, []string{"a"}, "b", "replace"},
		{"for upgrades only from now on", "once", hook{}, hook{guard: "upgrade"}, []string{"a"}, "b", "keep"},
		{"first upgrade, guard in the shell", "once", hook{guard: "upgrade", shell: true}, hook{guard: "upgrade", shell: true}, []string{"a"}, "b", "replace"},
		{"same content, guard in the shell", "once", hook{guard: "upgrade", shell: true}, hook{guard: "upgrade", shell: true}, []string{"a"}, "a", "keep"},
		{"for installs only", "once", hook{guard: "install"}, hook{guard: "install"}, []string{"a"}, "b", "keep"},
		{"for both", "once", hook{}, hook{}, []string{"a"}, "b", "keep"},
	} {
		for _, status := range []map[string]any{JobComplete(), JobSkipped()} {
			if tc.before.guard == "" && fmt.Sprint(status) == fmt.Sprint(JobSkipped()) {
				continue
			}
			t.Run(tc.run+" "+tc.name, func(t *testing.T) {
				planner, cluster := &Planner{}, NewCluster()
				tc.before.run, tc.before.digest = tc.run, "a"
				tc.now.run, tc.now.digest = tc.run, "a"
				for i, content := range tc.deployed {
					g := mustDeploy(t, planner, mustRead(t, deployment(t, 1, tc.before, content)), cluster, fmt.Sprint(i))
					check(t, g.Run(cluster, func(ctlres.Resource) map[string]any { return status }))
				}
				decide(t, planner, cluster, deployment(t, 1, tc.now, tc.content), tc.want)
			})
		}
	}
}

// An install that did not end whole stays an install: the hook is not skipped twice.
func TestDecisionUpgradeOnlyAfterFailedInstall(t *testing.T) {
	planner, cluster := &Planner{}, NewCluster()
	h := hook{run: "once", digest: "a", guard: "upgrade"}
	g := mustDeploy(t, planner, mustRead(t, deployment(t, 1, h, "a")), cluster, "1")
	check(t, g.Apply(g.Find("Job/migrate"), cluster))
	check(t, cluster.SetStatus("Job/migrate", JobSkipped()))
	decide(t, planner, cluster, deployment(t, 1, h, "b"), "keep")
}

// The run policy of the new Job counts, not that of the Job in the cluster.
func TestDecisionOtherPolicy(t *testing.T) {
	for _, tc := range []struct{ before, now, want string }{
		{"always", "once", "keep"},
		{"once", "always", "replace"},
		{"monthly", "once", "keep"},
		{"monthly", "on-change", "keep"},
		{"once", "monthly", "replace"},
	} {
		t.Run(tc.before+" to "+tc.now, func(t *testing.T) {
			planner, cluster := &Planner{}, NewCluster()
			g := mustDeploy(t, planner, mustRead(t, deployment(t, 1, hook{run: tc.before, digest: "a"}, "a")), cluster, "1")
			check(t, g.Apply(g.Find("Job/migrate"), cluster))
			check(t, cluster.SetStatus("Job/migrate", JobComplete()))
			decide(t, planner, cluster, deployment(t, 1, hook{run: tc.now, digest: "a"}, "a"), tc.want)
		})
	}
}

// A Job that kapp deployed before it became a hook is no hook's run that has to be repeated.
func TestDecisionBecomesHook(t *testing.T) {
	for _, strategy := range []string{"", "always-replace", "fallback-on-replace"} {
		t.Run(strategy, func(t *testing.T) {
			planner, cluster := &Planner{}, NewCluster()
			job := parse(t, "%s", hook{}.job(t))
			metadataOf(job)["annotations"] = object{"kapp.k14s.io/nonce": "", "kapp.k14s.io/update-strategy": strategy}
			g := mustDeploy(t, planner, mustRead(t, encode(t, job.UnstructuredObject())), cluster, "1")
			check(t, g.Run(cluster, Healthy))

			app := mustRead(t, deployment(t, 1, hook{run: "once", digest: "a"}, "a"))
			g = mustDeploy(t, planner, app, cluster, "2")
			change := g.Find("Job/migrate")
			if change.Op != OpUpdate {
				t.Fatalf("%s, want an update of its metadata only:\n%s", change.Op, change.Diff())
			}
			uid := cluster.Get("Job/migrate").UID()
			check(t, g.Run(cluster, Healthy))
			if got := cluster.Get("Job/migrate").UID(); got != uid {
				t.Errorf("the Job was replaced")
			}
			if change := mustDeploy(t, planner, app, cluster, "3").Find("Job/migrate"); change.Op != OpKeep {
				t.Errorf("%s at the next deploy, want keep:\n%s", change.Op, change.Diff())
			}
		})
	}
}

// What only some run policies look at does not count for the others.
func TestDecisionForeignAnnotations(t *testing.T) {
	for _, tc := range []struct {
		run, annotation, value, want string
	}{
		{"once", "kapp.k14s.io/last-renewed-time", "2025-01-01T00:00:00Z", "keep"},
		{"on-change", "kapp.k14s.io/last-renewed-time", "2025-01-01T00:00:00Z", "keep"},
		{"once", "kapp-lifecycle.dev/digest", "z", "keep"},
		{"every", "kapp-lifecycle.dev/digest", "z", "keep"},
	} {
		t.Run(tc.run+" "+tc.annotation, func(t *testing.T) {
			planner, cluster := &Planner{}, NewCluster()
			app := deployment(t, 1, hook{run: tc.run, digest: "a"}, "a")
			check(t, mustDeploy(t, planner, mustRead(t, app), cluster, "1").Run(cluster, Healthy))
			check(t, cluster.Edit("Job/migrate", func(job map[string]any) { child(child(job, "metadata"), "annotations")[tc.annotation] = tc.value }))
			decide(t, planner, cluster, app, tc.want)
		})
	}
}

// The first revision is one of many that end in 1.
func TestDecisionEleventhRevision(t *testing.T) {
	planner, cluster := &Planner{}, NewCluster()
	app := deployment(t, 1, hook{run: "once", digest: "a", guard: "upgrade", shell: true}, "a")
	check(t, mustDeploy(t, planner, mustRead(t, app), cluster, "1").Run(cluster, Healthy))
	for version, want := range map[string]string{"-ver-1": "replace", "-ver-11": "keep", "-ver-2": "keep", "": "keep"} {
		edited := cluster.Clone()
		check(t, edited.Edit("Job/migrate", func(job map[string]any) {
			containers := child(child(child(job, "spec"), "template"), "spec")["containers"].([]any)
			containers[0].(map[string]any)["env"].([]any)[0].(map[string]any)["value"] = "app-revision" + version
		}))
		decide(t, planner, edited, deployment(t, 1, hook{run: "once", digest: "a", guard: "upgrade", shell: true}, "b"), want)
	}
}

// Two Jobs without a digest are not known to be the same.
func TestDecisionWithoutDigests(t *testing.T) {
	const job = `{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/run":"on-change"}},"spec":{"of":"%s"},"status":{"conditions":[{"type":"Complete","status":"True"}]}}`
	rebase := yttresmod.OverlayContractV1Mod{ResourceMatcher: ctlres.AllMatcher{}, OverlayYAML: read(t, "rebase.overlay")}
	live, got := oneJob(t, fmt.Sprintf(job, "live")), oneJob(t, fmt.Sprintf(job, "new"))
	check(t, rebase.ApplyFromMultiple(got, sources(live, got.DeepCopy())))
	if of := child(got.UnstructuredObject(), "spec")["of"]; of != "new" {
		t.Errorf("the answer is the %s Job, want the new one", of)
	}
}

// A touched Job has lost its update strategy: what becomes of it later must not rest on that.
func TestDecisionAfterTouch(t *testing.T) {
	for _, tc := range []struct{ run, state, want string }{
		{"once", "complete", "keep"},
		{"on-change", "complete", "keep"},
		{"always", "complete", "replace"},
		{"every", "complete", "keep"},
		{"once", "failed", "replace"},
		{"on-change", "failed", "replace"},
		{"always", "failed", "replace"},
		{"every", "failed", "replace"},
		{"once", "running", "touch"},
		{"on-change", "running", "touch"},
		{"always", "running", "touch"},
		{"every", "running", "touch"},
	} {
		t.Run(tc.run+" "+tc.state, func(t *testing.T) {
			planner, cluster := &Planner{}, NewCluster()
			app := mustRead(t, deployment(t, 1, hook{run: tc.run, digest: "a"}, "a"))
			for _, nonce := range []string{"1", "2"} {
				g := mustDeploy(t, planner, app, cluster, nonce)
				check(t, g.Apply(g.Find("Job/migrate"), cluster))
				check(t, cluster.SetStatus("Job/migrate", JobRunning()))
			}
			check(t, cluster.SetStatus("Job/migrate", statuses[tc.state]))
			decide(t, planner, cluster, deployment(t, 1, hook{run: tc.run, digest: "a"}, "a"), tc.want)
		})
	}
}
