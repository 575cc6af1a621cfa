# Each target means one thing; CI calls the same ones.
SHELL := /bin/bash
VERSION ?= develop
LDFLAGS := -s -w -X github.com/kapp-lifecycle/kapp-lifecycle/lib/cli.Version=$(VERSION)
FUZZTIME ?= 20s

.PHONY: help build demo test unit e2e bench fuzz lint generate clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

build: ## build bin/kapp-lifecycle
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o bin/kapp-lifecycle ./cmd/kapp-lifecycle

demo: ## build, render a real example and show the order that kapp will follow (no cluster needed)
	@echo "==> building bin/kapp-lifecycle (the first time it takes a few minutes)"
	@$(MAKE) --no-print-directory build
	@echo "==> rendering examples/keycloak into bin/keycloak.yaml"
	bin/kapp-lifecycle render -f examples/keycloak/config -f examples/keycloak/lifecycle.yaml -o bin/keycloak.yaml
	@echo "==> the order of an install, from kapp's own change graph"
	bin/kapp-lifecycle plan -f examples/keycloak/config -f examples/keycloak/lifecycle.yaml

test: ## everything: lint, all tests, the e2e suite
	@echo "==> 1/3 lint"
	@$(MAKE) --no-print-directory lint
	@echo "==> 2/3 all tests without a cluster (about 3 minutes; some more the first time, for building)"
	go test -timeout 30m ./...
	@echo "==> 3/3 e2e suite"
	@$(MAKE) --no-print-directory e2e
	@echo "==> all passed"

unit: ## the quick tests: no cluster, and the simulation to a lesser depth
	go test -short ./...

e2e: ## real kapp, real API server, hooks that really run (builds Kubernetes the first time: 5 to 10 minutes)
	@cd e2e && go run ./cmd/e2e-build
	@cd e2e && set -o pipefail; go test -v -timeout 20m ./... 2>&1 | grep --line-buffered -Ev '^(=== |\?   |PASS$$)'

bench: ## measure, as ratios in one run
	go test -run '^$$' -bench . -benchtime 5x -count 1 ./lib/...

fuzz: ## run every fuzz target for FUZZTIME
	@set -e; for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "==> $$package $$target"; \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$package; \
	  done; \
	done

lint: ## gofmt and vet
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not gofmt'ed: $$files (run gofmt -w)"; exit 1; fi
	go vet ./...
	cd e2e && go vet ./...

generate: ## make the generated files anew
	go generate ./...

clean: ## remove what was built
	rm -rf bin
