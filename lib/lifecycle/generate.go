package lifecycle

//go:generate go run ./internal/generate ../..

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"sort"
	"strings"
)

//go:embed types.go
var typesSource string

// Generated gives the files that are made from the types, by their path in the repository.
func Generated() (map[string][]byte, error) {
	docs, err := comments()
	if err != nil {
		return nil, err
	}
	schema, err := jsonSchema(docs)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"schema/lifecycle.schema.json":                  schema,
		"templates/kapp-lifecycle/schema.yml":           yttSchema(),
		"templates/_ytt_lib/kapp-lifecycle/tables.star": starlarkTables(),
	}, nil
}

// comments gives the doc comments of the types' fields, which are the descriptions of the keys, as "Type.Field".
func comments() (map[string]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", typesSource, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("reading the comments of the types: %w", err)
	}
	docs := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, isType := node.(*ast.TypeSpec)
		if !isType {
			return true
		}
		if structure, isStruct := spec.Type.(*ast.StructType); isStruct {
			for _, f := range structure.Fields.List {
				docs[spec.Name.Name+"."+f.Names[0].Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			}
		}
		return false
	})
	return docs, nil
}

// node is a JSON Schema. Our own, not a library's: the decoder's tags say more than a generic reflector would read.
type node struct {
	Schema      string           `json:"$schema,omitempty"`
	ID          string           `json:"$id,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        any              `json:"type,omitempty"`
	Const       string           `json:"const,omitempty"`
	Enum        []any            `json:"enum,omitempty"`
	Default     any              `json:"default,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	Minimum     *int             `json:"minimum,omitempty"`
	Maximum     *int             `json:"maximum,omitempty"`
	MinLength   int              `json:"minLength,omitempty"`
	MinItems    int              `json:"minItems,omitempty"`
	Not         *node            `json:"not,omitempty"`
	Items       *node            `json:"items,omitempty"`
	Properties  map[string]*node `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Additional  any              `json:"additionalProperties,omitempty"`
}

func jsonSchema(docs map[string]string) ([]byte, error) {
	root := object(reflect.TypeFor[Lifecycle](), docs, true)
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.ID = "https://raw.githubusercontent.com/kapp-lifecycle/kapp-lifecycle/main/schema/lifecycle.schema.json"
	root.Title = "lifecycle.yaml of kapp-lifecycle"
	root.Properties["apiVersion"].Const = APIVersion
	root.Properties["kind"].Const = Kind
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(root)
	return out.Bytes(), err
}

// object is a struct; a key that may be left out may also be null, as in the decoder.
func object(typ reflect.Type, docs map[string]string, required bool) *node {
	n := &node{Type: orNull("object", required), Properties: map[string]*node{}, Additional: false}
	for _, f := range fieldsOf(typ) {
		property := property(f, docs)
		property.Description = docs[typ.Name()+"."+f.goName]
		n.Properties[f.key] = property
		if f.required {
			n.Required = append(n.Required, f.key)
		}
	}
	return n
}

func orNull(name string, required bool) any {
	if required {
		return name
	}
	return []string{name, "null"}
}

func property(f field, docs map[string]string) *node {
	typ := deref(f.typ)
	switch {
	case typ == reflect.TypeFor[map[string]string]():
		return &node{Type: orNull("object", f.required), Additional: &node{Type: "string"}}
	case isFree(typ) && typ.Kind() == reflect.Map:
		return &node{Type: orNull("object", f.required)}
	case isFree(typ):
		return &node{Type: orNull("array", f.required), Items: &node{Type: "object"}}
	case typ.Kind() == reflect.Struct:
		n := object(typ, docs, f.required)
		if f.kinds != nil {
			n.Properties["kind"].Enum = anys(f.kinds, true)
			n.Required = append(n.Required, "name")
			n.Properties["name"].Type = "string"
		}
		return n
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct:
		return &node{Type: orNull("array", f.required), Items: object(typ.Elem(), docs, true)}
	case typ.Kind() == reflect.Slice:
		n := &node{Type: orNull("array", f.required), Items: &node{Type: "string", Enum: anys(f.enum, true)}}
		if f.required {
			n.MinItems = 1
		}
		return n
	case typ.Kind() == reflect.Int:
		least, most := -1<<31, 1<<31-1
		if f.check == "natural" {
			least = 0
		}
		n := &node{Type: orNull("integer", f.required), Minimum: &least, Maximum: &most}
		if f.fallback != "" {
			n.Default = json.RawMessage(f.fallback)
		}
		return n
	}
	n := &node{Type: orNull("string", f.required), Enum: anys(f.enum, f.required)}
	if f.fallback != "" {
		n.Default = f.fallback
	}
	switch {
	case f.check == "label":
		n.Pattern = label.String()
	case f.check == "duration":
		n.Pattern = duration.String()
		n.Not = &node{Type: "string", Pattern: noTime.String()}
	case len(f.enum) == 0:
		n.MinLength = 1
	}
	return n
}

func anys(words []string, required bool) []any {
	if len(words) == 0 {
		return nil
	}
	var all []any
	for _, word := range words {
		all = append(all, word)
	}
	if !required {
		all = append(all, nil)
	}
	return all
}

// yttSchema says to ytt which keys there are and of which type. What the values may be the ytt program checks itself: its
// messages say what to do.
func yttSchema() []byte {
	var b strings.Builder
	b.WriteString("#! Generated by lib/lifecycle (make generate): do not edit.\n")
	b.WriteString("#! A lifecycle.yaml is, as it is, a file of data values of this schema.\n")
	b.WriteString("#@data/values-schema\n---\n")
	yttStruct(&b, reflect.TypeFor[Lifecycle](), "")
	return []byte(b.String())
}

func yttStruct(b *strings.Builder, typ reflect.Type, indent string) {
	for _, f := range fieldsOf(typ) {
		yttField(b, f, indent)
	}
	if typ == reflect.TypeFor[Spec]() {
		for _, key := range LaterKeys {
			fmt.Fprintf(b, "%s#@schema/type any=True\n%s%s: null\n", indent, indent, key)
		}
	}
}

func yttField(b *strings.Builder, f field, indent string) {
	typ := deref(f.typ)
	line := func(text string) { b.WriteString(indent + text + "\n") }
	switch {
	case isFree(typ):
		line("#@schema/type any=True")
		line(f.key + ": null")
	case typ.Kind() == reflect.Struct:
		line("#@schema/nullable")
		line(f.key + ":")
		yttStruct(b, typ, indent+"  ")
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct:
		line("#@schema/nullable")
		line(f.key + ":")
		// An item's annotations would stand before its dash; those of its first key need a line of their own after it.
		line("-")
		yttStruct(b, typ.Elem(), indent+"  ")
	case typ.Kind() == reflect.Slice:
		line("#@schema/nullable")
		line(f.key + ":")
		line("- \"\"")
	case typ.Kind() == reflect.Int:
		line("#@schema/nullable")
		line(f.key + ": 0")
	case f.key == "apiVersion" && f.required:
		line(fmt.Sprintf("#@schema/validation one_of=[%q]", APIVersion))
		line(f.key + ": \"\"")
	case f.required:
		line(f.key + ": \"\"")
	default:
		line("#@schema/nullable")
		line(f.key + ": \"\"")
	}
}

// starlarkTables hands the ytt program the words and the defaults.
func starlarkTables() []byte {
	var b strings.Builder
	b.WriteString("# Generated by lib/lifecycle (make generate): do not edit.\n")
	b.WriteString("# The words that a Lifecycle may use, and the values of what is left out.\n\n")
	list := func(words []string) string {
		var all []string
		for _, word := range words {
			all = append(all, fmt.Sprintf("%q", word))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	fmt.Fprintf(&b, "API_VERSION = %q\n", APIVersion)
	fmt.Fprintf(&b, "KIND = %q\n", Kind)
	fmt.Fprintf(&b, "EVENTS = %s\n", list(Events))
	var aliases []string
	for alias := range Aliases {
		aliases = append(aliases, alias)
	}
	sort.Strings(aliases)
	slices.Reverse(aliases)
	var pairs []string
	for _, alias := range aliases {
		pairs = append(pairs, fmt.Sprintf("%q: %s", alias, list(Aliases[alias])))
	}
	fmt.Fprintf(&b, "ALIASES = {%s}\n", strings.Join(pairs, ", "))
	fmt.Fprintf(&b, "LATER_EVENTS = %s\n", list(LaterEvents))
	fmt.Fprintf(&b, "LATER_KEYS = %s\n", list(LaterKeys))
	fmt.Fprintf(&b, "RUNS = %s\n", list(Runs))
	fmt.Fprintf(&b, "ON_FAILURES = %s\n", list(OnFailures))
	fmt.Fprintf(&b, "GUARDS = %s\n", list(Guards))
	fmt.Fprintf(&b, "DEPLOY_LOGS = %s\n", list(DeployLogs))
	b.WriteString("DEFAULTS = {\n")
	for _, f := range fieldsOf(reflect.TypeFor[Hook]()) {
		switch {
		case f.fallback == "":
		case deref(f.typ).Kind() == reflect.Int:
			fmt.Fprintf(&b, "  %q: %s,\n", f.key, f.fallback)
		default:
			fmt.Fprintf(&b, "  %q: %q,\n", f.key, f.fallback)
		}
	}
	b.WriteString("}\n")
	return []byte(b.String())
}
