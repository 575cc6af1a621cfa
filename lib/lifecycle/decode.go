package lifecycle

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// decoding fills the types from nodes and collects what does not fit.
type decoding struct {
	source   *Source
	problems problem.List
	// unsound holds the paths of keys at or below which something is wrong: later checks leave them alone, since what
	// they would say follows from what is said already.
	unsound map[string]bool
	// lost holds the paths of mappings with a key that could not be read: what seems to be missing there may be it.
	lost map[string]bool
}

func (d *decoding) report(node *yaml.Node, what, fix string) {
	d.problems = append(d.problems, problem.Problem{Position: d.source.at(node), What: what, Fix: fix})
}

var version = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// header checks apiVersion and kind, which say what the rest means. It is false for another version of this format,
// of which nothing more can be said.
func (d *decoding) header() bool {
	readable := true
	if _, value := entry(d.source.root, "apiVersion"); isText(resolved(value)) && resolved(value).Value != APIVersion {
		value = resolved(value)
		d.report(value, quote(value.Value)+" is not an apiVersion that this kapp-lifecycle reads", "write "+APIVersion)
		other, ours := strings.CutPrefix(value.Value, Group+"/")
		readable = !ours || !version.MatchString(other)
	}
	if _, value := entry(d.source.root, "kind"); isText(resolved(value)) && resolved(value).Value != Kind {
		value = resolved(value)
		d.report(value, quote(value.Value)+" is not the kind of a Lifecycle", "write "+Kind)
	}
	return readable
}

// pair is a key of a mapping and its value.
type pair struct{ key, value *yaml.Node }

// pairs gives a mapping's keys; it is false where one of them could not be read.
func (d *decoding) pairs(node *yaml.Node) ([]pair, bool) {
	var all []pair
	whole := true
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := resolved(node.Content[i]), resolved(node.Content[i+1])
		switch first, twice := seen[key.Value]; {
		case key.Tag == "!!merge":
			// ytt panics where a merged key stands beside one of its own (carvel.dev/ytt v0.53.0, pkg/yamlmeta/convert.go).
			d.report(key, "ytt, which reads this file too, has no merge keys", "write the keys out")
			whole = false
		case key.Kind != yaml.ScalarNode:
			d.report(key, "a key is "+kindOf(key)+", and must be text", "a { or [ that begins a value is put in quotes")
			whole = false
		case twice:
			d.report(node.Content[i], fmt.Sprintf("the key %s stands twice, first on line %d", quote(key.Value), first.Line+d.source.offset), "remove one")
		default:
			seen[key.Value] = node.Content[i]
			all = append(all, pair{key, value})
		}
	}
	return all, whole
}

// mapping fills a struct.
func (d *decoding) mapping(node *yaml.Node, into reflect.Value, path string) {
	fields := fieldsOf(into.Type())
	if node.Kind != yaml.MappingNode {
		d.report(node, place(path)+" is "+kindOf(node)+", and must be a mapping", "write its keys below it: "+strings.Join(keysOf(fields), ", "))
		d.lost[path] = true
		return
	}
	given := map[string]bool{}
	pairs, whole := d.pairs(node)
	for _, p := range pairs {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == p.key.Value })
		if i < 0 {
			d.unknown(p.key, into.Type(), keysOf(fields), path)
			d.lost[path] = true
			continue
		}
		if p.value.Tag == "!!null" {
			continue
		}
		given[p.key.Value] = true
		at := join(path, p.key.Value)
		before := len(d.problems)
		d.value(p.value, into.Field(fields[i].index), fields[i], at)
		d.unsound[at] = len(d.problems) > before
	}
	if !whole {
		d.lost[path] = true
		return
	}
	for _, f := range fields {
		if f.required && !given[f.key] {
			d.missing(node, f, path)
			d.unsound[join(path, f.key)] = true
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
	case strings.HasSuffix(path, ".from"):
		fix += ": one of " + strings.Join(FromKinds, ", ")
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
