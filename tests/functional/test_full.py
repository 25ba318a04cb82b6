"""The whole table, replaced: never empty, never half, and not at all where nothing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.functional.faults import broken_connection
from tests.functional.formats import both_formats
from tests.functional.project import Project, source_rows
from tests.sweep import rest

NOW, LATER = "2024-01-02T08:00:00", "2024-01-03T08:00:00"
SOURCE = "select * from {{ target.schema }}.source_rows"


def source(project: Project, rows: str, columns: str = "id, region") -> None:
    source_rows(project, rows, columns)


def full(project: Project, file_format: str, sql: str = SOURCE, config: str = "", **meta: object) -> None:
    project.kind("shops", sql, kind="full", config=f"file_format='{file_format}'" + config, **{"start": None, **meta})


@both_formats
def test_partitions_that_vanish_are_gone(project: Project, file_format: str) -> None:
    full(project, file_format, config=", partition_by='region'")
    source(project, "(1, 'a'), (2, 'b'), (3, cast(null as string))")
    project.run(now=NOW)
    source(project, "(9, 'b')")
    assert project.run(now=LATER).messages == {"shops": "OK 1 batch"}
    assert project.rows("select id, region from {schema}.shops") == [(9, "b")]
    project.sql("create or replace view {schema}.source_rows as select 1 as id, 'a' as region where false")
    project.run(now=LATER)
    assert project.rows("select id, region from {schema}.shops") == []


def test_a_window_does_not_empty_it(project: Project, file_format: str) -> None:
    sql = SOURCE + " where day between {{ dbt_kinds.start_date() }} and {{ dbt_kinds.end_date() }}"
    full(project, file_format, sql)
    source(project, "(1, date '2020-01-01'), (2, date '2024-01-01'), (3, date '2024-01-02')", "id, day")
    project.run(now=NOW, start="2024-01-01 06:00", end="2024-01-01 07:00")
    assert project.rows("select id from {schema}.shops") == [(1,), (2,)]


def test_a_query_that_fails_leaves_the_table(project: Project, file_format: str) -> None:
    full(project, file_format)
    source(project, "(1, 'a')")
    project.run(now=NOW)
    full(
        project,
        file_format,
        "select id, if(id = 1, raise_error('no'), 'b') as region from {{ target.schema }}.source_rows",
    )
    assert not project.dbt("run", now=NOW).success
    assert project.rows("select id, region from {schema}.shops") == [(1, "a")]


@pytest.mark.core
@pytest.mark.parametrize(
    ("statement", "done"),
    rest(
        [("insert overwrite table", True), ("'loaded'", False), ("drop table if exists .*stage", False)],
        ("insert overwrite table", True),
    ),
)
@pytest.mark.parametrize("file_format", rest(["iceberg", "parquet"], "parquet"))
def test_a_run_cut_short_is_made_good_by_the_next(
    project: Project, file_format: str, statement: str, done: bool
) -> None:
    full(project, file_format)
    source(project, "(1, 'a')")
    project.run(now=NOW)
    source(project, "(2, 'b')")
    with broken_connection(statement, done=done) as broken_at:
        project.dbt("run", now=LATER)
    assert broken_at or file_format == "iceberg"
    project.operation("release_lease", select="shops")
    source(project, "(3, 'c')")
    project.run(now=LATER)
    assert project.rows("select id, region from {schema}.shops") == [(3, "c")]


def test_columns_come_and_go_with_the_query(project: Project, file_format: str) -> None:
    full(project, file_format)
    source(project, "(1, 'a')")
    project.run(now=NOW)
    source(project, "('x', 2.5)", "code, price")
    project.run(now=NOW)
    assert [row[:2] for row in project.sql("describe table {schema}.shops")][:2] == [
        ("code", "string"),
        ("price", "decimal(2,1)"),
    ]


def test_a_view_becomes_a_table_and_a_format_another(project: Project) -> None:
    source(project, "(1, 'a')")
    project.model("shops", "{{ config(materialized='view') }} " + SOURCE)
    project.run()
    for file_format in ("orc", "parquet", "iceberg"):
        full(project, file_format)
        project.run(now=NOW)
        assert project.rows("select id, region from {schema}.shops") == [(1, "a")]


def test_files_at_a_location_of_the_users_are_never_taken_for_rows(project: Project, tmp_path: Path) -> None:
    full(project, "parquet", config=f", location_root='{tmp_path}'")
    for number in (1, 2):
        source(project, f"({number}, 'a')")
        project.run(now=NOW)
        assert project.rows("select id, region from {schema}.shops") == [(number, "a")]
    assert list((tmp_path / "shops").glob("*.parquet"))
    # the table is external: its files stay
    project.sql("drop table {schema}.shops")
    run = project.dbt("run", now=LATER)
    assert not run.success
    assert "non-empty directory" in run.errors


def test_it_rests_while_neither_query_nor_parents_changed(project: Project, file_format: str) -> None:
    source(project, "(1, 'a')")
    project.sql(f"create table {{schema}}.plain using {file_format} as select 1 as id")
    (project.folder / "models" / "sources.yml").write_text(
        "sources: [{name: raw, schema: '{{ target.schema }}', tables: [{name: plain}]}]"
    )
    project.kind("parent", SOURCE, kind="full", config=f"file_format='{file_format}'", start=None)
    project.model("between", "{{ config(materialized='view') }} select id, region from {{ ref('parent') }}")
    full(project, "iceberg", "select id, region from {{ ref('between') }}", skip_unchanged=True)
    project.run(now=NOW)

    assert project.run("-s", "shops", now=LATER).messages == {"shops": "skip: deps unchanged"}

    source(project, "(2, 'b')")
    project.run("-s", "parent", now=LATER)
    followed = project.run("-s", "shops", now=LATER)
    assert followed.messages == {"shops": f"full: dep changed: {project.schema}.parent, 1 row"}
    assert project.rows("select id from {schema}.shops") == [(2,)]

    full(project, "iceberg", "select id + 1 as id, region from {{ ref('between') }}", skip_unchanged=True)
    assert project.run("-s", "shops", now=LATER).messages == {"shops": "backfill: sql changed, 1 row"}
    assert project.run("-s", "shops", now=LATER).messages == {"shops": "skip: deps unchanged"}
    again = project.run("-s", "shops", now=LATER, ignore_skip=True)
    assert again.messages == {"shops": "full: kinds_ignore_skip, 1 row"}
    project.model("between", "{{ config(materialized='view') }} select id, 'z' as region from {{ ref('parent') }}")
    project.run("-s", "between")
    assert project.run("-s", "shops", now=LATER).messages == {
        "shops": f"full: dep changed: {project.schema}.between, 1 row"
    }
    project.model("between", "{{ config(materialized='view') }} select id, cast({{ dbt.current_timestamp() }} as string) as region from {{ ref('parent') }}")  # fmt: skip
    project.run("-s", "between shops", now=LATER)
    assert project.run("-s", "shops", now=LATER).messages == {
        "shops": f"full: current_timestamp() in {project.schema}.between differs in every run, 1 row"
    }


def test_of_a_table_that_tells_nothing_it_takes_the_worst(project: Project) -> None:
    project.sql("create schema {schema}")
    project.sql("create table {schema}.plain using parquet as select 1 as id")
    (project.folder / "models" / "sources.yml").write_text(
        "sources: [{name: raw, schema: '{{ target.schema }}', tables: [{name: plain}]}]"
    )
    full(project, "parquet", "select id from {{ source('raw', 'plain') }}", skip_unchanged=True)
    project.run(now=NOW)
    run = project.run(now=NOW)
    assert run.messages == {"shops": f"full: unverifiable dep: {project.schema}.plain, 1 row"}
