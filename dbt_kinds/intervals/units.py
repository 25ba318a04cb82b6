"""Interval units: grids of instants, as in `macros/intervals/interval_unit.sql`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from dbt_kinds.errors import UnreadableScheduleError

SUNDAY = "(sunday)"

NAMED_UNITS = ("year", "quarter", "month", "week", "day", "hour", "half_hour", "quarter_hour", "five_minute")

_MINUTES = {"half_hour": 30, "quarter_hour": 15, "five_minute": 5}
_NAMES_OF_MINUTES = {count: name for name, count in _MINUTES.items()}
_WRITTEN = re.compile(r"(?:(\d+) +)?(year|quarter|month|week|day|hour|minute)s?")
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_SECONDS = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60}
# 1970-01-01 was a Thursday
_FIRST_WEEK = {"monday": 4 * 86400, "sunday": 3 * 86400}


class Unit(NamedTuple):
    """Boundaries lie every `months` months, or every `seconds` seconds, counted from `origin` (seconds since
    1970-01-01). `name` is the canonical one: `day`, `6 hours`, `week(sunday)`.
    """

    name: str
    months: int
    seconds: int
    origin: int = 0


def later(instant: datetime, unit: Unit, count: int) -> datetime:
    """The boundary `count` units after one."""
    if not unit.months:
        return instant + timedelta(seconds=unit.seconds * count)
    year, month = divmod(instant.year * 12 + instant.month - 1 + unit.months * count, 12)
    return instant.replace(year=year, month=month + 1)


def read_week_start(written: object) -> str:
    """The setting `week_start`.

    Raises:
        UnreadableScheduleError: it is neither monday nor sunday.
    """
    week_start = str(written).lower()
    if week_start not in _FIRST_WEEK:
        raise UnreadableScheduleError(f"week_start '{written}' is neither monday nor sunday")
    return week_start


def read_unit(written: object, week_start: str = "monday") -> Unit:
    """The setting `interval_unit`, such as `day`, `half_hour` or `6 hours`.

    Raises:
        UnreadableScheduleError: it is not a unit.
    """
    text = str(written).strip().lower()
    found = _WRITTEN.fullmatch(f"{_MINUTES[text]} minute" if text in _MINUTES else text)
    count = int(found[1] or 1) if found else 0
    if found is None or count < 1 or (found[2] == "minute" and (found[1] is None or count % 5)):
        raise UnreadableScheduleError(
            f"interval_unit '{written}' is not a unit; write year, quarter, month, week, day, hour, half_hour, "
            "quarter_hour, five_minute or a count such as '6 hours' (minutes in steps of five)"
        )
    base = found[2]
    name = base if count == 1 else f"{count} {base}s"
    if base == "minute":
        name = _NAMES_OF_MINUTES.get(count, name)
    is_week = base == "week"
    return Unit(
        name + SUNDAY if is_week and week_start == "sunday" else name,
        _MONTHS.get(base, 0) * count,
        _SECONDS.get(base, 0) * count,
        _FIRST_WEEK[week_start] if is_week else 0,
    )
