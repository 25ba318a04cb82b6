"""How far a query reads beyond its window: calendar months plus an exact part, written as ISO-8601."""

from __future__ import annotations

from typing import NamedTuple

from dbt_kinds.intervals.durations import read_duration

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86400 * SECOND


class Margin(NamedTuple):
    """A length of time; months and microseconds do not convert into each other, and either may be negative."""

    months: int = 0
    micros: int = 0

    def plus(self, other: Margin) -> Margin:
        """The sum of both."""
        return Margin(self.months + other.months, self.micros + other.micros)

    def negated(self) -> Margin:
        """The negative of it."""
        return Margin(-self.months, -self.micros)

    def clipped(self) -> Margin:
        """The same with negative parts set to zero: a side that ends before the row counts as zero."""
        return Margin(max(self.months, 0), max(self.micros, 0))

    def largest(self, other: Margin) -> Margin:
        """The maximum of each part."""
        return Margin(max(self.months, other.months), max(self.micros, other.micros))

    @property
    def days(self) -> int:
        """The length in days, rounded up, with a month counted as 31."""
        return self.months * 31 - (-self.micros // DAY)

    @property
    def iso(self) -> str:
        """ISO-8601 in the largest units, such as PT30M, P1DT12H, P1Y2M; PT0S for nothing."""
        years, months = divmod(self.months, 12)
        days, rest = divmod(self.micros, DAY)
        hours, rest = divmod(rest, HOUR)
        minutes, rest = divmod(rest, MINUTE)
        date = "".join(f"{count}{letter}" for count, letter in ((years, "Y"), (months, "M"), (days, "D")) if count)
        # fractions of a second are rounded up: the package reads whole ones, and a margin may be too wide
        seconds = -(-rest // SECOND)
        time = "".join(f"{count}{letter}" for count, letter in ((hours, "H"), (minutes, "M"), (seconds, "S")) if count)
        if not date and not time:
            return "PT0S"
        return f"P{date}" + (f"T{time}" if time else "")


NOTHING = Margin()


def read_iso(text: str) -> Margin | None:
    """The length of an ISO-8601 duration such as P1DT12H; None if it is not one."""
    found = read_duration(text)
    return Margin(found[0], found[1] * SECOND) if found is not None else None
