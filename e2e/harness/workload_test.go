package harness_test

import (
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/node"
)

// TestDeploymentReadiness: a Deployment without a command is ready when the annotation says, not before.
func TestDeploymentReadiness(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, deployment("api", `e2e.kapp-lifecycle.dev/ready-after: 1500ms`))
	ns.Await(t, "Deployment/api ready")
	tl := ns.Timeline(t)
	tl.Order(t, "Deployment/api created", "Deployment/api started", "Deployment/api ready")
	// The API's times are whole seconds, and the Deployment controller waits for the next one.
	if took := tl.Of("Deployment/api").Ready().Sub(tl.Runs("Deployment/api")[0].Start); took < 1500*time.Millisecond {
		t.Errorf("ready %s after the start, want 1.5s at least\n%s", took, tl)
	}
}

// TestFailingDeployment: a Deployment can be told to fail; it crashes again and again and is never ready.
func TestFailingDeployment(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, deployment("api", `e2e.kapp-lifecycle.dev/fail: "true"`))
	eventually(t, "three crashes", func() bool { return len(ns.Timeline(t).Runs("Deployment/api")) >= 3 })
	tl := ns.Timeline(t)
	tl.Never(t, "Deployment/api ready")
	if runs := tl.Runs("Deployment/api"); runs[0].ExitCode != 1 || runs[1].Restart != 1 {
		t.Errorf("the runs are %+v", runs)
	}
}

// TestWorkloadKinds: the controllers of StatefulSets, DaemonSets and CronJobs are content with the node, and a claim is bound.
func TestWorkloadKinds(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: any, volumeMounts: [{name: data, mountPath: /data}]}]}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: main, image: any}]}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: holder}
spec:
  schedule: "0 0 1 1 *"
  suspend: true
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: any}]}}}}
`)
	for _, entry := range []string{
		"StatefulSet/db ready", "DaemonSet/agent ready", "CronJob/holder created",
		"PersistentVolumeClaim/data-db-0 ready", "PersistentVolumeClaim/data-db-1 ready",
	} {
		ns.Await(t, entry)
	}
}

// TestImages: an image can be given an entrypoint and files, which stand at their paths.
func TestImages(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Image("registry.test/tool", node.Image{
		Behaviour: node.Behaviour{Entrypoint: []string{"/opt/tool/bin/run.sh"}},
		Files: map[string]string{
			"/opt/tool/bin/run.sh": "#!/bin/sh\necho ran with $*; greet\n",
			"/usr/local/bin/greet": "#!/bin/sh\necho hello\n",
		},
	})
	ns.Apply(t, job("tool", `
      containers: [{name: main, image: "registry.test/tool:1.2@sha256:0123456789012345678901234567890123456789012345678901234567890123", args: [a, b]}]
`))
	ns.Await(t, "Job/tool succeeded")
	if got := onlyRun(t, ns, "Job/tool").Output; got != "ran with a b\nhello\n" {
		t.Errorf("it said %q", got)
	}
}

// TestFakeJob: a Job without a command takes as long, and ends as, its annotations say.
func TestFakeJob(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
apiVersion: batch/v1
kind: Job
metadata: {name: fake}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {e2e.kapp-lifecycle.dev/exit-after: 700ms, e2e.kapp-lifecycle.dev/exit-code: "7"}}
    spec: {restartPolicy: Never, containers: [{name: main, image: any}]}
`)
	ns.Await(t, "Job/fake failed")
	if run := onlyRun(t, ns, "Job/fake"); run.ExitCode != 7 || !run.Fake || run.End.Sub(run.Start) < 700*time.Millisecond {
		t.Errorf("the run is %+v", run)
	}
}

