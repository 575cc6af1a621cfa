package lifecycle

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// instead are keys that people know from a Job or a pod, and what is written here.
var instead = map[string]string{
	"backoffLimit":          "write retries",
	"activeDeadlineSeconds": "write timeout, such as 5m",
	"containers":            "write it in template.spec, or image, command and so on",
	"initContainers":        "write it in template.spec",
	"restartPolicy":         "a hook's pod is never restarted, but tried again; write restartPolicy in template.spec if you must",
}

// elsewhere says where a key belongs that was written at a wrong place.
func elsewhere(key string, at reflect.Type) string {
	for _, other := range []struct {
		typ  reflect.Type
		name string
	}{
		{reflect.TypeFor[Hook](), "a hook of spec.hooks"},
		{reflect.TypeFor[Defaults](), "spec.defaults"},
		{reflect.TypeFor[Spec](), "spec"},
		{reflect.TypeFor[Metadata](), "metadata"},
	} {
		if other.typ != at && slices.Contains(keysOf(fieldsOf(other.typ)), key) {
			return "it belongs to " + other.name
		}
	}
	return ""
}

// unknown reports a key that a mapping does not have.
func (d *decoding) unknown(key *yaml.Node, at reflect.Type, known []string, path string) {
	name := key.Value
	what := quote(name) + " is not a key of " + place(path)
	oneOf := "it is one of " + strings.Join(known, ", ")
	other, advice := elsewhere(name, at), ""
	if at == reflect.TypeFor[Hook]() {
		advice = instead[name]
	}
	switch {
	case slices.Contains(LaterKeys, name) && at == reflect.TypeFor[Spec]():
		d.report(key, "spec."+name+" is not supported yet", "remove it")
	case slices.Contains(LaterKeys, name) && at == reflect.TypeFor[Lifecycle]():
		d.report(key, what, "it belongs to spec, and is not supported yet")
	case name == "ttlSecondsAfterFinished":
		d.report(key, "a hook cannot have ttlSecondsAfterFinished", "remove it: the Job would be gone, and run again at the next deploy")
	case advice != "":
		d.report(key, what, advice)
	case booleans.MatchString(name):
		d.report(key, what+": YAML takes it for true or false", meant(name, known, oneOf))
	case other != "":
		d.report(key, what, other)
	default:
		d.report(key, what, meant(name, known, oneOf))
	}
}
