"""What an upsert costs as its table grows, on Iceberg: 20,000 rows of the newest keys, half of them new, and 20,000 scattered over the whole table.

The kind by key beside dbt-spark's merge strategy, in one Spark session. Tables lie in the order of their keys, as those do whose keys grow. Seconds are
dbt's own (the model's execution time); the tables are compared.

    python -m benchmarks.growth [--millions 1 4 16] [--rounds 3]
"""

from __future__ import annotations

import argparse
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from tests.functional.project import Project

CHANGED = 20_000
QUERY = "select id, region, name, amount from {{ target.schema }}.changes"
MODELS = {
    "dbt_kinds": "{{ config(materialized='incremental_by_unique_key', file_format='iceberg', "
    f"meta={{'unique_key': 'id', 'start': '2024-01-01'}}) }}}}\n{QUERY}",
    "dbt-spark merge": "{{ config(materialized='incremental', incremental_strategy='merge', file_format='iceberg', "
    f"unique_key='id') }}}}\n{QUERY}",
}
BATCHES = ("recent", "scattered")


def main() -> None:
    """Runs the comparison and prints seconds and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--millions", type=int, nargs="+", default=[1, 4, 16])
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    seconds: dict[tuple[str, int, str], float] = {}
    with benchmark_project() as project:
        # dbt compiles macros and the JVM code when they are first called
        upserts(project, 10 * CHANGED, "recent", 1)
        for millions in given.millions:
            for batch in BATCHES:
                for name, took in upserts(project, millions * 1_000_000, batch, given.rounds).items():
                    seconds[batch, millions, name] = median(took)
    report(given.millions, seconds)


def upserts(project: Project, rows: int, batch: str, rounds: int) -> dict[str, list[float]]:
    """Makes a table a contender and upserts into both in turn, in one round more, which shows the kind how many rows are equal."""
    tables = {name: f"growth_{position}" for position, name in enumerate(MODELS)}
    for name, table in tables.items():
        project.model(table, MODELS[name])
        project.sql(f"drop table if exists {{schema}}.{table} purge")
    project.sql("drop table if exists {schema}.dbt_kinds_intervals purge")
    changes(project, f"range({rows})", version=0)
    project.run(now="2024-01-02")
    found: dict[str, list[float]] = {name: [] for name in MODELS}
    for version in range(1, rounds + 2):
        changes(project, changed_ids(rows, batch, version), version=version)
        for name, table in list(tables.items())[:: 1 if version % 2 else -1]:
            took = project.run("-s", table, now=f"2024-01-{version + 2:02}").seconds[table]
            if version > 1:
                found[name].append(took)
        content = [project.rows(f"select count(*), sum(hash(*)) from {{schema}}.{table}") for table in tables.values()]
        if content[0] != content[1]:
            raise SystemExit(f"the tables differ: {content}")
    return found


def changed_ids(rows: int, batch: str, version: int) -> str:
    """SQL of the keys that a version changes or adds."""
    if batch == "scattered":
        return f"range({version}, {rows}, {rows // CHANGED})"
    first = rows + (version - 2) * CHANGED // 2
    return f"range({first}, {first + CHANGED})"


def changes(project: Project, ids: str, *, version: int) -> None:
    """The rows that arrive, different in each version."""
    project.sql(
        "create or replace view {schema}.changes as select id, concat('region ', id % 50) as region, concat('name ', id) as name, "
        f"cast(hash(id) % 1000 + {version} as double) as amount from {ids}"
    )


def report(sizes: list[int], seconds: dict[tuple[str, int, str], float]) -> None:
    ours, peer = MODELS
    table = Table(
        "batch",
        "million rows",
        ours,
        "against the smallest",
        peer,
        "ours against it",
        title="Upsert of 20,000 rows, Iceberg",
    )
    for batch in BATCHES:
        for millions in sizes:
            mine, theirs = (seconds[batch, millions, name] for name in (ours, peer))
            grown = mine / seconds[batch, sizes[0], ours]
            table.add_row(batch, str(millions), f"{mine:.2f}", f"{grown:.2f}", f"{theirs:.2f}", f"{mine / theirs:.2f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
