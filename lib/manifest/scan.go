package manifest

import (
	"bytes"
	"strings"
)

// scanner walks over the lines of a document in plain block style. It gives up at anything that it does not
// fully understand, so that what it says is what a parser would say.
type scanner struct {
	text []byte
	// levels are the open mappings, outermost first, each with the keys seen in it.
	levels []level
	meta   Meta
	top    string
	// metadata and annotations are the indents of these mappings' keys, or -1.
	metadata, annotations int
	inAnnotations         bool
	// leaf is the column of the node that the line before ended, or -1: what is deeper would continue it.
	leaf   int
	splice splice
	found  bool
}

type level struct {
	indent int
	keys   []string
}

// maxKeys is how many keys of one mapping are compared with each other; a longer one is left to the parser.
const maxKeys = 200

// scan reads a document; sure is false where it has to be parsed.
func scan(text []byte) (Manifest, bool) {
	s := scanner{text: text, metadata: -1, annotations: -1, leaf: -1}
	if bytes.IndexByte(text, '\n') < 0 || text[len(text)-1] != '\n' || !s.lines() || !s.found {
		return Manifest{}, false
	}
	return Manifest{Meta: s.meta, text: text, splice: &s.splice}, true
}

func (s *scanner) lines() bool {
	// block is the indent that the lines of an open block scalar exceed, or -1.
	block := -1
	for at := 0; at < len(s.text); {
		end := bytes.IndexByte(s.text[at:], '\n') + at
		line := s.text[at:end]
		eol := "\n"
		if bytes.HasSuffix(line, []byte("\r")) {
			line = line[:len(line)-1]
			eol = "\r\n"
		}
		start := at
		at = end + 1

		indent := 0
		for indent < len(line) && line[indent] == ' ' {
			indent++
		}
		rest := line[indent:]
		switch {
		case len(rest) == 0:
			continue
		case block >= 0 && indent > block:
			continue
		case rest[0] == '\t' || !printable(rest):
			return false
		case rest[0] == '#':
			block = -1
			continue
		}
		next, ok := s.line(start, indent, string(rest), eol)
		if !ok {
			return false
		}
		block = next
	}
	return true
}

// printable refuses what parsers differ about: control characters, other line ends, byte order marks.
func printable(line []byte) bool {
	for i, b := range line {
		if b < ' ' && b != '\t' || b == 0x7f {
			return false
		}
		// U+0085, U+2028, U+2029 and U+FEFF begin with these bytes.
		if b == 0xc2 && i+1 < len(line) && line[i+1] < 0xa0 || b == 0xe2 && i+1 < len(line) && line[i+1] == 0x80 || b == 0xef {
			return false
		}
	}
	return true
}

// line takes one line of content; it gives the indent that a block scalar beginning on it exceeds, or -1.
func (s *scanner) line(start, indent int, rest, eol string) (block int, ok bool) {
	if s.leaf >= 0 && indent > s.leaf {
		return 0, false
	}
	s.leaf = -1
	isItem := false
	column := indent
	for strings.HasPrefix(rest, "- ") || rest == "-" {
		isItem = true
		s.close(column)
		inner := strings.TrimLeft(rest[1:], " ")
		if inner == "" || inner[0] == '#' {
			return -1, s.metadataAllows(indent)
		}
		column += len(rest) - len(inner)
		rest = inner
	}
	if isItem && !s.metadataAllows(indent) {
		return 0, false
	}
	key, value, isPair := cut(rest)
	if !isPair {
		// An item that is a scalar; what continues a scalar of the line before is left to the parser.
		return s.value(rest, column-1, isItem && !strings.HasPrefix(rest, "? "))
	}
	if !isItem && indent == 0 {
		s.top = key
	}
	if !s.open(column, key) {
		return 0, false
	}
	if s.top == "metadata" && !isItem && !s.inMetadata(start, indent, key, value, eol) {
		return 0, false
	}
	if column == 0 {
		switch key {
		case "apiVersion":
			s.meta.APIVersion, ok = text(value)
		case "kind":
			s.meta.Kind, ok = text(value)
		case "metadata":
			ok = value == ""
		default:
			ok = true
		}
		if !ok {
			return 0, false
		}
	}
	return s.value(value, column, true)
}

