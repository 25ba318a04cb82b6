"""Rows of the store that somebody edited by hand are told from those that a run can read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros

ROW = {
    "event": "loaded", "relation": "shop.orders", "interval_start": "2024-02-28T00:00:00",
    "interval_end": "2024-02-29T00:00:00", "recorded_at": "2024-03-01T08:00:00.000001", "model_hash": "0123abcd",
    "execution_time": "2024-03-01T08:00:00", "started_at": "2024-03-01T08:00:00.000000",
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{}, {"event": "invalidated"}, {"model_hash": ""}, {"execution_time": ""}, {"started_at": ""}, {"seconds": 3}],
    ids=str,
)
def test_what_runs_write_can_be_read(change: dict[str, Any]) -> None:
    row = ROW | change
    macros = Macros()
    assert macros.unreadable_rows([row, ROW]) == []
    (event,) = macros.parse_events("shop.orders", macros.event_line(row))
    names = {"start": "interval_start", "end": "interval_end"}
    assert event == {key: row[names.get(key, key)] for key in event}


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
    ],
    ids=str,
)
def test_anything_else_is_told_from_it(change: dict[str, Any]) -> None:
    wrong = ROW | change
    assert Macros().unreadable_rows([ROW, wrong, ROW]) == [wrong]
