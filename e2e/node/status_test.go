package node

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func ended(code int32) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
}

func TestPhase(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	wait := waiting("ContainerCreating", "")
	for _, test := range []struct {
		name     string
		states   []corev1.ContainerState
		restarts int
		finished bool
		reason   string
		want     corev1.PodPhase
	}{
		{name: "nothing runs yet", states: []corev1.ContainerState{wait, wait}, want: corev1.PodPending},
		{name: "one runs", states: []corev1.ContainerState{wait, running}, want: corev1.PodRunning},
		{name: "between restarts", states: []corev1.ContainerState{wait}, restarts: 1, want: corev1.PodRunning},
		{name: "one has ended", states: []corev1.ContainerState{ended(0), running}, want: corev1.PodRunning},
		{name: "all have ended well", states: []corev1.ContainerState{ended(0), ended(0)}, finished: true, want: corev1.PodSucceeded},
		{name: "one has failed", states: []corev1.ContainerState{ended(0), ended(1)}, finished: true, want: corev1.PodFailed},
		{name: "an init container has failed", states: []corev1.ContainerState{wait}, finished: true, want: corev1.PodFailed},
		{name: "over its deadline", states: []corev1.ContainerState{ended(0)}, finished: true, reason: "DeadlineExceeded", want: corev1.PodFailed},
	} {
		p := &pod{finished: test.finished, reason: test.reason, object: &corev1.Pod{}}
		for _, state := range test.states {
			p.main = append(p.main, &container{state: state, restarts: test.restarts})
		}
		status := p.status(time.Now())
		if status.Phase != test.want {
			t.Errorf("%s: %s, want %s", test.name, status.Phase, test.want)
		}
		if status.Reason != test.reason {
			t.Errorf("%s: reason %q", test.name, status.Reason)
		}
	}
}

func TestConditions(t *testing.T) {
	long := metav1.NewTime(time.Now().Add(-time.Hour))
	p := &pod{object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Generation: 3}}, mounted: true}
	p.init = []*container{
		{init: true, state: ended(0)},
		{init: true, spec: corev1.Container{RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}, started: true},
	}
	p.main = []*container{{ready: true}, {ready: false}}
	p.written.Conditions = []corev1.PodCondition{
		{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionTrue, LastTransitionTime: long},
		{Type: corev1.PodInitialized, Status: corev1.ConditionFalse, LastTransitionTime: long},
	}
	check := func(what string, want map[corev1.PodConditionType]corev1.ConditionStatus) map[corev1.PodConditionType]corev1.PodCondition {
		t.Helper()
		got := map[corev1.PodConditionType]corev1.PodCondition{}
		for _, c := range p.status(time.Now()).Conditions {
			got[c.Type] = c
			if c.Status != want[c.Type] || c.ObservedGeneration != 3 {
				t.Errorf("%s: %+v, want %s", what, c, want[c.Type])
			}
		}
		return got
	}
	got := check("one of two is ready", map[corev1.PodConditionType]corev1.ConditionStatus{
		corev1.PodReadyToStartContainers: "True", corev1.PodInitialized: "True", corev1.ContainersReady: "False", corev1.PodReady: "False",
	})
	if at := got[corev1.PodReadyToStartContainers].LastTransitionTime; !at.Equal(&long) {
		t.Errorf("an unchanged condition has changed at %s", at)
	}
	if at := got[corev1.PodInitialized].LastTransitionTime; at.Equal(&long) {
		t.Error("a changed condition keeps its time")
	}
	p.main[1].ready = true
	check("both are ready", map[corev1.PodConditionType]corev1.ConditionStatus{
		corev1.PodReadyToStartContainers: "True", corev1.PodInitialized: "True", corev1.ContainersReady: "True", corev1.PodReady: "True",
	})
	p.init[0].state = ended(1)
	p.finished = true
	check("an init container has failed", map[corev1.PodConditionType]corev1.ConditionStatus{
		corev1.PodReadyToStartContainers: "False", corev1.PodInitialized: "False", corev1.ContainersReady: "False", corev1.PodReady: "False",
	})
}
