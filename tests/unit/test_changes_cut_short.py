"""Runs of kinds that go by what changed, which die at any of their statements: what runs next leaves each row once."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.sweep import rest
from tests.unit.changing_runs import MODELS, SINCE, Changing
from tests.unit.duckdb_runs import DiedError
from tests.unit.macros import CompilerError

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


def check(warehouse: Changing, where: str) -> None:
    assert warehouse.held() == warehouse.expected(), where
    assert warehouse.rejected() == warehouse.to_reject(), where


def check_ordinary_runs(warehouse: Changing, days: range, where: str) -> None:
    for day in days:
        warehouse.gain_and_build(day)
        check(warehouse, f"day {day}, {where}")


@pytest.mark.parametrize(
    ("of", "file_format"), rest(CASES, ("files", "iceberg"), ("tracked", "parquet"), ("adds", "iceberg"))
)
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
        check(warehouse, where)
        check_ordinary_runs(warehouse, range(5, 7), where)
        assert not any("a run that died" in said for said in warehouse.said)


def test_an_empty_file_may_stand_for_one_that_was_lost() -> None:
    warehouse = prepared("files", "iceberg")
    warehouse.gain()
    dies(warehouse, 3, 5)
    assert "take_files" in warehouse.statements
    warehouse.database.execute("delete from shop.landed where name = 'day_2'")
    warehouse.database.execute("delete from shop.lines where name = 'day_2'")
    with pytest.raises(CompilerError, match="put it back, or put an empty file of that name there"):
        warehouse.build(4)
    warehouse.database.execute("insert into shop.landed values ('day_2', 0)")
    warehouse.database.execute("delete from shop.src where id = 2")
    check_ordinary_runs(warehouse, range(4, 6), "with an empty file")
    # what comes into it later would not be read
    warehouse.database.execute("update shop.landed set length = 5 where name = 'day_2'")
    with pytest.raises(CompilerError, match="changed after it was taken: it has 5 bytes and had 20"):
        warehouse.build(6)


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


DOUBTS = [("append", {}), ("gained", {"on_query_change": "rebuild"}), ("files", {}), ("rows", {}), ("adds", {})]


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize(("of", "given"), DOUBTS)
def test_what_a_message_advises_about_a_write_in_doubt_is_right(of: str, given: dict[str, Any], done: bool) -> None:
    def second_run_of_a_day(**dies_at: Any) -> Changing:
        warehouse = Changing(of=of, given=given)
        for day in (2, 3):
            warehouse.gain_and_build(day)
        warehouse.gain()
        return warehouse

    whole = second_run_of_a_day()
    whole.build(3)
    record = last(whole.statements, "append_events")
    warehouse = second_run_of_a_day()
    dies(warehouse, 3, record - 1, done=done)
    # commits of somebody else
    warehouse.commits["shop.t"] += [warehouse.runs + 1, warehouse.runs + 2]
    for _ in range(2):
        with pytest.raises(CompilerError, match="in doubt") as refused:
            warehouse.build(4)
    advised = re.findall(r"dbt_kinds.(\w+) --args '\{select: t, start: (\S+), end: (\S+)\}'", str(refused.value))[0]
    assert str(refused.value).endswith("if they are, dbt_kinds.forget with the same if they are not")
    warehouse.operate("record" if done else "forget", start=advised[1], end=advised[2])
    check_ordinary_runs(warehouse, range(4, 6), f"{of} {done}")
    assert not any(said.startswith("dbt_kinds: t: backfill") for said in warehouse.said[-4:])
    if done:
        told = {row["recorded_at"]: row for row in whole.log if row["event"] == "loaded"}
        stated = [row for row in warehouse.log if row.get("source") == "record"]
        expected = list(told.values())[-1]
        for name in ("interval_start", "interval_end", "execution_time", "model_hash", "rows_written", "details"):
            assert (name, stated[0].get(name)) == (name, expected.get(name))


@pytest.mark.parametrize("of", ["tracked", "keys", "by_run"])
def test_of_a_table_that_is_written_in_part_nothing_can_be_stated(of: str) -> None:
    warehouse = prepared(of, "parquet")
    warehouse.gain_and_build(3)
    number = last(warehouse.statements, "append_events")
    warehouse = prepared(of, "parquet")
    warehouse.gain()
    dies(warehouse, 3, number - 1)
    day = {"start": "2024-01-01", "end": "2024-01-02"}
    for operation, given in (
        ("record", day),
        ("forget", day),
        ("forget", {}),
        ("adopt", {"again": "true", "execute": "true"}),
    ):
        with pytest.raises(CompilerError, match=r"a run died while it rewrote shop\.t, .*: dbt run --select t"):
            warehouse.operate(operation, **given)
    check_ordinary_runs(warehouse, range(4, 6), of)


@pytest.mark.parametrize("of", ["files", "rows"])
def test_of_events_nothing_but_a_write_in_doubt_can_be_stated(of: str) -> None:
    warehouse = prepared(of, "iceberg")
    day = {"start": "2024-01-01", "end": "2024-01-02"}
    for operation, words in (
        ("record", "in doubt can be recorded, and none is; to load"),
        ("forget", "would be loaded twice"),
    ):
        with pytest.raises(CompilerError, match=words):
            warehouse.operate(operation, **day)
    check_ordinary_runs(warehouse, range(3, 4), of)


def test_a_range_of_an_append_can_be_forgotten_unless_it_goes_by_changes() -> None:
    by_intervals = {"start": "2024-01-01", "capture": None, "cursor": None, "cursor_initial": None}
    warehouse = Changing(given=by_intervals, query="select id, v from shop.src")
    warehouse.gain_and_build(3)
    day = {"start": "2024-01-01", "end": "2024-01-02"}
    warehouse.operate("forget", **day)
    assert [row["interval_end"] for row in warehouse.log if row["event"] == "invalidated"] == ["2024-01-02T00:00:00"]
    with pytest.raises(CompilerError, match="an append with capture records what its runs took"):
        prepared("append", "iceberg").operate("forget", **day)


@pytest.mark.parametrize("setting", ["keep", "error"])
@pytest.mark.parametrize(("of", "file_format"), [("by_run", "iceberg"), ("tracked", "parquet")])
def test_a_rebuild_that_finds_no_rows_withdraws_nothing(of: str, file_format: str, setting: str) -> None:
    warehouse = Changing(of=of, file_format=file_format, given={"on_query_change": "rebuild", "empty_source": setting})
    for day in (2, 3):
        warehouse.gain_and_build(day)
    warehouse.database.execute("update shop.src set v = 99 where id = 1")
    warehouse.build(4)
    table = warehouse.database.execute("select * from shop.t order by all").fetchall()
    records = [row for row in warehouse.log if row["event"] in ("loaded", "invalidated")]
    warehouse.query = "select id, v from shop.src where v < 0"
    with contextlib.nullcontext() if setting == "keep" else pytest.raises(CompilerError, match="returned no rows"):
        warehouse.build(5)
    assert warehouse.database.execute("select * from shop.t order by all").fetchall() == table
    assert [row for row in warehouse.log if row["event"] in ("loaded", "invalidated")] == records
    warehouse.query = None
    warehouse.gain_and_build(6)
    is_open = "where is_current" if of == "by_run" else ""
    assert (
        warehouse.database.execute(f"select id, v from shop.t {is_open} order by id").fetchall() == warehouse.expected()
    )
