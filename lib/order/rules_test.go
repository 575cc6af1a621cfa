package order

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	ctlresm "carvel.dev/kapp/pkg/kapp/resourcesmisc"
	"carvel.dev/kapp/pkg/kapp/yttresmod"
	"carvel.dev/ytt/pkg/cmd/template"
	"carvel.dev/ytt/pkg/cmd/ui"
	"carvel.dev/ytt/pkg/files"
	"github.com/google/go-cmp/cmp"
)

// odd are Jobs that lack what the rules look for, or have something else in its place.
var odd = []string{
	`{}`,
	`{"metadata":{"name":"x","annotations":null,"labels":null},"spec":null,"status":null}`,
	`{"metadata":{"name":"x","annotations":{},"labels":{}},"spec":{},"status":{}}`,
	`{"metadata":{"name":"x"},"status":{"conditions":null}}`,
	`{"metadata":{"name":"x"},"status":{"conditions":{}}}`,
	`{"metadata":{"name":"x"},"status":{"conditions":[null,1,"a",{},{"type":"Failed"},{"type":1,"status":true}]}}`,
	`{"metadata":{"name":"x"},"status":{"conditions":[{"type":"Failed","status":"True"}]}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/guard":"upgrade"}},"status":{"conditions":[{"type":"Failed","status":"True","reason":"PodFailurePolicy","message":null}]}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/guard":"upgrade"}},"spec":{"template":null}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/guard":"upgrade"}},"spec":{"template":{"spec":{"containers":null,"initContainers":null}}}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/guard":"upgrade"}},"spec":{"template":{"spec":{"containers":[null,{},{"env":null},{"env":[null,{},{"name":"LIFECYCLE_REVISION"},{"name":"LIFECYCLE_REVISION","value":null}]}]}}}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/run":"once"}},"status":"done"}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/run":"once","kapp.k14s.io/nonce":"1"}},"status":{"conditions":[{"type":"Complete","status":"True"}]}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/run":"on-change","kapp-lifecycle.dev/digest":"a","kapp.k14s.io/original":"{}"}},"spec":[]}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/run":"every"}},"spec":{"a":"#@ b","c":"(@= d @)","e":"---\n#@ f\n","yes":"on","n":1.5,"big":12345678901}}`,
	`{"metadata":{"name":"x","annotations":{"kapp-lifecycle.dev/run":""}}}`,
}

func TestRulesAreTotal(t *testing.T) {
	for i, existing := range odd {
		for j, newJob := range odd {
			t.Run(fmt.Sprintf("%d over %d", j, i), func(t *testing.T) { total(t, existing, newJob) })
		}
	}
}

func FuzzRules(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, existing, newJob uint64) {
		total(t, oddJob(t, existing), oddJob(t, newJob))
	})
}

// oddJob makes a Job of what the rules look for, with something else in the place of any of it.
func oddJob(t *testing.T, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0))
	var value func(choices ...any) any
	value = func(choices ...any) any {
		if random.IntN(4) == 0 {
			choices = []any{nil, true, 1.5, "", "yes", "#@ x\n(@= y @)", []any{nil}, map[string]any{"x": nil}}
		}
		return choices[random.IntN(len(choices))]
	}
	some := func(object map[string]any) map[string]any {
		for name := range object {
			if random.IntN(4) == 0 {
				delete(object, name)
			}
		}
		return object
	}
	condition := func() any {
		return value(some(map[string]any{
			"type": value("Complete", "Failed", "Suspended"), "status": value("True", "False"), "reason": value("PodFailurePolicy", "DeadlineExceeded"),
			"message": value("Container guard for pod ns/x failed with exit code 42 matching FailJob rule at index 0", "Container guard"),
		}))
	}
	container := func() any {
		return value(some(map[string]any{"env": value([]any{
			value(some(map[string]any{"name": value("LIFECYCLE_REVISION", "OTHER"), "value": value("app-revision-ver-1", "app-revision-ver-2")})),
		})}))
	}
	annotations := some(map[string]any{
		"kapp-lifecycle.dev/run": value("once", "on-change", "always", "every"), "kapp-lifecycle.dev/digest": value("a", "b"),
		"kapp-lifecycle.dev/guard": value("install", "upgrade"), "kapp-lifecycle.dev/on-failure": value("continue"),
		"kapp.k14s.io/nonce": value("1", "2"), "kapp.k14s.io/update-strategy": value("always-replace"), "kapp.k14s.io/original": value("{}"),
		"kapp.k14s.io/last-renewed-time": value("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
	})
	return compact(t, some(map[string]any{
		"metadata": value(some(map[string]any{"name": "x", "labels": value(map[string]any{"a": "b"}), "annotations": value(annotations, annotations)})),
		"spec":     value(some(map[string]any{"template": value(map[string]any{"spec": value(map[string]any{"containers": value([]any{container()}), "initContainers": value([]any{container()})})})})),
		"status":   value(some(map[string]any{"conditions": value([]any{condition()}, []any{condition(), condition()}), "active": value(1), "failed": value(2)})),
	}))
}

