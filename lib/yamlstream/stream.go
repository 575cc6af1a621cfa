// Package yamlstream parts a YAML stream into its documents, as text, and joins documents to a stream that kapp reads.
//
// It parses nothing: YAML forbids a line that begins with --- or ... and a white space inside a document, even in a block
// scalar, so that looking at the beginnings of lines is enough.
package yamlstream

import (
	"bytes"
	"io"
)

// Document is the text of one document, without its marker.
type Document struct {
	// Text is a part of the stream, not a copy; its lines end as they ended there.
	Text []byte
	// Line is the line of the stream, from 1, on which Text begins.
	Line int
}

var bom = []byte("\xef\xbb\xbf")

// Empty says whether the document holds nothing but white space, comments and directives (%TAG).
func (d Document) Empty() bool {
	rest := d.Text
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// Split gives the documents of a stream, also those that are Empty. What stands behind --- on its line belongs to the
// document. Byte order marks and directives (%YAML) are dropped; kapp reads neither.
func Split(stream []byte) []Document {
	var documents []Document
	start, line, startLine := 0, 1, 1
	add := func(end int) {
		documents = append(documents, document(stream[start:end], startLine))
	}
	for at := 0; at < len(stream); line++ {
		end := len(stream)
		if next := bytes.IndexByte(stream[at:], '\n'); next >= 0 {
			end = at + next + 1
		}
		begin := at
		if bytes.HasPrefix(stream[at:end], bom) {
			begin += len(bom)
		}
		if isMarker(stream[begin:end]) {
			add(at)
			if rest := bytes.TrimSpace(stream[begin+3 : end]); stream[begin] == '-' && len(rest) > 0 && rest[0] != '#' {
				start, startLine = begin+3, line
			} else {
				start, startLine = end, line+1
			}
		}
		at = end
	}
	add(len(stream))
	return documents
}

func isMarker(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return false
	}
	return len(line) == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r' || line[3] == '\n'
}

// document drops what may stand before a document's content, but for comments.
func document(text []byte, line int) Document {
	text = bytes.TrimPrefix(text, bom)
	for bytes.HasPrefix(text, []byte("%YAML")) {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			end = len(text) - 1
		}
		text = text[end+1:]
		line++
	}
	return Document{Text: text, Line: line}
}

// Join writes the documents as a stream, each after a --- on a line of its own, which is all that kapp takes for one
// (k8s.io/apimachinery pkg/util/yaml, YAMLReader), and sees to a line end at the end of each.
func Join(w io.Writer, documents [][]byte) error {
	for _, text := range documents {
		parts := [][]byte{[]byte("---\n"), text}
		if !bytes.HasSuffix(text, []byte("\n")) {
			parts = append(parts, []byte("\n"))
		}
		for _, part := range parts {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
	return nil
}
