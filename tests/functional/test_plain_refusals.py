"""What Spark says in Java is said in one sentence: model, column, cause and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.functional.project import Project
from tests.sweep import rest

NOW = "2024-01-03 08:00:00"
DAYS = "select id, v, day from {{ dbt_kinds.window_of(api.Relation.create(schema=target.schema, identifier='events'), 'day') }} as e"
A_MAP = "is a map<string,int>, and Spark cannot compare maps; name another column, or make an array of it in the query: array_sort(map_entries(…))"


@dataclass(frozen=True)
class Refused:
    """A model, and the sentence with which a run refuses it."""

    said: str
    query: str
    kind: str = "full"
    file_format: str = "iceberg"
    options: dict[str, Any] = field(default_factory=dict)


def typed(name: str, type_text: str, value: str, file_format: str, said: str) -> Refused:
    return Refused(
        f"the column '{name}' of the query is {said}", f"select 1 as id, {value} as {name}", file_format=file_format
    )


TOO_LARGE = 'a sum became too large for its column, total (bigint), for 1 key, such as {"id": 1}; nothing was changed. Cast the column to a wider type in the query, such as decimal(38, 0)'
SUMS = DAYS.replace("id, v, day", "id, sum(v) as total") + " group by id"
ADDED = {"unique_key": "id", "combine": {"total": "add"}, "batch_size": 1}
REFUSED = {
    "void_iceberg": typed("x", "void", "null", "iceberg", "a null without a type, which no iceberg table can hold; give it one: cast(null as …)"),
    "void_parquet": typed("x", "void", "null", "parquet", "a null without a type, which no parquet table can hold; give it one: cast(null as …)"),
    "void_orc": typed("x", "void", "array()", "orc", "a null without a type, within array<void>, which no orc table can hold; give it one: cast(null as …)"),
    "void_days": Refused(
        "the column 'x' of the query is a null without a type, which no iceberg table can hold; give it one: cast(null as …)",
        DAYS.replace("day from", "day, null as x from"), kind="incremental_by_time_range", options={"time_column": "day"},
    ),
    "spans_iceberg": typed("x", "interval", "timestamp '2024-01-02' - timestamp '2024-01-01'", "iceberg", "of type interval day to second, which no iceberg table can hold; make a number or a text of it, such as cast(… as string)"),
    "spans_parquet": typed("x", "interval", "make_interval(1, 2, 3, 4)", "parquet", "of type interval, which no parquet table can hold; make a number or a text of it, such as cast(… as string)"),
    "map_by_key": Refused(f"unique_key 'm' {A_MAP}", "select map('a', 1) as m, 1 as v", kind="incremental_by_unique_key", options={"unique_key": "m"}),
    "map_latest": Refused(
        f"order_by 'm' {A_MAP}", "select map('a', 1) as m, 1 as id", kind="incremental_by_unique_key",
        options={"unique_key": "id", "duplicate_keys": "keep_latest", "order_by": "m"},
    ),
    "map_history": Refused(f"unique_key 'm' {A_MAP}", "select map('a', 1) as m, 1 as v", kind="scd_type_2_by_column", options={"unique_key": "m", "columns": ["v"]}),
    "map_runs": Refused(f"unique_key 'm' {A_MAP}", "select map('a', 1) as m, 1 as v", kind="scd_type_2_by_column", options={"unique_key": "m", "columns": "*", "validity": "run_sequence"}),
    "map_sums": Refused(f"unique_key 'm' {A_MAP}", DAYS.replace("id, v, day", "map('a', 1) as m, v as total"), kind="cumulative_aggregate", options={**ADDED, "unique_key": "m"}),
    "map_groups": Refused("group_key 'm' is a map", "select map('a', 1) as m, 1 as v", kind="tracked", options={"group_key": "m"}),
    "sums_iceberg": Refused(TOO_LARGE, SUMS, kind="cumulative_aggregate", options=ADDED),
    "sums_parquet": Refused(TOO_LARGE, SUMS, kind="cumulative_aggregate", file_format="parquet", options=ADDED),
    "early": Refused("start '0001-01-01' is ", DAYS, kind="incremental_by_time_range", options={"time_column": "day", "start": "0001-01-01"}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def ansi_off(project: Project) -> Iterator[None]:
    yield
    project.sql("set spark.sql.ansi.enabled = false")


@pytest.mark.parametrize("ansi", rest(["false", "true"], "false"))
def test_what_no_table_can_hold_is_refused_in_one_sentence(project: Project, ansi: str) -> None:
    project.target["server_side_parameters"]["spark.sql.ansi.enabled"] = ansi
    project.sql("create schema {schema}")
    project.sql(
        "create table {schema}.events using parquet as select 1 as id, cast(9e18 as bigint) as v, date '2024-01-01' + cast(id as int) as day from range(2)"
    )
    for name, model in REFUSED.items():
        whole = {"start": None} if model.kind in ("full", "tracked") or "validity" in model.options else {}
        project.kind(
            name, model.query, kind=model.kind, config=f"file_format='{model.file_format}'", **whole, **model.options
        )
    run = project.dbt("run", now=NOW)
    # what dbt adds is where it was said
    said = {name: run.messages[name].split("> in macro fail")[0] for name in REFUSED}
    wrong = {
        name: words[:3000]
        for name, words in said.items()
        if f"dbt_kinds: model {name}: {REFUSED[name].said}" not in words.replace("\n  ", " ") or len(words) > 450
    }
    assert wrong == {}
    assert {name for name in REFUSED if project.table_exists(name)} == {"sums_iceberg", "sums_parquet"}
    for name in ("sums_iceberg", "sums_parquet"):
        assert project.sql(f"select * from {{schema}}.{name}") == [(1, 9 * 10**18)]
    assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []


def test_a_table_that_a_run_left_empty_is_not_offered_to_adopt(project: Project) -> None:
    project.sql("create schema {schema}")
    project.sql("create table {schema}.events using parquet as select 1 as id, 2 as v, date '2024-01-01' as day")
    for file_format in ("iceberg", "parquet"):
        project.kind(file_format, DAYS, config=f"file_format='{file_format}'", time_column="day")
    project.run("--empty", now=NOW)
    assert project.table_exists("iceberg") and project.table_exists("parquet")
    offered = "the table is there and nothing is recorded of it"
    assert offered not in str(project.operation("plan", now=NOW))
    project.sql("insert into {schema}.iceberg values (1, 2, date '2024-01-01')")
    plans = project.operation("plan", now=NOW)["plans"]
    assert [offered in plan.get("note", "") for plan in plans] == [True, False]
    project.sql("delete from {schema}.iceberg")
    run = project.run(now=NOW)
    assert offered not in "\n".join(run.log)
    assert "first load" in "\n".join(run.log)


@pytest.mark.parametrize("file_format", rest(["parquet", "orc"], "parquet"))
def test_files_hold_intervals_of_one_kind(project: Project, file_format: str) -> None:
    spans = "timestamp '2024-01-02' - timestamp '2024-01-01' as d, interval '1-2' year to month as y"
    project.kind("spans", f"select 1 as id, {spans}", kind="full", config=f"file_format='{file_format}'", start=None)
    project.kind(
        "by_key", f"select 1 as id, {spans}", kind="incremental_by_unique_key", config=f"file_format='{file_format}'", unique_key="id",
    )  # fmt: skip
    for _ in range(2):
        project.run(now=NOW)
        for table in ("spans", "by_key"):
            assert project.sql(f"select id, cast(d as string), cast(y as string) from {{schema}}.{table}") == [
                (1, "INTERVAL '1 00:00:00' DAY TO SECOND", "INTERVAL '1-2' YEAR TO MONTH")
            ]
