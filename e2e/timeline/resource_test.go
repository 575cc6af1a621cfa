package timeline

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		name, object string
		want         Verb
		detail       string
	}{
		{"a Job that runs", `{apiVersion: batch/v1, kind: Job, status: {active: 1}}`, "", ""},
		{"a Job that is complete", `{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True"}]}}`, Succeeded, ""},
		{"a Job that has failed", `{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: Failed, status: "True", reason: DeadlineExceeded}]}}`, Failed, "DeadlineExceeded"},
		{"a Job about to fail", `{apiVersion: batch/v1, kind: Job, status: {conditions: [{type: FailureTarget, status: "True"}]}}`, "", ""},
		{"a ready pod", `{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`, Ready, ""},
		{"a running pod", `{apiVersion: v1, kind: Pod, status: {phase: Running, conditions: [{type: Ready, status: "False"}]}}`, "", ""},
		{"a pod that succeeded", `{apiVersion: v1, kind: Pod, status: {phase: Succeeded}}`, Succeeded, ""},
		{"a pod that failed", `{apiVersion: v1, kind: Pod, status: {phase: Failed, reason: Evicted}}`, Failed, "Evicted"},
		{"a rolled out Deployment", `{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2}}`, Ready, ""},
		{"a Deployment with an old pod", `{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 2, updatedReplicas: 1, availableReplicas: 1}}`, "", ""},
		{"a Deployment whose controller is behind", `{apiVersion: apps/v1, kind: Deployment, metadata: {generation: 2}, spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1}}`, "", ""},
		{"a StatefulSet", `{apiVersion: apps/v1, kind: StatefulSet, metadata: {generation: 1}, spec: {replicas: 1}, status: {observedGeneration: 1, updatedReplicas: 1, readyReplicas: 1}}`, Ready, ""},
		{"a DaemonSet", `{apiVersion: apps/v1, kind: DaemonSet, metadata: {generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1}}`, Ready, ""},
		{"a bound claim", `{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Bound}}`, Ready, ""},
		{"a definition", `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, status: {conditions: [{type: Established, status: "True"}]}}`, Ready, ""},
		{"a ready custom resource", `{apiVersion: x/v1, kind: Thing, metadata: {generation: 2}, status: {observedGeneration: 2, conditions: [{type: Ready, status: "True"}]}}`, Ready, ""},
		{"one whose controller is behind", `{apiVersion: x/v1, kind: Thing, metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: Ready, status: "True"}]}}`, "", ""},
		{"one that counts no generations", `{apiVersion: x/v1, kind: Thing, metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True"}]}}`, Ready, ""},
		{"what has no state", `{apiVersion: v1, kind: ConfigMap}`, "", ""},
	} {
		if verb, detail := outcome(object(t, test.object)); verb != test.want || detail != test.detail {
			t.Errorf("%s: %q %q, want %q %q", test.name, verb, detail, test.want, test.detail)
		}
	}
}

func TestChange(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                Verb
		detail              string
	}{
		{"spec", `{kind: Deployment, metadata: {generation: 1}}`, `{kind: Deployment, metadata: {generation: 2, annotations: {a: b}}}`, Updated, "generation 2"},
		{"status", `{kind: Deployment, metadata: {generation: 1}}`, `{kind: Deployment, metadata: {generation: 1}, status: {replicas: 1}}`, "", ""},
		{"annotations", `{kind: Job, metadata: {generation: 1, annotations: {a: x, c: x}}}`, `{kind: Job, metadata: {generation: 1, annotations: {a: x, b: new}, labels: {l: new}}}`, Touched, "l b c"},
		{"the Deployment controller's own", `{kind: Deployment, metadata: {generation: 1}}`, `{kind: Deployment, metadata: {generation: 1, annotations: {deployment.kubernetes.io/revision: "1"}}}`, "", ""},
		{"data", `{kind: ConfigMap, data: {a: x}}`, `{kind: ConfigMap, data: {a: new}, metadata: {annotations: {b: c}}}`, Updated, ""},
		{"no data", `{kind: ConfigMap, data: {a: x}, metadata: {resourceVersion: "1"}}`, `{kind: ConfigMap, data: {a: x}, metadata: {resourceVersion: "2"}}`, "", ""},
		{"a pod's binding", `{kind: Pod, metadata: {generation: 1}}`, `{kind: Pod, metadata: {generation: 2}, spec: {nodeName: n}}`, "", ""},
	} {
		if verb, detail := change(object(t, test.before), object(t, test.after)); verb != test.want || detail != test.detail {
			t.Errorf("%s: %q %q, want %q %q", test.name, verb, detail, test.want, test.detail)
		}
	}
}

func TestDefined(t *testing.T) {
	got, ok := defined(object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {plural: widgets}
  versions: [{name: v1, served: true, storage: false}, {name: v2, served: true, storage: true}]
`))
	if want := (schema.GroupVersionResource{Group: "example.com", Version: "v2", Resource: "widgets"}); !ok || got != want {
		t.Errorf("%v %t, want %v", got, ok, want)
	}
	if got, ok := defined(object(t, `{apiVersion: v1, kind: ConfigMap}`)); ok {
		t.Errorf("a ConfigMap defines %v", got)
	}
}

func TestIgnored(t *testing.T) {
	for text, want := range map[string]bool{
		`{kind: ConfigMap, metadata: {name: app, labels: {kapp.k14s.io/is-app: ""}}}`:          true,
		`{kind: ConfigMap, metadata: {name: app-x, labels: {kapp.k14s.io/is-app-change: ""}}}`: true,
		`{kind: ConfigMap, metadata: {name: kube-root-ca.crt}}`:                                true,
		`{kind: ServiceAccount, metadata: {name: default}}`:                                    true,
		`{kind: ConfigMap, metadata: {name: settings, labels: {kapp.k14s.io/app: "1"}}}`:       false,
		`{kind: ServiceAccount, metadata: {name: hook}}`:                                       false,
	} {
		if got := ignored(object(t, text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
