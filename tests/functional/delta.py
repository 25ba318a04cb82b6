"""What tests of Delta on Spark have in common."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.formats import formats
from tests.functional.project import Project

needs_delta = pytest.mark.skipif(
    "delta" not in formats(""), reason="needs KINDS_FORMATS=delta and KINDS_JARS (make delta)"
)

DAYS = "select id, day from {{ target.schema }}.source_rows"
BY_DAY = DAYS + " where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"


def source(project: Project, rows: str, properties: str = "") -> None:
    project.sql("create schema if not exists {schema}")
    project.sql("create or replace table {schema}.source_rows (id int, day date) using delta " + properties)
    project.sql("insert into {schema}.source_rows values " + rows)


def kind(
    project: Project, name: str, sql: str = DAYS, kind: str = "incremental_by_time_range", config: str = "", **meta: Any
) -> None:
    given = {"time_column": "day"} if kind == "incremental_by_time_range" else {}
    project.kind(
        name, sql, kind=kind, config="file_format='delta'" + config, **{"start": "2024-01-01", **given, **meta}
    )


def operations(project: Project, table: str) -> list[str]:
    """What the versions of a table are, oldest first."""
    return [row[4] for row in reversed(project.sql(f"describe history {{schema}}.{table}"))]


def upkeep(project: Project, name: str) -> None:
    """What a site does to its tables at night: files are merged, and what nobody needs any more is removed."""
    project.sql("set spark.databricks.delta.retentionDurationCheck.enabled=false")
    # a vacuum lists the files in that many tasks: 10,000 by default
    project.sql("set spark.sql.sources.parallelPartitionDiscovery.parallelism=2")
    project.sql(f"optimize {{schema}}.{name}")
    project.sql(f"vacuum {{schema}}.{name} retain 0 hours")
    project.sql(f"alter table {{schema}}.{name} set tblproperties ('seen' = 'night')")
