package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

func (d *decoding) reportAt(path, what, fix string) {
	d.problems = append(d.problems, problem.Problem{Position: d.source.Position(path), What: what, Fix: fix})
}

// check looks at what each key alone does not show. It says nothing that follows from a problem found before.
func (d *decoding) check(l *Lifecycle) {
	d.environment("spec.defaults.env")
	first := map[string]int{}
	for i := range l.Spec.Hooks {
		hook := &l.Spec.Hooks[i]
		path := fmt.Sprintf("spec.hooks[%d]", i)
		if node := d.source.value(path); node == nil || node.Kind != yaml.MappingNode {
			continue
		}
		d.name(hook, i, first)
		d.events(hook, path)
		d.sources(l, hook, path)
		d.interval(hook, l.Spec.Defaults, path)
		d.environment(path + ".env")
		if len(hook.Volumes) > 0 && d.source.value(path+".volumeMounts") == nil && hook.Template == nil && hook.From == nil {
			d.problems = append(d.problems, problem.Problem{
				Position: d.source.Position(path + ".volumes"), Severity: problem.Warning,
				What: title(hook) + " mounts none of its volumes", Fix: "add volumeMounts",
			})
		}
	}
}

// title names a hook for a person.
func title(hook *Hook) string {
	if hook.Name == "" {
		return "the hook"
	}
	return "the hook " + quote(hook.Name)
}

// name finds a name that an earlier hook has; first holds the indices of those.
func (d *decoding) name(hook *Hook, index int, first map[string]int) {
	earlier, twice := first[hook.Name]
	switch {
	case hook.Name == "":
	case twice:
		line := d.source.Position(fmt.Sprintf("spec.hooks[%d].name", earlier)).Line
		d.reportAt(fmt.Sprintf("spec.hooks[%d].name", index), fmt.Sprintf("two hooks have the name %s, the first on line %d", quote(hook.Name), line), "give one of them another name")
	default:
		first[hook.Name] = index
	}
}

func (d *decoding) events(hook *Hook, path string) {
	if d.unsound[path+".events"] || d.lost[path] && hook.Events == nil {
		return
	}
	if len(hook.Events) == 0 {
		d.reportAt(path+".events", title(hook)+" has no events", "write one or more of "+strings.Join(allEvents(), ", "))
	}
	seen := map[string]bool{}
	for i, event := range hook.Events {
		plain, isAlias := Aliases[event]
		if !isAlias {
			plain = []string{event}
		}
		for _, one := range plain {
			if seen[one] {
				d.reportAt(fmt.Sprintf("%s.events[%d]", path, i), "the event "+quote(one)+" is given twice", "remove one")
			}
			seen[one] = true
		}
	}
}

// shortForm are the keys of a hook that make up its one container, and its pod around it.
var shortForm = []string{"image", "command", "args", "env", "envFrom", "resources", "securityContext", "volumes", "volumeMounts"}

// sources sees to it that there is one thing to run.
func (d *decoding) sources(l *Lifecycle, hook *Hook, path string) {
	given := func(key string) bool {
		value := d.source.value(path + "." + key)
		return value != nil && value.Tag != "!!null"
	}
	beside := shortForm
	source := ""
	switch {
	case given("template") && given("from"):
		d.reportAt(path+".from", "a hook has one source, and this one has template and from", "keep one of image, template, from")
		return
	case given("template"):
		source = "template"
	case given("from"):
		source = "from"
		// The resource that becomes the hook has its own, and nothing is put in their place.
		beside = append(slices.Clone(shortForm), "serviceAccountName", "imagePullSecrets")
	}
	for _, key := range beside {
		if source != "" && given(key) {
			d.reportAt(path+"."+key, fmt.Sprintf("a hook has one source, and this one has %s and %s", source, key), "keep one of image (with command, env and so on), template, from")
			return
		}
	}
	imageIsKnown := !d.unsound[path+".image"] && !d.lost[path] && !d.unsound["spec.defaults"] && !d.lost["spec"]
	switch {
	case source == "template" && !d.unsound[path+".template"]:
		d.template(path + ".template")
	case source == "from" && !d.unsound[path+".from"]:
		d.from(hook.From, path+".from")
	case source != "":
	case hook.Image == "" && l.Spec.Defaults.Image == "" && imageIsKnown:
		d.reportAt(path, title(hook)+" has nothing to run", "give it an image (or spec.defaults.image), a template, or from")
	case hook.Guard == "shell" && len(hook.Command) == 0 && !d.unsound[path+".command"] && !d.lost[path]:
		d.reportAt(path+".guard", "guard: shell needs a command to stand before, and this hook has none", "write the command, or guard: init with a guardImage")
	}
}

func (d *decoding) from(from *Selector, path string) {
	if !slices.Contains(FromKinds, from.Kind) {
		d.reportAt(path+".kind", "a hook cannot be made from a "+from.Kind, meant(from.Kind, FromKinds, "it is one of "+strings.Join(FromKinds, ", ")))
	} else if from.Name == "" {
		d.reportAt(path, "from has no name", "add the name of the "+from.Kind)
	}
}

func (d *decoding) interval(hook *Hook, defaults Defaults, path string) {
	for _, key := range []string{path + ".run", path + ".interval", "spec.defaults.run", "spec.defaults.interval"} {
		if d.unsound[key] {
			return
		}
	}
	run := hook.Run
	if run == "" {
		run = defaults.Run
	}
	switch {
	case run == "every" && hook.Interval == "" && defaults.Interval == "" && !d.lost[path] && !d.lost["spec.defaults"] && !d.lost["spec"]:
		d.reportAt(path+".run", "run: every needs an interval", "add interval, such as 24h")
	case run != "every" && hook.Interval != "":
		d.reportAt(path+".interval", "interval goes only with run: every", "remove interval, or write run: every")
	}
}
