# Every target does all the set-up that it needs; see .ci/setup.sh.
#
#   make run          open the window (without a display: draw it into attnviz.png)
#   make cuda         let an NVIDIA GPU compute; `make run` does it by itself where it finds one
#   make test         the quick tests, with coverage: CUDA on an emulated driver, the journeys on an X server
#   make test-long    the tests that take minutes
#   make check        style, types, imports between rooms, translations
#   make bench        measure; prints a table (ARGS="--quick" to try it, ARGS="--write" into docs/performance.md)
#   make format       put the sources into the form that `make check` wants
#   make translations bring the Japanese translation up to the sources, compile it
#   make screenshots  draw the pictures of docs/screenshots anew
#
# ARGS are handed on: make run ARGS="session.attnviz", make test ARGS="tests/core -k mask".

.PHONY: help run cuda test test-long check lint types imports translated bench format translations screenshots setup
.NOTPARALLEL:

BIN = .venv/bin
ARGS =

help:
	@sed -n '3,/^$$/s/^# \{0,1\}//p' Makefile

run:
	@.ci/setup.sh run
	@.ci/launch.sh $(ARGS)

cuda:
	@.ci/setup.sh cuda

test:
	@.ci/setup.sh test
	@.ci/test.sh $(ARGS)

test-long:
	@.ci/setup.sh test
	@.ci/test.sh --long $(ARGS)

check: lint types imports translated

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: setup
	$(BIN)/mypy

imports: setup  # a cache from before a file was there breaks contracts falsely
	$(BIN)/lint-imports --no-cache

translated: setup
	$(BIN)/python .ci/check_translations.py

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

translations: setup
	$(BIN)/python .ci/check_translations.py --update

screenshots:
	@.ci/setup.sh run
	@.ci/screenshots.sh

bench:
	@.ci/setup.sh bench
	$(BIN)/python tests/benchmarks/run.py $(ARGS)

setup:
	@.ci/setup.sh check
