package templates

import (
	"regexp"
	"strings"
	"testing"
)

// TestModulesCanBeOne: what bundle needs of the modules.
func TestModulesCanBeOne(t *testing.T) {
	global := regexp.MustCompile(`(?m)^(?:def (\w+)\(|(\w+) =)`)
	owner := map[string]string{}
	entries, err := sources.ReadDir("_ytt_lib/kapp-lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".star") {
			continue
		}
		text, err := sources.ReadFile("_ytt_lib/kapp-lifecycle/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range global.FindAllStringSubmatch(string(text), -1) {
			name := found[1] + found[2]
			if owner[name] != "" {
				t.Errorf("both %s and %s have a global %s", owner[name], entry.Name(), name)
			}
			owner[name] = entry.Name()
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "load(") && (!loadLine.MatchString(line) || strings.Contains(line, "=")) {
				t.Errorf("%s: %s: a load is one line, and renames nothing", entry.Name(), line)
			}
		}
	}
	if len(owner) < 50 {
		t.Errorf("only %d globals were found", len(owner))
	}
}

func TestBundleRefuses(t *testing.T) {
	for name, modules := range map[string]map[string][]byte{
		"circle":  {"a.star": []byte("load(\"b.star\", \"b\")\n"), "b.star": []byte("load(\"a.star\", \"a\")\n")},
		"missing": {"a.star": []byte("load(\"b.star\", \"b\")\n")},
	} {
		if _, err := bundle(modules); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestFilesAreThere(t *testing.T) {
	paths := map[string]bool{}
	for _, file := range Files() {
		paths[file.Path] = true
	}
	for _, path := range []string{"kapp-lifecycle.yml", Schema, program, "_ytt_lib/kapp-lifecycle/kapp-config/rebase.overlay", "_ytt_lib/kapp-lifecycle/kapp-config/wait.rule"} {
		if !paths[path] {
			t.Errorf("%s is missing", path)
		}
	}
	for path := range paths {
		if strings.HasSuffix(path, ".star") && path != program {
			t.Errorf("%s is not in the bundle", path)
		}
	}
}
