// Package scenarios holds what the product promises, a test for each promise: the real kapp deploys what kapp-lifecycle
// renders to a real API server, and the hooks really run.
package scenarios

import (
	"os/exec"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/timeline"
)

func TestMain(m *testing.M) { harness.Main(m) }

// start gives a test that runs beside the others an app called shop, in a namespace of its own.
func start(t *testing.T) (*harness.Namespace, *harness.App) {
	t.Helper()
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	return ns, ns.App("shop")
}

// shop gives the files of an app: a ConfigMap and the Deployment api of a version, and hooks, one a line of spec.hooks.
func shop(version string, hooks ...string) string {
	return shopWith(version, "", hooks...)
}

// shopWith is shop with more manifests.
func shopWith(version, more string, hooks ...string) string {
	lifecycle := `-- lifecycle.yaml --
apiVersion: kapp-lifecycle.dev/v1alpha1
kind: Lifecycle
metadata: {name: shop, namespace: "${NS}"}
spec:
  defaults: {image: tools, retries: 0, timeout: 1m, guardImage: tools}
  hooks:
`
	for _, hook := range hooks {
		lifecycle += "  - " + hook + "\n"
	}
	return lifecycle + `-- config/app.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: "${NS}"}
data: {shared: "1"}
---
` + deployment("api", version) + more
}

// deployment gives a Deployment, ready half a second after its pod starts.
func deployment(name, version string) string {
	return strings.NewReplacer("NAME", name, "VERSION", version).Replace(`apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: "${NS}"}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}, annotations: {e2e.kapp-lifecycle.dev/ready-after: 300ms}}
    spec: {containers: [{name: app, image: "NAME:VERSION"}]}
---
`)
}

// hook gives a hook that runs a line of shell; more are other keys of it.
func hook(name, events, more, script string) string {
	if more != "" {
		more += ", "
	}
	return "{name: " + name + ", events: [" + events + "], " + more + "command: [sh, -c, '" + script + "']}"
}

// outputs gives what the runs of a hook's Job printed and how they ended, in order.
func outputs(tl timeline.Timeline, job string) []string {
	var all []string
	for _, run := range tl.Runs(job) {
		all = append(all, strings.TrimSpace(run.Output))
	}
	return all
}

// acted counts the runs of a hook that were no skip.
func acted(tl timeline.Timeline, job string) int {
	count := 0
	for _, run := range tl.Runs(job) {
		if !strings.Contains(run.Output, "kapp-lifecycle: skipped") {
			count++
		}
	}
	return count
}

// ran asserts how often hooks acted in a timeline.
func ran(t *testing.T, tl timeline.Timeline, want map[string]int) {
	t.Helper()
	for job, count := range want {
		if got := acted(tl, job); got != count {
			t.Errorf("%s acted %d times, want %d\n%s", job, got, count, tl)
		}
	}
}

// deletePods deletes a hook's pods, as a clean-up of old pods does.
func deletePods(t *testing.T, ns *harness.Namespace, hook string) {
	t.Helper()
	err := ns.Client.CoreV1().Pods(ns.Name).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "kapp-lifecycle.dev/hook=" + hook})
	if err != nil {
		t.Fatal(err)
	}
}

// needs skips a test on a machine that has not a program which the hook under test runs.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("needs %s", program)
	}
}
