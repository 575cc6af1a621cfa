package simulation

import (
	"fmt"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/order"
)

// event is one thing that happens.
type event struct {
	what what
	// content that is deployed, or hook whose Job ends.
	content, hook int
	kill          kill
}

type what int

const (
	deploys what = iota
	succeeds
	fails
	dies // kapp is killed, or gives up, while it waits
)

// kill says where kapp is killed on its way through an event.
type kill struct {
	when when
	// at counts the changes that kapp applies in the event.
	at int
}

type when int

const (
	never      when = iota
	amid            // between the deletion and the creation of a replacement
	unrecorded      // between a change and kapp's record of it
	after
)

func (e event) text(a *app, steps []step) string {
	var text string
	switch e.what {
	case deploys:
		text = fmt.Sprintf("deploy content %c", 'A'+rune(e.content))
	case succeeds:
		text = a.hooks[e.hook].String() + " succeeds"
	case fails:
		text = a.hooks[e.hook].String() + " fails"
	case dies:
		text = "kapp is killed while it waits"
	}
	for _, s := range steps {
		text += "; " + s.text
	}
	switch e.kill.when {
	case amid:
		text += "; kapp is killed before it creates the new one"
	case unrecorded:
		text += "; kapp is killed before it records that"
	case after:
		text += "; kapp is killed"
	}
	return text
}

// step is a change that kapp applied.
type step struct {
	text string
	op   order.Op
}

// outcome is what an event leads to.
type outcome struct {
	event event
	world *world
	steps []step
}

// outcomes gives all that can happen next.
func (w *world) outcomes(t texts) []outcome {
	var events []event
	for content := range w.app.contents {
		events = append(events, event{what: deploys, content: content})
	}
	for i, h := range w.app.hooks {
		if job := w.cluster.Get(h.job()); job != nil && w.facts.hooks[i].state == running {
			events = append(events, event{what: succeeds, hook: i}, event{what: fails, hook: i})
		}
	}
	if w.kapp != nil {
		events = append(events, event{what: dies})
	}
	var all []outcome
	for _, e := range events {
		whole := w.play(e, t)
		all = append(all, whole)
		for at, s := range whole.steps {
			// Killed before a change is killed after the one before it.
			modes := []when{after}
			switch s.op {
			case order.OpReplace:
				modes = append(modes, unrecorded, amid)
			case order.OpCreate, order.OpUpdate:
				modes = append(modes, unrecorded)
			}
			for _, mode := range modes {
				e.kill = kill{mode, at}
				all = append(all, w.play(e, t))
			}
		}
	}
	return all
}

func (w *world) play(e event, t texts) outcome {
	next := w.clone()
	p := &play{world: next, kill: e.kill}
	switch e.what {
	case deploys:
		next.begin(e.content, t)
	case succeeds:
		next.end(e.hook, true)
	case fails:
		next.end(e.hook, false)
	case dies:
		next.kapp = nil
	}
	p.advance()
	return outcome{e, next, p.steps}
}
