package templates

import (
	"bytes"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// bundle makes one Starlark module of many. ytt parses a module anew for every load (carvel.dev/ytt v0.53.0,
// pkg/workspace/template_loader.go keeps none), so that many small modules, each loaded by several, cost ten times
// what one costs. It needs all global names of the modules to be different and no load to rename, which a test sees to.
func bundle(modules map[string][]byte) ([]byte, error) {
	var names []string
	for name := range modules {
		names = append(names, name)
	}
	sort.Strings(names)

	outside := map[string]map[string]bool{}
	var body bytes.Buffer
	done := map[string]bool{}
	var add func(name string, from []string) error
	add = func(name string, from []string) error {
		if done[name] {
			return nil
		}
		for _, earlier := range from {
			if earlier == name {
				return fmt.Errorf("modules load each other in a circle: %s", strings.Join(append(from, name), " -> "))
			}
		}
		text, found := modules[name]
		if !found {
			return fmt.Errorf("%s loads %s, which is not there", from[len(from)-1], name)
		}
		var own bytes.Buffer
		for _, line := range strings.SplitAfter(string(text), "\n") {
			load := loadLine.FindStringSubmatch(line)
			switch {
			case load == nil:
				own.WriteString(line)
			case strings.HasPrefix(load[1], "@"):
				if outside[load[1]] == nil {
					outside[load[1]] = map[string]bool{}
				}
				for _, symbol := range strings.Split(load[2], ",") {
					outside[load[1]][strings.TrimSpace(symbol)] = true
				}
			default:
				if err := add(load[1], append(from, name)); err != nil {
					return err
				}
			}
		}
		done[name] = true
		fmt.Fprintf(&body, "\n# %s\n\n", name)
		body.Write(own.Bytes())
		return nil
	}
	for _, name := range names {
		if err := add(name, nil); err != nil {
			return nil, err
		}
	}

	var result bytes.Buffer
	var libraries []string
	for library := range outside {
		libraries = append(libraries, library)
	}
	sort.Strings(libraries)
	for _, library := range libraries {
		var symbols []string
		for symbol := range outside[library] {
			symbols = append(symbols, symbol)
		}
		sort.Strings(symbols)
		fmt.Fprintf(&result, "load(%q, %s)\n", library, strings.Join(symbols, ", "))
	}
	result.Write(body.Bytes())
	return result.Bytes(), nil
}

var loadLine = regexp.MustCompile(`^load\("([^"]+)", (.*)\)\n?$`)
