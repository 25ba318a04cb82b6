"""How far a filter shifts its bound back, and how many intervals that is, rounded up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbt_kinds.intervals.units import NAMED_UNITS, read_unit

_DAY = 86400
# from fine to coarse: what SQL truncates to, and what intervals consist of
UNITS = ("minute", *reversed(NAMED_UNITS))
# longer than a day
LONG_UNITS = frozenset({"week", "month", "quarter", "year"})
_SECONDS = {"second": 1, "minute": 60} | {
    name: seconds for name, _, seconds, _ in map(read_unit, NAMED_UNITS) if seconds
}
_MONTHS = {name: months for name, months, _, _ in map(read_unit, NAMED_UNITS) if months}
_SHORT = {
    "s": "second",
    "sec": "second",
    "mi": "minute",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "hh": "hour",
    "d": "day",
    "dd": "day",
    "w": "week",
    "wk": "week",
    "mm": "month",
    "mon": "month",
    "q": "quarter",
    "qtr": "quarter",
    "y": "year",
    "yy": "year",
    "yyyy": "year",
    "isoweek": "week",
}


@dataclass(frozen=True)
class Duration:
    """A length of time; months have no fixed length."""

    months: int = 0
    seconds: int = 0

    def __add__(self, other: Duration) -> Duration:
        """The sum."""
        return Duration(self.months + other.months, self.seconds + other.seconds)

    @property
    def is_zero(self) -> bool:
        """Whether it is empty."""
        return not self.months and not self.seconds

    @property
    def longest(self) -> int:
        """The maximum length in seconds."""
        years, months = divmod(self.months, 12)
        return self.seconds + (366 * years + 31 * months) * _DAY


NOTHING = Duration()


def unit_name(written: str) -> str | None:
    """The name of a unit in any SQL spelling: DAYS, 'MM', weeks; None for anything else."""
    name = written.strip().strip("'\"").lower().split("(")[0]
    name = _SHORT.get(name, name)
    name = name.removesuffix("s") if name not in _SECONDS and name not in _MONTHS else name
    return name if name in _SECONDS or name in _MONTHS else None


def duration(count: float, unit: str) -> Duration | None:
    """A number of units, such as 2 of week."""
    name = unit_name(unit)
    if name is None:
        return None
    if name in _MONTHS:
        months = count * _MONTHS[name]
        return Duration(months=int(months)) if months == int(months) else None
    return Duration(seconds=int(count * _SECONDS[name]))


def coarser(first: str | None, second: str | None) -> str | None:
    """The coarser one of two units."""
    ranked = [unit for unit in (first, second) if unit in UNITS]
    return max(ranked, key=UNITS.index) if ranked else first or second


def finest(units: Iterable[str | None]) -> str | None:
    """The finest of some units; None if one of them is finer than all that are known."""
    ranked = list(units)
    return None if any(unit not in UNITS for unit in ranked) else min(ranked, key=UNITS.index)


def holds_whole(unit: str, inner: str) -> bool:
    """Whether each interval of a unit consists of whole ones of another: no month consists of whole weeks."""
    return unit == inner or (inner != "week" and UNITS.index(inner) < UNITS.index(unit))


def whole_intervals(shift: Duration, unit: str) -> int:
    """How many whole units a shift is at least."""
    if unit in _MONTHS:
        return (shift.months + shift.seconds // (31 * _DAY)) // _MONTHS[unit]
    # no month has fewer than 28 days
    return (shift.seconds + 28 * shift.months * _DAY) // _SECONDS[unit]


def intervals_back(shift: Duration, unit: str, truncated: str | None) -> int:
    """How many whole units a shift is, rounded up; a truncation to a coarser unit reaches further back."""
    if truncated in UNITS and UNITS.index(truncated) > UNITS.index(unit):
        shift = shift + (duration(1, truncated) or Duration())
        less = duration(1, unit) or Duration()
        shift = Duration(shift.months - less.months, shift.seconds - less.seconds)
    if shift.longest <= 0:
        return 0
    if unit in _MONTHS:
        whole, rest = divmod(shift.months, _MONTHS[unit])
        # no month has fewer than 28 days
        days = -(-shift.seconds // (28 * _MONTHS[unit] * _DAY))
        return whole + max(rest > 0, 0) + days
    return -(-shift.longest // _SECONDS[unit])
