"""Rows of the store that somebody edited by hand are told from those that a run can read."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot

from tests.unit.databases import new_database
from tests.unit.macros import CompilerError, Macros

MACROS = Macros()
MACROS._functions["store_table"] = lambda: "shop.dbt_kinds_intervals"

ROW = {
    "event": "loaded", "relation": "shop.orders", "interval_start": "2024-02-28T00:00:00",
    "interval_end": "2024-02-29T00:00:00", "recorded_at": "2024-03-01T08:00:00.000001", "model_hash": "0123abcd",
    "execution_time": "2024-03-01T08:00:00", "started_at": "2024-03-01T08:00:00.000000",
    "source": "run",
}  # fmt: skip


def is_unreadable(row: dict[str, Any]) -> bool:
    """What the SQL says of a row; what is empty is absent."""
    columns = [f"{MACROS.text_literal(value or None)} as {name}" for name, value in row.items()]
    sql = f"select {MACROS.is_unreadable_sql()} from (select {', '.join(columns)}) as store"
    ((said,),) = new_database().execute(sqlglot.transpile(sql, read="spark", write="duckdb")[0]).fetchall()
    return bool(said)


@pytest.mark.parametrize(
    "change",
    [{}, {"event": "invalidated"}, {"model_hash": ""}, {"execution_time": ""}, {"started_at": ""}, {"seconds": 3}],
    ids=str,
)
def test_what_runs_write_can_be_read(change: dict[str, Any]) -> None:
    row = ROW | change
    assert not is_unreadable(row)
    (event,) = MACROS.parse_events("shop.orders", MACROS.event_line(row))
    names = {"start": "interval_start", "end": "interval_end"}
    assert event == {key: row[names.get(key, key)] for key in event}


def test_a_load_that_was_adopted_can_be_told() -> None:
    row = ROW | {"source": "adopt"}
    assert not is_unreadable(row)
    (event,) = MACROS.parse_events("shop.orders", MACROS.event_line(row))
    assert (event["event"], event["is_adopted"]) == ("loaded", True)
    (withdrawn,) = MACROS.parse_events("shop.orders", MACROS.event_line(row | {"event": "invalidated"}))
    assert (withdrawn["event"], "is_adopted" in withdrawn) == ("invalidated", False)


@pytest.mark.parametrize(
    "change",
    [
        {"event": "lost"},
        {"event": ""},
        {"interval_end": "tomorrow"},
        {"interval_end": ""},
        {"interval_end": "2024-02-30T00:00:00"},
        {"interval_end": "2024-02-29T24:00:00"},
        {"interval_end": "2024-02-28T00:00:00"},
        {"interval_end": "2023-02-28T00:00:00"},
        {"interval_start": "2024-02-28"},
        {"interval_start": "2024-02-28 00:00:00"},
        {"interval_start": "2024-02-28T00:00:00+01:00"},
        {"interval_start": "2024-02-28T00:00:00\n"},
        {"recorded_at": ""},
        {"recorded_at": "2024-03-01T08:00:00"},
        {"execution_time": "yesterday"},
        {"model_hash": "two words"},
        {"model_hash": "0123abcd\n"},
    ],
    ids=str,
)
def test_anything_else_is_told_from_it(change: dict[str, Any]) -> None:
    wrong = ROW | change
    assert is_unreadable(wrong)
    lines = [MACROS.event_line(row) for row in (ROW, wrong, ROW)]
    with pytest.raises(CompilerError, match="has a row that cannot be read"):
        MACROS.parse_events("shop.orders", "\n".join(lines))


def test_a_row_that_names_no_table_cannot_be_read() -> None:
    assert is_unreadable(ROW | {"relation": ""})
