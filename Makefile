# Everything runs in .venv, built from constraints.txt on first use. Needs make and Python 3.11 or later.
PYTHON ?= python3

BIN := .venv/bin
RUN := .venv/.stamp-run
DEV := .venv/.stamp-test
PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt
PARALLEL := --numprocesses auto --dist worksteal
CHECKED := src tests $(wildcard bench) $(wildcard examples) $(wildcard docs/*.py docs/*/*.py)

# An unknown shell must not leak into .venv: no user site, no redirected installation, no prompt.
export PIP_USER := 0
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MPLBACKEND := Agg
export OPENBLAS_NUM_THREADS ?= 1
export NO_MKDOCS_2_WARNING := 1
unexport PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_REQUIREMENT PIP_EDITABLE

.DEFAULT_GOAL := help
.PHONY: help demo test quick lint check-bounds bench docs wheel clean

help:
	@echo "make demo          a runner with a blade: reports and a table of errors in demo/"
	@echo "make test          lint, types and all tests"
	@echo "make quick         the same without the slow tests"
	@echo "make check-bounds  engine tests with every array index checked"
	@echo "make bench         softstride beside its peers"
	@echo "make docs          the documentation site, in build/site"
	@echo "make wheel         a file to install elsewhere, in dist/"
	@echo "make lint          ruff and mypy only"
	@echo "make clean         remove .venv and caches"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or later is needed; " \
	  "this is " + sys.version.split()[0] + ". Choose one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }  # half an environment would pass for a whole one

$(RUN): pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable .
	@touch $@

$(DEV): pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable '.[test,bench]'
	@touch $@ $(RUN)

demo: $(RUN)
	$(BIN)/softstride demo --out demo

lint: $(DEV)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest $(PARALLEL)

quick: lint
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

# Kernels with bounds checks are other machine code: they get a cache of their own.
check-bounds: $(DEV)
	SOFTSTRIDE_BOUNDSCHECK=1 SOFTSTRIDE_CACHE_DIR=$(CURDIR)/.cache/boundscheck \
	  $(BIN)/python -m pytest $(PARALLEL) tests/engine -m "not slow"

bench: $(DEV)
	$(BIN)/softstride bench

# Not --quiet: MkDocs then counts no warnings, and --strict sees none.
docs: $(DEV)
	$(BIN)/mkdocs build --strict
	@echo "open build/site/index.html"

# What an earlier build left in build/lib would be packed again, deleted modules included.
wheel: $(DEV)
	rm -rf build/lib build/bdist.* dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist

clean:
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
