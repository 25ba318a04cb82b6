"""Runs of kinds that go by what changed, which die at any of their statements: what runs next leaves each row once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sweep import rest
from tests.unit.changing_runs import MODELS, SINCE, Changing
from tests.unit.duckdb_runs import DiedError

CASES = [(of, file_format) for of in MODELS for file_format in ("iceberg", "parquet")]


def prepared(of: str, file_format: str) -> Changing:
    warehouse = Changing(of=of, file_format=file_format)
    warehouse.gain_and_build(2)
    return warehouse


def dies(warehouse: Changing, day: int, number: int, *, done: bool = False, full_refresh: bool = False) -> None:
    warehouse.dies_at, warehouse.dies_after_it = number, done
    with pytest.raises(DiedError):
        warehouse.build(day, full_refresh=full_refresh)


def deaths(statements: list[str], first: int = 1) -> Iterator[tuple[int, bool]]:
    """Each statement from one on, and whether it was done. Behind one is before the next."""
    yield from ((number, False) for number in range(first, len(statements) + 1))
    yield len(statements), True


def last(statements: list[str], name: str) -> int:
    """The number of the last statement of a name."""
    return len(statements) - statements[::-1].index(name)


def check_ordinary_runs(warehouse: Changing, days: range, where: str) -> None:
    for day in days:
        warehouse.gain_and_build(day)
        assert warehouse.held() == warehouse.expected(), f"day {day}, {where}"


@pytest.mark.parametrize(("of", "file_format"), rest(CASES, ("files", "iceberg"), ("tracked", "parquet")))
def test_an_ordinary_run_makes_good_what_died(of: str, file_format: str) -> None:
    whole = prepared(of, file_format)
    whole.gain_and_build(3)
    for number, done in deaths(whole.statements):
        warehouse = prepared(of, file_format)
        warehouse.gain()
        dies(warehouse, 3, number, done=done)
        check_ordinary_runs(warehouse, range(4, 6), f"died at {number} of {whole.statements}")


# what it announced is of the day before, and nothing that the refresh records is of that day
@pytest.mark.parametrize(("of", "file_format"), CASES)
def test_a_full_refresh_after_a_death_leaves_nothing_to_settle(of: str, file_format: str) -> None:
    whole = prepared(of, file_format)
    whole.gain_and_build(3)
    record = last(whole.statements, "append_events")
    for number in (record - 1, record):
        warehouse = prepared(of, file_format)
        warehouse.gain()
        dies(warehouse, 3, number)
        warehouse.gain_and_build(4, full_refresh=True)
        where = f"died at {number} of {whole.statements}"
        assert warehouse.held() == warehouse.expected(), where
        check_ordinary_runs(warehouse, range(5, 7), where)
        assert not any("a run that died" in said for said in warehouse.said)


@pytest.mark.parametrize(("of", "file_format"), rest(CASES, ("rows", "iceberg"), ("append", "parquet")))
def test_so_does_one_that_dies_itself(of: str, file_format: str) -> None:
    def refreshed() -> Changing:
        warehouse = prepared(of, file_format)
        warehouse.gain_and_build(3)
        number = last(warehouse.statements, "append_events")
        warehouse = prepared(of, file_format)
        warehouse.gain()
        dies(warehouse, 3, number)
        warehouse.gain()
        return warehouse

    whole = refreshed()
    whole.build(4, full_refresh=True)
    for number, done in deaths(whole.statements):
        warehouse = refreshed()
        dies(warehouse, 4, number, done=done, full_refresh=True)
        check_ordinary_runs(warehouse, range(5, 7), f"died at {number} of {whole.statements}")


def test_a_refresh_closes_the_schema_change_that_died_too() -> None:
    warehouse = prepared("append", "iceberg")
    warehouse.documented = {"w": {"name": "w", "meta": {"default": "0"}}}
    warehouse.query = SINCE.replace("v from", "v, null::int as w from")
    warehouse.gain()
    dies(warehouse, 3, 4)
    assert warehouse.statements[-2:] == ["change_schema", "backfill_columns"]
    warehouse.gain_and_build(4, full_refresh=True)
    warehouse.gain_and_build(5)
    assert "backfill_columns" not in warehouse.statements
    assert warehouse.held() == warehouse.expected()
