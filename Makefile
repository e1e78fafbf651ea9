# Nodewright: `make up` builds a cloud and a cluster on this machine, `make test` proves all of it.

SHELL := /bin/bash
.SHELLFLAGS := -o errexit -o nounset -o pipefail -c

export NODEWRIGHT_CACHE ?= $(HOME)/.cache/nodewright
export PULUMI_BACKEND_URL ?= file://$(NODEWRIGHT_CACHE)/backend
# The lab and all that is in it are thrown away, so the lab stack's passphrase is public on purpose.
export PULUMI_CONFIG_PASSPHRASE ?= lab

VENV := .venv
BIN := $(VENV)/bin
STACK ?= lab
# What the lab offers; each further version of a node is minutes of building. `make test-long` takes all there are.
IMAGES ?= --image debian-12 --image node-1.34.3
PYTHON_FILES := __main__.py components cluster lifecycle lab toolchain tests benchmarks

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- from nothing to a cluster -------------------------------------------------------------------

.PHONY: up
up: ## toolchain, cloud and the cluster of stack `lab` on this machine
	@rm -f $(NODEWRIGHT_CACHE)/logs/timings
	@trap 'bin/timed --report' EXIT; $(MAKE) --no-print-directory machine cluster

.PHONY: machine
machine: host venv
	@bin/timed "toolchain" python3 -m toolchain ensure
	@bin/timed "lab" bin/lab up $(IMAGES)

.PHONY: cluster
cluster:
	@mkdir -p $(NODEWRIGHT_CACHE)/backend
	@bin/lab exec pulumi stack select --create $(STACK)
	@bin/timed "pulumi up" bin/lab exec pulumi up --yes --stack $(STACK)

.PHONY: down
down: ## stop the lab; `make up` brings it back as it was
	@bin/lab down

.PHONY: host
host: ## packages of this machine that the lab and the tests need
	@bin/timed "host packages" bin/host-packages --tests

.PHONY: venv
venv: $(VENV)/.made

$(VENV)/.made: requirements.txt requirements-dev.txt
	@bin/timed "virtual environment" bash -c 'python3 -m venv $(VENV) && $(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt'
	@touch $@

# --- checks ---------------------------------------------------------------------------------------

.PHONY: check
check: venv ## format, lint, types, shell, unit and golden tests; no root, under a minute
	@bin/timed "format" $(BIN)/ruff format --check --quiet .
	@bin/timed "lint" $(BIN)/ruff check --quiet .
	@bin/timed "types" $(BIN)/mypy --no-error-summary $(wildcard $(PYTHON_FILES))
	@bin/timed "shell" bash -c '$(BIN)/shellcheck -x $$(git ls-files "*.sh" bin .ci/run lab/drivers lab/inside | xargs grep -lE "^#!.*(ba)?sh" ) && $(BIN)/shfmt -i 2 -ci -d scripts bin .ci'
	@bin/timed "unit and golden" $(BIN)/pytest -q tests/unit tests/golden

.PHONY: fmt
fmt: venv ## format everything
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix --quiet . && $(BIN)/shfmt -i 2 -ci -w scripts bin .ci

.PHONY: golden
golden: venv ## rewrite the golden files; read the difference before you commit it
	@$(BIN)/pytest -q tests/golden tests/unit --update-golden

# --- all tests ------------------------------------------------------------------------------------

.PHONY: test
test: ## checks, toolchain, the engine's orders, and a cluster on the lab that serves and that a second up leaves alone
	@rm -f $(NODEWRIGHT_CACHE)/logs/timings
	@trap 'bin/timed --report' EXIT; \
	  $(MAKE) --no-print-directory host check machine test-toolchain test-engine cluster test-cluster

.PHONY: test-long
test-long: IMAGES =
test-long: machine ## scripts, and all stories on the lab: machines, faults, storage, registry, operations
	@$(MAKE) --no-print-directory test-scripts test-lab
	@bin/timed "long stories on the lab" bin/lab exec $(BIN)/pytest -q -m "lab and long" tests
	@bin/timed "the lab's own life" $(BIN)/pytest -q -m lab_host tests

.PHONY: test-toolchain
test-toolchain:
	@bin/timed "toolchain tests" bash -c 'eval "$$(python3 -m toolchain env)" && $(BIN)/pytest -q tests/toolchain'

.PHONY: test-engine
test-engine:
	@bin/timed "engine tests" bash -c 'eval "$$(python3 -m toolchain env)" && $(BIN)/pytest -q --numprocesses 4 tests/engine'

.PHONY: test-scripts
test-scripts:
	@bin/timed "script tests" bash -c 'eval "$$(python3 -m toolchain env)" && $(BIN)/pytest -q -m "not lab" tests/scripts'

.PHONY: test-lab
test-lab:
	@bin/timed "tests on the lab" bin/lab exec $(BIN)/pytest -q -m "lab and not long" tests/lab

# The cluster that `make up` makes: its nodes serve, and a second up changes nothing.
.PHONY: test-cluster
test-cluster:
	@bin/timed "second up" bin/lab exec pulumi up --yes --stack $(STACK) --skip-preview --expect-no-changes
	@bin/timed "nodes serve" bin/lab exec $(BIN)/python -m tests.lab.cluster_serves $(STACK)

.PHONY: bench
bench: machine ## create, scale and heal on the lab beside their critical path; the last lines are JSON
	@bin/lab exec $(BIN)/python -m benchmarks
