package simulation

import (
	"fmt"
	"strings"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// facts are what the invariants need to know of the past.
type facts struct {
	hooks []hookFacts
	// ended: a deploy has ended whole. mayHaveEnded: all of it has but for the revision, which says so.
	ended, mayHaveEnded bool
	// upgrade: the present deploy began after one that had ended whole.
	upgrade bool
}

type state int

const (
	none state = iota
	running
	succeeded
	failed
)

// hookFacts are about the last Job of a hook, even where it is gone.
type hookFacts struct {
	state  state
	digest string
	// acted: its guard let it do its work.
	acted bool
	// changed: a deploy of another content began since.
	changed bool
	// thisDeploy: it ended while the present deploy waited.
	thisDeploy bool
	// worked: some Job of this hook has done its work and succeeded.
	worked bool
}

func (w *world) violate(format string, args ...any) {
	if w.violation == "" {
		w.violation = fmt.Sprintf(format, args...)
	}
}

// begins notes that a deploy begins.
func (w *world) begins(content int) {
	w.facts.upgrade = w.facts.ended
	for i := range w.facts.hooks {
		f := &w.facts.hooks[i]
		f.thisDeploy = false
		f.changed = f.changed || f.digest != w.app.contents[content].digests[i]
	}
}

// removes checks that a Job which kapp deletes has no work in hand that is still wanted.
func (w *world) removes(hook int) {
	h, f := w.app.hooks[hook], w.facts.hooks[hook]
	if w.cluster.Get(h.job()) == nil || f.state != running {
		return
	}
	if f.digest == w.app.contents[w.kapp.content].digests[hook] {
		w.violate("a running Job is deleted for the same content: %s", h)
	}
	if h.run == "once" || h.run == "every" {
		w.violate("a running Job is deleted that no content replaces: %s", h)
	}
}

// starts checks that a hook whose Job was just created is to run.
func (w *world) starts(hook int) {
	h, f := w.app.hooks[hook], &w.facts.hooks[hook]
	digest := w.app.contents[w.kapp.content].digests[hook]
	if f.acted && f.digest == digest && !f.changed && (f.state == running || f.state == succeeded && h.run != "always") {
		w.violate("a hook runs twice for one content: %s", h)
	}
	if h.post && !w.workloadIs(w.kapp.content) {
		w.violate("a post hook starts before the workloads: %s", h)
	}
	*f = hookFacts{state: running, digest: digest, worked: f.worked}
	w.podStarts(hook)
}

// podStarts follows the guard of a hook that is for installs or for upgrades only. Its pod starts with the Job, and may start
// again until the Job ends.
func (w *world) podStarts(hook int) {
	h, f := w.app.hooks[hook], &w.facts.hooks[hook]
	if h.guard == "" {
		f.acted = true
		return
	}
	now := "upgrade"
	if w.isInstall(w.cluster.Get(h.job())) {
		now = "install"
	}
	if now != h.guard {
		return
	}
	f.acted = true
	if now == "install" && w.facts.ended {
		w.violate("an install-only hook acts after a deploy has ended: %s", h)
	}
	if now == "upgrade" && !w.facts.mayHaveEnded {
		w.violate("an upgrade-only hook acts before a deploy has ended: %s", h)
	}
}

// isInstall is the guard's rule (templates/_ytt_lib/kapp-lifecycle/job.star), on what the kubelet makes of the environment.
func (w *world) isInstall(job ctlres.Resource) bool {
	pod := job.UnstructuredObject()["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	containers, found := pod["initContainers"].([]any)
	if !found {
		containers = pod["containers"].([]any)
	}
	first, completed := false, false
	for _, env := range containers[0].(map[string]any)["env"].([]any) {
		env := env.(map[string]any)
		switch env["name"] {
		case "LIFECYCLE_REVISION":
			first = strings.HasSuffix(env["value"].(string), "-ver-1")
		case "LIFECYCLE_COMPLETED":
			ref := env["valueFrom"].(map[string]any)["configMapKeyRef"].(map[string]any)
			completed = w.cluster.Get("ConfigMap/"+ref["name"].(string)) != nil
		}
	}
	return first && !completed
}

// end lets a hook's Job end.
func (w *world) end(hook int, success bool) {
	h, f := w.app.hooks[hook], &w.facts.hooks[hook]
	w.podStarts(hook)
	f.thisDeploy = w.kapp != nil
	status := order.JobFailed()
	f.state = failed
	if success {
		f.state = succeeded
		status = order.JobComplete()
		if !f.acted && h.entrypoint {
			status = order.JobSkipped()
		}
		if f.acted {
			if h.run == "once" && f.worked {
				w.violate("a hook succeeds twice that is to run once: %s", h)
			}
			f.worked = true
		}
	}
	if err := w.cluster.SetStatus(h.job(), status); err != nil {
		w.violate("%s", err)
	}
}

// workloadApplied checks, when the Deployment was written, that the pre hooks of its content have done their part.
func (w *world) workloadApplied() {
	for i, h := range w.app.hooks {
		f := w.facts.hooks[i]
		if h.post {
			continue
		}
		done := f.state == succeeded || f.state == failed && h.goesOn
		switch h.run {
		case "on-change":
			done = done && f.digest == w.app.contents[w.kapp.content].digests[i]
		case "always":
			done = done && f.digest == w.app.contents[w.kapp.content].digests[i] && f.thisDeploy
		}
		if h.run != "on-change" && h.guard == "upgrade" && w.facts.upgrade {
			done = done && f.acted
		}
		if !done {
			w.violate("a workload is applied before a pre hook of its content has succeeded: %s", h)
		}
	}
}

// workloadIs says whether the Deployment in the cluster is that of a content.
func (w *world) workloadIs(content int) bool {
	live := w.cluster.Get("Deployment/api")
	return live != nil && strings.Contains(fmt.Sprint(live.UnstructuredObject()["spec"]), fmt.Sprintf("api:%d", content))
}
