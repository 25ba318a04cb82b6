"""Runs of kinds that replace ranges and partitions, in DuckDB."""

from __future__ import annotations

from typing import Any

import pytest

from dbt_kinds.simulation.warehouse import Warehouse

QUERY = "select id, day, v from shop.src"
RANGE = f"{QUERY} where day between /*kinds:start_date*/ date '2024-01-01' and /*kinds:end_date*/ date '2024-01-01'"
START: dict[str, Any] = {"start": "2024-01-01", "file_format": "iceberg"}


def built(kind: str, options: dict[str, Any], sql: str, changes: dict[int, str]) -> list[Any]:
    """The rows after runs in the mornings of days, before each of which the source changes."""
    warehouse = Warehouse()
    warehouse.create_table("shop.src", "iceberg", "select 1 as id, date '2024-01-01' as day, 10 as v")
    for day, change in changes.items():
        warehouse.database.execute(change)
        warehouse.run("t", kind, START | options, sql, {"kinds_execution_time": f"2024-01-{day:02}T03:00:00"})
    return warehouse.database.execute("select id, day::varchar, v from shop.t order by all").fetchall()


CHANGES = {
    2: "insert into shop.src values (2, '2024-01-01', 20)",
    3: "update shop.src set v = 11 where id = 1; insert into shop.src values (3, '2024-01-02', 30)",
    4: "delete from shop.src where id = 3; insert into shop.src values (4, null, 40)",
}


@pytest.mark.parametrize(
    ("lookback", "wanted"),
    [
        (0, [(1, "2024-01-01", 10), (2, "2024-01-01", 20), (3, "2024-01-02", 30)]),
        # the second run reads the first day again, the third one the second day
        (1, [(1, "2024-01-01", 11), (2, "2024-01-01", 20)]),
    ],
)
@pytest.mark.parametrize("partition_by", [[], ["day"], ["days(day)"]])
def test_a_range_is_replaced_and_what_is_outside_of_it_stays(
    lookback: int, wanted: list[Any], partition_by: list[str]
) -> None:
    options = {"time_column": "day", "lookback": lookback} | ({"partition_by": partition_by} if partition_by else {})
    assert built("incremental_by_time_range", options, RANGE, CHANGES) == wanted


def test_partitions_with_rows_are_replaced_and_others_stay() -> None:
    rows = built("incremental_by_partition", {"partition_by": ["day"]}, QUERY, CHANGES)
    # the second day has no row in the last run
    assert rows == [(1, "2024-01-01", 11), (2, "2024-01-01", 20), (3, "2024-01-02", 30), (4, None, 40)]


@pytest.mark.parametrize(("overwrites", "rows"), [(False, 2 + 3 + 3), (True, 4)])
def test_an_unmanaged_model_appends_or_replaces_partitions(overwrites: bool, rows: int) -> None:
    options = {"insert_overwrite": True, "partition_by": ["day"]} if overwrites else {}
    assert len(built("incremental_unmanaged", options, QUERY, CHANGES)) == rows
