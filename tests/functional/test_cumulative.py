"""States of keys on Spark: merged day by day they are what one aggregate over all days gives, also after a run that broke in a merge."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.faults import broken_connection, every_break
from tests.functional.project import Project
from tests.sweep import rest

AGGREGATES = {
    "rows_seen": ("count(*)", "add"), "values_seen": ("count(v)", "add"), "total": ("sum(v)", "add"), "amount": ("sum(amount)", "add"),
    "ratio": ("sum(ratio)", "add"), "low": ("min(v)", "least"), "high": ("max(name)", "greatest"), "every_one": ("bool_and(flag)", "and"),
    "any_one": ("bool_or(flag)", "or"), "all_bits": ("bit_and(v)", "bit_and"), "some_bits": ("bit_or(v)", "bit_or"), "odd_bits": ("bit_xor(v)", "bit_xor"),
}  # fmt: skip
SELECTED = ", ".join(f"{call} as {column}" for column, (call, _) in AGGREGATES.items())
WINDOW = "dbt_kinds.window_of(api.Relation.create(schema=target.schema, identifier='events'), 'day')"
# a digit that decimal(38,18) + decimal(38,18) would lose
AMOUNT = "0.123456789012345678"
FORMATS = ["iceberg", "parquet"]


def source(project: Project, days: int) -> None:
    project.sql("create schema if not exists {schema}")
    project.sql("drop table if exists {schema}.events")
    project.sql(
        "create table {schema}.events using parquet as select cast(if(id % 5 = 0, null, id % 7) as int) as id, if(id % 3 = 0, null, concat('p', id % 2)) as part, "
        f"date '2024-01-01' + cast(id % {days} as int) as day, cast(if(id % 4 = 0, null, id - 50) as int) as v, if(id % 6 = 0, null, id % 2 = 0) as flag, "
        f"cast(if(id % 8 = 0, null, {AMOUNT}) as decimal(28,18)) as amount, cast(id as double) / 4 as ratio, concat('n', id) as name from range(100)"
    )


def totals(project: Project, file_format: str, **meta: Any) -> None:
    combine = {column: combiner for column, (_, combiner) in AGGREGATES.items()}
    project.kind(
        "totals", f"select id, part, {SELECTED} from {{{{ {WINDOW} }}}} as e group by id, part", kind="cumulative_aggregate",
        config=f"file_format='{file_format}'", **{"unique_key": ["id", "part"], "combine": combine, **meta},
    )  # fmt: skip


def check(project: Project, before: str) -> None:
    columns = ", ".join(["id", "part", *AGGREGATES])
    whole = project.rows(
        f"select {columns} from (select id, part, {SELECTED} from {{schema}}.events where day < '{before}' group by id, part)"
    )
    assert project.rows(f"select {columns} from {{schema}}.totals") == whole
    assert whole


@pytest.mark.parametrize("file_format", rest(FORMATS, "iceberg"))
def test_states_are_those_of_the_whole_however_days_are_cut(project: Project, file_format: str) -> None:
    source(project, 6)
    totals(project, file_format, batch_size=1)
    project.run(now="2024-01-03T06:00:00")
    check(project, "2024-01-03")
    project.run(now="2024-01-06T06:00:00", batch_size=3)
    check(project, "2024-01-06")
    refused = project.dbt(
        "run", now="2024-01-07T06:00:00", start="2024-01-05", end="2024-01-07", allow_full_restatement=True
    )
    assert "overlaps intervals that are already merged, 2024-01-05T00:00:00 to 2024-01-06T00:00:00" in refused.errors
    check(project, "2024-01-06")
    project.run(now="2024-01-07T06:00:00")
    check(project, "2024-01-07")
    project.run("--full-refresh", now="2024-01-07T06:00:00")
    check(project, "2024-01-07")


def test_states_of_a_partitioned_table_of_files_move_with_their_keys(project: Project) -> None:
    source(project, 4)
    columns = {"unique_key": ["id"], "combine": {"last_day": "greatest", "n": "add"}}
    sql = f"select id, count(*) as n, max(day) as last_day from {{{{ {WINDOW} }}}} as e group by id"
    project.kind(
        "last_days",
        sql,
        kind="cumulative_aggregate",
        config="file_format='parquet', partition_by=['last_day']",
        **columns,
    )
    for day in (2, 3, 5):
        project.run(now=f"2024-01-0{day}T06:00:00")
    assert project.rows("select id, n, last_day from {schema}.last_days") == project.rows(
        "select id, count(*), max(day) from {schema}.events group by id"
    )


ICEBERG = [r"__kinds_stage_\w+_batch", r"__kinds_stage_\w+_states", "'pending'", "merge into", "'loaded'"]
PARQUET = [
    r"__kinds_stage_\w+_states",
    r"insert into \S+__kinds_stage_\w+_whole",
    "'pending'",
    "insert overwrite table",
    "'loaded'",
    "drop table",
]


# one on each format is enough to see that Spark does as DuckDB does in the unit tests, which have all of them
USUAL = [("iceberg", "merge into", "later", True), ("parquet", "insert overwrite table", "later", False)]
BREAKS = [*(("iceberg", found) for found in ICEBERG), *(("parquet", found) for found in PARQUET)]


@pytest.mark.core
@pytest.mark.parametrize(("file_format", "statement", "run", "done"), every_break(BREAKS, "first", "later", kept=USUAL))
def test_a_merge_that_was_cut_short_is_done_once(
    project: Project, file_format: str, statement: str, run: str, done: bool
) -> None:
    source(project, 4)
    totals(project, file_format)
    if run == "later":
        project.run(now="2024-01-03T06:00:00")
    with broken_connection(statement, done=done) as broken_at:
        assert not project.dbt("run", now="2024-01-05T06:00:00", lease_seconds=1).success
    assert broken_at
    if "overwrite" in statement and not done:
        # what a job leaves that dies while it replaces files
        project.sql("truncate table {schema}.totals")
    project.operation("release_lease", select="totals")
    project.run(now="2024-01-05T06:00:00")
    check(project, "2024-01-05")
    assert project.run(now="2024-01-05T06:00:00").messages == {"totals": "OK up to date"}


def test_a_merge_that_nobody_can_tell_of_is_in_doubt_and_refused(project: Project) -> None:
    source(project, 4)
    totals(project, "iceberg")
    project.run(now="2024-01-03T06:00:00")
    with broken_connection("merge into", done=True):
        assert not project.dbt("run", now="2024-01-05T06:00:00").success
    project.operation("release_lease", select="totals")
    project.sql("update {schema}.totals set high = high where id = 1")
    refused = project.dbt("run", now="2024-01-05T06:00:00")
    assert "the interval 2024-01-03T00:00:00 to 2024-01-05T00:00:00 is in doubt" in refused.errors
    project.run("--full-refresh", now="2024-01-05T06:00:00")
    check(project, "2024-01-05")
