package program

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"carvel.dev/ytt/pkg/orderedmap"
	"carvel.dev/ytt/pkg/yamlmeta"
)

// Digest gives the digest of a resource's content as digest() of templates/kapp-lifecycle/resource.star does:
// SHA-256 over its JSON, keys sorted, as ytt's own YAML reader sees it. What that cannot read is an error.
func Digest(text []byte) (_ string, err error) {
	defer func() {
		// ytt's reader panics where a key stands twice.
		if reason := recover(); reason != nil {
			err = fmt.Errorf("reading a resource as ytt does: %v", reason)
		}
	}()
	var value any
	if err := yamlmeta.PlainUnmarshal(text, &value); err != nil {
		return "", fmt.Errorf("reading a resource as ytt does: %w", err)
	}
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(orderedmap.Conversion{Object: value}.AsUnorderedStringMaps()); err != nil {
		return "", fmt.Errorf("encoding a resource as ytt does: %w", err)
	}
	sum := sha256.Sum256(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
	return hex.EncodeToString(sum[:]), nil
}
