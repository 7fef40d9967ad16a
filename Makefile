# Two commands do everything on a machine with Python 3.11 or newer, git and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint format bench docs clean

demo: $(VENV)/core.stamp ## score bundled data with three systems and show what to try next
	@$(BIN)/karatage demo

test: $(VENV)/dev.stamp ## all tests, against the real peers
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

lint: $(VENV)/dev.stamp ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/bench.stamp ## speed and memory beside the peers, as a table of ratios
	$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/dev.stamp ## the documentation, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core.stamp: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/core.stamp
	$(PIP) --editable '.[docs,lint,test]'
	@# the page's check of accessibility runs where npm is there to fetch it
	@if command -v npm > /dev/null; then npm install --silent --no-fund --no-audit --prefix $(VENV)/axe axe-core@4 || true; fi
	@touch $@

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	$(PIP) --editable '.[bench]'
	@touch $@

clean:
	rm -rf $(VENV) site dist .mypy_cache .pytest_cache .ruff_cache
