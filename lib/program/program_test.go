package program

import "testing"

const lifecycle = `apiVersion: kapp-lifecycle.dev/v1alpha1
kind: Lifecycle
metadata: {name: web}
spec:
  defaults: {image: "web:1"}
  hooks:
  - {name: backup, events: [pre-upgrade], command: [./backup], weight: -10}
  - {name: migrate, events: [pre-deploy], command: [./migrate]}
  - {name: configure, events: [post-deploy], command: [./configure], run: always}
  - {name: warm, events: [post-deploy], command: [./warm], run: every, interval: 24h}
  - {name: welcome, events: [post-install], command: [./welcome]}
`

// BenchmarkRun is the part of a render of five hooks that ytt takes.
func BenchmarkRun(b *testing.B) {
	in := Input{Lifecycles: []string{lifecycle}, Digest: "x", Docs: []Doc{}, Index: []Entry{}, Kinds: []string{}}
	for b.Loop() {
		out, err := Run(in)
		if err != nil || len(out.Problems) > 0 {
			b.Fatal(err, out.Problems)
		}
	}
}
