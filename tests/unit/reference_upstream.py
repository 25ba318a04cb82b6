"""What a unit reads of an upstream model, and whether that is newer, for the second planner (`reference.py`)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.unit.reference_loads import Load, pieces_of
from tests.unit.reference_units import DAY, HOUR, MINUTE, Interval, Unit, first_boundary_from, last_boundary

EXACT = {"W": 7 * DAY, "D": DAY, "H": HOUR, "M": MINUTE, "S": timedelta(seconds=1)}


@dataclass(frozen=True)
class Margin:
    """One `window_of` of a model's query: how far its read reaches beyond the window, and the grain of the source."""

    before: str = "PT0S"
    after: str = "PT0S"
    unit: str = "day"
    week_start: str = "monday"


@dataclass(frozen=True)
class Parent:
    name: str
    loads: tuple[Load, ...]
    margins: tuple[Margin, ...] = ()


def parents_behind_which(a_unit: Interval, loads: Sequence[Load], parents: Sequence[Parent]) -> list[str]:
    """The upstream models that loaded something a unit reads after it, or the part that reads it, was computed."""
    names = set()
    for parent in parents:
        for piece, ours in pieces_of(loads, a_unit):
            for start, end in reads(piece, parent):
                for theirs in parent.loads:
                    is_read = theirs.start < end and start < theirs.end
                    if is_read and theirs.recorded_at > ours.began_at:
                        names.add(parent.name)
    return sorted(names)


def reads(piece: Interval, parent: Parent) -> list[Interval]:
    """The ranges of an upstream model that a unit, or a part of it, is computed from."""
    return [widened(piece, margin) for margin in parent.margins] or [piece]


def widened(piece: Interval, margin: Margin) -> Interval:
    """A day more where months end early, three where a month and something else do not commute."""
    (months_before, exact_before), (months_after, exact_after) = duration(margin.before), duration(margin.after)
    start = in_months(piece[0], -months_before) - exact_before
    end = in_months(piece[1], months_after) + exact_after
    if months_before and exact_before:
        start -= 3 * DAY
    if months_after:
        end += 3 * DAY if exact_after else DAY
    if margin.unit == "none":
        return start, end
    unit = Unit.read(margin.unit, margin.week_start)
    return last_boundary(start, unit), first_boundary_from(end, unit)


def duration(text: str) -> tuple[int, timedelta]:
    """Months and the exact part of an ISO-8601 duration."""
    months, exact, number, is_time = 0, timedelta(0), "", False
    for letter in text.removeprefix("P"):
        if letter.isdigit():
            number += letter
        elif letter == "T":
            is_time = True
        elif letter in "YM" and not is_time:
            months, number = months + int(number) * (12 if letter == "Y" else 1), ""
        else:
            exact, number = exact + int(number) * EXACT[letter], ""
    return months, exact


def in_months(at: datetime, months: int) -> datetime:
    """The same day so many months on, or the last one of a month that is too short for it."""
    first = at.replace(day=1)
    for _ in range(abs(months)):
        first = (first + 31 * DAY if months > 0 else first - DAY).replace(day=1)
    days = itertools.takewhile(lambda day: day.month == first.month, (first + number * DAY for number in range(at.day)))
    return list(days)[-1]
