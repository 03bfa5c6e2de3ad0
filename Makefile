# `make run` shows planewalk at work, `make test` proves it. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Modules are compiled once, not by every process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run site test test-exhaustive test-all check docs bench clean

run: $(VENV)/installed
	@$(BIN)/planewalk tour
	@echo "The command planewalk is in $(BIN); this puts it on the PATH: source $(BIN)/activate"

# The studio as a folder for any static host.
site: $(VENV)/linked
	@$(BIN)/planewalk site site

# Each process imports and collects everything, which more than a few are not worth.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

test: $(VENV)/ready
	@$(PYTEST) -m "not exhaustive"

# What tries everything there is of a kind: every page's commands, every example, long films.
test-exhaustive: $(VENV)/ready
	@$(PYTEST) -m exhaustive

test-all: test test-exhaustive

check: $(VENV)/ready
	@scripts/check

docs: $(VENV)/ready
	@$(BIN)/python scripts/docs

bench: $(VENV)/installed
	@$(BIN)/python benchmarks/startup
	@$(BIN)/python benchmarks/reference
	@$(BIN)/python benchmarks/bmprog
	@$(BIN)/python benchmarks/engines
	@$(BIN)/python benchmarks/commands
	@$(BIN)/python benchmarks/auto
	@$(BIN)/python benchmarks/worth
	@$(BIN)/python benchmarks/pictures
	@$(BIN)/python benchmarks/storms
	@$(BIN)/python benchmarks/limits
	@$(BIN)/python benchmarks/studio
	@$(BIN)/python benchmarks/page

# The package as users get it, with the extra that writes videos, from the sources of this folder.
$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "planewalk needs Python 3.11 or newer; try make PYTHON=python3.12"; exit 1; }
	@echo "Setting up planewalk in $(VENV), once; that takes about a minute:"
	@$(PYTHON) scripts/install $(VENV) '.[video]'
	@touch $@

# And the linker of WebAssembly, for pages without a server.
$(VENV)/linked: $(VENV)/installed
	@echo "Setting up the linker of pages, once; that takes half a minute:"
	@$(PYTHON) scripts/install $(VENV) '.[site]'
	@touch $@

# And the tools for working on it.
$(VENV)/ready: $(VENV)/installed
	@echo "Setting up the tests, once; that takes half a minute:"
	@$(PYTHON) scripts/install $(VENV) '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) site src/planewalk/stock build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
