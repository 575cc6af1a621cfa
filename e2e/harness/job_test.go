package harness_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kapp-lifecycle/kapp-lifecycle/e2e/harness"
)

// TestJobRunsForReal: a Job's process has its env, its files and its ServiceAccount's rights, and no others.
func TestJobRunsForReal(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {color: green, nested: one}}
---
{apiVersion: v1, kind: Secret, metadata: {name: keys}, stringData: {password: "it's secret"}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: reader}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [settings], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: "${NS}"}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: probe}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {tier: test}}
    spec:
      restartPolicy: Never
      serviceAccountName: reader
      volumes:
      - {name: settings, configMap: {name: settings, items: [{key: nested, path: deep/file}]}}
      - {name: keys, secret: {secretName: keys}}
      - {name: info, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
      containers:
      - name: main
        image: any
        workingDir: /work
        command: [bash, -euc]
        args:
        - |
          echo "env $COLOR $PASSWORD $FROM_color $GREETING $POD"
          echo "args $(GREETING) $$(date) $(UNKNOWN)"
          echo "files $(cat /etc/settings/deep/file) $(cat "/etc/keys/password") $(grep tier /etc/info/labels)"
          echo "folder ${PWD#$MOUNT_ROOT}"
          account=/var/run/secrets/kubernetes.io/serviceaccount
          echo "namespace $(cat $account/namespace)"
          get() {
            curl -sS --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" -w '\nstatus %{http_code}\n' \
              "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/api/v1/namespaces/$POD_NAMESPACE/$1"
          }
          get configmaps/settings | grep -E '"color"|status'
          get secrets/keys | grep -E 'message|status [0-9]'
          echo a message >/dev/termination-log
        env:
        - {name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}
        - {name: PASSWORD, valueFrom: {secretKeyRef: {name: keys, key: password}}}
        - {name: GREETING, value: "hello $(COLOR)"}
        - {name: POD, valueFrom: {fieldRef: {fieldPath: "metadata.labels['tier']"}}}
        - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        envFrom: [{prefix: FROM_, configMapRef: {name: settings}}]
        volumeMounts:
        - {name: settings, mountPath: /etc/settings}
        - {name: keys, mountPath: /etc/keys}
        - {name: info, mountPath: /etc/info}
`)
	ns.Await(t, "Job/probe succeeded")
	run := onlyRun(t, ns, "Job/probe")
	want := []string{
		"env green it's secret green hello green test",
		"args hello green ", // then $(date), which is the shell's
		"files one it's secret tier=\"test\"",
		"folder /work",
		"namespace " + ns.Name,
		`"color": "green"`, "status 200",
		`secrets \"keys\" is forbidden: User \"system:serviceaccount:` + ns.Name + `:reader\" cannot get`, "status 403",
	}
	for _, w := range want {
		if !strings.Contains(run.Output, w) {
			t.Errorf("the output lacks %q:\n%s", w, run.Output)
		}
	}
	pod := podOf(t, ns, "probe")
	end := pod.Status.ContainerStatuses[0].State.Terminated
	if end == nil || end.Reason != "Completed" || end.ExitCode != 0 || strings.TrimSpace(end.Message) != "a message" {
		t.Errorf("the container ended as %+v, want Completed with the message", end)
	}
	log, err := ns.Client.CoreV1().Pods(ns.Name).GetLogs(pod.Name, new(corev1.PodLogOptions)).DoRaw(t.Context())
	if err != nil || string(log) != run.Output {
		t.Errorf("the API server serves another log (%v):\n%s\nthan what the process wrote:\n%s", err, log, run.Output)
	}
}

