"""Runs of incremental_by_unique_key whose when_matched adds to rows: nothing that dies, and nothing that nobody recorded, is counted twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.duckdb_runs import DiedError, Relation, Warehouse
from tests.unit.macros import CompilerError, Macros, node

ADDS: dict[str, Any] = {"when_matched": "when matched then update set target.n = target.n + source.n"}
ROWS = [(1, 1, 5), (1, 2, 1), (2, 2, 7), (1, 3, 2), (3, 3, 9)]  # id, day of January, n
QUERY = f"select id, n from {Macros(node=node('t', time_column='day')).window_of(Relation('src'), 'day')} as s"


def prepared(until: int | None = None, file_format: str = "iceberg") -> Warehouse:
    warehouse = Warehouse()
    warehouse.database.execute("create table shop.src (id int, day date, n int)")
    for key, day, n in ROWS:
        warehouse.database.execute(f"insert into shop.src values ({key}, date '2024-01-0{day}', {n})")
    if until is not None:
        run(warehouse, until, file_format)
    return warehouse


def run(
    warehouse: Warehouse, day: int, file_format: str = "iceberg", *, full_refresh: bool = False, **given: Any
) -> None:
    options = {"unique_key": "id", "start": "2024-01-01", "batch_size": 1, "file_format": file_format, **ADDS, **given}
    options = {name: value for name, value in options.items() if value is not None}
    at = {"kinds_execution_time": f"2024-01-{day:02}T06:00:00"}
    warehouse.run("t", "incremental_by_unique_key", options, QUERY, at, full_refresh=full_refresh)


def held(warehouse: Warehouse) -> dict[int, int]:
    return dict(warehouse.database.execute("select id, n from shop.t").fetchall())


def totals(before: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for key, day, n in ROWS:
        found |= {key: found.get(key, 0) + n} if day < before else {}
    return found


@pytest.mark.parametrize("file_format", ["iceberg", "parquet"])
@pytest.mark.parametrize(
    ("first", "day", "full_refresh"),
    [(None, 3, False), (3, 4, False), (4, 4, True)],
    ids=["first-load", "merge", "full-refresh"],
)
def test_the_next_run_counts_every_row_once(first: int | None, day: int, full_refresh: bool, file_format: str) -> None:
    whole = prepared(first, file_format)
    run(whole, day, file_format, full_refresh=full_refresh)
    assert held(whole) == totals(day)
    last = len(whole.statements)
    for number, done in [*((number, False) for number in range(1, last + 1)), (last, True)]:
        warehouse = prepared(first, file_format)
        warehouse.dies_at, warehouse.dies_after_it = number, done
        with pytest.raises(DiedError):
            run(warehouse, day, file_format, full_refresh=full_refresh)
        for then in (day, 4):
            run(warehouse, then, file_format)
            assert held(warehouse) == totals(then), f"died at {number} of {whole.statements}"


def test_without_when_matched_a_first_load_announces_nothing() -> None:
    warehouse = prepared()
    run(warehouse, 2, when_matched=None)
    assert warehouse.statements == ["append_events", "create_stage", "fill_stage", "create_table", "append_events", "drop"]  # fmt: skip


def test_rows_that_nobody_recorded_are_refused() -> None:
    warehouse = prepared()
    warehouse.create_table("shop.t", "iceberg", "select 1 as id, 5 as n")
    with pytest.raises(CompilerError, match="has rows, and nothing is recorded") as refused:
        run(warehouse, 3)
    assert "so a first load might merge them again; record the intervals that it holds" in str(refused.value)
    assert str(refused.value).endswith("or rebuild it with --full-refresh")
    stated = {"event": "loaded", "interval_start": "2024-01-01T00:00:00", "interval_end": "2024-01-02T00:00:00"}
    warehouse.log.append({**stated, "relation": "shop.t", "recorded_at": warehouse.moment()})
    run(warehouse, 3)
    assert held(warehouse) == totals(3)


def test_so_they_are_replaced_by_a_full_refresh() -> None:
    warehouse = prepared()
    warehouse.create_table("shop.t", "iceberg", "select 1 as id, 50 as n")
    run(warehouse, 3, full_refresh=True)
    assert held(warehouse) == totals(3)


@pytest.mark.parametrize("first", [None, 2])
def test_a_sample_merges_nothing(first: int | None) -> None:
    warehouse = prepared(first)
    warehouse.arguments = {"sample": "1 day"}
    run(warehouse, 3)
    assert held(warehouse) == ({} if first is None else totals(first))
    assert any("--sample merges nothing, because the next run would merge" in said for said in warehouse.said)
    warehouse.arguments = {}
    run(warehouse, 4)
    assert held(warehouse) == totals(4)
