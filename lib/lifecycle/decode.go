package lifecycle

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"carvel.dev/ytt/pkg/spell"
	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// decoding fills the types from nodes and collects what does not fit.
type decoding struct {
	source   *Source
	problems []problem.Problem
}

func (d *decoding) report(node *yaml.Node, what, fix string) {
	d.problems = append(d.problems, problem.Problem{Position: d.source.at(node), What: what, Fix: fix})
}

// version checks apiVersion and kind, which say what the rest means.
func (d *decoding) version() {
	if _, value := entry(d.source.root, "apiVersion"); value != nil && value.Value != APIVersion {
		d.report(value, quote(value.Value)+" is not an apiVersion that this kapp-lifecycle reads", "write "+APIVersion)
	}
	if _, value := entry(d.source.root, "kind"); value != nil && value.Value != Kind {
		d.report(value, quote(value.Value)+" is not the kind of a Lifecycle", "write "+Kind)
	}
}

// pair is a key of a mapping and its value.
type pair struct{ key, value *yaml.Node }

// pairs gives a mapping's keys.
func (d *decoding) pairs(node *yaml.Node) []pair {
	var all []pair
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Tag == "!!merge" {
			// ytt panics where a merged key stands beside one of its own (carvel.dev/ytt v0.53.0, pkg/yamlmeta/convert.go).
			d.report(key, "ytt, which reads this file too, has no merge keys", "write the keys out")
			continue
		}
		if first, twice := seen[key.Value]; twice {
			d.report(key, fmt.Sprintf("the key %s stands twice, first on line %d", quote(key.Value), first.Line+d.source.offset), "remove one")
			continue
		}
		seen[key.Value] = key
		all = append(all, pair{key, resolved(value)})
	}
	return all
}

// mapping fills a struct.
func (d *decoding) mapping(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.MappingNode {
		d.report(node, place(path)+" is "+kindOf(node)+", and must be a mapping", "write its keys below it: "+strings.Join(keysOf(fieldsOf(into.Type())), ", "))
		return
	}
	fields := fieldsOf(into.Type())
	given := map[string]bool{}
	for _, p := range d.pairs(node) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == p.key.Value })
		if i < 0 {
			d.unknown(p.key, into.Type(), keysOf(fields), path)
			continue
		}
		if p.value.Tag == "!!null" {
			continue
		}
		given[p.key.Value] = true
		d.value(p.value, into.Field(fields[i].index), fields[i], join(path, p.key.Value))
	}
	for _, f := range fields {
		if f.required && !given[f.key] {
			d.missing(node, f, path)
		}
	}
}

func (d *decoding) missing(node *yaml.Node, f field, path string) {
	fix := "add " + f.key
	switch {
	case len(f.enum) > 0:
		fix += ": one or more of " + strings.Join(f.enum, ", ")
	case f.check == "label":
		fix += ": lower case letters, digits and -"
	case f.key == "apiVersion":
		fix += ": " + APIVersion
	case f.key == "kind" && path == "":
		fix += ": " + Kind
	case f.key == "kind":
		fix += ", such as Deployment"
	}
	d.report(node, place(path)+" has no "+f.key, fix)
}

// value fills one field.
func (d *decoding) value(node *yaml.Node, into reflect.Value, f field, path string) {
	typ := deref(into.Type())
	switch {
	case isFree(typ):
		d.free(node, into, path)
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.String:
		if !d.isList(node, path) {
			return
		}
		for i, item := range node.Content {
			item = resolved(item)
			if text, ok := d.text(item, f, fmt.Sprintf("%s[%d]", path, i)); ok {
				into.Set(reflect.Append(into, reflect.ValueOf(text)))
			}
		}
	case typ.Kind() == reflect.Slice:
		if !d.isList(node, path) {
			return
		}
		for i, item := range node.Content {
			one := reflect.New(typ.Elem()).Elem()
			d.mapping(resolved(item), one, fmt.Sprintf("%s[%d]", path, i))
			into.Set(reflect.Append(into, one))
		}
	case typ.Kind() == reflect.Struct:
		if into.Kind() == reflect.Pointer {
			into.Set(reflect.New(typ))
			into = into.Elem()
		}
		d.mapping(node, into, path)
	case typ.Kind() == reflect.Int:
		if number, ok := d.number(node, f, path); ok {
			into.Set(reflect.ValueOf(&number))
		}
	default:
		if text, ok := d.text(node, f, path); ok {
			into.SetString(text)
		}
	}
}

func (d *decoding) isList(node *yaml.Node, path string) bool {
	if node.Kind == yaml.SequenceNode {
		return true
	}
	d.report(node, place(path)+" is "+kindOf(node)+", and must be a list", "write [...] around it, or a - before each")
	return false
}

