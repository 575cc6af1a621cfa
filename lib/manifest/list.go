package manifest

import (
	"bytes"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// Expand gives the items of a list, each as a document of its own, in order; isList is false for everything else, also for what
// is no YAML. A list is what kapp takes for one: it has items at its top, and they are a sequence
// (apimachinery, unstructured.IsList).
func Expand(text []byte) (items [][]byte, isList bool, err error) {
	if !mayBeList(text) {
		return nil, false, nil
	}
	root, _, err := parse(text)
	if err != nil {
		return nil, false, nil
	}
	list := last(follow(root), "items")
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, false, nil
	}
	for i, item := range list.Content {
		if follow(item).Kind != yaml.MappingNode {
			return nil, false, problem.Problem{
				Position: problem.Position{Line: item.Line, Column: item.Column},
				What:     fmt.Sprintf("item %d of the list is not a Kubernetes resource", i+1), Fix: "each item is a mapping with apiVersion, kind and metadata",
			}
		}
		encoded, err := encodeItem(follow(item))
		if err != nil {
			return nil, false, problem.Problem{Position: problem.Position{Line: item.Line, Column: item.Column}, What: fmt.Sprintf("item %d of the list: %s", i+1, err)}
		}
		items = append(items, encoded)
	}
	return items, true, nil
}

// encodeItem writes an item; what it shares with other items (aliases) is written out.
func encodeItem(item *yaml.Node) ([]byte, error) {
	if !hasAlias(item) {
		return encode(item)
	}
	var value any
	if err := item.Decode(&value); err != nil {
		return nil, err
	}
	return sigsyaml.Marshal(value)
}

func hasAlias(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return true
	}
	return slices.ContainsFunc(node.Content, hasAlias)
}

// mayBeList looks for the key without a parse: at the start of a line, or anywhere in a document in flow style.
func mayBeList(text []byte) bool {
	if bytes.HasPrefix(text, []byte("items:")) || bytes.Contains(text, []byte("\nitems:")) {
		return true
	}
	start := bytes.TrimLeft(text, " \t\r\n")
	isFlow := bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("#")) || bytes.HasPrefix(start, []byte("&")) || bytes.HasPrefix(start, []byte("!"))
	return (isFlow || bytes.Contains(text, []byte(`"items"`)) || bytes.Contains(text, []byte(`'items'`))) && bytes.Contains(text, []byte("items"))
}
