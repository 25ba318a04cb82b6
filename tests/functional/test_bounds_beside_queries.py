"""Time variables in hooks, merges and audits mean the same instants in every session, or are refused, or the run says that it does not follow them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.functional.project import Project, Run
from tests.sweep import rest

ZONE = "spark.sql.session.timeZone"
NOW, NEXT = "2024-04-02 00:10:00", "2024-04-03 00:10:00"
DAYS = "select id, v, ts from {{ dbt_kinds.window_of(api.Relation.create(schema=target.schema, identifier='src'), 'ts') }} as e"
DAY = "ts between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"


@pytest.fixture(autouse=True)
def utc_again(project: Project) -> Iterator[None]:
    yield
    project.sql(f"set {ZONE} = UTC")


def source(project: Project, zone: str) -> None:
    """Three days of hours, and a table that hooks fill."""
    project.sql("create schema {schema}")
    project.sql(
        "create table {schema}.src using iceberg as select cast(id as int) as id, if(id = 26, null, 1) as v, "
        "timestamp '2024-03-31 00:00:00+00:00' + make_interval(0, 0, 0, 0, id) as ts from range(72)"
    )
    project.sql("create table {schema}.hooked (id int, ts timestamp, s string) using iceberg")
    project.target["server_side_parameters"][ZONE] = zone


def model(project: Project, name: str, config: str, **meta: Any) -> None:
    """A model whose meta may call macros: texts of it are Jinja's expressions."""
    options = {"start": "'2024-03-31'", "batch_size": "1", **meta}
    given = ", ".join(f"'{option}': {text}" for option, text in options.items())
    project.model(name, f"{{{{ config(file_format='iceberg', {config}, meta={{{given}}}) }}}}\n{DAYS}\n")


def bounds(text: str) -> str:
    """An expression for a text in which {name} is a time variable."""
    for prefix in ("start", "end", "execution"):
        text = text.replace(f"{{{prefix}_", f"' ~ dbt_kinds.{prefix}_")
    return "'" + text.replace("}", "() ~ '") + "'"


BY_KEY = "materialized='incremental_by_unique_key'"
BY_TIME = "materialized='incremental_by_time_range'"
REFUSED: dict[str, tuple[str, dict[str, str], str]] = {
    "clause": (BY_KEY, {"unique_key": "'id'", "when_matched": bounds("when matched then update set v = source.v, ts = {start_date}")}, "its when_matched converts start_date in the session's time zone"),
    "filter": (BY_KEY, {"unique_key": "'id'", "merge_filter": bounds("target.ts <= {execution_date}")}, "its merge_filter compares execution_date with ts, a timestamp, which Spark would convert in the session's time zone"),
    "audited": (BY_TIME, {"time_column": "'ts'", "audits": f"[{{'not_null': {{'column_name': 'v', 'where': {bounds('ts <= {execution_ts}')}}}}}]"}, "its audit 'not_null_v' compares execution_ts with ts, a timestamp"),
    "before": (f"{BY_TIME}, pre_hook=\"delete from {{{{ target.schema }}}}.hooked where s = {{{{ dbt_kinds.start_dt() }}}}\"", {"time_column": "'ts'"}, "its pre-hook compares start_dt with s, a text"),
}  # fmt: skip


def said(run: Run) -> list[str]:
    return [line for line in run.log if "Spark does not tell what" in line]


@pytest.mark.parametrize("zone", rest(["UTC", "America/New_York", "Australia/Lord_Howe"], "America/New_York"))
def test_they_mean_the_same_instants_in_every_session(project: Project, zone: str) -> None:
    source(project, zone)
    model(project, "filtered", BY_KEY, unique_key="'id'", lookback="2", merge_filter=bounds("target.ts between {start_date} and {end_date}"))  # fmt: skip
    model(project, "matched", BY_KEY, unique_key="'id'", when_matched=bounds("when matched and source.ts between {start_dtntz} and {end_ds} then update set v = source.v"))  # fmt: skip
    audit = f"[{{'not_null': {{'column_name': 'v', 'severity': 'warn', 'where': {bounds('ts between {start_date} and {end_date}')}}}}}]"
    model(project, "audited", BY_TIME, time_column="'ts'", audits=audit)
    hook = f"insert into {{{{ target.schema }}}}.hooked select id, ts, 'after' from {{{{ target.schema }}}}.src where {DAY}"
    model(project, "hooking", f'{BY_TIME}, pre_hook="set my.day = {{{{ dbt_kinds.start_ds() }}}}", post_hook="{hook}"', time_column="'ts'")  # fmt: skip
    run = project.run(now=NOW)
    # the row of 02:00 of the second day, which is the first one in New York
    assert "audit in the batch 2024-04-01T00:00:00 to 2024-04-02T00:00:00: not_null_v: 1 failure" in run.errors
    assert run.errors.count("not_null_v: 1 failure") == 1
    assert sorted(project.sql("select id from {schema}.hooked")) == [(id_,) for id_ in range(48)]
    of_hook = f"dbt_kinds: hooking: Spark does not tell what its pre-hook compares with start_ds: left as written, in a session in {zone}; "
    assert [line.startswith(of_hook) for line in said(run)] == ([] if zone == "UTC" else [True])
    project.sql("update {schema}.src set v = 2")
    project.run("--select", "filtered", now=NEXT)
    assert project.rows("select v, count(*) from {schema}.filtered group by v") == [(2, 72)]
    # rows that come again with another value, by a second copy of the source's first two days
    project.sql("update {schema}.src set ts = ts + interval 2 day, v = 3 where id < 24")
    project.sql("delete from {schema}.src where id >= 48")
    project.run("--select", "matched", now=NEXT)
    assert project.rows("select v, count(*) from {schema}.matched group by v") == [(1, 23), (3, 24), (None, 1)]


def test_what_the_zone_would_change_is_refused_before_anything_is_written(project: Project) -> None:
    source(project, "America/New_York")
    for name, (config, meta, _) in REFUSED.items():
        model(project, name, config, **meta)
    run = project.dbt("run", now=NOW)
    for name, (_, _, words) in REFUSED.items():
        assert words in run.messages[name].replace("\n  ", " "), run.messages[name]
        assert not project.table_exists(name)
    assert project.sql("show tables in {schema} like '*__kinds_stage_*'") == []
    # none of them is wrong in UTC
    project.target["server_side_parameters"][ZONE] = "UTC"
    project.run("--exclude", "audited", now=NOW)
    assert "not_null_v: 1 failure" in project.dbt("run", "--select", "audited", now=NOW).errors