// TestInitContainers: they run in order, before the container, and share its volumes.
func TestInitContainers(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, job("staged", `
      volumes: [{name: shared, emptyDir: {}}]
      initContainers:
      - {name: one, image: any, command: [sh, -c, "echo one >>/data/order"], volumeMounts: [{name: shared, mountPath: /data}]}
      - {name: two, image: any, command: [sh, -c, "echo two >>/elsewhere/order"], volumeMounts: [{name: shared, mountPath: /elsewhere}]}
      containers:
      - {name: main, image: any, command: [cat, /data/order], volumeMounts: [{name: shared, mountPath: /data}]}
`))
	ns.Await(t, "Job/staged succeeded")
	if got := onlyRun(t, ns, "Job/staged").Output; got != "one\ntwo\n" {
		t.Errorf("the files say %q", got)
	}
	if n := len(ns.Timeline(t).InitRuns("Job/staged")); n != 2 {
		t.Errorf("%d init containers ran, want 2", n)
	}
}

// TestSidecar: a restartable init container runs beside the others and does not keep the pod from ending.
func TestSidecar(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, job("accompanied", `
      volumes: [{name: shared, emptyDir: {}}]
      initContainers:
      - name: helper
        image: any
        restartPolicy: Always
        command: [sh, -c, "mkfifo /data/pipe; echo served >/data/pipe; exec sleep 300"]
        volumeMounts: [{name: shared, mountPath: /data}]
      containers:
      - name: main
        image: any
        command: [sh, -c, "until [ -p /data/pipe ]; do sleep 0.1; done; cat /data/pipe"]
        volumeMounts: [{name: shared, mountPath: /data}]
`))
	ns.Await(t, "Job/accompanied succeeded")
	if got := onlyRun(t, ns, "Job/accompanied").Output; got != "served\n" {
		t.Errorf("the container read %q", got)
	}
}

// TestGuardContainer: the exit code of an init container fails the Job at once by its podFailurePolicy, as a guard in
// the init form needs.
func TestGuardContainer(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
apiVersion: batch/v1
kind: Job
metadata: {name: guarded}
spec:
  backoffLimit: 3
  podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: guard, operator: In, values: [42]}}]}
  template:
    spec:
      restartPolicy: Never
      initContainers: [{name: guard, image: any, command: [sh, -c, "exit 42"]}]
      containers: [{name: main, image: any, command: ["true"]}]
`)
	failed := ns.Await(t, "Job/guarded failed")
	if failed.Detail != "PodFailurePolicy" {
		t.Errorf("the Job failed for %q", failed.Detail)
	}
	tl := ns.Timeline(t)
	if runs, guards := len(tl.Runs("Job/guarded")), len(tl.InitRuns("Job/guarded")); runs != 0 || guards != 1 {
		t.Errorf("%d runs and %d of the guard, want 0 and 1\n%s", runs, guards, tl)
	}
}

// TestOptionalReference: whether an optional reference is there is decided when the container starts.
func TestOptionalReference(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	container := `
      containers:
      - name: main
        image: any
        command: [sh, -c, 'echo "completed=${LIFECYCLE_COMPLETED-unset}"']
        env: [{name: LIFECYCLE_COMPLETED, valueFrom: {configMapKeyRef: {name: revision, key: digest, optional: true}}}]
`
	ns.Apply(t, job("first", container))
	ns.Await(t, "Job/first succeeded")
	ns.Apply(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: revision}, data: {digest: abc}}`)
	ns.Apply(t, job("second", container))
	ns.Await(t, "Job/second succeeded")
	if got := onlyRun(t, ns, "Job/first").Output; got != "completed=unset\n" {
		t.Errorf("without the ConfigMap: %q", got)
	}
	if got := onlyRun(t, ns, "Job/second").Output; got != "completed=abc\n" {
		t.Errorf("with the ConfigMap: %q", got)
	}
}

