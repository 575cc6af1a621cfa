package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/kapp-lifecycle/kapp-lifecycle/lib/yamlstream"
)

// benchmarkStream is 10,000 documents of the kinds that charts hold most of, about 6 MB.
func benchmarkStream() []byte {
	var out bytes.Buffer
	for i := range 2500 {
		fmt.Fprintf(&out, benchmarkDocuments, i)
	}
	return out.Bytes()
}

const benchmarkDocuments = `---
# Source: app/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%[1]d
  namespace: "shop"
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: web-%[1]d
  annotations:
    checksum/config: 0f8aea5bf0d6a7
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/instance: web-%[1]d
  template:
    metadata:
      labels:
        app.kubernetes.io/instance: web-%[1]d
    spec:
      containers:
        - name: web
          image: "registry.example.com/web:1.2.3"
          args: ["--port", "8080"]
          env:
            - name: DATABASE
              value: postgres://db:5432/web
            - name: PASSWORD
              valueFrom:
                secretKeyRef: {name: web-%[1]d, key: password}
          resources:
            limits:
              cpu: 100m
              memory: 128Mi
          readinessProbe:
            httpGet:
              path: /healthz
              port: 8080
---
# Source: app/templates/service.yaml
apiVersion: v1
kind: Service
metadata:
  name: web-%[1]d
  namespace: "shop"
spec:
  selector:
    app.kubernetes.io/instance: web-%[1]d
  ports:
  - port: 80
    targetPort: 8080
    protocol: TCP
---
# Source: app/templates/configmap.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: web-%[1]d
  namespace: "shop"
data:
  nginx.conf: |
    server {
      listen 8080;
      location / {
        proxy_pass http://127.0.0.1:%[1]d;
        proxy_set_header Host $host;
      }
    }
  application.properties: |-
    spring.datasource.url=jdbc:postgresql://db:5432/web
    spring.jpa.hibernate.ddl-auto=none
    # a comment of the file
    logging.level.root: INFO
---
# Source: app/templates/rolebinding.yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: web-%[1]d
  namespace: "shop"
  annotations:
    helm.sh/resource-policy: keep
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: web
subjects:
- kind: ServiceAccount
  name: web-%[1]d
  namespace: "shop"
`

// BenchmarkReadAnnotate is the fast lane: part a stream, read each document, add one annotation. Compare it with
// BenchmarkYAMLv3Nodes, which only parses the same bytes.
func BenchmarkReadAnnotate(b *testing.B) {
	stream := benchmarkStream()
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		count := 0
		for _, document := range yamlstream.Split(stream) {
			if document.Empty() {
				continue
			}
			m, err := Read(document.Text)
			if err != nil {
				b.Fatal(err)
			}
			if text := m.Annotate(group); len(text) <= len(document.Text) {
				b.Fatal("nothing was added")
			}
			count++
		}
		if count != 10000 {
			b.Fatalf("%d documents", count)
		}
	}
}

// BenchmarkYAMLv3Nodes parses the bytes of BenchmarkReadAnnotate to nodes.
func BenchmarkYAMLv3Nodes(b *testing.B) {
	stream := benchmarkStream()
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		decoder := yaml.NewDecoder(bytes.NewReader(stream))
		for {
			var node yaml.Node
			err := decoder.Decode(&node)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
