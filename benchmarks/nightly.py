"""A night's job: many models, each with a little new data. Ours, dbt-spark's own incremental models and SQLMesh, on Iceberg; or the first two on Delta.

Three fifths of the models go by time range and two fifths by key; a day brings 50,000 rows, of which half have a key of the day before.
dbt-spark's are `insert_overwrite` and `merge`. The dbt projects take turns in one Spark session, or on one Thrift server (`--thrift`), SQLMesh
runs in a process of its own on the same settings of Spark (`--sqlmesh` names its Python). A run's seconds are dbt's own from the first
statement to the end of the last hook, and those of `Context.run`: neither has parsing in them. With `--cold` each `dbt run` is a process,
and its seconds are all of them: one that starts its own Spark, as on a laptop or in CI, or with `--thrift` one that finds the server there,
as in production. The tables are compared.

    python -m benchmarks.nightly [--models 20] [--threads 4] [--rows 50000] [--days 3] [--thrift] [--cold] [--sqlmesh /path/to/python] [--format delta] [--statements]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from dbt.adapters.spark.session import Cursor
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.session import benchmark_project
from dbt_kinds.local.java import use_java_17
from dbt_kinds.local.profile import local_profile, spark_settings
from tests.functional.formats import table_format
from tests.functional.project import Project, start_spark
from tests.functional.thrift import ThriftProject, thrift_server
from tests.peer.sqlmesh_process import run_sqlmesh

GOAL = 1.0
fetchall = Cursor.fetchall
SOURCE = "landed.orders"
QUERY = f"select id, amount, day from {SOURCE} where day"
KIND = (
    "{{ config(materialized='incremental_by_%s', file_format='%s', meta={'%s', 'start': '2024-01-01'}%s) }}\n"
    + QUERY
    + " between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
)
INCREMENTAL = (
    "{{ config(materialized='incremental', file_format='%s', incremental_strategy=%s) }}\n"
    + QUERY
    + " = date '{{ var('my_day') }}'"
)
PLANNED = (
    "MODEL (name benchmark.%s, kind INCREMENTAL_BY_%s, cron '@daily', table_format iceberg%s);\n"
    + QUERY
    + " between @start_date and @end_date"
)
CONTENT = "select count(*), sum(hash(id, amount, day)) from {table}"
DRIVER = Path(__file__).with_name("nightly_sqlmesh.py")
OURS, INCREMENTALS, SQLMESH = "dbt_kinds", "dbt-spark's own incremental", "SQLMesh"


@dataclass
class Nights:
    """What the measured runs of a contender took, and what its tables hold in the end."""

    whole: list[float] = field(default_factory=list)
    models: list[float] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    contents: dict[str, Any] = field(default_factory=dict)
    # seconds by statement, in which numbers and names of models do not count
    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, night: Nights) -> None:
        """Takes in another run."""
        self.whole += night.whole
        self.models += night.models
        self.statements += night.statements
        for statement, seconds in night.spent.items():
            self.spent[statement] += seconds


def main() -> None:
    """Runs the comparison and prints seconds, statements and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=20)
    arguments.add_argument("--threads", type=int, default=4)
    arguments.add_argument("--rows", type=int, default=50_000)
    arguments.add_argument("--days", type=int, default=3)
    arguments.add_argument("--thrift", action="store_true", help="on a Thrift server, with poll_interval: 1")
    arguments.add_argument(
        "--cold", action="store_true", help="each run in a process and, without --thrift, a Spark of its own"
    )
    arguments.add_argument("--sqlmesh", help="the Python of a venv that holds sqlmesh and pyspark")
    arguments.add_argument(
        "--format",
        choices=["iceberg", "delta"],
        default="iceberg",
        help="of all tables; Delta's jars are looked for in KINDS_JARS",
    )
    arguments.add_argument("--statements", action="store_true", help="also print the statements that took longest")
    given = arguments.parse_args()
    os.environ["KINDS_FORMATS"] = given.format
    if given.sqlmesh and given.format == "delta":
        arguments.error("--sqlmesh runs on Iceberg alone")
    if given.cold and (given.sqlmesh or given.statements):
        arguments.error("--cold compares the two dbt projects alone, and sees no statements")

    names = [f"{'range' if number * 5 < given.models * 3 else 'key'}_{number}" for number in range(given.models)]
    starts_spark = given.cold and not given.thrift
    found = cold_nights(names, given) if starts_spark else dbt_nights(names, given)
    if given.sqlmesh:
        found[SQLMESH] = sqlmesh_nights(names, given)
    for name, nights in found.items():
        if nights.contents != found[OURS].contents:
            raise SystemExit(f"the tables of {name} differ: {nights.contents}\n{found[OURS].contents}")
    place = ("on a Thrift server" if given.thrift else "on a Spark of its own" if given.cold else "on the session") + (
        ", each run a process" if given.cold else ""
    )
    report(
        found,
        f"{given.models} models of {given.format}, {given.threads} threads, {given.rows:,} rows a day, {place}; goal {GOAL}",
    )
    if given.statements:
        for name in (OURS, INCREMENTALS):
            report_statements(name, found[name])


