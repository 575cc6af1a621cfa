package lifecycle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"carvel.dev/ytt/pkg/yamlmeta"
	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

const (
	// MaxSize is how many bytes a Lifecycle may have.
	MaxSize = 1 << 20
	// maxNodes and maxBytes are how many values it may have, and how much text in them, once aliases are followed.
	maxNodes = 100_000
	maxBytes = 4 << 20
)

// Parse reads one Lifecycle document. firstLine is the line of its file at which the text begins (1 for a whole file).
// It gives all problems at once, by place; with an error among them the Lifecycle is nil. metadata.name may be missing:
// the caller knows another name, or says what is wrong.
func Parse(file string, text []byte, firstLine int) (*Lifecycle, *Source, problem.List) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // a byte order mark, which ytt does not know
	source := &Source{Text: text, file: file, offset: firstLine - 1}
	fail := func(at problem.Position, what, fix string) (*Lifecycle, *Source, problem.List) {
		return nil, source, problem.List{{Position: at, What: what, Fix: fix}}
	}
	start := source.at(nil)
	if len(text) > MaxSize {
		return fail(start, fmt.Sprintf("the Lifecycle is larger than %d KiB", MaxSize>>10), "keep scripts in a ConfigMap of the app")
	}
	if at := oddEnd.FindIndex(text); at != nil {
		sign, _ := utf8.DecodeRune(text[at[0]:])
		return fail(source.after(text[:at[0]]), fmt.Sprintf("a line ends with %U", sign), "end lines with a newline; within a value in double quotes it can be written as an escape")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) || err == nil && (len(document.Content) == 0 || document.Content[0].Tag == "!!null") {
		return fail(start, "the Lifecycle is empty", "write apiVersion, kind, metadata and spec")
	} else if err != nil {
		return fail(source.yamlError(err))
	}
	if err := decoder.Decode(&more); err == nil {
		return fail(source.at(&more), "a Lifecycle is one document, and here another begins", "move it to the app's manifests")
	}
	source.root = document.Content[0]
	if source.root.Kind != yaml.MappingNode {
		return fail(source.at(source.root), "a Lifecycle is a mapping", "write apiVersion, kind, metadata and spec")
	}
	size := expansion{nodes: maxNodes, bytes: maxBytes, open: map[*yaml.Node]bool{}}
	if at, what := size.excess(source.root); at != nil {
		return fail(source.at(at), what, "write out what the aliases stand for")
	}
	// The ytt program reads the same text with ytt's own parser.
	if _, err := yamlmeta.NewParser(yamlmeta.ParserOpts{WithoutComments: true}).ParseBytes(text, file); err != nil {
		return fail(source.yamlError(err))
	}

	d := &decoding{source: source, unsound: map[string]bool{}, lost: map[string]bool{}}
	lifecycle := &Lifecycle{}
	if d.header() {
		d.mapping(source.root, reflect.ValueOf(lifecycle).Elem(), "")
		d.check(lifecycle)
	}
	problems := once(d.problems)
	problems.Sort()
	if problems.Err() != nil {
		return nil, source, problems
	}
	return lifecycle, source, problems
}

// oddEnd matches ends of lines that YAML has beside newlines. ytt's parser panics at them (carvel.dev/ytt v0.53.0,
// pkg/yamlmeta/parser.go, which looks for the lines of nodes in a text that it has split at newlines only).
var oddEnd = regexp.MustCompile(`\r(?:[^\n]|\z)|[\x{85}\x{2028}\x{2029}]`)

// once drops repetitions: what is wrong at an anchor is found again at each of its aliases.
func once(all problem.List) problem.List {
	var rest problem.List
	seen := map[problem.Problem]bool{}
	for _, one := range all {
		if !seen[one] {
			rest = append(rest, one)
		}
		seen[one] = true
	}
	return rest
}

var yamlLine = regexp.MustCompile(`(?:^yaml: )?line (\d+): `)

// yamlError words a parser's message as one of ours.
func (s *Source) yamlError(err error) (problem.Position, string, string) {
	at := problem.Position{File: s.file, Line: 1 + s.offset, Column: 1}
	message := err.Error()
	if found := yamlLine.FindStringSubmatch(message); found != nil {
		line, _ := strconv.Atoi(found[1])
		if tab := s.tabNear(line); tab > 0 {
			at.Line = tab + s.offset
			return at, "a tab stands in the indentation", "YAML wants spaces"
		}
		at.Line = max(line, 1) + s.offset
		message = strings.Replace(message, found[0], "", 1)
	}
	return at, "it is not YAML: " + strings.TrimPrefix(message, "yaml: "), "look at this line and the one before for indentation, quotes and colons"
}

// tabNear gives the line of a tab in the indentation where a parser gave up, or 0. Elsewhere, as in JSON, tabs may be.
func (s *Source) tabNear(line int) int {
	lines := bytes.Split(s.Text, []byte("\n"))
	for _, number := range []int{line, line + 1, line - 1} {
		if number < 1 || number > len(lines) {
			continue
		}
		rest := bytes.TrimLeft(lines[number-1], " \t")
		if indent := lines[number-1][:len(lines[number-1])-len(rest)]; bytes.Contains(indent, []byte("\t")) && len(bytes.TrimSpace(rest)) > 0 {
			return number
		}
	}
	return 0
}

// expansion is how much may still come when aliases are followed. open holds the anchors that one is within.
type expansion struct {
	nodes, bytes int
	open         map[*yaml.Node]bool
}

// excess counts the values at and below a node. Where they are too many it gives the node at which it gave up, and why.
func (e *expansion) excess(node *yaml.Node) (*yaml.Node, string) {
	from := node
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	e.nodes--
	e.bytes -= len(node.Value)
	switch {
	case e.open[node]:
		return from, "the alias " + quote(from.Value) + " stands within its own anchor"
	case e.nodes < 0:
		return from, fmt.Sprintf("the Lifecycle has more than %d values once its aliases are followed", maxNodes)
	case e.bytes < 0:
		return from, fmt.Sprintf("the Lifecycle is larger than %d KiB once its aliases are followed", maxBytes>>10)
	case len(node.Content) == 0:
		return nil, ""
	}
	e.open[node] = true
	defer delete(e.open, node)
	for _, child := range node.Content {
		if at, what := e.excess(child); at != nil {
			return at, what
		}
	}
	return nil, ""
}
