"""A second planner, written from the specification's text alone.

It is slow and simple on purpose, and shares no method with the macros: a unit is a pair of datetimes found by walking
the calendar, never a number; a set is a list that is searched; lookback takes one step back at a time.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from itertools import pairwise

Interval = tuple[datetime, datetime]

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
UNIX_EPOCH = datetime(1970, 1, 1)
FIRST_WEEK = {"monday": datetime(1970, 1, 5), "sunday": datetime(1970, 1, 4)}
WEEKDAYS = {"monday": 0, "sunday": 6}
IN_MINUTES = {"half_hour": 30, "quarter_hour": 15, "five_minute": 5}

CRON_UNITS = {
    "@yearly": "year",
    "@annually": "year",
    "@quarterly": "quarter",
    "@monthly": "month",
    "@weekly": "week",
    "@daily": "day",
    "@midnight": "day",
    "@hourly": "hour",
}


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


@dataclass(frozen=True)
class Model:
    cron: str = "@daily"
    interval_unit: str | None = None
    week_start: str = "monday"
    start: datetime | None = None
    end: datetime | None = None
    lookback: int = 0
    batch_size: int | None = None
    allow_partials: bool = False
    disable_restatement: bool = False

    @property
    def unit(self) -> Unit:
        return Unit.read(self.interval_unit or CRON_UNITS[self.cron], self.week_start)

    @property
    def cron_ticks(self) -> Unit:
        """A cron of an alias ticks where a unit begins; the weekly one on Sundays, whatever week_start says."""
        return Unit.read(CRON_UNITS[self.cron], "sunday")


@dataclass(frozen=True)
class Run:
    execution_time: datetime
    start: datetime | None = None
    end: datetime | None = None
    batch_size: int | None = None
    ignore_cron: bool = False
    full_refresh: bool = False


@dataclass
class Plan:
    start: datetime | None
    end: datetime | None
    recorded: list[Interval]
    reason: str
    missing: list[Interval] = field(default_factory=list)
    lookback: list[Interval] = field(default_factory=list)
    restated: list[Interval] = field(default_factory=list)
    batches: list[Interval] = field(default_factory=list)


def refusals(model: Model, run: Run, recorded: Sequence[Interval]) -> list[str]:
    """Every reason not to plan at all; which of several is told is not specified."""
    unit, found = model.unit, []
    full_refresh = run.full_refresh and not model.disable_restatement
    if model.start and model.end and model.start >= model.end:
        found.append(f"start {written(model.start)} is not before end {written(model.end)}")
    if model.end and not model.allow_partials and not is_boundary(model.end, unit):
        lower, upper = last_boundary(model.end, unit), next_boundary(model.end, unit)
        found.append(
            f"end {written(model.end)} is not a boundary of its interval unit; "
            f"write {written(lower)} or {written(upper)}, or set allow_partials: true"
        )
    if (run.start is None) != (run.end is None):
        found.append("kinds_start and kinds_end go together; pass both")
    if run.start and run.end and run.start >= run.end:
        found.append(f"kinds_start {written(run.start)} is not before kinds_end {written(run.end)}")
    elif run.start and run.end and not model.allow_partials:
        lower, upper = last_boundary(run.start, unit), first_boundary_from(run.end, unit)
        if (lower, upper) != (run.start, run.end):
            found.append(
                f"the window {written(run.start)} to {written(run.end)} is not aligned to its interval unit; "
                f"the aligned window is {written(lower)} to {written(upper)}"
            )
    if full_refresh and (run.start or run.end):
        found.append("a full refresh takes no window; drop either --full-refresh or kinds_start and kinds_end")
    if not model.start and not recorded and not (run.start and run.end):
        found.append("no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end")
    return found


def plan(model: Model, run: Run, recorded: Sequence[Interval]) -> Plan:
    """What a run loads. Only for a run that is not refused."""
    unit, window = model.unit, (run.start, run.end)
    is_window = run.start is not None
    full_refresh = run.full_refresh and not model.disable_restatement
    upper = upper_bound(model, run)
    coverage = joined(recorded)

    if model.start:
        first = last_boundary(model.start, unit)
    elif coverage:
        first = last_boundary(coverage[0][0], unit)
    else:
        assert run.start is not None
        first = last_boundary(run.start, unit)

    looked_from, looked_until = first, upper
    if window[0] and window[1]:
        looked_from, looked_until = last_boundary(window[0], unit), min(window[1], upper)
        if model.start:
            looked_from = max(looked_from, first)
    if looked_from >= looked_until:
        if is_window:
            return Plan(None, None, coverage, f"window lies outside {written(first)} to {written(upper)}")
        return Plan(first, upper, coverage, f"nothing is due: the first unit begins at {written(first)}")

    expected = units_between(looked_from, looked_until, unit)
    missing = [a_unit for a_unit in expected if not is_covered(a_unit, recorded)]
    done = [a_unit for a_unit in expected if a_unit not in missing]
    looked_back: list[Interval] = []
    restated: list[Interval] = []
    if full_refresh or (is_window and not model.disable_restatement):
        restated = done
    elif not is_window:
        looked_back = units_looked_back_on(expected, missing, model.lookback)
    chosen = [a_unit for a_unit in expected if a_unit in missing or a_unit in looked_back or a_unit in restated]

    if full_refresh:
        reason = "full refresh"
    elif is_window:
        reason = f"window: {len(missing)} missing, {len(done)} recorded"
        if model.disable_restatement and done:
            reason += f", {len(done)} protected"
    elif not recorded:
        reason = "first load"
    elif not missing:
        reason = f"up to date until {written(looked_until)}"
    else:
        reason = f"{len(missing)} missing"
        if looked_back:
            reason += f", {len(looked_back)} looked back"
    return Plan(
        start=looked_from,
        end=looked_until,
        recorded=coverage,
        reason=reason,
        missing=contiguous(missing),
        lookback=contiguous(looked_back),
        restated=contiguous(restated),
        batches=contiguous(chosen, at_most=run.batch_size or model.batch_size),
    )


def upper_bound(model: Model, run: Run) -> datetime:
    upper = run.execution_time
    if not run.ignore_cron and run.start is None:
        upper = last_boundary(upper, model.cron_ticks)
    if model.end and model.end < upper:
        upper = model.end
    return upper if model.allow_partials else last_boundary(upper, model.unit)


def units_between(start: datetime, end: datetime, unit: Unit) -> list[Interval]:
    """The units from a boundary up to an instant, the last one cut short by it."""
    units = []
    for lower, upper in pairwise(boundaries(start, unit)):
        if lower >= end:
            break
        units.append((lower, min(upper, end)))
    return units


def is_covered(a_unit: Interval, recorded: Sequence[Interval]) -> bool:
    start, end = a_unit
    cuts = {start, end, *(cut for interval in recorded for cut in interval if start < cut < end)}
    return all(any(a <= low and high <= b for a, b in recorded) for low, high in pairwise(sorted(cuts)))


def joined(recorded: Sequence[Interval]) -> list[Interval]:
    """The same instants as sorted intervals that do not touch."""
    cuts = sorted({cut for interval in recorded for cut in interval})
    return contiguous([piece for piece in pairwise(cuts) if is_covered(piece, recorded)])


def units_looked_back_on(expected: list[Interval], missing: list[Interval], lookback: int) -> list[Interval]:
    found = set()
    for position, a_unit in enumerate(expected):
        if a_unit in missing:
            for step in range(1, lookback + 1):
                if position - step >= 0 and expected[position - step] not in missing:
                    found.add(expected[position - step])
    return sorted(found)


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
