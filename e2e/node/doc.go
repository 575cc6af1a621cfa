// Package node is a Kubernetes node for tests: it binds pods and runs their containers as processes of this
// machine. It stands in for the scheduler, the kubelet and the container runtime, and needs no privilege.
//
// # What is real
//
// Init containers run in order (also restartable ones, "sidecars"), then the containers side by side. A
// process gets its command, args, env (value with $(VAR), fieldRef, configMapKeyRef, secretKeyRef, envFrom; resolved
// when the container starts, as the kubelet does), working folder and volumes (configMap, secret, emptyDir, projected,
// downwardAPI; a claim is a folder, and is bound to a volume of that name). It gets a token of its ServiceAccount, bound to
// the pod, so what it may do is decided by the API server's RBAC. Its exit code, termination message (with
// FallbackToLogsOnError), restarts (with a back-off of 0.2 to 10 s, not 10 s to 5 min) and log are reported as a kubelet
// does; the log is also served to the API server, so `kubectl logs` and kapp's deploy-logs work. A deleted pod's
// processes get SIGTERM, after the grace period SIGKILL, and then the pod object goes.
//
// # Paths
//
// Processes share this machine's file system, so a mount cannot stand at its path. Each container has a folder of its
// own, $MOUNT_ROOT, and what is mounted at /etc/config is found at $MOUNT_ROOT/etc/config. So that ordinary manifests work,
// each mount path is replaced where it stands as a whole path, or begins one, in command, args and env values
// (`cat /etc/config/a` becomes `cat $MOUNT_ROOT/etc/config/a`). The same holds for /dev/termination-log, for
// /var/run/secrets/kubernetes.io/serviceaccount and for the files of an Image. A path that a program puts together by itself,
// or that stands in a mounted file, is not seen: use $MOUNT_ROOT there. A relative path starts in the working folder, which is
// $MOUNT_ROOT plus the container's workingDir. Programs come from this machine's PATH.
//
// # Talking to the API server
//
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT lead to the API server, and the files at
// /var/run/secrets/kubernetes.io/serviceaccount are real. Because client libraries look for those at their fixed path,
// KUBECONFIG names a file that says the same; kapp and kubectl work in a hook without further ado. There is no
// cluster DNS and no pod network: kubernetes.default.svc cannot be reached, and status.podIP is made up.
//
// # What is not run
//
// Images are not pulled. A container without a command, of an image that Options or SetImage do not know, is faked: it
// logs nothing, becomes ready, and runs until it is stopped, or, in a pod that is to end (restartPolicy Never or
// OnFailure), succeeds at once. Pod annotations change that, see ReadyAfterAnnotation and those beside it.
//
// Probes, lifecycle handlers, security contexts, resource limits, ports, exec, attach and port-forward are ignored; hostPath and
// any other kind of volume is an empty folder; mounted ConfigMaps do not change while a container runs; a
// process is not PID 1, so SIGTERM ends a shell that a container would have shielded from it.
package node
