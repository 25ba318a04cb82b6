"""Rows that are only appended: an append that a run announced and did not record is found, and never doubled."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.faults import broken_connection
from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.sweep import rest

NOW, LATER = "2024-01-03T08:00:00", "2024-01-05T08:00:00"


def unmanaged(project: Project, file_format: str, **meta: Any) -> None:
    project.kind("log", DAILY_EVENTS, kind="incremental_unmanaged", config=f"file_format='{file_format}'", **meta)


def days(project: Project) -> dict[str, int]:
    """Rows a day; the source has four."""
    counted = project.rows("select cast(date(ts) as string), count(*) from {schema}.log group by 1")
    return {day[-2:]: number for day, number in counted}


@pytest.fixture(params=rest(["iceberg", "parquet"], "iceberg"))
def log(request: pytest.FixtureRequest, project: Project) -> Project:
    events_table(project)
    unmanaged(project, request.param)
    return project


@pytest.mark.core
@pytest.mark.parametrize(
    ("statement", "done", "is_first"),
    rest(
        [
            (*at, is_first)
            for at in (
                *(("'pending'", False), ("'pending'", True)),
                ("insert into .*\\.log\\b", True),
                *(("'loaded'", False), ("'loaded'", True)),
            )
            for is_first in (True, False)
        ],
        ("insert into .*\\.log\\b", True, False),
    ),
)
def test_an_append_that_was_cut_short_is_done_once(log: Project, statement: str, done: bool, is_first: bool) -> None:
    if not is_first:
        log.run(now=NOW)
    with broken_connection(statement, done=done) as broken_at:
        assert not log.dbt("run", now=LATER).success
    assert broken_at
    log.operation("release_lease", select="log")
    log.run(now=LATER)
    assert days(log) == {"01": 4, "02": 4, "03": 4, "04": 4}
    assert log.recorded("log") == [["2024-01-01", "2024-01-05"]]
    assert log.run(now=LATER).messages == {"log": "OK up to date"}


@pytest.mark.parametrize("file_format", rest(["parquet", "orc"], "parquet"))
def test_files_of_an_append_that_came_in_part_are_taken_back(project: Project, file_format: str) -> None:
    events_table(project)
    unmanaged(project, file_format)
    project.run(now=NOW)
    with broken_connection("insert into .*\\.log\\b"):
        assert not project.dbt("run", now=LATER).success
    project.sql("insert into {schema}.log select * from {schema}.events where ts >= '2024-01-03' and ts < '2024-01-04'")
    project.operation("release_lease", select="log")
    with broken_connection("insert overwrite", done=True):
        assert not project.dbt("run", now=LATER).success
    project.operation("release_lease", select="log")
    project.run(now=LATER)
    assert days(project) == {"01": 4, "02": 4, "03": 4, "04": 4}
    assert not project.sql("show tables in {schema} like '*__kinds_stage_*'")


@pytest.mark.core
def test_an_append_that_cannot_be_told_from_another_is_refused(project: Project) -> None:
    events_table(project)
    unmanaged(project, "iceberg")
    project.run(now=NOW)
    with broken_connection("insert into .*\\.log\\b", done=True):
        assert not project.dbt("run", now=LATER).success
    project.sql("insert into {schema}.log select * from {schema}.events where ts >= '2024-01-08'")
    project.operation("release_lease", select="log")
    before = days(project)
    refused = project.dbt("run", now=LATER)
    assert "its snapshots do not tell whether it had done so (2 writes since)" in refused.errors
    assert days(project) == before
    project.operation("record", select="log", start="2024-01-03", end="2024-01-05")
    assert project.run(now=LATER).messages == {"log": "OK up to date"}


def test_what_is_recorded_is_protected_from_a_window(log: Project) -> None:
    log.run(now=NOW)
    run = log.run(now=LATER, start="2024-01-02", end="2024-01-04")
    assert any("window: 1 missing, 1 recorded, 1 protected" in line for line in run.log)
    assert days(log) == {"01": 4, "02": 4, "03": 4}
    refreshed = log.run("--full-refresh", now=LATER)
    assert "--full-refresh is ignored" in refreshed.errors
    assert days(log) == {"01": 4, "02": 4, "03": 4, "04": 4}


def test_rows_that_nobody_recorded_are_not_appended_to(log: Project) -> None:
    log.run(now=NOW)
    log.sql("drop table {schema}.dbt_kinds_intervals purge")
    refused = log.dbt("run", now=LATER)
    assert "has rows, and nothing is recorded of them" in refused.errors
    assert "dbt_kinds.record" in refused.errors
    assert days(log) == {"01": 4, "02": 4}


def test_of_a_day_that_is_there_in_part_only_the_rest_is_appended(project: Project, file_format: str) -> None:
    events_table(project)
    unmanaged(project, file_format, allow_partials=True)
    project.run(now="2024-01-02T08:00:00", ignore_cron=True)
    assert days(project) == {"01": 4, "02": 2}
    run = project.run(now="2024-01-03T18:00:00", ignore_cron=True)
    assert run.batches("log") == [("2024-01-02T08:00:00", "2024-01-03T18:00:00")]
    assert days(project) == {"01": 4, "02": 4, "03": 4}


def test_a_sample_appends_nothing(log: Project) -> None:
    log.run(now=NOW)
    log.run("--sample", "3 days", now=LATER)
    assert days(log) == {"01": 4, "02": 4}


@pytest.mark.parametrize(
    ("file_format", "statement", "done"),
    rest(
        [
            (file_format, *at)
            for at in (
                *(("'invalidated'", False), ("'invalidated'", True)),
                ("create (or replace )?table .*\\.log\\b", True),
                *(("insert into .*\\.log\\b", False), ("insert into .*\\.log\\b", True)),
                ("'loaded'", True),
            )
            for file_format in ("iceberg", "parquet")
        ],
        ("parquet", "insert into .*\\.log\\b", True),
    ),
)
def test_a_rebuild_that_was_cut_short_begins_again(
    project: Project, file_format: str, statement: str, done: bool
) -> None:
    events_table(project)
    unmanaged(project, file_format, start=None, disable_restatement=False)
    project.run(now=LATER, start="2024-01-01", end="2024-01-05")
    window = {"start": "2024-01-03", "end": "2024-01-04", "allow_full_restatement": True}
    with broken_connection(statement, done=done) as broken_at:
        assert not project.dbt("run", now=LATER, **window).success
    assert broken_at
    project.operation("release_lease", select="log")
    project.run(now=LATER)
    assert days(project) == {"01": 4, "02": 4, "03": 4, "04": 4}
    assert project.recorded("log") == [["2024-01-01", "2024-01-05"]]


def test_what_is_forgotten_is_loaded_again_and_the_rest_stays(project: Project) -> None:
    events_table(project)
    unmanaged(project, "iceberg")
    project.run(now=NOW)
    project.sql("delete from {schema}.log where ts >= '2024-01-02'")
    project.sql("insert into {schema}.log values (77, timestamp '2023-12-31 00:00:00', 1)")
    project.operation("forget", select="log")
    project.sql("delete from {schema}.log where ts between '2024-01-01' and '2024-01-02'")
    project.run(now=NOW)
    assert days(project) == {"31": 1, "01": 4, "02": 4}
