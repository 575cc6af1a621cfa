package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// parse gives the root node of one document. Where yaml.v3 cannot read what kapp's parser can, it is
// read by that and written anew, so that there is a node for everything that kapp deploys.
func parse(text []byte) (root *yaml.Node, rewritten []byte, err error) {
	var document, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err = decoder.Decode(&document)
	if err == nil {
		if again := decoder.Decode(&more); again != nil && !errors.Is(again, io.EOF) {
			return nil, nil, yamlError(text, again)
		} else if again == nil {
			return nil, nil, problem.Problem{Position: problem.Position{Line: max(more.Line, 1), Column: 1}, What: "a document ends here and another begins without ---", Fix: "write --- before it"}
		}
		if len(document.Content) == 1 {
			return document.Content[0], text, nil
		}
		return nil, nil, problem.Problem{Position: problem.Position{Line: 1, Column: 1}, What: "the document holds nothing", Fix: "leave it out"}
	}
	var value any
	if sigsErr := sigsyaml.Unmarshal(text, &value); sigsErr == nil {
		if rewritten, sigsErr = sigsyaml.Marshal(value); sigsErr == nil {
			if root, _, again := parse(rewritten); again == nil {
				return root, rewritten, nil
			}
		}
	}
	return nil, nil, yamlError(text, err)
}

var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)

var yamlLine = regexp.MustCompile(`line (\d+): `)

// yamlError words a parser's message as one of ours.
func yamlError(text []byte, err error) error {
	for i, line := range bytes.Split(text, []byte("\n")) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.Contains(indent, []byte("\t")) && len(bytes.TrimSpace(line)) > 0 {
			return problem.Problem{Position: problem.Position{Line: i + 1, Column: 1}, What: "a tab stands in the indentation", Fix: "YAML wants spaces"}
		}
	}
	at := problem.Position{Line: 1, Column: 1}
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if found := yamlLine.FindStringSubmatch(message); found != nil {
		at.Line, _ = strconv.Atoi(found[1])
		message = strings.Replace(message, found[0], "", 1)
	}
	if found := unknownAnchor.FindStringSubmatch(message); found != nil {
		if offset := bytes.Index(text, []byte("*"+found[1])); offset >= 0 {
			at.Line = 1 + bytes.Count(text[:offset], []byte("\n"))
			at.Column = offset - bytes.LastIndexByte(text[:offset], '\n')
		}
		return problem.Problem{Position: at, What: "there is no anchor &" + found[1] + " in this document", Fix: "anchors do not reach into other documents: write it out"}
	}
	return problem.Problem{Position: at, What: "it is not YAML: " + message, Fix: "look at this line and the one before for indentation, quotes and colons"}
}

func readNodes(text []byte) (Manifest, error) {
	root, rewritten, err := parse(text)
	if err != nil {
		return Manifest{}, err
	}
	root = follow(root)
	if root.Kind != yaml.MappingNode {
		return Manifest{}, problem.Problem{
			Position: problem.Position{Line: max(root.Line, 1), Column: max(root.Column, 1)},
			What:     "the document is not a Kubernetes resource", Fix: "each document is a mapping with apiVersion, kind and metadata",
		}
	}
	m := Manifest{text: rewritten}
	if len(rewritten) > 0 && &rewritten[0] == &text[0] {
		m.Duplicates = duplicates(root, 0)
	}
	metadata := last(root, "metadata")
	m.APIVersion, m.Kind = stringOf(last(root, "apiVersion")), stringOf(last(root, "kind"))
	m.Name, m.Namespace, m.GenerateName = stringOf(last(metadata, "name")), stringOf(last(metadata, "namespace")), stringOf(last(metadata, "generateName"))
	annotations := last(metadata, "annotations")
	if annotations != nil && annotations.Kind != yaml.MappingNode && annotations.Tag != "!!null" {
		return Manifest{}, problem.Problem{
			Position: problem.Position{Line: max(annotations.Line, 1), Column: max(annotations.Column, 1)},
			What:     "metadata.annotations is no mapping", Fix: "write key: value below it",
		}
	}
	if annotations != nil && annotations.Kind == yaml.MappingNode {
		m.Annotations = make(map[string]string, len(annotations.Content)/2)
		for i := 0; i+1 < len(annotations.Content); i += 2 {
			if value := follow(annotations.Content[i+1]); value.Kind == yaml.ScalarNode {
				m.Annotations[annotations.Content[i].Value] = value.Value
			}
		}
	}
	return m, nil
}

