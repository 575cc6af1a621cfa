// Package manifest reads what a Kubernetes resource is called from its YAML, and adds annotations to it by a splice in its
// text: all other bytes stay as they are.
//
// A document in plain block style, as nearly all are, is read by a scanner that looks at its lines (scan.go). Whatever that is not
// sure of is parsed, and spliced by the places of its nodes (nodes.go); where that cannot be done either, it is encoded anew.
// Both read names as kapp does (sigs.k8s.io/yaml, YAML 1.1): what is not a string, such as name: 123, is no name.
package manifest

import (
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

// Meta is what a resource is called.
type Meta struct {
	APIVersion, Kind, Namespace, Name, GenerateName string
	// Annotations are metadata.annotations; values that are no strings are given as they are written.
	Annotations map[string]string
}

// Annotation is a key and its value.
type Annotation struct{ Key, Value string }

// Manifest is a resource that was read.
type Manifest struct {
	Meta
	// Duplicates are the keys that stand in one mapping twice or more, of which kapp takes the last. Lines count from the
	// first of the text.
	Duplicates []problem.Position

	text []byte
	// splice is where the scanner found that annotations go; without it the text is parsed anew.
	splice *splice
}

// splice is a place in block style: before the line at offset.
type splice struct {
	offset int
	indent int
	// hasAnnotations says that the lines go below an annotations key that is there.
	hasAnnotations bool
	// step is how much deeper than their key annotations are indented.
	step int
	eol  string
}

// Read reads one document. The error is a problem.Problem, its line counting from the first of the text.
func Read(text []byte) (Manifest, error) {
	if manifest, sure := scan(text); sure {
		return manifest, nil
	}
	return readNodes(text)
}

// Annotate gives the text with the annotations added, or changed where they are there.
func (m Manifest) Annotate(annotations ...Annotation) []byte {
	if m.splice == nil {
		return annotateNodes(m.text, annotations)
	}
	for _, annotation := range annotations {
		if _, found := m.Annotations[annotation.Key]; found {
			return annotateNodes(m.text, annotations)
		}
	}
	return m.splice.into(m.text, annotations)
}

func (s *splice) into(text []byte, annotations []Annotation) []byte {
	var lines []byte
	indent := s.indent
	if !s.hasAnnotations {
		lines = append(appendSpaces(lines, indent), "annotations:"+s.eol...)
		indent += s.step
	}
	for _, annotation := range annotations {
		lines = append(appendSpaces(lines, indent), scalar(annotation.Key)+": "+scalar(annotation.Value)+s.eol...)
	}
	result := make([]byte, 0, len(text)+len(lines))
	result = append(result, text[:s.offset]...)
	result = append(result, lines...)
	return append(result, text[s.offset:]...)
}

func appendSpaces(to []byte, count int) []byte {
	for range count {
		to = append(to, ' ')
	}
	return to
}
