"""Which announced write of a relation is still open: what a run that died leaves for the next one to find out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros

MACROS = Macros()


def event(name: str, moment: int, start: int = 3, end: int = 4, relation: str = "shop.log") -> dict[str, Any]:
    return {
        "event": name,
        "relation": relation,
        "recorded_at": f"2024-01-05T00:00:{moment:02}.000000",
        "interval_start": f"2024-01-{start:02}T00:00:00",
        "interval_end": f"2024-01-{end:02}T00:00:00",
    }


@pytest.mark.parametrize(
    "later",
    [
        [],
        [event("claimed", 2), event("failed", 2), event("released", 3)],
        [event("loaded", 2, 4, 5)],
        [event("invalidated", 2, 1, 3)],
        [event("settled", 2, relation="shop.other")],
        # what a rebuild takes back stands in one append with its announcement
        [event("invalidated", 1, 1, 9)],
    ],
)
def test_a_write_is_open_until_something_tells_its_end(later: list[dict[str, Any]]) -> None:
    pending = event("pending", 1)
    assert MACROS.pending_write([event("loaded", 0), pending, *later], "shop.log") == pending


@pytest.mark.parametrize(
    "later",
    [
        [event("loaded", 2)],
        [event("loaded", 2, 1, 9)],
        [event("invalidated", 2, 3, 5)],
        [event("settled", 2)],
    ],
)
def test_its_record_and_whatever_else_is_said_of_its_interval_close_it(later: list[dict[str, Any]]) -> None:
    assert MACROS.pending_write([event("pending", 1), *later], "shop.log") is None


def test_the_newest_announcement_stands_for_all() -> None:
    newer = event("pending", 3, 5, 6)
    assert MACROS.pending_write([event("pending", 1), newer], "shop.log") == newer


def test_a_compaction_keeps_what_is_open() -> None:
    old = [event("loaded", 0, 1, 3), event("pending", 1), event("settled", 2), event("pending", 3)]
    compacted = MACROS.compacted_events(old, old[-1]["recorded_at"])
    assert [(row["event"], row["start"], row["end"]) for row in compacted] == [
        ("loaded", "2024-01-01T00:00:00", "2024-01-03T00:00:00"),
        ("pending", "2024-01-03T00:00:00", "2024-01-04T00:00:00"),
    ]
