"""Units of time that values are truncated to and windows consist of, and which of them nest."""

from __future__ import annotations

import functools
from typing import NamedTuple

from dbt_kinds.analysis.margins import DAY, HOUR, MINUTE, SECOND, Margin
from dbt_kinds.intervals.units import SUNDAY, read_unit

GRANULARITIES = ("hour", "day", "week", "month", "quarter", "year")

# the units of SQL
LENGTHS = {
    "microsecond": Margin(0, 1),
    "millisecond": Margin(0, 1000),
    "second": Margin(0, SECOND),
    "minute": Margin(0, MINUTE),
    "hour": Margin(0, HOUR),
    "day": Margin(0, DAY),
    "week": Margin(0, 7 * DAY),
    "month": Margin(1),
    "quarter": Margin(3),
    "year": Margin(12),
}

# the units of Spark's date_trunc and trunc
TRUNCATIONS = {
    **{unit: unit for unit in LENGTHS},
    **dict.fromkeys(("yyyy", "yy"), "year"),
    **dict.fromkeys(("mon", "mm"), "month"),
    "dd": "day",
}
_SHORTER_THAN_INTERVALS = ("microsecond", "millisecond", "second", "minute")


class _Grid(NamedTuple):
    """Boundaries, `length` apart, counted from `origin` microseconds since 1970-01-01."""

    length: Margin
    origin: int = 0

    @property
    def holds_midnights(self) -> bool:
        """Whether every midnight is a boundary."""
        return not self.length.months and self.origin == 0 and DAY % self.length.micros == 0


@functools.lru_cache
def _grid(unit: str) -> _Grid:
    if unit in _SHORTER_THAN_INTERVALS:
        return _Grid(LENGTHS[unit])
    read = read_unit(unit.removesuffix(SUNDAY), "sunday" if unit.endswith(SUNDAY) else "monday")
    return _Grid(Margin(read.months, read.seconds * SECOND), read.origin * SECOND)


def granularity_unit(granularity: str, week_start: str) -> str:
    """The unit of a granularity; weeks that begin on Sunday are a unit of their own."""
    return read_unit(granularity, week_start).name


def length_of(unit: str) -> Margin:
    """From one boundary of a unit to the next."""
    return _grid(unit).length


def nests(fine: str, coarse: str) -> bool:
    """Whether every boundary of the coarse unit is also a boundary of the fine unit."""
    inner, outer = _grid(fine), _grid(coarse)
    if inner.length.months:
        return outer.length.months > 0 and outer.length.months % inner.length.months == 0
    if outer.length.months:
        return inner.holds_midnights
    each = inner.length.micros
    return outer.length.micros % each == 0 and (outer.origin - inner.origin) % each == 0


def is_finer(fine: str, coarse: str) -> bool:
    """Whether one unit is shorter than another."""
    return length_order(fine) < length_order(coarse)


def length_order(unit: str) -> int:
    """A sort key that is larger for longer units."""
    length = length_of(unit)
    return length.months * 31 * DAY + length.micros


def typical_length(unit: str) -> int:
    """The microseconds of a unit, with calendar months of whole days: 30, 91 for a quarter, 365 for a year."""
    length = length_of(unit)
    return length.months * 365 // 12 * DAY + length.micros


def is_multiple(length: Margin, unit: str) -> bool:
    """Whether a shift by this length always leads from one boundary of the unit to another."""
    of = _grid(unit)
    if of.length.months:
        return length.micros == 0 and length.months % of.length.months == 0
    if length.months and not of.holds_midnights:
        return False
    return length.micros % of.length.micros == 0


def rounded_up(length: Margin, unit: str) -> Margin:
    """The length from a boundary of the unit, rounded up to end on one."""
    if is_multiple(length, unit):
        return length
    of = _grid(unit)
    if of.length.months:
        each = of.length.months
        whole = -(-length.months // each) * each
        return Margin(whole + (each if length.micros > 0 else 0), max(length.micros, 0))
    if length.months and not of.holds_midnights:
        return length.plus(of.length)
    return Margin(length.months, -(-length.micros // of.length.micros) * of.length.micros)
