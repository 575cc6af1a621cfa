// Package controlplane runs a real Kubernetes control plane: etcd, kube-apiserver with RBAC and the usual
// admission plugins (ServiceAccount among them), and kube-controller-manager. All listen on the loopback
// interface alone and keep their data in one folder.
//
// There is no scheduler and no kubelet: package node stands in for both.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Options say where the control plane lives.
type Options struct {
	Binary string // the program of e2e/tools/kube
	Dir    string // an empty folder
}

// ControlPlane is a running control plane.
type ControlPlane struct {
	Config     *rest.Config // of a cluster admin
	Kubeconfig string       // a file with the same
	Host       string       // what a pod finds in KUBERNETES_SERVICE_HOST ...
	Port       int          // ... and KUBERNETES_SERVICE_PORT
	CAFile     string       // the authority that signed the API server's certificate
	// NodeServing is for a node's kubelet endpoint; the API server shows itself there with a certificate
	// that CAFile signed too.
	NodeServing Pair
	LogDir      string

	ports      ports
	etcd       *component
	apiserver  *component
	controller *component
}

type ports struct{ etcd, etcdPeer, apiserver int }

// attempts is how often Start looks for other ports when it loses a race for one.
const attempts = 5

// Start starts a control plane and returns when it is ready: the API server says so and the controllers
// have made the first ServiceAccount. It takes 5 to 10 s. On an error everything is stopped again, and
// the error ends with what the guilty component said last.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	files, err := writeFiles(o.Dir)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		c, err := startOnce(ctx, o, files)
		if err == nil {
			return c, nil
		}
		c.Stop()
		if !c.lostPort() || attempt == attempts {
			return nil, err
		}
		// A half-started attempt must not leave data, nor a log that says a port was lost.
		for _, folder := range []string{"etcd", "logs"} {
			if err := os.RemoveAll(filepath.Join(o.Dir, folder)); err != nil {
				return nil, err
			}
		}
	}
}

// startOnce returns what it has started even when it fails, for the caller to stop.
func startOnce(ctx context.Context, o Options, f files) (*ControlPlane, error) {
	c := &ControlPlane{Host: "127.0.0.1", CAFile: f.ca, NodeServing: f.node, LogDir: filepath.Join(o.Dir, "logs")}
	free, err := freePorts(3)
	if err != nil {
		return c, err
	}
	c.ports = ports{etcd: free[0], etcdPeer: free[1], apiserver: free[2]}
	c.Port = c.ports.apiserver
	c.Kubeconfig = filepath.Join(o.Dir, "admin.kubeconfig")
	if err := writeKubeconfig(c.Kubeconfig, net.JoinHostPort(c.Host, strconv.Itoa(c.Port)), f); err != nil {
		return c, err
	}
	if c.Config, err = clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil {
		return c, err
	}
	// The default limits (5 requests a second) are meant for one modest client of a shared cluster.
	c.Config.QPS, c.Config.Burst = 500, 1000

	if c.etcd, err = start(o.Binary, o.Dir, "etcd", etcdFlags(c.ports)...); err != nil {
		return c, err
	}
	if c.apiserver, err = start(o.Binary, o.Dir, "kube-apiserver", apiserverFlags(c.ports, f)...); err != nil {
		return c, err
	}
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		return c, err
	}
	if err := c.await(ctx, "the API server", func(ctx context.Context) error {
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}); err != nil {
		return c, err
	}
	if c.controller, err = start(o.Binary, o.Dir, "kube-controller-manager", controllerFlags(c.Kubeconfig, f)...); err != nil {
		return c, err
	}
	return c, c.await(ctx, "the controllers", func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		if err == nil {
			_, err = client.CoreV1().ConfigMaps("default").Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		}
		return err
	})
}

// await asks until ready says nil. It gives up when a component has ended, or after a minute (a busy
// machine is no reason to fail).
func (c *ControlPlane) await(ctx context.Context, what string, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		// Even when something answers: it may be somebody else who was quicker to take the port.
		if dead := c.dead(); dead != nil {
			return fmt.Errorf("%s ended while starting:\n%s", dead.name, dead.tail())
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w (%w), see %s", what, err, ctx.Err(), c.LogDir)
		case <-tick.C:
		}
	}
}

// components in the order of their start; those that did not come to be are left out.
func (c *ControlPlane) components() []*component {
	var all []*component
	for _, one := range []*component{c.etcd, c.apiserver, c.controller} {
		if one != nil {
			all = append(all, one)
		}
	}
	return all
}

func (c *ControlPlane) dead() *component {
	for _, one := range c.components() {
		select {
		case <-one.done:
			return one
		default:
		}
	}
	return nil
}

func (c *ControlPlane) lostPort() bool {
	for _, one := range c.components() {
		if one.lostPort() {
			return true
		}
	}
	return false
}

// Health says why the control plane no longer works, if it does not: a component has ended.
func (c *ControlPlane) Health() error {
	if dead := c.dead(); dead != nil {
		return errors.New(dead.name + " has ended:\n" + dead.tail())
	}
	return nil
}

// PIDs are the process ids of the components.
func (c *ControlPlane) PIDs() []int {
	var ids []int
	for _, one := range c.components() {
		ids = append(ids, one.cmd.Process.Pid)
	}
	return ids
}

// Stop ends all processes. The folder stays, for the caller to read or remove.
func (c *ControlPlane) Stop() {
	all := c.components()
	for i := len(all) - 1; i >= 0; i-- {
		all[i].stop()
	}
}

func writeKubeconfig(path, address string, f files) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["e2e"] = &clientcmdapi.Cluster{Server: "https://" + address, CertificateAuthority: f.ca}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{ClientCertificate: f.admin.Cert, ClientKey: f.admin.Key}
	config.Contexts["e2e"] = &clientcmdapi.Context{Cluster: "e2e", AuthInfo: "admin"}
	config.CurrentContext = "e2e"
	return clientcmd.WriteToFile(*config, path)
}
