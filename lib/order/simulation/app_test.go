package simulation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/input"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/render"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
	"sigs.k8s.io/yaml"
)

// hook is one of an app's hooks, as a person writes it and as the invariants look at it.
type hook struct {
	name, run string
	// guard is "install" or "upgrade" for a hook that is for one of the two only.
	guard string
	// entrypoint: it runs its image's own command, so that its guard is an init container.
	entrypoint bool
	post       bool
	// goesOn: its failure does not stop the deploy.
	goesOn bool
	// narrow: it runs again only when the Secret changes, which it never does.
	narrow bool
	weight int
}

func (h hook) job() string { return "Job/app-" + h.name }

func (h hook) String() string {
	words := []string{h.run}
	for word, is := range map[string]bool{h.guard + " only": h.guard != "", "init guard": h.entrypoint, "post": h.post, "continue": h.goesOn, "triggers": h.narrow} {
		if is {
			words = append(words, word)
		}
	}
	return h.name + " (" + strings.Join(words, ", ") + ")"
}

func (h hook) yaml() string {
	phase, events := "pre", "%s-install, %s-upgrade"
	if h.post {
		phase = "post"
	}
	if h.guard != "" {
		events = "%s-" + h.guard
	}
	text := fmt.Sprintf("  - {name: %s, image: tools, events: [%s], run: %s, weight: %d",
		h.name, strings.ReplaceAll(events, "%s", phase), h.run, h.weight)
	if h.run == "every" {
		text += ", interval: 24h"
	}
	if !h.entrypoint {
		text += ", command: [work]"
	}
	if h.goesOn {
		text += ", onFailure: continue"
	}
	if h.narrow {
		text += ", triggers: [{kind: Secret}]"
	}
	return text + "}\n"
}

// app is an app in the contents that it is deployed with.
type app struct {
	hooks    []hook
	contents []content
	planner  *order.Planner
}

// content is one content, rendered.
type content struct {
	app *order.App
	// digests are, by hook, what the hook's Job carries.
	digests []string
}

const manifests = `---
apiVersion: v1
kind: Secret
metadata: {name: password}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec: {template: {spec: {containers: [{name: api, image: "api:%d"}]}}}
`

// newApp renders an app of two contents that differ in its Deployment. A fault changes what was rendered; nil does not.
func newApp(t *testing.T, fault func(string) string, hooks ...hook) *app {
	t.Helper()
	a := &app{hooks: hooks, planner: &order.Planner{}}
	lifecycle := "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: Lifecycle\nmetadata: {name: app}\nspec:\n  defaults: {guardImage: busybox}\n  hooks:\n"
	for _, h := range hooks {
		lifecycle += h.yaml()
	}
	for version := range 2 {
		streams := []input.Stream{{Name: "app.yaml", Text: fmt.Appendf(nil, manifests, version)}, {Name: "lifecycle.yaml", Text: []byte(lifecycle)}}
		result, err := render.Render(streams, render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		documents := result.Documents
		if fault != nil {
			documents = broken(t, documents, fault)
		}
		var out bytes.Buffer
		if err := yamlstream.Join(&out, documents); err != nil {
			t.Fatal(err)
		}
		read, err := order.Read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		a.contents = append(a.contents, content{app: read, digests: digests(t, documents, hooks)})
	}
	return a
}

// broken applies a fault, which must change something.
func broken(t *testing.T, documents [][]byte, fault func(string) string) [][]byte {
	t.Helper()
	changed := false
	all := make([][]byte, len(documents))
	for i, text := range documents {
		all[i] = []byte(fault(string(text)))
		changed = changed || !bytes.Equal(text, all[i])
	}
	if !changed {
		t.Fatal("the fault changes nothing: what it replaces is not in the output")
	}
	return all
}

func digests(t *testing.T, documents [][]byte, hooks []hook) []string {
	t.Helper()
	found := map[string]string{}
	for _, text := range documents {
		var res struct {
			Kind     string
			Metadata struct {
				Name        string
				Annotations map[string]string
			}
		}
		if err := yaml.Unmarshal(text, &res); err != nil {
			t.Fatal(err)
		}
		found[res.Kind+"/"+res.Metadata.Name] = res.Metadata.Annotations["kapp-lifecycle.dev/digest"]
	}
	all := make([]string, len(hooks))
	for i, h := range hooks {
		if all[i] = found[h.job()]; all[i] == "" {
			t.Fatalf("no digest for %s", h)
		}
	}
	return all
}
