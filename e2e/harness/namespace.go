package harness

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/node"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/timeline"
)

// quiet is how long nothing must happen before a timeline is taken.
const quiet = 100 * time.Millisecond

// patience is how long Await waits: far more than anything here takes, even on a busy machine.
const patience = 60 * time.Second

// Namespace is a test's own namespace.
type Namespace struct {
	*Harness
	Name string
	born time.Time
}

// Namespace makes a namespace with a name of its own and deletes it when the test ends.
func (h *Harness) Namespace(t testing.TB) *Namespace {
	t.Helper()
	ns := &Namespace{Harness: h, Name: "e2e-" + strings.ToLower(rand.Text()[:8]), born: time.Now()}
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns.Name}}
	if _, err := h.Client.CoreV1().Namespaces().Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Nobody waits for it: the name is not used again. A pod's last seconds would only cost time.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
		if err := h.Client.CoreV1().Pods(ns.Name).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
		if err := h.Client.CoreV1().Namespaces().Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	// kapp gives up when it meets a namespace in which the controllers have not made this yet.
	for {
		_, err := h.Client.CoreV1().ServiceAccounts(ns.Name).Get(t.Context(), "default", metav1.GetOptions{})
		if err == nil {
			return ns
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(err)
		}
	}
}

// Image says what stands for a container image in this namespace from now on.
func (ns *Namespace) Image(name string, image node.Image) { ns.Node.SetImage(ns.Name, name, image) }

// Text puts the namespace's name where the text says ${NS}.
func (ns *Namespace) Text(text string) string { return strings.ReplaceAll(text, "${NS}", ns.Name) }

// Timeline gives what has happened in the namespace until now. It waits a moment for events that are on their way.
func (ns *Namespace) Timeline(t testing.TB) timeline.Timeline {
	t.Helper()
	return ns.Since(t, ns.born)
}

// Since gives what has happened in the namespace from that moment until now.
func (ns *Namespace) Since(t testing.TB, moment time.Time) timeline.Timeline {
	t.Helper()
	ns.Recorder.Settled(t.Context(), quiet, ns.Name)
	return ns.Recorder.Timeline(moment, ns.Name)
}

// Await waits until an entry such as "Job/migrate started" is there, which may have been there before. It fails the test
// after a minute.
func (ns *Namespace) Await(t testing.TB, entry string) timeline.Entry {
	t.Helper()
	return ns.AwaitSince(t, ns.born, entry)
}

// AwaitSince is Await for an entry that is not from before the given moment.
func (ns *Namespace) AwaitSince(t testing.TB, moment time.Time, entry string) timeline.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	found, err := ns.Recorder.Await(ctx, moment, ns.Name, entry)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
