"""An upsert of 1 % of two million rows on Iceberg: the kind by key, and dbt-spark's merge strategy, in one Spark session.

The table has twenty partitions. Two batches with rows of all of them: one whose rows are all new or different, and one that brings again
what the table has, but for its newest partition. Seconds are dbt's own (the model's execution time), rewritten files are those that the
run's snapshots removed.

    python -m benchmarks.upsert [--rows 2000000] [--rounds 3]
"""

from __future__ import annotations

import argparse
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from tests.functional.project import Project

PARTITIONS = 20
QUERY = "select id, part, region, name, amount from {{ target.schema }}.changes"
MODELS = {
    "dbt_kinds": "{{ config(materialized='incremental_by_unique_key', file_format='iceberg', partition_by='part', "
    f"meta={{'unique_key': 'id', 'start': '2024-01-01'}}) }}}}\n{QUERY}",
    "dbt-spark merge": "{{ config(materialized='incremental', incremental_strategy='merge', file_format='iceberg', partition_by='part', "
    f"unique_key='id') }}}}\n{QUERY}",
}
BATCHES = {"all rows differ": 0, "the newest rows differ": PARTITIONS - 1}


def main() -> None:
    """Runs the comparison and prints seconds, files and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()

    seconds: dict[tuple[str, str], list[float]] = {}
    files: dict[tuple[str, str], list[int]] = {}
    with benchmark_project() as project:
        # each batch has tables of its own: what the last load found decides how the next one writes
        tables = {
            (batch, name): f"upsert_{number}_{position}"
            for number, batch in enumerate(BATCHES)
            for position, name in enumerate(MODELS)
        }
        for (_, name), table in tables.items():
            project.model(table, MODELS[name])
        changes(project, given.rows, f"range({given.rows})", version=0, first_part=0)
        project.run(now="2024-01-02")
        version = 0
        for number in range(given.rounds + 1):
            for batch, first_part in BATCHES.items():
                version += 1
                step = f"range({version}, {given.rows + given.rows // 1000}, 100)"
                changes(project, given.rows, step, version=version, first_part=first_part)
                now = f"2024-{version // 28 + 1:02}-{version % 28 + 3:02}"
                compared = {name: tables[batch, name] for name in MODELS}
                before = {table: rewritten_files(project, table) for table in compared.values()}
                # one after the other: together they would wait for each other
                took = {table: project.run("-s", table, now=now).seconds[table] for table in compared.values()}
                rows = [
                    project.rows(f"select count(*), sum(hash(*)) from {{schema}}.{table}")
                    for table in compared.values()
                ]
                if rows[0] != rows[1]:
                    raise SystemExit(f"the tables differ: {rows}")
                for name, table in compared.items():
                    # the first round warms the JVM up, and shows the kind how many rows are equal
                    if number:
                        seconds.setdefault((batch, name), []).append(took[table])
                        files.setdefault((batch, name), []).append(rewritten_files(project, table) - before[table])
    report(given.rows, seconds, files)


def changes(project: Project, rows: int, ids: str, *, version: int, first_part: int) -> None:
    """The rows that arrive: from that partition on they are different in this version."""
    project.sql(
        "create or replace view {schema}.changes as select id, part, concat('region ', id % 50) as region, concat('name ', id) as name, "
        f"cast(hash(id) % 1000 + if(part >= {first_part}, {version}, 0) as double) as amount "
        f"from (select id, least(id div {rows // PARTITIONS}, {PARTITIONS - 1}) as part from {ids})"
    )


def rewritten_files(project: Project, table: str) -> int:
    """Files that the snapshots of a table removed."""
    removed = "select coalesce(sum(cast(summary['deleted-data-files'] as int)), 0) from {schema}." + table
    return int(project.sql(removed + ".snapshots")[0][0])


def report(rows: int, seconds: dict[tuple[str, str], list[float]], files: dict[tuple[str, str], list[int]]) -> None:
    table = Table("batch", "", "seconds", "ratio", "files rewritten", title=f"Upsert of 1 % of {rows:,} rows, Iceberg")
    for batch, name in seconds:
        elapsed, peer = median(seconds[batch, name]), median(seconds[batch, "dbt-spark merge"])
        table.add_row(batch, name, f"{elapsed:.2f}", f"{elapsed / peer:.2f}", f"{median(files[batch, name]):.0f}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
