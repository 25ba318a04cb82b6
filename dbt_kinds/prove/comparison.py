"""Compares the two tables at the end of a history, and says whether a difference is one that a note tells of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import duckdb

from dbt_kinds.prove.verdict import Table

# notes that say where the kind's table is more complete than the old one was
TELLING = frozenset(
    {
        *("LateRows", "AppendedOnce", "SlidingStart", "WindowForVariables", "NewestOfWindow", "MissedRuns"),
        *("LoadedSooner", "ReadWhole", "EmptiedRange"),
        # a merge kept two rows of a key of its first load
        "KeptAsTest",
    }
)
# notes that say where a run of the kind stops
STOPPING = ("KeyIsChecked", "ReplacedTogether")

Rows = Counter[tuple[Any, ...]]


@dataclass(frozen=True)
class Comparison:
    """The rows of both tables, and those that a first load would have returned at the end.

    Attributes:
        times: which columns are dates or timestamps.
    """

    columns: tuple[str, ...]
    old: Rows
    new: Rows
    whole: Rows
    times: tuple[int, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether both have the same rows, or the old one never got any.

        Nothing is greater than the newest value of an empty table: after a first run without rows it stays empty.
        """
        return self.old == self.new or (not self.old and self.is_complete)

    @property
    def is_complete(self) -> bool:
        """Whether the kind's table has what a first load would return, which the old one has not."""
        return self.new == self.whole

    @property
    def lacks_rows_without_time(self) -> bool:
        """Whether the kind's table only lacks rows in which a time is NULL."""
        lacking = (self.old - self.new).elements()
        return not self.new - self.old and all(any(row[at] is None for at in self.times) for row in lacking)

    def is_told(self, notes: Collection[str]) -> frozenset[str]:
        """The notes, of some, that tell of the difference; empty if none does."""
        if self.is_complete:
            return frozenset(notes) & TELLING
        return frozenset({"FirstLoad"} & set(notes)) if self.lacks_rows_without_time else frozenset()

    def tables(self) -> list[Table]:
        """The rows that only one has."""
        found = []
        for title, one, other in (("only before", self.old, self.new), ("only now", self.new, self.old)):
            rows = sorted((one - other).elements(), key=str)
            found.append(
                Table(
                    title,
                    self.columns,
                    tuple(tuple("NULL" if value is None else value for value in row) for row in rows),
                )
            )
        return [table for table in found if table.rows]


def rows_of(connection: duckdb.DuckDBPyConnection, table: str, columns: Iterable[str]) -> Rows:
    """The rows of a table as texts."""
    listed = ", ".join(f'cast("{name}" as varchar)' for name in columns)
    return Counter(connection.execute(f"select {listed} from {table}").fetchall())


def columns_of(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    """The types of a table's columns, by their names."""
    return {row[0]: row[1] for row in connection.execute(f"describe {table}").fetchall()}
