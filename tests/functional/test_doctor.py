"""The doctor on set-ups that are broken in one way each; what it says is what a person can act upon."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_kinds.operate.doctor import Diagnosis, Problem, diagnosis_lines
from tests.functional.project import DAILY_EVENTS, Project, events_table


def findings(project: Project) -> dict[tuple[str, str], dict[str, Any]]:
    """By table and severity; there is one of each."""
    answer = project.operation("doctor", raises=False)
    found = {(one["about"].removeprefix(f"{project.schema}."), one["severity"]): one for one in answer["findings"]}
    assert len(found) == len(answer["findings"])
    return found


def test_what_is_wrong_is_said_with_what_mends_it(project: Project) -> None:
    events_table(project)
    for name in ("sound", "gone", "other", "view", "unknown", "left"):
        project.kind(name, DAILY_EVENTS, config="file_format='iceberg'")
    assert findings(project) == {}
    project.run(now="2024-01-04")
    before = project.events()
    assert findings(project) == {}
    assert project.events() == before

    for name in ("gone", "view"):
        project.sql(f"drop table {{schema}}.{name}")
    project.kind("other", DAILY_EVENTS, config="file_format='orc'")
    project.sql("create view {schema}.view as select * from {schema}.events")
    project.sql("create table {schema}.left__kinds_stage_0a1b2c3d_batch using parquet as select 1 as id")
    project.kind("unknown", DAILY_EVENTS, config="file_format='iceberg', alias='unknown_too'")
    project.sql("create table {schema}.unknown_too using iceberg as select * from {schema}.events")
    project.sql("insert into {schema}.dbt_kinds_intervals (event, relation) values ('loadet', 'shop.orders')")
    found = findings(project)
    said = {about: one["wrong"] for about, one in found.items()}
    assert said == {
        ("store", "error"): f"1 row of {project.schema}.dbt_kinds_intervals cannot be read as events",
        ("gone", "warning"): "it is recorded as loaded, and there is no such table",
        ("other", "error"): "the table is iceberg, and file_format of other says orc",
        ("view", "error"): "it is a view",
        ("unknown_too", "warning"): "the table is there, and nothing is recorded of it",
        ("left", "warning"): "1 stage of a run that died beside it: left__kinds_stage_0a1b2c3d_batch",
    }
    assert found["other", "error"]["remedy"] == "config(file_format='iceberg'), or --full-refresh"
    assert "dbt_kinds.adopt --args '{select: unknown}'" in found["unknown_too", "warning"]["remedy"]
    assert found["store", "error"]["leads_to"] == "runs of shop.orders stop at them"
    run = project.dbt("run-operation", "dbt_kinds.doctor")
    assert not run.success and "doctor found 3 errors" in run.errors

    # a table whose own events cannot be read is not looked at; where nothing tells whose they are, none is
    relation = f"{project.schema}.other"
    project.sql(f"insert into {{schema}}.dbt_kinds_intervals (event, relation) values ('loaded', '{relation}')")
    found = findings(project)
    assert ("other", "error") not in found and ("view", "error") in found
    assert found["store", "error"]["leads_to"] == f"runs of {', '.join(sorted(['shop.orders', relation]))} stop at them"
    project.sql("insert into {schema}.dbt_kinds_intervals (event) values ('loaded')")
    assert findings(project)["store", "error"]["leads_to"].startswith("every run stops at them")


@pytest.mark.core
@pytest.mark.parametrize(("severity", "is_error"), [("error", True), ("warning", False)])
def test_a_person_reads_what_is_wrong_first(severity: str, is_error: bool) -> None:
    facts = {
        "dbt": "1.11.0",
        "spark": "3.5.9",
        "time_zone": "UTC",
        "store": "shop.dbt_kinds_intervals",
        "store_format": None,
    }
    problem = Problem(severity, "profile", "poll_interval is 5.0", "waiting", "poll_interval: 1")
    diagnosis = Diagnosis(facts, [problem], 1)
    assert diagnosis.has_errors is is_error
    assert [line.plain for line in diagnosis_lines(diagnosis)] == [
        f"{severity} profile: poll_interval is 5.0",
        "  effect: waiting",
        "  fix:    poll_interval: 1",
        "1 model checked, 1 problem found; dbt 1.11.0, Spark 3.5.9, time zone UTC, store shop.dbt_kinds_intervals (not there yet)",
    ]
