"""Runs of SCD type 2 on Spark that break at a statement, before it or behind it: the next run leaves the same table."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.faults import broken_connection, every_break
from tests.functional.project import Project
from tests.unit.scd2_sql import rows_sql

COLUMNS = [("id", "int"), ("price", "int")]
SOURCES = [[[1, 10], [2, 20]], [[1, 11], [3, 30]], [[1, 11], [2, 21], [3, 31]], [[1, 12], [2, 21]]]
ICEBERG = [r"__kinds_stage_\w+_batch", r"__kinds_stage_\w+_changes", "merge into", "'loaded'"]
PARQUET = [
    r"__kinds_stage_\w+_changes", r"insert into \S+__kinds_stage_\w+_history", "'pending'", "insert overwrite table",
    "'loaded'", "drop table",
]  # fmt: skip
RESTATED = {"iceberg": ["'invalidated'", "replace where true"], "parquet": ["'invalidated'", "insert overwrite table"]}
BREAKS = [
    *(("iceberg", pattern, {}) for pattern in ICEBERG),
    *(("parquet", pattern, {}) for pattern in PARQUET),
    *((file_format, pattern, {"start": "2024-01-03"}) for file_format, found in RESTATED.items() for pattern in found),
]
# one on each format is enough to see that Spark does as DuckDB does in the unit tests, which have all of them
USUAL: list[tuple[Any, ...]] = [("iceberg", "merge into", {}, True), ("parquet", "insert overwrite table", {}, False)]


def run(project: Project, file_format: str, day: int, *, fails: bool = False, **variables: Any) -> None:
    project.kind(
        "prices", rows_sql(COLUMNS, SOURCES[day]), kind="scd_type_2_by_column", config=f"file_format='{file_format}'",
        unique_key="id", columns="*", invalidate_hard_deletes=True, disable_restatement=False,
    )  # fmt: skip
    result = project.dbt("run", now=f"2024-01-0{day + 2}T06:00:00", **variables)
    assert result.success != fails, result.errors


def rows(project: Project) -> list[tuple[Any, ...]]:
    return project.rows("select id, price, cast(valid_from as string), cast(valid_to as string) from {schema}.prices")


@pytest.mark.parametrize(("file_format", "statement", "variables", "done"), every_break(BREAKS, kept=USUAL))
def test_the_next_run_makes_it_good(
    project: Project, file_format: str, statement: str, variables: dict[str, Any], done: bool
) -> None:
    # a first load stages its batch (so does a restatement, which is broken elsewhere); a restatement of the 3rd takes back the batches of two days
    is_first = "_batch" in statement
    days = range(3 if variables else 0 if is_first else 1)
    for day in days:
        run(project, file_format, day)
    with broken_connection(statement, done=done) as broken_at:
        run(project, file_format, days.stop, fails=True, lease_seconds=1, **variables)
    assert broken_at
    if "overwrite" in statement and not done:
        # what a job leaves that dies while it replaces files
        project.sql("truncate table {schema}.prices")
    project.operation("release_lease", select="prices")
    is_restating = any("invalidated" in event for event in project.events())
    run(project, file_format, days.stop, **({} if is_restating else variables))
    first, second, last = "1970-01-01 00:00:00", "2024-01-03 06:00:00", "2024-01-05 06:00:00"
    if is_first:
        expected: list[tuple[Any, ...]] = [(1, 10, first, None), (2, 20, first, None)]
    elif variables:
        # the batches of the 3rd and the 4th are gone: what the source says on the 5th follows on the first load
        expected = [(1, 10, first, last), (1, 12, last, None), (2, 20, first, last), (2, 21, last, None)]
    else:
        expected = [(1, 10, first, second), (1, 11, second, None), (2, 20, first, second), (3, 30, second, None)]
    assert rows(project) == sorted(expected, key=repr)
