package node

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/internal/proc"
)

// container is one container of a pod that runs here. Its fields are guarded by the pod's lock.
type container struct {
	spec     corev1.Container
	init     bool
	state    corev1.ContainerState
	last     corev1.ContainerState // how the run before this one ended
	restarts int
	started  bool
	ready    bool
	logs     []*containerLog // one for each run
}

// sidecar tells an init container that runs beside the others instead of before them.
func (c *container) sidecar() bool {
	return c.init && ptr.Deref(c.spec.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
}

// plan is a container's run with everything resolved.
type plan struct {
	behaviour Behaviour
	process   *process // nil: fake
	message   string   // the termination message file
}

// prepare resolves what the container refers to and makes its folder. An error is one that the kubelet would
// retry: something is missing in the cluster, or the manifest is wrong.
func (p *pod) prepare(ctx context.Context, c *container, log *containerLog) (plan, error) {
	object := p.snapshot()
	image, _ := p.node.image(object.Namespace, c.spec.Image)
	how, err := behaviour(object, image.Behaviour)
	if err != nil {
		return plan{}, err
	}
	argv := how.command(c.spec)
	if c.init && argv == nil {
		how.Exit = &Exit{} // a fake init container must not hold up its pod
	}
	if argv == nil {
		// Also a fake container needs what it refers to: a real one would wait for it.
		_, err := environment(ctx, p.node, object, c.spec, nil)
		return plan{behaviour: how}, err
	}

	root := filepath.Join(p.dir, "roots", c.spec.Name)
	messagePath := c.spec.TerminationMessagePath
	if messagePath == "" {
		messagePath = corev1.TerminationMessagePathDefault
	}
	paths := append(slices.Collect(maps.Keys(image.Files)), messagePath)
	for _, mount := range c.spec.VolumeMounts {
		paths = append(paths, mount.MountPath)
	}
	mapped := newMapper(root, paths)

	base := p.node.baseEnv(object, root)
	if c.mountsToken() {
		base["KUBECONFIG"] = filepath.Join(root, ".kube", "config")
		if err := p.node.writeKubeconfig(base["KUBECONFIG"], root, object.Namespace); err != nil {
			return plan{}, err
		}
	}
	env, err := environment(ctx, p.node, object, c.spec, base)
	if err != nil {
		return plan{}, err
	}
	get := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for i, arg := range argv {
		argv[i] = mapped.text(expand(arg, get))
	}
	if err := p.populate(root, c, image, get); err != nil {
		return plan{}, err
	}
	for name, value := range env {
		if value != base[name] { // ours name real folders already
			env[name] = mapped.text(value)
		}
	}
	message := filepath.Join(root, messagePath)
	dir := filepath.Join(root, c.spec.WorkingDir)
	if err := makeFiles(dir, filepath.Join(root, "tmp"), message); err != nil {
		return plan{}, err
	}
	return plan{behaviour: how, message: message, process: &process{argv: argv, env: env, dir: dir, log: log}}, nil
}

// mountsToken tells that the container has a ServiceAccount's token, so that a kubeconfig makes sense.
func (c *container) mountsToken() bool {
	return slices.ContainsFunc(c.spec.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == serviceAccountPath })
}

