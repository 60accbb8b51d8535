# Everything runs in .venv, built from constraints.txt on first use. Needs make and Python 3.11 or later.
PYTHON ?= python3

BIN := .venv/bin
RUN := .venv/.stamp-run
DEV := .venv/.stamp-test
PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt
PARALLEL := --numprocesses auto --dist worksteal
# After the first failure nothing more is run: `make test MAXFAIL=0` shows all.
MAXFAIL ?= 1
PYTEST := $(BIN)/python -m pytest -q --no-header $(PARALLEL) --maxfail=$(MAXFAIL)
CHECKED := src tests tools bench examples $(wildcard docs/*.py docs/*/*.py)
# One line a stage, with its seconds, or how to run it again.
STAGE = $(BIN)/python tools/stage.py --again "make $@" $@ --
BOUNDS := SOFTSTRIDE_BOUNDSCHECK=1 SOFTSTRIDE_CACHE_DIR="$(CURDIR)/.cache/boundscheck"

# An unknown shell must not leak into .venv: no user site, no redirected installation, no prompt, and byte code is kept
# (without it every process of a test compiles the package anew).
export PIP_USER := 0
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MPLBACKEND := Agg
export OPENBLAS_NUM_THREADS ?= 1
export NO_MKDOCS_2_WARNING := 1
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PIP_TARGET PIP_PREFIX PIP_ROOT PIP_CONSTRAINT PIP_REQUIREMENT PIP_EDITABLE

.DEFAULT_GOAL := help
.PHONY: help demo test quick check nightly lint types kernels quick-tests slow-tests check-bounds coverage bench docs wheel clean
.NOTPARALLEL:

help:
	@echo "make demo          a runner with a blade: reports and a table of errors in demo/"
	@echo "make test          lint, types, then all tests, from the cheapest to the dearest"
	@echo "make quick         the same without the slow tests"
	@echo "make check         lint, types and the tests of what you changed: before every commit"
	@echo "make nightly       everything, campaigns too, from fresh seeds: hours"
	@echo "make check-bounds  engine tests with every array index checked"
	@echo "make coverage      lines and branches that the tests reach, the emptiest files first"
	@echo "make bench         softstride beside its peers"
	@echo "make docs          the documentation site, in build/site"
	@echo "make wheel         a file to install elsewhere, in dist/"
	@echo "make lint          ruff only; make types: mypy only"
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
	@$(STAGE) sh -c "$(BIN)/ruff check --quiet $(CHECKED) && $(BIN)/ruff format --quiet --check $(CHECKED)"

types: $(DEV)
	@$(STAGE) $(BIN)/mypy --num-workers auto

kernels: $(DEV)
	@SOFTSTRIDE_CACHE_DIR="$(CURDIR)/.cache/kernels" $(STAGE) $(BIN)/python -m tools.kernels

quick-tests: $(DEV)
	@$(STAGE) $(PYTEST) -m "not slow"

# Only files that have slow tests are collected for them.
slow-tests: $(DEV)
	@$(STAGE) $(PYTEST) -m slow $(shell grep -rl --include=*.py "mark.slow" tests)

quick: lint types kernels quick-tests

test: quick slow-tests

check: lint types kernels
	@$(BIN)/python -m tools.check

# Every test, those of the day too, further, from fresh seeds and in another order; the peers' answers are computed again.
nightly: ORDER := $(shell date +%s)
nightly: lint types kernels
	@SOFTSTRIDE_NIGHTLY=1 SOFTSTRIDE_TEST_ORDER=$(ORDER) $(STAGE) $(BIN)/python -m pytest -q $(PARALLEL)
	@SOFTSTRIDE_NIGHTLY=1 $(BOUNDS) $(STAGE) $(BIN)/python -m pytest -q $(PARALLEL) tests/engine

# Kernels with bounds checks are other machine code: they get a cache of their own.
check-bounds: $(DEV)
	@$(BOUNDS) $(STAGE) $(PYTEST) tests/engine -m "not slow"

# Lines and branches of src/ that the tests of the day reach, the emptiest files first; build/coverage/index.html.
coverage: lint types kernels
	@$(STAGE) $(PYTEST) --cov --cov-report=html:build/coverage --cov-report=
	@$(BIN)/coverage report --skip-covered >build/coverage/table.txt; head -n 30 build/coverage/table.txt; tail -n 1 build/coverage/table.txt

bench: $(DEV)
	$(BIN)/softstride bench

# Not --quiet: MkDocs then counts no warnings, and --strict sees none.
docs: $(DEV)
	@$(STAGE) $(BIN)/mkdocs build --strict
	@echo "open build/site/index.html"

# What an earlier build left in build/lib would be packed again, deleted modules included.
wheel: $(DEV)
	rm -rf build/lib build/bdist.* dist
	@$(STAGE) $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist

clean:
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
