package node

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// objects is a source with one ConfigMap "c", one Secret "s", and a token.
type objects struct{}

func (objects) ConfigMap(_ context.Context, _, name string) (*corev1.ConfigMap, error) {
	if name != "c" {
		return nil, apierrors.NewNotFound(corev1.Resource("configmaps"), name)
	}
	return &corev1.ConfigMap{Data: map[string]string{"one": "1", "two": "2"}, BinaryData: map[string][]byte{"raw": {0, 1}}}, nil
}

func (objects) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	if name != "s" {
		return nil, apierrors.NewNotFound(corev1.Resource("secrets"), name)
	}
	return &corev1.Secret{Data: map[string][]byte{"three": []byte("3")}}, nil
}

func (objects) Token(_ context.Context, pod *corev1.Pod, p *corev1.ServiceAccountTokenProjection) ([]byte, error) {
	return []byte("token of " + pod.Spec.ServiceAccountName + " for " + p.Audience), nil
}

var somePod = &corev1.Pod{
	ObjectMeta: metav1.ObjectMeta{
		Name: "p", Namespace: "ns", UID: "u-1", Labels: map[string]string{"b": "2", "a": "1"}, Annotations: map[string]string{"x/y": "z"},
	},
	Spec:   corev1.PodSpec{NodeName: "n", ServiceAccountName: "sa"},
	Status: corev1.PodStatus{PodIP: "10.0.0.1", HostIP: "127.0.0.1"},
}

// read decodes the YAML of a container, a volume and the like.
func read[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestEnvironment(t *testing.T) {
	for _, test := range []struct {
		name, container string
		want            map[string]string
		err             string
	}{
		{name: "values see what stands before them", container: `
env: [{name: A, value: $(B)}, {name: B, value: b}, {name: C, value: "$(B)$(HOME)"}]`,
			want: map[string]string{"A": "$(B)", "B": "b", "C": "b/root"}},
		{name: "env over envFrom over the node's own", container: `
env: [{name: one, value: own}]
envFrom: [{configMapRef: {name: c}}, {prefix: HO, configMapRef: {name: c}}, {secretRef: {name: s}}]`,
			want: map[string]string{"one": "own", "two": "2", "HOone": "1", "HOtwo": "2", "three": "3"}},
		{name: "references", container: `
env:
- {name: CM, valueFrom: {configMapKeyRef: {name: c, key: one}}}
- {name: S, valueFrom: {secretKeyRef: {name: s, key: three}}}
- {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
- {name: ID, valueFrom: {fieldRef: {fieldPath: metadata.uid}}}
- {name: LABEL, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a']"}}}
- {name: NOTE, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['x/y']"}}}
- {name: NONE, valueFrom: {fieldRef: {fieldPath: "metadata.labels['none']"}}}
- {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
- {name: SA, valueFrom: {fieldRef: {fieldPath: spec.serviceAccountName}}}
- {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
- {name: HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}`,
			want: map[string]string{"CM": "1", "S": "3", "NAME": "p", "NS": "ns", "ID": "u-1", "LABEL": "1", "NOTE": "z", "NONE": "",
				"NODE": "n", "SA": "sa", "IP": "10.0.0.1", "HOST": "127.0.0.1"}},
		{name: "optional ones that are not there leave the variable unset", container: `
env:
- {name: A, valueFrom: {configMapKeyRef: {name: none, key: one, optional: true}}}
- {name: B, valueFrom: {configMapKeyRef: {name: c, key: none, optional: true}}}
- {name: C, valueFrom: {secretKeyRef: {name: none, key: one, optional: true}}}
- {name: D, valueFrom: {secretKeyRef: {name: s, key: none, optional: true}}}
envFrom: [{configMapRef: {name: none, optional: true}}, {secretRef: {name: none, optional: true}}]`,
			want: map[string]string{}},
		{name: "no ConfigMap", container: `env: [{name: A, valueFrom: {configMapKeyRef: {name: none, key: one}}}]`, err: `configmaps "none" not found`},
		{name: "no key", container: `env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: none}}}]`, err: "couldn't find key none in ConfigMap ns/c"},
		{name: "no Secret", container: `env: [{name: A, valueFrom: {secretKeyRef: {name: none, key: one}}}]`, err: `secrets "none" not found`},
		{name: "no key in the Secret", container: `env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: none}}}]`, err: "couldn't find key none in Secret ns/s"},
		{name: "no envFrom ConfigMap", container: `envFrom: [{configMapRef: {name: none}}]`, err: `configmaps "none" not found`},
		{name: "no envFrom Secret", container: `envFrom: [{secretRef: {name: none}}]`, err: `secrets "none" not found`},
		{name: "unknown field", container: `env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.bogus}}}]`, err: "no field spec.bogus"},
		{name: "unknown kind", container: `env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]`, err: "use fieldRef, configMapKeyRef or secretKeyRef"},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := map[string]string{"HOME": "/root"}
			got, err := environment(t.Context(), objects{}, somePod, read[corev1.Container](t, "name: c\n"+test.container), base)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			test.want["HOME"] = "/root"
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v, variables (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestContent(t *testing.T) {
	for _, test := range []struct {
		name, volume string
		want         map[string]string // nil: a folder
		err          string
	}{
		{name: "whole ConfigMap", volume: `configMap: {name: c}`, want: map[string]string{"one": "1", "two": "2", "raw": "\x00\x01"}},
		{name: "items", volume: `configMap: {name: c, items: [{key: one, path: a/b}]}`, want: map[string]string{"a/b": "1"}},
		{name: "Secret", volume: `secret: {secretName: s}`, want: map[string]string{"three": "3"}},
		{name: "downward API", volume: `downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}`,
			want: map[string]string{"labels": "a=\"1\"\nb=\"2\""}},
		{name: "projected", volume: `
projected:
  sources:
  - serviceAccountToken: {path: token, audience: vault}
  - configMap: {name: c, items: [{key: two, path: two}]}
  - secret: {name: s}
  - downwardAPI: {items: [{path: ns, fieldRef: {fieldPath: metadata.namespace}}]}`,
			want: map[string]string{"token": "token of sa for vault", "two": "2", "three": "3", "ns": "ns"}},
		{name: "optional", volume: `configMap: {name: none, optional: true}`, want: map[string]string{}},
		{name: "optional key", volume: `secret: {secretName: s, optional: true, items: [{key: none, path: x}]}`, want: map[string]string{}},
		{name: "emptyDir", volume: `emptyDir: {}`},
		{name: "hostPath is not the host's", volume: `hostPath: {path: /etc}`},
		{name: "no ConfigMap", volume: `configMap: {name: none}`, err: `configmaps "none" not found`},
		{name: "no key", volume: `configMap: {name: c, items: [{key: none, path: x}]}`, err: "configmap c references non-existent key: none"},
		{name: "unknown source", volume: `projected: {sources: [{clusterTrustBundle: {path: x}}]}`, err: "does not know this source"},
		{name: "resource", volume: `downwardAPI: {items: [{path: cpu, resourceFieldRef: {resource: limits.cpu}}]}`, err: "no resourceFieldRef (file cpu)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files, ok, err := content(t.Context(), objects{}, objects{}, somePod, read[corev1.Volume](t, "name: v\n"+test.volume))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil || ok != (test.want != nil) {
				t.Fatalf("error %v, content %t", err, ok)
			}
			if diff := cmp.Diff(test.want, texts(files)); ok && diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
