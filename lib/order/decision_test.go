package order

import (
	"fmt"
	"strings"
	"testing"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
)

// decisions is the table of what becomes of a hook at the next deploy: by what is in the cluster, and by run policy.
// "every" is within its interval here.
const decisions = `
state            digest   once     on-change  always   every
none             -        create   create     create   create
complete         same     keep     keep       replace  keep
complete         other    keep     replace    replace  keep
complete         missing  keep     replace    replace  keep
failed           same     replace  replace    replace  replace
failed           other    replace  replace    replace  replace
failed           missing  replace  replace    replace  replace
skipped          same     keep     keep       replace  keep
skipped          other    keep     replace    replace  keep
skipped          missing  keep     replace    replace  keep
no-skip-code     same     replace  replace    replace  replace
no-skip-other    same     replace  replace    replace  replace
no-skip-reason   same     replace  replace    replace  replace
running          same     touch    touch      touch    touch
running          other    touch    replace    replace  touch
running          missing  touch    replace    replace  touch
suspended        same     touch    touch      touch    touch
suspended        other    touch    replace    replace  touch
failing          same     touch    touch      touch    touch
failing          other    touch    replace    replace  touch
no-status        same     touch    touch      touch    touch
no-status        other    touch    replace    replace  touch
empty-status     same     touch    touch      touch    touch
null-conditions  same     touch    touch      touch    touch
not-yet-true     same     touch    touch      touch    touch
by-hand-done     -        keep     replace    replace  keep
by-hand-failed   -        replace  replace    replace  replace
by-hand-running  -        touch    replace    replace  touch
bare             -        touch    replace    replace  touch
`

// statuses are the states of a Job that kapp deployed.
var statuses = map[string]map[string]any{
	"complete":        JobComplete(),
	"failed":          JobFailed(),
	"skipped":         JobSkipped(),
	"no-skip-code":    failed("PodFailurePolicy", "Container guard for pod ns/x failed with exit code 1 matching FailJob rule at index 42 "),
	"no-skip-other":   failed("PodFailurePolicy", "Container main for pod ns/guard failed with exit code 42 matching FailJob rule at index 0"),
	"no-skip-reason":  failed("DeadlineExceeded", "Container guard for pod ns/x failed with exit code 42 matching FailJob rule at index 0"),
	"running":         JobRunning(),
	"suspended":       JobSuspended(),
	"failing":         {"conditions": []any{isTrue("FailureTarget")}, "failed": int64(1)},
	"no-status":       nil,
	"empty-status":    {},
	"null-conditions": {"conditions": nil, "active": nil},
	"not-yet-true":    {"conditions": []any{map[string]any{"type": "Complete", "status": "False"}, map[string]any{"type": "Failed", "status": "Unknown"}}},
}

// strangers are Jobs that kapp did not deploy.
var strangers = map[string]string{
	"by-hand-done":    "status: {conditions: [{type: Complete, status: 'True'}]}",
	"by-hand-failed":  "status: {conditions: [{type: Failed, status: 'True', reason: PodFailurePolicy, message: 'Container guard for pod ns/x failed with exit code 42 matching FailJob rule at index 0'}]}",
	"by-hand-running": "metadata: {name: migrate, namespace: ns, labels: {made: by-hand}, annotations: {made: by-hand}}\nstatus: {active: 1}",
	"bare":            "spec: null",
}

// recordings are the ways in which a Job of an earlier deploy comes to stand in the cluster.
var recordings = map[string]func(t *testing.T, g *Graph, c *Change, cluster *Cluster){
	"recorded": func(t *testing.T, g *Graph, c *Change, cluster *Cluster) {
		check(t, g.Apply(c, cluster))
	},
	"killed before the record": func(t *testing.T, g *Graph, c *Change, cluster *Cluster) {
		check(t, g.Write(c, cluster))
	},
	"record of another version": func(t *testing.T, g *Graph, c *Change, cluster *Cluster) {
		check(t, g.Apply(c, cluster))
		applied := parse(t, "{apiVersion: batch/v1, kind: Job, metadata: {name: migrate, namespace: ns, annotations: {kapp-lifecycle.dev/run: monthly, kapp.k14s.io/nonce: '1'}}}")
		history := g.op.factory.NewResourceWithHistory(cluster.at(applied))
		change, err := history.CalculateChange(applied)
		check(t, err)
		recorded, _, err := history.RecordLastAppliedResource(change)
		check(t, err)
		cluster.put(recorded)
	},
}

