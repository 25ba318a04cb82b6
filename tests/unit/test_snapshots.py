"""Which snapshots lie between two of a table, and whether they are compactions only."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.macros import Macros

MACROS = Macros()
# 1 <- 2 <- 3 <- 4 is the main branch; 5 was rolled back
PARENTS = {1: None, 2: 1, 3: 2, 4: 3, 5: 2}
SNAPSHOTS = {
    number: {"snapshot_id": number, "operation": "replace" if number in (3, 4) else "append"}
    | ({"parent_id": parent} if parent else {})
    for number, parent in PARENTS.items()
}


def without(*expired: int) -> dict[int, dict[str, Any]]:
    return {number: snapshot for number, snapshot in SNAPSHOTS.items() if number not in expired}


@pytest.mark.parametrize(
    ("snapshots", "since", "until", "between"),
    [
        (SNAPSHOTS, 2, 4, [4, 3]),
        (SNAPSHOTS, 4, 4, []),
        (SNAPSHOTS, None, 2, [2, 1]),
        (SNAPSHOTS, None, None, []),
        (SNAPSHOTS, 5, 4, None),
        (SNAPSHOTS, 2, None, None),
        # the parent of the oldest that is left is known, though it is gone
        (without(1), 1, 3, [3, 2]),
        (without(1, 2), 1, 4, None),
        ({}, 1, 2, None),
    ],
)
def test_snapshots_between_are_those_on_the_way(
    snapshots: dict[int, Any], since: int | None, until: int | None, between: list[int] | None
) -> None:
    found = MACROS.snapshots_between(snapshots, since, until)
    assert (None if found is None else [snapshot["snapshot_id"] for snapshot in found]) == between


@pytest.mark.parametrize(("since", "are"), [(2, True), (1, False), (4, True), (5, False)])
def test_compactions_alone_change_no_row(since: int, are: bool) -> None:
    assert MACROS.are_compactions(MACROS.snapshots_between(SNAPSHOTS, since, 4)) is are
