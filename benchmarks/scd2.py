"""SCD type 2 of a dimension, 1 % of it changed and 0.1 % deleted a run, on Iceberg: ours, SQLMesh and `dbt snapshot`.

Once with an empty history, and once behind five million closed versions, where the time should stay as it is. SQLMesh runs in a
process of its own, on the same settings of Spark and the same sources (`--sqlmesh` names its Python), and takes the rows as ours does:
by column, with hard deletes. Seconds are the model's (dbt) and `Context.run`'s (SQLMesh); bytes are those of the files that the run's
commits added to the table. The tables are compared.

    python -m benchmarks.scd2 [--rows 500000] [--closed 5000000] [--rounds 3] [--sqlmesh /path/to/python]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.session import benchmark_project
from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import spark_settings
from tests.peer.sqlmesh_process import run_sqlmesh

KIND = "scd_type_2_by_column"
OPTIONS = {
    "unique_key": "id",
    "columns": ["price"],
    "invalidate_hard_deletes": True,
    "execution_time_as_valid_from": True,
}
SNAPSHOT = """{% snapshot dim_snapshot %}
{{ config(schema=target.schema, unique_key='id', strategy='check', check_cols=['price'], file_format='iceberg', hard_deletes='invalidate') }}
select id, name, price from {{ target.schema }}.source_rows
{% endsnapshot %}
"""
CONTENT = "count(*), sum(hash(id, price, valid_from, valid_to))"
DRIVER = Path(__file__).with_name("scd2_sqlmesh.py")
Measured = list[dict[str, Any]]


def main() -> None:
    """Runs the comparison and prints seconds, bytes and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=500_000)
    arguments.add_argument("--closed", type=int, default=5_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--sqlmesh", help="the Python of a venv that holds sqlmesh and pyspark")
    given = arguments.parse_args()

    use_java_17()
    table = Table(
        "closed versions", "", "seconds", "ratio", "MB written", title=f"SCD type 2 of {given.rows:,} rows, Iceberg"
    )
    for closed in (0, given.closed):
        found = {"dbt_kinds": ours(given.rows, closed, given.rounds)}
        if given.sqlmesh:
            found["SQLMesh"] = sqlmesh(given.sqlmesh, given.rows, closed, given.rounds)
            if found["SQLMesh"][-1]["content"] != found["dbt_kinds"][-1]["content"]:
                raise SystemExit(f"the tables differ: {found}")
        peer = median(run["seconds"] for run in found["SQLMesh" if given.sqlmesh else "dbt_kinds"])
        for name, runs in found.items():
            seconds = median(run["seconds"] for run in runs)
            written = median(run["bytes"] for run in runs) / 1_000_000
            table.add_row(f"{closed:,}", name, f"{seconds:.2f}", f"{seconds / peer:.2f}", f"{written:.1f}")
    Console(width=120).print(table)
    print("dbt snapshot:", snapshot(given.rows))


def ours(rows: int, closed: int, rounds: int) -> Measured:
    with benchmark_project() as project:
        project.kind(
            "dim", query("{{ target.schema }}"), kind=KIND, config="file_format='iceberg'", start=None, **OPTIONS
        )
        project.sql(source("{schema}", rows, 0))
        project.run(now=day(0))
        for statement in history("{schema}.dim", rows, closed):
            project.sql(statement)
        runs = []
        for version in range(1, rounds + 2):
            project.sql(source("{schema}", rows, version))
            before = len(project.sql(WRITTEN.format(table="{schema}.dim")))
            seconds = project.run(now=day(version)).seconds["dim"]
            commits = project.sql(WRITTEN.format(table="{schema}.dim"))[before:]
            content = project.sql(f"select {CONTENT} from {{schema}}.dim")[0]
            runs.append({"seconds": seconds, "bytes": sum(int(size) for (size,) in commits), "content": list(content)})
    # the first round warms the JVM up
    return runs[1:]


def sqlmesh(python: str, rows: int, closed: int, rounds: int) -> Measured:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options = {
            "unique_key": "id", "columns": "[price]", "invalidate_hard_deletes": "true", "execution_time_as_valid_from": "true",
        }  # fmt: skip
        kind = f"{KIND.upper()} ({', '.join(f'{name} {value}' for name, value in options.items())})"
        request = {
            "folder": folder,
            "spark": spark_settings(Path(folder) / "spark"),
            "models": {
                "dim": f"MODEL (name benchmark.dim, kind {kind}, cron '@daily', table_format iceberg);\n{query('landed')}\n"
            },
            "tasks": 1,
            "days": [day(version) for version in range(rounds + 2)],
            "sources": [source("landed", rows, version) for version in range(rounds + 2)],
            "history": history("{table}", rows, closed),
            "written": WRITTEN,
            "content": f"select {CONTENT} from {{table}}",
        }
        run_sqlmesh(python, DRIVER, request, Path(folder))
        answer: Measured = json.loads((Path(folder) / "answer.json").read_text())
    return answer[1:]


def snapshot(rows: int) -> str:
    """How long a second `dbt snapshot` takes, or why it does not run."""
    with benchmark_project() as project:
        (project.folder / "snapshots").mkdir()
        (project.folder / "snapshots" / "dim_snapshot.sql").write_text(SNAPSHOT)
        for version in (0, 1):
            project.sql(source("{schema}", rows, version))
            run = project.dbt("snapshot", now=day(version))
            if not run.success:
                return f"run {version + 1} fails: {' '.join(run.errors.split())[:300]}"
        held = project.sql("select count(*) from {schema}.dim_snapshot")[0][0]
        expected = rows + rows // 100
        lost = "" if held == expected else f", and the table holds {held:,} rows instead of {expected:,}"
        return f"{run.seconds['dim_snapshot']:.2f} s{lost}"


def query(schema: str) -> str:
    return f"select id, name, price from {schema}.source_rows"


def source(schema: str, rows: int, version: int) -> str:
    """SQL that makes the source as it is in a version: one more in a hundred changed, one more in a thousand gone."""
    return (
        f"create or replace table {schema}.source_rows using iceberg as select cast(id as int) as id, concat('name ', id) as name, "
        f"cast(hash(id) % 1000 + if(id % 100 between 1 and {version}, 1, 0) as double) as price "
        f"from range({rows}) where not id % 1000 between 501 and {500 + version}"
    )


def history(table: str, rows: int, closed: int) -> list[str]:
    """SQL that adds closed versions of long ago, as many a key."""
    if not closed:
        return []
    return [
        f"insert into {table} select cast(id % {rows} as int), concat('name ', id % {rows}), cast(id div {rows} as double), "
        f"timestamp '2000-01-01 00:00:00' + make_interval(0, 0, 0, cast(id div {rows} as int)), "
        f"timestamp '2000-01-02 00:00:00' + make_interval(0, 0, 0, cast(id div {rows} as int)) from range({closed})"
    ]


WRITTEN = "select coalesce(summary['added-files-size'], '0') from {table}.snapshots order by committed_at"


def day(version: int) -> str:
    return f"2024-01-{version + 2:02} 00:00:00"


if __name__ == "__main__":
    main()
