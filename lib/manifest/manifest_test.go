package manifest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
)

var group = Annotation{"kapp.k14s.io/change-group.kapp-lifecycle", "app.kapp-lifecycle.dev/workloads"}

const added = "kapp.k14s.io/change-group.kapp-lifecycle: app.kapp-lifecycle.dev/workloads"

var splices = []struct{ name, text, want string }{
	{"no annotations", "kind: A\nmetadata:\n  name: a # why\n", "kind: A\nmetadata:\n  annotations:\n    " + added + "\n  name: a # why\n"},
	{"four spaces", "kind: A\nmetadata:\n    name: a\n", "kind: A\nmetadata:\n    annotations:\n        " + added + "\n    name: a\n"},
	{"annotations", "metadata:\n  annotations:\n    # first\n    a: b\n  name: a\n", "metadata:\n  annotations:\n    # first\n    " + added + "\n    a: b\n  name: a\n"},
	{"CRLF", "metadata:\r\n  name: a\r\n", "metadata:\r\n  annotations:\r\n    " + added + "\r\n  name: a\r\n"},
	{"annotations null", "metadata:\n  annotations: null # none\n  name: a\n", "metadata:\n  annotations: {\"" + strings.Replace(added, ": ", "\": \"", 1) + "\"} # none\n  name: a\n"},
	{"annotations tilde", "metadata:\n  annotations: ~\n  name: a\n", "metadata:\n  annotations: {\"" + strings.Replace(added, ": ", "\": \"", 1) + "\"}\n  name: a\n"},
	{"annotations empty", "metadata:\n  annotations: {}\n  name: a\n", "metadata:\n  annotations: {\"" + strings.Replace(added, ": ", "\": \"", 1) + "\"}\n  name: a\n"},
	{"annotations nothing", "metadata:\n  annotations:\n  name: a\n", "metadata:\n  annotations:\n    " + added + "\n  name: a\n"},
	{"flow metadata", "metadata: {name: a} # why\n", "metadata: {\"annotations\": {\"" + strings.Replace(added, ": ", "\": \"", 1) + "\"}, name: a} # why\n"},
	{"flow annotations", "metadata:\n  name: ä\n  annotations: {a: b}\n", "metadata:\n  name: ä\n  annotations: {\"" + strings.Replace(added, ": ", "\": \"", 1) + "\", a: b}\n"},
	{"JSON", `{"kind":"A","metadata":{"name":"a"}}`, `{"kind":"A","metadata":{"annotations": {"` + strings.Replace(added, ": ", `": "`, 1) + `"}, "name":"a"}}`},
	{"no metadata", "kind: A\n", "kind: A\nmetadata:\n  annotations:\n    " + added + "\n"},
	{"metadata null", "kind: A\nmetadata:\n", "kind: A\nmetadata:\n  annotations:\n    " + added + "\n"},
	{"replaces", "metadata:\n  annotations:\n    kapp.k14s.io/change-group.kapp-lifecycle: old\n", "metadata:\n  annotations:\n    " + added + "\n"},
	{"block scalar without a line end", "metadata:\n  name: a\ndata:\n  x: |\n    1", "metadata:\n  name: a\n  annotations:\n    " + added + "\ndata:\n  x: |-\n    1\n"},
	{"tab in a scalar", "metadata:\n  name: a\ndata:\n  x: |\n    \t1\n", "metadata:\n  annotations:\n    " + added + "\n  name: a\ndata:\n  x: |\n    \t1\n"},
	{"metadata in a block scalar", "data:\n  x: |\n    metadata:\n      name: b\nmetadata:\n  name: a\n", "data:\n  x: |\n    metadata:\n      name: b\nmetadata:\n  annotations:\n    " + added + "\n  name: a\n"},
	{"quoted keys", "\"metadata\":\n  'name': a\n", "\"metadata\":\n  annotations:\n    " + added + "\n  'name': a\n"},
	{"merged metadata", "x: &x {name: a}\nmetadata: *x\n", "x: &x {name: a}\nmetadata:\n  name: a\n  annotations:\n    " + added + "\n"},
}