// metadataAllows keeps sequences out of what is read of metadata.
func (s *scanner) metadataAllows(indent int) bool {
	return indent > 0 && !s.inAnnotations || indent == 0 && s.top != "" && s.top != "metadata"
}

// close ends the mappings that are deeper than a new item's dash.
func (s *scanner) close(column int) {
	for len(s.levels) > 0 && s.levels[len(s.levels)-1].indent > column {
		s.levels = s.levels[:len(s.levels)-1]
	}
}

// open notes a key of the mapping at a column; it is false for one that is there already, and where no mapping can be.
func (s *scanner) open(column int, key string) bool {
	deeper := len(s.levels)
	for deeper > 0 && s.levels[deeper-1].indent > column {
		deeper--
	}
	s.levels = s.levels[:deeper]
	if deeper == 0 || s.levels[deeper-1].indent < column {
		if deeper == 0 && column != 0 {
			return false
		}
		s.levels = append(s.levels, level{indent: column, keys: []string{key}})
		return true
	}
	last := &s.levels[deeper-1]
	for _, other := range last.keys {
		if other == key {
			return false
		}
	}
	last.keys = append(last.keys, key)
	return len(last.keys) <= maxKeys
}

// inMetadata takes a line of metadata: its own keys, and those of annotations.
func (s *scanner) inMetadata(start, indent int, key, value, eol string) bool {
	switch {
	case indent == 0:
		return true
	case s.metadata < 0:
		s.metadata = indent
		s.splice = splice{offset: start, indent: indent, step: indent, eol: eol}
		s.found = true
	}
	ok := true
	switch {
	case indent == s.metadata:
		s.inAnnotations = false
		switch key {
		case "name":
			s.meta.Name, ok = text(value)
		case "namespace":
			s.meta.Namespace, ok = text(value)
		case "generateName":
			s.meta.GenerateName, ok = text(value)
		case "annotations":
			// Without keys below it, it is null: the place is found only once one comes.
			s.inAnnotations, s.found = true, false
			ok = value == ""
		}
	case indent < s.metadata:
		return false
	case s.inAnnotations && (s.annotations < 0 || indent == s.annotations):
		if s.annotations < 0 {
			s.annotations = indent
			s.meta.Annotations = map[string]string{}
			s.splice = splice{offset: start, indent: indent, hasAnnotations: true, eol: eol}
			s.found = true
		}
		s.meta.Annotations[key], ok = text(value)
		if isBlock(value) {
			// A block scalar's text is not needed by anybody, but that the key is there.
			s.meta.Annotations[key], ok = "", !strings.HasPrefix(key, "kapp-lifecycle.dev/")
		}
	case s.inAnnotations:
		return false
	}
	return ok
}

// cut parts "key: value"; value is without a comment. It is no pair where the key is not plain, or quoted without escapes.
func cut(rest string) (key, value string, isPair bool) {
	if quote := rest[0]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(rest[1:], quote) + 1
		if end == 0 || end+1 >= len(rest) || rest[end+1] != ':' || strings.IndexByte(rest[:end], '\\') >= 0 {
			return "", "", false
		}
		key, rest = rest[1:end], rest[end+1:]
	} else {
		if strings.IndexByte("&*!|>%@`{}[],?#", rest[0]) >= 0 {
			return "", "", false
		}
		end := strings.Index(rest, ": ")
		if end < 0 {
			if !strings.HasSuffix(rest, ":") {
				return "", "", false
			}
			end = len(rest) - 1
		}
		key, rest = rest[:end], rest[end:]
		// Words for true, false and null, numbers and the like are keys that are no strings.
		if key == "" || strings.Contains(key, " #") || strings.HasSuffix(key, " ") || words.MatchString(key) || key[0] == '-' || key[0] == '~' || key[0] == '=' || key == "<<" {
			return "", "", false
		}
	}
	if rest != ":" && rest[1] != ' ' {
		return "", "", false
	}
	value = strings.TrimSpace(rest[1:])
	if strings.HasPrefix(value, "#") {
		value = ""
	}
	return key, value, true
}

