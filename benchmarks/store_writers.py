"""What appends to the interval store cost beside each other: 1, 4 and 16 writers in one session, and whether all of them are kept.

The statements are those of a real run. A Hive text store is in Hive's catalog, an Iceberg store in a `hadoop` catalog, which lets one writer at a time commit.

    python -m benchmarks.store_writers [--writers 1 4 16] [--appends 20]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from tests.functional.project import Project
from tests.functional.test_race import INVOCATION, STORE, Execute, at_once, lake, store_statements


def main() -> None:
    """Runs the comparison and prints seconds, appends a second and how many are missing."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--writers", type=int, nargs="*", default=[1, 4, 16])
    arguments.add_argument("--appends", type=int, default=20)
    given = arguments.parse_args()

    table = Table(
        "store", "writers", "appends", "seconds", "appends a second", "missing", title="Appends beside each other"
    )
    with benchmark_project() as project, tempfile.TemporaryDirectory() as folder:
        for statement in lake(Path(folder)):
            project.sql(statement)
        for store_format in ("hive", "iceberg"):
            project.use_schema(f"writers_{store_format}")
            statements = store_statements(project, store_format)
            for writers in given.writers:
                seconds, kept = appended(project, store_format, statements, writers, given.appends)
                total = writers * given.appends
                cells = [f"{writers}", f"{total}", f"{seconds:.1f}", f"{total / seconds:.1f}", f"{total - kept}"]
                table.add_row(store_format, *cells)
    Console(width=120).print(table)


def appended(
    project: Project, store_format: str, statements: tuple[list[str], str], writers: int, appends: int
) -> tuple[float, int]:
    """The seconds that it took, and how many of the appends the store has."""
    create, insert = statements
    catalog = "lake." if store_format == "iceberg" else ""
    store = f"{catalog}{project.schema}.of_{writers}"
    project.sql(f"create schema if not exists {catalog}{project.schema}")
    project.sql(create[0].replace(STORE, store))

    def append(writer: int, execute: Execute) -> None:
        for number in range(appends):
            execute(INVOCATION.sub(f"{writer}-{number}", insert).replace(STORE, store))

    began = perf_counter()
    at_once(append, [project.sql] * writers)
    seconds = perf_counter() - began
    return seconds, int(project.sql(f"select count(distinct invocation_id) from {store}")[0][0])


if __name__ == "__main__":
    main()
