package order

import (
	"fmt"

	"carvel.dev/kapp/pkg/kapp/logger"
	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"k8s.io/apimachinery/pkg/labels"
)

const (
	nonceKey    = "kapp.k14s.io/nonce"
	appLabel    = "kapp.k14s.io/app"
	appLabelVal = "1"
)

// prepare gives copies of an app's resources as kapp deploys them: in a namespace, with nonces
// (pkg/kapp/app/preparation.go) and with the labels of the app (pkg/kapp/resources/labeled_resources.go).
func prepare(app *App, namespace, nonce string) ([]ctlres.Resource, error) {
	resources := make([]ctlres.Resource, len(app.resources))
	for i, res := range app.resources {
		resources[i] = res.DeepCopy()
	}
	scope := scopes(resources)
	for _, res := range resources {
		switch {
		case !scope.namespaced(res):
			res.RemoveNamespace()
		case res.Namespace() == "":
			res.SetNamespace(namespace)
		}
		if err := addNonce(res, nonce); err != nil {
			return nil, err
		}
	}
	selector := labels.Set{appLabel: appLabelVal}.AsSelector()
	labeled := ctlres.NewLabeledResources(selector, ctlres.IdentifiedResources{}, logger.NewNoopLogger())
	err := labeled.Prepare(resources, app.conf.OwnershipLabelMods(), app.conf.LabelScopingMods(true), app.conf.AdditionalLabels())
	if err != nil {
		return nil, fmt.Errorf("adding kapp's labels: %w", err)
	}
	return resources, nil
}

func addNonce(res ctlres.Resource, nonce string) error {
	value, found := res.Annotations()[nonceKey]
	if !found {
		return nil
	}
	if value != "" {
		return fmt.Errorf("%s: the annotation %s has the value %q, which kapp refuses (leave it empty)", reference(res), nonceKey, value)
	}
	return annotate(res, nonceKey, nonce)
}

func annotate(res ctlres.Resource, key, value string) error {
	return ctlres.StringMapAppendMod{
		ResourceMatcher: ctlres.AllMatcher{},
		Path:            ctlres.NewPathFromStrings([]string{"metadata", "annotations"}),
		KVs:             map[string]string{key: value},
	}.Apply(res)
}
