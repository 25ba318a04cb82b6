"""Sources that change, and what is done after each change."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tests.peer.models import (
    EVERY_KIND,
    KEEP_LATEST,
    MERGE_FILTER,
    NULL_MATCH,
    OVERWRITING,
    PARTITION,
    TIME_RANGE,
    TIME_RANGE_LOOKBACK,
    TIME_RANGE_POISONED,
    TWO_KEYS,
    UNIQUE_KEY,
    UNIQUE_KEY_LOOKBACK,
    UNMANAGED,
    Model,
)

Row = tuple[int | None, str | None, str, int]  # id, region, ts, n


@dataclass(frozen=True)
class Step:
    """The source as it now is, and a run some hours after midnight of a day of January 2024."""

    what: str
    day: int
    source: tuple[Row, ...]
    restate: tuple[int, int] | None = None  # days, the last one not included
    is_broken: bool = False  # the run fails when the rows are written and not yet recorded
    fails: frozenset[str] = frozenset()  # the models whose load fails in dbt_kinds, on purpose

    @property
    def now(self) -> str:
        return f"{_day(self.day)} 03:00:00"

    @property
    def window(self) -> tuple[str, str] | None:
        return (_day(self.restate[0]), _day(self.restate[1])) if self.restate else None

    def for_sqlmesh(self) -> dict[str, Any]:
        """The step as the driver wants it."""
        return {"source": self.source, "now": self.now, "restate": self.window, "broken": self.is_broken}


@dataclass(frozen=True)
class Sequence:
    """Steps that the same models go through in both tools."""

    name: str
    models: tuple[Model, ...]
    steps: tuple[Step, ...]
    engines: tuple[str, ...] = ("duckdb", "spark")


def row(id_: int | None, region: str | None, day: int, n: int, hour: int = 6) -> Row:
    return (id_, region, f"{_day(day)} {hour:02}:00:00", n)


def _day(day: int) -> str:
    return str(date(2024, 1, 1) + timedelta(days=day - 1))


def _daily_life() -> Sequence:
    first = (row(1, "a", 1, 10), row(2, "b", 1, 20), row(1, "a", 2, 11), row(3, "c", 3, 30))
    late = (*first[:3], row(4, "d", 2, 40), row(3, "c", 3, 31), row(2, "a", 4, 21))
    gap = (*late, row(1, "b", 6, 12), row(5, "e", 7, 50), row(3, "c", 8, 33))
    changed = tuple(r if r[:3] != late[2][:3] else row(1, "a", 2, 99) for r in gap)
    emptied = tuple(r for r in changed if r[0] != 5)
    return Sequence(
        "daily_life",
        EVERY_KIND,
        (
            Step("first load of three days", 4, first),
            Step("nothing new", 4, first),
            Step("a late row and a changed row of old days, and a new day", 5, late),
            Step("a day without rows", 6, late),
            Step("three days at once", 9, gap),
            Step("a day with a changed row is restated", 9, changed, restate=(2, 3)),
            Step("the next day, without rows", 10, changed),
            Step("a day that lost its rows is restated", 10, emptied, restate=(7, 8)),
        ),
    )


def _moved() -> Sequence:
    first = (row(1, "a", 1, 10), row(2, "b", 2, 20), row(3, "c", 2, 30, hour=7))
    moved = (row(1, "a", 1, 10), row(2, "b", 2, 20, hour=9), row(3, "c", 2, 30, hour=7), row(4, "d", 3, 40))
    emptied = (row(1, "a", 1, 10), row(4, "d", 3, 40), row(5, "e", 4, 50))
    return Sequence(
        "moved",
        (TIME_RANGE, TIME_RANGE_LOOKBACK, UNIQUE_KEY_LOOKBACK),
        (
            Step("first load of two days", 3, first),
            Step("a row of an old day has moved by some hours", 4, moved),
            Step("that day is restated", 4, moved, restate=(2, 3)),
            Step("that day has lost its rows", 5, emptied),
        ),
    )


def _duplicate_keys() -> Sequence:
    first = (row(1, "a", 1, 10), row(1, "b", 1, 12), row(2, "a", 1, 20))
    second = (*first, row(2, "b", 2, 21), row(2, "c", 2, 25), row(2, "d", 2, 23))
    return Sequence(
        "duplicate_keys",
        (UNIQUE_KEY, KEEP_LATEST),
        (
            Step("two rows of one key in the first load", 2, first, fails=frozenset({"unique_key"})),
            Step("three rows of one key in a later batch", 3, second, fails=frozenset({"unique_key"})),
        ),
    )


def _null_keys() -> Sequence:
    first = (row(1, "a", 1, 10), row(None, "a", 1, 20))
    second = (*first, row(None, "a", 2, 21))
    return Sequence(
        "null_keys",
        (UNIQUE_KEY, NULL_MATCH),
        (
            Step("a key is NULL", 2, first, fails=frozenset({"unique_key"})),
            Step("it is NULL again the next day", 3, second, fails=frozenset({"unique_key"})),
        ),
    )


def _null_in_two_keys() -> Sequence:
    first = (row(1, None, 1, 10), row(2, "a", 1, 20))
    second = (*first, row(None, "1", 2, 30), row(2, "a", 2, 21))
    return Sequence(
        "null_in_two_keys",
        (TWO_KEYS,),
        (Step("a key of two columns, one NULL", 2, first), Step("another key, the other column NULL", 3, second)),
    )


def _null_partitions() -> Sequence:
    first = (row(1, "a", 1, 10), row(2, None, 1, 20))
    second = (*first, row(3, None, 2, 30), row(4, "a", 2, 40))
    return Sequence(
        "null_partitions",
        (PARTITION, OVERWRITING),
        (Step("a partition is NULL", 2, first), Step("it gets a row the next day", 3, second)),
    )


def _failed_append() -> Sequence:
    first = (row(1, "a", 1, 10),)
    second = (*first, row(2, "b", 2, 20))
    return Sequence(
        "failed_append",
        (UNMANAGED,),
        (
            Step("first load", 2, first),
            Step("the run fails after its write", 3, second, is_broken=True),
            Step("the run is tried again", 3, second),
        ),
    )


def _failed_query() -> Sequence:
    first = (row(1, "a", 1, 10), row(2, "b", 2, 20), row(3, "c", 3, 30))
    poisoned = (*first[:1], row(2, "poison", 2, 20), *first[2:])
    mended = (*first[:1], row(2, "b", 2, 22), *first[2:])
    return Sequence(
        "failed_query",
        (TIME_RANGE_POISONED,),
        (
            Step("first load", 4, first),
            Step(
                "a restatement whose query fails",
                4,
                poisoned,
                restate=(2, 3),
                fails=frozenset({TIME_RANGE_POISONED.name}),
            ),
            Step("the next run, the source mended", 5, mended),
        ),
    )


def _merge_filter() -> Sequence:
    first = (row(1, "a", 1, 10), row(2, "b", 1, 20))
    second = (*first, row(1, "a", 2, 5), row(2, "b", 2, 25))
    return Sequence(
        "merge_filter",
        (MERGE_FILTER,),
        (
            Step("first load", 2, first),
            Step("a row that fails the filter, one that passes", 3, second),
        ),
    )


SEQUENCES = (
    _daily_life(), _moved(), _duplicate_keys(), _null_keys(), _null_in_two_keys(), _null_partitions(), _failed_append(),
    _failed_query(), _merge_filter(),
)  # fmt: skip

RANDOM_KINDS = (TIME_RANGE_LOOKBACK, UNIQUE_KEY, PARTITION, UNMANAGED)


def random_sequence(seed: int) -> Sequence:
    """A source that grows, changes and shrinks; keys are told apart within a day, and nothing is NULL."""
    chance = random.Random(seed)
    rows: dict[tuple[int, int], Row] = {}
    steps: list[Step] = []
    today = chance.randint(2, 3)
    loaded = 1
    for number in range(3):
        touched = [day for day in range(1, today) if day >= loaded or chance.random() < 0.3]
        for day in touched:
            for id_ in chance.sample(range(1, 5), chance.randint(0, 3)):
                rows[day, id_] = row(id_, chance.choice("abc"), day, chance.randint(1, 99))
        for key in [key for key in rows if number and chance.random() < 0.15]:
            del rows[key]
        loaded = max(loaded, today)
        restate = None
        if number and chance.random() < 0.4:
            start = chance.randint(1, steps[-1].day - 1)
            restate = (start, chance.randint(start + 1, steps[-1].day))
        day = steps[-1].day if restate else today
        steps.append(Step("random", day, tuple(rows[key] for key in sorted(rows)), restate=restate))
        today += chance.choice([0, 1, 2, 3])
    return Sequence(f"random_{seed}", RANDOM_KINDS, tuple(steps), engines=("duckdb",))
