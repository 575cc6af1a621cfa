package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
)

// app is a small app with a hook, in kapp's own terms: the Job goes before the Deployment.
const app = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {greeting: hello from the hook}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {kapp.k14s.io/change-group: shop/hooks, kapp.k14s.io/update-strategy: fallback-on-replace}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {kapp.k14s.io/deploy-logs: for-new}}
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: any
        command: [sh, -c, "echo $GREETING; sleep 2; echo done"]
        env: [{name: GREETING, valueFrom: {configMapKeyRef: {name: settings, key: greeting}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, annotations: {kapp.k14s.io/change-rule: upsert after upserting shop/hooks}}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}, annotations: {e2e.kapp-lifecycle.dev/ready-after: 500ms}}
    spec: {containers: [{name: main, image: "any:1"}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "${NS}"}
rules: []
`

// TestKappDeploy: the real kapp waits for the Job and the Deployment, and shows the Job's log.
func TestKappDeploy(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	shop := ns.App("shop")

	first := shop.DeployYAML(t, app).OK(t)
	first.Says(t, "Succeeded", "hello from the hook", "done")
	first.Timeline.Order(t, "ConfigMap/settings created", "Job/migrate created", "Job/migrate started", "Job/migrate ended",
		"Job/migrate succeeded", "Deployment/api created", "Deployment/api ready")
	first.Timeline.Happened(t, "ClusterRole/"+ns.Name+" created")
	if ready := first.Timeline.Of("Deployment/api").Ready(); ready.IsZero() || ready.After(first.End) {
		t.Errorf("kapp ended before the Deployment was ready\n%s", first.Timeline)
	}

	second := shop.DeployYAML(t, strings.Replace(app, "any:1", "any:2", 1)).OK(t)
	second.Timeline.Happened(t, "Deployment/api updated")
	second.Timeline.Never(t, "Job/migrate started", "Deployment/api created")
	second.Timeline.Times(t, 1, "Deployment/api ready")

	gone := shop.Delete(t).OK(t)
	gone.Timeline.Happened(t, "Job/migrate deleted", "Deployment/api deleted", "ClusterRole/"+ns.Name+" deleted")
}

// TestKappFails: a failed deployment is a result like any other.
func TestKappFails(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	broken := strings.Replace(app, "echo done", "exit 4", 1)
	first := ns.App("shop").DeployYAML(t, broken).Fails(t, "Failed with reason BackoffLimitExceeded")
	first.Timeline.Never(t, "Deployment/api created")
}

// TestKappKilled: kapp can be killed while it waits for a hook, and the next deployment goes on.
func TestKappKilled(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	shop, gate := ns.App("shop"), harness.NewGate(t)
	held := strings.Replace(app, "sleep 2", gate.Pass(), 1)

	running := shop.StartYAML(t, held)
	ns.Await(t, "Job/migrate started")
	// Without its record of what it applied, kapp would take the Job for changed.
	ns.Await(t, "Job/migrate touched")
	running.Kill()
	killed := running.Wait(t)
	if killed.Code != -1 {
		t.Errorf("exit code %d of a killed process", killed.Code)
	}
	killed.Timeline.Never(t, "Job/migrate ended", "Deployment/api created")

	gate.Open()
	shop.DeployYAML(t, held).OK(t)
	ns.Timeline(t).Times(t, 1, "Job/migrate started")
}

// TestCustomResource: a custom resource's kind is watched from the moment there is one.
func TestCustomResource(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	shop := ns.App("shop")
	// The group holds the namespace's name, because definitions are shared with the tests beside.
	tl := shop.DeployYAML(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: "widgets.${NS}.example.com"}
spec:
  group: "${NS}.example.com"
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: "${NS}.example.com/v1"
kind: Widget
metadata: {name: one}
spec: {size: 3}
`).OK(t).Timeline
	crd := "CustomResourceDefinition/widgets." + ns.Name + ".example.com"
	tl.Order(t, crd+" created", crd+" ready", "Widget/one created")
	shop.Delete(t).OK(t).Timeline.Order(t, "Widget/one deleted", crd+" deleted")
}

// TestNamespacesAreApart: a test sees nothing of another that deploys the same beside it.
func TestNamespacesAreApart(t *testing.T) {
	t.Parallel()
	h := harness.Start(t)
	one, two := h.Namespace(t), h.Namespace(t)
	started := time.Now()
	one.Apply(t, job("same", `
      containers: [{name: main, image: any, command: ["true"]}]
`))
	one.Await(t, "Job/same succeeded")
	if tl := two.Since(t, started); len(tl) != 0 {
		t.Errorf("the other namespace's timeline is not empty\n%s", tl)
	}
}
