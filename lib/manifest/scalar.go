package manifest

import (
	"encoding/json"
	"regexp"
)

// plain are strings that every version of YAML reads as themselves without quotes: they begin with a letter, hold nothing that
// has a meaning, and are none of the words that stand for something else.
var (
	plain = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9_./]*( [-A-Za-z0-9_./]+)*$`)
	words = regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false|null)$`)
)

// scalar gives a string as a YAML scalar in block style.
func scalar(text string) string {
	if plain.MatchString(text) && !words.MatchString(text) {
		return text
	}
	return quoted(text)
}

// quoted gives a string as one that both JSON and YAML read.
func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		// A string always encodes.
		panic(err)
	}
	return string(encoded)
}
