package lifecycle

import (
	"reflect"
	"strings"
)

// field is one key of the document, as its type and tags say: the source of the decoder and of all that is generated.
type field struct {
	key      string
	goName   string
	index    int
	typ      reflect.Type
	required bool
	check    string
	enum     []string
	kinds    []string
	fallback string
}

var enums = map[string][]string{
	"AllEvents":  allEvents(),
	"Runs":       Runs,
	"OnFailures": OnFailures,
	"Guards":     Guards,
	"DeployLogs": DeployLogs,
	"FromKinds":  FromKinds,
}

// allEvents are the events that may be written, aliases last.
func allEvents() []string {
	return append(append([]string{}, Events...), "pre-deploy", "post-deploy")
}

// fieldsOf gives the keys of a struct of this package, in their order.
func fieldsOf(typ reflect.Type) []field {
	fields := make([]field, typ.NumField())
	for i := range fields {
		f := typ.Field(i)
		one := field{key: f.Tag.Get("json"), goName: f.Name, index: i, typ: f.Type, enum: enums[f.Tag.Get("enum")], kinds: enums[f.Tag.Get("kinds")], fallback: f.Tag.Get("default")}
		for _, word := range strings.Split(f.Tag.Get("check"), ",") {
			if word == "required" {
				one.required = true
			} else {
				one.check = word
			}
		}
		fields[i] = one
	}
	return fields
}

func keysOf(fields []field) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// deref gives what a pointer type points to.
func deref(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		return typ.Elem()
	}
	return typ
}

// isFree holds for what Kubernetes defines and we pass on: only its outermost shape is checked.
func isFree(typ reflect.Type) bool {
	return typ.Kind() == reflect.Map || typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Map
}
