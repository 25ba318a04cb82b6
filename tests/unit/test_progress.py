"""What the log says while batches are loaded."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dbt_kinds.operate.intervals import rough_duration_text
from tests.unit.macros import Macros

MACROS = Macros()


@pytest.mark.parametrize(
    ("spent", "number", "batches", "said"),
    [
        (30.0, 2, 100, ""),  # too early to know the pace
        (30.0, 3, 20, ""),  # too short a run to say it
        (30.0, 100, 100, ""),
        (30.0, 3, 21, ", ~3 min left"),
        (0.0, 5, 30, ", ~1 s left"),
        (10.0, 10, 50, ", ~40 s left"),
        (100.0, 10, 400, ", ~1 h left"),
        (86400.0, 10, 30, ", ~2 d left"),
    ],
)
def test_a_long_run_says_how_long_the_rest_takes(spent: float, number: int, batches: int, said: str) -> None:
    assert MACROS.time_left(spent, number, batches) == said


@pytest.mark.parametrize(
    ("kind", "reason", "rows", "filled"),
    [
        ("incremental_by_time_range", "first load", 0, False),
        ("incremental_by_time_range", "first load", 1, True),
        ("incremental_by_time_range", "1 missing", 1, False),
        ("append", "backfill: first run", 0, False),
        ("append", "backfill: first run", 1, True),
        ("append", "incremental", 1, False),
    ],
)
def test_a_table_that_a_run_left_empty_is_not_to_be_adopted(kind: str, reason: str, rows: int, filled: bool) -> None:
    macros = Macros(run_query=lambda sql: SimpleNamespace(rows=[(1,)] * rows))
    plan = {"reason": reason, "batches": [["2024-01-01T00:00:00", "2024-01-02T00:00:00"]]}
    given = {"capture": "snapshot" if kind == "append" else None}
    options = {"traits": macros.kind_traits(kind, given), **given}
    assert macros.is_filled(options, plan, True, "shop.orders") is filled
    assert macros.is_filled(options, plan, False, "shop.orders") is False


@pytest.mark.parametrize("seconds", [0, 0.4, 1.2, 56.9, 57, 90.5, 3419, 3421, 80000, 82080, 200_000])
def test_it_is_said_as_a_plan_says_it(seconds: float) -> None:
    assert MACROS.time_left(seconds * 21, 21, 42) == f", ~{rough_duration_text(seconds * 21)} left"
