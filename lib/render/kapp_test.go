package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// kappResources reads a stream with kapp's own code, as resources by identity.
func kappResources(t *testing.T, stream []byte) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	reader := kyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		resources, err := ctlres.NewResourcesFromBytes(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range resources {
			var value map[string]any
			text, err := json.Marshal(res.DeepCopyRaw())
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &value); err != nil {
				t.Fatal(err)
			}
			meta, _ := value["metadata"].(map[string]any)
			key := fmt.Sprint(value["apiVersion"], " ", value["kind"], " ", meta["namespace"], " ", meta["name"], " ", meta["generateName"])
			all[key] = append(all[key], normal(t, value))
		}
	}
}