func follow(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// last gives the value of a key, of several the last, as kapp does.
func last(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil
	}
	var found *yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			found = follow(mapping.Content[i+1])
		}
	}
	return found
}

// stringOf gives the text of a node that YAML 1.1 takes for a string.
func stringOf(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		return ""
	}
	if node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 && words.MatchString(node.Value) {
		return ""
	}
	return node.Value
}

func duplicates(node *yaml.Node, depth int) []problem.Position {
	var found []problem.Position
	if depth > 1000 {
		return nil
	}
	if node.Kind == yaml.MappingNode {
		seen := make(map[string]bool, len(node.Content)/2)
		for i := 0; i < len(node.Content); i += 2 {
			if key := node.Content[i]; key.Kind == yaml.ScalarNode {
				if seen[key.Value] && key.Tag != "!!merge" {
					found = append(found, problem.Position{Line: key.Line, Column: key.Column})
				}
				seen[key.Value] = true
			}
		}
	}
	for _, child := range node.Content {
		if child.Kind != yaml.AliasNode {
			found = append(found, duplicates(child, depth+1)...)
		}
	}
	return found
}

// annotateNodes splices by the places of nodes, and where that is not possible, or not right, encodes anew.
func annotateNodes(text []byte, annotations []Annotation) []byte {
	want, readable := annotatedValue(text, annotations)
	if spliced := spliceNodes(text, annotations); spliced != nil {
		ended := spliced
		if !bytes.HasSuffix(ended, []byte("\n")) {
			// A block scalar may end in the line end that the stream adds; then it must be written in another way.
			ended = append(bytes.Clone(spliced), '\n')
		}
		var got any
		if err := sigsyaml.Unmarshal(ended, &got); err == nil && (!readable || reflect.DeepEqual(got, want)) {
			return spliced
		}
	}
	if readable {
		if encoded := encodeNodes(text, annotations); encoded != nil {
			var got any
			if err := sigsyaml.Unmarshal(encoded, &got); err == nil && reflect.DeepEqual(got, want) {
				return encoded
			}
		}
		if encoded, err := sigsyaml.Marshal(want); err == nil {
			return encoded
		}
	}
	return encodeNodes(text, annotations)
}

// annotatedValue is what kapp is to read.
func annotatedValue(text []byte, annotations []Annotation) (any, bool) {
	var value map[string]any
	if err := sigsyaml.Unmarshal(text, &value); err != nil || value == nil {
		return nil, false
	}
	metadata, ok := value["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		value["metadata"] = metadata
	}
	all, ok := metadata["annotations"].(map[string]any)
	if !ok {
		all = map[string]any{}
		metadata["annotations"] = all
	}
	for _, annotation := range annotations {
		all[annotation.Key] = annotation.Value
	}
	return value, true
}

// spliceNodes gives the text with annotations spliced in, or nil where it finds no place.
func spliceNodes(text []byte, annotations []Annotation) []byte {
	root, rewritten, err := parse(text)
	if err != nil || bytes.ContainsAny(text, "\u0085\u2028\u2029") || bytes.Count(text, []byte("\r")) != bytes.Count(text, []byte("\r\n")) {
		return nil
	}
	text = rewritten
	metadata := only(root, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode || metadata.Anchor != "" {
		return nil
	}
	own := only(metadata, "annotations")
	switch {
	case own == nil && last(metadata, "annotations") != nil:
		return nil
	case own == nil:
		return at(text, metadata, annotations, false)
	case own.Kind == yaml.MappingNode && own.Anchor == "":
		for _, annotation := range annotations {
			if last(own, annotation.Key) != nil {
				return nil
			}
		}
		return at(text, own, annotations, true)
	case own.Kind == yaml.ScalarNode && own.Tag == "!!null" && own.Value != "":
		offset := offsetOf(text, own)
		if offset < 0 || !bytes.HasPrefix(text[offset:], []byte(own.Value)) {
			return nil
		}
		return insert(text[:offset], "{"+flowPairs(annotations)+"}", text[offset+len(own.Value):])
	}
	return nil
}

// only gives the value of a key that stands once and is no alias.
func only(mapping *yaml.Node, key string) *yaml.Node {
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	var found *yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			if found != nil || mapping.Content[i+1].Kind == yaml.AliasNode {
				return nil
			}
			found = mapping.Content[i+1]
		}
	}
	return found
}

