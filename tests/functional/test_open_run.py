"""The package's on-run-start hook: it asks for all models of a run at once, and stands in nobody's way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.functional.project import DAILY_EVENTS, Project, Run, events_table
from tests.functional.thrift import ThriftProject, ThriftServer

OPEN_CLAIMS = """select relation from {schema}.dbt_kinds_intervals group by relation
having count_if(event = 'claimed') > count_if(event = 'released')"""


@pytest.fixture(scope="module")
def shop(local_spark: Mapping[str, Any], package: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return filled(Project(tmp_path_factory.mktemp("shop") / "project", local_spark, "open_run", package))


def filled(project: Project) -> Project:
    """Six models that are loaded day by day, and a view."""
    events_table(project)
    for number in range(6):
        project.kind(f"m{number}", DAILY_EVENTS, config="file_format='iceberg'")
    project.model("plain", "{{ config(materialized='view') }} select 1 as id")
    project.target["threads"] = 1
    project.run(now="2024-01-02")
    return project


def appends_of(run: Run) -> list[str]:
    return [sql for sql in run.statements if sql.startswith("insert into") and "dbt_kinds_intervals" in sql[:90]]


@pytest.mark.core
def test_it_claims_what_is_due_in_one_append(shop: Project) -> None:
    appends = appends_of(shop.run(now="2024-01-03"))
    # the claims, and the records of all six
    assert len(appends) == 2, appends
    assert appends[0].count("'claimed'") == 6
    assert [shop.recorded(f"m{number}") for number in range(6)] == [[["2024-01-01", "2024-01-03"]]] * 6
    assert shop.rows(OPEN_CLAIMS) == []


def test_it_asks_nothing_for_one_model_and_for_other_commands(shop: Project) -> None:
    for command in (("run", "--select", "plain"), ("test",), ("compile",)):
        run = shop.dbt(*command, now="2024-01-04")
        assert run.success, run.errors
        assert not [sql for sql in run.statements if "dbt_kinds" in sql or sql == "None"]
    run = shop.run("--select", "m0", now="2024-01-04")
    assert sum("'claimed'" in sql for sql in run.statements if sql.startswith("insert")) == 1


@pytest.mark.parametrize(
    "variables", [{"strat": "2024-01-01"}, {"start": "yesterday"}, {"claim_ahead": "many"}], ids=str
)
def test_a_wrong_variable_is_refused_by_each_model_of_a_kind_and_by_no_other(
    shop: Project, variables: dict[str, str]
) -> None:
    run = shop.dbt("run", now="2024-01-05", **variables)
    assert run.statuses.pop("plain") == "success"
    assert set(run.statuses.values()) == {"error"}
    assert all("dbt_kinds: " in message for name, message in run.messages.items() if name != "plain")


def test_a_hook_of_the_project_that_fails_leaves_no_claim(shop: Project) -> None:
    shop.settings["on-run-start"] = "insert into nowhere.at_all select 1"
    run = shop.dbt("run", now="2024-01-06")
    assert not run.success
    del shop.settings["on-run-start"]
    assert shop.rows(OPEN_CLAIMS) == []
    shop.run(now="2024-01-06")
    assert shop.recorded("m5") == [["2024-01-01", "2024-01-06"]]


def test_on_a_server_it_claims_unless_another_hook_follows(thrift: ThriftServer, tmp_path: Path) -> None:
    shop = filled(ThriftProject(tmp_path / "project", thrift, "open_run_served"))
    # one for the thread, and four that come later
    assert appends_of(shop.run(now="2024-01-03"))[0].count("'claimed'") == 5
    shop.settings["on-run-start"] = "select 1"
    assert appends_of(shop.run(now="2024-01-04"))[0].count("'claimed'") == 1
    assert [shop.recorded(f"m{number}") for number in range(6)] == [[["2024-01-01", "2024-01-04"]]] * 6
    assert shop.rows(OPEN_CLAIMS) == []
