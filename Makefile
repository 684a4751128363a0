# The commands of this project. `make help` lists them; README.md says what they need.

PORT ?= 8080
ADMIN_PORT ?= 9190

.DEFAULT_GOAL := help
.PHONY: help run cluster cluster-down test bench bench-cluster fmt generate clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## run the gateway on examples/quickstart without a cluster (PORT=, ADMIN_PORT=)
	@PORT=$(PORT) ADMIN_PORT=$(ADMIN_PORT) scripts/run.sh

cluster: ## run everything on a real control plane on this machine, in the background (as root)
	@scripts/cluster.sh up

cluster-down: ## end what `make cluster` started
	@scripts/cluster.sh down

test: ## everything that must hold: formatting, lints, layers, unit, property, golden, end to end (as root)
	@scripts/test.sh

bench: ## measure what a change, a look-up and memory cost (BENCH=flags); figures go to target/bench/micro.json
	@scripts/bench.sh micro $(BENCH)

bench-cluster: ## measure on a real control plane (as root, BENCH=flags); figures go to target/bench/cluster.json
	@scripts/bench.sh cluster $(BENCH)

fmt: ## format the code
	cargo fmt --all

generate: ## write what is generated: the CRD manifests
	cargo run --quiet -p latchkey-crds --bin crdgen -- --write

clean: ## remove what was built here
	cargo clean
