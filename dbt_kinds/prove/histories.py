"""Random histories of a model's sources and runs, and smaller ones of a history."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

_DAY = 1440
# the Friday before clocks change in America and in Europe, in spring and in autumn
_FIRSTS = ((3, 8), (3, 29), (10, 25), (11, 1))
_STEPS = {"hour": 60}
# how many steps events happen in, by the unit of a model's intervals
_SPANS = {"hour": 12, "day": 6, "week": 24, "month": 66, "quarter": 66, "year": 66}


def is_doubled(variant: int) -> bool:
    """Whether an event of a variant has two rows of an input that may have them."""
    return variant % 6 == 5


def is_fitting(variant: int) -> bool:
    """Whether an event of a variant has the values that the query's filters ask for."""
    return variant % 4 != 3


@dataclass(frozen=True)
class Event:
    """Something that happened, of which each input has a row; times are minutes since the first day.

    Attributes:
        entity: who it is about: rows of one entity have the same keys.
        late: how much later its row arrives.
        variant: decides the other columns.
        changed: when its row was overwritten.
        has_nulls: whether some of its columns are NULL.
        has_no_time: whether its times are NULL.
    """

    entity: int
    minute: int
    late: int = 0
    variant: int = 0
    changed: tuple[int, ...] = ()
    has_nulls: bool = False
    has_no_time: bool = False

    @property
    def arrives(self) -> int:
        """When its row is there."""
        return self.minute + self.late


@dataclass(frozen=True)
class Night:
    """A run of dbt."""

    minute: int
    full_refresh: bool = False


@dataclass(frozen=True)
class History:
    """What happened, and when dbt ran."""

    first: datetime
    events: tuple[Event, ...]
    nights: tuple[Night, ...]

    def at(self, minute: int) -> datetime:
        """The moment of a minute."""
        return self.first + timedelta(minutes=minute)


@dataclass(frozen=True)
class Conditions:
    """What histories of a model may hold; the notes of its conversion tell what lies outside.

    Attributes:
        unit: the unit of its intervals.
        lookback: how many intervals a row may be late.
        nulls_in_times: whether a row may lack its times.
        recurs: whether rows of one entity may be of several times.
        changes: whether a row may be overwritten.
        ties: whether several rows may have one time.
        doubles: whether an event may have two rows of an input.
        misses: whether nights are left out.
        twice: whether there are several runs a day.
        refreshes: whether there are full refreshes.
        has_declared_key: whether properties say that no two rows have one key, which random rows may not keep to.
    """

    unit: str = "day"
    lookback: int = 0
    year: int = 2024
    nulls_in_times: bool = False
    recurs: bool = True
    changes: bool = False
    ties: bool = True
    doubles: bool = True
    misses: bool = True
    twice: bool = True
    refreshes: bool = True
    has_declared_key: bool = False

    @property
    def step(self) -> int:
        """The minutes between two runs."""
        return _STEPS.get(self.unit, _DAY)

    @property
    def gentler(self) -> Conditions:
        """Conditions under which a merge is less likely to find two rows of a key."""
        if self.doubles:
            return replace(self, doubles=False)
        if self.ties:
            return replace(self, ties=False)
        return replace(self, recurs=False)


def random_history(chance: random.Random, conditions: Conditions) -> History:
    """A history."""
    month, day = chance.choice(_FIRSTS)
    first = datetime(conditions.year, month, day, tzinfo=timezone.utc)
    step, span = conditions.step, _SPANS[conditions.unit]
    events = tuple(_events(chance, conditions, step, span))
    last = max((max(one.arrives, *one.changed) if one.changed else one.arrives for one in events), default=0)
    return History(first, events, tuple(_nights(chance, conditions, first, step, last)))


def _events(chance: random.Random, conditions: Conditions, step: int, span: int) -> Iterator[Event]:
    is_full = chance.random() < 0.5
    for number in range(chance.randint(4, 12)):
        entity = chance.randint(1, 4) if conditions.recurs else number + 1
        minute = chance.randrange(span) * step + chance.choice((0, step // 8, step // 2, step - step // 16))
        minute = min(minute, step * 2) if not is_full and number < 2 else minute
        if not conditions.ties:
            minute += number
        late = chance.choice((0, 0, step // 6, step)) if conditions.lookback else 0
        late = chance.randint(0, min(conditions.lookback, 2) * step) if late == step else late
        changed = tuple(
            minute + late + chance.randint(1, 2 * step)
            for _ in range(chance.choice((0, 0, 1, 2)) if conditions.changes else 0)
        )
        yield Event(
            entity,
            minute,
            late,
            chance.choice([one for one in range(12) if conditions.doubles or not is_doubled(one)]),
            tuple(sorted(changed)),
            chance.random() < 0.2,
            conditions.nulls_in_times and chance.random() < 0.1,
        )


def _nights(chance: random.Random, conditions: Conditions, first: datetime, step: int, last: int) -> Iterator[Night]:
    """Runs after the ends of steps, some of them left out or doubled, and two after the end of the last interval."""
    pause = step // 8
    end = last // step + 1
    at = chance.randint(1, 3)
    while at < end:
        yield Night(at * step + pause, conditions.refreshes and chance.random() < 0.12)
        if conditions.twice and chance.random() < 0.25:
            yield Night(at * step + pause + step // 2)
        at += chance.choice((1, 1, 1, 2, 7)) if conditions.misses else 1
    for _ in range(2):
        end = _next_end(first, end * step, conditions.unit) // step
        yield Night(end * step + pause)


def _next_end(first: datetime, minute: int, unit: str) -> int:
    """The first beginning of an interval after a minute, or at it."""
    if unit in ("hour", "day"):
        return minute + _STEPS.get(unit, _DAY)
    moment = (first + timedelta(minutes=minute)).replace(hour=0, minute=0)
    while True:
        moment += timedelta(days=1)
        begins = {
            "week": moment.weekday() == 0,
            "month": moment.day == 1,
            "quarter": moment.day == 1 and moment.month % 3 == 1,
            "year": moment.day == 1 and moment.month == 1,
        }
        if begins[unit]:
            return int((moment - first).total_seconds()) // 60


def smaller(history: History) -> Iterator[History]:
    """Histories that are a little simpler than one, the much simpler first."""
    events, nights = history.events, history.nights
    if len(events) > 3:
        half = len(events) // 2
        yield replace(history, events=events[:half])
        yield replace(history, events=events[half:])
    for at in range(len(events)):
        yield replace(history, events=events[:at] + events[at + 1 :])
    for at in range(len(nights) - 2):
        yield replace(history, nights=nights[:at] + nights[at + 1 :])
    for at, night in enumerate(nights):
        if night.full_refresh:
            yield replace(history, nights=(*nights[:at], replace(night, full_refresh=False), *nights[at + 1 :]))
    for at, event in enumerate(events):
        for simpler in (
            replace(event, changed=event.changed[:-1]),
            replace(event, late=0),
            replace(event, has_nulls=False),
            replace(event, has_no_time=False),
            replace(event, variant=0),
            replace(event, entity=1),
        ):
            if simpler != event:
                yield replace(history, events=(*events[:at], simpler, *events[at + 1 :]))
