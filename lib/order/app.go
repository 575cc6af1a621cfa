package order

import (
	"fmt"
	"strings"

	ctlconf "carvel.dev/kapp/pkg/kapp/config"
	ctlres "carvel.dev/kapp/pkg/kapp/resources"
	"carvel.dev/kapp/pkg/kapp/version"
)

// KappVersion is the kapp that plans are those of.
const KappVersion = "0.66.0"

// Where kapp finds no version in the program (a test has none) it calls itself "develop", and then refuses every Config that
// names the least version it needs.
func init() {
	if version.Version == "develop" {
		version.Version = KappVersion
	}
}

// App is a rendered stream as kapp reads it: its resources, and what its Configs say.
type App struct {
	resources []ctlres.Resource
	conf      ctlconf.Conf
}

// Read reads a rendered stream as `kapp deploy -f` does. Its errors are kapp's: what is no YAML, a resource without
// kind, apiVersion or name, one that is there twice with different content, a Config that kapp does not understand.
func Read(stream []byte) (app *App, err error) {
	defer asError(&err)
	all, err := ctlres.NewFileResource(ctlres.NewBytesSource(stream)).Resources()
	if err != nil {
		return nil, fmt.Errorf("reading the rendered stream: %w", err)
	}
	resources, conf, err := ctlconf.NewConfFromResourcesWithDefaults(all)
	if err != nil {
		return nil, fmt.Errorf("reading kapp's configuration in the rendered stream: %w", err)
	}
	if err := nameless(resources); err != nil {
		return nil, err
	}
	resources, err = ctlres.NewUniqueResources(resources).Resources()
	if err != nil {
		return nil, fmt.Errorf("reading the rendered stream: %w", err)
	}
	return &App{resources: resources, conf: conf}, nil
}

// nameless refuses what kapp refuses (pkg/kapp/app/preparation.go, validateBasicInfo).
func nameless(resources []ctlres.Resource) error {
	for _, res := range resources {
		for _, field := range []struct{ name, value string }{
			{"kind", res.Kind()}, {"apiVersion", res.APIVersion()}, {"metadata.name", res.Name()},
		} {
			if field.value == "" {
				return fmt.Errorf("reading the rendered stream: %s (%s) has no %s", strings.TrimSpace(res.Description()), res.Origin(), field.name)
			}
		}
	}
	return nil
}

// asError makes an error of a panic in kapp's packages, which some odd inputs cause (an apiVersion with two slashes, a
// versioned resource whose version is no number): kapp would end there too.
func asError(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("kapp cannot plan this: %v", r)
	}
}
