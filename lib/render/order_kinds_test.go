package render_test

import (
	"strings"
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// TestEveryGroupOfKinds: each kind that hooks may need is there before them, and each that they may not is held back.
func TestEveryGroupOfKinds(t *testing.T) {
	for stage, kinds := range map[string]string{
		"prerequisites": `v1 Namespace
			apiextensions.k8s.io/v1 CustomResourceDefinition
			rbac.authorization.k8s.io/v1 Role
			rbac.authorization.k8s.io/v1 RoleBinding
			rbac.authorization.k8s.io/v1 ClusterRole
			rbac.authorization.k8s.io/v1 ClusterRoleBinding
			v1 ServiceAccount
			v1 Secret
			v1 ConfigMap
			v1 PersistentVolume
			v1 PersistentVolumeClaim
			v1 ResourceQuota
			v1 LimitRange
			networking.k8s.io/v1 NetworkPolicy
			policy/v1 PodDisruptionBudget
			storage.k8s.io/v1 StorageClass
			scheduling.k8s.io/v1 PriorityClass`,
		"workloads": `apps/v1 Deployment
			apps/v1 StatefulSet
			apps/v1 DaemonSet
			batch/v1 CronJob
			v1 Service
			networking.k8s.io/v1 Ingress
			admissionregistration.k8s.io/v1 MutatingWebhookConfiguration
			apiregistration.k8s.io/v1 APIService
			example.com/v1 Database
			example.com/v1 ClusterDatabase`,
	} {
		for _, line := range strings.Split(kinds, "\n") {
			apiVersion, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				manifest := "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: it}\n"
				if kind == "CustomResourceDefinition" {
					manifest += "spec: {group: example.com, scope: Namespaced, names: {kind: It}}\n"
				}
				g := must(t)(order.Install(rendered(t, manifest, "{name: pre, events: [pre-deploy]}", "{name: post, events: [post-deploy]}")))
				if stage == "prerequisites" {
					before(t, g, kind+"/it", "Job/app-pre", "Job/app-post")
				} else {
					before(t, g, "Job/app-pre", kind+"/it", "Job/app-post")
				}
			})
		}
	}
}

// TestOnlyAHookChanges: nothing else does, so the revision has but the hooks to wait for.
func TestOnlyAHookChanges(t *testing.T) {
	post := "{name: post, events: [post-deploy], run: always}"
	one := rendered(t, app("1"), "{name: pre, events: [pre-deploy], args: [one]}", post)
	two := rendered(t, app("1"), "{name: pre, events: [pre-deploy], args: [two]}", post)
	g := must(t)(order.Upgrade(two, one))
	before(t, g, "Job/app-pre", "Job/app-post", "ConfigMap/app-revision-ver-2")
	for _, kept := range append(append([]string{"Namespace/prod"}, prerequisites...), workloads...) {
		if op := g.Find(kept).Op; op != order.OpKeep {
			t.Errorf("%s: %s, want keep:\n%s", kept, op, g.Text())
		}
	}
}

// TestServicesOfAnAwaitedWorkload: only those that lead to its pods come early.
func TestServicesOfAnAwaitedWorkload(t *testing.T) {
	other := app("1") + "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: prod}\nspec: {selector: {app: web}}\n"
	g := must(t)(order.Install(rendered(t, other, "{name: seed, events: [pre-deploy], after: [{kind: StatefulSet, name: db}]}")))
	before(t, g, "Service/db", "Job/app-seed", "Service/web")
	before(t, g, "StatefulSet/db", "Job/app-seed", "Deployment/web")
}