func TestAnnotate(t *testing.T) {
	for _, tc := range splices {
		t.Run(tc.name, func(t *testing.T) {
			m, err := Read([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(m.Annotate(group))); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestAnnotateQuotesValues(t *testing.T) {
	m, err := Read([]byte("metadata:\n  name: a\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := string(m.Annotate(Annotation{"a", ""}, Annotation{"b", "true"}, Annotation{"c", "1"}, Annotation{"d", "x: y # z"}, Annotation{"e", "upsert after upserting x.y/z"}))
	want := "metadata:\n  annotations:\n    a: \"\"\n    b: \"true\"\n    c: \"1\"\n    d: \"x: y # z\"\n    e: upsert after upserting x.y/z\n  name: a\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadMeta(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       Meta
	}{
		{"block", "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  namespace: prod\n  name: a\n  annotations:\n    x: 'y'\n    z: \"1\"\n", Meta{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "prod", Name: "a", Annotations: map[string]string{"x": "y", "z": "1"}}},
		{"number as a name", "kind: A\nmetadata:\n  name: 123\n", Meta{Kind: "A"}},
		{"boolean of YAML 1.1 as a name", "kind: A\nmetadata:\n  name: yes\n", Meta{Kind: "A"}},
		{"quoted boolean as a name", "kind: A\nmetadata:\n  name: 'yes'\n", Meta{Kind: "A", Name: "yes"}},
		{"numbers as annotations", "kind: A\nmetadata:\n  name: a\n  annotations:\n    weight: -5\n", Meta{Kind: "A", Name: "a", Annotations: map[string]string{"weight": "-5"}}},
		{"last of two", "kind: A\nkind: B\nmetadata:\n  name: a\n", Meta{Kind: "B", Name: "a"}},
		{"generateName", "kind: A\nmetadata: {generateName: a-}\n", Meta{Kind: "A", GenerateName: "a-"}},
		{"escapes", "kind: A\nmetadata:\n  name: \"a\\x62\"\n", Meta{Kind: "A", Name: "ab"}},
		{"multi-line annotation", "kind: A\nmetadata:\n  name: a\n  annotations:\n    kapp-lifecycle.dev/events: >-\n      pre-install,\n      pre-upgrade\n", Meta{Kind: "A", Name: "a", Annotations: map[string]string{"kapp-lifecycle.dev/events": "pre-install, pre-upgrade"}}},
		{"namespaced elsewhere", "kind: A\nspec:\n  metadata:\n    name: b\nmetadata:\n  name: a\n", Meta{Kind: "A", Name: "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := Read([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, m.Meta); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"tab":                   {"kind: A\nmetadata:\n\tname: a\n", ":3:1: a tab stands in the indentation (YAML wants spaces)"},
		"not YAML":              {"kind: A\nmetadata: a: b\n", ":2:1: it is not YAML: mapping values are not allowed in this context (look at this line and the one before for indentation, quotes and colons)"},
		"a list":                {"- kind: A\n", ":1:1: the document is not a Kubernetes resource (each document is a mapping with apiVersion, kind and metadata)"},
		"text":                  {"hello\n", ":1:1: the document is not a Kubernetes resource (each document is a mapping with apiVersion, kind and metadata)"},
		"two JSONs":             {"{\"kind\": \"A\"}\n{\"kind\": \"B\"}\n", ":1:1: it is not YAML: did not find expected <document start> (look at this line and the one before for indentation, quotes and colons)"},
		"annotations as a list": {"kind: A\nmetadata:\n  annotations: [a]\n", ":3:16: metadata.annotations is no mapping (write key: value below it)"},
		"annotations as text":   {"kind: A\nmetadata:\n  annotations: hello\n", ":3:16: metadata.annotations is no mapping (write key: value below it)"},
		"unclosed":              {"kind: \"A\nmetadata:\n", ":3:1: it is not YAML: found unexpected end of stream (look at this line and the one before for indentation, quotes and colons)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(tc.text))
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

func TestDuplicates(t *testing.T) {
	m, err := Read([]byte("kind: A\nmetadata:\n  name: a\nspec:\n- a: 1\n  b: 2\n  a: 3\n- a: 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Duplicates) != 1 || m.Duplicates[0].Line != 7 || m.Duplicates[0].Column != 3 {
		t.Errorf("got %v", m.Duplicates)
	}
}

func TestExpand(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"list":              {"kind: List\nitems:\n- kind: A # one\n  x: 1\n- kind: B\n", []string{"kind: A # one\nx: 1\n", "kind: B\n"}},
		"typed list":        {"kind: ConfigMapList\nitems:\n- kind: A\n", []string{"kind: A\n"}},
		"JSON":              {`{"kind":"List","items":[{"kind":"A"},{"kind":"B"}]}`, []string{`{"kind": "A"}` + "\n", `{"kind": "B"}` + "\n"}},
		"empty":             {"kind: List\nitems: []\n", []string{}},
		"aliases":           {"kind: List\nitems:\n- kind: A\n  x: &x 1\n- kind: B\n  x: *x\n", []string{"kind: A\nx: 1\n", "kind: B\nx: 1\n"}},
		"items further in":  {"kind: ConfigMap\ndata:\n  items: |\n    - a\n", nil},
		"items not a list":  {"kind: ConfigMap\nitems: 1\n", nil},
		"items in a scalar": {"kind: ConfigMap\ndata:\n  x: |\n    items:\n    - a\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			items, isList, err := Expand([]byte(tc.text))
			if err != nil || isList != (tc.want != nil) {
				t.Fatal(isList, err)
			}
			var got []string
			for _, item := range items {
				got = append(got, string(item))
			}
			if len(got)+len(tc.want) > 0 {
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	if _, _, err := Expand([]byte("kind: List\nitems: [1]\n")); err == nil {
		t.Error("a number passed for a resource")
	}
}

// annotated checks a document both ways that it can be read, and says whether the scanner was sure of it.
func annotated(t *testing.T, text []byte) (sure bool) {
	t.Helper()
	parsed, err := readNodes(text)
	if err != nil {
		t.Fatal(err)
	}
	m, sure := scan(text)
	if sure {
		if diff := cmp.Diff(parsed.Meta, m.Meta); diff != "" {
			// Of block scalars the scanner reads only that the key is there.
			for key, value := range m.Annotations {
				if value == "" && !strings.HasPrefix(key, "kapp-lifecycle.dev/") {
					parsed.Annotations[key] = ""
				}
			}
			if diff := cmp.Diff(parsed.Meta, m.Meta); diff != "" {
				t.Fatalf("the parser (-), the scanner (+):\n%s\n%s", diff, text)
			}
		}
		if len(parsed.Duplicates) > 0 {
			t.Fatalf("the scanner did not see that a key stands twice: %v\n%s", parsed.Duplicates, text)
		}
	} else {
		m = parsed
	}
	want, readable := annotatedValue(text, []Annotation{group})
	if !readable {
		return sure
	}
	got := m.Annotate(group)
	if !bytes.HasSuffix(got, []byte("\n")) {
		got = append(bytes.Clone(got), '\n')
	}
	var value any
	if err := sigsyaml.Unmarshal(got, &value); err != nil || !reflect.DeepEqual(value, want) {
		t.Fatalf("%v\n%s", err, cmp.Diff(want, value))
	}
	if _, replaced := m.Annotations[group.Key]; sure && !replaced {
		rest := string(got)
		for _, line := range []string{"annotations:", added} {
			if i := strings.Index(rest, line); i >= 0 && (line == added || !m.splice.hasAnnotations) {
				start := strings.LastIndexByte(rest[:i], '\n') + 1
				end := i + strings.IndexByte(rest[i:], '\n') + 1
				rest = rest[:start] + rest[end:]
			}
		}
		if rest != string(text) {
			t.Fatalf("more than the annotation changed:\n%s", cmp.Diff(string(text), rest))
		}
	}
	return sure
}

func TestCorpus(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the corpus is not on this machine")
	}
	documents, scanned := 0, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || (filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".json") {
			return err
		}
		stream, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			for _, document := range yamlstream.Split(stream) {
				if !document.Empty() {
					documents++
					if annotated(t, document.Text) {
						scanned++
					}
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d documents were read by the scanner", scanned, documents)
	if scanned*10 < documents*7 {
		t.Errorf("only %d of %d documents were read by the scanner", scanned, documents)
	}
}

// FuzzAnnotate: whatever both parsers take for a mapping reads as before, and the annotation, once it is annotated.
func FuzzAnnotate(f *testing.F) {
	for _, tc := range splices {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var viaSigs map[string]any
		var viaV3 map[string]any
		if sigsyaml.Unmarshal(text, &viaSigs) != nil || yaml.Unmarshal(text, &viaV3) != nil || viaSigs == nil {
			// It may be refused, but must not panic.
			if m, err := Read(text); err == nil {
				m.Annotate(group)
			}
			return
		}
		if documents := yamlstream.Split(text); len(documents) != 1 {
			return
		}
		var first, more yaml.Node
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		if decoder.Decode(&first) != nil || !errors.Is(decoder.Decode(&more), io.EOF) {
			// Both took what stands before an end of the document, and left the rest.
			return
		}
		if root, _, err := parse(text); err == nil && (!textKeys(root) || notAnnotations(root)) {
			// kapp's parser makes one key of 0 and 0.0, now from the one, now from the other.
			return
		}
		annotated(t, text)
	})
}

// notAnnotations holds where metadata.annotations is no mapping, which is refused.
func notAnnotations(root *yaml.Node) bool {
	annotations := last(last(root, "metadata"), "annotations")
	return annotations != nil && annotations.Kind != yaml.MappingNode && annotations.Tag != "!!null"
}

func textKeys(node *yaml.Node) bool {
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && child.Tag != "!!str" || !textKeys(child) {
			return false
		}
	}
	return true
}
