"""A batch of two million rows with five audits, and the same batch without, in one Spark session, on Iceberg and Parquet.

The query aggregates what it reads, as models do. Seconds are dbt's own (the model's execution time), medians of the rounds.

    python -m benchmarks.audits [--rows 2000000] [--rounds 5]
"""

from __future__ import annotations

import argparse
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from tests.functional.project import Project

GOAL = 1.5
AUDITS = [
    {"not_null": {"column_name": "id"}},
    {"unique": {"column_name": "id"}},
    {"dbt_kinds.accepted_range": {"column_name": "amount", "min_v": 0}},
    {"accepted_values": {"column_name": "region", "values": ["0", "1", "2", "3", "4"]}},
    {"dbt_kinds.number_of_rows": {"threshold": 0}},
]
QUERY = """select id, day, region, sum(amount) as amount, max(seen) as seen
from {{ target.schema }}.sold
where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}
group by id, day, region"""


def main() -> None:
    """Runs the comparison and prints seconds and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    table = Table("format", "without", "five audits", "ratio", "goal")
    with benchmark_project() as project:
        sources(project, given.rows)
        for file_format in ("iceberg", "parquet"):
            for name, audits in (("plain", []), ("audited", AUDITS)):
                meta = {"time_column": "day", "start": "2024-01-01", "audits": audits}
                config = f"materialized='incremental_by_time_range', file_format='{file_format}', meta={meta!r}"
                project.model(f"{name}_{file_format}", f"{{{{ config({config}) }}}}\n{QUERY}\n")
        for file_format in ("iceberg", "parquet"):
            seconds: dict[str, list[float]] = {"plain": [], "audited": []}
            for number in range(given.rounds + 1):
                for name, taken in seconds.items():
                    model = f"{name}_{file_format}"
                    run = project.run("-s", model, now="2024-01-03", start="2024-01-01", end="2024-01-03")
                    taken.extend([run.seconds[model]] if number else [])
            plain, audited = median(seconds["plain"]), median(seconds["audited"])
            table.add_row(file_format, f"{plain:.1f} s", f"{audited:.1f} s", f"{audited / plain:.2f}", f"{GOAL}")
    Console().print(table)


def sources(project: Project, rows: int) -> None:
    """Five sales of each id, over two days."""
    project.sql("create schema if not exists {schema}")
    project.sql(
        "create table {schema}.sold using parquet as select id, date '2024-01-01' + cast(id % 2 as int) as day, "
        "cast(id % 5 as string) as region, cast(part as decimal(10, 2)) as amount, uuid() as seen "
        f"from range({rows}) cross join (select explode(sequence(1, 5)) as part)"
    )


if __name__ == "__main__":
    main()
