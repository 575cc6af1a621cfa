package harness_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
)

// secondCopy makes this test binary play another copy of the suite, see TestMain.
const secondCopy = "E2E_TEST_SECOND_COPY"

// playSecondCopy starts a cluster with one pod, names its processes on stdout and waits until it is killed.
func playSecondCopy() error {
	cluster, err := harness.Open(context.Background(), os.Stderr)
	if err != nil {
		return err
	}
	for _, id := range cluster.Plane.PIDs() {
		fmt.Println(id)
	}
	words, err := says(context.Background(), cluster, "endless", "echo $$$$; exec sleep 1234", 1)
	if err != nil {
		return err
	}
	fmt.Println(words[0])
	fmt.Println("dir", filepath.Dir(filepath.Dir(cluster.Plane.Kubeconfig)))
	select {}
}

// TestCopyIsKilled: another copy of the suite runs beside this one and is killed without a chance to clean up. Its
// processes end with it, this one's cluster does not notice, and the next cluster removes what was left in the file system.
func TestCopyIsKilled(t *testing.T) {
	t.Parallel()
	h := harness.Start(t)
	mine := h.Plane.PIDs()

	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), secondCopy+"=1")
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	var theirs []int
	var dir string
	for scan := bufio.NewScanner(out); dir == "" && scan.Scan(); {
		if text, ok := strings.CutPrefix(scan.Text(), "dir "); ok {
			dir = text
		} else if id, err := strconv.Atoi(scan.Text()); err == nil {
			theirs = append(theirs, id)
		}
	}
	if len(theirs) != 4 || dir == "" {
		_ = other.Process.Kill()
		t.Fatalf("the other copy did not start (processes %v)", theirs)
	}
	if err := other.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	for _, id := range theirs {
		eventually(t, "a process of the other copy is gone", func() bool { return !alive(id) })
	}
	for _, id := range mine {
		if !alive(id) {
			t.Errorf("process %d of this copy has ended too", id)
		}
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("the killed copy has cleaned up, so this proves nothing: %v", err)
	}
	third, err := harness.Open(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of the killed copy is still there: %s", dir)
	}
	if err := third.Close(); err != nil {
		t.Error(err)
	}
	if err := h.Plane.Health(); err != nil {
		t.Error(err)
	}
}

// TestCloseLeavesNothing: neither processes of the control plane, nor of pods, nor files.
func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	harness.Start(t) // only to be skipped where the others are
	cluster, err := harness.Open(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	t.Cleanup(func() {
		if !closed {
			cluster.Close()
		}
	})
	words, err := says(t.Context(), cluster, "endless", "sleep 1234 & echo $$$$ $! $MOUNT_ROOT; wait", 3)
	if err != nil {
		t.Fatal(err)
	}
	ids := cluster.Plane.PIDs()
	for _, word := range words[:2] {
		id, err := strconv.Atoi(word)
		if err != nil || !alive(id) {
			t.Fatalf("no process %q", word)
		}
		ids = append(ids, id)
	}
	closed = true
	if err := cluster.Close(); err != nil {
		t.Error(err)
	}
	for _, id := range ids {
		if alive(id) {
			time.Sleep(time.Second) // an orphan's end is for init to collect
			if alive(id) {
				t.Errorf("process %d is still there", id)
			}
		}
	}
	if _, err := os.Stat(words[2]); !os.IsNotExist(err) {
		t.Errorf("%s is still there", words[2])
	}
}

// says runs a pod with a shell command and gives the words that it has logged, once there are n.
func says(ctx context.Context, cluster *harness.Cluster, name, command string, n int) ([]string, error) {
	err := cluster.Apply(ctx, "default", `
apiVersion: v1
kind: Pod
metadata: {name: `+name+`}
spec: {containers: [{name: main, image: any, command: [sh, -c, "`+command+`"]}]}
`)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		log, err := cluster.Client.CoreV1().Pods("default").GetLogs(name, &corev1.PodLogOptions{}).DoRaw(ctx)
		if words := strings.Fields(string(log)); err == nil && len(words) == n {
			return words, nil
		}
	}
	return nil, errors.New("the pod says nothing")
}

// alive tells a running process from one that is gone, or dead and only waiting for somebody to ask.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
