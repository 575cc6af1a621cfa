package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// hostIP is the node's address.
const hostIP = "127.0.0.1"

// Options say how the node reaches the cluster and how it behaves.
type Options struct {
	Name      string       // of the Node object; "e2e" if empty
	Config    *rest.Config // of a cluster admin
	Dir       string       // for the pods' folders; must be absolute
	Host      string       // of the API server, for the pods ...
	Port      int          // ... and its port
	CAFile    string       // the authority of the cluster
	Cert, Key string       // files: what the kubelet endpoint serves with, signed by that authority

	Images map[string]Image // what stands for an image, in any namespace
	Path   []string         // folders with programs for the pods, before those of this machine's PATH
	Tell   func(Event)      // is told of each start and end; must be quick
	Log    io.Writer        // for what goes wrong in the node itself
}

// Node is a running node.
type Node struct {
	options    Options
	client     kubernetes.Interface
	ctx        context.Context
	cancel     context.CancelFunc
	background sync.WaitGroup // informers and the kubelet endpoint
	working    sync.WaitGroup // pods

	mu      sync.Mutex
	stopped bool
	images  map[string]map[string]Image // namespace to image to what stands for it
	pods    map[string]*pod             // by uid
	bound   map[string]bool             // uids that were given to this node
	lastIP  netip.Addr
}

// Start registers the node and begins to run pods: those of the whole cluster that are not bound to another
// node. Stop ends it.
func Start(ctx context.Context, o Options) (*Node, error) {
	if o.Name == "" {
		o.Name = "e2e"
	}
	if !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("the node's folder %q must be an absolute path", o.Dir)
	}
	client, err := kubernetes.NewForConfig(o.Config)
	if err != nil {
		return nil, err
	}
	n := &Node{
		options: o, client: client, images: map[string]map[string]Image{"": o.Images},
		pods: map[string]*pod{}, bound: map[string]bool{}, lastIP: netip.MustParseAddr("10.244.0.0"),
	}
	n.ctx, n.cancel = context.WithCancel(context.WithoutCancel(ctx))
	port, err := n.serveKubelet(n.ctx)
	if err == nil {
		err = n.register(ctx, port)
	}
	if err == nil {
		err = n.watch(ctx)
	}
	if err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// SetImage says what stands for an image in one namespace from now on, or in all if namespace is empty.
func (n *Node) SetImage(namespace, name string, image Image) {
	n.mu.Lock()
	defer n.mu.Unlock()
	set := map[string]Image{name: image}
	for k, v := range n.images[namespace] { // a copy: a pod may be reading the old one
		if k != name {
			set[k] = v
		}
	}
	n.images[namespace] = set
}

func (n *Node) image(namespace, name string) (Image, bool) {
	n.mu.Lock()
	own, all := n.images[namespace], n.images[""]
	n.mu.Unlock()
	if image, ok := lookup(own, name); ok {
		return image, true
	}
	return lookup(all, name)
}

// register makes the Node object. It is ready for ever: the controller that would doubt it is not run.
func (n *Node) register(ctx context.Context, port int) error {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.options.Name, Labels: map[string]string{corev1.LabelHostname: n.options.Name, corev1.LabelOSStable: "linux"}},
		Status: corev1.NodeStatus{
			Capacity: plenty(), Allocatable: plenty(),
			Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: hostIP}},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(port)}},
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now(),
			}},
		},
	}
	// A create keeps the status, unlike that of most kinds; admission adds a taint for nodes that are not ready yet.
	made, err := n.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Spec.Taints = nil
	_, err = n.client.CoreV1().Nodes().Update(ctx, made, metav1.UpdateOptions{})
	return err
}

// watch follows pods and claims.
func (n *Node) watch(ctx context.Context) error {
	factory := informers.NewSharedInformerFactory(n.client, 0)
	pods, claims := factory.Core().V1().Pods().Informer(), factory.Core().V1().PersistentVolumeClaims().Informer()
	handlers := []error{
		handle(pods, n.seePod, n.forgetPod),
		handle(claims, n.seeClaim, n.forgetClaim),
	}
	if err := errors.Join(handlers...); err != nil {
		return err
	}
	factory.Start(n.ctx.Done())
	context.AfterFunc(n.ctx, factory.Shutdown)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced, claims.HasSynced) {
		return errors.New("the node cannot list the pods")
	}
	return nil
}

