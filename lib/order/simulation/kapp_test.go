package simulation

import (
	"fmt"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// begin starts a deploy. A kapp that waits gives up first.
func (w *world) begin(content int, t texts) {
	w.kapp = nil
	planned := w.key(t)
	graph, err := w.app.planner.Deploy(w.app.contents[content].app, w.cluster, w.nonce(t))
	if err != nil {
		w.violate("kapp cannot plan the deploy: %s", err)
		return
	}
	w.kapp = &kapp{content: content, graph: graph, planned: planned, applied: map[*order.Change]bool{}, ready: map[*order.Change]bool{}}
	w.begins(content)
}

// play takes kapp through one event.
type play struct {
	*world
	kill  kill
	steps []step
}

// advance goes on until kapp waits for a hook, or has come to an end (pkg/kapp/clusterapply/cluster_change_set.go, Apply).
func (p *play) advance() {
	for p.kapp != nil && p.violation == "" {
		progress := false
		for _, change := range p.kapp.graph.Changes {
			if p.kapp.applied[change] || !p.isUnblocked(change) {
				continue
			}
			progress = true
			p.apply(change)
			if p.kapp == nil || p.violation != "" {
				return
			}
		}
		for _, change := range p.kapp.graph.Changes {
			if !p.kapp.applied[change] || p.kapp.ready[change] {
				continue
			}
			state, err := p.kapp.graph.Wait(change, p.cluster)
			switch {
			case err != nil:
				p.violate("kapp fails, though no hook did: %s", err)
				return
			case state.Done && !state.Successful:
				if !change.IsHook() {
					p.violate("kapp fails, though no hook did: %s: %s", change, state.Message)
				}
				p.kapp = nil
				return
			case state.Done:
				p.kapp.ready[change] = true
				progress = true
			}
		}
		p.noteReady()
		if len(p.kapp.ready) == len(p.kapp.graph.Changes) {
			p.kapp = nil
			p.facts.ended = true
			return
		}
		if !progress {
			return
		}
	}
}

func (p *play) isUnblocked(change *order.Change) bool {
	for _, other := range change.WaitingFor {
		if !p.kapp.ready[other] {
			return false
		}
	}
	return true
}

// apply makes one change, checks the invariants at it, and lets controllers do their part at once: all but a hook's Job gets ready.
func (p *play) apply(change *order.Change) {
	at := len(p.steps)
	p.steps = append(p.steps, step{fmt.Sprintf("%s %s", change.Op, change), change.Op})
	killed := p.kill.when != never && p.kill.at == at
	hook := p.hookOf(change)
	if hook >= 0 && (change.Op == order.OpReplace || change.Op == order.OpDelete) {
		p.removes(hook)
	}
	if killed && p.kill.when == amid {
		p.cluster.Remove(change.String())
		p.kapp = nil
		return
	}
	var err error
	if killed && p.kill.when == unrecorded {
		err = p.kapp.graph.Write(change, p.cluster)
	} else {
		err = p.kapp.graph.Apply(change, p.cluster)
	}
	if err != nil {
		p.violate("kapp fails, though no hook did: %s", err)
		return
	}
	p.kapp.applied[change] = true
	p.applied(change, hook)
	if killed {
		p.kapp = nil
	}
}

func (p *play) applied(change *order.Change, hook int) {
	written := change.Op == order.OpCreate || change.Op == order.OpReplace || change.Op == order.OpUpdate
	switch {
	case hook >= 0:
		if change.Op == order.OpCreate || change.Op == order.OpReplace {
			p.set(change, order.JobRunning())
			p.starts(hook)
		}
	case change.Kind == "Deployment" && written:
		p.set(change, order.Healthy(p.cluster.Get(change.String())))
		p.workloadApplied()
	}
}

func (p *play) set(change *order.Change, status map[string]any) {
	if err := p.cluster.SetStatus(change.String(), status); err != nil {
		p.violate("%s", err)
	}
}

// noteReady notes that everything is done but for the revision.
func (p *play) noteReady() {
	for _, change := range p.kapp.graph.Changes {
		if !p.kapp.ready[change] && (change.Kind != "ConfigMap" || change.Op == order.OpDelete) {
			return
		}
	}
	p.facts.mayHaveEnded = true
}

func (p *play) hookOf(change *order.Change) int {
	for i, h := range p.app.hooks {
		if change.Kind == "Job" && h.job() == "Job/"+change.Name {
			return i
		}
	}
	return -1
}
