package lifecycle

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"carvel.dev/ytt/pkg/cmd/template"
	"carvel.dev/ytt/pkg/cmd/ui"
	"carvel.dev/ytt/pkg/files"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func generated(t *testing.T) map[string][]byte {
	t.Helper()
	all, err := Generated()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGeneratedIsCurrent(t *testing.T) {
	for path, want := range generated(t) {
		got, err := os.ReadFile(filepath.Join("..", "..", path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what lib/lifecycle generates: run make generate", path)
		}
	}
}

func TestEveryKeyHasADescription(t *testing.T) {
	docs, err := comments()
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Lifecycle](), reflect.TypeFor[Metadata](), reflect.TypeFor[Spec](), reflect.TypeFor[Defaults](), reflect.TypeFor[Hook](), reflect.TypeFor[Selector]()} {
		for _, f := range fieldsOf(typ) {
			if docs[typ.Name()+"."+f.goName] == "" {
				t.Errorf("%s.%s has no comment", typ.Name(), f.goName)
			}
			if booleans.MatchString(f.key) {
				t.Errorf("the key %s is a boolean in YAML 1.1", f.key)
			}
			for _, word := range f.enum {
				if booleans.MatchString(word) {
					t.Errorf("the value %s of %s is a boolean in YAML 1.1", word, f.key)
				}
			}
		}
	}
}

func TestJSONSchemaAgreesWithParse(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(generated(t)["schema/lifecycle.schema.json"]))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("lifecycle.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("lifecycle.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	for name, text := range accepted {
		if err := validate(text); err != nil {
			t.Errorf("%s: Parse takes it, and the schema does not: %s", name, err)
		}
	}
	for _, tc := range refused {
		if tc.by == byParse {
			continue
		}
		if err := validate(tc.text); err == nil {
			t.Errorf("%s: Parse refuses it, and the schema does not", tc.name)
		}
	}
}

// asDataValues gives a document's values through ytt and our ytt schema.
func asDataValues(t *testing.T, text string) (string, error) {
	t.Helper()
	sources := []*files.File{
		files.MustNewFileFromSource(files.NewBytesSource("schema.yml", generated(t)["templates/kapp-lifecycle/schema.yml"])),
		files.MustNewFileFromSource(files.NewBytesSource("out.yml", []byte("#@ load('@ytt:data', 'data')\n--- #@ data.values\n"))),
	}
	options := template.NewOptions()
	options.DataValuesFlags.FromFiles = []string{"lifecycle.yaml"}
	options.DataValuesFlags.ReadFilesFunc = func(path string) ([]*files.File, error) {
		return []*files.File{files.MustNewFileFromSource(files.NewBytesSource(path, []byte(text)))}, nil
	}
	out := options.RunWithFiles(template.Input{Files: files.NewSortedFiles(sources)}, ui.NewCustomWriterTTY(false, io.Discard, io.Discard))
	if out.Err != nil {
		return "", out.Err
	}
	written, err := out.DocSet.AsBytes()
	return string(written), err
}

func TestYttSchemaAgreesWithParse(t *testing.T) {
	for name, text := range accepted {
		written, err := asDataValues(t, text)
		if err != nil {
			t.Errorf("%s: Parse takes it, and the ytt schema does not: %s", name, err)
			continue
		}
		var got, want any
		if err := yaml.Unmarshal([]byte(written), &got); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutNothing(want), withoutNothing(got)); diff != "" {
			t.Errorf("%s: the values change (-written, +read by ytt):\n%s", name, diff)
		}
	}
	for _, tc := range refused {
		if tc.by != byAll {
			continue
		}
		if _, err := asDataValues(t, tc.text); err == nil {
			t.Errorf("%s: Parse refuses it, and the ytt schema does not", tc.name)
		}
	}
}

// withoutNothing drops what is not set: ytt spells it out as null.
func withoutNothing(value any) any {
	switch value := value.(type) {
	case map[string]any:
		rest := map[string]any{}
		for key, one := range value {
			if one = withoutNothing(one); one != nil {
				rest[key] = one
			}
		}
		return rest
	case []any:
		rest := make([]any, len(value))
		for i, one := range value {
			rest[i] = withoutNothing(one)
		}
		return rest
	}
	return value
}
