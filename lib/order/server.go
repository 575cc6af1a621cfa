package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

var (
	// ErrExists is the error of creating what is there already.
	ErrExists = errors.New("already exists")
	// ErrNotFound is the error of reading or updating what is not there.
	ErrNotFound = errors.New("not found")
	// ErrConflict is the error of updating what has changed since kapp compared with it, so that the change no longer is the one that was planned.
	ErrConflict = errors.New("has changed since the plan")
	// ErrImmutable is the error of an update that Kubernetes refuses.
	ErrImmutable = errors.New("field is immutable")
)

// create does what the API server does with a new resource: it identifies it, completes it and drops its status.
func (c *Cluster) create(res ctlres.Resource) (ctlres.Resource, error) {
	if c.at(res) != nil {
		return nil, fmt.Errorf("creating %s: %w", reference(res), ErrExists)
	}
	created, err := asServed(res)
	if err != nil {
		return nil, err
	}
	now := c.Now
	if now.IsZero() {
		now = time.Now()
	}
	c.births[key(res)]++
	metadata := metadataOf(created)
	metadata["uid"] = fmt.Sprintf("%s#%d", key(res), c.births[key(res)])
	metadata["creationTimestamp"] = now.UTC().Format(time.RFC3339)
	metadata["generation"] = int64(1)
	metadata["resourceVersion"] = "0"
	delete(created.UnstructuredObject(), "status")
	complete(created)
	return c.put(created), nil
}

// update does what the API server does with a changed resource: it leaves the status alone, counts generations, and
// refuses to change what a Job runs.
func (c *Cluster) update(res ctlres.Resource) (ctlres.Resource, error) {
	live := c.at(res)
	if live == nil {
		return nil, fmt.Errorf("updating %s: %w", reference(res), ErrNotFound)
	}
	updated, err := asServed(res)
	if err != nil {
		return nil, err
	}
	before, after := live.DeepCopy().UnstructuredObject(), updated.UnstructuredObject()
	if err := immutable(live, before, after); err != nil {
		return nil, fmt.Errorf("updating %s: %w", reference(res), err)
	}
	metadata := metadataOf(updated)
	for _, name := range []string{"uid", "creationTimestamp", "generation", "resourceVersion"} {
		metadata[name] = metadataOf(live)[name]
	}
	if generation, ok := metadata["generation"].(int64); ok && !reflect.DeepEqual(before["spec"], after["spec"]) {
		metadata["generation"] = generation + 1
	}
	delete(after, "status")
	if status, found := before["status"]; found {
		after["status"] = status
	}
	return c.put(updated), nil
}

// immutable refuses what Kubernetes refuses of a Job (pkg/apis/batch/validation, ValidateJobSpecUpdate).
func immutable(res ctlres.Resource, before, after map[string]any) error {
	if res.Kind() != "Job" || res.APIGroup() != "batch" {
		return nil
	}
	old, _ := before["spec"].(map[string]any)
	updated, _ := after["spec"].(map[string]any)
	for _, name := range []string{"completionMode", "completions", "podFailurePolicy", "selector", "template"} {
		if !reflect.DeepEqual(old[name], updated[name]) {
			return fmt.Errorf("spec.%s: %w", name, ErrImmutable)
		}
	}
	return nil
}

// asServed gives a resource as a client reads it from the API: whole numbers are int64 there, but float64 in what kapp
// reads from YAML, and kapp's record of what it applied tells the two apart.
func asServed(res ctlres.Resource) (ctlres.Resource, error) {
	text, err := json.Marshal(res.UnstructuredObject())
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", reference(res), err)
	}
	var object map[string]any
	if err := utiljson.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", reference(res), err)
	}
	served := res.DeepCopy()
	// DeepCopy's object is the only handle on the content that kapp's type gives.
	content := served.UnstructuredObject()
	clear(content)
	for name, value := range object {
		content[name] = value
	}
	return served, nil
}
