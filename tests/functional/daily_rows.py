"""A source that changes by days, and what a table over it should hold."""

from __future__ import annotations

from datetime import date, timedelta

FIRST_DAY = date(2024, 1, 1)
ROWS_A_DAY = 4

Rows = list[tuple[int, int]]


class DailyRows:
    """Four rows for each day from 2024-01-01 on, (id, ts, version); a version for each day, 0 for a day without rows."""

    def __init__(self, days: int) -> None:
        self.versions = [1] * days

    def copy(self) -> DailyRows:
        """The same, to be compared with what becomes of this."""
        other = DailyRows(0)
        other.versions = list(self.versions)
        return other

    def change(self, days: range) -> None:
        """Gives days new rows, of a version that none had before."""
        newest = max(self.versions) + 1
        for day in days:
            self.versions[day] = newest

    def take(self, other: DailyRows, days: set[int]) -> None:
        """Gives days the rows that they have in another source."""
        for day in days:
            self.versions[day] = other.versions[day]

    def empty(self, day: int) -> None:
        """Takes a day's rows away."""
        self.versions[day] = 0

    def view(self, name: str) -> str:
        """The statement that makes a view of it, as it is now."""
        versions = ", ".join(str(version) for version in self.versions)
        return (
            f"create or replace view {name} as select cast(day * {ROWS_A_DAY} + number as int) as id, version, "
            "timestamp '2024-01-01 00:00:00+00:00' + make_interval(0, 0, 0, day, number * 6) as ts "
            f"from (select posexplode(array({versions})) as (day, version)) cross join range({ROWS_A_DAY}) as n(number) "
            "where version > 0"
        )

    def rows(self, days: int) -> Rows:
        """The rows (id, version) of the first so many days."""
        return [row for day in range(days) for row in self.rows_of(day)]

    def rows_of(self, day: int) -> Rows:
        """The rows (id, version) of one day."""
        version = self.versions[day]
        return [(day * ROWS_A_DAY + number, version) for number in range(ROWS_A_DAY)] if version else []


def midnight(day: int) -> str:
    """The date so many days after the first one."""
    return (FIRST_DAY + timedelta(days=day)).isoformat()


def days_of(intervals: set[tuple[str, str, str]]) -> set[int]:
    """The days in intervals, counted from the first one."""
    return {
        day
        for _, start, end in intervals
        for day in range(
            (date.fromisoformat(start[:10]) - FIRST_DAY).days, (date.fromisoformat(end[:10]) - FIRST_DAY).days
        )
    }
