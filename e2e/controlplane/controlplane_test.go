package controlplane_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/build"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/controlplane"
)

// binary builds the control plane's program.
func binary(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a control plane")
	}
	builder, err := build.New(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	path, err := builder.Cached(t.Context(), build.Kube)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartAndStop(t *testing.T) {
	options := controlplane.Options{Binary: binary(t), Dir: t.TempDir()}
	began := time.Now()
	plane, err := controlplane.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	took := time.Since(began)
	t.Logf("ready in %s", took)
	if took > 20*time.Second {
		t.Errorf("ready only after %s, want 20s at most", took)
	}
	if err := plane.Health(); err != nil {
		t.Error(err)
	}

	client, err := kubernetes.NewForConfig(plane.Config)
	if err != nil {
		t.Fatal(err)
	}
	version, err := client.Discovery().ServerVersion()
	if err != nil || version.GitVersion != "v1.35.4" {
		t.Errorf("the API server calls itself %v (%v), want v1.35.4", version, err)
	}
	t.Run("front proxy", func(t *testing.T) { frontProxy(t, client) })
	t.Run("ServiceAccount admission", func(t *testing.T) { admission(t, client) })

	ids := plane.PIDs()
	if len(ids) != 3 {
		t.Errorf("%d processes, want 3", len(ids))
	}
	plane.Stop()
	for _, id := range ids {
		if syscall.Kill(id, 0) == nil {
			t.Errorf("process %d is still there after Stop", id)
		}
	}
	if err := plane.Health(); err == nil {
		t.Error("a stopped control plane calls itself healthy")
	}
}

// frontProxy checks that an aggregated API server would find whom to trust.
func frontProxy(t *testing.T, client kubernetes.Interface) {
	cm, err := client.CoreV1().ConfigMaps("kube-system").Get(t.Context(), "extension-apiserver-authentication", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(cm.Data["requestheader-client-ca-file"], "BEGIN CERTIFICATE") || cm.Data["requestheader-allowed-names"] != `["front-proxy-client"]` {
		t.Errorf("the front proxy is announced as %v", cm.Data)
	}
}

// admission checks that a pod gets the volume with its ServiceAccount's token, and that a token works.
func admission(t *testing.T, client kubernetes.Interface) {
	ctx := t.Context()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "probe"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}
	pod, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mounts := pod.Spec.Containers[0].VolumeMounts
	if len(mounts) != 1 || mounts[0].MountPath != "/var/run/secrets/kubernetes.io/serviceaccount" {
		t.Errorf("mounts %v, want the token's", mounts)
	}
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	review, err := client.AuthenticationV1().TokenReviews().Create(ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if user := review.Status.User.Username; user != "system:serviceaccount:default:default" {
		t.Errorf("the token is of %q", user)
	}
}

// TestStartReportsWhatFailed: the error must show the component's own words, because its log goes with the folder.
func TestStartReportsWhatFailed(t *testing.T) {
	script := t.TempDir() + "/broken"
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho cannot do that >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := controlplane.Start(t.Context(), controlplane.Options{Binary: script, Dir: t.TempDir()})
	// Which component is seen to have ended first is a matter of chance.
	if err == nil || !strings.Contains(err.Error(), "cannot do that") || !(strings.Contains(err.Error(), "etcd") || strings.Contains(err.Error(), "kube-apiserver")) {
		t.Errorf("error %v, want one that names a component and what it said", err)
	}
}

// TestLostPort: a port that somebody takes between the search and the start costs another attempt, no failure.
func TestLostPort(t *testing.T) {
	real := binary(t)
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	// A stand-in that steals the API server's port the first time.
	script := dir + "/kube" // bash, for `exec -a`
	text := fmt.Sprintf(`#!/bin/bash
case "$*" in
*--etcd-servers=*)
  if mkdir %[1]s/stolen 2>/dev/null; then
    exec -a kube-apiserver %[2]s "$@" --secure-port=%[3]s
  fi
  exec -a kube-apiserver %[2]s "$@" ;;
*--kubeconfig=*) exec -a kube-controller-manager %[2]s "$@" ;;
*) exec -a etcd %[2]s "$@" ;;
esac
`, dir, real, taken)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	plane, err := controlplane.Start(ctx, controlplane.Options{Binary: script, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	plane.Stop()
	if _, err := os.Stat(dir + "/stolen"); err != nil {
		t.Error("the port was not stolen, so this proves nothing")
	}
}
