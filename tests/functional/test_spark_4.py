"""Variants, which Spark 4 has. Run where PySpark 4 is installed, as `nox` does."""

from __future__ import annotations

from typing import Any

import pyspark
import pytest

from tests.functional.every_kind import BY_DAY
from tests.functional.formats import table_format
from tests.functional.project import Project

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(pyspark.__version__.startswith("3."), reason="needs PySpark 4"),
    pytest.mark.skipif(table_format() != "delta", reason="needs Delta; Hive's metastore has no variants for Iceberg"),
]

SOURCE = "select * from {{ target.schema }}.source_rows "
# name: its kind, query and options
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "by_time": ("incremental_by_time_range", SOURCE + BY_DAY, {"partition_by_time_column": False}),
    "by_key": ("incremental_by_unique_key", SOURCE + BY_DAY, {"unique_key": "id"}),
    "replaced": ("incremental_by_unique_key", SOURCE + BY_DAY, {"unique_key": "id", "duplicate_keys": "replace_all"}),
    "whole": ("full", SOURCE, {"start": None}),
    "grouped": ("tracked", SOURCE, {"group_key": "id", "start": None}),
    "history": ("scd_type_2_by_column", SOURCE, {"unique_key": "id", "columns": ["ts"], "start": None}),
}


def arrive(project: Project, *rows: tuple[int, int, str]) -> None:
    """What the source holds now: numbers, days and JSON."""
    values = [f"({id_}, timestamp '2024-01-0{day} 12:00:00+00:00', parse_json('{text}'))" for id_, day, text in rows]
    project.sql("create schema if not exists {schema}")
    project.sql(
        f"create or replace view {{schema}}.source_rows as select * from values {', '.join(values)} as (id, ts, payload)"
    )


def test_a_variant_is_loaded_and_replaced(project: Project) -> None:
    for name, (kind, query, options) in MODELS.items():
        project.kind(name, query, kind=kind, config="file_format='delta'", **options)
    arrive(project, (1, 1, '{"a": 1}'), (2, 1, "[1, null]"))
    project.run(now="2024-01-02T06:00:00")
    arrive(project, (1, 1, '{"a": 1}'), (2, 2, '{"b": {"c": "d"}}'))
    project.run(now="2024-01-03T06:00:00")
    for name in MODELS:
        wanted = [(1, '{"a":1}'), (2, '{"b":{"c":"d"}}')]
        # the day before keeps its row
        wanted += [(2, "[1,null]")] if name in ("by_time", "history") else []
        assert project.rows(f"select id, to_json(payload) from {{schema}}.{name}") == sorted(wanted), name


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("incremental_by_unique_key", {"unique_key": "payload"}),
        ("tracked", {"group_key": "payload", "start": None}),
        ("scd_type_2_by_column", {"unique_key": "id", "columns": "*", "start": None}),
    ],
)
def test_a_variant_that_would_have_to_be_compared_is_refused(
    project: Project, kind: str, options: dict[str, Any]
) -> None:
    arrive(project, (1, 1, '{"a": 1}'))
    project.kind("refused", SOURCE, kind=kind, config="file_format='delta'", **options)
    refusal = project.dbt("run", now="2024-01-02T06:00:00").errors
    assert "Spark cannot compare variants" in refusal
    assert "to_json(…)" in refusal
    assert not project.table_exists("refused")