func TestDecisions(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(decisions), "\n")
	policies := strings.Fields(rows[0])[2:]
	planner := &Planner{}
	for configs := 1; configs <= 2; configs++ {
		for how, write := range recordings {
			if configs == 2 && how != "recorded" {
				continue
			}
			for _, row := range rows[1:] {
				cells := strings.Fields(row)
				state, digest := cells[0], cells[1]
				for i, run := range policies {
					want := cells[2+i]
					t.Run(fmt.Sprintf("%s %s %s, %s, %d Configs", run, state, digest, how, configs), func(t *testing.T) {
						guard := ""
						if strings.Contains(state, "skip") {
							guard = "install"
						}
						cluster := NewCluster()
						if text, found := strangers[state]; found {
							stranger(t, cluster, text)
						} else if state != "none" {
							before := mustRead(t, deployment(t, 1, hook{run: run, digest: "a", guard: guard, command: "old"}, "a"))
							g := mustDeploy(t, planner, before, cluster, "1")
							write(t, g, g.Find("Job/migrate"), cluster)
							check(t, cluster.SetStatus("Job/migrate", statuses[state]))
							if digest == "missing" {
								check(t, cluster.Edit("Job/migrate", func(job map[string]any) {
									delete(child(child(job, "metadata"), "annotations"), "kapp-lifecycle.dev/digest")
								}))
							}
						}
						now := hook{run: run, digest: "a", guard: guard, command: "new"}
						if digest == "other" {
							now.digest = "b"
						}
						decide(t, planner, cluster, deployment(t, configs, now, "b"), want)
					})
				}
			}
		}
	}
}

// stranger adds a Job that was made by hand; text overrides what it has.
func stranger(t *testing.T, cluster *Cluster, text string) {
	t.Helper()
	job := parse(t, "{apiVersion: batch/v1, kind: Job, metadata: {name: migrate, namespace: ns}, spec: {template: {spec: {containers: [{name: c, image: x}]}}}}").UnstructuredObject()
	for name, value := range parse(t, "%s", text).UnstructuredObject() {
		job[name] = value
	}
	check(t, cluster.Add(encode(t, job)))
}

func deployment(t *testing.T, configs int, h hook, content string) []byte {
	t.Helper()
	docs := [][]byte{revision(t, content), h.job(t)}
	for range configs {
		docs = append(docs, config(t))
	}
	return stream(docs...)
}

// decide deploys to the cluster and says what becomes of the hook. A touch must change nothing but the nonce and the update strategy.
func decide(t *testing.T, planner *Planner, cluster *Cluster, stream []byte, want string) {
	t.Helper()
	graph := mustDeploy(t, planner, mustRead(t, stream), cluster, "now")
	change := graph.Find("Job/migrate")
	if change == nil {
		t.Fatalf("no change to the Job in\n%s", graph.Text())
	}
	got := string(change.Op)
	if change.Op == OpUpdate {
		got = "touch"
	}
	if got != want {
		t.Fatalf("%s, want %s:\n%s", got, want, change.Diff())
	}
	switch want {
	case "touch":
		touched(t, cluster.Get("Job/migrate"), change.Resource())
	case "replace":
		if strategy := change.Resource().Annotations()["kapp.k14s.io/update-strategy"]; strategy != "always-replace" {
			t.Errorf("update-strategy is %q", strategy)
		}
		if applied := change.diff.AppliedResource(); compact(t, applied.UnstructuredObject()["spec"]) != compact(t, change.Resource().UnstructuredObject()["spec"]) {
			t.Errorf("kapp compares with another spec than it creates:\n%s", change.Diff())
		}
	}
}

func touched(t *testing.T, live, planned ctlres.Resource) {
	t.Helper()
	annotations := planned.Annotations()
	if nonce := annotations["kapp.k14s.io/nonce"]; nonce != "now" {
		t.Errorf("the nonce is %q, want this deploy's", nonce)
	}
	if strategy, found := annotations["kapp.k14s.io/update-strategy"]; found {
		t.Errorf("the update strategy is %q, want none", strategy)
	}
	want := live.DeepCopy()
	for name := range want.Annotations() {
		if strings.HasPrefix(name, "kapp.k14s.io/original") {
			delete(child(metadataOf(want), "annotations"), name)
		}
	}
	delete(child(metadataOf(want), "annotations"), "kapp.k14s.io/update-strategy")
	child(metadataOf(want), "annotations")["kapp.k14s.io/nonce"] = "now"
	delete(want.UnstructuredObject(), "status")
	delete(metadataOf(want), "resourceVersion")
	if got, want := compact(t, planned.UnstructuredObject()), compact(t, want.UnstructuredObject()); got != want {
		t.Errorf("the touched Job is\n%s\nwant\n%s", got, want)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
