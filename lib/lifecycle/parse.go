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

	"carvel.dev/ytt/pkg/yamlmeta"
	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
)

const (
	// MaxSize is how many bytes a Lifecycle may have.
	MaxSize = 1 << 20
	// maxNodes is how many values it may have once aliases are followed.
	maxNodes = 100_000
)

// Parse reads one Lifecycle document. firstLine is the line of its file at which the text begins (1 for a whole file).
// It gives all problems at once, by place; with an error among them the Lifecycle is nil. metadata.name may be missing:
// the caller knows another name, or says what is wrong.
func Parse(file string, text []byte, firstLine int) (*Lifecycle, *Source, problem.List) {
	source := &Source{Text: text, file: file, offset: firstLine - 1}
	fail := func(at problem.Position, what, fix string) (*Lifecycle, *Source, problem.List) {
		return nil, source, problem.List{{Position: at, What: what, Fix: fix}}
	}
	start := source.at(nil)
	if len(text) > MaxSize {
		return fail(start, fmt.Sprintf("the Lifecycle is larger than %d KiB", MaxSize>>10), "keep scripts in a ConfigMap of the app")
	}
	if at := tabIndent(text); at > 0 {
		start.Line = at + source.offset
		return fail(start, "a tab stands in the indentation", "YAML wants spaces")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
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
	if nodes := maxNodes; !fits(source.root, &nodes) {
		return fail(source.at(source.root), fmt.Sprintf("the Lifecycle has more than %d values once its aliases are followed", maxNodes), "use fewer aliases")
	}
	// The ytt program reads the same text with ytt's own parser.
	if _, err := yamlmeta.NewParser(yamlmeta.ParserOpts{WithoutComments: true}).ParseBytes(text, file); err != nil {
		return fail(source.yamlError(err))
	}

	d := &decoding{source: source}
	lifecycle := &Lifecycle{}
	d.version()
	d.mapping(source.root, reflect.ValueOf(lifecycle).Elem(), "")
	if problems := problem.List(d.problems); problems.Err() == nil {
		d.check(lifecycle)
	}
	problems := problem.List(d.problems)
	problems.Sort()
	if problems.Err() != nil {
		return nil, source, problems
	}
	return lifecycle, source, problems
}

// tabIndent gives the first line that is indented with a tab, or 0. Inside a block scalar the parser decides.
func tabIndent(text []byte) int {
	for i, line := range bytes.Split(text, []byte("\n")) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if rest := line[len(indent):]; len(bytes.TrimSpace(rest)) > 0 && bytes.HasPrefix(indent, []byte("\t")) && rest[0] != '#' {
			return i + 1
		}
	}
	return 0
}

var yamlLine = regexp.MustCompile(`(?:^yaml: )?line (\d+): `)

// yamlError words a parser's message as one of ours.
func (s *Source) yamlError(err error) (problem.Position, string, string) {
	at := problem.Position{File: s.file, Line: 1 + s.offset, Column: 1}
	message := err.Error()
	if found := yamlLine.FindStringSubmatch(message); found != nil {
		line, _ := strconv.Atoi(found[1])
		at.Line = line + s.offset
		message = strings.Replace(message, found[0], "", 1)
	}
	return at, "it is not YAML: " + strings.TrimPrefix(message, "yaml: "), "look at this line and the one before for indentation, quotes and colons"
}

// fits counts the values under a node, following aliases, down from what is left.
func fits(node *yaml.Node, left *int) bool {
	*left--
	if *left < 0 {
		return false
	}
	if node.Kind == yaml.AliasNode {
		return fits(node.Alias, left)
	}
	for _, child := range node.Content {
		if !fits(child, left) {
			return false
		}
	}
	return true
}
