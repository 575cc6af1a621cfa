package lifecycle

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// Source is the text that a Lifecycle was read from; it knows where its parts stand.
type Source struct {
	// Text is the document as it was read.
	Text []byte

	file   string
	offset int
	root   *yaml.Node
}

// Position gives the place of a path such as spec.hooks[2].from.name; where nothing stands there, of the nearest above.
// Of a mapping or a sequence it is the place of its key.
func (s *Source) Position(path string) problem.Position {
	place, _ := s.find(path)
	return place
}

// value gives what stands at a path, or nil.
func (s *Source) value(path string) *yaml.Node {
	_, value := s.find(path)
	return value
}

func (s *Source) find(path string) (problem.Position, *yaml.Node) {
	at := resolved(s.root)
	place := s.at(at)
	for _, step := range steps(path) {
		var next *yaml.Node
		if index, err := strconv.Atoi(step); err == nil && at != nil && at.Kind == yaml.SequenceNode {
			if index >= 0 && index < len(at.Content) {
				next = at.Content[index]
				place = s.at(next)
			}
		} else if key, value := entry(at, step); key != nil {
			next = value
			place = s.at(key)
			if value.Kind == yaml.ScalarNode && value.Tag != "!!null" {
				place = s.at(value)
			}
		}
		if next == nil {
			return place, nil
		}
		at = resolved(next)
	}
	return place, at
}

func (s *Source) at(node *yaml.Node) problem.Position {
	if node == nil || node.Line == 0 {
		return problem.Position{File: s.file, Line: 1 + s.offset, Column: 1}
	}
	return problem.Position{File: s.file, Line: node.Line + s.offset, Column: node.Column}
}

// after gives the place at which a beginning of the text ends.
func (s *Source) after(beginning []byte) problem.Position {
	line := beginning[bytes.LastIndexByte(beginning, '\n')+1:]
	return problem.Position{File: s.file, Line: bytes.Count(beginning, []byte("\n")) + 1 + s.offset, Column: utf8.RuneCount(line) + 1}
}

// steps parts a path: spec.hooks[2] is spec, hooks, 2.
func steps(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

func entry(mapping *yaml.Node, key string) (keyNode, valueNode *yaml.Node) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if resolved(mapping.Content[i]).Value == key {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

func resolved(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}