// booleans are what YAML 1.1, and so ytt, takes for true and false where it is not quoted.
var booleans = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false)$`)

func (d *decoding) text(node *yaml.Node, f field, path string) (string, bool) {
	if node.Kind == yaml.ScalarNode && node.Style == 0 && (booleans.MatchString(node.Value) || node.Tag != "!!str") && f.check == "duration" {
		d.report(node, quote(node.Value)+" is not a duration", durationFix(node.Value))
		return "", false
	}
	plain := node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" || plain && booleans.MatchString(node.Value) {
		fix := "write text"
		if node.Kind == yaml.ScalarNode {
			fix = "put it in quotes"
		}
		d.report(node, place(path)+" is "+kindOf(node)+", and must be text", fix)
		return "", false
	}
	switch {
	case len(f.enum) > 0 && !slices.Contains(f.enum, node.Value):
		d.notOneOf(node, f)
		return "", false
	case f.check == "label" && !label.MatchString(node.Value):
		d.report(node, quote(node.Value)+" is no "+f.key, "write lower case letters, digits and -, at most 63"+fixedLabel(node.Value))
		return "", false
	case f.check == "duration" && !isDuration(node.Value):
		d.report(node, quote(node.Value)+" is not a duration", durationFix(node.Value))
		return "", false
	case f.required && node.Value == "":
		d.report(node, place(path)+" is empty", "write its "+f.key)
		return "", false
	}
	return node.Value, true
}

func (d *decoding) notOneOf(node *yaml.Node, f field) {
	if f.key == "events" {
		if slices.Contains(LaterEvents, node.Value) {
			d.report(node, "the event "+quote(node.Value)+" is not supported yet", "it is one of "+strings.Join(f.enum, ", "))
			return
		}
		d.report(node, quote(node.Value)+" is not a hook event", meant(node.Value, f.enum, "it is one of "+strings.Join(f.enum, ", ")))
		return
	}
	d.report(node, quote(node.Value)+" is not a value of "+f.key, meant(node.Value, f.enum, "it is one of "+strings.Join(f.enum, ", ")))
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func (d *decoding) number(node *yaml.Node, f field, path string) (int, bool) {
	number, err := strconv.Atoi(node.Value)
	least := math.MinInt32
	fix := "write a whole number"
	if f.check == "natural" {
		least = 0
		fix += ", 0 or more"
	}
	if node.Kind != yaml.ScalarNode || node.Tag != "!!int" || !decimal.MatchString(node.Value) || err != nil || number < least || number > math.MaxInt32 {
		d.report(node, quote(node.Value)+" is no value for "+f.key, fix)
		return 0, false
	}
	return number, true
}

// free takes what Kubernetes defines as it is.
func (d *decoding) free(node *yaml.Node, into reflect.Value, path string) {
	if into.Kind() == reflect.Slice {
		if !d.isList(node, path) {
			return
		}
		for i, item := range node.Content {
			if resolved(item).Kind != yaml.MappingNode {
				d.report(resolved(item), fmt.Sprintf("%s is %s, and must be a mapping", place(fmt.Sprintf("%s[%d]", path, i)), kindOf(resolved(item))), "write its keys, such as name")
				return
			}
		}
	} else if node.Kind != yaml.MappingNode {
		d.report(node, place(path)+" is "+kindOf(node)+", and must be a mapping", "write its keys below it")
		return
	}
	d.duplicates(node)
	if err := node.Decode(into.Addr().Interface()); err != nil && len(d.problems) == 0 {
		d.report(node, place(path)+" cannot be read: "+strings.TrimPrefix(err.Error(), "yaml: "), "")
	}
}

// duplicates looks for a key that stands twice anywhere below.
func (d *decoding) duplicates(node *yaml.Node) {
	if node.Kind == yaml.MappingNode {
		d.pairs(node)
	}
	for _, child := range node.Content {
		if child.Kind != yaml.AliasNode {
			d.duplicates(child)
		}
	}
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

func (d *decoding) unknown(key *yaml.Node, at reflect.Type, known []string, path string) {
	name := key.Value
	what := quote(name) + " is not a key of " + place(path)
	switch {
	case at == reflect.TypeFor[Spec]() && slices.Contains(LaterKeys, name):
		d.report(key, "spec."+name+" is not supported yet", "remove it")
	case name == "ttlSecondsAfterFinished":
		d.report(key, "a hook cannot have ttlSecondsAfterFinished", "remove it: the Job would be gone, and run again at the next deploy")
	case name == "restartPolicy":
		d.report(key, what, "a hook's pod is never restarted, but tried again; write restartPolicy in template.spec if you must")
	case booleans.MatchString(name):
		d.report(key, what+": YAML takes it for true or false", meant(name, known, "it is one of "+strings.Join(known, ", ")))
	default:
		if near := spell.Nearest(name, known); near != "" {
			d.report(key, what, "did you mean "+quote(near)+"?")
		} else if other := elsewhere(name, at); other != "" {
			d.report(key, what, other)
		} else {
			d.report(key, what, "it is one of "+strings.Join(known, ", "))
		}
	}
}
