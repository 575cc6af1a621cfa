package controlplane

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// files are the certificates and keys of one control plane.
type files struct {
	dir         string
	ca          string
	signingKey  string // of ServiceAccount tokens
	serving     Pair   // the API server's
	admin       Pair   // a client in the group system:masters
	kubelet     Pair   // what the API server shows to a node
	node        Pair   // what a node serves with
	frontCA     string
	frontClient Pair // what the API server shows to an aggregated API server
}

// serviceNetwork is where the API server takes Service addresses from; its own is the first.
const serviceNetwork, apiService = "10.96.0.0/16", "10.96.0.1"

func writeFiles(dir string) (f files, err error) {
	f.dir = filepath.Join(dir, "pki")
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return f, err
	}
	ca, err := newAuthority(f.dir, "ca")
	if err != nil {
		return f, err
	}
	front, err := newAuthority(f.dir, "front-proxy-ca")
	if err != nil {
		return f, err
	}
	f.ca, f.frontCA, f.signingKey = ca.file(), front.file(), filepath.Join(f.dir, "sa.key")
	if err := newSigningKey(f.signingKey); err != nil {
		return f, err
	}
	names := []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	if f.serving, err = ca.server("apiserver", names, net.ParseIP(apiService)); err != nil {
		return f, err
	}
	if f.node, err = ca.server("node", nil); err != nil {
		return f, err
	}
	if f.admin, err = ca.client("admin", "admin", "system:masters"); err != nil {
		return f, err
	}
	if f.kubelet, err = ca.client("kubelet-client", "kube-apiserver"); err != nil {
		return f, err
	}
	f.frontClient, err = front.client("front-proxy-client", "front-proxy-client")
	return f, err
}

func etcdFlags(p ports) []string {
	client, peer := url("http", p.etcd), url("http", p.etcdPeer)
	return []string{
		"--data-dir=etcd", "--log-level=warn",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
		"--unsafe-no-fsync", // nothing here needs to survive the machine
	}
}

// apiserverFlags: the requestheader and proxy-client ones are the front proxy, without which no aggregated API
// server (kapp-controller's packaging API) could be added.
func apiserverFlags(p ports, f files) []string {
	return []string{
		"--etcd-servers=" + url("http", p.etcd),
		// If another control plane's etcd took our port first, we must not write into its data before we notice.
		fmt.Sprintf("--etcd-prefix=/e2e-%d-%d", os.Getpid(), p.apiserver),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", p.apiserver),
		"--endpoint-reconciler-type=none", // a loopback address is no valid endpoint of the kubernetes Service
		"--service-cluster-ip-range=" + serviceNetwork,
		"--tls-cert-file=" + f.serving.Cert, "--tls-private-key-file=" + f.serving.Key, "--client-ca-file=" + f.ca,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + f.signingKey, "--service-account-signing-key-file=" + f.signingKey,
		"--kubelet-certificate-authority=" + f.ca, "--kubelet-preferred-address-types=InternalIP",
		"--kubelet-client-certificate=" + f.kubelet.Cert, "--kubelet-client-key=" + f.kubelet.Key,
		"--requestheader-client-ca-file=" + f.frontCA, "--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + f.frontClient.Cert, "--proxy-client-key-file=" + f.frontClient.Key,
		"--enable-priority-and-fairness=false", "--profiling=false",
	}
}

// controllers are those that an app can notice. The others have nothing to do here: there is no cloud, no
// network, no scheduler, no metric, and the one node is as well as the process that plays it.
var controllers = []string{
	"deployment-controller", "replicaset-controller", "replicationcontroller-controller", "statefulset-controller", "daemonset-controller",
	"job-controller", "cronjob-controller", "ttl-after-finished-controller",
	"garbage-collector-controller", "pod-garbage-collector-controller", "namespace-controller",
	"serviceaccount-controller", "serviceaccount-token-controller", "root-ca-certificate-publisher-controller",
	"clusterrole-aggregation-controller", "resourcequota-controller", "disruption-controller",
	"endpoints-controller", "endpointslice-controller",
	"persistentvolume-binder-controller", "persistentvolume-protection-controller", "persistentvolumeclaim-protection-controller",
}

func controllerFlags(kubeconfig string, f files) []string {
	return []string{
		"--kubeconfig=" + kubeconfig, "--root-ca-file=" + f.ca, "--service-account-private-key-file=" + f.signingKey,
		"--leader-elect=false", "--secure-port=0", "--profiling=false",
		"--controllers=" + strings.Join(controllers, ","),
		"--kube-api-qps=500", "--kube-api-burst=1000", // so that tests wait for what is tested, not for a rate limit
	}
}

func url(scheme string, port int) string { return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port) }
