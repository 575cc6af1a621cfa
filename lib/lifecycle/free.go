package lifecycle

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// free takes what Kubernetes defines as it is. Checked is its outermost shape, and what Kubernetes could not read: keys
// that are no text, or stand twice.
func (d *decoding) free(node *yaml.Node, into reflect.Value, path string) {
	before := len(d.problems)
	switch {
	case into.Kind() == reflect.Slice:
		if !d.isList(node, path) {
			return
		}
		for i, item := range node.Content {
			if item = resolved(item); item.Kind != yaml.MappingNode {
				d.report(item, fmt.Sprintf("%s[%d] is %s, and must be a mapping", path, i, kindOf(item)), "write its keys, such as name")
			}
		}
	case node.Kind != yaml.MappingNode:
		d.report(node, place(path)+" is "+kindOf(node)+", and must be a mapping", "write its keys below it")
		return
	case into.Type().Elem().Kind() == reflect.String:
		d.texts(node, path)
	}
	d.keys(node)
	if len(d.problems) > before {
		return
	}
	if err := node.Decode(into.Addr().Interface()); err != nil {
		d.report(node, place(path)+" cannot be read: "+strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n ", ""), "")
	}
}

// keys checks the keys of all mappings at and below a node.
func (d *decoding) keys(node *yaml.Node) {
	if node.Kind == yaml.MappingNode {
		pairs, _ := d.pairs(node)
		for _, p := range pairs {
			d.isString(p.key, "the key "+quote(p.key.Value))
		}
	}
	// An alias has no content: what it means is checked at its anchor.
	for _, child := range node.Content {
		d.keys(child)
	}
}

// texts checks the values of a mapping of text to text, such as labels.
func (d *decoding) texts(node *yaml.Node, path string) {
	if node == nil || node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		d.isString(resolved(node.Content[i+1]), "the value of "+quote(resolved(node.Content[i]).Value)+" in "+path)
	}
}
