package node

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// publish writes the status whenever it has changed, until quit. Changes that come while one is being written
// are written together.
func (p *pod) publish(ctx context.Context, quit <-chan struct{}) {
	for {
		select {
		case <-p.dirty:
			p.writeStatus(ctx)
		case <-quit:
			return
		case <-ctx.Done():
			return
		}
	}
}

// writeStatus writes the status as it is now, unless the API server has it already.
func (p *pod) writeStatus(ctx context.Context) {
	for {
		p.mu.Lock()
		status, object, deleted := p.status(time.Now()), p.object, p.deleted
		p.mu.Unlock()
		if deleted || equality.Semantic.DeepEqual(status, p.written) {
			return
		}
		// The uid keeps the patch from a new pod of the same name.
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": object.UID}, "status": status})
		if err == nil {
			_, err = p.node.client.CoreV1().Pods(object.Namespace).Patch(ctx, object.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		}
		switch {
		case err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err):
			p.written = status
			return
		case ctx.Err() != nil:
			return
		}
		p.node.complain("status of pod %s/%s: %v", object.Namespace, object.Name, err)
		select {
		case <-time.After(lastRetry):
		case <-ctx.Done():
		}
	}
}

// status is what a kubelet would report now; the lock is held. What it leaves out (the QoS class, conditions of
// others) stays as it is, since the status is written as a patch.
func (p *pod) status(now time.Time) corev1.PodStatus {
	s := corev1.PodStatus{
		ObservedGeneration: p.object.Generation,
		Phase:              p.phase(),
		HostIP:             hostIP, HostIPs: []corev1.HostIP{{IP: hostIP}},
		PodIP: p.ip, PodIPs: []corev1.PodIP{{IP: p.ip}},
		StartTime: &metav1.Time{Time: p.started},
	}
	for _, c := range p.init {
		s.InitContainerStatuses = append(s.InitContainerStatuses, c.status())
	}
	for _, c := range p.main {
		s.ContainerStatuses = append(s.ContainerStatuses, c.status())
	}
	if s.Phase == corev1.PodFailed {
		s.Reason, s.Message = p.reason, p.message
	}
	ready := !p.finished && !slices.ContainsFunc(p.main, func(c *container) bool { return !c.ready })
	why := "ContainersNotReady"
	if s.Phase == corev1.PodSucceeded {
		why = "PodCompleted"
	}
	for _, condition := range []corev1.PodCondition{
		condition(corev1.PodReadyToStartContainers, p.mounted && !p.finished, ""),
		condition(corev1.PodInitialized, p.initialized(), "ContainersNotInitialized"),
		condition(corev1.ContainersReady, ready, why),
		condition(corev1.PodReady, ready, why),
	} {
		condition.ObservedGeneration = p.object.Generation
		condition.LastTransitionTime = metav1.NewTime(now)
		for _, before := range p.written.Conditions {
			if before.Type == condition.Type && before.Status == condition.Status {
				condition.LastTransitionTime = before.LastTransitionTime
			}
		}
		s.Conditions = append(s.Conditions, condition)
	}
	return s
}

func condition(kind corev1.PodConditionType, is bool, whyNot string) corev1.PodCondition {
	if is {
		return corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue}
	}
	return corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: whyNot}
}

// initialized tells that all init containers have done their part.
func (p *pod) initialized() bool {
	return !slices.ContainsFunc(p.init, func(c *container) bool {
		if c.sidecar() {
			return !c.started && c.state.Terminated == nil
		}
		return c.state.Terminated == nil || c.state.Terminated.ExitCode != 0
	})
}

func (p *pod) phase() corev1.PodPhase {
	if !p.finished {
		if slices.ContainsFunc(p.main, func(c *container) bool { return c.state.Waiting == nil || c.restarts > 0 }) {
			return corev1.PodRunning
		}
		return corev1.PodPending
	}
	failed := func(c *container) bool { return c.state.Terminated == nil || c.state.Terminated.ExitCode != 0 }
	if p.reason != "" || slices.ContainsFunc(p.main, failed) {
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}

func (c *container) status() corev1.ContainerStatus {
	s := corev1.ContainerStatus{
		Name: c.spec.Name, Image: c.spec.Image, ImageID: "e2e://" + c.spec.Image,
		State: c.state, LastTerminationState: c.last, RestartCount: int32(c.restarts),
		Ready: c.ready, Started: ptr.To(c.started),
	}
	if len(c.logs) > 0 {
		s.ContainerID = c.id()
	}
	return s
}
