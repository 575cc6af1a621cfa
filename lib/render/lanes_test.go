package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carvel.dev/ytt/pkg/cmd/template"
	"carvel.dev/ytt/pkg/cmd/ui"
	"carvel.dev/ytt/pkg/files"
	"github.com/google/go-cmp/cmp"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/input"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/manifest"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
	"github.com/kapp-lifecycle/kapp-lifecycle/templates"
)

// minimal is the least Lifecycle; its hook makes the order of every resource matter.
const minimal = `apiVersion: kapp-lifecycle.dev/v1alpha1
kind: Lifecycle
metadata:
  name: app
spec:
  hooks:
  - name: lifecycle-test-migrate
    events: [pre-deploy]
    image: example.com/migrate:1
    command: [./migrate]
  - name: lifecycle-test-welcome
    events: [post-install]
    image: example.com/welcome:1
    command: [./welcome]
`

// plainYtt runs the ytt program as a template step does: the app on standard input, the Lifecycle as data values.
func plainYtt(stream, lifecycle []byte) ([]byte, error) {
	sources := []*files.File{files.MustNewFileFromSource(files.NewBytesSource("stdin.yml", stream))}
	for _, file := range templates.Files() {
		sources = append(sources, files.MustNewFileFromSource(files.NewBytesSource(file.Path, file.Content)))
	}
	options := template.NewOptions()
	options.IgnoreUnknownComments = true
	options.DataValuesFlags.FromFiles = []string{"lifecycle.yaml"}
	options.DataValuesFlags.ReadFilesFunc = func(path string) ([]*files.File, error) {
		return []*files.File{files.MustNewFileFromSource(files.NewBytesSource(path, lifecycle))}, nil
	}
	out := options.RunWithFiles(template.Input{Files: files.NewSortedFiles(sources)}, ui.NewCustomWriterTTY(false, io.Discard, io.Discard))
	if out.Err != nil {
		return nil, out.Err
	}
	return out.DocSet.AsBytes()
}

// values reads a stream's resources as kapp does, by their identity; of several with one identity all are kept.
func values(t *testing.T, stream []byte) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, doc := range yamlstream.Split(stream) {
		var value map[string]any
		if err := sigsyaml.Unmarshal(doc.Text, &value); err != nil {
			t.Fatalf("line %d: %s", doc.Line, err)
		}
		if len(value) == 0 {
			continue
		}
		meta, _ := value["metadata"].(map[string]any)
		key := fmt.Sprint(value["apiVersion"], " ", value["kind"], " ", meta["namespace"], " ", meta["name"], " ", meta["generateName"])
		text, err := json.MarshalIndent(value, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all[key] = append(all[key], string(text))
	}
	return all
}

