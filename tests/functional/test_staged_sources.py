"""lookback: auto through staging views and ephemeral models: plain selects are looked through, others are refused in the same words everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.functional.project import Project, Run

NOW = "2024-01-08 08:00:00"
# the usual layout of a staging model
STAGED = """with source as (select * from {{ source('src', 'raw') }}),
renamed as (select id, cast(at as date) as day, v from source where v >= 0)
select * from renamed"""
READER = "select id, day, v from {{ dbt_kinds.window_of(ref('STAGED'), 'day') }} as e"
LINE = "from {{ dbt_kinds.window_of("


def staged(project: Project, name: str, sql: str, materialized: str = "view") -> None:
    project.model(name, f"{{{{ config(materialized='{materialized}') }}}}\n{sql}\n")


def reader(project: Project, name: str, of: str) -> None:
    project.kind(name, READER.replace("STAGED", of), config="file_format='iceberg'", time_column="day", lookback="auto")


@pytest.fixture
def raw(new_project: Callable[[str], Project]) -> Project:
    """Two rows a day, on Iceberg by an instant and on Parquet by a day."""
    project = new_project("staged")
    project.sql("create schema if not exists {schema}")
    rows = "select cast(id as int) as id, cast(id as int) as v, timestamp '2024-01-01 03:00:00+00:00' + make_interval(0, 0, 0, id div 2) as at from range(14)"
    project.sql(f"create table {{schema}}.raw using iceberg partitioned by (days(at)) as {rows}")
    project.sql(
        f"create table {{schema}}.files using parquet partitioned by (dt) as select id, v, date_format(at, 'yyyy-MM-dd') as dt from ({rows})"
    )
    (project.folder / "models" / "sources.yml").write_text(
        f"sources: [{{name: src, schema: {project.schema}, tables: [{{name: raw}}, {{name: files}}]}}]"
    )
    return project


def reasons(run: Run) -> dict[str, str]:
    assert run.success, run.errors
    return {plan["model"].split(".")[-1]: plan["reason"] for plan in run.answer()["plans"]}


def plan(project: Project, *select: str) -> Run:
    return project.dbt("run-operation", "dbt_kinds.plan", "--args", json.dumps({"select": " ".join(select)}), now=NOW)


@pytest.mark.core
def test_late_rows_are_noticed_through_staging_models(raw: Project) -> None:
    staged(raw, "stg", STAGED)
    staged(raw, "nested", "select * from {{ ref('stg') }} where id is not null")
    staged(raw, "part", "select id, v, day from {{ ref('nested') }}", "ephemeral")
    staged(raw, "by_file", "select id, to_date(dt) as day, v from {{ source('src', 'files') }}")
    models = {"through_view": "stg", "through_two": "nested", "through_all": "part", "of_files": "by_file"}
    for name, of in models.items():
        reader(raw, name, of)
    # nothing is there yet
    assert set(reasons(plan(raw)).values()) == {"first load"}
    raw.run(now=NOW)
    raw.sql("insert into {schema}.raw values (101, 1, timestamp '2024-01-03 23:30:00+00:00')")
    raw.sql("insert into {schema}.files values (101, 1, '2024-01-03')")
    said = reasons(plan(raw))
    assert said == {
        name: f"late data: 1 unit ({raw.schema}.{'files' if name == 'of_files' else 'raw'} changed in 2024-01-03)" for name in models
    }  # fmt: skip
    run = raw.run(now=NOW)
    assert run.errors == ""
    for name in models:
        assert run.batches(name) == [("2024-01-03T00:00:00", "2024-01-04T00:00:00")]
        table = "files" if name == "of_files" else "raw"
        day = "to_date(dt)" if name == "of_files" else "cast(at as date)"
        assert raw.rows(f"select id, day, v from {{schema}}.{name}") == raw.rows(
            f"select id, {day}, v from {{schema}}.{table}"
        )
    run = raw.run(now=NOW)
    assert ({run.messages[name] for name in models}, run.errors) == ({"OK up to date"}, "")


def test_other_views_are_refused_in_the_same_words_and_advice_is_accepted(raw: Project) -> None:
    staged(
        raw, "joined", "select a.id, a.day, b.v from {{ ref('stg') }} as a join {{ ref('stg') }} as b on a.id = b.id"
    )
    staged(raw, "counted", "select day, count(*) as id, 1 as v from {{ ref('stg') }} group by day", "ephemeral")
    staged(raw, "stg", STAGED)
    for name in ("joined", "counted"):
        reader(raw, f"of_{name}", name)
    run = raw.dbt("run", now=NOW)
    for name, words in (
        (
            "joined",
            f"cannot look through the view {raw.schema}.joined, which says JOIN: it looks through selects of one",
        ),
        (
            "counted",
            "cannot look through the ephemeral model counted, which says GROUP: it looks through selects of one",
        ),
    ):
        assert words in run.errors, run.errors
        refused = plan(raw, f"of_{name}")
        assert not refused.success and words in refused.errors, refused.errors
    # without window_of, the line to write names what a plan accepts
    (raw.folder / "models" / "of_joined.sql").unlink()
    (raw.folder / "models" / "of_counted.sql").unlink()
    text = (
        "with out as (select id from {{ ref('joined') }} where v < 0) select id, day, v from {{ ref('stg') }} "
        "where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }} and id not in (select id from out)"
    )
    raw.kind("advised", text, config="file_format='iceberg'", time_column="day", lookback="auto")
    run = raw.dbt("run", now=NOW)
    assert f"write: {LINE}ref('stg'), 'day') }}}} as …" in run.errors, run.errors
    reader(raw, "advised", "stg")
    assert reasons(plan(raw, "advised")) == {"advised": "first load"}
