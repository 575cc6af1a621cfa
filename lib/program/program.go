// Package program runs the ytt program of templates/ inside this process.
//
// The binary does the fast work itself (reading, splitting, annotating what needs no rewriting) and hands the
// program only what it must decide on; what a hook's Job looks like and in which order it runs is the program's alone.
package program

import (
	"fmt"
	"io"

	"carvel.dev/ytt/pkg/cmd/template"
	"carvel.dev/ytt/pkg/cmd/ui"
	"carvel.dev/ytt/pkg/files"
	"carvel.dev/ytt/pkg/yamlmeta"
	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/templates"
)

// Input is what the program decides on.
type Input struct {
	// Lifecycles are the texts of the Lifecycle documents, checked already.
	Lifecycles []string `json:"lifecycles"`
	// App names what has no name of its own; it may be empty where a Lifecycle has one.
	App string `json:"app"`
	// Digest is over the whole input stream.
	Digest string `json:"digest"`
	// Docs are the resources that the program may rewrite.
	Docs []Doc `json:"docs"`
	// Index lists other resources that a selector may mean, or a generated name may clash with.
	Index []Entry `json:"index"`
	// Kinds are all kinds of the app, for suggestions.
	Kinds []string `json:"kinds"`
}

// Doc is a resource handed over whole.
type Doc struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// Entry is a resource of which only its identity and stage are handed over.
type Entry struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Stage      string `json:"stage"`
	// Fixed says that the resource itself names its stage.
	Fixed bool `json:"fixed"`
	// Rules and Groups are its own change rules and change groups of kapp.
	Rules  []string `json:"rules"`
	Groups []string `json:"groups"`
	// Digest is Digest of its content, where a hook's triggers may mean its kind.
	Digest string `json:"digest,omitempty"`
}

// Output is what the program decided.
type Output struct {
	// Resources are the YAML documents that are new or rewritten.
	Resources [][]byte
	// Taken are the IDs of Docs that stand in Resources in another form.
	Taken []int
	// Groups holds, by Key, the annotations of the resources that a selector means.
	Groups map[string][]Annotation
	// Prefix and a stage name the change group of every other resource.
	Prefix string
	// Problems are what is wrong with the input; with an error among them the rest is empty or unfinished.
	Problems []Problem
}

// Annotation is a key and its value.
type Annotation struct {
	Key   string `yaml:"key"`
	Value string `yaml:"value"`
}

// Problem is a finding at a path of a Lifecycle, or in a Doc, there perhaps at an annotation.
type Problem struct {
	Lifecycle  *int   `yaml:"lifecycle"`
	Path       string `yaml:"path"`
	Doc        *int   `yaml:"doc"`
	Annotation string `yaml:"annotation"`
	What       string `yaml:"what"`
	Fix        string `yaml:"fix"`
	Warning    bool   `yaml:"warning"`
}

// report is the first document that the program writes for the binary.
type report struct {
	Prefix string `yaml:"prefix"`
	Taken  []int  `yaml:"taken"`
	Groups []struct {
		Key         string       `yaml:"key"`
		Annotations []Annotation `yaml:"annotations"`
	} `yaml:"groups"`
	Problems []Problem `yaml:"problems"`
}

// Run runs the program. An error is a fault of the program or of a Doc that ytt cannot read; what a
// person did wrong comes in Output.Problems.
func Run(in Input) (Output, error) {
	text, err := encode(in)
	if err != nil {
		return Output{}, fmt.Errorf("encoding the input of the ytt program: %w", err)
	}
	sources := []*files.File{newFile(templates.Input, text)}
	for _, file := range templates.Files() {
		if file.Path != templates.Schema {
			sources = append(sources, newFile(file.Path, file.Content))
		}
	}
	out := template.NewOptions().RunWithFiles(template.Input{Files: sources}, ui.NewCustomWriterTTY(false, io.Discard, io.Discard))
	if out.Err != nil {
		return Output{}, fmt.Errorf("running the ytt program: %w", out.Err)
	}
	if out.DocSet == nil || len(out.DocSet.Items) == 0 {
		return Output{}, fmt.Errorf("running the ytt program: it wrote no report")
	}
	return decode(out.DocSet.Items)
}

func newFile(path string, content []byte) *files.File {
	return files.MustNewFileFromSource(files.NewBytesSource(path, content))
}

func decode(docs []*yamlmeta.Document) (Output, error) {
	text, err := docs[0].AsYAMLBytes()
	if err != nil {
		return Output{}, fmt.Errorf("reading the report of the ytt program: %w", err)
	}
	var r report
	if err := yaml.Unmarshal(text, &r); err != nil {
		return Output{}, fmt.Errorf("reading the report of the ytt program: %w", err)
	}
	out := Output{Taken: r.Taken, Prefix: r.Prefix, Problems: r.Problems, Groups: make(map[string][]Annotation, len(r.Groups))}
	for _, group := range r.Groups {
		out.Groups[group.Key] = group.Annotations
	}
	for _, doc := range docs[1:] {
		text, err := doc.AsYAMLBytes()
		if err != nil {
			return Output{}, fmt.Errorf("printing a resource of the ytt program: %w", err)
		}
		out.Resources = append(out.Resources, text)
	}
	return out, nil
}
