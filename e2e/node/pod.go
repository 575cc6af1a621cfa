package node

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const sigterm = syscall.SIGTERM

// pod runs one pod from its binding to its end.
type pod struct {
	node   *Node
	spec   corev1.PodSpec
	name   string
	dir    string
	ip     string
	claims map[string]string // volume name to the folder of its claim
	stop   chan struct{}     // closed when the pod is to end
	kill   chan struct{}     // closed when its time to end politely is over
	dirty  chan struct{}     // holds a token while the status has changed and is not written

	mu       sync.Mutex
	object   *corev1.Pod // as last seen
	init     []*container
	main     []*container
	killAt   time.Time
	killer   *time.Timer // closes kill at killAt
	reason   string      // of a pod that failed as a whole
	message  string
	started  time.Time
	mounted  bool // the volumes are there
	finished bool // no container runs, none will
	ended    bool // live has nothing more to do
	deleted  bool // the object is gone
	written  corev1.PodStatus
}

func newPod(n *Node, object *corev1.Pod, ip string) *pod {
	p := &pod{
		node: n, spec: object.Spec, name: object.Namespace + "/" + object.Name, ip: ip, object: object,
		dir: filepath.Join(n.options.Dir, "pods", string(object.UID)), claims: map[string]string{},
		stop: make(chan struct{}), kill: make(chan struct{}), dirty: make(chan struct{}, 1), started: time.Now(),
		written: *object.Status.DeepCopy(),
	}
	for _, spec := range object.Spec.InitContainers {
		p.init = append(p.init, &container{spec: spec, init: true, state: waiting("PodInitializing", "")})
	}
	first := "ContainerCreating"
	if len(p.init) > 0 {
		first = "PodInitializing"
	}
	for _, spec := range object.Spec.Containers {
		p.main = append(p.main, &container{spec: spec, state: waiting(first, "")})
	}
	return p
}

func waiting(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

// snapshot is the pod as last seen, with the addresses that this node gave it. It must not be changed.
func (p *pod) snapshot() *corev1.Pod {
	p.mu.Lock()
	defer p.mu.Unlock()
	object := *p.object
	object.Status.PodIP, object.Status.HostIP = p.ip, hostIP
	return &object
}

// update changes the pod under its lock and has the status written.
func (p *pod) update(change func()) {
	p.mu.Lock()
	change()
	p.mu.Unlock()
	select {
	case p.dirty <- struct{}{}:
	default: // the write that is due will include this
	}
}

// see takes note of the pod's newer version; a deletion begins here.
func (p *pod) see(object *corev1.Pod) {
	p.mu.Lock()
	p.object = object
	ended := p.ended
	p.mu.Unlock()
	switch {
	case object.DeletionTimestamp == nil:
	case ended:
		go p.remove()
	default:
		p.terminate(time.Duration(ptr.Deref(object.DeletionGracePeriodSeconds, 0))*time.Second, "", "")
	}
}

// vanish is called when the object is gone: a forced deletion, so there is no time to be polite.
func (p *pod) vanish() {
	p.mu.Lock()
	p.deleted = true
	p.mu.Unlock()
	p.terminate(0, "", "")
}

// terminate has all containers stopped within the grace period. A later call can only shorten it.
func (p *pod) terminate(grace time.Duration, reason, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := time.Now().Add(grace)
	switch {
	case p.killAt.IsZero():
		p.killAt, p.reason, p.message = at, reason, message
		p.killer = time.AfterFunc(grace, func() { close(p.kill) })
		close(p.stop)
	case at.Before(p.killAt) && p.killer.Stop():
		p.killAt = at
		p.killer.Reset(grace)
	}
}

func (p *pod) stopping() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// live runs the pod and returns when it has ended and, if it was deleted, its object is gone.
func (p *pod) live(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if seconds := p.spec.ActiveDeadlineSeconds; seconds != nil {
		deadline := time.AfterFunc(time.Duration(*seconds)*time.Second, func() {
			grace := time.Duration(ptr.Deref(p.spec.TerminationGracePeriodSeconds, 30)) * time.Second
			p.terminate(grace, "DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
		})
		defer deadline.Stop()
	}
	published := make(chan struct{})
	stopPublishing := make(chan struct{})
	go func() {
		defer close(published)
		p.publish(ctx, stopPublishing)
	}()
	p.update(func() {})
	p.work(ctx)
	p.update(func() { p.finished = true })
	close(stopPublishing)
	<-published
	p.writeStatus(ctx)
	if err := os.RemoveAll(p.dir); err != nil {
		p.node.complain("removing a pod's folder: %v", err)
	}
	p.leave()
}

// leave removes the object of a pod that was told to go; one that ended by itself stays for its owner to read.
func (p *pod) leave() {
	p.mu.Lock()
	p.ended = true
	deleting := p.object.DeletionTimestamp != nil && !p.deleted
	p.mu.Unlock()
	if deleting {
		p.remove()
	}
}

// remove takes the object away for good, which is a kubelet's last word on a deleted pod. A pod that is gone
// already, or replaced by one of the same name, is no error.
func (p *pod) remove() {
	object := p.snapshot()
	err := p.node.client.CoreV1().Pods(object.Namespace).Delete(p.node.ctx, object.Name, metav1.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](0), Preconditions: metav1.NewUIDPreconditions(string(object.UID)),
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		p.node.complain("removing pod %s/%s: %v", object.Namespace, object.Name, err)
	}
}
