package order

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
)

// Cluster stands for a cluster: the resources in it and the little of an API server that kapp's decisions rest on.
// It is not safe for use by several goroutines; a Clone shares nothing that changes.
type Cluster struct {
	// Now is the creation time of what is created from here on; the zero value is the present. A hook with run: every
	// rests on it, and two clusters that went the same way hold the same only if it is set. kapp itself reads the clock.
	Now time.Time

	resources map[string]ctlres.Resource
	// births counts, by key, how often a resource was created, and writes how often anything was written.
	births map[string]int
	writes int
}

// NewCluster gives an empty cluster.
func NewCluster() *Cluster {
	return &Cluster{resources: map[string]ctlres.Resource{}, births: map[string]int{}}
}

// Add creates resources of a YAML stream as another hand than kapp's would, each with the status that is written in it.
func (c *Cluster) Add(stream []byte) error {
	resources, err := ctlres.NewFileResource(ctlres.NewBytesSource(stream)).Resources()
	if err != nil {
		return err
	}
	for _, res := range resources {
		created, err := c.create(res)
		if err != nil {
			return err
		}
		given, err := asServed(res)
		if err != nil {
			return err
		}
		if status, found := given.UnstructuredObject()["status"].(map[string]any); found {
			if err := c.SetStatus(reference(created), status); err != nil {
				return err
			}
		}
	}
	return nil
}

// Clone gives a copy whose changes do not show in the original.
func (c *Cluster) Clone() *Cluster {
	clone := *c
	clone.resources = maps.Clone(c.resources)
	clone.births = maps.Clone(c.births)
	return &clone
}

// Resources gives all resources in the cluster, sorted by their keys. They must not be written to.
func (c *Cluster) Resources() []ctlres.Resource {
	all := make([]ctlres.Resource, 0, len(c.resources))
	for _, key := range slices.Sorted(maps.Keys(c.resources)) {
		all = append(all, c.resources[key])
	}
	return all
}

// Get gives the one resource that a reference ("Job/migrate" or "Job/namespace/migrate") means, or nil. It must not be
// written to.
func (c *Cluster) Get(ref string) ctlres.Resource {
	var found ctlres.Resource
	for _, res := range c.resources {
		if !refersTo(ref, res) {
			continue
		}
		if found != nil {
			return nil
		}
		found = res
	}
	return found
}

// SetStatus writes the status of a resource, as a controller does: nil for none. Its numbers must be int64 or float64.
func (c *Cluster) SetStatus(ref string, status map[string]any) error {
	return c.Edit(ref, func(object map[string]any) {
		delete(object, "status")
		if status != nil {
			object["status"] = status
		}
	})
}

// Edit changes a resource as another hand than kapp's would. The object is the edit's own to write to.
func (c *Cluster) Edit(ref string, edit func(object map[string]any)) error {
	res := c.Get(ref)
	if res == nil {
		return fmt.Errorf("%s is not in the cluster", ref)
	}
	res = res.DeepCopy()
	edit(res.UnstructuredObject())
	c.put(res)
	return nil
}

// Remove takes a resource away, if it is there.
func (c *Cluster) Remove(ref string) {
	if res := c.Get(ref); res != nil {
		delete(c.resources, key(res))
		c.writes++
	}
}

// ofApp gives what kapp finds of the app: what has its label, and what has the name of a new resource
// (pkg/kapp/resources/labeled_resources.go, AllAndMatching).
func (c *Cluster) ofApp(newResources []ctlres.Resource) []ctlres.Resource {
	isNew := map[string]bool{}
	for _, res := range newResources {
		isNew[key(res)] = true
	}
	var found []ctlres.Resource
	for _, res := range c.Resources() {
		if isNew[key(res)] || res.Labels()[appLabel] == appLabelVal {
			found = append(found, res)
		}
	}
	return found
}

// nonce gives one that no earlier deploy had, if that wrote anything.
func (c *Cluster) nonce() string { return strconv.Itoa(c.writes) }

func (c *Cluster) at(res ctlres.Resource) ctlres.Resource { return c.resources[key(res)] }

// put stores a resource in place of the one that is there.
func (c *Cluster) put(res ctlres.Resource) ctlres.Resource {
	metadata := metadataOf(res)
	version, _ := metadata["resourceVersion"].(string)
	number, _ := strconv.Atoi(version)
	// Versions count by resource, so that two clusters in which a resource went the same way hold the same.
	metadata["resourceVersion"] = strconv.Itoa(number + 1)
	c.writes++
	c.resources[key(res)] = res
	return res
}

func key(res ctlres.Resource) string { return ctlres.NewUniqueResourceKey(res).String() }

// reference names a resource: "Kind/name", or "Kind/namespace/name" where it has a namespace.
func reference(res ctlres.Resource) string {
	if res.Namespace() == "" {
		return res.Kind() + "/" + res.Name()
	}
	return res.Kind() + "/" + res.Namespace() + "/" + res.Name()
}

// refersTo says whether a reference means a resource. The namespace may be left out, but is not guessed.
func refersTo(ref string, res ctlres.Resource) bool {
	kind, name, found := strings.Cut(ref, "/")
	if !found || kind != res.Kind() {
		return false
	}
	return name == res.Name() || name == res.Namespace()+"/"+res.Name()
}

func metadataOf(res ctlres.Resource) map[string]any {
	metadata, _ := res.UnstructuredObject()["metadata"].(map[string]any)
	return metadata
}
