"""A model of events that reads a table: what the table gained is in the model's, or among its rejects, once."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack
from typing import Any

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import Project
from tests.functional.test_events import FORMATS, rejects
from tests.sweep import is_sweep, size

COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "data_type": "bigint", "not_null": True},
    {"name": "at", "data_type": "timestamp"},
    {"name": "n", "data_type": "int"},
    {"name": "page", "data_type": "string"},
]
# from the stage to the last record
STATEMENTS = [r"create table \S*__kinds_stage_", r"insert into \S*__kinds_stage_", "__rejected", "'pending'", r"insert into \S*t_(iceberg|parquet)\b", "'loaded'", "drop table"]  # fmt: skip


def events(project: Project, name: str, file_format: str, table: str = "inbox", **meta: Any) -> None:
    landing = {"table": f"{project.schema}.{table}"}
    project.kind(
        name,
        "-- its columns are in meta",
        kind="events",
        config=f"file_format='{file_format}'",
        start=None,
        **{"columns": COLUMNS, "landing": landing, **meta},
    )


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size("KINDS_EXAMPLES", 8, full=160) // 8))
def test_what_a_table_gains_arrives_once_whatever_breaks(project: Project, seed: int) -> None:
    """Rows are removed once they are loaded, and a column is added on the way; some runs break at a statement drawn by lot."""
    luck = random.Random(seed)
    project.sql("create schema {schema}")
    project.sql("create table {schema}.inbox (at string, id int, n string) using iceberg")
    models = {f"t_{file_format}": file_format for file_format in FORMATS}
    for model, file_format in models.items():
        events(project, model, file_format)
    taken, rejected, told, number_of_row, pages = Counter[tuple[Any, ...]](), Counter[str](), [], 0, False
    for number in range(8 if is_sweep() else 3):
        for _ in range(luck.randrange(3)):
            number_of_row += 1
            at, n = luck.choice(["2024-10-27 01:30:00", "yesterday"]), luck.choice(["7", "seven", None])
            values = [f"'{at}'", str(number_of_row), f"'{n}'" if n else "null", *(["'home'"] if pages else [])]
            project.sql(f"insert into {{schema}}.inbox values ({', '.join(values)})")
            unfit = ["at is not of type timestamp"] * (at == "yesterday") + ["n is not of type int"] * (n == "seven")
            if unfit:
                rejected[", ".join(unfit)] += 1
            else:
                taken[number_of_row, 1729992600, n and int(n), "home" if pages else None] += 1
        with ExitStack() as breaks:
            if luck.random() < (0.6 if is_sweep() else 0.5):
                statement, place, done = luck.choice(STATEMENTS), luck.randint(1, 3), luck.random() < 0.5
                broken = breaks.enter_context(broken_connection(statement, number=place, done=done))
                project.dbt("run")
                told.append(f"{number} broken at {broken[0][:60] if broken else 'nothing'}, done: {done}")
        project.operation("release_lease", select=" ".join(models))
        run = project.run()
        for model in models:
            held = Counter(project.sql(f"select id, unix_timestamp(at), n, page from {{schema}}.{model}"))
            assert held == taken, (seed, model, told, run.messages)
            assert Counter(row[0] for row in rejects(project, model, "reason")) == rejected, (seed, model, told)
        assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []
        if luck.random() < 0.3:
            project.sql("delete from {schema}.inbox where id > 0")
            # what is removed is no event, and neither is an added column
            assert set(project.run().messages.values()) == {"flush: 0 rows"}
        if not pages and luck.random() < 0.4:
            project.sql("alter table {schema}.inbox add column page string")
            pages = True
    before = project.events()
    assert set(project.run().messages.values()) == {"flush: 0 rows"}
    assert project.events() == before


def test_what_is_refused_and_what_is_told(project: Project) -> None:
    project.sql("create schema {schema}")
    events(project, "t", "iceberg")
    assert f"the landing table {project.schema}.inbox is not there" in project.dbt("run").errors
    project.sql("create table {schema}.files using parquet as select 1L as id")
    events(project, "t", "iceberg", table="files")
    assert "has no snapshots, so its new rows cannot be determined" in project.dbt("run").errors
    project.sql("create table {schema}.inbox using iceberg as select 1L as id, 2.5D as n, 'x' as more")
    events(project, "t", "iceberg")
    words = "is of type double, and is declared as int, which cannot hold all of it; declare it as double"
    assert words in project.dbt("run").errors
    assert not project.table_exists("t")
    project.sql("create or replace table {schema}.inbox using iceberg as select 1L as id, 2Y as n, 'x' as more")
    project.sql("insert into {schema}.inbox select cast(null as bigint), 3Y, 'its'")
    events(project, "t", "iceberg", on_bad_record="error")
    assert "1 row cannot be loaded, such as this one of " in (refused := project.dbt("run").errors)
    assert '{"id":null,"n":3,"more":"its"} (id is missing or null)' in refused
    events(project, "t", "iceberg")
    run = project.run()
    assert run.messages["t"] == "flush: 1 row"
    assert f"model t: 1 row was rejected, see {project.schema}.t__rejected" in run.errors
    assert project.rows("select * from {schema}.t") == [(1, None, 2, None)]
    assert rejects(project, "t") == [(f"{project.schema}.inbox", '{"id":null,"n":3,"more":"its"}')]
    project.sql("drop table {schema}.inbox")
    project.sql("create table {schema}.inbox using iceberg as select 4L as id")
    lost = project.dbt("run").errors
    assert "is gone, so its new rows cannot be determined" in lost
    assert "disable_restatement: false and run dbt run --full-refresh --select t" in lost
    events(project, "t", "iceberg", disable_restatement=False)
    assert project.run("--full-refresh").messages["t"] == "flush: 1 row"
    assert project.rows("select id from {schema}.t") == [(4,)]
    assert project.operation("ingested")["models"][0]["files"] == []


def test_a_string_that_would_become_another_value_is_rejected(project: Project) -> None:
    project.sql("create schema {schema}")
    rows = "(1L, '1.005', '1e400'), (2L, ' 1.5 ', 'NaN'), (3L, '1.50', '9007199254740993'), (4L, '1e-2', '0.1')"
    project.sql(f"create table {{schema}}.inbox using iceberg as select * from values {rows} as t(id, amount, x)")
    columns = [("id", "bigint"), ("amount", "decimal(6,2)"), ("x", "double")]
    declared = [{"name": name, "data_type": data_type} for name, data_type in columns]
    events(project, "t", "iceberg", columns=declared)
    project.run()
    assert project.rows("select id, cast(amount as string) from {schema}.t") == [(2, "1.50"), (4, "0.01")]
    unfit = "x is not of type double"
    assert rejects(project, "t", "reason") == [(f"amount is not of type decimal(6,2), {unfit}",), (unfit,)]


def test_a_model_that_makes_the_table_runs_first(project: Project) -> None:
    project.model("inbox", "{{ config(materialized='table', file_format='iceberg') }} select 1L as id")
    events(project, "t", "iceberg")
    words = "which has to run first; write into the model's file: -- depends_on: {{ ref('inbox') }}"
    assert words in project.dbt("run").errors
    project.kind(
        "t",
        "-- depends_on: {{ ref('inbox') }}",
        kind="events",
        config="file_format='iceberg'",
        start=None,
        columns=COLUMNS,
        landing={"table": f"{project.schema}.inbox"},
    )
    assert project.run().messages["t"] == "flush: 1 row"


def test_rows_are_removed_from_a_table_whose_columns_cannot_be_compared(project: Project) -> None:
    project.sql("create schema {schema}")
    project.sql("create table {schema}.inbox using iceberg as select 1L as id, map('a', 1) as tags")
    events(project, "t", "iceberg")
    project.run()
    project.sql("insert into {schema}.inbox select 2L, map('b', 2)")
    project.sql("delete from {schema}.inbox where id = 1")
    assert project.run().messages["t"] == "flush: 1 row"
    project.sql("alter table {schema}.inbox add column page string")
    project.sql("insert into {schema}.inbox select 3L, map('c', 3), 'home'")
    project.sql("delete from {schema}.inbox where id = 2")
    assert project.run().messages["t"] == "flush: 1 row"
    assert project.rows("select id, page from {schema}.t") == [(1, None), (2, None), (3, "home")]
    project.sql("alter table {schema}.inbox drop column tags")
    project.sql("update {schema}.inbox set page = 'start'")
    assert "had rows changed or removed, and has other columns than at the last run" in project.dbt("run").errors
    assert project.rows("select id, page from {schema}.t") == [(1, None), (2, None), (3, "home")]


def test_a_column_is_added_behind_the_last_row(project: Project) -> None:
    project.sql("create schema {schema}")
    project.sql("create table {schema}.inbox using iceberg as select 1L as id")
    events(project, "t", "iceberg")
    project.run()
    project.sql("insert into {schema}.inbox values (2L)")
    project.sql("delete from {schema}.inbox where id = 1")
    # no snapshot has the column yet
    project.sql("alter table {schema}.inbox add column page string")
    assert project.run().messages["t"] == "flush: 1 row"
    assert project.rows("select id, page from {schema}.t") == [(1, None), (2, None)]
