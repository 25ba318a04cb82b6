"""Parquet and ORC have no empty partition value: Spark stores NULL instead, and a row is compared as it is stored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.project import Project, source_rows
from tests.sweep import rest

NOW, LATER = "2024-01-02T08:00:00", "2024-01-03T08:00:00"
ROWS = "(1, '', 1), (2, cast(null as string), 2), (3, '__HIVE_DEFAULT_PARTITION__', 3), (4, 'a', 4)"
SOURCE = "select * from {{ target.schema }}.source_rows"
BY_DAY = "(select *, explode(sequence(date '2024-01-01', date '2024-01-09')) as day from {{ target.schema }}.source_rows) where day = {{ dbt_kinds.start_date() }}"
KEY = {"unique_key": ["id", "region"], "null_keys": "match"}
HISTORY = KEY | {"invalidate_hard_deletes": True}
ONCE = {1: 1, 2: 1, 3: 1, 4: 1}
# of each kind its query, its options, and how often its table has each id after two runs over the same rows
KINDS: dict[str, tuple[str, str, dict[str, Any], dict[int, int]]] = {
    "keyed": ("incremental_by_unique_key", SOURCE, KEY, ONCE),
    "latest": (
        "incremental_by_unique_key", SOURCE, {"unique_key": "region", "null_keys": "match", "duplicate_keys": "keep_latest", "order_by": "id"},
        {3: 1, 4: 1},
    ),
    "assigned": (
        "incremental_by_unique_key", SOURCE, {"unique_key": "id", "when_matched": "when matched then update set region = case source.id when 2 then null when 4 then 'a' else '' end"}, ONCE,
    ),
    "states": (
        "cumulative_aggregate", f"select id, region, count(*) as n from {BY_DAY} group by id, region",
        {"unique_key": ["id", "region"], "combine": {"n": "add"}}, ONCE,
    ),
    "by_column": ("scd_type_2_by_column", SOURCE, HISTORY | {"columns": "*"}, ONCE),
    "compared": ("scd_type_2_by_column", SOURCE, {"unique_key": "id", "columns": "*"}, ONCE),
    "by_time": (
        "scd_type_2_by_time", SOURCE.replace("*", "*, timestamp '2024-01-01 00:00:00' as at"), HISTORY | {"updated_at_name": "at"}, ONCE,
    ),
    "by_run": ("scd_type_2_by_column", SOURCE, {"start": None, "unique_key": "id", "columns": "*", "validity": "run_sequence"}, ONCE),
    "groups": ("tracked", SOURCE, {"group_key": ["id"]}, ONCE),
    "whole": ("full", SOURCE, {}, ONCE),
    "partitions": ("incremental_by_partition", SOURCE, {}, ONCE),
    "overwriting": ("incremental_unmanaged", SOURCE, {"insert_overwrite": True}, ONCE),
    "appended": ("incremental_unmanaged", SOURCE, {}, dict.fromkeys(ONCE, 2)),
    "by_range": ("incremental_by_time_range", f"select * from {BY_DAY}", {"time_column": "day"}, dict.fromkeys(ONCE, 2)),
}  # fmt: skip

AUDITED = ("keyed", "latest", "states", "by_column", "groups", "partitions")
AUDITS = {"audits": [{"not_null": {"column_name": "id"}}]}
KINDS |= {
    f"{name}_audited": (kind, query, options | AUDITS, ids)
    for name, (kind, query, options, ids) in KINDS.items()
    if name in AUDITED
}


@pytest.mark.parametrize("file_format", rest(["parquet", "orc"], "parquet"))
def test_a_partition_value_that_spark_stores_as_null_is_null(project: Project, file_format: str) -> None:
    for name, (kind, query, options, _) in KINDS.items():
        partition_by = ["day", "region"] if name == "by_range" else ["region"]
        config = f"file_format='{file_format}', partition_by={partition_by}"
        project.kind(name, query, kind=kind, config=config, **options)
    source_rows(project, ROWS, "id, region, n")
    for now in (NOW, LATER):
        run = project.dbt("run", now=now)
        assert run.success, {
            name: message[-200:] for name, message in run.messages.items() if run.statuses[name] != "success"
        }
    regions = {1: None, 2: None, 3: None, 4: "a"}
    found = {name: project.rows(f"select id, region, count(*) from {{schema}}.{name} group by 1, 2") for name in KINDS}
    assert found == {
        name: [(id_, regions[id_], times) for id_, times in expected.items()]
        for name, (_, _, _, expected) in KINDS.items()
    }


def test_a_key_that_would_be_stored_as_null_is_refused_in_words(project: Project) -> None:
    config = "file_format='parquet', partition_by='region'"
    project.kind("keyed", SOURCE, kind="incremental_by_unique_key", config=config, unique_key=["id", "region"])
    project.kind("groups", SOURCE, kind="tracked", config=config, group_key=["region"])
    source_rows(project, "(1, '', 1), (2, 'a', 2)", "id, region, n")
    run = project.dbt("run", now=NOW)
    words = "('' in region is one, because parquet stores it as NULL in a partition column; give it another value in the query)"
    for message in run.messages.values():
        assert "NULL in " in message and words in message
    assert project.events() == []
