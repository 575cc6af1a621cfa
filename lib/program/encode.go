package program

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// encode gives the input as JSON that is YAML too: ytt reads it with its YAML parser, which keeps
// whole numbers whole, and refuses some characters that JSON allows as they are.
func encode(in Input) ([]byte, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	if !strings.ContainsFunc(string(text), needsEscape) {
		return text, nil
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case !needsEscape(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, "\\U%08x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return []byte(b.String()), nil
}

// needsEscape holds for what YAML does not count as printable (YAML 1.2, 5.1) or takes for a line break; inside
// JSON such a rune stands in a string, where both languages read an escape.
func needsEscape(r rune) bool {
	return r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || (r > 0x7f && !unicode.IsPrint(r))
}
