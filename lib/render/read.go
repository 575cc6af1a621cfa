package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/input"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/lifecycle"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/manifest"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/problem"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/stage"
	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
)

// kappConfig is the apiVersion of kapp's own configuration, which is no resource and goes out as it came.
const kappConfig = "kapp.k14s.io/v1alpha1"

// app is the whole input.
type app struct {
	resources  []*resource
	lifecycles []document
	digest     string
	problems   problem.List
}

// resource is one document of the input, or one item of a list.
type resource struct {
	file     string
	line     int
	text     []byte
	manifest manifest.Manifest
	meta     manifest.Meta
}

func (r *resource) isConfig() bool { return r.meta.APIVersion == kappConfig }

// key is what kapp tells resources apart by, as key() of templates/kapp-lifecycle/resource.star gives it.
func (r *resource) key() string {
	group, _, found := strings.Cut(r.meta.APIVersion, "/")
	if !found {
		group = ""
	}
	return r.meta.Namespace + "/" + group + "/" + r.meta.Kind + "/" + r.meta.Name
}

// position is where the resource stands, or one of its annotations.
func (r *resource) position(annotation string) problem.Position {
	at := problem.Position{File: r.file, Line: r.line, Column: 1}
	if offset := bytes.Index(r.text, []byte(annotation)); annotation != "" && offset >= 0 {
		before := r.text[:offset]
		at.Line += bytes.Count(before, []byte("\n"))
		at.Column = offset - bytes.LastIndexByte(before, '\n')
	} else {
		// A document may begin with comments and blank lines.
		for _, line := range bytes.Split(r.text, []byte("\n")) {
			if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
				break
			}
			at.Line++
		}
	}
	return at
}

// read takes the input apart. Its error is a problem.List.
func read(streams []input.Stream, options Options) (*app, error) {
	a := &app{}
	hash := sha256.New()
	parts := 0
	add := func(text []byte) {
		if parts > 0 {
			hash.Write([]byte("\n---\n"))
		}
		hash.Write(text)
		parts++
	}
	for _, stream := range streams {
		before := len(a.lifecycles)
		rest := a.readStream(stream)
		switch {
		case len(a.lifecycles) == before:
			add(stream.Text)
		case len(rest) > 0:
			add(bytes.Join(rest, []byte("\n---\n")))
		}
	}
	a.digest = hex.EncodeToString(hash.Sum(nil))

	if options.Lifecycle != nil {
		a.readLifecycles(*options.Lifecycle)
	}
	if len(a.problems) == 0 {
		a.checkWhole(options)
	}
	return a, a.problems.Err()
}

// readStream reads a stream's resources and Lifecycles; it gives the text of the documents that are no Lifecycle.
func (a *app) readStream(stream input.Stream) [][]byte {
	var rest [][]byte
	for _, doc := range yamlstream.Split(stream.Text) {
		if doc.Empty() {
			continue
		}
		items, expanded, err := manifest.Expand(doc.Text)
		if err != nil {
			a.fail(stream.Name, doc.Line, err)
			continue
		}
		if !expanded {
			items = [][]byte{doc.Text}
		}
		isLifecycle := false
		for _, item := range items {
			m, err := manifest.Read(item)
			if err != nil {
				a.fail(stream.Name, doc.Line, err)
				continue
			}
			if isLifecycleMeta(m.Meta) {
				isLifecycle = true
				a.readLifecycle(stream.Name, item, doc.Line)
				continue
			}
			a.addResource(&resource{file: stream.Name, line: doc.Line, text: item, manifest: m, meta: m.Meta})
		}
		if !isLifecycle {
			rest = append(rest, doc.Text)
		}
	}
	return rest
}

// isLifecycleMeta finds a Lifecycle by its kind; which version it must have is said when it is read.
func isLifecycleMeta(meta manifest.Meta) bool {
	return strings.HasPrefix(meta.APIVersion, "kapp-lifecycle.dev/") || (meta.Kind == "Lifecycle" && meta.APIVersion == "")
}

func (a *app) readLifecycles(stream input.Stream) {
	for _, doc := range yamlstream.Split(stream.Text) {
		if !doc.Empty() {
			a.readLifecycle(stream.Name, doc.Text, doc.Line)
		}
	}
}

func (a *app) readLifecycle(file string, text []byte, line int) {
	parsed, source, problems := lifecycle.Parse(file, text, line)
	a.problems = append(a.problems, problems...)
	if problems.Err() == nil {
		a.lifecycles = append(a.lifecycles, document{lifecycle: parsed, source: source})
	}
}

// addResource checks what kapp needs of a resource (kapp v0.66.0, pkg/kapp/app/preparation.go, validateBasicInfo).
func (a *app) addResource(r *resource) {
	report := func(severity problem.Severity, at problem.Position, what, fix string) {
		a.problems = append(a.problems, problem.Problem{Position: at, Severity: severity, What: what, Fix: fix})
	}
	for _, at := range r.manifest.Duplicates {
		at.File = r.file
		at.Line += r.line - 1
		report(problem.Warning, at, "the key stands twice in one mapping", "kapp takes the last; remove the other")
	}
	own := r.meta.Annotations[stage.Annotation]
	_, rendered := r.meta.Annotations[groupAnnotation]
	switch {
	case r.isConfig():
	case r.meta.Kind == "":
		report(problem.Error, r.position(""), "the document is not a Kubernetes resource: it has no kind", "add it, or leave the file out")
	case r.meta.Name == "" && r.meta.GenerateName != "":
		report(problem.Warning, r.position("generateName"), "kapp does not deploy a "+r.meta.Kind+" with generateName", "give it metadata.name")
	case r.meta.Name == "":
		report(problem.Error, r.position(""), "the "+r.meta.Kind+" has no metadata.name", "add it as a string")
	case r.meta.APIVersion == "":
		report(problem.Warning, r.position(""), "kapp does not deploy the "+r.meta.Kind+" "+quote(r.meta.Name)+" without an apiVersion", "add it")
	case rendered:
		report(problem.Error, r.position(groupAnnotation), r.meta.Kind+" "+quote(r.meta.Name)+" is rendered already", "give the manifests as they were before")
	case own != "" && !stage.Valid(own):
		report(problem.Error, r.position(stage.Annotation), quote(own)+" is not a stage", fmt.Sprintf("it is %s or %s", stage.Prerequisites, stage.Workloads))
	}
	a.resources = append(a.resources, r)
}

func quote(s string) string { return `"` + s + `"` }

// checkWhole checks what only the whole input shows.
func (a *app) checkWhole(options Options) {
	switch {
	case len(a.lifecycles) == 0:
		a.problems = append(a.problems, problem.Problem{
			What: "there is no Lifecycle in the input",
			Fix:  "give --lifecycle FILE, or a document of kind: Lifecycle with -f",
		})
	case len(a.resources) == 0:
		// kapp would take an empty app for the wish to delete everything.
		a.problems = append(a.problems, problem.Problem{
			What: "the input holds no resources",
			Fix:  "give the app's manifests with -f; if they come from a step before, see what that printed",
		})
	}
}

// fail adds an error of one document, whose places count from its first line.
func (a *app) fail(file string, line int, err error) {
	var p problem.Problem
	if !errors.As(err, &p) {
		p = problem.Problem{What: err.Error()}
	}
	p.File = file
	if p.Line == 0 {
		p.Line = line
	} else {
		p.Line += line - 1
	}
	a.problems = append(a.problems, p)
}
