"""A SQLMesh project of every kind, compiled, runs three days of changing data; each table is what its sources say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

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
        # the first day with seeds, audits and unit tests
        run = project.dbt("build" if day is DAYS[0] else "run", now=day.now)
        assert run.success, run.errors
        if day is DAYS[0]:
            assert run.statuses["test_revenue_by_day"] == "pass"
            assert run.statuses["every_order_has_a_country"] == "pass"
            assert set(run.statuses.values()) == {"success", "pass"}
        differing = {
            table: (found - rows, rows - found)
            for table, rows in tables.items()
            if (found := table_rows(project, table)) != rows
        }
        assert not differing, day.now
    # hooks run once a run
    assert project.rows("select * from landing.loads") == [("orders", day.today) for day in DAYS]


@pytest.mark.sweep
def test_audit_of_the_compiled_project_publishes_no_batch_that_fails_it(new_project: Callable[[str], Project]) -> None:
    project = compiled_shop(new_project)
    first, second, _ = DAYS
    land(project, first)
    assert project.dbt("seed").success
    assert project.dbt("run", "--select", "orders", now=first.now).success
    lost = second.orders[-1]._replace(status="lost", country="XX")
    land(project, replace(second, orders=(*second.orders[:-1], lost)))
    run = project.dbt("run", "--select", "orders", now=second.now)
    assert not run.success
    assert "accepted_values_status" in run.errors and "country_is_known" in run.errors
    orders = "staging.orders"
    assert table_rows(project, orders) == expected()[0][orders]
    land(project, second)
    assert project.dbt("run", "--select", "orders", now=second.now).success
    assert table_rows(project, orders) == expected()[1][orders]