func isBlock(value string) bool { return value != "" && (value[0] == '|' || value[0] == '>') }

// value looks at a value of which only the extent matters: it must end on its line, or be a block scalar. parent is the indent
// of the node that it belongs to.
func (s *scanner) value(value string, parent int, allowed bool) (block int, ok bool) {
	if !allowed {
		return 0, false
	}
	if value == "" {
		return -1, true
	}
	switch value[0] {
	case '|', '>':
		header, _, _ := strings.Cut(value, " #")
		return parent, strings.Trim(strings.TrimSpace(header[1:]), "+-123456789") == "" && len(header) <= 3
	case '"', '\'':
		s.leaf = max(parent, 0)
		_, ok := unquote(value)
		return -1, ok
	case '{', '[':
		s.leaf = max(parent, 0)
		return -1, flow(value)
	case '&', '*', '!', '%', '@', '`', ',', ']', '}', '?', '#':
		return 0, false
	}
	s.leaf = max(parent, 0)
	if value == "-" || strings.HasPrefix(value, "- ") {
		return 0, false
	}
	if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") || strings.Contains(value, "\t") {
		// Not one scalar; the parser says what it is.
		body, _, _ := strings.Cut(value, " #")
		if strings.Contains(body, ": ") || strings.HasSuffix(body, ":") || strings.Contains(body, "\t") {
			return 0, false
		}
	}
	return -1, true
}

// flow says whether a flow collection ends on its line and holds nothing that needs a parser.
func flow(value string) bool {
	depth := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				rest := strings.TrimLeft(value[i+1:], " ")
				return rest == "" || rest[0] == '#' && value[i+1] == ' '
			}
		case '"', '\'':
			end := i + 1
			for end < len(value) && value[end] != value[i] {
				if value[end] == '\\' && value[i] == '"' {
					end++
				}
				end++
			}
			i = end
		case '&', '*', '!', '|', '>', '%', '@', '`', '#', '?', '\t', '<':
			return false
		}
	}
	return false
}

// unquote reads a quoted scalar that ends on its line, without escapes but two quotes for one in single quotes; nothing but a comment may follow.
func unquote(value string) (string, bool) {
	quote := value[0]
	for i := 1; i < len(value); i++ {
		switch {
		case quote == '"' && value[i] == '\\':
			i++
		case value[i] == quote:
			if quote == '\'' && i+1 < len(value) && value[i+1] == '\'' {
				i++
				continue
			}
			rest := strings.TrimLeft(value[i+1:], " ")
			if rest != "" && (rest[0] != '#' || value[i+1] != ' ') {
				return "", false
			}
			return value[1:i], true
		}
	}
	return "", false
}

// text reads a value of one line that is a string; what is none, or may be none, is left to the parser.
func text(value string) (string, bool) {
	if value == "" {
		return "", false
	}
	if value[0] == '"' || value[0] == '\'' {
		inner, ok := unquote(value)
		if quote := value[0]; ok && (quote == '"' && strings.IndexByte(inner, '\\') >= 0 || quote == '\'' && strings.Contains(inner, "''")) {
			return "", false
		}
		return inner, ok
	}
	if comment := strings.Index(value, " #"); comment >= 0 {
		value = strings.TrimRight(value[:comment], " ")
	}
	first := value[0]
	if !(first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z' || first == '/') || words.MatchString(value) {
		return "", false
	}
	return value, true
}
