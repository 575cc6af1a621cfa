package node

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Event is the start or the end of a container, told at the moment it happens.
type Event struct {
	Time      time.Time
	Started   time.Time // when the run began; Time on a start
	Namespace string
	Pod       string
	PodUID    string
	Owner     string // what the pod is part of, as in Job/migrate or Deployment/api; Pod/NAME if nothing
	Container string
	Init      bool
	Fake      bool // no process ran
	Restart   int  // 0 for the container's first run in its pod
	// ResourceVersion is the pod's as this node last saw it: what has a smaller one was there before.
	ResourceVersion string

	Ended    bool // the fields below are of the end
	ExitCode int
	Reason   string // as in the pod's status: Completed, Error, StartError
	Output   string // all that it logged
}

// owner names what the pod is part of, in the words of the app's author: a Deployment, not its ReplicaSet.
func owner(pod *corev1.Pod) string {
	ref := metav1.GetControllerOf(pod)
	if ref == nil {
		return "Pod/" + pod.Name
	}
	if hash := pod.Labels["pod-template-hash"]; ref.Kind == "ReplicaSet" && hash != "" {
		if name, ok := strings.CutSuffix(ref.Name, "-"+hash); ok {
			return "Deployment/" + name
		}
	}
	return ref.Kind + "/" + ref.Name
}