// handle calls seen for each object when it appears and changes, and gone when it is no more.
func handle[T any](informer cache.SharedInformer, seen, gone func(*T)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen(object.(*T)) },
		UpdateFunc: func(_, object any) { seen(object.(*T)) },
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			gone(object.(*T))
		},
	})
	return err
}

// seePod binds a pod that has no node, runs one that is bound to this node, and tells a running one what is new.
func (n *Node) seePod(object *corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	uid := string(object.UID)
	ended := object.Status.Phase == corev1.PodSucceeded || object.Status.Phase == corev1.PodFailed
	running := n.pods[uid]
	switch {
	case n.stopped:
	case running != nil:
		running.see(object)
	case ended:
	case object.Spec.NodeName == "":
		if !n.bound[uid] && object.DeletionTimestamp == nil && len(object.Spec.SchedulingGates) == 0 {
			n.bound[uid] = true
			n.background.Go(func() { n.bind(object) })
		}
	case object.Spec.NodeName == n.options.Name:
		n.lastIP = n.lastIP.Next()
		p := newPod(n, object, n.lastIP.String())
		n.pods[uid] = p
		n.working.Go(func() { p.live(n.ctx) })
		if object.DeletionTimestamp != nil {
			p.see(object)
		}
	}
}

// bind gives the pod to this node. A pod that is gone, was bound already, or whose namespace is going, is left alone.
func (n *Node) bind(object *corev1.Pod) {
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: object.Namespace, Name: object.Name, UID: object.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: n.options.Name},
	}
	for {
		err := n.client.CoreV1().Pods(object.Namespace).Bind(n.ctx, binding, metav1.CreateOptions{})
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return
		}
		n.complain("binding pod %s/%s: %v", object.Namespace, object.Name, err)
		select {
		case <-time.After(lastRetry):
		case <-n.ctx.Done():
			return
		}
	}
}

func (n *Node) forgetPod(object *corev1.Pod) {
	n.mu.Lock()
	p := n.pods[string(object.UID)]
	delete(n.pods, string(object.UID))
	delete(n.bound, string(object.UID))
	n.mu.Unlock()
	if p != nil {
		p.vanish()
	}
}

func (n *Node) podNamed(namespace, name string) *pod {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pods {
		if p.name == namespace+"/"+name {
			return p
		}
	}
	return nil
}

// ConfigMap reads one for env and volumes.
func (n *Node) ConfigMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	return n.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
}

// Secret reads one for env and volumes.
func (n *Node) Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	return n.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
}

// baseEnv is what each process gets before its own env.
func (n *Node) baseEnv(pod *corev1.Pod, root string) map[string]string {
	path := append([]string{root + "/usr/local/bin", root + "/usr/bin", root + "/bin"}, n.options.Path...)
	return map[string]string{
		rootVariable: root, "HOME": root, "TMPDIR": root + "/tmp", "HOSTNAME": pod.Name,
		"PATH":                    strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)),
		"KUBERNETES_SERVICE_HOST": n.options.Host, "KUBERNETES_SERVICE_PORT": fmt.Sprint(n.options.Port),
	}
}

// Stop ends all pods' processes at once and waits until they are gone.
func (n *Node) Stop() {
	n.mu.Lock()
	n.stopped = true
	pods := make([]*pod, 0, len(n.pods))
	for _, p := range n.pods {
		pods = append(pods, p)
	}
	n.mu.Unlock()
	n.cancel()
	for _, p := range pods {
		p.vanish()
	}
	n.working.Wait()
	n.background.Wait()
}

func (n *Node) tell(e Event) {
	if n.options.Tell != nil {
		n.options.Tell(e)
	}
}

// complain reports what a test does not expect of its node, unless the node is ending.
func (n *Node) complain(format string, args ...any) {
	if n.ctx.Err() == nil && n.options.Log != nil {
		fmt.Fprintf(n.options.Log, time.Now().Format("15:04:05.000 ")+"node: "+format+"\n", args...)
	}
}

// complaints is a writer for packages that want one.
type complaints struct{ n *Node }

func (c complaints) Write(p []byte) (int, error) {
	c.n.complain("%s", strings.TrimSpace(string(p)))
	return len(p), nil
}
