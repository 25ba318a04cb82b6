"""A backfill on a Thrift server by several workers: `dbt run` of the whole window, and `dbt-kinds backfill` with 1, 2, 4 of them.

The query of each day takes its time without using a processor, as one that waits for storage does. All load the same
window of one table again, in turn; seconds are those of the whole command, medians of the rounds.

    python -m benchmarks.backfill_workers [--days 48] [--milliseconds 500] [--rounds 2]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from tests.functional.thrift import ThriftProject, locking_catalog, thrift_server

FIRST = date(2024, 1, 1)
NOW = "2025-01-01 06:00"
QUERY = """select id, day from {{ target.schema }}.source where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}
and (java_method('java.lang.Thread', 'sleep', bigint(MILLISECONDS)) is null or id >= 0)"""


def main() -> None:
    """Runs the comparison and prints seconds and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--days", type=int, default=48)
    arguments.add_argument("--milliseconds", type=int, default=500)
    arguments.add_argument("--rounds", type=int, default=2)
    given = arguments.parse_args()

    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with thrift_server(folder / "server", locking_catalog(folder / "lake")) as server:
            project = ThriftProject(folder / "project", server, "benchmark")
            fill(project, given.days, given.milliseconds)
            window = [FIRST.isoformat(), (FIRST + timedelta(days=given.days)).isoformat()]
            project.run(now=NOW, start=window[0], end=window[1])
            for _ in range(given.rounds):
                began = perf_counter()
                project.run(now=NOW, start=window[0], end=window[1])
                seconds.setdefault("dbt run, batch after batch", []).append(perf_counter() - began)
                for workers in (1, 2, 4):
                    began = perf_counter()
                    backfill(project, window, workers)
                    seconds.setdefault(f"backfill --workers {workers}", []).append(perf_counter() - began)
                if project.sql("select count(*), count(distinct id) from {schema}.days") != [(given.days,) * 2]:
                    raise SystemExit("a row is lost, or there twice")
    table = Table("", "seconds", "against dbt run")
    first = median(next(iter(seconds.values())))
    for what, measured in seconds.items():
        table.add_row(what, f"{median(measured):.1f}", f"{median(measured) / first:.2f}")
    Console().print(table)


def fill(project: ThriftProject, days: int, milliseconds: int) -> None:
    """Makes a source with a row a day, and a model that loads two days at a time."""
    project.settings["vars"] = {"kinds_store_format": "iceberg"}
    project.sql("create schema {schema}")
    project.sql(
        "create table {schema}.source using iceberg as select id, date_add(date '2024-01-01', cast(id as int)) as day "
        f"from range({days})"
    )
    sql = QUERY.replace("MILLISECONDS", str(milliseconds))
    project.kind("days", sql, config="file_format='iceberg'", time_column="day", batch_size=2)
    project.write_settings()


def backfill(project: ThriftProject, window: list[str], workers: int) -> None:
    """The command, in a process of its own; it must load all."""
    folder = str(project.folder)
    bounds = ["--start", window[0], "--end", window[1], "--restate", "--workers", str(workers)]
    where = ["--project-dir", folder, "--profiles-dir", folder, "--vars", json.dumps({"kinds_execution_time": NOW})]
    command = [sys.executable, "-c", "from dbt_kinds.cli import main; main()", "backfill", "days", *bounds, *where]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
