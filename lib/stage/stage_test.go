package stage

import (
	"os"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tc := range []struct {
		apiVersion, kind string
		want             Stage
	}{
		{"v1", "Namespace", Prerequisites},
		{"v1", "ConfigMap", Prerequisites},
		{"v1", "Secret", Prerequisites},
		{"v1", "PersistentVolumeClaim", Prerequisites},
		{"v1", "Service", Workloads},
		{"v1", "Pod", Workloads},
		{"apps/v1", "Deployment", Workloads},
		{"batch/v1", "Job", Workloads},
		{"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", Prerequisites},
		{"rbac.authorization.k8s.io/v1beta1", "Role", Prerequisites},
		{"storage.k8s.io/v1", "StorageClass", Prerequisites},
		{"networking.k8s.io/v1", "NetworkPolicy", Prerequisites},
		{"networking.k8s.io/v1", "Ingress", Workloads},
		{"networking.k8s.io/v1", "IngressClass", Prerequisites},
		{"scheduling.k8s.io/v1", "PriorityClass", Prerequisites},
		{"policy/v1", "PodDisruptionBudget", Prerequisites},
		{"apiextensions.k8s.io/v1", "CustomResourceDefinition", Prerequisites},
		{"admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", Workloads},
		{"cert-manager.io/v1", "Certificate", Workloads},
		{"example.com/v1", "ConfigMap", Workloads},
		{"example.com/v1", "Secret", Workloads},
		{"", "", Workloads},
	} {
		if got := Of(tc.apiVersion, tc.kind); got != tc.want {
			t.Errorf("Of(%q, %q) = %s, want %s", tc.apiVersion, tc.kind, got, tc.want)
		}
	}
}

func TestStarlarkIsCurrent(t *testing.T) {
	const file = "../../templates/_ytt_lib/kapp-lifecycle/stages.star"
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(Starlark()) {
		t.Errorf("%s is not what lib/stage generates: run make generate", file)
	}
}