def dbt_nights(names: list[str], given: argparse.Namespace) -> dict[str, Nights]:
    """The runs of both dbt projects, day by day and in turn, so that what else the machine does meets both."""
    with dbt_projects(given) as (ours, incrementals):
        projects = {OURS: ours, INCREMENTALS: incrementals}
        write_models(names, ours, incrementals)
        for project in projects.values():
            project.sql("create schema if not exists {schema}")
        found = {name: Nights() for name in projects}
        for number in range(given.days + 2):
            for statement in source(given.rows, number):
                ours.sql(statement)
            for name in list(projects)[:: 1 if number % 2 else -1]:
                night = dbt_run(projects[name], number) if given.cold else run(projects[name], number)
                # the first days make the tables and warm the JVM up
                if number > 1:
                    found[name].add(night)
        for name, project in projects.items():
            for model in names:
                content = project.sql(CONTENT.format(table=f"{{schema}}.{model}"))[0]
                found[name].contents[model] = list(content)
    return found


def cold_nights(names: list[str], given: argparse.Namespace) -> dict[str, Nights]:
    """The runs of both dbt projects by `dbt run`; `whole` is its process from start to end."""
    use_java_17()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        profile = local_profile(folder, name="local", schema="unused", threads=given.threads, table_format=given.format)
        ours = Project(folder / "project", profile, "benchmark")
        incrementals = without_package(Project(folder / "incrementals", profile, "incrementals"))
        write_models(names, ours, incrementals)
        projects = {OURS: ours, INCREMENTALS: incrementals}
        found = {name: Nights() for name in projects}
        for number in range(given.days + 2):
            in_own_spark(profile, source(given.rows, number))
            for name in list(projects)[:: 1 if number % 2 else -1]:
                night = dbt_run(projects[name], number)
                # the first days make the tables
                if number > 1:
                    found[name].add(night)
        for name, project in projects.items():
            contents = in_own_spark(profile, [CONTENT.format(table=f"{project.schema}.{model}") for model in names])
            found[name].contents = {model: list(rows[0]) for model, rows in zip(names, contents, strict=True)}
    return found


def dbt_run(project: Project, number: int) -> Nights:
    """A night's `dbt run` in a process of its own."""
    project.write_settings()
    variables = {"kinds_execution_time": f"{day(number + 1)}T06:00:00", "my_day": day(number)}
    where = ["--project-dir", str(project.folder), "--profiles-dir", str(project.folder)]
    command = [str(Path(sys.executable).with_name("dbt")), "run", *where, "--vars", json.dumps(variables)]
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(done.stdout)
    results = json.loads((project.folder / "target" / "run_results.json").read_text())["results"]
    return Nights(whole=[seconds], models=[sum(result["execution_time"] for result in results)])


def in_own_spark(profile: dict[str, Any], statements: list[str]) -> list[list[tuple[Any, ...]]]:
    """The rows of each statement, from a process that has ended when this returns: a metastore of Derby admits one."""
    context = multiprocessing.get_context("spawn")
    answer, sender = context.Pipe(duplex=False)
    process = context.Process(target=_execute, args=(profile, statements, sender))
    process.start()
    sender.close()
    rows: list[list[tuple[Any, ...]]] = answer.recv()
    process.join()
    return rows


def _execute(profile: dict[str, Any], statements: list[str], sender: Connection) -> None:
    use_java_17()
    session = start_spark(profile)
    sender.send([[tuple(row) for row in session.sql(statement).collect()] for statement in statements])
    session.stop()


def write_models(names: list[str], ours: Project, incrementals: Project) -> None:
    for name in names:
        ours.model(name, kind(name))
        incrementals.model(name, incremental(name))


@contextmanager
def dbt_projects(given: argparse.Namespace) -> Iterator[tuple[Project, Project]]:
    """Two projects on one Spark, the second one without the package."""
    if not given.thrift:
        with benchmark_project(given.threads) as ours:
            profile = {"local": {"outputs": {"local": ours.target}}}
            yield ours, without_package(Project(ours.folder.parent / "incrementals", profile, "incrementals"))
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with thrift_server(folder / "server") as server:
            incrementals = ThriftProject(folder / "incrementals", server, "incrementals", given.threads)
            ours = ThriftProject(folder / "project", server, "benchmark", given.threads)
            yield ours, without_package(incrementals)


def without_package(project: Project) -> Project:
    (project.folder / "dbt_packages" / "dbt_kinds").unlink()
    return project


