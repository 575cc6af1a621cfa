// Package render turns an app's manifests and its Lifecycles into the stream that kapp deploys.
//
// It is the fast lane's conductor: it reads every document, lets lib/program (the ytt program) decide on the few that it
// must see, and passes all others on with one annotation spliced in. Everything is in memory: no file is opened here.
package render

import (
	"fmt"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/input"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/lifecycle"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/manifest"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/program"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/stage"
)

const (
	// prefix of the annotations that a person writes on the app's resources.
	prefix = "kapp-lifecycle.dev/"
	// groupAnnotation names a resource's stage for kapp; finding it in the input means that it was rendered before.
	groupAnnotation = "kapp.k14s.io/change-group.kapp-lifecycle"
)

// Options say what the input alone does not.
type Options struct {
	// App names the change groups, and a Lifecycle that has no name.
	App string
	// Lifecycle holds the Lifecycles where they stand in a file of their own.
	Lifecycle *input.Stream
}

// Result is what is to be deployed.
type Result struct {
	// Documents are the YAML documents in order: the app's, then ours.
	Documents [][]byte
	// Warnings are findings that do not stop the work.
	Warnings problem.List
}

// Render gives the documents to deploy. The error is a problem.List where the input is to blame; then nothing is to be deployed.
func Render(streams []input.Stream, options Options) (Result, error) {
	app, err := read(streams, options)
	if err != nil {
		return Result{}, err
	}
	selection := app.selection()
	index := app.index(selection)
	if err := app.problems.Err(); err != nil {
		return Result{}, err
	}
	out, err := program.Run(program.Input{
		Lifecycles: app.texts(),
		App:        options.App,
		Digest:     app.digest,
		Docs:       docs(selection.whole),
		Index:      index,
		Kinds:      app.kinds(),
	})
	if err != nil {
		return Result{}, err
	}
	problems := append(app.problems, app.place(out.Problems, selection.whole)...)
	problems.Sort()
	errs, warnings := problems.Split()
	if len(errs) > 0 {
		return Result{}, errs
	}

	taken := make(map[*resource]bool, len(out.Taken))
	for _, id := range out.Taken {
		taken[selection.whole[id]] = true
	}
	result := Result{Warnings: warnings}
	for _, r := range app.resources {
		switch {
		case taken[r]:
		case r.isConfig():
			result.Documents = append(result.Documents, r.text)
		default:
			result.Documents = append(result.Documents, r.annotated(out))
		}
	}
	result.Documents = append(result.Documents, out.Resources...)
	return result, nil
}

// docs hands over the resources that the program must see whole.
func docs(whole []*resource) []program.Doc {
	all := make([]program.Doc, len(whole))
	for id, r := range whole {
		all[id] = program.Doc{ID: id, Text: string(r.text)}
	}
	return all
}

// annotated gives the resource's text with its change groups.
func (r *resource) annotated(out program.Output) []byte {
	groups, selected := out.Groups[r.key()]
	if !selected {
		return r.manifest.Annotate(manifest.Annotation{Key: groupAnnotation, Value: out.Prefix + string(r.stage())})
	}
	annotations := make([]manifest.Annotation, len(groups))
	for i, group := range groups {
		annotations[i] = manifest.Annotation{Key: group.Key, Value: group.Value}
	}
	return r.manifest.Annotate(annotations...)
}

// stage is the table's, or what the resource's own annotation says.
func (r *resource) stage() stage.Stage {
	if own := r.meta.Annotations[stage.Annotation]; own != "" {
		return stage.Stage(own)
	}
	return stage.Of(r.meta.APIVersion, r.meta.Kind)
}

// place turns the program's findings into places in files.
func (a *app) place(found []program.Problem, whole []*resource) problem.List {
	var all problem.List
	for _, p := range found {
		placed := problem.Problem{What: p.What, Fix: p.Fix}
		if p.Warning {
			placed.Severity = problem.Warning
		}
		switch {
		case p.Lifecycle != nil && *p.Lifecycle < len(a.lifecycles):
			placed.Position = a.lifecycles[*p.Lifecycle].source.Position(p.Path)
		case p.Doc != nil && *p.Doc < len(whole):
			placed.Position = whole[*p.Doc].position(p.Annotation)
		default:
			// The program names a place that we did not give it.
			placed.What = fmt.Sprintf("%s %s", placed.What, p.Path)
		}
		all = append(all, placed)
	}
	return all
}

// document is a Lifecycle and where its parts stand.
type document struct {
	lifecycle *lifecycle.Lifecycle
	source    *lifecycle.Source
}

func (a *app) texts() []string {
	all := make([]string, len(a.lifecycles))
	for i, d := range a.lifecycles {
		all[i] = string(d.source.Text)
	}
	return all
}
