"""A day's run of one model on a Thrift server, with dbt-spark's default `poll_interval`: the kind, and dbt-spark's insert_overwrite.

Both load one more day of the same source, in turn, each in a session of its own. Seconds are dbt's own (the model's execution time), statements
those that dbt sends for the model.

    python -m benchmarks.thrift [--rounds 5]
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.functional.thrift import ThriftProject, thrift_server

GOAL = 1.0
QUERY = "select id, amount, day from {{ target.schema }}.orders where "
KIND = QUERY + "day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
MODELS = {
    "dbt_kinds, iceberg": "{{ config(materialized='incremental_by_time_range', file_format='iceberg', meta={'time_column': 'day', 'start': '2024-01-01'}) }}\n"
    + KIND,
    "dbt_kinds, parquet": "{{ config(materialized='incremental_by_time_range', file_format='parquet', meta={'time_column': 'day', 'start': '2024-01-01'}) }}\n"
    + KIND,
    "insert_overwrite, parquet": "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', file_format='parquet', partition_by='day') }}\n"
    + QUERY
    + "day = date '{{ var('day') }}'",
}


def main() -> None:
    """Runs the comparison and prints seconds, statements and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()

    seconds: dict[str, list[float]] = {name: [] for name in MODELS}
    sent: dict[str, int] = {}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        thrift_server(Path(folder) / "server") as server,
    ):
        project = ThriftProject(Path(folder) / "project", server, "benchmark")
        del project.target["poll_interval"]
        project.sql("create schema {schema}")
        project.sql(
            "create table {schema}.orders using parquet as select id, cast(id % 997 as double) as amount, "
            "date_add(date '2024-01-01', cast(id % 30 as int)) as day from range(300000)"
        )
        for number, model in enumerate(MODELS.values()):
            project.model(f"orders_{number}", model)
        for day in range(1, given.rounds + 3):
            for number, name in enumerate(MODELS):
                statements = Statements(f"orders_{number}")
                project.listeners = [statements]
                variables = (
                    "--vars",
                    f"{{day: '2024-01-{day:02}', kinds_execution_time: '2024-01-{day + 1:02}T06:00:00'}}",
                )
                project.flags = ["--no-partial-parse", "--no-write-json", *variables]
                run = project.dbt("run", "--select", f"orders_{number}")
                if not run.success:
                    raise SystemExit(run.errors)
                # the first days make the tables and warm the server up
                if day > 2:
                    seconds[name].append(run.seconds[f"orders_{number}"])
                    sent[name] = statements.number
        counts = [
            project.sql(f"select count(*), sum(id) from {{schema}}.orders_{number}") for number in range(len(MODELS))
        ]
        if counts != counts[:1] * len(counts):
            raise SystemExit(f"the tables differ: {counts}")
    report(seconds, sent)


@dataclass
class Statements:
    """Counts what dbt sends for one model."""

    model: str
    number: int = 0

    def __call__(self, event: Any) -> None:
        """Takes one of dbt's events."""
        if event.info.name == "SQLQuery" and event.data.node_info.node_name == self.model:
            self.number += 1


def report(seconds: dict[str, list[float]], sent: dict[str, int]) -> None:
    table = Table(
        "",
        "statements",
        "seconds",
        "against insert_overwrite",
        title=f"one batch, the first model of its run; goal {GOAL}",
    )
    peer = median(seconds["insert_overwrite, parquet"])
    for name, times in seconds.items():
        table.add_row(name, str(sent[name]), f"{median(times):.2f}", f"{median(times) / peer:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
