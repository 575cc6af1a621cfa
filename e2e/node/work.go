package node

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Back-off between restarts of a container, and between attempts to find what a pod refers to.
const (
	firstBackoff = 200 * time.Millisecond
	lastBackoff  = 10 * time.Second
	lastRetry    = time.Second
)

// work runs the containers: init containers in order, then the others side by side.
func (p *pod) work(ctx context.Context) {
	if !p.retry(func() error { return p.mountVolumes(ctx) }, p.init, p.main) {
		return
	}
	var sidecars sync.WaitGroup
	stopSidecars := make(chan struct{})
	defer sidecars.Wait()
	defer close(stopSidecars)
	p.update(func() { p.mounted = true })
	for _, c := range p.init {
		if c.sidecar() {
			up := make(chan struct{})
			sidecars.Go(func() { p.keep(ctx, c, corev1.RestartPolicyAlways, either(p.stop, stopSidecars), up) })
			select {
			case <-up:
			case <-p.stop:
			}
			continue
		}
		policy := p.spec.RestartPolicy
		if policy == corev1.RestartPolicyAlways {
			policy = corev1.RestartPolicyOnFailure // an init container is to end once
		}
		if !p.keep(ctx, c, policy, p.stop, nil) {
			return
		}
	}
	var containers sync.WaitGroup
	for _, c := range p.main {
		containers.Go(func() { p.keep(ctx, c, p.spec.RestartPolicy, p.stop, nil) })
	}
	containers.Wait()
}

// keep runs the container until its restart policy has no more of it, or until stop. It tells whether it ended
// well. up, if given, is closed when it first runs.
func (p *pod) keep(ctx context.Context, c *container, policy corev1.RestartPolicy, stop <-chan struct{}, up chan<- struct{}) bool {
	for backoff := firstBackoff; ; backoff = min(2*backoff, lastBackoff) {
		log := newLog()
		var todo plan
		if !p.retry(func() (err error) { todo, err = p.prepare(ctx, c, log); return err }, []*container{c}) {
			return false
		}
		p.mu.Lock()
		c.logs = append(c.logs, log)
		p.mu.Unlock()
		if up != nil {
			close(up)
			up = nil
		}
		end := p.run(c, todo, log, stop)
		done := isClosed(stop) || policy == corev1.RestartPolicyNever || policy == corev1.RestartPolicyOnFailure && end.ExitCode == 0
		p.update(func() {
			c.ready, c.started = c.init && end.ExitCode == 0, false
			c.state = corev1.ContainerState{Terminated: &end}
			if !done {
				c.last, c.state = c.state, waiting("CrashLoopBackOff", "back-off "+backoff.String()+" restarting failed container")
				c.restarts++
			}
		})
		if done {
			return end.ExitCode == 0
		}
		select {
		case <-time.After(backoff):
		case <-stop:
			p.update(func() { c.state = c.last })
			return false
		}
	}
}

// retry calls what until it succeeds, and shows the error as the containers' reason for waiting. It gives up, and
// says false, when the pod is to end.
func (p *pod) retry(what func() error, waiters ...[]*container) bool {
	for pause := firstBackoff; ; pause = min(2*pause, lastRetry) {
		if p.stopping() {
			return false
		}
		err := what()
		if err == nil {
			return true
		}
		p.update(func() {
			for _, list := range waiters {
				for _, c := range list {
					c.state = waiting("CreateContainerConfigError", err.Error())
				}
			}
		})
		select {
		case <-time.After(pause):
		case <-p.stop:
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// either gives a channel that closes when a or b does.
func either(a, b <-chan struct{}) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		select {
		case <-a:
		case <-b:
		}
	}()
	return c
}
