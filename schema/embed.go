// Package schema holds the JSON Schema of lifecycle.yaml, which lib/lifecycle generates from its types.
package schema

import _ "embed"

// JSON is the schema, draft 2020-12.
//
//go:embed lifecycle.schema.json
var JSON []byte