// total checks that both rules have an answer, and that to ask again changes nothing.
func total(t *testing.T, existing, newJob string) {
	rebase := yttresmod.OverlayContractV1Mod{ResourceMatcher: ctlres.AllMatcher{}, OverlayYAML: read(t, "rebase.overlay")}
	wait := ctlresm.WaitRuleContractV1{ResourceMatcher: ctlres.AllMatcher{}, Starlark: read(t, "wait.rule")}
	live, given := oneJob(t, existing), oneJob(t, newJob)

	once := given.DeepCopy()
	if err := rebase.ApplyFromMultiple(once, sources(live, given)); err != nil {
		t.Fatalf("rebasing %s\nover %s: %s", newJob, existing, err)
	}
	if once.Kind() != "Job" || once.APIVersion() != "batch/v1" {
		t.Errorf("the answer is a %s", once.Description())
	}
	twice := once.DeepCopy()
	again := sources(live, given)
	again["_current"] = once
	if err := rebase.ApplyFromMultiple(twice, again); err != nil {
		t.Fatalf("rebasing again: %s", err)
	}
	if diff := cmp.Diff(compact(t, once.UnstructuredObject()), compact(t, twice.UnstructuredObject())); diff != "" {
		t.Errorf("a second time changes the answer (-once +twice):\n%s", diff)
	}
	if _, err := wait.Apply(live); err != nil {
		t.Errorf("waiting for %s: %s", existing, err)
	}
}

func oneJob(t *testing.T, text string) ctlres.Resource {
	t.Helper()
	object := map[string]any{}
	check(t, json.Unmarshal([]byte(text), &object))
	object["apiVersion"], object["kind"] = "batch/v1", "Job"
	return parse(t, "%s", encode(t, object))
}

// A keep answers with the very Job in the cluster, whatever is in it.
func TestKeepIsTheLiveJob(t *testing.T) {
	rebase := yttresmod.OverlayContractV1Mod{ResourceMatcher: ctlres.AllMatcher{}, OverlayYAML: read(t, "rebase.overlay")}
	live := oneJob(t, `{"metadata":{"name":"x","labels":{"on":"yes","n":"1"},"annotations":{"kapp-lifecycle.dev/run":"once","a":"#@ b\n---\n(@= c @)\n","kapp.k14s.io/original":"{}","kapp.k14s.io/original-diff-md5":"x","kapp.k14s.io/originality":"mine"}},
		"spec":{"e":"---\n#@ f\n","y":"on","n":1.5,"big":12345678901,"null":null,"empty":{},"list":[],"o":"0o14","t":"2001-01-01","multi":"a\n\n b\n"},
		"status":{"conditions":[{"type":"Complete","status":"True"}]}}`)
	got := oneJob(t, `{"metadata":{"name":"x","labels":{"new":"new"},"annotations":{"kapp-lifecycle.dev/run":"once","new":"new"}},"spec":{"new":"new"}}`)
	check(t, rebase.ApplyFromMultiple(got, sources(live, got.DeepCopy())))

	want := live.DeepCopy()
	delete(want.UnstructuredObject(), "status")
	for _, name := range []string{"kapp.k14s.io/original", "kapp.k14s.io/original-diff-md5"} {
		delete(child(metadataOf(want), "annotations"), name)
	}
	if diff := cmp.Diff(want.UnstructuredObject(), got.UnstructuredObject()); diff != "" {
		t.Errorf("(-live +kept)\n%s", diff)
	}
}

// The record of what was applied stays good whatever becomes of the Job, and stands for the Job in the cluster.
func TestRecordStandsForTheLiveJob(t *testing.T) {
	for state, status := range statuses {
		for _, run := range []string{"once", "on-change", "always", "every"} {
			planner, cluster := &Planner{}, NewCluster()
			g := mustDeploy(t, planner, mustRead(t, deployment(t, 1, hook{run: run, digest: "a"}, "a")), cluster, "1")
			check(t, g.Apply(g.Find("Job/migrate"), cluster))
			check(t, cluster.SetStatus("Job/migrate", status))
			record := g.op.factory.NewResourceWithHistory(cluster.Get("Job/migrate")).LastAppliedResource()
			if record == nil {
				t.Fatalf("%s, %s: kapp does not take its record for good", run, state)
			}
			change, err := g.op.factory.NewChangeAgainstLastApplied(cluster.Get("Job/migrate"), record)
			check(t, err)
			if change.ConfigurableTextDiff().Full().HasChanges() {
				t.Errorf("%s, %s: the record differs from what it is compared with:\n%s", run, state, change.ConfigurableTextDiff().Full().FullString())
			}
		}
	}
}

// ytt must neither run the rules nor print them: their endings mean nothing to it. The program reads them as text, and kapp
// gets that text.
func TestRulesAreDataToYtt(t *testing.T) {
	input := template.Input{}
	for _, name := range []string{"rebase.overlay", "wait.rule"} {
		input.Files = append(input.Files, files.MustNewFileFromSource(files.NewBytesSource("kapp-config/"+name, []byte(read(t, name)))))
	}
	program := "#@ load('@ytt:data', 'data')\nrebase: #@ data.read('kapp-config/rebase.overlay')\nwait: #@ data.read('kapp-config/wait.rule')\n"
	input.Files = append(input.Files, files.MustNewFileFromSource(files.NewBytesSource("program.yml", []byte(program))))
	output := template.NewOptions().RunWithFiles(input, ui.NewTTY(false))
	check(t, output.Err)
	if len(output.Files) != 1 {
		t.Fatalf("%d files come out, want the program's only", len(output.Files))
	}
	got := parse(t, "%s", output.Files[0].Bytes()).UnstructuredObject()
	want := map[string]any{"rebase": read(t, "rebase.overlay"), "wait": read(t, "wait.rule")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-file +output)\n%s", diff)
	}
}
