"""What a run says once, beside what it loads: what a schedule waits for, what keeps an old query, what it does not rebuild."""

from __future__ import annotations

import json

import pytest

from tests.functional.project import DAILY_EVENTS, Project, Run, events_table

ICEBERG = "file_format='iceberg'"
WEEKLY = "cron '@weekly' ticks before an interval of one week is complete, so the interval to {} waited for the tick at {}; to load it at once, write cron: '0 0 * * mon', or week_start: sunday"


def plan_lines(run: Run, model: str) -> list[str]:
    """What the log says of a model's plan."""
    prefix = f"dbt_kinds: {model}: "
    return [line.removeprefix(prefix) for line in run.log if line.startswith(prefix) and ": batch " not in line]


def notes(project: Project, now: str) -> dict[str, str | None]:
    plans = project.operation("plan", now=now)["plans"]
    return {plan["model"].split(".")[-1]: plan.get("note") for plan in plans}


@pytest.mark.core
def test_a_schedule_that_makes_a_model_late_is_said_once(project: Project) -> None:
    events_table(project)
    project.kind("weekly", DAILY_EVENTS, config=ICEBERG, cron="@weekly")
    project.kind("mondays", DAILY_EVENTS, config=ICEBERG, cron="0 0 * * mon")
    told = WEEKLY.format("2024-01-08T00:00:00", "2024-01-14T00:00:00")
    assert notes(project, "2024-01-17 12:00:00") == {"weekly": told, "mondays": None}
    first = project.run(now="2024-01-17 12:00:00")
    assert plan_lines(first, "weekly") == [f"first load; {told}"]
    assert plan_lines(first, "mondays") == ["first load"]
    assert first.batches("weekly") == [("2024-01-01T00:00:00", "2024-01-08T00:00:00")]
    assert notes(project, "2024-01-17 12:00:00") == {"weekly": None, "mondays": None}
    assert plan_lines(project.run("--select", "weekly", now="2024-01-21 06:00:00"), "weekly") == ["1 missing"]
    assert project.dbt("run-operation", "dbt_kinds.compact_store", now="2024-01-21 06:00:00").success
    assert plan_lines(project.run("--select", "weekly", now="2024-01-28 06:00:00"), "weekly") == ["1 missing"]

    # of another setting that makes it late, too
    project.kind("weekly", DAILY_EVENTS, config=ICEBERG, cron="@weekly", cron_tz="Europe/Berlin")
    again = plan_lines(project.run("--select", "weekly", now="2024-02-04 06:00:00"), "weekly")
    assert len(again) == 1 and again[0].startswith("1 missing; cron '@weekly' in Europe/Berlin ticks before"), again


def test_what_an_edit_leaves_as_it_was_is_said_once(project: Project) -> None:
    events_table(project)
    source = {"name": "src", "schema": project.schema, "tables": [{"name": "events"}]}
    (project.folder / "models" / "sources.yml").write_text(json.dumps({"sources": [source]}))

    def write(factor: int) -> None:
        query = DAILY_EVENTS.replace("id, ts, n", f"*, n * {factor} as amount")
        project.kind("days", query, config=ICEBERG)
        project.kind("appended", query, kind="append", config=ICEBERG)
        gained = f"select id, n * {factor} as n from {{{{ dbt_kinds.changes_of(source('src', 'events')) }}}} as e"
        project.kind("gained", gained, kind="append", config=ICEBERG, capture="snapshot", start=None)

    def said(run: Run) -> list[list[str]]:
        return [plan_lines(run, name) for name in ("days", "appended", "gained")]

    write(1)
    assert said(project.run(now="2024-01-03 06:00:00"))[:2] == [["first load"], ["first load"]]
    write(2)
    project.sql("insert into {schema}.events values (40, timestamp '2024-01-03 00:00:00+00:00', 400)")
    window = "--vars '{kinds_start: 2024-01-01T00:00:00, kinds_end: %s}'"
    by_refresh = "to load them again, set disable_restatement: false and run with --full-refresh"
    assert said(project.run(now="2024-01-04 06:00:00")) == [
        [
            f"1 missing; query changed: 2 loaded days keep the old one; reload them with {window % '2024-01-03T00:00:00'}"
        ],
        [f"1 missing; query changed: 2 loaded days keep the old one; {by_refresh}"],
        ["incremental; query changed: rows that are there keep the old one; reload them with --full-refresh"],
    ]
    # select * alone may gain a column
    project.sql("alter table {schema}.events add columns (extra int)")
    project.sql("insert into {schema}.events values (41, timestamp '2024-01-03 00:00:00+00:00', 400, 1)")
    null = "1 missing; rows that are there hold NULL in the new column extra"
    assert said(project.run(now="2024-01-05 06:00:00"))[:2] == [
        [f"{null}; reload them with {window % '2024-01-04T00:00:00'}"],
        [f"{null}; {by_refresh}"],
    ]
    refreshed = project.run("--full-refresh", now="2024-01-05 06:00:00")
    assert refreshed.messages["appended"] == "OK up to date, --full-refresh ignored"
    assert refreshed.messages["days"] == "OK 1 batch, 18 rows"
