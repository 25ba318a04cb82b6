"""Columns that are called like SQL, through every kind on Iceberg, or on Delta: the rows are those of the source, whatever the names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.formats import table_format
from tests.functional.project import Project
from tests.sweep import rest

# none with ${…}: Spark substitutes that in any statement, so no SQL can make such a column
NAMES = [
    "a`b", "it's", 'say "hi"', "x; drop table t; --", "a */ b /* c", "back\\slash\\' ) or (1=1", "days(ts)", "new\nline",
]  # fmt: skip
KINDS = [
    "incremental_by_time_range",
    "incremental_by_unique_key",
    "scd_type_2_by_column",
    "incremental_by_partition",
    "tracked",
    "full",
]
# one name that has most of it
ALL = "a`b'; drop table t; -- */ \\"
FORMAT = table_format()
# Delta takes such names with column mapping only
MAPPED = FORMAT == "delta"
CONFIG = f"file_format='{FORMAT}'" + (", tblproperties={'delta.columnMapping.mode': 'name'}" if MAPPED else "")
USING = f"using {FORMAT}" + (" tblproperties ('delta.columnMapping.mode' = 'name')" if MAPPED else "")
NOW, LATER, LATEST = (f"2024-01-0{day}T08:00:00" for day in (3, 4, 5))


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def columns_of(kind: str, name: str) -> tuple[str, dict[str, Any], str]:
    """What a model of a kind is given so that it finds rows by the column, and its config."""
    key = quoted(name)
    if kind == "incremental_by_time_range":
        return f"date '2024-01-01' + n as {key}, n as value", {"time_column": name}, ""
    if kind == "incremental_by_unique_key":
        return (
            f"n as {key}, n * 10 as value",
            {"unique_key": [key], "merge_filter": f"target.{key} >= 0"},
            "",
        )
    if kind == "scd_type_2_by_column":
        given = {"unique_key": [key], "columns": ["value"], "invalidate_hard_deletes": True}
        return f"n as {key}, n * 10 as value", given, ""
    if kind == "incremental_by_partition":
        return f"n as {key}, n * 10 as value", {}, f", partition_by={[key]!r}"
    if kind == "tracked":
        return f"n as {key}, n * 10 as value", {"group_key": [name], "start": None}, ""
    return f"n as {key}, n * 10 as value", {"start": None}, f", partition_by={[key]!r}"


def expected(kind: str) -> list[tuple[int, str]]:
    """Rows before were those of 0 to 2, values n * 10; now they are 1 to 3, and 2's value is one more."""
    now = [(1, "10"), (2, "21"), (3, "30")]
    if kind in ("incremental_by_unique_key", "incremental_by_partition"):
        return [(0, "0"), *now]
    if kind == "scd_type_2_by_column":
        # the versions that were closed, too
        return [(0, "0"), (1, "10"), (2, "20"), (2, "21"), (3, "30")]
    return now


@pytest.mark.parametrize(
    ("kind", "name"),
    rest([(kind, name) for kind in KINDS for name in [ALL, *NAMES]], ("incremental_by_unique_key", ALL)),
)
def test_a_column_of_any_name_is_found_compared_and_written(project: Project, kind: str, name: str) -> None:
    key = quoted(name)
    columns, options, config = columns_of(kind, name)
    project.sql("create schema if not exists {schema}")
    project.kind(
        "orders",
        "select * from {{ target.schema }}.source_rows",
        kind=kind,
        config=CONFIG + config,
        **options,
    )
    project.sql(
        f"create or replace table {{schema}}.source_rows {USING} as select {columns} from (select cast(id as int) as n from range(3))"
    )
    project.run(now=NOW)
    changed = columns.replace("as value", "+ if(n = 2, 1, 0) as value")
    project.sql(
        f"create or replace table {{schema}}.source_rows {USING} as select {changed} from (select cast(id as int) as n from range(1, 4))"
    )
    if kind == "incremental_by_time_range":
        # the last two of the days that are there are loaded again
        project.run(now=LATER, start="2024-01-01", end="2024-01-04")
        found = project.rows(f"select datediff({key}, date '2024-01-01'), cast(value as string) from {{schema}}.orders")
        assert found == [(1, "1"), (2, "3")]
        return
    project.run(now=LATER)
    assert project.rows(f"select {key}, cast(value as string) from {{schema}}.orders") == expected(kind)
    if kind == "scd_type_2_by_column":
        open_rows = project.rows(f"select {key} from {{schema}}.orders where valid_to is null")
        assert open_rows == [(1,), (2,), (3,)]


@pytest.mark.parametrize("name", rest([ALL, *NAMES], ALL))
def test_a_column_of_any_name_is_added_and_dropped(project: Project, name: str) -> None:
    key = quoted(name)
    project.sql("create schema if not exists {schema}")
    project.kind(
        "orders", f"select 1 as id, 2 as {key}", kind="full", config=CONFIG, start=None, on_destructive_change="allow"
    )  # fmt: skip
    project.kind(
        "keyed", "select 1 as id", kind="incremental_by_unique_key", config=CONFIG, unique_key="id",
        on_destructive_change="allow",
    )  # fmt: skip
    project.run(now=NOW)
    states = [(LATER, [(1, 5)], f"select 1 as id, 5 as {key}"), (LATEST, [(1,)], "select 1 as id")]
    for now, rows, sql in states:
        project.kind(
            "keyed", sql, kind="incremental_by_unique_key", config=CONFIG, unique_key="id",
            on_destructive_change="allow",
        )  # fmt: skip
        project.run(now=now)
        assert project.sql("select * from {schema}.keyed") == rows


def test_texts_reach_spark_as_they_are(project: Project) -> None:
    project.model(
        "told",
        "{{ config(materialized='view') }} select {{ dbt_kinds.text_literal(var('my_text')) }} as told",
    )
    # Spark puts the values of these into SQL, so that no statement can name a column like them
    for text in [*NAMES, ALL, "\\n\\t\\%\\_\\u0041\\101", "a''b", "${env:PATH}", "${spark.app.name}"]:
        project.run(my_text=text)
        assert project.sql("select told from {schema}.told") == [(text,)]


@pytest.mark.parametrize(
    ("meta", "refusal"),
    [
        ({"merge_filter": "target.n > 0) or (1 = 1; --"}, "has a ) without the ( that it closes"),
        ({"merge_filter": "target.name = 'x"}, "merge_filter 'target.name = 'x' has a single quote that never closes"),
    ],
)  # fmt: skip
def test_sql_that_does_not_end_is_refused_before_anything_is_written(
    project: Project, meta: dict[str, str], refusal: str
) -> None:
    project.sql("create schema if not exists {schema}")
    project.kind(
        "orders",
        "select 1 as id",
        kind="incremental_by_unique_key",
        config=CONFIG,
        unique_key="id",
        **meta,
    )
    run = project.dbt("run", now=NOW)
    assert not run.success and refusal in run.errors
    assert not project.table_exists("orders") and not project.table_exists("dbt_kinds_intervals")


def test_an_alias_that_is_no_table_is_refused_in_words(project: Project) -> None:
    project.sql("create schema if not exists {schema}")
    project.kind("orders", "select 1 as id", kind="full", config=f"{CONFIG}, alias='orders; --'", start=None)
    run = project.dbt("run", now=NOW)
    assert not run.success and "alias 'orders; --' cannot be part of a table's name in Spark" in run.errors
