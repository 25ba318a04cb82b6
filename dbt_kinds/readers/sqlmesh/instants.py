"""Starts, ends and crons of models: SQLMesh accepts many spellings, a dbt project one."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

from dbt_kinds.intervals.crons import read_cron

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?")
_MILLISECONDS = re.compile(r"\d{9,14}")
_RELATIVE = re.compile(
    r"\b(ago|yesterday|today|now|tomorrow|last|previous|in|midnight|second|minute|hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_CRON_ALIASES = {"@midnight": "@daily", "@annually": "@yearly"}


class NoInstant(ValueError):  # noqa: N818 - becomes an error with its place
    """A string that is not an instant."""


class MovingInstant(ValueError):  # noqa: N818 - becomes a note with its place
    """A string that means a different instant every day."""


def instant(text: str) -> str:
    """An instant as ISO text: `20240101` and epoch milliseconds are read, too.

    Raises:
        MovingInstant: it is relative to today.
        NoInstant: it is not an instant.
    """
    text = text.strip()
    if re.fullmatch(r"\d{8}", text):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    elif _MILLISECONDS.fullmatch(text):
        moment = datetime.fromtimestamp(int(text) / 1000, tz=timezone.utc)
        return moment.date().isoformat() if _is_midnight(moment) else moment.strftime("%Y-%m-%dT%H:%M:%S")
    if _DATE.fullmatch(text) or _DATE_TIME.fullmatch(text):
        try:
            datetime.fromisoformat(_as_python(text))
        except ValueError as error:
            raise NoInstant(text) from error
        return text
    if re.fullmatch(r"\d{4}/\d{1,2}/\d{1,2}", text):
        year, month, day = (int(part) for part in text.split("/"))
        return _checked_date(year, month, day)
    if _RELATIVE.search(text):
        raise MovingInstant(text)
    raise NoInstant(text)


def exclusive_end(text: str) -> str:
    """An inclusive end date as the exclusive instant after it; datetimes are already exclusive.

    Raises:
        MovingInstant, NoInstant: as for `instant`.
    """
    end = instant(text)
    if not _DATE.fullmatch(end) or _MILLISECONDS.fullmatch(text.strip()):
        return end
    try:
        return (date.fromisoformat(end) + timedelta(days=1)).isoformat()
    except OverflowError as error:
        raise NoInstant(text) from error


def cron(text: str, name: str) -> str:
    """A cron in one spelling: some aliases mean the same.

    Raises:
        UnreadableScheduleError: the package would refuse it.
    """
    text = text.strip()
    read_cron(text, name)
    alias = text.lower()
    return _CRON_ALIASES.get(alias, alias) if alias.startswith("@") else text


def _is_midnight(moment: datetime) -> bool:
    return (moment.hour, moment.minute, moment.second) == (0, 0, 0)


def _checked_date(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError as error:
        raise NoInstant(f"{year}/{month}/{day}") from error


def _as_python(text: str) -> str:
    """Python 3.10 parses neither `Z` nor an offset without a colon."""
    text = text.replace("Z", "+00:00")
    found = re.fullmatch(r"(.*[+-]\d{2})(\d{2})", text)
    fraction = re.fullmatch(r"(.*\.)(\d{1,6})(.*)", text)
    if fraction:
        text = f"{fraction[1]}{fraction[2]:0<6}{fraction[3]}"
    return f"{found[1]}:{found[2]}" if found and ":" in text else text
