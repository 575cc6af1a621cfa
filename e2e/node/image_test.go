package node

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestBehaviour(t *testing.T) {
	always, never := corev1.RestartPolicyAlways, corev1.RestartPolicyNever
	for _, test := range []struct {
		name   string
		policy corev1.RestartPolicy
		notes  string
		base   Behaviour
		want   Behaviour
		err    string
	}{
		{name: "runs for ever", policy: always, want: Behaviour{}},
		{name: "succeeds at once", policy: never, want: Behaviour{Exit: &Exit{}}},
		{name: "as the image says", policy: never, base: Behaviour{Exit: &Exit{After: time.Second, Code: 2}}, want: Behaviour{Exit: &Exit{After: time.Second, Code: 2}}},
		{name: "ready later", policy: always, notes: ReadyAfterAnnotation + "=2s", want: Behaviour{ReadyAfter: 2 * time.Second}},
		{name: "fails instead of becoming ready", policy: always, notes: ReadyAfterAnnotation + "=2s " + FailAnnotation + "=true",
			want: Behaviour{ReadyAfter: 2 * time.Second, Exit: &Exit{After: 2 * time.Second, Code: 1}}},
		{name: "fails after a while", policy: never, notes: ExitAfterAnnotation + "=3s " + FailAnnotation + "=true", want: Behaviour{Exit: &Exit{After: 3 * time.Second, Code: 1}}},
		{name: "an exit code alone", policy: always, notes: ExitCodeAnnotation + "=9", want: Behaviour{Exit: &Exit{Code: 9}}},
		{name: "time and exit code", policy: never, notes: ExitAfterAnnotation + "=1s " + ExitCodeAnnotation + "=9", want: Behaviour{Exit: &Exit{After: time.Second, Code: 9}}},
		{name: "fake", policy: always, notes: FakeAnnotation + "=true", want: Behaviour{Fake: true}},
		{name: "entrypoint", policy: always, notes: EntrypointAnnotation + `=["a","b"]`, base: Behaviour{Entrypoint: []string{"other"}}, want: Behaviour{Entrypoint: []string{"a", "b"}}},
		{name: "bad duration", policy: always, notes: ReadyAfterAnnotation + "=soon", err: `"soon" is not a duration`},
		{name: "negative duration", policy: always, notes: ExitAfterAnnotation + "=-1s", err: `"-1s" is not a duration`},
		{name: "bad exit code", policy: always, notes: ExitCodeAnnotation + "=256", err: `"256" is not an exit code`},
		{name: "bad entrypoint", policy: always, notes: EntrypointAnnotation + "=sh", err: `"sh" is not a JSON list`},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}}, Spec: corev1.PodSpec{RestartPolicy: test.policy}}
			for _, note := range strings.Fields(test.notes) {
				name, value, _ := strings.Cut(note, "=")
				pod.Annotations[name] = value
			}
			got, err := behaviour(pod, test.base)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v, behaviour (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestCommand(t *testing.T) {
	for _, test := range []struct {
		name      string
		behaviour Behaviour
		container corev1.Container
		want      []string
	}{
		{name: "command and args", container: corev1.Container{Command: []string{"a"}, Args: []string{"b"}}, want: []string{"a", "b"}},
		{name: "command before entrypoint", behaviour: Behaviour{Entrypoint: []string{"e"}}, container: corev1.Container{Command: []string{"a"}}, want: []string{"a"}},
		{name: "entrypoint with args", behaviour: Behaviour{Entrypoint: []string{"e"}}, container: corev1.Container{Args: []string{"b"}}, want: []string{"e", "b"}},
		{name: "args alone are for an entrypoint that is not known", container: corev1.Container{Args: []string{"b"}}},
		{name: "fake", behaviour: Behaviour{Fake: true}, container: corev1.Container{Command: []string{"a"}}},
	} {
		if diff := cmp.Diff(test.want, test.behaviour.command(test.container)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLookup(t *testing.T) {
	images := map[string]Image{
		"host:5000/app":   {Behaviour: Behaviour{Output: "any"}},
		"host:5000/app:2": {Behaviour: Behaviour{Output: "two"}},
		"short":           {Behaviour: Behaviour{Output: "short"}},
	}
	for name, want := range map[string]string{
		"host:5000/app": "any", "host:5000/app:1": "any", "host:5000/app:2": "two", "host:5000/app@sha256:00": "any", "host:5000/app:1@sha256:00": "any",
		"short:latest": "short", "host:5000/other": "", "host": "", "": "",
	} {
		if image, ok := lookup(images, name); image.Output != want || ok != (want != "") {
			t.Errorf("%q is %q (%t), want %q", name, image.Output, ok, want)
		}
	}
}

func TestOwner(t *testing.T) {
	of := func(kind, name string, labels map[string]string) *corev1.Pod {
		yes := true
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Labels: labels, OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &yes}}}}
	}
	hash := map[string]string{"pod-template-hash": "abc"}
	for want, pod := range map[string]*corev1.Pod{
		"Pod/pod":            {ObjectMeta: metav1.ObjectMeta{Name: "pod"}},
		"Job/migrate":        of("Job", "migrate", nil),
		"Deployment/api":     of("ReplicaSet", "api-abc", hash),
		"ReplicaSet/own":     of("ReplicaSet", "own", hash),
		"ReplicaSet/own-abc": of("ReplicaSet", "own-abc", nil),
	} {
		if got := owner(pod); got != want {
			t.Errorf("owner %q, want %q", got, want)
		}
	}
}
