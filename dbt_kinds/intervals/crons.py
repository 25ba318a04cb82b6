"""Crons, and the interval unit that follows from one, as in `macros/cron`."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from dbt_kinds.errors import UnreadableScheduleError
from dbt_kinds.intervals.units import Unit, read_unit, read_week_start

_ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@quarterly": "0 0 1 */3 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_WEEKDAYS = {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
_STEP = re.compile(r"0*[1-9][0-9]*")
_RANGE = re.compile(r"([^-]+)-([^-]+)")
_DAY = 24 * 60
# the first that fits the smallest gap, in minutes
_UNITS = (
    (365 * _DAY, "year"),
    (89 * _DAY, "quarter"),
    (28 * _DAY, "month"),
    (_DAY, "day"),
    (60, "hour"),
    (30, "half_hour"),
    (15, "quarter_hour"),
    (5, "five_minute"),
)


class Cron(NamedTuple):
    """The values of each field, with Sunday as 0. `nth_weekdays` are pairs of a weekday and its ordinal in the month,
    as in `mon#2`. A day field is open by its text alone: `*` and `*/1` are, `*/2` and `1-31` are not.
    """

    text: str
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]
    nth_weekdays: tuple[tuple[int, int], ...]
    days_open: bool
    weekdays_open: bool

    def is_on(self, day: date) -> bool:
        """Whether it ticks on a day."""
        weekday = day.isoweekday() % 7
        by_week = weekday in self.weekdays or (weekday, (day.day + 6) // 7) in self.nth_weekdays
        if day.month not in self.months:
            return False
        if self.days_open:
            return by_week
        return day.day in self.days or (by_week and not self.weekdays_open)


class _Field(NamedTuple):
    """What a field is called, its smallest and largest value, and the names of values."""

    name: str
    least: int
    greatest: int
    names: Mapping[str, int] = {}


_MINUTE, _HOUR, _DAY_OF_MONTH = _Field("minute", 0, 59), _Field("hour", 0, 23), _Field("day of month", 1, 31)
_MONTH, _DAY_OF_WEEK = _Field("month", 1, 12, _MONTHS), _Field("day of week", 0, 7, _WEEKDAYS)


def settings_unit(cron: object = None, interval_unit: object = None, week_start: object = None) -> Unit:
    """The unit of a model with these settings, each None if it is not set.

    Raises:
        UnreadableScheduleError: the package refuses one of them.
    """
    first = "monday" if week_start is None else read_week_start(week_start)
    schedule = read_cron("@daily" if cron is None else cron)
    return cron_unit(schedule, first) if interval_unit is None else read_unit(interval_unit, first)


def read_cron(written: object, name: str = "cron") -> Cron:
    """The fields of a cron.

    Args:
        name: what the message calls the setting.

    Raises:
        UnreadableScheduleError: it is not a cron.
    """
    text = str(written)
    try:
        return _parsed(text)
    except ValueError as error:
        raise UnreadableScheduleError(f"{name} '{text}' cannot be read: {error}") from None


def cron_unit(cron: Cron, week_start: str = "monday", name: str = "cron") -> Unit:
    """The first unit whose length fits between any two ticks, on a wall clock without clock changes.

    Raises:
        UnreadableScheduleError: it fires more often than every five minutes.
    """
    gap = smallest_gap(cron)
    if gap == 7 * _DAY and cron.days_open and len(cron.weekdays) == 1:
        return read_unit("week", week_start)
    for minutes, unit in _UNITS:
        if gap >= minutes:
            return read_unit(unit, week_start)
    raise UnreadableScheduleError(f"{name} '{cron.text}' fires more often than every five minutes")


def _parsed(text: str) -> Cron:
    fields = _ALIASES.get(text.strip().lower(), text).split()
    if len(fields) != 5:
        raise ValueError(f"it has {len(fields)} fields, a cron has 5")
    minutes, hours, days, months = (
        _values(written, field) for written, field in zip(fields, (_MINUTE, _HOUR, _DAY_OF_MONTH, _MONTH), strict=False)
    )
    items = fields[4].split(",")
    weekly, of_a_week = [item for item in items if "#" not in item], [item for item in items if "#" in item]
    cron = Cron(
        text,
        minutes,
        hours,
        days,
        months,
        _values(",".join(weekly), _DAY_OF_WEEK) if weekly else (),
        tuple(sorted({_nth_weekday(item) for item in of_a_week})),
        fields[2] in ("*", "*/1"),
        fields[4] in ("*", "*/1"),
    )
    if cron.weekdays_open and not any(day <= _longest(cron.months) for day in days):
        raise ValueError("it never fires")
    return cron


def _values(text: str, field: _Field) -> tuple[int, ...]:
    found: set[int] = set()
    for item in text.split(","):
        body, slash, step = item.partition("/")
        if slash and not _STEP.fullmatch(step):
            raise ValueError(f"step '{step}' is not a whole number of 1 or more")
        ends = _RANGE.fullmatch(body)
        if body == "*":
            first, last = field.least, field.greatest
        elif ends is None:
            first = _value(body, field)
            last = field.greatest if slash else first
        else:
            first, last = _value(ends[1], field), _value(ends[2], field)
            # in fri-sun the week ends on Sunday
            last = 7 if field is _DAY_OF_WEEK and first > last == 0 else last
            if first > last:
                raise ValueError(f"range '{body}' runs backwards")
        found |= set(range(first, last + 1, int(step or 1)))
    return tuple(sorted({value % 7 for value in found} if field is _DAY_OF_WEEK else found))


def _nth_weekday(item: str) -> tuple[int, int]:
    weekday, _, nth = item.partition("#")
    if nth not in ("1", "2", "3", "4", "5"):
        raise ValueError(f"'{item}' is none of the first five of a month, as in mon#2")
    return _value(weekday, _DAY_OF_WEEK) % 7, int(nth)


def _value(text: str, field: _Field) -> int:
    if text.lower() in field.names:
        return field.names[text.lower()]
    if not re.fullmatch("[0-9]+", text):
        raise ValueError(f"'{text}' is no {field.name}")
    if not field.least <= int(text) <= field.greatest:
        raise ValueError(f"{field.name} {text} is not between {field.least} and {field.greatest}")
    return int(text)


def _longest(months: Sequence[int]) -> int:
    """The days of the longest of some months."""
    return max({2: 29, 4: 30, 6: 30, 9: 30, 11: 30}.get(month, 31) for month in months)


@functools.lru_cache
def smallest_gap(cron: Cron) -> int:
    """The minutes between the closest ticks: within an hour, from hour to hour, and from one day to the next."""
    within_hour = cron.minutes[-1] - cron.minutes[0]
    within_day = (cron.hours[-1] - cron.hours[0]) * 60 + within_hour
    gaps = list(_steps(cron.minutes))
    gaps += [step * 60 - within_hour for step in _steps(cron.hours)]
    return min([*gaps, _smallest_step_of_days(cron) * _DAY - within_day])


def _smallest_step_of_days(cron: Cron) -> int:
    """Over all years. After 28 the dates fall on the same weekdays again, and centuries change only steps of years."""
    return min(_steps([day.toordinal() for day in _days_of_28_years() if cron.is_on(day)]), default=366)


@functools.cache
def _days_of_28_years() -> tuple[date, ...]:
    return tuple(date.fromordinal(day) for day in range(date(2000, 1, 1).toordinal(), date(2029, 1, 1).toordinal()))


def _steps(numbers: Sequence[int]) -> Iterator[int]:
    return (later - earlier for earlier, later in pairwise(numbers))
