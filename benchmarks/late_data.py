"""What it costs to notice late data: what a source's metadata take to be asked, and a daily run against one that looks back 30 days.

The source has 2,000 snapshots and 1,000 live files. It is asked twice: what one new snapshot changed, as every day, and what all 2,000 did, as after a
year without a run. Then, over a year of rows of which one came 20 days late, models with `lookback: auto` and `lookback: 30` load the next day.

    python -m benchmarks.late_data [--rows-a-day 5000] [--rounds 3]
"""

from __future__ import annotations

import argparse
from statistics import median
from time import perf_counter
from typing import Any

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.session import benchmark_project
from tests.functional.project import Project, Run

SNAPSHOTS = 2000
QUERY = "select id, day, v from {{ dbt_kinds.window_of(source('src', 'SOURCE'), 'day') }} as e"


def main() -> None:
    """Runs the comparison and prints seconds and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows-a-day", type=int, default=5000)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    with benchmark_project() as project:
        text = f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: many}}, {{name: year}}]}}]"
        (project.folder / "models" / "sources.yml").write_text(text)
        ask_many_snapshots(project)
        compare_daily_runs(project, given.rows_a_day, given.rounds)


def ask_many_snapshots(project: Project) -> None:
    """Prints how long a source of many snapshots takes to be asked."""
    project.sql("create table {schema}.many (id int, v int, day date) using iceberg partitioned by (day)")
    project.sql("insert into {schema}.many values (1, 1, date '2024-01-01'), (2, 2, date '2024-01-02')")
    project.kind("asked", QUERY.replace("SOURCE", "many"), config="file_format='iceberg'", time_column="day", lookback="auto")  # fmt: skip
    project.run("--select", "asked", now="2024-01-03")
    commit_snapshots(project)
    seconds = {f"all {SNAPSHOTS:,} snapshots": timed_metadata(project, now="2024-01-03")}
    project.sql("insert into {schema}.many values (3, 3, date '2024-01-03')")
    project.run("--select", "asked", now="2024-01-04")
    project.sql("insert into {schema}.many values (4, 4, date '2023-12-01')")
    seconds["one new snapshot"] = timed_metadata(project, now="2024-01-04")
    files = project.sql("select count(*) from {schema}.many.files")[0][0]
    for what, (taken, statements) in seconds.items():
        Console().print(
            f"a source of {files:,} files and {SNAPSHOTS:,} snapshots, asked what {what} changed: {taken:.2f} s in {statements} statements (goal: 2 s)",
            soft_wrap=True,
        )


def commit_snapshots(project: Project) -> None:
    """Adds snapshots in one transaction: a file each, every second one in the place of the file before. No model reads their days."""
    spark: Any = SparkSession.builder.getOrCreate()
    java = spark._jvm
    table = java.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, f"{project.schema}.many")
    column = table.schema().findField("day").fieldId()
    transaction, last = table.newTransaction(), None
    for number in range(SNAPSHOTS):
        day = number // 2 % 300
        bound = java.java.util.HashMap()
        bound.put(column, java.java.nio.ByteBuffer.wrap(bytearray((18000 + day).to_bytes(4, "little"))))
        metrics = java.org.apache.iceberg.Metrics(
            java.java.lang.Long.valueOf("10"), None, None, None, None, bound, bound
        )
        file = (
            java.org.apache.iceberg.DataFiles.builder(table.spec())
            .withPath(f"file:///tmp/none/{number}.parquet")
            .withFileSizeInBytes(1000)
            .withRecordCount(10)
            .withPartitionPath(f"day={java.java.time.LocalDate.ofEpochDay(18000 + day).toString()}")
            .withFormat("PARQUET")
            .withMetrics(metrics)
            .build()
        )
        if last is None:
            transaction.newAppend().appendFile(file).commit()
            last = file
        else:
            transaction.newOverwrite().deleteFile(last).addFile(file).commit()
            last = None
    transaction.commitTransaction()


def timed_metadata(project: Project, now: str) -> tuple[float, int]:
    """The seconds of the statements by which a run with nothing to do asks its source, and how many they are."""
    taken: list[float] = []
    asked = [""]

    def listen(event: Any) -> None:
        if event.info.name == "SQLQuery":
            asked[0] = event.data.sql
        elif event.info.name == "SQLQueryStatus" and f"{project.schema}.many" in asked[0]:
            taken.append(float(event.data.elapsed))

    project.listeners.append(listen)
    run = project.run("--select", "asked", now=now)
    project.listeners.remove(listen)
    if run.messages["asked"] != "OK up to date":
        raise SystemExit(f"something was late: {run.log}")
    return sum(taken), len(taken)


def compare_daily_runs(project: Project, rows_a_day: int, rounds: int) -> None:
    """Prints the seconds of a day's run with a late row, with lookback: auto and with lookback: 30."""
    project.sql(
        "create table {schema}.year using iceberg partitioned by (day) as select cast(id as int) as id, cast(id % 97 as int) as v, "
        f"date_add(date '2024-01-01', cast(id div {rows_a_day} as int)) as day from range({366 * rows_a_day})"
    )
    for lookback in ("auto", 30):
        name = f"lookback_{lookback}"
        project.kind(name, QUERY.replace("SOURCE", "year"), config="file_format='iceberg'", time_column="day", lookback=lookback)  # fmt: skip
    project.run("--select", "lookback_auto", "lookback_30", now=f"2024-12-{20:02}")
    seconds: dict[str, list[float]] = {"lookback_auto": [], "lookback_30": []}
    for number in range(rounds):
        today = 21 + number
        project.sql(f"insert into {{schema}}.year values (-{number + 1}, 1, date '2024-12-{today - 20:02}')")
        for model, taken in seconds.items():
            started = perf_counter()
            run = project.run("--select", model, now=f"2024-12-{today}")
            taken.append(perf_counter() - started)
            check(run, model)
    auto, fixed = (median(taken) for taken in seconds.values())
    Console().print(
        f"a day's run over a year of {rows_a_day:,} rows a day, one of which came late: {auto:.1f} s with lookback: auto (2 days loaded), {fixed:.1f} s with "
        f"lookback: 30 (31 days loaded), {auto / fixed:.2f} x",
        soft_wrap=True,
    )


def check(run: Run, model: str) -> None:
    """The late day and the new one, or 31 days."""
    expected = 2 if model == "lookback_auto" else 1
    if len(run.batches(model)) != expected:
        raise SystemExit(f"{model} loaded {run.batches(model)}")


if __name__ == "__main__":
    main()
