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

// Readable says why ytt's own YAML reader, which the program has, cannot read a document: nil where it can.
func Readable(text []byte) error {
	_, err := plain(text)
	return err
}

func plain(text []byte) (value any, err error) {
	defer func() {
		// ytt's reader panics where a key stands twice, and at line ends that it does not know.
		if reason := recover(); reason != nil {
			value, err = nil, fmt.Errorf("ytt cannot read it: %v", reason)
		}
	}()
	if err := yamlmeta.PlainUnmarshal(text, &value); err != nil {
		return nil, fmt.Errorf("ytt cannot read it: %w", err)
	}
	return value, nil
}

// Digest gives the digest of a resource's content as content_digest() of templates/_ytt_lib/kapp-lifecycle/resource.star
// does: SHA-256 over its JSON, keys sorted, as ytt's own YAML reader sees it. What that cannot read is an error.
func Digest(text []byte) (string, error) {
	value, err := plain(text)
	if err != nil {
		return "", err
	}
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(orderedmap.Conversion{Object: value}.AsUnorderedStringMaps()); err != nil {
		return "", fmt.Errorf("encoding a resource as ytt does: %w", err)
	}
	sum := sha256.Sum256(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
	return hex.EncodeToString(sum[:]), nil
}
