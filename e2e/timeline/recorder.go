package timeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/node"
)

// Recorder records what happens in a whole cluster. One is enough for all tests that run side by side: each
// asks for its own namespaces.
type Recorder struct {
	client  dynamic.Interface
	ctx     context.Context
	cancel  context.CancelFunc
	watches sync.WaitGroup

	mu        sync.Mutex
	stopped   bool
	watching  map[schema.GroupVersionResource]context.CancelFunc
	entries   []Entry
	followers map[*follower]bool
	apps      map[string]string // a kapp app's label value to its namespace
}

type follower struct{ tell func(Entry) }

// Start begins to record and returns when all that happens from now on will be seen.
func Start(ctx context.Context, config *rest.Config) (*Recorder, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	r := &Recorder{
		client: client, watching: map[schema.GroupVersionResource]context.CancelFunc{},
		followers: map[*follower]bool{}, apps: map[string]string{},
	}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	var synced []cache.InformerSynced
	for _, resource := range watched {
		if ready := r.watch(resource, false); ready != nil {
			synced = append(synced, ready)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		r.Stop()
		return nil, errors.New("timeline: cannot list the cluster's resources")
	}
	return r, nil
}

// Stop ends the watches; what was recorded stays.
func (r *Recorder) Stop() {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	r.cancel()
	r.watches.Wait()
}

// watch begins to watch a resource, once. news says that what is there already counts as created, because the
// resource itself is new.
func (r *Recorder) watch(resource schema.GroupVersionResource, news bool) cache.InformerSynced {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watching[resource] != nil || r.stopped {
		return nil
	}
	ctx, cancel := context.WithCancel(r.ctx)
	r.watching[resource] = cancel
	client := r.client.Resource(resource)
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: &cache.ListWatch{
			ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return client.List(ctx, o) },
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return client.Watch(ctx, o) },
		},
		ObjectType: &unstructured.Unstructured{},
		Handler: cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(object any, initial bool) {
				o := object.(*unstructured.Unstructured)
				r.learn(o)
				if !initial || news {
					r.added(o)
				}
			},
			UpdateFunc: func(before, after any) {
				o := after.(*unstructured.Unstructured)
				r.learn(o)
				r.changed(before.(*unstructured.Unstructured), o)
			},
			DeleteFunc: func(object any) {
				if o, ok := object.(*unstructured.Unstructured); ok {
					r.removed(o)
				} else if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
					o := last.Obj.(*unstructured.Unstructured).DeepCopy()
					o.SetResourceVersion("") // not that of the deletion
					r.removed(o)
				}
			},
		},
	})
	r.watches.Go(func() { controller.RunWithContext(ctx) })
	return controller.HasSynced
}

// learn reads what the recorder itself must know: which namespace a kapp app is kept in, and new custom resources.
func (r *Recorder) learn(o *unstructured.Unstructured) {
	if _, ok := o.GetLabels()[kappRecordLabel]; ok {
		text, _, _ := unstructured.NestedString(o.Object, "data", "spec")
		var spec struct {
			LabelValue string `json:"labelValue"`
		}
		if json.Unmarshal([]byte(text), &spec) == nil && spec.LabelValue != "" {
			r.mu.Lock()
			r.apps[spec.LabelValue] = o.GetNamespace()
			r.mu.Unlock()
		}
	}
	if resource, ok := defined(o); ok {
		if state, _ := outcome(o); state == Ready && o.GetDeletionTimestamp() == nil {
			r.watch(resource, true)
		}
	}
}

// forget ends the watch of a resource whose definition is gone.
func (r *Recorder) forget(o *unstructured.Unstructured) {
	resource, ok := defined(o)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.watching[resource]; cancel != nil {
		cancel()
		delete(r.watching, resource)
	}
}

func (r *Recorder) added(o *unstructured.Unstructured) {
	r.object(o, Created, "")
	if verb, detail := outcome(o); verb != "" {
		r.object(o, verb, detail)
	}
}

func (r *Recorder) changed(before, after *unstructured.Unstructured) {
	if before.GetUID() != after.GetUID() { // the deletion between the two was missed
		r.removed(before)
		r.added(after)
		return
	}
	if verb, detail := change(before, after); verb != "" {
		r.object(after, verb, detail)
	}
	was, _ := outcome(before)
	if verb, detail := outcome(after); verb != was && verb != "" {
		r.object(after, verb, detail)
	}
	if before.GetDeletionTimestamp() == nil && after.GetDeletionTimestamp() != nil {
		r.object(after, Deleting, strings.Join(after.GetFinalizers(), " "))
	}
}

func (r *Recorder) removed(o *unstructured.Unstructured) {
	r.forget(o)
	r.object(o, Deleted, "")
}

// object records an entry of an API object.
func (r *Recorder) object(o *unstructured.Unstructured, verb Verb, detail string) {
	if ignored(o) {
		return
	}
	version, _ := strconv.ParseUint(o.GetResourceVersion(), 10, 64) // 0 if it has none
	r.record(Entry{
		Time: time.Now(), Namespace: o.GetNamespace(), Object: o.GetKind() + "/" + o.GetName(), Verb: verb, Detail: detail,
		version: version, app: o.GetLabels()[kappAppLabel],
	})
}

// Process records a start or an end that the node tells of.
func (r *Recorder) Process(e node.Event) {
	after, _ := strconv.ParseUint(e.ResourceVersion, 10, 64)
	run := &Run{Pod: e.Pod, Container: e.Container, Init: e.Init, Fake: e.Fake, Restart: e.Restart, Start: e.Started}
	entry := Entry{Time: e.Time, Namespace: e.Namespace, Object: e.Owner, Verb: Started, Detail: e.Pod + " " + e.Container, Run: run, after: after}
	if e.Ended {
		run.End, run.ExitCode, run.Reason, run.Output = e.Time, e.ExitCode, e.Reason, e.Output
		entry.Verb = Ended
		entry.Detail += fmt.Sprintf(" exit %d", e.ExitCode)
		if last := lastLine(e.Output); last != "" {
			entry.Detail += ": " + last
		}
	}
	r.record(entry)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func (r *Recorder) record(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
	for f := range r.followers {
		f.tell(e)
	}
}
