package lifecycle

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"carvel.dev/ytt/pkg/spell"
	"go.yaml.in/yaml/v3"
)

// label is a DNS label (RFC 1123), as Kubernetes wants for names that become labels.
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// fixedLabel proposes a name near to one that is none.
func fixedLabel(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	fixed := b.String()
	if len(fixed) > 63 {
		fixed = fixed[:63]
	}
	if fixed = strings.Trim(fixed, "-"); !label.MatchString(fixed) {
		return ""
	}
	return ", such as " + quote(fixed)
}

// meant gives the candidate that a misspelt word most likely stands for, or else otherwise.
func meant(word string, candidates []string, otherwise string) string {
	if len(word) > 64 {
		return otherwise
	}
	if near := spell.Nearest(strings.ToLower(word), candidates); near != "" {
		return "did you mean " + quote(near) + "?"
	}
	return otherwise
}

// quote gives a word as a message shows it: on one line, and not too long.
func quote(text string) string {
	if runes := []rune(text); len(runes) > 100 {
		text = string(runes[:100]) + "..."
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return `"` + text + `"`
}

// foreignEvents are events of Helm and Argo CD, without dashes and in lower case, and what they are here.
var foreignEvents = map[string]string{
	"install":      "write pre-install or post-install",
	"upgrade":      "write pre-upgrade or post-upgrade",
	"deploy":       "write pre-deploy or post-deploy",
	"presync":      `did you mean "pre-deploy"?`,
	"postsync":     `did you mean "post-deploy"?`,
	"sync":         "write pre-deploy or post-deploy",
	"syncfail":     "a hook that runs at a failure is not supported",
	"prerollback":  "to kapp a rollback is an upgrade, to older content: write pre-upgrade",
	"postrollback": "to kapp a rollback is an upgrade, to older content: write post-upgrade",
	"rollback":     "to kapp a rollback is an upgrade, to older content: write pre-upgrade or post-upgrade",
	"crdinstall":   "CRDs are in place before any hook and need none",
	"predelete":    "pre-delete is not supported yet",
	"postdelete":   "post-delete is not supported yet",
	"delete":       "events of the deletion are not supported yet",
	"testsuccess":  "tests are not supported yet",
	"testfailure":  "tests are not supported yet",
}

// foreignEvent gives advice on an event that another tool knows, or "".
func foreignEvent(word string) string {
	return foreignEvents[strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// place names a path for a person.
func place(path string) string {
	if path == "" {
		return "the Lifecycle"
	}
	return path
}

func kindOf(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Tag == "!!int" || node.Tag == "!!float":
		return "a number"
	case node.Tag == "!!bool" || !isQuoted(node) && booleans.MatchString(node.Value):
		return "true or false"
	case node.Tag == "!!null":
		return "nothing"
	case node.Tag == "!!timestamp":
		return "a date"
	case node.Kind == yaml.ScalarNode && node.Tag == "!!merge":
		return "a merge key"
	case node.Kind == yaml.ScalarNode && node.Tag != "!!str":
		return "tagged " + node.Tag
	default:
		return "text"
	}
}
