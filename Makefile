# A fresh clone needs Python 3.10 to 3.14 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHARE ?= 1/1
# the groups are those of tests/sweep.py, and so is the order
WORKERS := -n 2 --dist loadscope --no-loadscope-reorder

.PHONY: demo test delta corners sweep soak fusion unit functional lint docs pictures recordings reference benchmark compare lock clean

FORMAT ?= iceberg
## Real flight data: fill the missing days, punch a gap, fill it; `make demo FORMAT=delta` takes Delta's jars from KINDS_JARS, or from Maven
demo: $(VENV)/demo.installed
	$(BIN)/dbt-kinds demo --format $(FORMAT)

## All checks, unit tests and core functional tests
test: lint
	$(BIN)/python -m pytest $(WORKERS) --core

## The functional tests that `make test` leaves out, half an hour or more: all of them, or a share as in `make functional SHARE=1/4`; CI runs them after it
functional: $(VENV)/dev.installed
	$(BIN)/python -m pytest $(WORKERS) --rest --share $(SHARE)

ON_DELTA := $(addprefix tests/functional/test_,$(addsuffix .py,delta_on_spark delta_beside_others crash_every_kind race scd2_conformance gates ondatrasql_runs))
## What is Delta's own, a killed run, a race and a core of all vectors, on a Spark of its own, if its jars are there (a folder as dbt_kinds/local/jars.py describes it); MATRIX=tests/functional/test_kind_matrix.py adds every kind
delta: export KINDS_JARS ?= $(wildcard $(abspath ../shared/jars))
delta: export KINDS_FORMATS := delta
delta: $(VENV)/dev.installed
ifeq ($(wildcard $(or $(KINDS_JARS),../shared/jars)/delta-spark-3.5),)
	@echo "make delta is left out: KINDS_JARS names no folder with delta-spark-3.5"
else
	$(BIN)/python -m pytest $(ON_DELTA) $(MATRIX)
endif

## The oldest and the newest Python, dbt and Spark, the first tests of every kind; a Python that is not installed is passed over, and named
corners: $(VENV)/dev.installed
	$(BIN)/nox --session corners --reuse-venv yes --no-error-on-missing-interpreters

## What both leave out, and properties, races and kills at full size: all of it, or a share as in `make sweep SHARE=3/12`
sweep: $(VENV)/dev.installed
	$(BIN)/python -m pytest $(WORKERS) --sweep --share $(SHARE)

## Long life: sixty models of all kinds through 200 random runs, or as many as fit into an hour; `make soak KINDS_MINUTES=10` is shorter, KINDS_SEED=2 is another
soak: $(VENV)/dev.installed
	$(BIN)/python -m pytest -s --sweep tests/functional/test_soak.py

## Both engines side by side: dbt-core and dbt 2.0, which pip and npm fetch into .fusion; where they cannot, what macros may use is still checked
fusion: $(VENV)/dev.installed
	$(BIN)/python -m pytest -rs tests/unit/test_engines.py tests/unit/test_engine_macros.py tests/fusion

unit: $(VENV)/dev.installed
	$(BIN)/python -m pytest tests/unit

lint: $(VENV)/dev.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

## What pages of the manual have from the code: options, macros, operations, tests, commands
reference: $(VENV)/dev.installed
	$(BIN)/python docs/.reference/write.py

## The pictures of the manual, docs/pictures; they are committed, because Markdown on a code host needs them
pictures: $(VENV)/dev.installed
	$(BIN)/python docs/.pictures/write.py

## What those of terminals show, recorded anew from the demonstration: some minutes, and Spark
recordings: $(VENV)/dev.installed
	$(BIN)/python docs/.pictures/record.py
	$(BIN)/python docs/.pictures/write.py

## The manual, into target/site
docs: $(VENV)/dev.installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

benchmark: $(VENV)/dev.installed
	$(BIN)/python -m benchmarks.backfill
	$(BIN)/python -m benchmarks.up_to_date
	$(BIN)/python -m benchmarks.store_read
	$(BIN)/python -m benchmarks.plan
	$(BIN)/python -m benchmarks.upsert
	$(BIN)/python -m benchmarks.thrift
	$(BIN)/python -m benchmarks.nightly
	$(BIN)/python -m benchmarks.compile
	$(BIN)/python -m benchmarks.migrate
	$(BIN)/python -m benchmarks.late_data
	$(BIN)/python -m benchmarks.changes
	$(BIN)/python -m benchmarks.check

SQLMESH := $(VENV)-sqlmesh
## What the manual's page Which tool says, measured here: half an hour; SQLMesh gets a venv of its own
compare: $(VENV)/dev.installed $(SQLMESH)/installed
	$(BIN)/python -m benchmarks.nightly --sqlmesh $(SQLMESH)/bin/python
	$(BIN)/python -m benchmarks.backfill
	$(BIN)/python -m benchmarks.upsert --rounds 3
	$(BIN)/python -m benchmarks.scd2 --sqlmesh $(SQLMESH)/bin/python

$(SQLMESH)/installed:
	$(PYTHON) -m venv $(SQLMESH)
	$(SQLMESH)/bin/pip install --quiet 'sqlmesh==0.236.*' 'pyspark==3.5.*' pyyaml
	touch $@

# the wheel of Iceberg's jars wants Python below 3.13, but holds jars and no more
JARS := $(BIN)/pip install --quiet --no-deps --ignore-requires-python snowpark-connect-deps-iceberg==1.0.2
SAY := @echo "Spark, Java and dbt are installed into $(VENV), 0.8 GB: some minutes, in which pip says nothing"
# dbt-core 1.11 wants a mashumaro below 3.15, with which it does not start on Python 3.14; with that of dbt-core 1.12 it does
NEWEST := @if $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 14))'; then \
	$(BIN)/pip install --quiet --no-deps mashumaro==3.17; fi

$(VENV)/demo.installed: pyproject.toml constraints.txt
	$(SAY)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[demo]'
	$(JARS)
	$(NEWEST)
	touch $@

$(VENV)/dev.installed: pyproject.toml constraints.txt
	$(SAY)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(JARS)
	$(NEWEST)
	touch $@

## The versions that `make demo` and `make test` install, on every Python, found anew: reads pyproject.toml, writes constraints.txt
lock:
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/pip install --quiet uv
	$(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.10 --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		--extra dev --upgrade --output-file constraints.txt pyproject.toml

clean:
	rm -rf $(VENV) $(VENV)-lock $(SQLMESH) .dbt_kinds
