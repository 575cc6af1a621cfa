package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/input"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/render"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
)

// rendered gives the output stream of an app whose hooks are the items of spec.hooks, one a line.
func rendered(t *testing.T, manifests string, hooks ...string) []byte {
	t.Helper()
	lifecycle := "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: Lifecycle\nmetadata: {name: app}\nspec:\n  defaults: {image: x, guardImage: x}\n  hooks:\n"
	for _, hook := range hooks {
		lifecycle += "  - " + hook + "\n"
	}
	return renderedWith(t, manifests, lifecycle)
}

func renderedWith(t *testing.T, manifests string, lifecycles ...string) []byte {
	t.Helper()
	streams := []input.Stream{{Name: "app.yaml", Text: []byte(manifests)}}
	for _, lifecycle := range lifecycles {
		streams = append(streams, input.Stream{Name: "lifecycle.yaml", Text: []byte(lifecycle)})
	}
	result, err := render.Render(streams, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := yamlstream.Join(&out, result.Documents); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// app holds one resource of each stage; version makes the Deployments change.
func app(version string) string {
	return strings.ReplaceAll(`---
apiVersion: v1
kind: Namespace
metadata: {name: prod}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: prod}
data: {version: vVERSION}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: hooks, namespace: prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: prod}
spec: {selector: {app: db}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: prod}
spec: {template: {metadata: {labels: {app: db, version: vVERSION}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: prod}
spec: {template: {metadata: {labels: {app: api, version: vVERSION}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: prod}
spec: {template: {metadata: {labels: {app: web, version: vVERSION}}}}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: checks}
`, "VERSION", version)
}

func must(t *testing.T) func(*order.Graph, error) *order.Graph {
	return func(g *order.Graph, err error) *order.Graph {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// before asserts that each waits for the one before it in the list.
func before(t *testing.T, g *order.Graph, refs ...string) {
	t.Helper()
	for i := 1; i < len(refs); i++ {
		if !g.Before(refs[i-1], refs[i]) {
			t.Errorf("%s does not wait for %s:\n%s", refs[i], refs[i-1], g.Text())
		}
	}
}

// beside asserts that neither waits for the other, though both are done.
func beside(t *testing.T, g *order.Graph, a, b string) {
	t.Helper()
	if g.Find(a) == nil || g.Find(b) == nil {
		t.Fatalf("%s or %s is not in the plan:\n%s", a, b, g.Text())
	}
	if g.Before(a, b) || g.Before(b, a) {
		t.Errorf("%s and %s are ordered:\n%s", a, b, g.Text())
	}
}

var prerequisites = []string{"ConfigMap/settings", "ServiceAccount/hooks", "ClusterRole/reader", "PriorityClass/high"}
var workloads = []string{"Service/db", "StatefulSet/db", "Deployment/api", "Deployment/web", "ValidatingWebhookConfiguration/checks"}

func TestEveryEventAtInstallAndUpgrade(t *testing.T) {
	for _, tc := range []struct{ events, phase string }{
		{"pre-install", "pre"}, {"pre-upgrade", "pre"}, {"pre-deploy", "pre"}, {"pre-install, pre-upgrade", "pre"},
		{"post-install", "post"}, {"post-upgrade", "post"}, {"post-deploy", "post"}, {"post-install, post-upgrade", "post"},
	} {
		t.Run(tc.events, func(t *testing.T) {
			hook := "{name: h, namespace: prod, events: [" + tc.events + "], command: [x]}"
			one, two := rendered(t, app("1"), hook), rendered(t, app("2"), hook)
			for name, g := range map[string]*order.Graph{"install": must(t)(order.Install(one)), "upgrade": must(t)(order.Upgrade(two, one))} {
				t.Run(name, func(t *testing.T) {
					if name == "install" {
						before(t, g, "Namespace/prod", "ServiceAccount/hooks", "Job/app-h")
						for _, p := range prerequisites {
							before(t, g, p, "Job/app-h")
						}
						for _, w := range workloads {
							if tc.phase == "pre" {
								before(t, g, "Job/app-h", w)
							} else {
								before(t, g, w, "Job/app-h")
							}
						}
					}
					before(t, g, "ConfigMap/settings", "Job/app-h")
					if tc.phase == "pre" {
						before(t, g, "Job/app-h", "Deployment/api")
					} else {
						before(t, g, "Deployment/api", "Job/app-h")
					}
					revision := map[string]string{"install": "ConfigMap/app-revision-ver-1", "upgrade": "ConfigMap/app-revision-ver-2"}[name]
					before(t, g, "Job/app-h", revision)
					before(t, g, "Deployment/web", revision)
				})
			}
		})
	}
}

func TestWeights(t *testing.T) {
	g := must(t)(order.Install(rendered(t, app("1"),
		"{name: late, events: [pre-deploy], weight: 10}", "{name: first, events: [pre-deploy], weight: -5}",
		"{name: a, events: [pre-deploy]}", "{name: b, events: [pre-deploy]}",
		"{name: c, events: [post-deploy], weight: -1}", "{name: d, events: [post-deploy]}")))
	before(t, g, "Job/app-first", "Job/app-a", "Job/app-late", "Deployment/api", "Job/app-c", "Job/app-d", "ConfigMap/app-revision-ver-1")
	before(t, g, "Job/app-first", "Job/app-b", "Job/app-late")
	beside(t, g, "Job/app-a", "Job/app-b")
}

func TestPreHookAfterAWorkload(t *testing.T) {
	g := must(t)(order.Install(rendered(t, app("1"),
		"{name: early, events: [pre-deploy], weight: -1}", "{name: side, events: [pre-deploy]}",
		"{name: seed, events: [pre-deploy], after: [{kind: StatefulSet, name: db}]}",
		"{name: other, events: [pre-deploy], after: [{kind: StatefulSet, name: db}], weight: 3}",
		"{name: post, events: [post-deploy]}")))
	before(t, g, "Job/app-early", "StatefulSet/db", "Job/app-seed", "Job/app-other", "Deployment/api", "Job/app-post")
	before(t, g, "Job/app-side", "StatefulSet/db")
	before(t, g, "Job/app-side", "Service/db", "Job/app-seed")
	before(t, g, "ServiceAccount/hooks", "StatefulSet/db")
}

func TestPreHookBeforeAWorkload(t *testing.T) {
	g := must(t)(order.Install(rendered(t, app("1"),
		"{name: h, events: [pre-deploy], before: [{kind: Deployment, name: api}]}", "{name: post, events: [post-deploy]}")))
	before(t, g, "ConfigMap/settings", "Job/app-h", "Deployment/api", "Job/app-post")
	beside(t, g, "Job/app-h", "Deployment/web")
}

func TestPostHookAfterAndBefore(t *testing.T) {
	g := must(t)(order.Install(rendered(t, app("1"),
		"{name: pre, events: [pre-deploy]}",
		"{name: soon, events: [post-deploy], after: [{kind: Deployment, name: api}]}",
		"{name: open, events: [post-deploy], before: [{kind: Deployment, name: web}]}",
		"{name: last, events: [post-deploy]}")))
	before(t, g, "Job/app-pre", "Deployment/api", "Job/app-soon")
	beside(t, g, "Job/app-soon", "StatefulSet/db")
	before(t, g, "Deployment/api", "Job/app-open", "Deployment/web", "Job/app-last")
	before(t, g, "Job/app-pre", "Deployment/web")
}

func TestUnchangedMiddles(t *testing.T) {
	hooks := []string{
		"{name: once, events: [pre-deploy], run: once}", "{name: pre, events: [pre-deploy], weight: 5, triggers: [{kind: ConfigMap}]}",
		"{name: post, events: [post-deploy], run: always}",
	}
	t.Run("a kept hook between prerequisites and workloads", func(t *testing.T) {
		g := must(t)(order.Upgrade(rendered(t, app("2"), hooks[0], hooks[2]), rendered(t, app("1"), hooks[0], hooks[2])))
		if g.Find("Job/app-once").Op != order.OpKeep {
			t.Errorf("the once hook runs again:\n%s", g.Text())
		}
		before(t, g, "ConfigMap/settings", "Deployment/api", "Job/app-post")
	})
	t.Run("a kept hook between two hooks", func(t *testing.T) {
		first := "{name: first, events: [pre-deploy], run: always, weight: -1}"
		g := must(t)(order.Upgrade(rendered(t, app("2"), append(hooks, first)...), rendered(t, app("1"), append(hooks, first)...)))
		before(t, g, "Job/app-first", "Job/app-pre", "Deployment/api", "Job/app-post", "ConfigMap/app-revision-ver-2")
	})
	t.Run("no workload changes", func(t *testing.T) {
		same := strings.ReplaceAll(app("1"), "data: {version: v1}", "data: {version: v2}")
		g := must(t)(order.Upgrade(rendered(t, same, hooks...), rendered(t, app("1"), hooks...)))
		if g.Find("Deployment/api").Op != order.OpKeep {
			t.Fatalf("the Deployment changes:\n%s", g.Text())
		}
		before(t, g, "ConfigMap/settings", "Job/app-pre", "Job/app-post", "ConfigMap/app-revision-ver-2")
	})
	t.Run("nothing changes", func(t *testing.T) {
		g := must(t)(order.Upgrade(rendered(t, app("1"), hooks...), rendered(t, app("1"), hooks...)))
		if len(g.Changes) != 1 || g.Find("Job/app-post") == nil {
			t.Errorf("more or less than the always hook:\n%s", g.Text())
		}
	})
}

func TestWhatIsRemovedAtAnUpgrade(t *testing.T) {
	manifests := strings.Split(app("1"), "---\n")
	var fewer []string
	for _, doc := range manifests {
		if !strings.Contains(doc, "name: web,") && !strings.Contains(doc, "name: hooks,") {
			fewer = append(fewer, doc)
		}
	}
	one := rendered(t, app("1"), "{name: old, events: [pre-deploy]}")
	two := rendered(t, strings.Join(fewer, "---\n"), "{name: new, events: [pre-deploy]}")
	g := must(t)(order.Upgrade(two, one))
	before(t, g, "Job/app-old", "Job/app-new", "Deployment/web")
	before(t, g, "Job/app-old", "ServiceAccount/hooks")
	before(t, g, "Job/app-new", "ServiceAccount/hooks")
}

func TestDeletion(t *testing.T) {
	g := must(t)(order.Delete(rendered(t, app("1"), "{name: pre, namespace: prod, events: [pre-deploy]}", "{name: post, events: [post-install]}")))
	for _, hook := range []string{"Job/app-pre", "Job/app-post"} {
		for _, p := range append([]string{"Namespace/prod"}, prerequisites...) {
			before(t, g, hook, p)
		}
	}
}

func TestHooksOfTheAppsOwnTemplates(t *testing.T) {
	own := app("1") + `---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: prod, annotations: {kapp-lifecycle.dev/events: "pre-install,pre-upgrade", kapp-lifecycle.dev/before: Deployment/api}}
spec: {template: {spec: {containers: [{name: a, image: b}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: check, namespace: prod, annotations: {kapp-lifecycle.dev/events: post-deploy}}
spec: {containers: [{name: a, image: b}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: adopted, namespace: prod}
spec: {template: {spec: {containers: [{name: a, image: b}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: both, namespace: prod, annotations: {kapp-lifecycle.dev/events: "pre-deploy,post-deploy"}}
spec: {template: {spec: {containers: [{name: a, image: b}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: plain, namespace: prod}
spec: {template: {spec: {containers: [{name: a, image: b}]}}}
`
	g := must(t)(order.Install(rendered(t, own, "{name: adopt, events: [pre-deploy], weight: -1, from: {kind: Job, name: adopted}}")))
	before(t, g, "Job/app-adopt", "Job/migrate", "Deployment/api", "Job/check")
	before(t, g, "Job/both-pre", "Job/plain", "Job/both-post")
	beside(t, g, "Job/migrate", "Deployment/web")
	for _, gone := range []string{"Job/adopted", "Job/both", "Pod/check"} {
		if g.Find(gone) != nil {
			t.Errorf("%s is still there:\n%s", gone, g.Text())
		}
	}
}

func TestStageOverride(t *testing.T) {
	manifests := app("1") + `---
apiVersion: v1
kind: Secret
metadata: {name: after, namespace: prod, annotations: {kapp-lifecycle.dev/stage: workloads}}
---
apiVersion: example.com/v1
kind: Database
metadata: {name: first, namespace: prod, annotations: {kapp-lifecycle.dev/stage: prerequisites}}
---
apiVersion: example.com/v1
kind: Database
metadata: {name: second, namespace: prod}
`
	g := must(t)(order.Install(rendered(t, manifests, "{name: h, events: [pre-deploy]}")))
	before(t, g, "Database/first", "Job/app-h", "Secret/after")
	before(t, g, "Job/app-h", "Database/second")
}

func TestRulesOfTheAppsOwnStay(t *testing.T) {
	manifests := `apiVersion: v1
kind: ConfigMap
metadata: {name: a, annotations: {kapp.k14s.io/change-group: mine.example.com/a, kapp.k14s.io/versioned: ""}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: b, annotations: {kapp.k14s.io/change-group: mine.example.com/b}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: c, annotations: {kapp.k14s.io/change-rule: upsert after upserting mine.example.com/b}}
`
	g := must(t)(order.Install(rendered(t, manifests, "{name: h, events: [pre-deploy]}")))
	before(t, g, "ConfigMap/a-ver-1", "Job/app-h", "Deployment/b", "Deployment/c")
}

// TestPrerequisiteThatWaitsForAWorkload: by a rule of the app's own, as a CRD for the Deployment behind its webhook.
func TestPrerequisiteThatWaitsForAWorkload(t *testing.T) {
	manifests := `apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: after
  annotations: {kapp.k14s.io/change-group: mine/after, kapp.k14s.io/change-rule.x: upsert after upserting mine/api-Deployment}
---
apiVersion: v1
kind: Secret
metadata: {name: further, annotations: {kapp.k14s.io/change-rule: upsert after upserting mine/after}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, annotations: {kapp.k14s.io/change-group: "mine/{name}-{kind}"}}
`
	g := must(t)(order.Install(rendered(t, manifests, "{name: h, events: [pre-deploy]}", "{name: p, events: [post-deploy]}")))
	before(t, g, "ConfigMap/plain", "Job/app-h", "Deployment/api", "ConfigMap/after", "Secret/further", "Job/app-p")
}

func TestTwoLifecycles(t *testing.T) {
	lifecycle := func(name, hook string) string {
		return "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: Lifecycle\nmetadata: {name: " + name + "}\nspec: {hooks: [" + hook + "]}\n"
	}
	g := must(t)(order.Install(renderedWith(t, app("1"),
		lifecycle("one", "{name: h, image: x, events: [pre-deploy], after: [{kind: StatefulSet, name: db}]}"),
		lifecycle("two", "{name: h, image: x, events: [pre-deploy, post-deploy], weight: -1}"))))
	before(t, g, "Job/two-h-pre", "StatefulSet/db", "Job/one-h", "Deployment/api", "Job/two-h-post")
	for _, revision := range []string{"ConfigMap/one-revision-ver-1", "ConfigMap/two-revision-ver-1"} {
		before(t, g, "Job/two-h-post", revision)
	}
}

// TestNoCycles: every example and real chart can be installed, deployed again, upgraded and deleted.
func TestNoCycles(t *testing.T) {
	plan := func(t *testing.T, one, two []byte) {
		t.Helper()
		must(t)(order.Install(one))
		must(t)(order.Delete(one))
		must(t)(order.Upgrade(two, one))
	}
	hooks := []string{"{name: lifecycle-test-pre, events: [pre-deploy]}", "{name: lifecycle-test-post, events: [post-deploy], run: always}"}
	for _, folder := range []string{"keycloak", "web-migrations"} {
		t.Run(folder, func(t *testing.T) {
			root := filepath.Join("..", "..", "examples", folder)
			streams, err := (&input.Reader{}).Read([]string{filepath.Join(root, "config"), filepath.Join(root, "lifecycle.yaml")})
			if err != nil {
				t.Fatal(err)
			}
			versions := make([][]byte, 2)
			for i := range versions {
				result, err := render.Render(streams, render.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				if err := yamlstream.Join(&out, result.Documents); err != nil {
					t.Fatal(err)
				}
				versions[i] = out.Bytes()
				for j := range streams {
					streams[j].Text = bytes.ReplaceAll(streams[j].Text, []byte("image: "), []byte("image: mirror.example.com/"))
				}
			}
			plan(t, versions[0], versions[1])
		})
	}
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	files, err := filepath.Glob(filepath.Join(root, "*", "*.*"))
	if err != nil || len(files) == 0 {
		t.Skip("the corpus is not on this machine")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if reason := notForKapp(text); reason != "" {
				t.Skip(reason)
			}
			one := rendered(t, string(text), hooks...)
			two := rendered(t, string(text), hooks[1], "{name: lifecycle-test-pre, events: [pre-deploy], args: [again]}")
			plan(t, one, two)
		})
	}
}

// notForKapp says why kapp itself does not take a file, as it stands.
func notForKapp(text []byte) string {
	g, err := order.Install(text)
	if err != nil {
		return "kapp does not take it: " + err.Error()
	}
	if len(g.Changes) == 0 {
		return "it holds nothing to deploy"
	}
	if _, err := order.Deployed(text); err != nil {
		return "it does not come up: " + err.Error()
	}
	return ""
}