def run(project: Project, number: int) -> Nights:
    """One night's `dbt run`."""
    night = Nights()
    # of a thread: the statement that it waits for
    sent: dict[str, str] = {}

    def listen(event: Any) -> None:
        if event.info.name == "FinishedRunningStats":
            night.whole.append(event.data.execution_time)
        elif event.info.name == "SQLQuery":
            sent[event.info.thread] = event.data.sql
        elif event.info.name == "SQLQueryStatus":
            night.spent[pattern(sent.get(event.info.thread, ""))].append(event.data.elapsed)

    # in a session it is the fetch that runs a select
    def fetch(cursor: Cursor) -> Any:
        began = time.perf_counter()
        rows = fetchall(cursor)
        spent = night.spent[pattern(sent.get(threading.current_thread().name, ""))]
        if spent:
            spent[-1] += time.perf_counter() - began
        return rows

    project.listeners = [listen]
    with patch.object(Cursor, "fetchall", fetch):
        done = project.run(now=f"{day(number + 1)}T06:00:00", my_day=day(number))
    night.models, night.statements = [sum(done.seconds.values())], [len(done.statements)]
    return night


def pattern(statement: str) -> str:
    """The beginning of a statement, the same for all models and days."""
    text = " ".join(statement.split("*/", 1)[-1].split())
    return re.sub(r"\d+", "#", re.sub(r"\b(range|key)_\d+", r"\1", text))[:100]


def sqlmesh_nights(names: list[str], given: argparse.Namespace) -> Nights:
    """The same nights with SQLMesh, its state in DuckDB."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        request = {
            "folder": folder,
            "spark": spark_settings(Path(folder) / "spark"),
            "models": {name: planned(name) for name in names},
            "tasks": given.threads,
            "days": [f"{day(number + 1)} 00:00:00" for number in range(given.days + 2)],
            "sources": [source(given.rows, number) for number in range(given.days + 2)],
            "content": CONTENT,
        }
        run_sqlmesh(given.sqlmesh, DRIVER, request, Path(folder))
        answer = json.loads((Path(folder) / "answer.json").read_text())
    return Nights(whole=answer["seconds"][1:], contents=answer["contents"])


def kind(name: str) -> str:
    if name.startswith("range"):
        return KIND % ("time_range", table_format(), "time_column': 'day", "")
    return KIND % ("unique_key", table_format(), "unique_key': 'id", "")


def incremental(name: str) -> str:
    strategy = "'insert_overwrite', partition_by='day'" if name.startswith("range") else "'merge', unique_key='id'"
    return INCREMENTAL % (table_format(), strategy)


def planned(name: str) -> str:
    if name.startswith("range"):
        return PLANNED % (name, "TIME_RANGE (time_column day)", ", partitioned_by day")
    return PLANNED % (name, "UNIQUE_KEY (unique_key id)", "")


def source(rows: int, number: int) -> list[str]:
    """SQL that brings the rows of a day."""
    made = (
        f"select id, cast(hash(id, {number}) % 1000 as double) as amount, date '{day(number)}' as day "
        f"from range({number * rows // 2}, {number * rows // 2 + rows})"
    )
    if number:
        return [f"insert into {SOURCE} {made}"]
    return [
        "create schema if not exists landed",
        f"create table {SOURCE} using {table_format()} partitioned by (day) as {made}",
    ]


def day(number: int) -> str:
    return f"2024-01-{number + 1:02}"


def report(found: dict[str, Nights], title: str) -> None:
    table = Table("", "whole run", "ours against it", "seconds of models", "ours against it", "statements", title=title)
    ours = found[OURS]
    for name, nights in found.items():
        table.add_row(
            name,
            f"{median(nights.whole):.1f}",
            f"{median(ours.whole) / median(nights.whole):.2f}",
            *(
                [f"{median(nights.models):.1f}", f"{median(ours.models) / median(nights.models):.2f}"]
                if nights.models
                else ["", ""]
            ),
            f"{median(nights.statements):.0f}" if nights.statements else "",
        )
    Console(width=120).print(table)


def report_statements(name: str, nights: Nights) -> None:
    """Prints what a night's statements take, and how much of the models' seconds is none of them."""
    number = len(nights.whole)
    table = Table(title=f"{name}: a night's statements, seconds of all threads")
    for column in ("seconds", "statements", "each", "statement"):
        table.add_column(column, justify="left" if column == "statement" else "right", no_wrap=True)
    for statement, seconds in sorted(nights.spent.items(), key=lambda item: -sum(item[1]))[:25]:
        each = sum(seconds) / len(seconds)
        table.add_row(f"{sum(seconds) / number:.2f}", f"{len(seconds) / number:.1f}", f"{each:.2f}", escape(statement))
    told = sum(sum(seconds) for seconds in nights.spent.values()) / number
    table.add_row(f"{told:.2f}", "", "", "all statements")
    table.add_row(
        f"{sum(nights.models) / number - told:.2f}", "", "", "the models' other seconds: macros, dbt, waiting"
    )
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
