package harness

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// Apply creates or changes objects without kapp, as somebody else would. Those without a namespace go into this one.
func (ns *Namespace) Apply(t testing.TB, text string) {
	t.Helper()
	if err := ns.Cluster.Apply(t.Context(), ns.Name, ns.Text(text)); err != nil {
		t.Fatal(err)
	}
}

// Apply is Namespace's, without a test.
func (c *Cluster) Apply(ctx context.Context, namespace, text string) error {
	kinds := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client.Discovery()))
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(object.Object) == 0 {
			continue
		}
		kind := object.GroupVersionKind()
		mapping, err := kinds.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		var client dynamic.ResourceInterface = c.Dynamic.Resource(mapping.Resource)
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			if object.GetNamespace() == "" {
				object.SetNamespace(namespace)
			}
			client = c.Dynamic.Resource(mapping.Resource).Namespace(object.GetNamespace())
		}
		if _, err := client.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "e2e", Force: true}); err != nil {
			return err
		}
	}
}
