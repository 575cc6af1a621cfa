package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// serviceAccountPath is where the ServiceAccount admission plugin mounts the token, and clients look for it.
const serviceAccountPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// Token asks the API server for a token of the pod's ServiceAccount that dies with the pod.
func (n *Node) Token(ctx context.Context, pod *corev1.Pod, p *corev1.ServiceAccountTokenProjection) ([]byte, error) {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: p.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if p.Audience != "" {
		request.Spec.Audiences = []string{p.Audience}
	}
	answer, err := n.client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("failed to fetch token: %w", err)
	}
	return []byte(answer.Status.Token), nil
}

// writeKubeconfig writes a kubeconfig that says what a client in a pod finds out by itself.
func (n *Node) writeKubeconfig(path, root, namespace string) error {
	account := filepath.Join(root, serviceAccountPath)
	config := clientcmdapi.NewConfig()
	config.Clusters["pod"] = &clientcmdapi.Cluster{
		Server: fmt.Sprintf("https://%s:%d", n.options.Host, n.options.Port), CertificateAuthority: filepath.Join(account, "ca.crt"),
	}
	config.AuthInfos["pod"] = &clientcmdapi.AuthInfo{TokenFile: filepath.Join(account, "token")}
	config.Contexts["pod"] = &clientcmdapi.Context{Cluster: "pod", AuthInfo: "pod", Namespace: namespace}
	config.CurrentContext = "pod"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return clientcmd.WriteToFile(*config, path)
}
