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


def commit(version: int, operation: str, at: str, parameters: str = "{}", metrics: str = "{}") -> dict[str, Any]:
    return {
        "version": version,
        "operation": operation,
        "timestamp": f"2024-01-{at}",
        "operationParameters": parameters,
        "operationMetrics": metrics,
    }


WEEK = "{'retentionCheckEnabled': 'true', 'defaultRetentionMillis': '604800000'}"
AT_ONCE = "{'specifiedRetentionMillis': '0', 'defaultRetentionMillis': '604800000'}"
APPENDED = ("WRITE", "{'mode': 'Append', 'partitionBy': '[]'}")
# newest first, each a version of its own
HISTORIES: list[tuple[list[tuple[str, ...]], list[int]]] = [
    ([("MERGE", "03 06:00:00"), ("DELETE", "02 06:00:00"), ("WRITE", "01 06:00:00")], [2, 1, 0]),
    ([("VACUUM END", "09 06:00:01"), ("VACUUM START", "09 06:00:00", WEEK), ("DELETE", "02 06:00:01"), ("WRITE", "01")], [3, 2, 1, 0]),
    ([("VACUUM END", "09 06:00:01"), ("VACUUM START", "09 06:00:00", WEEK), ("DELETE", "02 05:59:59"), ("WRITE", "01")], [3, 2, 1]),
    ([("VACUUM START", "02 06:00:00.200", AT_ONCE), ("OPTIMIZE", "02 06:00:00.100+00:00"), ("WRITE", "01 06:00:00")], [2, 1]),
    # an append removes no file, and neither does a property
    ([("VACUUM START", "03 00:00:00", AT_ONCE), ("SET TBLPROPERTIES", "02 06:00:00"), ("WRITE", "02 00:00:00", APPENDED[1]), ("WRITE", "01 06:00:00")], [3, 2, 1, 0]),
    ([("UPDATE", "04 00:00:00"), ("VACUUM START", "03 00:00:00", AT_ONCE), ("WRITE", "02 00:00:00", APPENDED[1])], [2, 1, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("history", "readable"), HISTORIES)
def test_versions_of_delta_are_readable_until_a_vacuum_removes_their_files(
    history: list[tuple[str, ...]], readable: list[int]
) -> None:
    rows = [commit(len(history) - 1 - number, *given) for number, given in enumerate(history)]
    versions = MACROS.delta_versions(rows)
    assert [number for number, version in versions.items() if version["is_readable"]] == readable


def test_what_delta_does_to_files_alone_changes_no_row() -> None:
    rows = [
        commit(4, "VACUUM END", "03 06:00:00"),
        commit(3, "VACUUM START", "03 06:00:00", AT_ONCE),
        commit(2, "OPTIMIZE", "02 06:00:00"),
        commit(1, "MERGE", "02 05:00:00", metrics="{'numOutputRows': '7', 'numTargetRowsCopied': '0'}"),
        commit(0, "CREATE TABLE", "01 06:00:00"),
    ]
    versions = MACROS.delta_versions(rows)
    assert MACROS.are_compactions(MACROS.snapshots_between(versions, 1, 4))
    assert not MACROS.are_compactions(MACROS.snapshots_between(versions, 0, 4))
    assert [version["rows_written"] for version in versions.values()] == [None, None, None, 7, None]
    # the table was dropped and made again
    assert MACROS.snapshots_between(versions, 9, 4) is None


ON = '{"properties":"{\\"delta.enableChangeDataFeed\\":\\"true\\"}"}'
OFF = '{"properties":"{\\"delta.enableChangeDataFeed\\":\\"false\\"}"}'
UNSET = '{"properties":"[\\"delta.enableChangeDataFeed\\"]","ifExists":true}'


@pytest.mark.parametrize(
    ("history", "since"),
    [
        ([("MERGE",), ("WRITE",), ("CREATE TABLE", ON)], [0, 1]),
        ([("OPTIMIZE",), ("UPDATE",), ("SET TBLPROPERTIES", ON), ("WRITE",), ("CREATE TABLE",)], [2, 3]),
        # what began before the history that is left is not known
        ([("DELETE",), ("WRITE",)], []),
        ([("WRITE",), ("SET TBLPROPERTIES", OFF), ("WRITE",), ("CREATE TABLE", ON)], []),
        ([("WRITE",), ("UNSET TBLPROPERTIES", UNSET), ("WRITE",), ("CREATE TABLE", ON)], []),
        ([("WRITE",), ("CREATE OR REPLACE TABLE AS SELECT",), ("WRITE",), ("CREATE TABLE", ON)], []),
        # other columns, or an older version put back
        ([("WRITE",), ("ADD COLUMNS",), ("WRITE",), ("CREATE TABLE", ON)], [2]),
        ([("WRITE",), ("RESTORE",), ("WRITE",), ("CREATE TABLE", ON)], []),
    ],
)
def test_a_feed_has_every_change_since_it_was_turned_on(history: list[tuple[str, ...]], since: list[int]) -> None:
    newest = len(history) - 1
    rows = [commit(newest - at, operation, "01", *given) for at, (operation, *given) in enumerate(history)]
    versions = MACROS.delta_versions(rows)
    between = {at: MACROS.snapshots_between(versions, at, newest) for at in range(newest)}
    assert [at for at in between if MACROS.has_feed_since(versions, at, between[at])] == since


@pytest.mark.parametrize(
    ("noted", "is_another"),
    [
        ("5 2024-03-01T10:00:00.250000", False),
        # a whole second of an object store, and another one for two commits in it
        ("5 2024-03-01T10:00:01", False),
        # the same moment in New York, in Kathmandu
        ("5 2024-03-01T05:00:00.250", False),
        ("5 2024-03-01T15:45:00.250", False),
        ("5 2024-03-01T09:59:52", True),
        # that of the night before
        ("5 2024-02-29T10:00:00.250", True),
        # what older versions of the package noted, and a version that is no longer there
        ("5", False),
        ("4 2024-03-01T09:00:00", False),
    ],
)
def test_a_version_of_a_table_that_was_made_anew_is_another_one(noted: str, is_another: bool) -> None:
    row = {"version": 5, "timestamp": "2024-03-01 10:00:00.25", "operation": "WRITE"}
    row |= {"operationMetrics": {}, "operationParameters": {}}
    assert MACROS.is_of_another_table(noted.split(" "), MACROS.delta_versions([row])) is is_another
    assert MACROS.noted_version(row) == "5 2024-03-01T10:00:00.25"
