# All commands. `make` lists them. Needs Python >= 3.11 and make; everything else is installed when it is needed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

ARGS ?=
# Tests wait for other processes half of the time, so there is work for twice the cores of a small machine.
JOBS ?= 4
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# uv needs a tenth of the time that pip needs, but knows nothing of a pip.conf: if it fails, pip does the same.
UV := $(or $(shell command -v uv),$(wildcard $(BIN)/uv),$(VENV)/.uv/bin/uv)
# Neither stays in an environment that only serves.
get_pip = $(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
get_uv = [[ -x "$(UV)" ]] || { $(get_pip); $(PIP) install --quiet --no-deps --no-compile --require-hashes \
	--target $(VENV)/.uv -r <(awk '/^[a-z]/ { is_uv = /^uv==/ } is_uv' requirements/dev.txt) || true; }
# $(call install,WHAT,OPTIONS OF PIP): the locks are complete, so nothing has to be resolved.
install = "$(UV)" pip install --quiet --python $(BIN)/python --no-deps $(1) 2>/dev/null || \
	{ $(get_pip); $(PIP) install --no-deps --no-compile $(1) $(2); }
# The first of these that is 3.11 or newer and can make environments; `make PYTHON=/path/to/python` chooses another.
ifndef PYTHON
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
endif
# A Python that was named, other than that of the environment, makes a new one.
IDENTITY := -c 'import sys; print(sys.base_prefix, sys.version)'
ifneq ($(origin PYTHON),file)
$(shell [[ ! -e $(VENV) || "$$($(BIN)/python $(IDENTITY) 2>&1)" == "$$($(PYTHON) $(IDENTITY) 2>&1)" ]] || rm -rf $(VENV))
endif
SOURCES := src tests scripts bench clients simulator $(wildcard examples/*.py)
# Stamps are named by content, so that a changed lock file, not a changed time, updates the environment.
hash = $(shell cat $(1) | cksum | cut -d' ' -f1)
BASE := $(VENV)/.base-$(call hash,requirements/base.txt pyproject.toml)
DEV := $(VENV)/.dev-$(call hash,requirements/base.txt requirements/dev.txt pyproject.toml)

.PHONY: help
help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: serve
serve: $(BASE)  ## Set up and run the service: make serve ARGS="--port 9000 --data-dir DIR"
	@exec $(BIN)/signalpost serve $(ARGS)

.PHONY: simulator
simulator: $(BASE)  ## Run stand-ins of the networks: make simulator ARGS="--port 7600 --service http://localhost:8000"
	@exec $(BIN)/python -m simulator $(ARGS)

# Whatever the shell says: without cached bytecode every test process compiles the service and the tests again.
test: export PYTHONDONTWRITEBYTECODE :=
.PHONY: test
test: $(DEV) test-tools bundle  ## Set up and run all tests: make test ROOM=support, ARGS="--quick", ARGS="tests/kit -k http" JOBS=4
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(if $(ROOM),--room $(ROOM) tests/$(ROOM) tests/contract) $(ARGS)

# Run alone, figures are stored beside those that ran before, so that a full run can be made in parts.
.PHONY: faults
faults: $(DEV) test-tools  ## Run the fault tests in full, hold figures against goals (45 minutes): make faults ONLY=R1,R4
	$(BIN)/python -m $(if $(ARGS),pytest -m "" $(ARGS),tests.figures run $(ONLY))

.PHONY: n8n
n8n: $(DEV) test-tools  ## Install n8n itself (1.1 GB, some minutes) and run the package for it in there
	@scripts/install-test-tools n8n
	$(BIN)/python -m pytest -m heavy tests/clients/test_n8n_itself.py $(ARGS)

.PHONY: reliability
reliability: $(DEV)  ## Generate RELIABILITY.md from what `make faults` has measured
	$(BIN)/python -m tests.figures page

.PHONY: lint
lint: $(DEV)  ## Check style, import floors, laws of size, and that files are formatted and clients of today
	scripts/install-test-tools node console
	$(BIN)/ruff check $(wildcard $(SOURCES))
	$(BIN)/ruff format --check $(wildcard $(SOURCES))
	$(BIN)/lint-imports
	$(BIN)/python scripts/house
	$(BIN)/python scripts/generate-clients --check
	scripts/check-javascript

.PHONY: types
types: $(DEV)  ## Check types, strictly
	$(BIN)/mypy

.PHONY: format
format: $(DEV)  ## Format the code and fix what can be fixed safely
	$(BIN)/ruff check --fix $(wildcard $(SOURCES)) || true
	$(BIN)/ruff format $(wildcard $(SOURCES))
	scripts/install-test-tools node console
	scripts/check-javascript --fix

.PHONY: house
house: $(DEV)  ## Print the size of the code; fail if a function or a file is too long, or imports go in a circle
	$(BIN)/python scripts/house

.PHONY: check-openapi
check-openapi: $(DEV)  ## Check the API description with redocly and spectral
	scripts/install-test-tools node openapi
	scripts/check-openapi

.PHONY: check-console
check-console: $(DEV)  ## Check the types of the console's scripts, and its libraries
	scripts/install-test-tools node console clients
	scripts/check-console

.PHONY: bundle
bundle: $(DEV)  ## Bundle the console as a release does: without it, its modules are served as they are
	@scripts/install-test-tools node console
	@$(BIN)/python scripts/bundle-console

.PHONY: bench
bench: $(DEV) bundle  ## Measure speed against bare floors, print ratios
	$(BIN)/python -m bench $(ARGS)

.PHONY: lighthouse
lighthouse: $(DEV) bundle  ## Have Lighthouse judge the console and the public pages, each figure beside its goal
	@scripts/install-test-tools node chromium lighthouse
	$(BIN)/python -m bench.lighthouse $(ARGS)

.PHONY: docs
docs: $(BASE)  ## Generate docs/reference and the dashboard from the code, and the clients from the OpenAPI document
	$(BIN)/python scripts/generate-docs
	$(BIN)/python scripts/generate-dashboard
	@$(MAKE) --no-print-directory clients

.PHONY: docs-site
docs-site: $(BASE)  ## Write the documentation as a folder for any static host, with search and versions: build/site
	$(BIN)/python scripts/build-docs-site $(ARGS)

.PHONY: clients
clients: $(DEV)  ## Generate the typed parts of the clients from the OpenAPI document
	@$(BIN)/python scripts/generate-clients --check >/dev/null || scripts/install-test-tools node clients
	$(BIN)/python scripts/generate-clients

.PHONY: pictures
pictures: $(DEV) test-tools bundle  ## Take the pictures of README and the guides, and print when each page shows
	$(BIN)/python scripts/take-pictures

.PHONY: release
release: $(DEV)  ## Build all that is published of a version that has its tag: make release VERSION=1.2.0
	scripts/install-test-tools node console clients n8n-engine
	$(BIN)/python scripts/release build $(VERSION)

.PHONY: lock
lock: $(DEV)  ## Lock requirements/*.in: make lock ARGS="--upgrade-package NAME" (or --upgrade)
	BIN=$(BIN) scripts/lock-requirements $(ARGS)

.PHONY: deb
deb: $(DEV) bundle  ## Build a Debian package for this machine, in dist
	@mkdir -p dist/wheel && rm -f dist/wheel/*
	@SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)}" "$(UV)" build --quiet --wheel --no-build-isolation \
		--python $(BIN)/python --out-dir dist/wheel .
	@scripts/build-deb dist/wheel/*.whl dist

.PHONY: test-install
test-install: $(DEV)  ## As root: the Debian package under systemd, the container as an image, the wheel by uvx and pipx
	scripts/install-test-tools debian
	$(BIN)/python -m pytest -m heavy -rP tests/e2e/test_install.py tests/e2e/test_container.py $(ARGS)

.PHONY: test-tools
test-tools: $(DEV)  ## Install reference servers and validators that tests use (once, below .cache)
	@scripts/install-test-tools

.PHONY: setup
setup: $(BASE)  ## Only make the environment in .venv

.PHONY: clean
clean:  ## Remove the environment and caches, never data
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist src/*.egg-info
	find src tests bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# One line that says how far pip is.
define PROGRESS
/^Collecting/ { printf "\r\033[K  package %d: %s", ++n, $$2; fflush() }
/^Installing collected/ { printf "\r\033[K  unpacking %d packages", n; fflush() }
END { print "" }
endef
export PROGRESS

# Where the shell says that Python writes no bytecode, as in many images, each start would compile everything it imports.
define COMPILE
import compileall, importlib, pkgutil, signalpost.main
compileall.compile_dir("src/signalpost", quiet=2)
for module in pkgutil.walk_packages(signalpost.main.__path__, "signalpost.main."):
    importlib.import_module(module.name)
endef
export COMPILE

STARTED := $(shell date +%s)
lap = date +%s >>$(VENV)/.laps

# The stamp is written last: an interrupted set-up is repeated, a finished one costs nothing.
$(BASE):
	@[[ -n "$(PYTHON)" ]] || { echo "No Python >= 3.11 with venv and pip found. Install one (Debian: apt install python3-venv)," \
		"or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11 or does not run" >&2; exit 1; }
	@echo "Setting up $(VENV) (once): 1 of 3, an environment of $$($(PYTHON) --version)"
	@[[ -x $(BIN)/python ]] && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ rm -rf $(VENV); $(PYTHON) -m venv --without-pip $(VENV); }
	@$(get_uv)
	@$(lap)
	@echo "2 of 3, what Signalpost needs (100 MB to download)"
	@$(call install,--require-hashes -r requirements/base.txt,--progress-bar off | awk "$$PROGRESS")
	@$(lap)
	@echo "3 of 3, Signalpost"
	@$(call install,--no-build-isolation -e .,--quiet)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -c "$$COMPILE"
	@if [[ -x "$(UV)" ]]; then "$(UV)" pip uninstall --quiet --python $(BIN)/python pip setuptools 2>/dev/null || true; fi
	@$(lap)
	@set -- $(STARTED) $$(<$(VENV)/.laps); \
		echo "Set up in $$(($$4 - $$1)) s: environment $$(($$2 - $$1)), packages $$(($$3 - $$2)), Signalpost $$(($$4 - $$3))"
	@rm -rf $(VENV)/.base-* $(VENV)/.uv $(VENV)/.laps
	@touch $@

$(DEV): $(BASE)
	@echo "Adding what tests and checks need"
	@$(get_uv)
	@$(call install,--require-hashes -r requirements/dev.txt,--quiet)
	@rm -rf $(VENV)/.dev-* $(VENV)/.uv
	@touch $@
