"""Units for the second planner (`reference.py`): pairs of datetimes found by walking the calendar, never numbers."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import pairwise

Interval = tuple[datetime, datetime]

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
UNIX_EPOCH = datetime(1970, 1, 1)
FIRST_WEEK = {"monday": datetime(1970, 1, 5), "sunday": datetime(1970, 1, 4)}
WEEKDAYS = {"monday": 0, "sunday": 6}
IN_MINUTES = {"half_hour": 30, "quarter_hour": 15, "five_minute": 5}


@dataclass(frozen=True)
class Unit:
    """Every `count`-th boundary of `base`: year, quarter, month, week, day, hour or minute."""

    base: str
    count: int = 1
    week_start: str = "monday"

    @classmethod
    def read(cls, text: str, week_start: str = "monday") -> Unit:
        if text in IN_MINUTES:
            return cls("minute", IN_MINUTES[text])
        count, _, base = text.rpartition(" ")
        return cls(base.removesuffix("s"), int(count or 1), week_start if base.startswith("week") else "monday")

    @property
    def name(self) -> str:
        for name, minutes in IN_MINUTES.items():
            if (self.base, self.count) == ("minute", minutes):
                return name
        week_start = "(sunday)" if self.week_start == "sunday" else ""
        return (self.base if self.count == 1 else f"{self.count} {self.base}s") + week_start

    @property
    def tick(self) -> timedelta:
        """The length of step that cannot jump over a boundary."""
        return {"hour": HOUR, "minute": 5 * MINUTE}.get(self.base, DAY)


def is_boundary(at: datetime, unit: Unit) -> bool:
    years, midnight = at.year - 1970, at.time() == time.min
    if unit.base == "year":
        return midnight and (at.month, at.day) == (1, 1) and years % unit.count == 0
    if unit.base == "quarter":
        quarter = [1, 4, 7, 10].index(at.month) if at.month in (1, 4, 7, 10) else None
        return midnight and at.day == 1 and quarter is not None and (years * 4 + quarter) % unit.count == 0
    if unit.base == "month":
        return midnight and at.day == 1 and (years * 12 + at.month - 1) % unit.count == 0
    if unit.base == "week":
        weeks_since = (at - FIRST_WEEK[unit.week_start]) // (7 * DAY)
        return midnight and at.weekday() == WEEKDAYS[unit.week_start] and weeks_since % unit.count == 0
    length = {"day": DAY, "hour": HOUR, "minute": MINUTE}[unit.base] * unit.count
    return (at - UNIX_EPOCH) % length == timedelta(0)


def tick_at_or_before(at: datetime, unit: Unit) -> datetime:
    midnight = datetime.combine(at, time.min)
    return midnight + (at - midnight) // unit.tick * unit.tick


@functools.cache
def last_boundary(at: datetime, unit: Unit) -> datetime:
    """The last boundary that is not after an instant."""
    at = tick_at_or_before(at, unit)
    while not is_boundary(at, unit):
        at -= unit.tick
    return at


@functools.cache
def next_boundary(at: datetime, unit: Unit) -> datetime:
    """The first boundary after an instant."""
    at = tick_at_or_before(at, unit) + unit.tick
    while not is_boundary(at, unit):
        at += unit.tick
    return at


def first_boundary_from(at: datetime, unit: Unit) -> datetime:
    """The first boundary that is not before an instant."""
    return at if is_boundary(at, unit) else next_boundary(at, unit)


def boundaries(start: datetime, unit: Unit) -> Iterator[datetime]:
    """The boundaries from an instant on, without end."""
    at = first_boundary_from(start, unit)
    while True:
        yield at
        at = next_boundary(at, unit)


def units_between(start: datetime, end: datetime, unit: Unit) -> list[Interval]:
    """The units from a boundary up to an instant, the last one cut short by it."""
    units = []
    for lower, upper in pairwise(boundaries(start, unit)):
        if lower >= end:
            break
        units.append((lower, min(upper, end)))
    return units


def contiguous(pieces: Sequence[Interval], at_most: int | None = None) -> list[Interval]:
    """Neighbours made one, at most so many of them."""
    runs: list[list[Interval]] = []
    for piece in pieces:
        if runs and runs[-1][-1][1] == piece[0] and (at_most is None or len(runs[-1]) < at_most):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [(run[0][0], run[-1][1]) for run in runs]


def written(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S")
