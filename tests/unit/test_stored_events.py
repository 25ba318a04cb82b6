"""Rows of the store that somebody edited by hand are told from those that a run can read."""

from __future__ import annotations

from typing import Any

import pytest
import sqlglot

from dbt_kinds.simulation.databases import new_database
from tests.unit.macros import CompilerError, Macros

MACROS = Macros()
MACROS._functions["store_table"] = lambda: "shop.dbt_kinds_intervals"

ROW = {
    "event": "loaded", "relation": "shop.orders", "interval_start": "2024-02-28T00:00:00",
    "interval_end": "2024-02-29T00:00:00", "recorded_at": "2024-03-01T08:00:00.000001", "model_hash": "0123abcd",
    "execution_time": "2024-03-01T08:00:00", "started_at": "2024-03-01T08:00:00.000000",
    "source": "run",
}  # fmt: skip


def asked(sql: str, row: dict[str, Any]) -> Any:
    """What an expression says of a row of the store; what is empty is absent."""
    whole = dict.fromkeys(MACROS.store_columns()) | row
    columns = [f"{MACROS.text_literal(value or None)} as {name}" for name, value in whole.items()]
    query = f"select {sql} from (select {', '.join(columns)}) as store"
    ((said,),) = new_database().execute(sqlglot.transpile(query, read="spark", write="duckdb")[0]).fetchall()
    return said


def is_unreadable(row: dict[str, Any]) -> bool:
    return bool(asked(MACROS.is_unreadable_sql(), row))


def line_of(row: dict[str, Any]) -> str:
    return str(asked(MACROS.event_line_sql(), row))


@pytest.mark.parametrize(
    "change",
    [{}, {"event": "invalidated"}, {"model_hash": ""}, {"execution_time": ""}, {"started_at": ""}, {"seconds": 3}],
    ids=str,
)
def test_what_runs_write_can_be_read(change: dict[str, Any]) -> None:
    row = ROW | change
    assert not is_unreadable(row)
    (event,) = MACROS.parse_events("shop.orders", line_of(row))
    assert event == {name: row[name] for name in event}
    assert {"event", "interval_start", "interval_end", "recorded_at", "model_hash"} <= {*event}


@pytest.mark.parametrize(
    ("change", "is_whole"),
    [
        ({}, False),
        ({"details": '{"told": "x y"}'}, True),
        ({"details": '{"sources": {"raw.a b": {"snapshot": 1}}}'}, True),
        ({"details": '{"sequence": 3}'}, False),
        ({"kind": "scd_type_2_by_time"}, True),
        ({"kind": "scd_type_2_by_time", "snapshot_id": "7"}, True),
        ({"kind": "scd_type_2", "details": '{"instant": "2024-03-01T00:00:00"}', "event": "invalidated"}, True),
    ],
    ids=str,
)
def test_a_line_has_the_details_that_something_asks_for(change: dict[str, Any], is_whole: bool) -> None:
    row = ROW | {"kind": "full", "snapshot_id": "", "details": ""} | change
    (event,) = MACROS.parse_events("shop.orders", line_of(row))
    whole = {"kind": row["kind"], "snapshot_id": int(row["snapshot_id"] or 0) or None, "details": row["details"]}
    assert {name: value for name, value in event.items() if name in whole} == (whole if is_whole else {})


def test_a_load_that_was_adopted_can_be_told() -> None:
    row = ROW | {"source": "adopt"}
    assert not is_unreadable(row)
    (event,) = MACROS.parse_events("shop.orders", line_of(row))
    assert (event["event"], event["source"]) == ("loaded", "adopt")
    (withdrawn,) = MACROS.parse_events("shop.orders", line_of(row | {"event": "invalidated"}))
    assert (withdrawn["event"], "source" in withdrawn) == ("invalidated", False)


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
    lines = [line_of(row) for row in (ROW, wrong, ROW)]
    with pytest.raises(CompilerError, match="has a row that cannot be read"):
        MACROS.parse_events("shop.orders", "\n".join(lines))


def test_a_row_that_names_no_table_cannot_be_read() -> None:
    assert is_unreadable(ROW | {"relation": ""})
