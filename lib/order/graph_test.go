package order

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shop is a rendered app; each replacement is a pair of what stands in it and what stands there instead.
func shop(t testing.TB, replacements ...string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/app.yaml")
	check(t, err)
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(string(text), replacements[i]) {
			t.Fatalf("the app has no %q", replacements[i])
		}
	}
	return stream(config(t), []byte(strings.NewReplacer(replacements...).Replace(string(text))))
}

// ops gives what happens to each resource, sorted by what it is.
func ops(g *Graph) map[string]Op {
	all := map[string]Op{}
	for _, changes := range [][]*Change{g.Changes, g.Kept} {
		for _, change := range changes {
			all[change.String()] = change.Op
		}
	}
	return all
}

func TestInstall(t *testing.T) {
	g, err := Install(shop(t))
	check(t, err)
	want := map[string]Op{
		"Namespace/shop": OpCreate, "ServiceAccount/shop/shop": OpCreate, "ConfigMap/shop/settings": OpCreate,
		"Deployment/shop/api": OpCreate, "Job/shop/migrate": OpCreate, "Job/shop/configure": OpCreate,
		"ConfigMap/shop/shop-revision-ver-1": OpCreate,
	}
	if diff := cmp.Diff(want, ops(g)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	inOrder(t, g, "Namespace/shop", "ServiceAccount/shop", "Job/migrate", "Deployment/api", "Job/configure", "ConfigMap/shop-revision-ver-1")
	inOrder(t, g, "ConfigMap/settings", "Job/migrate")
	if g.Before("ConfigMap/settings", "ServiceAccount/shop") || g.Before("ServiceAccount/shop", "ConfigMap/settings") {
		t.Error("prerequisites wait for one another")
	}
}

// inOrder checks that each waits for the one before it, and not the other way round.
func inOrder(t *testing.T, g *Graph, refs ...string) {
	t.Helper()
	for i := 1; i < len(refs); i++ {
		a, b := refs[i-1], refs[i]
		if g.Find(a) == nil || g.Find(b) == nil {
			t.Fatalf("%s or %s is not in the plan:\n%s", a, b, g.Text())
		}
		if !g.Before(a, b) || g.Before(b, a) {
			t.Errorf("%s before %s: %t, the other way round: %t\n%s", a, b, g.Before(a, b), g.Before(b, a), g.Text())
		}
	}
}

func TestUpgrade(t *testing.T) {
	g, err := Upgrade(shop(t, `image: "api:1"`, `image: "api:2"`, "digest: one", "digest: two"), shop(t))
	check(t, err)
	want := map[string]Op{
		"Namespace/shop": OpKeep, "ServiceAccount/shop/shop": OpKeep, "ConfigMap/shop/settings": OpKeep,
		"Deployment/shop/api": OpUpdate, "Job/shop/migrate": OpReplace, "Job/shop/configure": OpReplace,
		"ConfigMap/shop/shop-revision-ver-1": OpKeep, "ConfigMap/shop/shop-revision-ver-2": OpCreate,
	}
	if diff := cmp.Diff(want, ops(g)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	inOrder(t, g, "Job/migrate", "Deployment/api", "Job/configure", "ConfigMap/shop-revision-ver-2")
	if g.Before("ServiceAccount/shop", "Job/migrate") {
		t.Error("something waits for a resource that does not change")
	}
}

// The workloads in the middle do not change: what comes after waits for what comes before all the same.
func TestUpgradeUnchangedMiddle(t *testing.T) {
	g, err := Upgrade(shop(t, "digest: one", "digest: two"), shop(t))
	check(t, err)
	if op := g.Find("Deployment/api").Op; op != OpKeep {
		t.Fatalf("the Deployment: %s, want keep", op)
	}
	inOrder(t, g, "Job/migrate", "Job/configure", "ConfigMap/shop-revision-ver-2")
}

func TestRedeploy(t *testing.T) {
	g, err := Upgrade(shop(t), shop(t))
	check(t, err)
	for ref, op := range ops(g) {
		want := OpKeep
		if ref == "Job/shop/configure" {
			want = OpReplace // it runs always
		}
		if op != want {
			t.Errorf("%s: %s, want %s\n%s", ref, op, want, g.Find(ref).Diff())
		}
	}
}

// A resource that is not ready is waited for, though it does not change.
func TestRedeployUnready(t *testing.T) {
	cluster, err := Deployed(shop(t))
	check(t, err)
	check(t, cluster.SetStatus("Deployment/api", map[string]any{"observedGeneration": int64(1), "unavailableReplicas": int64(1)}))
	g := mustDeploy(t, &Planner{}, mustRead(t, shop(t)), cluster, "2")
	if op := g.Find("Deployment/api").Op; op != OpWait {
		t.Errorf("%s, want wait", op)
	}
}

func TestDelete(t *testing.T) {
	g, err := Delete(shop(t))
	check(t, err)
	for ref, op := range ops(g) {
		if op != OpDelete {
			t.Errorf("%s: %s, want delete", ref, op)
		}
	}
	if len(g.Changes) != 7 {
		t.Errorf("%d changes, want all 7 resources", len(g.Changes))
	}
	inOrder(t, g, "Job/migrate", "ServiceAccount/shop", "Namespace/shop")
	inOrder(t, g, "Job/configure", "ConfigMap/settings")
}

// What the new version has no more is deleted.
func TestUpgradeDeletes(t *testing.T) {
	g, err := Upgrade(shop(t, "name: settings", "name: options"), shop(t))
	check(t, err)
	if got := g.Find("ConfigMap/settings").Op; got != OpDelete {
		t.Errorf("%s, want delete", got)
	}
	if got := g.Find("ConfigMap/options").Op; got != OpCreate {
		t.Errorf("%s, want create", got)
	}
}

func TestFind(t *testing.T) {
	g, err := Install(stream(
		[]byte("{apiVersion: v1, kind: Service, metadata: {name: a, namespace: one}}\n"),
		[]byte("{apiVersion: v1, kind: Service, metadata: {name: a, namespace: two}}\n"),
		[]byte("{apiVersion: v1, kind: Service, metadata: {name: b}}\n"),
		[]byte("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: c, namespace: two}}\n"),
	))
	check(t, err)
	for ref, want := range map[string]string{
		"Service/one/a":     "Service/one/a",
		"Service/a":         "",
		"Service/b":         "Service/default/b",
		"Service/default/b": "Service/default/b",
		"Service/one/b":     "",
		"ConfigMap/b":       "",
		"Service":           "",
		"ClusterRole/c":     "ClusterRole/c",
		"ClusterRole/two/c": "",
	} {
		got := ""
		if change := g.Find(ref); change != nil {
			got = change.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}

func TestPhasesAndText(t *testing.T) {
	g, err := Upgrade(shop(t, `image: "api:1"`, `image: "api:2"`, "digest: one", "digest: two", "name: settings", "name: options"), shop(t))
	check(t, err)
	const want = `1.
  create   ConfigMap/shop/options
  delete   ConfigMap/shop/settings
2.
* replace  Job/shop/migrate  pre-install, pre-upgrade (on-change)
3.
  update   Deployment/shop/api
4.
* replace  Job/shop/configure  post-install, post-upgrade (always)
5.
  create   ConfigMap/shop/shop-revision-ver-2
Unchanged, so nothing waits for it:
  keep     ConfigMap/shop/shop-revision-ver-1
  keep     Namespace/shop
  keep     ServiceAccount/shop/shop
`
	if diff := cmp.Diff(want, g.Text()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	number := map[*Change]int{}
	for i, phase := range g.Phases() {
		for _, change := range phase {
			number[change] = i
		}
	}
	for _, change := range g.Changes {
		for _, other := range change.WaitingFor {
			if number[other] >= number[change] {
				t.Errorf("%s waits for %s, but is in phase %d, and that in %d", change, other, number[change], number[other])
			}
		}
	}
}

func TestCycle(t *testing.T) {
	_, err := Install([]byte(`
{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {kapp.k14s.io/change-group: x.dev/a, kapp.k14s.io/change-rule: upsert after upserting x.dev/b}}}
---
{apiVersion: v1, kind: Service, metadata: {name: b, annotations: {kapp.k14s.io/change-group: x.dev/b}}}
---
{apiVersion: v1, kind: Service, metadata: {name: c, annotations: {kapp.k14s.io/change-rule: upsert after upserting x.dev/a, kapp.k14s.io/change-rule.2: upsert before upserting x.dev/b}}}
`))
	var cycle *CycleError
	if !errors.As(err, &cycle) {
		t.Fatalf("error %v, want a cycle", err)
	}
	const want = `the order goes round in a circle (take one of these rules away):
  Service/default/a waits for Service/default/b, by the rule of Service/default/a: upsert after upserting x.dev/b
  Service/default/b waits for Service/default/c, by the rule of Service/default/c: upsert before upserting x.dev/b
  Service/default/c waits for Service/default/a, by the rule of Service/default/c: upsert after upserting x.dev/a`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCycleOfOne(t *testing.T) {
	_, err := Install([]byte("{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {kapp.k14s.io/change-group: x.dev/a, kapp.k14s.io/change-rule: upsert after upserting x.dev/a}}}"))
	if err == nil || !strings.Contains(err.Error(), "Service/default/a waits for Service/default/a") {
		t.Errorf("error %v, want the circle", err)
	}
}

func TestKappVersion(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	check(t, err)
	if want := "carvel.dev/kapp v" + KappVersion + "\n"; !strings.Contains(string(text), want) {
		t.Errorf("go.mod has no %q", want)
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct{ name, stream, want string }{
		{"no YAML", "a: [", "reading the rendered stream: "},
		{"no kind", "{apiVersion: v1, metadata: {name: a}}", "has no kind"},
		{"no name", "{apiVersion: v1, kind: Service}", "has no metadata.name"},
		{"no apiVersion", "{kind: Service, metadata: {name: a}}", "has no apiVersion"},
		{"twice", "{apiVersion: v1, kind: Service, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: a, labels: {b: c}}}", "multiple times with different content"},
		{"a Config of the future", "{apiVersion: kapp.k14s.io/v1alpha1, kind: Config, minimumRequiredVersion: 99.0.0}", "minimum required version"},
		{"a nonce with a value", "{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {kapp.k14s.io/nonce: x}}}", "Service/default/a: the annotation kapp.k14s.io/nonce has the value \"x\""},
		{"a rule that is none", "{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {kapp.k14s.io/change-rule: first}}}", "ordering the changes: "},
		{"an unknown strategy", "{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {kapp.k14s.io/create-strategy: hope}}}", "Service/default/a: Unknown create strategy: hope"},
		{"two slashes", "{apiVersion: a/b/c, kind: Service, metadata: {name: a}}", "kapp cannot plan this: "},
		{"a rebase rule that fails", "{apiVersion: kapp.k14s.io/v1alpha1, kind: Config, rebaseRules: [{path: [spec], type: guess, resourceMatchers: [{allMatcher: {}}]}]}", "kapp cannot plan this: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Install([]byte(tc.stream))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q in it", err, tc.want)
			}
		})
	}
}
