"""What the store says of a table that was put back to an older version."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros

MACROS = Macros()


def event(number: int, first: int, last: int, version: int | None, name: str = "loaded") -> dict[str, Any]:
    return {
        "event": name,
        "recorded_at": f"2024-01-09T00:00:{number:02}",
        "interval_start": f"2024-01-{first:02}",
        "interval_end": f"2024-01-{last:02}",
        "snapshot_id": version,
    }


LOADS = [event(1, 1, 3, 2), event(2, 3, 4, 4), event(3, 4, 5, 6)]


@pytest.mark.parametrize(
    ("events", "spans", "snapshots", "lost"),
    [
        (LOADS, [], [], []),
        # put back to the version of the first load, by the commit 7
        (LOADS, [[2, 7]], [], [("03", "05")]),
        (LOADS, [], [6], [("04", "05")]),
        # loaded again since, or withdrawn
        ([*LOADS, event(4, 3, 4, 8)], [[2, 7]], [], [("04", "05")]),
        ([*LOADS, event(4, 3, 5, None, "invalidated")], [[2, 7]], [], []),
        ([*LOADS, event(4, 3, 5, None, "invalidated"), event(5, 3, 5, 8)], [[2, 7]], [], []),
        # put back twice
        ([*LOADS, event(4, 3, 5, 8)], [[2, 7], [1, 9]], [], [("01", "05")]),
    ],
)
def test_what_was_loaded_by_versions_that_are_gone_is_lost_until_it_is_loaded_again(
    events: list[dict[str, Any]], spans: list[list[int]], snapshots: list[int], lost: list[tuple[str, str]]
) -> None:
    expected = [[f"2024-01-{first}", f"2024-01-{last}"] for first, last in lost]
    assert MACROS.intervals_of_commits(events, spans, snapshots) == expected


def test_a_restore_takes_back_the_versions_between() -> None:
    rows = [
        {"version": 9, "operation": "RESTORE", "timestamp": "2024-01-09 06:00:00", "operationParameters": "{'version': None, 'timestamp': '2024-01-03 00:00:00.0'}"},
        {"version": 8, "operation": "MERGE", "timestamp": "2024-01-08 06:00:00", "operationParameters": "{}"},
        {"version": 7, "operation": "RESTORE", "timestamp": "2024-01-07 06:00:00", "operationParameters": '{"version":"2","timestamp":null}'},
        {"version": 1, "operation": "WRITE", "timestamp": "2024-01-02 06:00:00", "operationParameters": "{}"},
        {"version": 0, "operation": "CREATE TABLE", "timestamp": "2024-01-01 06:00:00", "operationParameters": "{}"},
    ]  # fmt: skip
    assert MACROS.spans_put_back(rows) == [[1, 9], [2, 7]]
    assert MACROS.spans_put_back(rows[3:]) == []
