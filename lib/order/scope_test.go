package order

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// The client for Kubernetes 1.35 takes a namespace where a kind has one.
func TestClusterScopedIsWhatTheClientSays(t *testing.T) {
	// Not served in 1.35 any more, but in what kapp reads, or served by another server than the client's.
	elsewhere := []string{"extensions PodSecurityPolicy", "policy PodSecurityPolicy", "apiextensions.k8s.io CustomResourceDefinition", "apiregistration.k8s.io APIService"}

	want := map[string]bool{}
	for _, name := range elsewhere {
		want[name] = true
	}
	client := reflect.TypeFor[kubernetes.Interface]()
	for i := range client.NumMethod() {
		group := client.Method(i).Type
		if group.NumOut() != 1 || group.Out(0).Kind() != reflect.Interface {
			continue
		}
		for j := range group.Out(0).NumMethod() {
			method := group.Out(0).Method(j).Type
			if method.NumOut() != 1 || method.Out(0).Kind() != reflect.Interface {
				continue
			}
			create, found := method.Out(0).MethodByName("Create")
			if !found || method.NumIn() != 0 {
				continue
			}
			object, ok := reflect.New(create.Type.In(1).Elem()).Interface().(runtime.Object)
			if !ok {
				continue
			}
			kinds, _, err := scheme.Scheme.ObjectKinds(object)
			check(t, err)
			if !strings.HasSuffix(kinds[0].Kind, "Review") {
				want[kinds[0].Group+" "+kinds[0].Kind] = true
			}
		}
	}
	if len(want) < 30 {
		t.Fatalf("only %d kinds found in the client", len(want))
	}
	got := map[string]bool{}
	for group, kinds := range clusterScoped {
		if !slices.IsSorted(kinds) {
			t.Errorf("%q: not sorted", group)
		}
		for _, kind := range kinds {
			got[group+" "+kind] = true
		}
	}
	for name := range want {
		if !got[name] {
			t.Errorf("%s is missing", name)
		}
	}
	for name := range got {
		if !want[name] {
			t.Errorf("%s has a namespace, or is not there", name)
		}
	}
}

func TestNamespaced(t *testing.T) {
	crd := func(kind, scope string) ctlres.Resource {
		return parse(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, spec: {group: example.com, names: {kind: %s}, scope: %s}}", kind, scope)
	}
	table := scopes([]ctlres.Resource{crd("Tenant", "Cluster"), crd("ClusterThing", "Namespaced"), parse(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: y}}")})
	for _, tc := range []struct {
		apiVersion, kind, namespace string
		want                        bool
	}{
		{"v1", "ConfigMap", "", true},
		{"v1", "Namespace", "", false},
		{"rbac.authorization.k8s.io/v1", "ClusterRole", "ns", false},
		{"rbac.authorization.k8s.io/v1", "Role", "", true},
		{"example.com/v1", "Tenant", "", false},
		{"example.com/v1", "ClusterThing", "", true},
		{"cert-manager.io/v1", "ClusterIssuer", "", false},
		{"cert-manager.io/v1", "Issuer", "", true},
		{"cert-manager.io/v1", "ClusterIssuer", "ns", true},
	} {
		res := parse(t, "{apiVersion: %s, kind: %s, metadata: {name: x, namespace: %q}}", tc.apiVersion, tc.kind, tc.namespace)
		if got := table.namespaced(res); got != tc.want {
			t.Errorf("%s %s in %q: %t", tc.apiVersion, tc.kind, tc.namespace, got)
		}
	}
}
