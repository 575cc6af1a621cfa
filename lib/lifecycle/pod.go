package lifecycle

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// reserved are the environment variables that a hook's container gets from us.
var reserved = []string{"LIFECYCLE_REVISION", "LIFECYCLE_EVENT", "LIFECYCLE_COMPLETED"}

// environment checks a list of environment variables.
func (d *decoding) environment(path string) {
	list := d.source.value(path)
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	for i, variable := range list.Content {
		if variable = resolved(variable); variable.Kind != yaml.MappingNode {
			continue
		}
		_, name := entry(variable, "name")
		_, value := entry(variable, "value")
		name, value = resolved(name), resolved(value)
		switch {
		case name == nil || name.Tag == "!!null" || name.Value == "":
			d.report(variable, "an environment variable has no name", "add name")
			continue
		case !d.isString(name, fmt.Sprintf("%s[%d].name", path, i)):
			continue
		case slices.Contains(reserved, name.Value):
			d.report(name, "the environment variable "+name.Value+" is ours", "give yours another name")
		}
		if value != nil && value.Tag != "!!null" {
			d.isString(value, "the value of the environment variable "+quote(name.Value))
		}
	}
}

// template checks a pod template for what would make a hook never end, and for what Kubernetes would only say at the deploy.
func (d *decoding) template(path string) {
	template := d.source.value(path)
	for i := 0; i < len(template.Content); i += 2 {
		if key := resolved(template.Content[i]); key.Value != "metadata" && key.Value != "spec" {
			d.report(key, quote(key.Value)+" is not a key of a pod template", meant(key.Value, []string{"metadata", "spec"}, "it has metadata and spec"))
		}
	}
	for _, key := range []string{"labels", "annotations"} {
		d.texts(d.source.value(path+".metadata."+key), path+".metadata."+key)
	}
	containers := d.source.value(path + ".spec.containers")
	if containers == nil || containers.Kind != yaml.SequenceNode || len(containers.Content) == 0 {
		d.reportAt(path+".spec", "the template has no spec.containers", "add one with name and image")
	}
	for _, key := range []string{"containers", "initContainers"} {
		d.containers(path + ".spec." + key)
	}
	policy := d.source.value(path + ".spec.restartPolicy")
	switch {
	case policy == nil || policy.Value == "Never" || policy.Value == "OnFailure":
	case policy.Tag == "!!null":
		d.reportAt(path+".spec.restartPolicy", "restartPolicy is empty", "write Never or OnFailure, or remove the key")
	default:
		d.reportAt(path+".spec.restartPolicy", "a hook cannot have restartPolicy "+policy.Value, "write Never or OnFailure")
	}
}

func (d *decoding) containers(path string) {
	list := d.source.value(path)
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	for i, container := range list.Content {
		container = resolved(container)
		at := fmt.Sprintf("%s[%d]", path, i)
		if container.Kind != yaml.MappingNode {
			d.report(container, "a container is "+kindOf(container)+", and must be a mapping", "write its keys, such as name and image")
			continue
		}
		for _, key := range []string{"name", "image"} {
			_, value := entry(container, key)
			if value = resolved(value); value == nil || value.Tag == "!!null" || value.Value == "" && value.Kind == yaml.ScalarNode {
				d.report(container, "a container has no "+key, "add it")
			} else {
				d.isString(value, at+"."+key)
			}
		}
		d.environment(at + ".env")
	}
}