// populate puts the image's files and the mounts into the container's root.
func (p *pod) populate(root string, c *container, image Image, get func(string) (string, bool)) error {
	files := fileTree{}
	for path, text := range image.Files {
		files[path] = []byte(text)
	}
	if err := files.write(root); err != nil {
		return err
	}
	for _, mount := range c.spec.VolumeMounts {
		target := filepath.Join(p.dir, "volumes", mount.Name)
		if claim := p.claims[mount.Name]; claim != "" {
			target = claim
		}
		if sub := mount.SubPath + expand(mount.SubPathExpr, get); sub != "" {
			target = filepath.Join(target, filepath.Clean("/"+sub))
			if _, err := os.Stat(target); os.IsNotExist(err) {
				if err := os.MkdirAll(target, 0o755); err != nil {
					return err
				}
			}
		}
		link := filepath.Join(root, mount.MountPath)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		_ = os.Remove(link) // of an earlier run of this container
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	return nil
}

func makeFiles(dir, temp, message string) error {
	for _, folder := range []string{dir, temp, filepath.Dir(message)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(message, nil, 0o644)
}

// run runs the container once, to its end. Stop ends it with SIGTERM and, after the pod's grace period, SIGKILL.
func (p *pod) run(c *container, todo plan, log *containerLog, stop <-chan struct{}) corev1.ContainerStateTerminated {
	defer log.Close()
	event := p.event(c, todo.process == nil)
	p.update(func() {
		c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(event.Time)}}
		c.started, c.ready = true, false
	})
	var end corev1.ContainerStateTerminated
	if todo.process == nil {
		end = p.runFake(c, todo.behaviour, log, stop, event)
	} else {
		end = p.runReal(c, todo, log, stop, event)
	}
	finished := time.Now()
	end.StartedAt, end.FinishedAt = metav1.NewTime(event.Time), metav1.NewTime(finished)
	end.ContainerID = c.id()
	if end.Reason == "" {
		end.Reason = "Completed"
		if end.ExitCode != 0 {
			end.Reason = "Error"
		}
	}
	event.Time, event.Ended, event.ResourceVersion = finished, true, p.snapshot().ResourceVersion
	event.ExitCode, event.Reason, event.Output = int(end.ExitCode), end.Reason, log.text()
	p.node.tell(event)
	return end
}

func (p *pod) runReal(c *container, todo plan, log *containerLog, stop <-chan struct{}, event Event) (end corev1.ContainerStateTerminated) {
	p.node.tell(event)
	r, err := todo.process.start()
	if err != nil {
		end.ExitCode, end.Reason, end.Message = startErrorCode, "StartError", startError(err)
		return end
	}
	ready := p.readyAfter(c, todo.behaviour.ReadyAfter)
	defer ready.Stop()
	select {
	case <-r.done:
	case <-stop:
		proc.Signal(r.cmd, sigterm)
		select {
		case <-r.done:
		case <-p.kill:
			proc.Kill(r.cmd)
			<-r.done
		}
	}
	end.ExitCode, end.Signal = r.exit()
	_ = log.Close()
	end.Message = terminationMessage(todo.message, c.spec.TerminationMessagePolicy, end.ExitCode, log.text())
	return end
}

func (p *pod) runFake(c *container, how Behaviour, log *containerLog, stop <-chan struct{}, event Event) (end corev1.ContainerStateTerminated) {
	p.node.tell(event)
	if how.Output != "" {
		fmt.Fprintln(log, strings.TrimSuffix(how.Output, "\n"))
	}
	var exit <-chan time.Time // never, unless it is to end
	if how.Exit != nil {
		timer := time.NewTimer(how.Exit.After)
		defer timer.Stop()
		exit = timer.C
	}
	if how.Exit == nil || how.Exit.After > how.ReadyAfter {
		ready := p.readyAfter(c, how.ReadyAfter)
		defer ready.Stop()
	}
	select {
	case <-exit:
		end.ExitCode = how.Exit.Code
	case <-stop: // it behaves well and ends on SIGTERM
	}
	return end
}

// readyAfter marks the container ready after a while, at once if there is nothing to wait for.
func (p *pod) readyAfter(c *container, delay time.Duration) *time.Timer {
	ready := func() { p.update(func() { c.ready = c.state.Running != nil }) }
	if delay == 0 {
		ready()
		return time.NewTimer(0)
	}
	return time.AfterFunc(delay, ready)
}

func (p *pod) event(c *container, fake bool) Event {
	object, now := p.snapshot(), time.Now()
	return Event{
		Time: now, Started: now, Namespace: object.Namespace, Pod: object.Name, PodUID: string(object.UID), Owner: owner(object),
		Container: c.spec.Name, Init: c.init, Fake: fake, Restart: c.restarts, ResourceVersion: object.ResourceVersion,
	}
}

// id is made up; a kubelet's begins with the runtime's name.
func (c *container) id() string { return fmt.Sprintf("e2e://%s-%d", c.spec.Name, c.restarts) }