// TestMissingReference: a container waits for what it refers to, and says so.
func TestMissingReference(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, job("patient", `
      containers:
      - {name: main, image: any, command: [sh, -c, "echo $COLOR"], env: [{name: COLOR, valueFrom: {secretKeyRef: {name: late, key: color}}}]}
`))
	eventually(t, "the container says what it waits for", func() bool {
		for _, pod := range podsOf(t, ns, "patient") {
			for _, c := range pod.Status.ContainerStatuses {
				if w := c.State.Waiting; w != nil && w.Reason == "CreateContainerConfigError" && w.Message == `secrets "late" not found` {
					return true
				}
			}
		}
		return false
	})
	ns.Timeline(t).Never(t, "Job/patient started")
	ns.Apply(t, `{apiVersion: v1, kind: Secret, metadata: {name: late}, stringData: {color: blue}}`)
	ns.Await(t, "Job/patient succeeded")
	if got := onlyRun(t, ns, "Job/patient").Output; got != "blue\n" {
		t.Errorf("the output is %q", got)
	}
}

// TestFailingJob: it is tried again as often as its backoffLimit says, and the pods say why they failed.
func TestFailingJob(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, `
apiVersion: batch/v1
kind: Job
metadata: {name: broken}
spec:
  backoffLimit: 1
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - {name: main, image: any, command: [sh, -c, "echo no such table >&2; exit 3"], terminationMessagePolicy: FallbackToLogsOnError}
`)
	// With OnFailure the container is started again in its pod, and the Job counts that.
	eventually(t, "a restart", func() bool { return len(ns.Timeline(t).Runs("Job/broken")) >= 2 })
	ns.Await(t, "Job/broken failed")

	ns.Apply(t, job("once", `
      containers:
      - {name: main, image: any, command: [sh, -c, "echo no such table >&2; exit 3"], terminationMessagePolicy: FallbackToLogsOnError}
`))
	ns.Await(t, "Job/once failed")
	end := podOf(t, ns, "once").Status.ContainerStatuses[0].State.Terminated
	if end == nil || end.Reason != "Error" || end.ExitCode != 3 || end.Message != "no such table\n" {
		t.Errorf("the container ended as %+v, want Error 3 with the end of its log", end)
	}
	if run := onlyRun(t, ns, "Job/once"); run.ExitCode != 3 || run.Output != "no such table\n" {
		t.Errorf("the run is %+v", run)
	}
}

// TestNoSuchProgram: a command that is not there is a failure like any other.
func TestNoSuchProgram(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, job("lost", `
      containers: [{name: main, image: any, command: [/opt/nothing/here, --now]}]
`))
	ns.Await(t, "Job/lost failed")
	end := podOf(t, ns, "lost").Status.ContainerStatuses[0].State.Terminated
	if end == nil || end.Reason != "StartError" || end.ExitCode != 128 || !strings.Contains(end.Message, "/opt/nothing/here") {
		t.Errorf("the container ended as %+v, want StartError 128", end)
	}
}

// TestDeadline: the Job controller deletes the pod of a Job that takes too long, and the process is ended.
func TestDeadline(t *testing.T) {
	t.Parallel()
	ns := harness.Start(t).Namespace(t)
	ns.Apply(t, strings.Replace(job("slow", `
      containers: [{name: main, image: any, command: [sleep, "300"]}]
`), "backoffLimit: 0", "backoffLimit: 0\n  activeDeadlineSeconds: 4", 1))
	if failed := ns.Await(t, "Job/slow failed"); failed.Detail != "DeadlineExceeded" {
		t.Errorf("the Job failed for %q", failed.Detail)
	}
	ns.Await(t, "Job/slow ended")
	if run := onlyRun(t, ns, "Job/slow"); run.ExitCode != 143 || run.End.Sub(run.Start) > 20*time.Second {
		t.Errorf("the process ended with %d after %s, want 143 (SIGTERM) soon", run.ExitCode, run.End.Sub(run.Start))
	}
}

// job writes a Job that is tried once, from the lines of its pod's spec.
func job(name, spec string) string {
	return `
apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
` + strings.TrimPrefix(spec, "\n")
}