// TestDeletionWithGrace: a deleted pod's process gets SIGTERM and time to end; one that does not is killed.
func TestDeletionWithGrace(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
apiVersion: v1
kind: Pod
metadata: {name: polite}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 30
  containers: [{name: main, image: any, command: [bash, -c, "trap 'echo bye; exit 5' TERM; echo up; sleep 300 & wait"]}]
---
apiVersion: v1
kind: Pod
metadata: {name: stubborn}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 2
  containers: [{name: main, image: any, command: [bash, -c, "trap '' TERM; echo up; while true; do sleep 1; done"]}]
`)
	for _, pod := range []string{"polite", "stubborn"} {
		eventually(t, pod+" has set its trap", func() bool {
			log, err := ns.Client.CoreV1().Pods(ns.Name).GetLogs(pod, &corev1.PodLogOptions{}).DoRaw(t.Context())
			return err == nil && strings.Contains(string(log), "up")
		})
	}
	deleted := time.Now()
	for _, pod := range []string{"polite", "stubborn"} {
		if err := ns.Client.CoreV1().Pods(ns.Name).Delete(t.Context(), pod, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		ns.Await(t, "Pod/"+pod+" deleted")
	}
	tl := ns.Timeline(t)
	tl.Order(t, "Pod/polite deleting", "Pod/polite ended", "Pod/polite deleted")
	tl.Order(t, "Pod/stubborn deleting", "Pod/stubborn ended", "Pod/stubborn deleted")
	if run := onlyRun(t, ns, "Pod/polite"); run.ExitCode != 5 || run.Output != "up\nbye\n" || run.End.Sub(deleted) > 15*time.Second {
		t.Errorf("polite ended as %+v", run)
	}
	if run := onlyRun(t, ns, "Pod/stubborn"); run.ExitCode != 137 || run.End.Sub(deleted) < 2*time.Second {
		t.Errorf("stubborn ended as %+v", run)
	}
}

// TestPodDeadline: a pod's own deadline is the node's business.
func TestPodDeadline(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
apiVersion: v1
kind: Pod
metadata: {name: slow}
spec: {restartPolicy: Never, activeDeadlineSeconds: 1, containers: [{name: main, image: any, command: [sleep, "300"]}]}
`)
	if failed := ns.Await(t, "Pod/slow failed"); failed.Detail != "DeadlineExceeded" {
		t.Errorf("the pod failed for %q", failed.Detail)
	}
	if run := onlyRun(t, ns, "Pod/slow"); run.ExitCode != 143 {
		t.Errorf("the process ended with %d, want 143 (SIGTERM)", run.ExitCode)
	}
}

// TestKubeconfigInPod: programs that read a kubeconfig work in a pod as its ServiceAccount.
func TestKubeconfigInPod(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, job("inner", `
      containers: [{name: main, image: any, command: [kapp, list, --color=false, --tty=false]}]
`))
	ns.Await(t, "Job/inner failed")
	want := `User "system:serviceaccount:` + ns.Name + `:default" cannot list resource "configmaps"`
	if got := onlyRun(t, ns, "Job/inner").Output; !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), want) {
		t.Errorf("kapp in the pod said %q, want that RBAC refused it", got)
	}
}

// TestGate: a hook waits at a gate until the test opens it.
func TestGate(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	gate := harness.NewGate(t)
	ns.Apply(t, job("held", `
      containers: [{name: main, image: any, command: [sh, -c, "`+gate.Pass()+`; echo through"]}]
`))
	ns.Await(t, "Job/held started")
	time.Sleep(300 * time.Millisecond)
	ns.Timeline(t).Never(t, "Job/held ended")
	gate.Open()
	ns.Await(t, "Job/held succeeded")
	if got := onlyRun(t, ns, "Job/held").Output; got != "through\n" {
		t.Errorf("it said %q", got)
	}
}

// TestFollowLog: a log can be followed while it is written.
func TestFollowLog(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	gate := harness.NewGate(t)
	ns.Apply(t, `
apiVersion: v1
kind: Pod
metadata: {name: talker}
spec:
  restartPolicy: Never
  containers: [{name: main, image: any, command: [sh, -c, "echo first; `+gate.Pass()+`; echo second"]}]
`)
	eventually(t, "the pod runs", func() bool {
		pod, err := ns.Client.CoreV1().Pods(ns.Name).Get(t.Context(), "talker", metav1.GetOptions{})
		return err == nil && pod.Status.Phase == "Running"
	})
	stream, err := ns.Client.CoreV1().Pods(ns.Name).GetLogs("talker", followed).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if got := readLine(t, stream); got != "first\n" {
		t.Errorf("read %q", got)
	}
	gate.Open()
	if got := readLine(t, stream); got != "second\n" {
		t.Errorf("read %q", got)
	}
	if got := readLine(t, stream); got != "" {
		t.Errorf("read %q after the end", got)
	}
}

// TestPodFolderIsRemoved: the files of a pod, its token among them, go with it.
func TestPodFolderIsRemoved(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, job("where", `
      containers: [{name: main, image: any, command: [sh, -c, "echo $MOUNT_ROOT"]}]
`))
	ns.Await(t, "Job/where succeeded")
	root := strings.TrimSpace(onlyRun(t, ns, "Job/where").Output)
	if root == "" {
		t.Fatal("no root")
	}
	eventually(t, "the folder is gone", func() bool { _, err := os.Stat(root); return os.IsNotExist(err) })
}

// deployment writes a Deployment without a command, with one annotation on its pods.
func deployment(name, annotation string) string {
	return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ` + name + `}
spec:
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata:
      labels: {app: ` + name + `}
      annotations: {` + annotation + `}
    spec: {containers: [{name: main, image: any}]}
`
}
