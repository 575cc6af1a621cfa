package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// world is the cluster, the kapp that is at work on it, and what happened before as far as the invariants ask.
type world struct {
	app     *app
	cluster *order.Cluster
	kapp    *kapp
	facts   facts
	// violation is the first invariant that was broken.
	violation string
}

// kapp is a `kapp deploy` that waits for a hook.
type kapp struct {
	content int
	graph   *order.Graph
	// planned is what the world was when kapp looked at it.
	planned        string
	applied, ready map[*order.Change]bool
}

func (w *world) clone() *world {
	c := *w
	c.cluster = w.cluster.Clone()
	c.facts.hooks = slices.Clone(w.facts.hooks)
	if w.kapp != nil {
		k := *w.kapp
		k.applied, k.ready = maps.Clone(k.applied), maps.Clone(k.ready)
		c.kapp = &k
	}
	return &c
}

// texts remembers what a resource looks like in a key: resources in a cluster are replaced, never written to.
type texts map[ctlres.Resource]string

// incidental is what two clusters may differ in that went different ways to the same: how often a Job was created or
// written, when, and the checksum that kapp takes over that.
var incidental = regexp.MustCompile(`#\d+|"resourceVersion":"\d+"|"(observedG|g)eneration":\d+|original-diff-md5":"[0-9a-f]+"|\d{4}-\d\d-\d\dT[0-9:]+Z`)

func (t texts) of(res ctlres.Resource) string {
	if text, found := t[res]; found {
		return text
	}
	raw, err := json.Marshal(res.UnstructuredObject())
	if err != nil {
		panic(err)
	}
	text := incidental.ReplaceAllString(string(raw), "")
	t[res] = text
	return text
}

// key is the same for two worlds in which the same can happen from here on.
func (w *world) key(t texts) string {
	var b strings.Builder
	for _, res := range w.cluster.Resources() {
		b.WriteString(t.of(res) + "\n")
	}
	fmt.Fprintf(&b, "%+v\n", w.facts)
	if w.kapp != nil {
		fmt.Fprintf(&b, "kapp deploys %d to\n%s", w.kapp.content, w.kapp.planned)
		for _, change := range w.kapp.graph.Changes {
			fmt.Fprintf(&b, "%s: %t, %t\n", change, w.kapp.applied[change], w.kapp.ready[change])
		}
	}
	return b.String()
}

// nonce gives one that nothing in the cluster has, and the same for the same cluster.
func (w *world) nonce(t texts) string {
	for i := 0; ; i++ {
		nonce := fmt.Sprintf("nonce-%d", i)
		if !slices.ContainsFunc(w.cluster.Resources(), func(res ctlres.Resource) bool { return strings.Contains(t.of(res), nonce) }) {
			return nonce
		}
	}
}
