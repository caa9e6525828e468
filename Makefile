# Every command of the project. Each sets up what it needs; `make help` lists them.

PYTHON := .venv/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check --quiet
ENGINE := .venv/.engine
DEV := .venv/.dev
NODE := node_modules/.installed
LIBRARIES := build/libraries/.fetched
MINISTACK := .venv/.ministack/.made
STAGE :=
BENCH :=

.PHONY: help setup demo test check fmt fuzz bench soak build synth dist deploy lock

help: ## List the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

setup: $(DEV) $(NODE) $(LIBRARIES) $(MINISTACK) ## Everything for developing: environment, tools, Node tools

demo: $(ENGINE) ## Compile two workflows and run them on this machine
	@$(PYTHON) -m local.demo

# What this make tells others of itself is kept from those that the tests call.
test: check $(NODE) $(LIBRARIES) $(MINISTACK) ## All checks and all tests
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS $(PYTHON) -m pytest -n 2 --dist loadfile

check: $(DEV) ## Formatting, lint, types, import contracts
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo

fmt: $(DEV) ## Format, and mend what lint can mend
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

fuzz: $(DEV) $(NODE) ## 10,000 hostile inputs for each fuzz test
	STEPSMITH_FUZZ=10000 $(PYTHON) -m pytest -n 2 -m fuzz --timeout 3600

bench: $(DEV) $(NODE) $(MINISTACK) ## Speed, size and cost beside peers, one table (BENCH=--write: into the documents)
	$(PYTHON) -m bench $(BENCH)

soak: $(DEV) ## The long forms of races and laws: thousands of events, decisions, runs
	$(PYTHON) -m bench.soak

dist: $(ENGINE) ## Build the wheel and the source archive into dist/
	$(PYTHON) -m hatchling build --directory dist

build: $(DEV) ## Pack the functions of a deployment, and show how large they are (STAGE=dev)
	.venv/bin/stepsmith build $(if $(STAGE),--stage $(STAGE))

synth: $(LIBRARIES) $(NODE) ## Write the CloudFormation templates into cdk.out/ (STAGE=dev)
	PATH="$(CURDIR)/.venv/bin:$$PATH" npx cdk synth --quiet $(if $(STAGE),-c stage=$(STAGE))

deploy: build $(NODE) ## Deploy a stage into its account (STAGE=dev)
	$(PYTHON) -m cli.bootstrap $(STAGE)
	PATH="$(CURDIR)/.venv/bin:$$PATH" npx cdk deploy $(if $(STAGE),-c stage=$(STAGE))

lock: $(DEV) ## Resolve the locks again (LOCK=--upgrade for newer versions)
	tools/lock $(LOCK)

# Installed once for each state of the files named; the environment itself is made if it is missing.

$(PYTHON):
	"$$(tools/find-python)" -m venv --clear .venv

$(ENGINE): requirements.lock pyproject.toml | $(PYTHON)
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): requirements-dev.lock $(ENGINE)
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(NODE): package.json package-lock.json | $(PYTHON)
	tools/node-tools
	@touch $@

$(LIBRARIES): requirements.lock stepsmith.yaml | $(DEV)
	.venv/bin/stepsmith build --libraries
	@touch $@

$(MINISTACK): local/ministack/requirements.lock local/ministack/server.py | $(ENGINE)
	@$(PYTHON) -m local.ministack >/dev/null
	@touch $@
