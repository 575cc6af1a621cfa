package order

import (
	"strings"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// clusterScoped lists the kinds that Kubernetes 1.35 serves without a namespace, by API group. Kinds that are only asked, never
// stored (reviews), are left out.
var clusterScoped = map[string][]string{
	"": {"ComponentStatus", "Namespace", "Node", "PersistentVolume"},
	"admissionregistration.k8s.io": {
		"MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
	},
	"apiextensions.k8s.io":         {"CustomResourceDefinition"},
	"apiregistration.k8s.io":       {"APIService"},
	"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
	"extensions":                   {"PodSecurityPolicy"},
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"internal.apiserver.k8s.io":    {"StorageVersion"},
	"networking.k8s.io":            {"IPAddress", "IngressClass", "ServiceCIDR"},
	"node.k8s.io":                  {"RuntimeClass"},
	"policy":                       {"PodSecurityPolicy"},
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
	"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourceSlice"},
	"scheduling.k8s.io":            {"PriorityClass"},
	"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
	"storagemigration.k8s.io":      {"StorageVersionMigration"},
}

// scopeTable says of a kind whether it has no namespace.
type scopeTable map[schema.GroupKind]bool

// scopes knows the kinds of Kubernetes and those that come with the app; a cluster, where kapp asks, knows them all.
func scopes(resources []ctlres.Resource) scopeTable {
	table := scopeTable{}
	for group, kinds := range clusterScoped {
		for _, kind := range kinds {
			table[schema.GroupKind{Group: group, Kind: kind}] = true
		}
	}
	for _, res := range resources {
		if res.Kind() != "CustomResourceDefinition" || res.APIGroup() != "apiextensions.k8s.io" {
			continue
		}
		spec, _ := res.UnstructuredObject()["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, _ := spec["group"].(string)
		kind, _ := names["kind"].(string)
		table[schema.GroupKind{Group: group, Kind: kind}] = spec["scope"] == "Cluster"
	}
	return table
}

// namespaced guesses where the kind is not known: what names a namespace has one, and what names none has one all the
// same (kapp puts it into the app's) unless its kind says otherwise, as ClusterIssuer does.
func (t scopeTable) namespaced(res ctlres.Resource) bool {
	if cluster, known := t[res.GroupKind()]; known {
		return !cluster
	}
	return res.Namespace() != "" || !strings.HasPrefix(res.Kind(), "Cluster")
}
