"""Runs of SCD type 2 that die at any of their statements: the next run leaves the table of a run that did not die."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sweep import rest
from tests.unit.duckdb_runs import DiedError, Warehouse
from tests.unit.scd2_sql import rows_sql

COLUMNS = [("id", "int"), ("price", "int")]
OPTIONS: dict[str, Any] = {
    "unique_key": "id", "columns": "*", "invalidate_hard_deletes": True, "disable_restatement": False,
    "start": "2024-01-01",
}  # fmt: skip
SOURCES = [[[1, 10], [2, 20]], [[1, 11], [3, 30]], [[1, 11], [2, 21], [3, 31]], [[1, 12], [2, 21]]]


CASES: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = [
    ("first load", 0, {}, {}),
    ("merge", 2, {}, {}),
    ("restatement", 3, {"start": "2024-01-03"}, {}),
    ("full refresh", 2, {"full_refresh": True}, {}),
]


def run(warehouse: Warehouse, file_format: str, day: int, **variables: Any) -> None:
    full_refresh = variables.pop("full_refresh", False)
    given = {"kinds_execution_time": f"2024-01-0{day + 2}T06:00:00"}
    given |= {f"kinds_{name}": value for name, value in variables.items()}
    options = OPTIONS | {"file_format": file_format}
    sql = rows_sql(COLUMNS, SOURCES[day])
    warehouse.run("prices", "scd_type_2_by_column", options, sql, given, full_refresh=full_refresh)


def rows(warehouse: Warehouse) -> list[Any]:
    return sorted(warehouse.database.execute("select * from shop.prices").fetchall(), key=repr)


def prepared(file_format: str, days: int) -> Warehouse:
    warehouse = Warehouse()
    for day in range(days):
        run(warehouse, file_format, day)
    return warehouse


# behind one statement is before the next one
@pytest.mark.parametrize("done", rest([False, True], False), ids=["before", "behind"])
@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
@pytest.mark.parametrize(
    ("title", "days", "variables", "again"),
    rest(CASES, *CASES[1:3]),
    ids=["first-load", "merge", "restatement", "full-refresh"],
)
def test_the_next_run_makes_good_what_died(
    title: str, days: int, variables: dict[str, Any], again: dict[str, Any], file_format: str, done: bool
) -> None:
    whole = prepared(file_format, days)
    run(whole, file_format, days, **dict(variables))
    expected = rows(whole)
    statements = list(whole.statements)
    for number in range(1, len(statements) + 1):
        warehouse = prepared(file_format, days)
        warehouse.dies_at, warehouse.dies_after_it = number, done
        with pytest.raises(DiedError):
            run(warehouse, file_format, days, **dict(variables))
        died_at = f"{title}: statement {number} of {statements}"
        is_announced = any(
            row["event"] in ("pending", "invalidated", "loaded")
            and row["execution_time"] == f"2024-01-0{days + 2}T06:00:00"
            for row in warehouse.log
            if row["event"] not in ("claimed", "released", "settled") and "execution_time" in row
        )
        # what the run had not announced is asked for again
        run(warehouse, file_format, days, **({} if is_announced else dict(variables)))
        assert rows(warehouse) == expected, died_at


# a replay of snapshots: the first day, then the third by a window, so that the second is a gap
SNAPSHOTS = """select * from values (1, 10, date '2024-01-01'), (1, 11, date '2024-01-02'), (2, 5, date '2024-01-02'), (1, 12, date '2024-01-03'),
  (2, 6, date '2024-01-03') as snapshots(id, price, ds)
where ds between /*kinds:start_date*/ date '2024-01-01' and /*kinds:end_date*/ date '2024-01-01'"""
REPLAY = {"unique_key": "id", "batch_size": 1, "start": "2024-01-01", "invalidate_hard_deletes": True}
Replayed = tuple[str, str, dict[str, Any], dict[str, Any]]
BY_COLUMN: Replayed = ("scd_type_2_by_column", "iceberg", {"columns": ["price"]}, {})
# approximate, and allowed to be
BY_TIME: Replayed = (
    "scd_type_2_by_time",
    "parquet",
    {"updated_at_name": "ds"},
    {"allow_approximate_restatement": True},
)


def replay(warehouse: Warehouse, replayed: Replayed, hour: int, **variables: Any) -> None:
    kind, file_format, options, _ = replayed
    options = {**REPLAY, **options, "disable_restatement": False, "file_format": file_format}
    if "max_batches" in variables:
        options["max_batches"] = variables.pop("max_batches")
    given = {"kinds_execution_time": f"2024-01-04T{hour:02}:00:00"}
    given |= {f"kinds_{name}": value for name, value in variables.items()}
    warehouse.run("prices", kind, options, SNAPSHOTS, given)


def with_a_gap(replayed: Replayed) -> Warehouse:
    warehouse = Warehouse()
    replay(warehouse, replayed, 1, execution_time="2024-01-02T06:00:00")
    replay(warehouse, replayed, 2, start="2024-01-03", end="2024-01-04")
    return warehouse


def replayed_in_order(replayed: Replayed) -> list[Any]:
    warehouse = Warehouse()
    replay(warehouse, replayed, 1)
    return rows(warehouse)


@pytest.mark.parametrize("replayed", [BY_COLUMN, BY_TIME], ids=["by-column-iceberg", "by-time-parquet"])
def test_the_next_run_goes_on_with_a_restatement_that_began_in_a_gap(replayed: Replayed) -> None:
    expected = replayed_in_order(replayed)
    whole = with_a_gap(replayed)
    replay(whole, replayed, 3, start="2024-01-02", **replayed[3])
    assert rows(whole) == expected
    statements = list(whole.statements)
    for number in range(1, len(statements) + 1):
        warehouse = with_a_gap(replayed)
        warehouse.dies_at = number
        with pytest.raises(DiedError):
            replay(warehouse, replayed, 3, start="2024-01-02", **replayed[3])
        is_announced = any(row["event"] == "invalidated" for row in warehouse.log)
        # an ordinary run goes on, without the permission that the restatement had
        replay(warehouse, replayed, 4, **({} if is_announced else {"start": "2024-01-02", **replayed[3]}))
        assert rows(warehouse) == expected, f"statement {number} of {statements}"


@pytest.mark.parametrize("since", ["2024-01-02", "2024-01-03"])
def test_a_restatement_in_portions_is_not_undone_by_the_next_one(since: str) -> None:
    """Also if it leaves a gap before it, which the run after it loads first."""
    warehouse = with_a_gap(BY_COLUMN)
    if since == "2024-01-02":
        replay(warehouse, BY_COLUMN, 3, start=since, max_batches=1)
    else:
        warehouse.dies_at = 5
        with pytest.raises(DiedError):
            replay(warehouse, BY_COLUMN, 3, start=since)
        assert warehouse.log[-2]["event"] == "pending"
    for hour in (4, 5):
        replay(warehouse, BY_COLUMN, hour, max_batches=1)
    assert rows(warehouse) == replayed_in_order(BY_COLUMN)
