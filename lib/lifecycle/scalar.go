package lifecycle

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// booleans are what YAML 1.1, and so ytt, takes for true and false where it is not quoted.
var booleans = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false)$`)

// isQuoted holds for a scalar that no reader takes for anything but text.
func isQuoted(node *yaml.Node) bool {
	return node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// isText holds for what is text for us and for ytt.
func isText(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && node.Tag == "!!str" && (isQuoted(node) || !booleans.MatchString(node.Value))
}

// isString reports what is no text.
func (d *decoding) isString(node *yaml.Node, what string) bool {
	if isText(node) {
		return true
	}
	fix := "write text"
	if node.Kind == yaml.ScalarNode {
		fix = "put it in quotes"
	}
	d.report(node, what+" is "+kindOf(node)+", and must be text", fix)
	return false
}

// text reads a field, or an item of a list of text.
func (d *decoding) text(node *yaml.Node, f field, path string) (string, bool) {
	if f.check == "duration" && node.Kind == yaml.ScalarNode && !isText(node) {
		d.report(node, quote(node.Value)+" is not a duration", durationFix(node.Value))
		return "", false
	}
	if !d.isString(node, place(path)) {
		return "", false
	}
	isItem := strings.HasSuffix(path, "]")
	switch {
	case len(f.enum) > 0 && !slices.Contains(f.enum, node.Value):
		d.notOneOf(node, f)
	case f.check == "label" && !label.MatchString(node.Value):
		d.report(node, quote(node.Value)+" is no "+f.key, "write lower case letters, digits and -, at most 63"+fixedLabel(node.Value))
	case f.check == "duration" && !isDuration(node.Value):
		d.report(node, quote(node.Value)+" is not a duration", durationFix(node.Value))
	case node.Value == "" && f.required:
		d.report(node, place(path)+" is empty", "write its "+f.key)
	case node.Value == "" && !isItem:
		d.report(node, place(path)+" is empty", "write it, or remove the key")
	default:
		return node.Value, true
	}
	return "", false
}

func (d *decoding) notOneOf(node *yaml.Node, f field) {
	oneOf := "it is one of " + strings.Join(f.enum, ", ")
	switch advice := foreignEvent(node.Value); {
	case f.key != "events":
		d.report(node, quote(node.Value)+" is not a value of "+f.key, meant(node.Value, f.enum, oneOf))
	case slices.Contains(LaterEvents, node.Value):
		d.report(node, "the event "+quote(node.Value)+" is not supported yet", oneOf)
	case advice != "":
		d.report(node, quote(node.Value)+" is not a hook event", advice)
	default:
		d.report(node, quote(node.Value)+" is not a hook event", meant(node.Value, f.enum, oneOf))
	}
}

var (
	decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	large   = regexp.MustCompile(`^[1-9][0-9]{9,}$`)
)

func (d *decoding) number(node *yaml.Node, f field, path string) (int, bool) {
	least, fix := math.MinInt32, "write a whole number"
	if f.check == "natural" {
		least, fix = 0, "write a whole number, 0 or more"
	}
	if node.Kind != yaml.ScalarNode {
		d.report(node, place(path)+" is "+kindOf(node)+", and must be a number", fix)
		return 0, false
	}
	number, err := strconv.ParseInt(node.Value, 10, 32)
	isWhole := decimal.MatchString(node.Value) && err == nil && number >= int64(least)
	if isWhole && node.Tag == "!!int" {
		return int(number), true
	}
	switch {
	case isWhole:
		fix += ", without quotes"
	case large.MatchString(node.Value):
		fix = "write at most " + strconv.Itoa(math.MaxInt32)
	}
	d.report(node, quote(node.Value)+" is no value for "+f.key, fix)
	return 0, false
}
