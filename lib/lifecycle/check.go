package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// reserved are the environment variables that a hook's container gets from us.
var reserved = []string{"LIFECYCLE_REVISION", "LIFECYCLE_EVENT", "LIFECYCLE_COMPLETED"}

func (d *decoding) reportAt(path, what, fix string) {
	d.problems = append(d.problems, problem.Problem{Position: d.source.Position(path), What: what, Fix: fix})
}

// check looks at what each key alone does not show.
func (d *decoding) check(l *Lifecycle) {
	names := map[string]int{}
	for i := range l.Spec.Hooks {
		hook := &l.Spec.Hooks[i]
		path := fmt.Sprintf("spec.hooks[%d]", i)
		if first, twice := names[hook.Name]; twice {
			line := d.source.Position(fmt.Sprintf("spec.hooks[%d].name", first)).Line
			d.reportAt(path+".name", fmt.Sprintf("two hooks have the name %s, the first on line %d", quote(hook.Name), line), "give one of them another name")
		} else {
			names[hook.Name] = i
		}
		d.events(hook, path)
		d.sources(l, hook, path)
		d.interval(hook.Run, l.Spec.Defaults.Run, hook.Interval, l.Spec.Defaults.Interval, path)
		d.environment(hook.Env, path+".env")
		if len(hook.Volumes) > 0 && len(hook.VolumeMounts) == 0 && hook.Template == nil {
			d.problems = append(d.problems, problem.Problem{
				Position: d.source.Position(path + ".volumes"), Severity: problem.Warning,
				What: "the hook " + quote(hook.Name) + " mounts none of its volumes", Fix: "add volumeMounts",
			})
		}
	}
	d.environment(l.Spec.Defaults.Env, "spec.defaults.env")
}

func (d *decoding) events(hook *Hook, path string) {
	if len(hook.Events) == 0 {
		d.reportAt(path+".events", "the hook "+quote(hook.Name)+" has no events", "write one or more of "+strings.Join(allEvents(), ", "))
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

// sources sees to it that there is one thing to run.
func (d *decoding) sources(l *Lifecycle, hook *Hook, path string) {
	short := []struct {
		key  string
		used bool
	}{
		{"image", hook.Image != ""}, {"command", hook.Command != nil}, {"args", hook.Args != nil}, {"env", hook.Env != nil},
		{"envFrom", hook.EnvFrom != nil}, {"resources", hook.Resources != nil}, {"securityContext", hook.SecurityContext != nil},
		{"volumes", hook.Volumes != nil}, {"volumeMounts", hook.VolumeMounts != nil},
	}
	other := ""
	switch {
	case hook.Template != nil && hook.From != nil:
		d.reportAt(path+".from", "a hook has one source, and this one has template and from", "keep one of image, template, from")
		return
	case hook.Template != nil:
		other = "template"
	case hook.From != nil:
		other = "from"
	}
	for _, s := range short {
		if s.used && other != "" {
			d.reportAt(path+"."+s.key, fmt.Sprintf("a hook has one source, and this one has %s and %s", other, s.key), "keep one of image (with command, env and so on), template, from")
			return
		}
	}
	switch {
	case hook.Template != nil:
		d.template(hook.Template, path+".template")
	case hook.From != nil:
		if !slices.Contains([]string{"Job", "Pod"}, hook.From.Kind) {
			d.reportAt(path+".from.kind", "a hook cannot be made from a "+hook.From.Kind, "it is one of Job, Pod")
		}
		if hook.From.Name == "" {
			d.reportAt(path+".from", "from has no name", "add the name of the "+hook.From.Kind)
		}
	case hook.Image == "" && l.Spec.Defaults.Image == "":
		d.reportAt(path, "the hook "+quote(hook.Name)+" has nothing to run", "give it an image (or spec.defaults.image), a template, or from")
	case hook.Guard == "shell" && len(hook.Command) == 0:
		d.reportAt(path+".guard", "guard: shell needs a command to stand before, and this hook has none", "write the command, or guard: init with a guardImage")
	}
}

func (d *decoding) interval(run, defaultRun, interval, defaultInterval, path string) {
	effective := run
	if effective == "" {
		effective = defaultRun
	}
	switch {
	case effective == "every" && interval == "" && defaultInterval == "":
		d.reportAt(path+".run", "run: every needs an interval", "add interval, such as 24h")
	case effective != "every" && interval != "":
		d.reportAt(path+".interval", "interval goes only with run: every", "remove interval, or write run: every")
	}
}

func (d *decoding) environment(env []map[string]any, path string) {
	for i, variable := range env {
		name, isText := variable["name"].(string)
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case !isText || name == "":
			d.reportAt(at, "an environment variable has no name", "add name")
		case slices.Contains(reserved, name):
			d.reportAt(at+".name", "the environment variable "+name+" is ours", "give yours another name")
		}
	}
}

// template checks what would make a hook never end, and what Kubernetes would only say at the deploy.
func (d *decoding) template(template map[string]any, path string) {
	for key := range template {
		if key != "metadata" && key != "spec" {
			d.reportAt(path+"."+key, quote(key)+" is not a key of a pod template", "it has metadata and spec")
		}
	}
	spec, _ := template["spec"].(map[string]any)
	containers, _ := spec["containers"].([]any)
	if len(containers) == 0 {
		d.reportAt(path+".spec", "the template has no spec.containers", "add one with name and image")
	}
	inits, _ := spec["initContainers"].([]any)
	for _, list := range []struct {
		key   string
		items []any
	}{{"containers", containers}, {"initContainers", inits}} {
		for i, item := range list.items {
			at := fmt.Sprintf("%s.spec.%s[%d]", path, list.key, i)
			container, _ := item.(map[string]any)
			for _, key := range []string{"name", "image"} {
				if text, _ := container[key].(string); text == "" {
					d.reportAt(at, "a container has no "+key, "add it")
				}
			}
			var env []map[string]any
			list, _ := container["env"].([]any)
			for _, variable := range list {
				one, _ := variable.(map[string]any)
				env = append(env, one)
			}
			d.environment(env, at+".env")
		}
	}
	if policy, given := spec["restartPolicy"]; given && policy != "Never" && policy != "OnFailure" {
		d.reportAt(path+".spec.restartPolicy", fmt.Sprintf("a hook cannot have restartPolicy %v", policy), "write Never or OnFailure")
	}
}
