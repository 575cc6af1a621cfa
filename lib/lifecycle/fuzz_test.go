package lifecycle

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"carvel.dev/ytt/pkg/orderedmap"
	"carvel.dev/ytt/pkg/yamlmeta"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzParse: problems lie within the text, and what Parse takes is to ytt, which reads the same text, the same document.
func FuzzParse(f *testing.F) {
	for _, tc := range refused {
		f.Add([]byte(tc.text), "spec.hooks[0].name")
	}
	for _, text := range accepted {
		f.Add([]byte(text), "spec.defaults.env[0]")
	}
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		parsed, source, problems := Parse("f.yaml", text, 1)
		if (parsed == nil) != (problems.Err() != nil) {
			t.Fatalf("a Lifecycle %v and problems %v", parsed, problems)
		}
		lines := strings.Split(string(text), "\n")
		// Of text that is not UTF-8 nobody knows the columns.
		plain := utf8.Valid(text)
		within := func(line, column int) bool {
			return line >= 1 && column >= 1 && (!plain || line <= len(lines) && column <= utf8.RuneCountInString(lines[line-1])+1)
		}
		for _, p := range problems {
			if !within(p.Line, p.Column) || strings.Contains(p.Error(), "\n") {
				t.Errorf("%q is not one line that names a place in the text", p.Error())
			}
		}
		if p := source.Position(path); !within(p.Line, p.Column) {
			t.Errorf("%s is outside of the text", p)
		}
		if parsed != nil {
			if diff := cmp.Diff(withoutFree(parsed), withoutFree(readByYtt(t, source.Text)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("ytt reads another document (-Parse, +ytt):\n%s", diff)
			}
		}
	})
}

// readByYtt reads a document with ytt's parser.
func readByYtt(t *testing.T, text []byte) *Lifecycle {
	t.Helper()
	var value any
	if err := yamlmeta.PlainUnmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(plainOf(value))
	if err != nil {
		t.Fatal(err)
	}
	read := &Lifecycle{}
	if err := json.Unmarshal(encoded, read); err != nil {
		t.Fatal(err)
	}
	return read
}

// plainOf makes ordinary maps of ytt's; what JSON cannot say stands only in parts that are not compared.
func plainOf(value any) any {
	switch value := value.(type) {
	case *orderedmap.Map:
		plain := map[string]any{}
		value.Iterate(func(key, one any) {
			if key, isText := key.(string); isText {
				plain[key] = plainOf(one)
			}
		})
		return plain
	case []any:
		plain := make([]any, len(value))
		for i, one := range value {
			plain[i] = plainOf(one)
		}
		return plain
	case string, int, bool:
		return value
	}
	return nil
}

// withoutFree empties what only Kubernetes reads: the two parsers have other types for its numbers.
func withoutFree(l *Lifecycle) *Lifecycle {
	var clear func(value reflect.Value)
	clear = func(value reflect.Value) {
		switch {
		case isFree(value.Type()):
			value.SetZero()
		case value.Kind() == reflect.Struct:
			for i := range value.NumField() {
				clear(value.Field(i))
			}
		case value.Kind() == reflect.Slice:
			for i := range value.Len() {
				clear(value.Index(i))
			}
		}
	}
	clear(reflect.ValueOf(l).Elem())
	return l
}
