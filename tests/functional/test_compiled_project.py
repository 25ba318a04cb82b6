"""A SQLMesh project of every kind, compiled, runs three days of changing data; each table is what its sources say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.functional.compiled_shop import compiled_shop, land, table_rows
from tests.functional.every_kind_shop import DAYS, expected
from tests.functional.project import Project


def test_compiled_project_of_every_kind_has_the_tables_that_its_sources_say(
    new_project: Callable[[str], Project],
) -> None:
    project = compiled_shop(new_project)
    for day, tables in zip(DAYS, expected(), strict=True):
        land(project, day)
        # dbt-spark cannot seed a second time where Iceberg has the session's catalog: what it drops leaves its files
        for command in ("seed", "run") if day is DAYS[0] else ("run",):
            run = project.dbt(command, now=day.now)
            assert run.success, run.errors
        differing = {
            table: (found - rows, rows - found)
            for table, rows in tables.items()
            if (found := table_rows(project, table)) != rows
        }
        assert not differing, day.now
    # hooks run once a run
    assert project.rows("select * from landing.loads") == [("orders", day.today) for day in DAYS]


def test_audits_and_unit_tests_of_the_compiled_project_pass(new_project: Callable[[str], Project]) -> None:
    project = compiled_shop(new_project)
    land(project, DAYS[0])
    build = project.dbt("build", now=DAYS[0].now)
    assert build.success, build.errors
    assert build.statuses["test_revenue_by_day"] == "pass"
    assert build.statuses["every_order_has_a_country"] == "pass"
    assert set(build.statuses.values()) == {"success", "pass"}


@pytest.mark.sweep
def test_audit_of_the_compiled_project_fails_where_a_row_fails_it(new_project: Callable[[str], Project]) -> None:
    project = compiled_shop(new_project)
    land(project, DAYS[0])
    assert project.dbt("seed").success
    assert project.dbt("run", "--select", "orders", now=DAYS[0].now).success
    project.sql("update {schema}_staging.orders set status = 'lost', amount = 0 where order_id = 1")
    tests = project.dbt("test", "--select", "orders", now=DAYS[0].now)
    failed = {name for name, status in tests.statuses.items() if status == "fail"}
    assert [name.split("_orders_")[0] for name in sorted(failed)] == ["accepted_values", "assert_at_least"]
