"""Crons read a second time, from the specification's text alone.

Slow and simple on purpose: a field is asked value by value, the last tick is found by walking back over the days of the
wall clock and all their times, the smallest gap by walking over every day there is. Only for crons without an error.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from itertools import pairwise, product
from zoneinfo import ZoneInfo

import pytz

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
FURTHEST = timedelta(hours=15)  # no wall clock is further from UTC, and none was since 1973
ALIASES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@quarterly": "0 0 1 1,4,7,10 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]


@dataclass(frozen=True)
class Field:
    """One of the five: its text, its smallest and largest value, and what its values are called."""

    text: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.text in ("*", "*/1")

    def number(self, text: str) -> int:
        return self.names.index(text) if text in self.names else int(text)

    def has(self, value: int) -> bool:
        return any(self._in_item(item, value) for item in self.text.split(","))

    def _in_item(self, item: str, value: int) -> bool:
        if "#" in item:
            return False
        body, _, step = item.partition("/")
        if body == "*":
            first, last = self.low, self.high
        elif "-" in body:
            first, last = (self.number(end) for end in body.split("-"))
        else:
            first = self.number(body)
            last = self.high if step else first
        if self.names == tuple(WEEKDAYS) and first > last == 0:
            last = 7
        return first <= value <= last and (value - first) % int(step or 1) == 0


class Cron:
    def __init__(self, expression: str) -> None:
        texts = ALIASES.get(expression.strip().lower(), expression).lower().split()
        self.minute = Field(texts[0], 0, 59)
        self.hour = Field(texts[1], 0, 23)
        self.day_of_month = Field(texts[2], 1, 31)
        self.month = Field(texts[3], 1, 12, tuple(MONTHS))
        self.day_of_week = Field(texts[4], 0, 7, tuple(WEEKDAYS))
        # what the fields say of every value there is, asked once
        self._months = {month for month in range(1, 13) if self.month.has(month)}
        self._days_of_month = {day for day in range(1, 32) if self.day_of_month.has(day)}
        nth = [item.split("#") for item in texts[4].split(",") if "#" in item]
        self.nth_days_of_week = {(self.day_of_week.number(day) % 7, int(which)) for day, which in nth}
        self._days_of_week = {day % 7 for day in range(8) if self.day_of_week.has(day)}
        minutes = [minute for minute in range(60) if self.minute.has(minute)]
        self.times = [time(hour, minute) for hour in range(24) if self.hour.has(hour) for minute in minutes]

    def is_on(self, month: int, day_of_month: int, day_of_week: int) -> bool:
        """Whether the three fields of days name a day; Sunday is 0."""
        if month not in self._months:
            return False
        by_month, by_week = day_of_month in self._days_of_month, day_of_week in self._days_of_week
        # days 1 to 7 are the first of their weekday, 8 to 14 the second
        by_week = by_week or (day_of_week, 1 + (day_of_month - 1) // 7) in self.nth_days_of_week
        if self.day_of_month.is_open:
            return by_week
        if self.day_of_week.is_open:
            return by_month
        return by_month or by_week


@functools.lru_cache(maxsize=256)
def cron_of(expression: str) -> Cron:
    return Cron(expression)


@functools.cache
def clock_of(zone: str) -> ZoneInfo:
    """The files of pytz, so that both sides of a comparison hold the same clock changes."""
    with pytz.open_resource(zone) as file:  # type: ignore[attr-defined]  # types-pytz lacks it
        return ZoneInfo.from_file(file, zone)


@functools.lru_cache(maxsize=1_000_000)
def ticks_of_wall_time(wall: datetime, zone: str) -> list[datetime]:
    """The instants, in UTC, for one time on the wall: one, two of a time that happens twice, one of a skipped time."""
    clock = clock_of(zone)
    first, second = (
        wall.replace(tzinfo=clock, fold=fold).astimezone(timezone.utc).replace(tzinfo=None) for fold in (0, 1)
    )
    happens = first.replace(tzinfo=timezone.utc).astimezone(clock).replace(tzinfo=None, fold=0) == wall
    # of a skipped time, fold=0 takes the offset before the change (PEP 495)
    return sorted({first, second}) if happens else [first]


def wall_times_before(cron: Cron, wall: datetime) -> Iterator[datetime]:
    """The times a cron names up to one on the wall, backwards without end."""
    day = wall.date()
    while True:
        if cron.is_on(day.month, day.day, day.isoweekday() % 7):
            times = (datetime.combine(day, at) for at in reversed(cron.times))
            yield from (at for at in times if at <= wall)
        day -= DAY


def last_tick(expression: str, zone: str, instant: datetime) -> datetime:
    """The last tick that is not after an instant, both in UTC without a zone."""
    found = datetime.min
    for wall in wall_times_before(cron_of(expression), instant + FURTHEST):
        if found > wall + FURTHEST:
            break
        found = max([found, *(tick for tick in ticks_of_wall_time(wall, zone) if tick <= instant)])
    return found


@functools.cache
def all_days() -> list[tuple[int, tuple[int, int, int]]]:
    """Every day of 409 years: the calendar repeats itself after 400, and 29 February is at most 8 years away."""
    days = (date.fromordinal(number) for number in range(date(1795, 1, 1).toordinal(), date(2204, 1, 1).toordinal()))
    return [(day.toordinal(), (day.month, day.day, day.isoweekday() % 7)) for day in days]


@functools.lru_cache(maxsize=4096)
def _steps_between_days(day_of_month: str, month: str, day_of_week: str) -> frozenset[int]:
    cron = cron_of(f"0 0 {day_of_month} {month} {day_of_week}")
    kinds_of_day = {day for day in product(range(1, 13), range(1, 32), range(7)) if cron.is_on(*day)}
    on = [number for number, day in all_days() if day in kinds_of_day]
    return frozenset(later - earlier for earlier, later in pairwise(on))


def smallest_gap(expression: str) -> timedelta:
    """Between neighbouring ticks, on a wall clock without changes, over all years."""
    cron = cron_of(expression)
    gaps = []
    for step in _steps_between_days(cron.day_of_month.text, cron.month.text, cron.day_of_week.text):
        a_day = date(2000, 1, 1)
        ticks = [datetime.combine(day, at) for day in (a_day, a_day + step * DAY) for at in cron.times]
        gaps += [later - earlier for earlier, later in pairwise(ticks)]
    return min(gaps)


def cron_unit(expression: str) -> str:
    """The unit that follows from a cron; empty when it fires more often than every five minutes."""
    cron, gap = cron_of(expression), smallest_gap(expression)
    weekdays = {day % 7 for day in range(8) if cron.day_of_week.has(day)}
    if gap >= 365 * DAY:
        return "year"
    if gap >= 89 * DAY:
        return "quarter"
    if gap >= 28 * DAY:
        return "month"
    if gap == 7 * DAY and cron.day_of_month.is_open and len(weekdays) == 1:
        return "week"
    if gap >= DAY:
        return "day"
    for minutes, name in [(60, "hour"), (30, "half_hour"), (15, "quarter_hour"), (5, "five_minute")]:
        if gap >= minutes * MINUTE:
            return name
    return ""
