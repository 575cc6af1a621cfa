package render

import (
	"sort"
	"strings"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/lifecycle"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/program"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/stage"
)

// selection is what of the input the program must know, and how well.
type selection struct {
	// whole are resources that it must see: they declare a hook, a hook adopts them, or waits for them.
	whole []*resource
	// mentioned and triggers are the kinds that hooks name in selectors, and those of triggers among them.
	mentioned, triggers map[string]bool
}

func (a *app) selection() selection {
	s := selection{mentioned: map[string]bool{}, triggers: map[string]bool{}}
	// A hook that waits for a workload waits for the Services before it too; the program compares their selectors.
	awaited := map[string]bool{}
	add := func(selectors []lifecycle.Selector, also map[string]bool) {
		for _, selector := range selectors {
			s.mentioned[selector.Kind] = true
			if also != nil {
				also[selector.Kind] = true
			}
		}
	}
	for _, d := range a.lifecycles {
		for _, hook := range d.lifecycle.Spec.Hooks {
			add(hook.Before, nil)
			add(hook.After, awaited)
			add(hook.Triggers, s.triggers)
		}
	}
	for _, r := range a.resources {
		if r.declaresHook() {
			add(r.selectors("before"), nil)
			add(r.selectors("after"), awaited)
			add(r.selectors("triggers"), s.triggers)
		}
	}
	if len(awaited) > 0 {
		awaited["Service"] = true
	}
	for _, r := range a.resources {
		isHook := r.declaresHook() || a.adopts(r)
		if r.isConfig() || !isHook && !awaited[r.meta.Kind] {
			continue
		}
		if err := program.Readable(r.text); err == nil {
			s.whole = append(s.whole, r)
		} else if isHook {
			a.problems = append(a.problems, problem.Problem{
				Position: r.position(""), What: "the hook " + quote(r.meta.Name) + " cannot be read: " + err.Error(), Fix: "see to it that no key stands twice, and that lines end in LF or CRLF",
			})
		}
	}
	return s
}

func (r *resource) declaresHook() bool {
	for key := range r.meta.Annotations {
		if strings.HasPrefix(key, prefix) && key != stage.Annotation {
			return true
		}
	}
	return false
}

// selectors reads an annotation such as "Deployment/api, ConfigMap", as far as its kinds.
func (r *resource) selectors(annotation string) []lifecycle.Selector {
	var all []lifecycle.Selector
	for _, part := range strings.Split(r.meta.Annotations[prefix+annotation], ",") {
		kind, _, _ := strings.Cut(part, "/")
		all = append(all, lifecycle.Selector{Kind: strings.TrimSpace(kind)})
	}
	return all
}

func (a *app) adopts(r *resource) bool {
	for _, d := range a.lifecycles {
		for _, hook := range d.lifecycle.Spec.Hooks {
			if hook.From != nil && hook.From.Kind == r.meta.Kind && hook.From.Name == r.meta.Name {
				return true
			}
		}
	}
	return false
}

// index gives, of the resources that the program does not see, those that it may need to know of: what a selector may
// mean, what a suggestion may name, what has an order of its own, and what may have the name of something that is generated.
func (a *app) index(s selection) []program.Entry {
	seen := make(map[*resource]bool, len(s.whole))
	for _, r := range s.whole {
		seen[r] = true
	}
	entries := []program.Entry{}
	for _, r := range a.resources {
		kind := r.meta.Kind
		rules, groups := r.ordered("change-rule"), r.ordered("change-group")
		if seen[r] || r.isConfig() || !(len(rules) > 0 || len(groups) > 0 || s.mentioned[kind] || kind == "Job" || kind == "Pod" || kind == "ConfigMap" && strings.Contains(r.meta.Name, "-revision")) {
			continue
		}
		entry := program.Entry{
			APIVersion: r.meta.APIVersion, Kind: kind, Namespace: r.meta.Namespace, Name: r.meta.Name, Stage: string(r.stage()),
			Fixed: r.meta.Annotations[stage.Annotation] != "", Rules: rules, Groups: groups,
		}
		if s.triggers[kind] {
			digest, err := program.Digest(r.text)
			if err != nil {
				a.problems = append(a.problems, problem.Problem{
					Position: r.position(""), What: "the " + kind + " " + quote(r.meta.Name) + " cannot be watched: " + err.Error(), Fix: "see to it that no key stands twice, and that lines end in LF or CRLF",
				})
			}
			entry.Digest = digest
		}
		entries = append(entries, entry)
	}
	return entries
}

// ordered gives the values of an annotation of kapp's that may stand several times, with suffixes.
func (r *resource) ordered(name string) []string {
	values := []string{}
	for key, value := range r.meta.Annotations {
		if rest, found := strings.CutPrefix(key, "kapp.k14s.io/"+name); found && (rest == "" || rest[0] == '.') {
			values = append(values, value)
		}
	}
	sort.Strings(values)
	return values
}

func (a *app) kinds() []string {
	found := map[string]bool{}
	for _, r := range a.resources {
		found[r.meta.Kind] = true
	}
	kinds := make([]string, 0, len(found))
	for kind := range found {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	return kinds
}
