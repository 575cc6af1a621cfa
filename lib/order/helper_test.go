package order

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"sigs.k8s.io/yaml"
)

// rules is where the two files are that the Config of an output is made of.
const rules = "../../templates/_ytt_lib/kapp-lifecycle/kapp-config"

type object = map[string]any

// config writes the Config as the ytt program puts it into its output.
func config(t testing.TB) []byte {
	t.Helper()
	job := object{"apiVersionKindMatcher": object{"apiVersion": "batch/v1", "kind": "Job"}}
	has := func(name string) object {
		return object{"hasAnnotationMatcher": object{"keys": []string{"kapp-lifecycle.dev/" + name}}}
	}
	both := func(a, b object) []object { return []object{{"andMatcher": object{"matchers": []object{a, b}}}} }
	env := func(containers string) object {
		all := object{"allIndexes": true}
		path := []any{"spec", "template", "spec", containers, all, "env", all}
		return object{"path": path, "nameKey": "value", "resourceMatchers": both(job, has("run"))}
	}
	return encode(t, object{
		"apiVersion": "kapp.k14s.io/v1alpha1",
		"kind":       "Config",
		"metadata":   object{"name": "app-kapp-lifecycle"},

		"minimumRequiredVersion": "0.54.0",
		"rebaseRules": []object{{
			"ytt":              object{"overlayContractV1": object{"overlay.yml": read(t, "rebase.overlay")}},
			"resourceMatchers": both(job, has("run")),
		}},
		"waitRules": []object{{
			"ytt":              object{"funcContractV1": object{"resource.star": read(t, "wait.rule")}},
			"resourceMatchers": both(job, object{"anyMatcher": object{"matchers": []object{has("guard"), has("on-failure")}}}),
		}},
		"templateRules": []object{{
			"resourceMatchers":  both(object{"apiVersionKindMatcher": object{"apiVersion": "v1", "kind": "ConfigMap"}}, has("revision")),
			"affectedResources": object{"objectReferences": []object{env("containers"), env("initContainers")}},
		}},
	})
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rules, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hook is a rendered hook: the annotations that matter, and the form of its guard.
type hook struct {
	run, digest, guard, onFailure string
	command                       string
	// shell is the form of the guard that needs no init container.
	shell bool
}

func (h hook) job(t testing.TB) []byte {
	t.Helper()
	annotations := object{
		"kapp-lifecycle.dev/events":                    "pre-install,pre-upgrade",
		"kapp-lifecycle.dev/run":                       h.run,
		"kapp-lifecycle.dev/digest":                    h.digest,
		"kapp.k14s.io/nonce":                           "",
		"kapp.k14s.io/update-strategy":                 "always-replace",
		"kapp.k14s.io/change-group.kapp-lifecycle":     "app.kapp-lifecycle.dev/pre.0",
		"kapp.k14s.io/change-rule.kapp-lifecycle-work": "upsert before upserting app.kapp-lifecycle.dev/workloads",
	}
	if h.run == "every" {
		annotations["kapp.k14s.io/renew-duration"] = "24h"
	}
	if h.guard != "" {
		annotations["kapp-lifecycle.dev/guard"] = h.guard
	}
	if h.onFailure != "" {
		annotations["kapp-lifecycle.dev/on-failure"] = h.onFailure
	}
	env := []object{{"name": "LIFECYCLE_REVISION", "value": "app-revision"}}
	command := h.command
	if command == "" {
		command = "./migrate"
	}
	pod := object{"restartPolicy": "Never", "containers": []object{{"name": "main", "image": "app:1", "command": []string{command}, "env": env}}}
	spec := object{"backoffLimit": 3, "template": object{"metadata": object{"labels": object{"kapp-lifecycle.dev/hook": "migrate"}}, "spec": pod}}
	if h.guard != "" && !h.shell {
		pod["initContainers"] = []object{{"name": "guard", "image": "busybox", "env": env}}
		spec["podFailurePolicy"] = object{"rules": []object{{
			"action": "FailJob", "onExitCodes": object{"containerName": "guard", "operator": "In", "values": []int{42}},
		}}}
	}
	return encode(t, object{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": object{
			"name": "migrate", "namespace": "ns",
			"labels":      object{"kapp-lifecycle.dev/lifecycle": "app", "kapp-lifecycle.dev/hook": "migrate"},
			"annotations": annotations,
		},
		"spec": spec,
	})
}

// revision writes the ConfigMap by which hooks know an upgrade from an install.
func revision(t testing.TB, content string) []byte {
	t.Helper()
	return encode(t, object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": object{
			"name": "app-revision", "namespace": "ns",
			"annotations": object{
				"kapp-lifecycle.dev/revision": "", "kapp.k14s.io/versioned": "",
				"kapp.k14s.io/change-rule.kapp-lifecycle": "upsert after upserting app.kapp-lifecycle.dev/pre.0",
			},
		},
		"data": object{"digest": content},
	})
}

func encode(t testing.TB, value any) []byte {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func stream(docs ...[]byte) []byte { return bytes.Join(docs, []byte("---\n")) }

// apps are the streams that were read before: an App does not change, and reading kapp's own Config takes long.
var apps sync.Map

func mustRead(t testing.TB, stream []byte) *App {
	t.Helper()
	if app, found := apps.Load(string(stream)); found {
		return app.(*App)
	}
	app, err := Read(stream)
	if err != nil {
		t.Fatal(err)
	}
	apps.Store(string(stream), app)
	return app
}

func mustDeploy(t testing.TB, p *Planner, app *App, cluster *Cluster, nonce string) *Graph {
	t.Helper()
	graph, err := p.Deploy(app, cluster, nonce)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// compact gives a part of a resource as text, for comparing what may differ in the types of its numbers.
func compact(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string, args ...any) ctlres.Resource {
	t.Helper()
	res, err := ctlres.NewResourceFromBytes([]byte(fmt.Sprintf(text, args...)))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// sources are what kapp gives a rebase rule beside the resource itself.
func sources(existing, newRes ctlres.Resource) map[ctlres.FieldCopyModSource]ctlres.Resource {
	return map[ctlres.FieldCopyModSource]ctlres.Resource{"existing": existing, "new": newRes, "_current": newRes}
}
