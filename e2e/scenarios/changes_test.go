package scenarios

import (
	"strings"
	"testing"
)

func TestHookAddedRenamedRemoved(t *testing.T) {
	_, app := start(t)
	app.Deploy(t, shop("1")).OK(t)
	added := app.Deploy(t, shop("1", hook("migrate", "pre-deploy", "", "echo ok"))).OK(t)
	ran(t, added.Timeline, map[string]int{"Job/shop-migrate": 1})
	renamed := app.Deploy(t, shop("2", hook("upgrade-db", "pre-deploy", "", "echo ok"))).OK(t)
	renamed.Timeline.Order(t, "Job/shop-migrate deleted", "Job/shop-upgrade-db started", "Job/shop-upgrade-db succeeded", "Deployment/api updated")
	removed := app.Deploy(t, shop("2")).OK(t)
	removed.Timeline.Happened(t, "Job/shop-upgrade-db deleted")
	removed.Timeline.Never(t, "Job/* started")
}

func TestLifecycleRemovedFromTheApp(t *testing.T) {
	ns, app := start(t)
	app.Deploy(t, shop("1", hook("migrate", "pre-deploy", "", "echo ok"))).OK(t)
	plain := app.DeployYAML(t, ns.Text(deployment("api", "1"))).OK(t)
	plain.Timeline.Happened(t, "Job/shop-migrate deleted")
	plain.Timeline.Happened(t, "ConfigMap/shop-revision-ver-1 deleted")
	plain.Timeline.Never(t, "Deployment/api deleted")
	plain.Timeline.Never(t, "Job/* started")
}

func TestWhatAHookNeedsIsThereInTime(t *testing.T) {
	needs(t, "curl")
	_, app := start(t)
	resources := `apiVersion: v1
kind: ServiceAccount
metadata: {name: hooks, namespace: "${NS}"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: hooks, namespace: "${NS}"}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: hooks, namespace: "${NS}"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: hooks}
subjects: [{kind: ServiceAccount, name: hooks}]
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: "${NS}"}
stringData: {password: sesame}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: script, namespace: "${NS}"}
data:
  run.sh: |
    api=https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/api/v1/namespaces/$NAMESPACE
    account=$MOUNT_ROOT/var/run/secrets/kubernetes.io/serviceaccount
    status() { curl -sS -o /dev/null -w "%{http_code}" --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" $api/$1; }
    echo password $PASSWORD, configmaps $(status configmaps/settings), secrets $(status secrets/password)
---
`
	d := app.Deploy(t, shopWith("1", resources, `{name: h, events: [pre-deploy], serviceAccountName: hooks, command: [sh, /scripts/run.sh],
      env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: password, key: password}}}, {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}],
      volumes: [{name: scripts, configMap: {name: script}}], volumeMounts: [{name: scripts, mountPath: /scripts}]}`)).OK(t)
	if got := outputs(d.Timeline, "Job/shop-h"); len(got) != 1 || got[0] != "password sesame, configmaps 200, secrets 403" {
		t.Errorf("the hook printed %q\n%s", got, d.Timeline)
	}
	for _, need := range []string{"ServiceAccount/hooks", "Role/hooks", "RoleBinding/hooks", "Secret/password", "ConfigMap/script"} {
		d.Timeline.Before(t, need+" created", "Job/shop-h created")
	}
}

func TestTwoLifecycles(t *testing.T) {
	_, app := start(t)
	second := `-- second.yaml --
apiVersion: kapp-lifecycle.dev/v1alpha1
kind: Lifecycle
metadata: {name: addon, namespace: "${NS}"}
spec:
  hooks:
  - {name: check, events: [post-deploy], weight: -1, image: tools, command: [sh, -c, "echo $LIFECYCLE_REVISION"]}
`
	d := app.Deploy(t, shop("1", hook("smoke", "post-deploy", "", "echo ok"))+second).OK(t)
	d.Timeline.Order(t, "Deployment/api ready", "Job/addon-check succeeded", "Job/shop-smoke started", "ConfigMap/addon-revision-ver-1 created")
	d.Timeline.Happened(t, "ConfigMap/shop-revision-ver-1 created")
}

func TestHooksOfTheAppsOwnTemplates(t *testing.T) {
	_, app := start(t)
	own := `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  namespace: "${NS}"
  annotations: {kapp-lifecycle.dev/events: "pre-install,pre-upgrade"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, command: [sh, -c, "echo migrated"]}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: smoke
  namespace: "${NS}"
  annotations: {kapp-lifecycle.dev/events: post-deploy, kapp-lifecycle.dev/run: always}
spec: {containers: [{name: c, image: x, command: [sh, -c, "echo smoke"]}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: adopted, namespace: "${NS}"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, command: [sh, -c, "echo adopted"]}]}}}
---
`
	files := shopWith("1", own, "{name: seed, events: [pre-deploy], weight: 5, from: {kind: Job, name: adopted}}")
	d := app.Deploy(t, files).OK(t)
	d.Timeline.Order(t, "Job/migrate succeeded", "Job/shop-seed started", "Job/shop-seed succeeded", "Deployment/api created", "Deployment/api ready", "Job/smoke started")
	d.Timeline.Never(t, "Job/adopted created")
	d.Timeline.Never(t, "Pod/smoke created")
	again := app.Deploy(t, strings.ReplaceAll(files, "api:1", "api:1")).OK(t)
	ran(t, again.Timeline, map[string]int{"Job/migrate": 0, "Job/shop-seed": 0, "Job/smoke": 1})
}
