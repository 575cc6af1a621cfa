package node

import (
	"strings"
	"testing"
)

// TestExpand has the cases of the Kubernetes documentation and of its expansion tests.
func TestExpand(t *testing.T) {
	vars := map[string]string{"A": "a", "EMPTY": "", "B": "$(A)"}
	get := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	for in, want := range map[string]string{
		"$(A)":            "a",
		"x$(A)y$(A)z":     "xayaz",
		"$(EMPTY)|":       "|",
		"$(UNKNOWN)":      "$(UNKNOWN)",
		"$$(A)":           "$(A)",
		"$$$(A)":          "$a",
		"$$$$(A)":         "$$(A)",
		"$A ${A} $":       "$A ${A} $",
		"$(A":             "$(A",
		"$(A$(A)":         "$(A$(A)",
		"$()":             "$()",
		"$(B)":            "$(A)", // a value is not expanded again
		"100$ and $$ ok":  "100$ and $ ok",
		"$(cat /etc/a b)": "$(cat /etc/a b)",
	} {
		if got := expand(in, get); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// FuzzExpand: where nothing is escaped and each variable stands for its own reference, nothing changes.
func FuzzExpand(f *testing.F) {
	f.Add("$(A) $(B")
	f.Add("$(A$(B)) $")
	f.Fuzz(func(t *testing.T, s string) {
		same := func(name string) (string, bool) { return "$(" + name + ")", true }
		if got := expand(s, same); got != s && !strings.Contains(s, "$$") {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