// at splices into a mapping: metadata, or annotations itself.
func at(text []byte, mapping *yaml.Node, annotations []Annotation, isAnnotations bool) []byte {
	if mapping.Style&yaml.FlowStyle != 0 {
		offset := offsetOf(text, mapping)
		if offset < 0 || text[offset] != '{' {
			return nil
		}
		pairs := flowPairs(annotations)
		if !isAnnotations {
			pairs = `"annotations": {` + pairs + "}"
		}
		if len(mapping.Content) > 0 {
			pairs += ", "
		}
		return insert(text[:offset+1], pairs, text[offset+1:])
	}
	if len(mapping.Content) == 0 {
		return nil
	}
	first := mapping.Content[0]
	offset := offsetOf(text, first)
	if offset < 0 {
		return nil
	}
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	if len(bytes.Trim(text[start:offset], " ")) > 0 || offset == start {
		return nil
	}
	place := splice{offset: start, indent: offset - start, hasAnnotations: isAnnotations, step: offset - start, eol: "\n"}
	if end := bytes.IndexByte(text[offset:], '\n'); end > 0 && text[offset+end-1] == '\r' {
		place.eol = "\r\n"
	}
	return place.into(text, annotations)
}

func flowPairs(annotations []Annotation) string {
	pairs := make([]string, len(annotations))
	for i, annotation := range annotations {
		pairs[i] = fmt.Sprintf("%s: %s", quoted(annotation.Key), quoted(annotation.Value))
	}
	return strings.Join(pairs, ", ")
}

func insert(before []byte, middle string, after []byte) []byte {
	result := make([]byte, 0, len(before)+len(middle)+len(after))
	result = append(result, before...)
	result = append(result, middle...)
	return append(result, after...)
}

// offsetOf turns a node's line and column, which counts characters, into an offset; -1 where there is none.
func offsetOf(text []byte, node *yaml.Node) int {
	offset := 0
	for range node.Line - 1 {
		next := bytes.IndexByte(text[offset:], '\n')
		if next < 0 {
			return -1
		}
		offset += next + 1
	}
	column := 1
	for i := range string(text[offset:]) {
		if column == node.Column {
			return offset + i
		}
		column++
	}
	return -1
}

// encodeNodes writes the document anew; nil where yaml.v3 cannot.
func encodeNodes(text []byte, annotations []Annotation) []byte {
	root, _, err := parse(text)
	if err != nil || root.Kind != yaml.MappingNode {
		return nil
	}
	mapping := child(root, "metadata")
	mapping = child(mapping, "annotations")
	for _, annotation := range annotations {
		value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: annotation.Value}
		set := false
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if mapping.Content[i].Value == annotation.Key {
				mapping.Content[i+1], set = value, true
			}
		}
		if !set {
			mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: annotation.Key}, value)
		}
	}
	encoded, err := encode(root)
	if err != nil {
		return nil
	}
	return encoded
}

// child gives the mapping below a key, a copy of its own where others share it.
func child(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != key {
			continue
		}
		found := follow(mapping.Content[i+1])
		if found.Kind == yaml.MappingNode && mapping.Content[i+1].Kind != yaml.AliasNode {
			return found
		}
		fresh := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if found.Kind == yaml.MappingNode {
			fresh.Content = append(fresh.Content, found.Content...)
		}
		mapping.Content[i+1] = fresh
		return fresh
	}
	fresh := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, fresh)
	return fresh
}

func encode(node *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}
