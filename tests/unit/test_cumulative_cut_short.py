"""Runs of cumulative_aggregate that die at any of their statements: the next run leaves the table of a run that did not die."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sweep import rest
from tests.unit import cumulative_runs as runs
from tests.unit.cumulative_runs import Event
from tests.unit.duckdb_runs import DiedError, Warehouse
from tests.unit.macros import CompilerError

EVENTS: list[Event] = [
    (1, "a", 1, 5, True), (2, None, 1, 7, False), (1, "a", 2, 3, None), (None, None, 2, 1, True), (None, None, 3, 6, None),
    (1, "a", 3, -3, False), (1, "b", 3, 0, True),
]  # fmt: skip
EACH_DAY = {"batch_size": 1}


def prepared(file_format: str, day: int | None) -> Warehouse:
    warehouse = runs.warehouse_of(EVENTS)
    if day is not None:
        runs.run(warehouse, day, file_format=file_format, options=EACH_DAY)
    return warehouse


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
@pytest.mark.parametrize(
    ("first", "day", "given"),
    rest([(None, 2, {}), (2, 3, {}), (3, 3, {"full_refresh": True})], (2, 3, {})),
    ids=["first-load", "merge", "full-refresh"],
)
def test_the_next_run_makes_good_what_died(
    first: int | None, day: int, given: dict[str, Any], file_format: str
) -> None:
    whole = prepared(file_format, first)
    runs.run(whole, day, file_format=file_format, options=EACH_DAY, **given)
    assert runs.stored(whole) == runs.expected(EVENTS, day)
    last = len(whole.statements)
    # behind one statement is before the next one
    for number, done in [*((number, False) for number in range(1, last + 1)), (last, True)]:
        warehouse = prepared(file_format, first)
        warehouse.dies_at, warehouse.dies_after_it = number, done
        with pytest.raises(DiedError):
            runs.run(warehouse, day, file_format=file_format, options=EACH_DAY, **given)
        runs.run(warehouse, day, file_format=file_format, options=EACH_DAY)
        assert runs.stored(warehouse) == runs.expected(EVENTS, day), f"statement {number} of {whole.statements}"


def dead_in_a_merge(*, done: bool) -> Warehouse:
    warehouse = prepared("iceberg", 2)
    runs.run(prepared_run := prepared("iceberg", 2), 3, options=EACH_DAY)
    warehouse.dies_at, warehouse.dies_after_it = prepared_run.statements.index("merge_changes") + 1, done
    with pytest.raises(DiedError):
        runs.run(warehouse, 3, options=EACH_DAY)
    return warehouse


def test_an_interval_in_doubt_is_refused_and_can_be_stated_or_rebuilt() -> None:
    warehouse = dead_in_a_merge(done=True)
    # somebody else's commit, which nothing tells from the one that died
    warehouse.commits["shop.totals"].append(warehouse.runs + 1)
    with pytest.raises(CompilerError) as refused:
        runs.run(warehouse, 3, options=EACH_DAY)
    assert str(refused.value) == (
        "dbt_kinds: model totals: the interval 2024-01-02T00:00:00 to 2024-01-03T00:00:00 is in doubt: a run died while it merged it into shop.totals, and the "
        "snapshots of that table do not tell whether it had done so (2 writes since); an interval can be merged only once, so rebuild the table with --full-refresh, or, if you "
        "can tell, state it: dbt run-operation dbt_kinds.record --args '{select: totals, start: 2024-01-02T00:00:00, end: 2024-01-03T00:00:00}' if it is merged, "
        "dbt_kinds.forget with the same if it is not"
    )
    runs.run(warehouse, 4, options=EACH_DAY, full_refresh=True)
    assert runs.stored(warehouse) == runs.expected(EVENTS, 4)


@pytest.mark.parametrize("done", [False, True])
def test_the_store_says_in_doubt_from_before_a_merge_until_its_record(done: bool) -> None:
    warehouse = dead_in_a_merge(done=done)
    day = "2024-01-02T00:00:00"
    assert [row["event"] for row in warehouse.log if row.get("interval_start") == day] == [
        "claimed",
        "invalidated",
        "pending",
    ]
    runs.run(warehouse, 3, options=EACH_DAY)
    said = [row["event"] for row in warehouse.log if row.get("interval_start") == day]
    assert said.count("loaded") == 1
    assert said.count("pending") == (1 if done else 2)
