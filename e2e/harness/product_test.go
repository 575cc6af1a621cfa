package harness_test

import (
	"strings"
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
)

// shop is an app with one hook, as an author writes it.
const shop = `
-- app.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: main, image: "registry.test/api:1"}]}
-- lifecycle.yaml --
apiVersion: kapp-lifecycle.dev/v1alpha1
kind: Lifecycle
metadata: {name: shop}
spec:
  hooks:
  - name: migrate
    events: [pre-install, pre-upgrade]
    image: registry.test/migrate
    command: [sh, -c, "echo migrated in ${NS}"]
`

// TestRenderAndDeploy: the product from the repository renders, kapp deploys, the hook runs before the workload.
func TestRenderAndDeploy(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	app := ns.App("shop")

	first := app.Deploy(t, shop).OK(t)
	first.Timeline.Order(t, "Job/shop-migrate started", "Job/shop-migrate ended", "Deployment/api created")
	if runs := first.Timeline.Runs("Job/shop-migrate"); len(runs) != 1 || runs[0].Output != "migrated in "+ns.Name+"\n" {
		t.Errorf("the hook's runs are %+v", runs)
	}

	second := app.Deploy(t, strings.Replace(shop, "api:1", "api:2", 1)).OK(t)
	second.Timeline.Before(t, "Job/shop-migrate ended", "Deployment/api updated")
}

// TestRenderRefuses: a rendering that fails is a result too.
func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	h := harness.Start(t)
	h.Render(t, strings.Replace(shop, "pre-upgrade", "pre-upgrad", 1)).Fails(t, "lifecycle.yaml", "pre-upgrade")
}
