// Package stage knows in which stage of a deploy a resource stands: with the prerequisites, which
// are in place before any hook runs, or with the workloads, which the hooks gate.
//
// The table is the one source for both lanes: templates/_ytt_lib/kapp-lifecycle/stages.star is generated from it.
package stage

import "strings"

// Stage is where a resource stands in the order of a deploy.
type Stage string

const (
	// Prerequisites are what a hook's pod may need: applied before pre hooks, deleted after all hooks.
	Prerequisites Stage = "prerequisites"
	// Workloads are everything else: applied after pre hooks and before post hooks.
	Workloads Stage = "workloads"
)

// Annotation on a resource overrides the table; its value is a Stage.
const Annotation = "kapp-lifecycle.dev/stage"

// prerequisites lists, by API group, the kinds of stage Prerequisites. It holds what kapp itself puts
// before pods (kapp v0.66.0, pkg/kapp/config/default.go: change groups crds, namespaces, storage-class,
// storage, rbac and pod-related) and, of the kinds that Kubernetes 1.35 serves, their relatives in newer
// versions: a hook's pod must find its classes, quotas and policies in place. Services are workloads, as in
// kapp, since a load balancer may take minutes; so are webhook and admission policy
// configurations, which may refuse pods until what stands behind them is up.
var prerequisites = map[string][]string{
	"": {
		"ConfigMap", "LimitRange", "Namespace", "PersistentVolume", "PersistentVolumeClaim",
		"ResourceQuota", "Secret", "ServiceAccount",
	},
	"apiextensions.k8s.io":      {"CustomResourceDefinition"},
	"extensions":                {"NetworkPolicy", "PodSecurityPolicy"},
	"networking.k8s.io":         {"IngressClass", "NetworkPolicy"},
	"node.k8s.io":               {"RuntimeClass"},
	"policy":                    {"PodDisruptionBudget", "PodSecurityPolicy"},
	"rbac.authorization.k8s.io": {"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"},
	"resource.k8s.io":           {"DeviceClass"},
	"scheduling.k8s.io":         {"PriorityClass"},
	"storage.k8s.io":            {"CSIDriver", "StorageClass", "VolumeAttributesClass"},
}

var index = func() map[string]map[string]bool {
	all := make(map[string]map[string]bool, len(prerequisites))
	for group, kinds := range prerequisites {
		all[group] = make(map[string]bool, len(kinds))
		for _, kind := range kinds {
			all[group][kind] = true
		}
	}
	return all
}()

// Of gives the stage of a resource by its apiVersion and kind. Unknown kinds are workloads.
func Of(apiVersion, kind string) Stage {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		group = ""
	}
	if index[group][kind] {
		return Prerequisites
	}
	return Workloads
}

// Valid says whether s names a stage.
func Valid(s string) bool { return s == string(Prerequisites) || s == string(Workloads) }
