"""A backfill of 60 days and two million rows: dbt's microbatch, this package, and a bare `insert … select`.

All three run the same query in one Spark session, in turn, several times; medians are compared. dbt models are timed by
dbt itself (the model's execution time, without parsing), the bare insert by the clock.

    python -m benchmarks.backfill [--rows 2000000] [--rounds 3]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from tests.functional.project import Project

DAYS = 60
QUERY = """select id, day, customer, amount, amount * 1.19 as gross, concat('order ', id) as label
from {source} where day between {low} and {high}"""


def main() -> None:
    """Runs the comparison and prints seconds and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()

    with benchmark_project() as project:
        generate(project, given.rows)
        contenders: dict[str, Callable[[str], float]] = {
            "insert … select, parquet": lambda table: bare_insert(project, table, "parquet"),
            "insert … select, iceberg": lambda table: bare_insert(project, table, "iceberg"),
            "dbt_kinds, parquet": lambda table: dbt_run(project, table, kind_model("parquet")),
            "dbt_kinds, iceberg": lambda table: dbt_run(project, table, kind_model("iceberg")),
            "microbatch, parquet": lambda table: dbt_run(project, table, MICROBATCH_MODEL),
        }
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        for number in range(given.rounds + 1):
            for contender, (name, run) in enumerate(contenders.items()):
                table = f"orders_{number}_{contender}"
                elapsed = run(table)
                totals = "select count(*), count(distinct id), sum(amount) from {schema}."
                if project.sql(totals + table) != project.sql(totals + "orders"):
                    raise SystemExit(f"{name} did not write the rows of the source")
                # the first round warms the JVM up
                if number:
                    seconds[name].append(elapsed)
    report(given.rows, {name: median(times) for name, times in seconds.items()})


def generate(project: Project, rows: int) -> None:
    project.sql(
        "create table {schema}.orders using parquet as select id, date_add(date '2024-01-01', cast(id % "
        f"{DAYS} as int)) as day, hash(id) % 1000 as customer, cast(id % 997 as double) as amount from range({rows})"
    )


def bare_insert(project: Project, table: str, file_format: str) -> float:
    query = QUERY.format(source="{schema}.orders", low="date '2024-01-01'", high="date '2024-02-29'")
    columns = "id, customer, amount, gross, label, day" if file_format == "parquet" else "*"
    started = perf_counter()
    project.sql(
        f"create table {{schema}}.{table} using {file_format} partitioned by (day) as select * from ({query}) where false"
    )
    project.sql("set spark.sql.sources.partitionOverwriteMode = dynamic")
    project.sql(f"insert into {{schema}}.{table} select {columns} from ({query})")
    return perf_counter() - started


def kind_model(file_format: str) -> str:
    query = QUERY.format(
        source="{{ source('shop', 'orders') }}", low="{{ dbt_kinds.start_date() }}", high="{{ dbt_kinds.end_date() }}"
    )
    config = f"materialized='incremental_by_time_range', file_format='{file_format}'"
    return f"{{{{ config({config}, meta={{'time_column': 'day', 'start': '2024-01-01'}}) }}}}\n{query}"


MICROBATCH_MODEL = """{{ config(materialized='incremental', incremental_strategy='microbatch', file_format='parquet',
    event_time='day', begin='2024-01-01', batch_size='day', partition_by='day') }}
select id, customer, amount, amount * 1.19 as gross, concat('order ', id) as label, day from {{ source('shop', 'orders') }}"""


def dbt_run(project: Project, table: str, model: str) -> float:
    event_time = ", config: {event_time: day}" if "microbatch" in model else ""
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: shop, schema: benchmark, tables: [{{name: orders{event_time}}}]}}]"
    )
    project.model(table, model)
    window = ("--event-time-start", "2024-01-01", "--event-time-end", "2024-03-01") if event_time else ()
    return project.run("--select", table, *window, now="2024-03-01").seconds[table]


def report(rows: int, seconds: dict[str, float]) -> None:
    table = Table("", "seconds", "against microbatch", "against insert … select", title=f"{DAYS} days, {rows:,} rows")
    for name, elapsed in seconds.items():
        bare = seconds[f"insert … select, {name.split(', ')[1]}"]
        table.add_row(
            name, f"{elapsed:.2f}", f"{seconds['microbatch, parquet'] / elapsed:.1f} x faster", f"{elapsed / bare:.2f}"
        )
    Console().print(table)


if __name__ == "__main__":
    main()
