"""The command, against a project that works and one that does not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from dbt.cli.main import dbtRunner

from dbt_kinds.cli import main
from tests.functional.project import DAILY_EVENTS, Project, events_table
from tests.functional.test_demo import programs_but_java
from tests.sweep import rest

NOW = "2024-01-05 08:00:00"


def ask(project: Project, *command: str, now: str = NOW) -> Result:
    folder = str(project.folder)
    where = ["--project-dir", folder, "--profiles-dir", folder, "--vars", f"kinds_execution_time: '{now}'"]
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, [*command, *where])


def daily(project: Project, sql: str = DAILY_EVENTS, **meta: Any) -> None:
    project.kind("daily", sql, config="file_format='iceberg'", **meta)


@pytest.mark.core
def test_status_shows_coverage_and_gaps_and_exits_with_1_when_there_are_any(project: Project) -> None:
    events_table(project)
    daily(project)
    project.run(now=NOW)
    told = ask(project, "status")
    assert told.exit_code == 0, told.output
    words = " ".join(told.stdout.splitlines()[1:3]).split()
    assert words[:5] == ["daily", "day", "█" * 24, "nothing", "done"]
    assert " ".join(words[7:]).startswith("2024-01-01 to 2024-01-05 16 rows, ")
    project.operation("forget", select="daily", start="2024-01-02", end="2024-01-03")
    told = ask(project, "status", "--select", "daily", "--json")
    assert told.exit_code == 1
    (model,) = json.loads(told.stdout)
    last_run = model.pop("last_run")
    assert model == {
        "model": "model.shop.daily", "relation": f"{project.schema}.daily", "kind": "incremental_by_time_range",
        "unit": "day", "start": "2024-01-01T00:00:00", "end": "2024-01-05T00:00:00",
        "recorded": [["2024-01-01T00:00:00", "2024-01-02T00:00:00"], ["2024-01-03T00:00:00", "2024-01-05T00:00:00"]],
        "missing": [["2024-01-02T00:00:00", "2024-01-03T00:00:00"]], "reason": "1 missing",
        "invalidated": [["2024-01-02T00:00:00", "2024-01-03T00:00:00"]], "lease": None,
        "waiting": [], "waiting_units": 0, "waiting_since": None, "late_units": 0, "late_since": None, "audit_failed": [], "unaudited": [],
        "refused": None, "partitions": None,
    }  # fmt: skip
    assert (last_run["state"], last_run["rows_written"], last_run["source"]) == ("done", 16, "run")
    # what is missing ended two days before the time of the run
    assert ask(project, "status", "--max-age", "3 days").exit_code == 0
    told = ask(project, "status", "--max-age", "47h")
    assert told.exit_code == 1
    assert "daily: late: 1 day, since 2024-01-03" in told.stdout
    with pytest.raises(AssertionError, match=r"late by more than 47h: daily \(1 day, since 2024-01-03T00:00:00\)"):
        project.operation("status", max_age="47h", raises=True, now=NOW)
    with pytest.raises(AssertionError, match="the operation status: raises needs max_age"):
        project.operation("status", raises=True, now=NOW)


def test_backfill_loads_gaps_in_an_embedded_session_with_one_worker(project: Project) -> None:
    events_table(project)
    daily(project, batch_concurrency=4)
    project.run(now=NOW)
    project.operation("forget", select="daily", start="2024-01-02", end="2024-01-04")
    window = ["--start", "2024-01-01", "--end", "2024-01-05"]
    told = ask(project, "backfill", "daily", *window, "--json")
    assert (told.exit_code, told.exception) == (0, None), told.output
    answer = json.loads(told.stdout)
    gap = ["2024-01-02T00:00:00", "2024-01-04T00:00:00"]
    assert (answer["workers"], answer["planned"], answer["failed"]) == (1, [gap], [])
    assert project.recorded("daily") == [["2024-01-01", "2024-01-05"]]
    again = ask(project, "backfill", "daily", *window)
    assert (again.exit_code, again.stderr.strip()) == (0, "nothing is missing there")
    assert ask(project, "backfill", "daily", *window, "--restate").exit_code == 0

    daily(project, DAILY_EVENTS.replace("ts,", "ts, no_such_column,", 1))
    failed = ask(project, "backfill", "daily", *window, "--restate")
    assert failed.exit_code == 1 and "no_such_column" in failed.stderr, failed.output
    for wrong, words in {
        (
            "backfill",
            "daily",
            "--start",
            "2024-01-01 10:00",
            "--end",
            "2024-01-05",
        ): "is not aligned to its interval unit",
        ("backfill", "nobody", *window): "'nobody' names no model of a kind",
        ("backfill", *window): "give the name of one model",
    }.items():
        refused = ask(project, *wrong)
        assert refused.exit_code == 2 and words in refused.output.replace("\n", " "), refused.output


def test_status_is_watched_until_somebody_stops_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    events_table(project)
    daily(project)
    project.run(now="2024-01-03 08:00:00")
    waited: list[int] = []

    def sleep(seconds: int) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            raise KeyboardInterrupt
        project.run(now=NOW)

    monkeypatch.setattr("dbt_kinds.cli.operating.sleep", sleep)
    told = ask(project, "status", "--watch", "7")
    assert waited == [7, 7]
    assert told.exit_code == 0, told.output
    assert "2024-01-01 to 2024-01-05" in told.stdout
    assert ask(project, "status", "--watch", "7", "--json").exit_code == 2


@pytest.mark.core
def test_plan_shows_what_would_run_in_which_batches_and_why(project: Project) -> None:
    events_table(project)
    daily(project, batch_size=2)
    project.flags.clear()
    project.run(now="2024-01-03 08:00:00")
    results = (project.folder / "target" / "run_results.json").read_text()
    told = ask(project, "plan", now="2024-01-06 08:00:00")
    assert (told.exit_code, told.exception) == (0, None), told.output
    assert [re.sub(r"~[^~]+, ~12 rows", "cost", line).split() for line in told.stdout.splitlines()] == [
        ["model", "unit", "batches", "would", "load,", "and", "why"],
        ["daily", "day", "2", "2024-01-03", "to", "2024-01-05"],
        ["2024-01-05", "to", "2024-01-06"],
        ["cost"],
        ["3", "missing"],
    ]
    assert re.fullmatch(r"2 batches in 1 model, ~[^,]+\.\n", told.stderr)
    # what dbt retry reads is still what dbt run left
    assert (project.folder / "target" / "run_results.json").read_text() == results
    told = ask(project, "plan", "--json", "--full-refresh", now="2024-01-06 08:00:00")
    assert json.loads(told.stdout) == project.operation("plan", now="2024-01-06 08:00:00", full_refresh=True)
    assert json.loads(told.stdout)["plans"][0]["reason"] == "full refresh"


def test_plan_compares_queries_and_compiles_only_where_that_matters(project: Project) -> None:
    events_table(project)
    daily(project, on_query_change="rebuild")
    project.kind("other", DAILY_EVENTS, config="file_format='iceberg'")
    project.run(now=NOW)
    compiled = project.folder / "target" / "compiled" / "shop" / "models"
    for file in compiled.iterdir():
        file.unlink()
    (unchanged, _) = json.loads(ask(project, "plan", "--json").stdout)["plans"]
    assert unchanged["reason"] == "up to date until 2024-01-05T00:00:00"
    assert [file.name for file in compiled.iterdir()] == ["daily.sql"]
    daily(project, DAILY_EVENTS.replace("n from", "n + 1 as n, '😀' as mood from"), on_query_change="rebuild")
    told = ask(project, "plan", "--json", "--select", "daily")
    (changed,) = json.loads(told.stdout)["plans"]
    assert changed["reason"] == "query changed: 4 to rebuild"
    assert changed["batches"] == [["2024-01-01T00:00:00", "2024-01-05T00:00:00"]]


def test_history_shows_what_runs_loaded_and_how_they_failed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "anna")
    monkeypatch.setenv("AIRFLOW_CTX_DAG_ID", "nightly's [job]")
    events_table(project)
    daily(project)
    project.run(now=NOW)
    daily(project, DAILY_EVENTS.replace("n from", "cast(raise_error('no [n]') as int) as n from"))
    assert not project.dbt("run", now="2024-01-06 08:00:00").success
    project.operation("forget", select="daily", start="2024-01-02", end="2024-01-03")
    told = ask(project, "history", "--json")
    assert told.exit_code == 0, told.output
    runs = json.loads(told.stdout)
    assert [(run["state"], run["source"], run["rows_written"]) for run in runs] == [
        ("stated", "forget", 0), ("failed", "run", 0), ("done", "run", 16),
    ]  # fmt: skip
    assert "no [n]" in runs[1]["message"]
    assert len(json.loads(ask(project, "history", "--json", "--limit", "1").stdout)) == 1
    of_day = [
        json.loads(ask(project, "history", "--json", "--day", day).stdout)
        for day in ("2024-01-02", "2024-01-04", "2024-01-05")
    ]
    assert [[run["source"] for run in runs] for runs in of_day] == [["forget", "run"], ["run"], []]
    assert of_day[1][0]["execution_time"].startswith("2024-01-05")
    assert {"user": "anna", "job": "nightly's [job]"}.items() <= of_day[1][0]["by"].items()
    assert "by anna, job nightly's [job]" in " ".join(ask(project, "history", "--day", "2024-01-04").stdout.split())
    assert "day '2024-01-02 08:00' is not a day" in ask(project, "history", "--day", "2024-01-02 08:00").stderr
    # a terminal of 80 columns breaks lines
    table = " ".join(ask(project, "history", "--select", "daily").stdout.split())
    assert "took back 2024-01-02 to 2024-01-03" in table and "no [n]" in table
    assert "2024-01-01 to 2024-01-05" in table


def test_a_run_that_was_refused_before_it_wrote_anything_is_the_last_run(project: Project) -> None:
    events_table(project)
    for name in ("daily", "other"):
        project.kind(name, DAILY_EVENTS, config="file_format='iceberg'")
    project.run(now=NOW)
    events = project.events()

    def last_runs() -> list[tuple[str, str | None]]:
        models = project.operation("status", now=NOW)["models"]
        return [(model["last_run"]["state"], model["last_run"]["message"]) for model in models]

    later = "2024-01-06 08:00:00"
    for name in ("daily", "other"):
        project.kind(name, DAILY_EVENTS.replace("ts, ", ""), config="file_format='iceberg'")
    refused = project.dbt("run", now=later)
    assert not refused.success
    # what the run claimed before its models began, and gave back
    claimed, released, append = (sql for sql in refused.statements if "insert into" in sql)
    assert claimed.count("('claimed'") == claimed.count("'ahead'") == released.count("('released'") == 2
    assert append.count("('failed'") == 2 and "'claimed'" not in append
    assert project.events() == events
    ((state, words), other) = last_runs()
    assert (state, other) == ("refused", ("refused", words))
    assert words is not None and words.startswith("time_column 'ts' is not a column")
    told = ask(project, "status", "--select", "daily")
    assert f"daily: last run refused: {words}" in " ".join(told.stdout.split())
    newest = project.operation("history", select="daily")["runs"][0]
    assert (newest["state"], newest["source"], newest["loaded"]) == ("refused", "run", [])

    # a compaction keeps the newest of each model
    project.dbt("run", now=later)
    project.operation("compact_store", keep_days=0)
    stored = "select count(*) from {schema}.dbt_kinds_intervals where event = 'failed' and source = 'refused'"
    assert project.sql(stored) == [(2,)]
    assert last_runs() == [("refused", words)] * 2
    for name in ("daily", "other"):
        project.kind(name, DAILY_EVENTS, config="file_format='iceberg'")
    run = project.run(now=later)
    assert run.messages == {"daily": "OK 1 batch", "other": "OK 1 batch"}
    assert last_runs() == [("done", None)] * 2
    assert not [sql for sql in project.run(now=later).statements if "insert into" in sql]


def test_report_is_written_where_it_says(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events_table(project)
    daily(project)
    project.run(now=NOW)
    project.operation("forget", select="daily", start="2024-01-02", end="2024-01-03")
    monkeypatch.chdir(tmp_path)
    told = ask(project, "report")
    assert (told.exit_code, told.stdout) == (0, "")
    assert told.stderr == f"Written to {tmp_path / 'dbt_kinds_report.html'}\n"
    page = (tmp_path / "dbt_kinds_report.html").read_text()
    assert 'title="invalidated 2024-01-02 to 2024-01-03 (1 day)"' in page
    assert "16 rows, took " in page and "2024-01-05 08:00:00</time> UTC" in page
    (tmp_path / "dbt_kinds_report.html").unlink()
    assert ask(project, "report", "--html").exit_code == 0 and (tmp_path / "dbt_kinds_report.html").exists()
    told = ask(project, "report", "--html", str(tmp_path / "no" / "where.html"))
    assert told.exit_code == 2 and "name another file with --html" in told.stderr


PLAN, STATUS, HISTORY, REPORT = COMMANDS = [["plan"], ["status"], ["history"], ["report", "--html", "page.html"]]


@pytest.mark.parametrize("command", rest(COMMANDS, STATUS, REPORT), ids=lambda command: command[0])
def test_a_project_without_models_of_a_kind_is_no_error(
    project: Project, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project.model("plain", "select 1 as one")
    project.write_settings()
    told = ask(project, *command)
    assert (told.exit_code, told.exception) == (0, None), told.output
    assert len(told.stdout.splitlines()) == (0 if command[0] == "report" else 1)
    assert told.stderr.endswith((".\n", ".html\n")) and told.stderr.count("\n") == 1
    if command[0] in ("status", "history"):
        assert json.loads(ask(project, *command, "--json").stdout) == []


@pytest.mark.parametrize("command", rest(COMMANDS, PLAN, STATUS), ids=lambda command: command[0])
def test_a_store_that_is_not_there_yet_is_no_error(
    project: Project, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    daily(project)
    project.write_settings()
    told = ask(project, *command)
    assert told.exit_code == (1 if command == ["status"] else 0), told.output
    assert not isinstance(told.exception, Exception)


@pytest.mark.parametrize("command", rest(COMMANDS, HISTORY), ids=lambda command: command[0])
def test_a_project_without_the_package_is_told_what_to_add(project: Project, command: list[str]) -> None:
    (project.folder / "dbt_packages" / "dbt_kinds").unlink()
    project.write_settings()
    told = ask(project, *command)
    assert (told.exit_code, told.stdout) == (2, "")
    assert "the project shop lacks the dbt package dbt_kinds; add it to packages.yml" in told.stderr


@pytest.mark.parametrize("quiet", [[], ["--quiet"]], ids=["usual", "quiet"])
def test_an_operation_prints_its_answer_once_also_where_dbt_is_quiet(
    project: Project, quiet: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    project.kind("daily", "select 1")
    project.write_settings()
    folder = str(project.folder)
    where = ["--project-dir", folder, "--profiles-dir", folder, *project.flags]
    assert dbtRunner().invoke([*quiet, "run-operation", "dbt_kinds.history", *where]).success
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if '"operation"' in line] == ['{"operation": "history", "runs": []}']
    assert not quiet or len(printed) == 1


@pytest.mark.core
def test_an_error_is_explained_on_stderr_and_exits_with_2(project: Project) -> None:
    project.write_settings()
    told = ask(project, "status", "--select", "nobody")
    assert (told.exit_code, told.stdout) == (2, "")
    assert "no model of a kind is called nobody" in told.stderr


def test_help_is_no_file_name() -> None:
    told = CliRunner().invoke(main, ["report", "--html", "--help"])
    assert told.exit_code == 0 and told.stdout.startswith("Usage: ")


@pytest.mark.parametrize(("variables", "why"), [("{a: ", "is not YAML"), ("nothing", "is not a mapping")])
def test_variables_that_are_none_are_wrong_use(variables: str, why: str) -> None:
    told = CliRunner().invoke(main, ["status", "--vars", variables])
    assert told.exit_code == 2 and why in " ".join(told.stderr.split())


@pytest.mark.sweep
def test_dbt_runs_with_the_printed_profile_from_any_folder_without_java(
    project: Project, tmp_path: Path, local_spark: Mapping[str, Any]
) -> None:
    told = CliRunner().invoke(main, ["local-profile", "--dir", str(tmp_path / "spark")])
    project.kind("daily", "select timestamp '2024-01-01 00:00:00+00:00' as ts", config="file_format='iceberg'")
    project.write_settings()
    (project.folder / "profiles.yml").write_text(told.stdout)
    environment = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "SPARK_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "run",
         "--project-dir", str(project.folder), "--profiles-dir", str(project.folder)],
        cwd=tmp_path, env=environment | {"PATH": str(programs_but_java(tmp_path / "programs"))}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "OK 1 batch, 1 row" in done.stdout, done.stdout + done.stderr
    assert not list(tmp_path.glob("metastore_db")) and not list(tmp_path.glob("derby.log"))


def test_the_demonstration_removes_nobody_elses_folder(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    told = CliRunner().invoke(main, ["demo", "--dir", str(tmp_path)])
    assert (told.exit_code, (tmp_path / "thesis.tex").read_text()) == (2, "mine")