func binary(t *testing.T, name string, stream, lifecycle []byte) []byte {
	t.Helper()
	result, err := Render(
		[]input.Stream{{Name: name, Text: stream}},
		Options{Lifecycle: &input.Stream{Name: "lifecycle.yaml", Text: lifecycle}},
	)
	if err != nil {
		t.Fatalf("the binary: %s", err)
	}
	var out bytes.Buffer
	if err := yamlstream.Join(&out, result.Documents); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unreadable names files that plain ytt cannot read, with its reason.
var unreadable = map[string]string{
	"kubernetes-ingress-nginx--bom.yaml": "ytt takes a byte order mark for content",
}

// eachCorpusFile runs a subtest for every file of the corpus, where it is there.
func eachCorpusFile(t *testing.T, test func(t *testing.T, path string)) {
	root := filepath.Join("..", "..", "..", "shared", "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the corpus is not on this machine")
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || (filepath.Ext(path) != ".yaml" && filepath.Ext(path) != ".json") {
			return err
		}
		t.Run(filepath.Base(path), func(t *testing.T) { test(t, path) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLanesAgreeOnCorpus is the promise that the ytt program alone does what the binary does.
func TestLanesAgreeOnCorpus(t *testing.T) {
	eachCorpusFile(t, func(t *testing.T, path string) {
		t.Parallel()
		stream, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lifecycle := watching(t, stream)
		want, err := plainYtt(stream, lifecycle)
		if reason, known := unreadable[filepath.Base(path)]; known {
			if err == nil {
				t.Fatalf("plain ytt reads this now, but was known not to: %s", reason)
			}
			return
		}
		if err != nil {
			t.Fatalf("plain ytt: %s", err)
		}
		same(t, "plain ytt", values(t, want), "the binary", values(t, binary(t, path, stream, lifecycle)))
	})
}

// watching is minimal with a hook whose triggers name every kind of the stream, so that both lanes digest every resource.
func watching(t *testing.T, stream []byte) []byte {
	t.Helper()
	kinds := map[string]bool{}
	for _, doc := range yamlstream.Split(stream) {
		// A document in which a key stands twice is none that plain ytt could look into.
		if m, err := manifest.Read(doc.Text); err == nil && len(m.Duplicates) == 0 && m.Kind != "" && !strings.HasSuffix(m.Kind, "List") {
			kinds[m.Kind] = true
		}
	}
	for _, doc := range yamlstream.Split(stream) {
		if m, err := manifest.Read(doc.Text); err == nil && len(m.Duplicates) > 0 {
			delete(kinds, m.Kind)
		}
	}
	delete(kinds, "Config")
	if len(kinds) == 0 {
		return []byte(minimal)
	}
	text := minimal + "  - name: lifecycle-test-watch\n    events: [post-deploy]\n    image: example.com/watch:1\n    triggers:\n"
	for kind := range kinds {
		text += "    - kind: " + kind + "\n"
	}
	return []byte(text)
}

// eachExample runs a subtest for every example, with its manifests as one stream.
func eachExample(t *testing.T, test func(t *testing.T, stream, lifecycle []byte)) {
	folders, err := filepath.Glob(filepath.Join("..", "..", "examples", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("no examples", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(folder, "config", "*.yaml"))
			if err != nil || len(files) == 0 {
				t.Fatal("no manifests", err)
			}
			var stream []byte
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				stream = append(append(stream, "---\n"...), text...)
			}
			lifecycle, err := os.ReadFile(filepath.Join(folder, "lifecycle.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			test(t, stream, lifecycle)
		})
	}
}

func TestLanesAgreeOnExamples(t *testing.T) {
	eachExample(t, func(t *testing.T, stream, lifecycle []byte) {
		want, err := plainYtt(stream, lifecycle)
		if err != nil {
			t.Fatalf("plain ytt: %s", err)
		}
		same(t, "plain ytt", values(t, want), "the binary", values(t, binary(t, "stdin", stream, lifecycle)))
	})
}

// TestLanesAgreeOnForms holds what examples and corpus lack.
func TestLanesAgreeOnForms(t *testing.T) {
	for name, tc := range map[string]struct{ stream, hooks string }{
		"list": {"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n- {apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: {containers: [{name: a, image: b}]}}}}\n",
			"  - {name: a, events: [pre-deploy], from: {kind: Job, name: j}}\n"},
		"another namespace": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
			"  - {name: a, events: [pre-install], namespace: other, image: x, command: [x]}\n"},
		"long names": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
			"  - {name: " + strings.Repeat("long-", 11) + "a, events: [pre-deploy, post-install], image: x, command: [x]}\n"},
		"numbers and words": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1, b: 1.50, c: 0x1f, d: yes, e: 1e3, f: ~, g: 2020-01-01, h: 012}\n",
			"  - {name: a, events: [pre-deploy], image: x, triggers: [{kind: ConfigMap}], env: [{name: A, value: \"yes\"}]}\n"},
		"control characters": {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {kapp-lifecycle.dev/events: pre-deploy}}\nspec: {containers: [{name: a, image: b, command: [\"\\x7f \\u2028 \\U0001F600 \\u00e4\"]}]}\n", ""},
		"selectors": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: \"a.b\", namespace: prod}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: c}\n",
			"  - {name: a, events: [pre-deploy], image: x, before: [{kind: Deployment, namespace: prod}]}\n  - {name: b, events: [post-deploy], image: x, weight: -2, after: [{apiVersion: apps/v1, kind: Deployment, name: c}], before: [{kind: Deployment, name: a.b}]}\n"},
		"stage": {"apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  annotations:\n    kapp-lifecycle.dev/stage: workloads\n---\napiVersion: v1\nkind: Service\nmetadata: {name: b, annotations: {kapp-lifecycle.dev/stage: prerequisites}}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			lifecycle := "apiVersion: kapp-lifecycle.dev/v1alpha1\nkind: Lifecycle\nmetadata: {name: shop, namespace: prod}\nspec:\n  hooks:\n" + tc.hooks
			want, err := plainYtt([]byte(tc.stream), []byte(lifecycle))
			if err != nil {
				t.Fatalf("plain ytt: %s", err)
			}
			same(t, "plain ytt", values(t, want), "the binary", values(t, binary(t, "stdin", []byte(tc.stream), []byte(lifecycle))))
		})
	}
}

// TestNothingIsLost: the output holds the input's resources, each with our annotation added and else the same, and ours.
func TestNothingIsLost(t *testing.T) {
	eachCorpusFile(t, func(t *testing.T, path string) {
		t.Parallel()
		stream, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := binary(t, path, stream, []byte(minimal))
		got := values(t, out)
		for _, ours := range []string{
			"kapp.k14s.io/v1alpha1 Config <nil> app-kapp-lifecycle <nil>", "v1 ConfigMap <nil> app-revision <nil>",
			"batch/v1 Job <nil> app-lifecycle-test-migrate <nil>", "batch/v1 Job <nil> app-lifecycle-test-welcome <nil>",
		} {
			if len(got[ours]) != 1 {
				t.Errorf("%d of %s", len(got[ours]), ours)
			}
			delete(got, ours)
		}
		want := kappResources(t, stream)
		for key, texts := range got {
			for i, text := range texts {
				texts[i] = withoutGroup(t, key, text)
			}
		}
		same(t, "the input", want, "the output", got)
	})
}

// same compares two sets of resources, and shows of each that differs where it begins to.
func same(t *testing.T, leftName string, left map[string][]string, rightName string, right map[string][]string) {
	t.Helper()
	keys := map[string]bool{}
	for key := range left {
		keys[key] = true
	}
	for key := range right {
		keys[key] = true
	}
	for key := range keys {
		if cmp.Equal(left[key], right[key]) {
			continue
		}
		a, b := strings.Join(left[key], "\n"), strings.Join(right[key], "\n")
		at := 0
		for at < len(a) && at < len(b) && a[at] == b[at] {
			at++
		}
		t.Errorf("%s: %d in %s, %d in %s; from byte %d on\n%s: %.200q\n%s: %.200q", key,
			len(left[key]), leftName, len(right[key]), rightName, at, leftName, a[max(0, at-40):], rightName, b[max(0, at-40):])
	}
}

func withoutGroup(t *testing.T, key, text string) string {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	if value["apiVersion"] == kappConfig {
		return text
	}
	meta := value["metadata"].(map[string]any)
	annotations := meta["annotations"].(map[string]any)
	group, _ := annotations[groupAnnotation].(string)
	if !strings.HasPrefix(group, "app.kapp-lifecycle.dev/") {
		t.Errorf("%s is in the group %q", key, group)
	}
	delete(annotations, groupAnnotation)
	return normal(t, value)
}

// normal drops annotations that hold nothing, in whichever of three ways that was written.
func normal(t *testing.T, value map[string]any) string {
	t.Helper()
	if meta, ok := value["metadata"].(map[string]any); ok {
		if annotations, ok := meta["annotations"].(map[string]any); !ok || len(annotations) == 0 {
			delete(meta, "annotations")
		}
	}
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
