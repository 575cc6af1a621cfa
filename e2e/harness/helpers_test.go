package harness_test

import (
	"io"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/timeline"
)

var followed = &corev1.PodLogOptions{Follow: true}

func onlyRun(t *testing.T, ns *harness.Namespace, object string) timeline.Run {
	t.Helper()
	tl := ns.Timeline(t)
	runs := tl.Runs(object)
	if len(runs) != 1 {
		t.Fatalf("%s ran %d times, want once\n%s", object, len(runs), tl)
	}
	return runs[0]
}

func podsOf(t *testing.T, ns *harness.Namespace, job string) []corev1.Pod {
	t.Helper()
	list, err := ns.Client.CoreV1().Pods(ns.Name).List(t.Context(), metav1.ListOptions{LabelSelector: "job-name=" + job})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func podOf(t *testing.T, ns *harness.Namespace, job string) corev1.Pod {
	t.Helper()
	pods := podsOf(t, ns, job)
	if len(pods) != 1 {
		t.Fatalf("Job %s has %d pods, want 1", job, len(pods))
	}
	return pods[0]
}

// eventually asks until it is so; for what is no entry of the timeline.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in a minute: %s", what)
		}
	}
}

// readLine reads byte by byte, so that it takes no more than the line; "" at the end.
func readLine(t *testing.T, from io.Reader) string {
	t.Helper()
	var line []byte
	for one := make([]byte, 1); ; {
		switch _, err := io.ReadFull(from, one); err {
		case nil:
		case io.EOF:
			return string(line)
		default:
			t.Fatal(err)
		}
		if line = append(line, one...); one[0] == '\n' {
			return string(line)
		}
	}
}
