package lifecycle

import (
	"regexp"
	"strconv"
	"strings"

	"carvel.dev/ytt/pkg/spell"
	"go.yaml.in/yaml/v3"
)

// label is a DNS label (RFC 1123), as Kubernetes wants for names that become labels.
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// duration is what both kapp (time.ParseDuration) and we read; the least unit of a Job's deadline is a second.
var duration = regexp.MustCompile(`^([0-9]+h)?([0-9]+m)?([0-9]+s)?$`)

func isDuration(text string) bool {
	return text != "" && duration.MatchString(text) && strings.ContainsAny(text, "123456789")
}

var (
	days     = regexp.MustCompile(`^([0-9]{1,6})d$`)
	bare     = regexp.MustCompile(`^[0-9]+$`)
	fraction = regexp.MustCompile(`^([0-9]{1,6})\.5h$`)
)

// durationFix says how a duration is written that somebody wrote in another way.
func durationFix(text string) string {
	if found := days.FindStringSubmatch(text); found != nil {
		number, _ := strconv.Atoi(found[1])
		return "write " + strconv.Itoa(number*24) + "h"
	}
	if bare.MatchString(text) && strings.Trim(text, "0") != "" {
		return "write " + text + "s for seconds, or " + text + "m for minutes"
	}
	if found := fraction.FindStringSubmatch(text); found != nil {
		return "write " + found[1] + "h30m"
	}
	return "write hours, minutes and seconds, such as 90s, 5m or 1h30m"
}

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

func meant(word string, candidates []string, otherwise string) string {
	if near := spell.Nearest(strings.ToLower(word), candidates); near != "" {
		return "did you mean " + quote(near) + "?"
	}
	return otherwise
}

func quote(text string) string { return `"` + text + `"` }

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
	case node.Tag == "!!bool" || booleans.MatchString(node.Value):
		return "true or false"
	case node.Tag == "!!null":
		return "nothing"
	case node.Tag == "!!timestamp":
		return "a date"
	default:
		return "text"
	}
}
