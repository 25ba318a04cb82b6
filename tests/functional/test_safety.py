"""What is proven of a query, written by `dbt-kinds compile` and `check --fix`, is what dbt on Spark goes by."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from dbt_kinds.cli import main
from dbt_kinds.compile.convert import compile_project
from dbt_kinds.compile.request import CompileRequest
from tests.functional.faults import broken_connection
from tests.functional.project import Project
from tests.sweep import rest
from tests.unit.test_smelt import QUERY, SERIES
from tests.unit.test_smelt import project as smelt_project

TABLE = f"---\nmaterialization: table\n{SERIES}incremental: {{}}\n---\n"
RECENT = "sum(id) over (partition by id order by event_ts range between interval '30 minutes' preceding and current row) as recent"
SESSIONS = f"select event_date, event_ts, id, {RECENT} from"
WEEK = {"start": "2024-01-01", "end": "2024-01-08", "now": "2024-01-08 08:00:00"}
FIFTH = {"start": "2024-01-05", "end": "2024-01-06", "now": "2024-01-08 08:00:00"}
EVENTS = [f"2024-01-0{day} {time}" for day in range(1, 8) for time in ("00:10:00", "12:00:00", "23:50:00")]
SOURCE = {
    "version": 2,
    "sources": [
        {
            "name": "raw",
            "tables": [{"name": "ev", "config": {"event_time": "event_ts", "meta": {"time_column": "event_date"}}}],
        }
    ],
}


@pytest.fixture
def sessions(new_project: Callable[[str], Project], tmp_path: Path) -> Project:
    """A smelt project of two models, compiled; each row of the second looks back half an hour, into the day before, by a
    function of the project.
    """
    recent = RECENT.removesuffix(" as recent").replace("id", "v").replace("event_ts", "at")
    files = {
        "functions/recent.sql": f"smelt.define recent(v: Expr<Integer>, at: Expr<Timestamp>) AS ({recent})\n",
        "models/parsed.sql": TABLE + QUERY,
        "models/sessions.sql": TABLE
        + "select event_date, event_ts, id, smelt.functions.recent(id, at => event_ts) as recent from smelt.parsed\n",
    }
    project = new_project("compiled")
    report = compile_project(CompileRequest(smelt_project(tmp_path / "smelt", **files), project.folder, name="shop"))
    assert report.exit_code(strict=True) == 0
    written = yaml.safe_load((project.folder / "dbt_project.yml").read_text())
    project.settings = written | {"profile": "local", "models": {"+file_format": "iceberg"}}
    return project


def arrive(project: Project, events: list[str]) -> None:
    """What raw.ev holds from now on."""
    rows = ", ".join(f"(timestamp '{event}+00:00', 1)" for event in events)
    project.sql("create schema if not exists raw")
    project.sql(
        "create or replace view raw.ev as select event_ts, cast(event_ts as date) as event_date, id "
        f"from values {rows} as (event_ts, id)"
    )


def of_the_fifth(project: Project, relation: str) -> list[tuple[Any, ...]]:
    return project.rows(f"select event_ts, recent from ({relation}) where event_date = '2024-01-05'")


@pytest.mark.parametrize("backbuild", rest([True, False], True))
def test_backbuilding_rebuilds_what_the_last_model_looks_back_on(sessions: Project, backbuild: bool) -> None:
    arrive(sessions, EVENTS)
    sessions.run(**WEEK, require_safety=True)
    assert sessions.rows("select * from {schema}.sessions") == sessions.rows(f"{SESSIONS} raw.ev")
    # late, and within half an hour of the first of the 5th
    arrive(sessions, [*EVENTS, "2024-01-04 23:45:00"])
    run = sessions.run("--select", "+sessions", **FIFTH, backbuild=backbuild)
    assert run.batches("sessions") == [("2024-01-05T00:00:00", "2024-01-06T00:00:00")]
    first = "2024-01-04T00:00:00" if backbuild else "2024-01-05T00:00:00"
    assert run.batches("parsed") == [(first, "2024-01-06T00:00:00")]
    is_whole = of_the_fifth(sessions, "select * from {schema}.sessions") == of_the_fifth(sessions, f"{SESSIONS} raw.ev")
    assert is_whole == backbuild


def test_a_compiled_query_that_was_edited_is_not_run(sessions: Project) -> None:
    arrive(sessions, EVENTS)
    file = sessions.folder / "models" / "sessions.sql"
    file.write_text(file.read_text().replace("'30 minutes'", "'30 hours'"))
    refused = sessions.dbt("run", **WEEK, require_safety=True)
    assert refused.statuses == {"parsed": "success", "sessions": "error"}
    assert "its query is not the one that was proven; it has been edited since" in refused.errors
    assert not sessions.table_exists("sessions")


def test_what_check_fix_has_written_may_run(project: Project) -> None:
    arrive(project, EVENTS)
    (project.folder / "models" / "sources.yml").write_text(yaml.safe_dump(SOURCE))
    project.kind(
        "sessions", f"{SESSIONS} {{{{ source('raw', 'ev') }}}}", time_column="event_date",
        config="file_format='iceberg', event_time='event_ts'",
    )  # fmt: skip
    project.flags = []
    refused = project.dbt("run", **WEEK, require_safety=True)
    assert (
        "its query has no proof, because meta.safety is missing; prove it with dbt-kinds check --fix" in refused.errors
    )
    assert project.dbt("compile", **WEEK).success
    fixed = CliRunner().invoke(main, ["check", str(project.folder), "--fix"])
    assert fixed.exit_code == 0, fixed.output
    assert "models/sessions.sql: sessions: written" in fixed.output
    project.run(**WEEK, require_safety=True, batch_size=1)
    assert project.rows("select * from {schema}.sessions") == project.rows(f"{SESSIONS} raw.ev")


@pytest.mark.parametrize("dies", rest([None, "before", "behind"], None, "behind"))
def test_a_new_column_has_its_backfill_in_the_rows_that_were_there(project: Project, dies: str | None) -> None:
    arrive(project, EVENTS)
    columns = "event_date, event_ts, id"
    documented = {"name": "twice", "config": {"meta": {"backfill": "id * 2"}}}
    properties = {"version": 2, "models": [{"name": "days", "columns": [documented]}]}
    (project.folder / "models" / "days.yml").write_text(yaml.safe_dump(properties))
    project.kind("days", f"select {columns} from raw.ev", time_column="event_date", config="file_format='iceberg'")
    project.run(now="2024-01-04 08:00:00")
    project.kind(
        "days", f"select {columns}, id * 2 as twice from raw.ev", time_column="event_date", config="file_format='iceberg'"
    )  # fmt: skip
    if dies:
        with broken_connection(r"update \S+days", done=dies == "behind") as broken_at:
            assert not project.dbt("run", now="2024-01-05 08:00:00").success
        assert broken_at
        project.operation("release_lease", select="days")
    project.run(now="2024-01-05 08:00:00")
    assert project.rows("select event_ts, twice from {schema}.days") == project.rows(
        "select event_ts, id * 2 from raw.ev where event_date < '2024-01-05'"
    )
