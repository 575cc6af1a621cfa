package lifecycle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// describe gives the keys of a type by their paths, each with its words and its default, if it has them.
func describe(typ reflect.Type, path string, into map[string]string) {
	for _, f := range fieldsOf(typ) {
		at := join(path, f.key)
		into[at] = strings.Join(f.enum, " ") + "|" + f.fallback
		of := deref(f.typ)
		switch {
		case isFree(of):
		case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
			describe(of.Elem(), at, into)
		case of.Kind() == reflect.Struct:
			describe(of, at, into)
		}
		if f.kinds != nil {
			into[at+".kind"] = strings.Join(f.kinds, " ") + "|"
		}
	}
}

// describeSchema gives the same of a JSON Schema.
func describeSchema(schema map[string]any, path string, into map[string]string) {
	properties, _ := schema["properties"].(map[string]any)
	for key, property := range properties {
		at := join(path, key)
		property := property.(map[string]any)
		items, isList := property["items"].(map[string]any)
		if !isList {
			items = property
		}
		var words []string
		enum, _ := items["enum"].([]any)
		for _, word := range enum {
			if word != nil {
				words = append(words, word.(string))
			}
		}
		fallback := ""
		if value, found := property["default"]; found {
			fallback = fmt.Sprint(value)
		}
		into[at] = strings.Join(words, " ") + "|" + fallback
		describeSchema(items, at, into)
	}
}

func TestJSONSchemaHasKeysWordsAndDefaultsOfTheTypes(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(generated(t)["schema/lifecycle.schema.json"], &schema); err != nil {
		t.Fatal(err)
	}
	types, inSchema := map[string]string{}, map[string]string{}
	describe(reflect.TypeFor[Lifecycle](), "", types)
	describeSchema(schema, "", inSchema)
	if diff := cmp.Diff(types, inSchema); diff != "" {
		t.Errorf("types (-) and JSON Schema (+) differ:\n%s", diff)
	}
}

// keysBelow gives the paths of all keys of a value.
func keysBelow(value any, path string, into map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, one := range value {
			into[join(path, key)] = true
			keysBelow(one, join(path, key), into)
		}
	case []any:
		for _, one := range value {
			keysBelow(one, path, into)
		}
	}
}

func TestYttSchemaHasKeysOfTheTypes(t *testing.T) {
	var schema any
	if err := yaml.Unmarshal(generated(t)["templates/kapp-lifecycle/schema.yml"], &schema); err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	describe(reflect.TypeFor[Lifecycle](), "", described)
	types, inSchema := map[string]bool{}, map[string]bool{}
	for key := range described {
		types[key] = true
	}
	for _, key := range LaterKeys {
		// ytt takes them, so that its program can say that they are not supported yet.
		types["spec."+key] = true
	}
	keysBelow(schema, "", inSchema)
	if diff := cmp.Diff(types, inSchema); diff != "" {
		t.Errorf("types (-) and ytt schema (+) differ:\n%s", diff)
	}
}

func TestTablesHaveWordsAndDefaultsOfTheTypes(t *testing.T) {
	// What the tables say is also Python's and, but for the name before it, JSON.
	values := map[string]any{}
	text := regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(string(generated(t)["templates/_ytt_lib/kapp-lifecycle/tables.star"]), "")
	text = strings.ReplaceAll(strings.ReplaceAll(text, ",\n}", "}"), "\n  ", "")
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		name, value, _ := strings.Cut(line, " = ")
		var read any
		if err := json.Unmarshal([]byte(value), &read); err != nil {
			t.Fatalf("%s: %s", line, err)
		}
		values[name] = read
	}
	defaults := map[string]any{}
	for _, f := range fieldsOf(reflect.TypeFor[Hook]()) {
		if number, err := strconv.Atoi(f.fallback); err == nil {
			defaults[f.key] = float64(number)
		} else if f.fallback != "" {
			defaults[f.key] = f.fallback
		}
	}
	words := func(words []string) []any { return anys(words, true) }
	want := map[string]any{
		"API_VERSION": APIVersion, "KIND": Kind, "EVENTS": words(Events), "LATER_EVENTS": words(LaterEvents), "LATER_KEYS": words(LaterKeys),
		"ALIASES": map[string]any{"pre-deploy": words(Aliases["pre-deploy"]), "post-deploy": words(Aliases["post-deploy"])},
		"RUNS":    words(Runs), "ON_FAILURES": words(OnFailures), "GUARDS": words(Guards), "DEPLOY_LOGS": words(DeployLogs),
		"DEFAULTS": defaults,
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("types (-) and tables (+) differ:\n%s", diff)
	}
}

func TestDefaultsAreTheSameForAllHooksAndForOne(t *testing.T) {
	hook := map[string]string{}
	describe(reflect.TypeFor[Hook](), "", hook)
	defaults := map[string]string{}
	describe(reflect.TypeFor[Defaults](), "", defaults)
	for key, said := range defaults {
		if hook[key] != said {
			t.Errorf("%s: spec.defaults has %q and a hook %q", key, said, hook[key])
		}
	}
}
