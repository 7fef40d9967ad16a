# Two commands do everything on a machine with Python 3.11 or newer, git and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# One thread per process: two test processes on two cores gain nothing from more.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test test-all coverage lint format bench docs clean

demo: $(VENV)/core.stamp ## score bundled data with three systems and show what to try next
	@$(BIN)/karatage demo

test: $(VENV)/dev.stamp ## the tests, against the real peers
	$(PYTEST) $(ARGS)

test-all: $(VENV)/dev.stamp ## the tests, and the long simulations and trainings that `make test` leaves out
	$(PYTEST) -m "slow or not slow" $(ARGS)

coverage: $(VENV)/dev.stamp ## the tests once more, and which lines they run
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html $(ARGS)

lint: $(VENV)/dev.stamp ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/bench.stamp ## speed and memory beside the peers, as a table of ratios
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/docs.stamp ## the documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/docs.stamp: $(VENV)/core.stamp
	$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/dev.stamp: $(VENV)/docs.stamp
	$(PIP) --editable '.[lint,test]'
	@# the accessibility check of the page runs where npm can fetch it
	@if command -v npm > /dev/null; then npm install --silent --no-fund --no-audit --prefix $(VENV)/axe axe-core@4 || true; fi
	@touch $@

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	$(PIP) --editable '.[bench]'
	@touch $@

clean:
	rm -rf $(VENV) site dist htmlcov .coverage* .mypy_cache .pytest_cache .ruff_cache
