# Everything that these targets need they set up by themselves, once.
PYTHON ?= python3
PY := .venv/bin/python
READY := .venv/.ready

# modules are compiled once and not in every process, whatever is set where this runs
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick docs compile wheel lint bench accuracy parser fuzz clean

demo: compile
	.venv/bin/treewright demo --force

# a worker a core, each beginning with its own share, so that fixtures are made once; four take 12 GB
test: compile
	$(PY) -m pytest -n logical --maxprocesses 4 --dist worksteal -q --durations 60 --durations-min 4

# the tests of what differs from the last commit, and of what is near it
quick: compile
	$(PY) -m tests.quick

# the documentation site, in site/; open site/index.html
docs: $(READY)
	$(PY) -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet

# the machine code of all kernels, once; nothing if it is of these sources
compile: $(READY)
	.venv/bin/treewright compile

wheel: $(READY)
	$(PY) -m benchmarks.wheel dist

lint: $(READY)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports

bench: $(READY)
	$(PY) -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	$(PY) -m benchmarks.brackets
	$(PY) -m benchmarks.induction
	$(PY) -m benchmarks.sampling
	$(PY) -m benchmarks.memory
	$(PY) -m benchmarks.geca
	$(PY) -m benchmarks.parsing
	$(PY) -m benchmarks.fragments
	$(PY) -m benchmarks.samplers
	$(PY) -m benchmarks.fluent
	$(PY) -m benchmarks.tokens
	$(PY) -m benchmarks.alp speed
	$(PY) -m benchmarks.augment drawing
	$(PY) -m benchmarks.synchronous

accuracy: $(READY)
	$(PY) -m benchmarks.accuracy
	$(PY) -m benchmarks.words
	$(PY) -m benchmarks.round_trip
	$(PY) -m benchmarks.sentences

fuzz: $(READY)
	$(PY) -m tests.fuzz 5000 --into .fuzz

# the parser that ships, from TREEWRIGHT_DATA; see induction/embedded/english.md
parser: $(READY)
	$(PY) -m benchmarks.english_parser

# what is imported is compiled then; most of what is installed never is
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "treewright needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build site *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
