package timeline

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// watched are the resources that an app consists of. Not among them is what others derive from these (ReplicaSets,
// endpoints, events). Custom resources are added as their definitions appear.
var watched = []schema.GroupVersionResource{
	{Version: "v1", Resource: "namespaces"}, {Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "serviceaccounts"}, {Version: "v1", Resource: "services"}, {Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "persistentvolumeclaims"}, {Version: "v1", Resource: "resourcequotas"}, {Version: "v1", Resource: "limitranges"},
	{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"}, {Group: "batch", Version: "v1", Resource: "cronjobs"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"}, {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	definitions,
}

// definitions is the resource whose objects define others.
var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// defined gives the resource that a definition defines: one version, since all show the same objects.
func defined(o *unstructured.Unstructured) (schema.GroupVersionResource, bool) {
	if o.GetKind() != "CustomResourceDefinition" {
		return schema.GroupVersionResource{}, false
	}
	group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(o.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
	for _, v := range versions {
		if version, ok := v.(map[string]any); ok && version["storage"] == true && version["served"] == true {
			name, _ := version["name"].(string)
			return schema.GroupVersionResource{Group: group, Version: name, Resource: plural}, true
		}
	}
	return schema.GroupVersionResource{}, false
}

// Labels that kapp puts on the ConfigMaps in which it keeps its books, and on all resources of an app.
const (
	kappRecordLabel = "kapp.k14s.io/is-app"
	kappChangeLabel = "kapp.k14s.io/is-app-change"
	kappAppLabel    = "kapp.k14s.io/app"
)

// ignored tells objects that no test asks about: kapp's books, and what every namespace has.
func ignored(o *unstructured.Unstructured) bool {
	labels := o.GetLabels()
	_, record := labels[kappRecordLabel]
	_, change := labels[kappChangeLabel]
	switch o.GetKind() + "/" + o.GetName() {
	case "ConfigMap/kube-root-ca.crt", "ServiceAccount/default":
		return true
	}
	return record || change
}

// change compares two versions of an object and says what happened, if anything did. Pods are not asked about: what
// changes in them is their binding.
func change(before, after *unstructured.Unstructured) (Verb, string) {
	if after.GetKind() == "Pod" {
		return "", ""
	}
	if a, b := before.GetGeneration(), after.GetGeneration(); a != b {
		return Updated, fmt.Sprintf("generation %d", b)
	}
	if after.GetGeneration() == 0 && !reflect.DeepEqual(content(before), content(after)) {
		return Updated, ""
	}
	keys := append(differing(before.GetLabels(), after.GetLabels()), differing(before.GetAnnotations(), after.GetAnnotations())...)
	// The Deployment controller writes this one by itself.
	keys = slices.DeleteFunc(keys, func(k string) bool { return k == "deployment.kubernetes.io/revision" })
	if len(keys) > 0 {
		return Touched, strings.Join(keys, " ")
	}
	return "", ""
}

// content is the object without metadata and status.
func content(o *unstructured.Unstructured) map[string]any {
	c := maps.Clone(o.Object)
	delete(c, "metadata")
	delete(c, "status")
	return c
}

// differing gives the keys whose values differ, sorted.
func differing(a, b map[string]string) []string {
	var keys []string
	for k, v := range a {
		if other, ok := b[k]; !ok || other != v {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// outcome is the state that an object has reached: Ready, Succeeded or Failed with the reason, or nothing yet.
func outcome(o *unstructured.Unstructured) (Verb, string) {
	status, _, _ := unstructured.NestedMap(o.Object, "status")
	condition := func(kind string) (bool, string) {
		list, _, _ := unstructured.NestedSlice(status, "conditions")
		for _, item := range list {
			if c, ok := item.(map[string]any); ok && c["type"] == kind {
				reason, _ := c["reason"].(string)
				return c["status"] == "True", reason
			}
		}
		return false, ""
	}
	number := func(of map[string]any, key string) int64 {
		n, _, _ := unstructured.NestedInt64(of, key)
		return n
	}
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	observed := number(status, "observedGeneration") >= o.GetGeneration()
	ready := false
	switch o.GroupVersionKind().GroupKind().String() {
	case "Job.batch":
		if ok, _ := condition("Complete"); ok {
			return Succeeded, ""
		}
		if ok, reason := condition("Failed"); ok {
			return Failed, reason
		}
	case "Pod":
		switch phase, _, _ := unstructured.NestedString(status, "phase"); phase {
		case "Succeeded":
			return Succeeded, ""
		case "Failed":
			reason, _, _ := unstructured.NestedString(status, "reason")
			return Failed, reason
		}
		ready, _ = condition("Ready")
	case "Deployment.apps":
		want := number(spec, "replicas")
		ready = observed && number(status, "updatedReplicas") == want && number(status, "replicas") == want && number(status, "availableReplicas") == want
	case "StatefulSet.apps":
		want := number(spec, "replicas")
		ready = observed && number(status, "updatedReplicas") == want && number(status, "readyReplicas") == want
	case "DaemonSet.apps":
		want := number(status, "desiredNumberScheduled")
		ready = observed && number(status, "updatedNumberScheduled") == want && number(status, "numberAvailable") == want
	case "PersistentVolumeClaim":
		phase, _, _ := unstructured.NestedString(status, "phase")
		ready = phase == "Bound"
	case "CustomResourceDefinition.apiextensions.k8s.io":
		ready, _ = condition("Established")
	default:
		ready, _ = condition("Ready")
		ready = ready && (number(status, "observedGeneration") == 0 || observed)
	}
	if ready {
		return Ready, ""
	}
	return "", ""
}
