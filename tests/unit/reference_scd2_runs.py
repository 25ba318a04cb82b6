"""Runs of an SCD type 2 model, for the tests: which batches a run has, and what a restatement puts back, by the specification's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.unit import cron_reference
from tests.unit.reference_scd2 import Model, RefusedError, Row, Version, merge
from tests.unit.reference_units import Unit, contiguous, is_boundary, last_boundary, units_between

Query = Callable[[datetime, datetime], Sequence[Row]]


@dataclass(frozen=True)
class Schedule:
    cron: str = "@daily"
    start: datetime | None = None
    end: datetime | None = None
    batch_size: int | None = None
    disable_restatement: bool = True

    @property
    def unit(self) -> Unit:
        return Unit.read(cron_reference.cron_unit(self.cron))


@dataclass(frozen=True)
class Run:
    execution_time: datetime
    start: datetime | None = None
    end: datetime | None = None
    ignore_cron: bool = False
    full_refresh: bool = False
    allow_approximate: bool = False


@dataclass(frozen=True)
class Batch:
    """A merge that is recorded: its window, its instant, and the table after it."""

    start: datetime
    end: datetime
    instant: datetime
    snapshot: tuple[Version, ...] = ()


@dataclass
class Table:
    """What is there, and what the store says of it."""

    history: list[Version] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)
    exists: bool = False
    has_snapshots: bool = True


@dataclass(frozen=True)
class Plan:
    """The windows of the batches; `restated_from` is the S of a restatement."""

    windows: list[tuple[datetime, datetime]]
    first_load: bool = False
    restated_from: datetime | None = None


def instant_of(schedule: Schedule, run: Run, window: tuple[datetime, datetime]) -> datetime:
    return window[0] if schedule.batch_size else run.execution_time


def plan(schedule: Schedule, run: Run, recorded: Sequence[Batch]) -> Plan:
    """What a run does, given what is recorded; raises where it is refused."""
    if run.end and not run.start:
        raise RefusedError("kinds_end")
    if run.full_refresh and run.start:
        raise RefusedError("a full refresh takes no window")
    if run.start and run.end and run.start >= run.end:
        raise RefusedError("is not before kinds_end")
    unit, upper = schedule.unit, upper_bound(schedule, run)
    batches = [] if run.full_refresh else list(recorded)
    taken_back: list[Batch] = []
    if run.start:
        later = [batch for batch in batches if batch.instant >= run.start]
        if later and not (run.end and min(batch.instant for batch in later) >= run.end):
            check_restatement(schedule, run, batches)
            taken_back = later
            batches = [batch for batch in batches if batch not in later]
    since = looked_at_from(schedule, run, recorded, batches, taken_back, upper)
    if run.start and not (taken_back and not schedule.batch_size):
        for bound in (run.start, run.end or run.start):
            if not is_boundary(bound, unit):
                raise RefusedError("is not aligned")
    units = [
        (low, high)
        for low, high in units_between(since, min(run.end, upper) if run.end else upper, unit)
        if lies_in_one_of((low, high), taken_back) or not lies_in_one_of((low, high), batches)
    ]
    if schedule.batch_size:
        windows = contiguous(units, at_most=schedule.batch_size)
    elif units:
        windows = [(units[0][0], units[-1][1])]
    elif run.ignore_cron and batches and not run.start:
        windows = [(unit_before(upper, unit), upper)]
    else:
        windows = []
    check_order(schedule, run, batches, windows, upper)
    return Plan(windows, not batches, run.start if taken_back and windows else None)


def upper_bound(schedule: Schedule, run: Run) -> datetime:
    upper = run.execution_time
    if not run.ignore_cron and run.start is None:
        upper = cron_reference.last_tick(schedule.cron, "UTC", upper)
    if schedule.end and schedule.end < upper:
        upper = schedule.end
    return last_boundary(upper, schedule.unit)


def unit_before(at: datetime, unit: Unit) -> datetime:
    return last_boundary(at - timedelta(seconds=1), unit)


def lies_in_one_of(a_unit: tuple[datetime, datetime], batches: Sequence[Batch]) -> bool:
    """Whether a unit lies in what batches span; those that were taken back leave no gap between them."""
    return any(batch.start <= a_unit[0] and a_unit[1] <= batch.end for batch in batches)


def looked_at_from(
    schedule: Schedule,
    run: Run,
    recorded: Sequence[Batch],
    batches: Sequence[Batch],
    taken_back: Sequence[Batch],
    upper: datetime,
) -> datetime:
    first = last_boundary(schedule.start, schedule.unit) if schedule.start else None
    if taken_back:
        since = min(batch.start for batch in taken_back)
        return min(since, run.start) if schedule.batch_size and run.start else since
    if run.start:
        return max(run.start, first) if first else run.start
    if batches:
        since = min(batch.start for batch in batches)
        return min(since, first) if first else since
    if first:
        return first
    if recorded:
        return min(batch.start for batch in recorded)
    if schedule.batch_size:
        raise RefusedError("no start: nothing is recorded")
    return unit_before(upper, schedule.unit)


def check_order(
    schedule: Schedule,
    run: Run,
    batches: Sequence[Batch],
    windows: Sequence[tuple[datetime, datetime]],
    upper: datetime,
) -> None:
    """A merge is never one underneath what is recorded."""
    if batches:
        newest = max(batch.instant for batch in batches)
        first = min(batch.start for batch in batches)
        instants = [instant_of(schedule, run, window) for window in windows]
        if not schedule.batch_size and upper < max(batch.end for batch in batches):
            instants.append(run.execution_time)
        is_moved = schedule.start and not run.start and last_boundary(schedule.start, schedule.unit) < first
        if is_moved or any(instant < newest for instant in instants):
            raise RefusedError("older than the last recorded")


def check_restatement(schedule: Schedule, run: Run, batches: Sequence[Batch]) -> None:
    if schedule.disable_restatement:
        raise RefusedError("disable_restatement")
    if all(run.start and batch.instant >= run.start for batch in batches):
        raise RefusedError("--full-refresh")
    if run.end and run.end < max(batch.end for batch in batches):
        raise RefusedError("kinds_end")


def carry_out(model: Model, schedule: Schedule, run: Run, table: Table, query: Query) -> None:
    """A whole run: the table and the store as they are after it; as they were where it is refused."""
    planned = plan(schedule, run, table.batches)
    if run.full_refresh:
        table.batches = []
    if planned.first_load and not run.full_refresh and any(version.valid_to for version in table.history):
        raise RefusedError("no recorded coverage")
    if planned.restated_from:
        put_back(model, run, table, planned.restated_from)
    for number, window in enumerate(planned.windows):
        instant = instant_of(schedule, run, window)
        first = planned.first_load and number == 0
        source = query(*window)
        table.history = merge(model, table.history, source, instant, first=first).history
        table.batches.append(Batch(*window, instant, tuple(table.history)))
    table.exists = True


def put_back(model: Model, run: Run, table: Table, since: datetime) -> None:
    """The table as it was before the first batch at or after an instant."""
    before = [batch for batch in table.batches if batch.instant < since]
    if table.has_snapshots:
        table.history = [
            Version(
                {**dict.fromkeys(columns_of(table.history)), **version.values}, version.valid_from, version.valid_to
            )
            for version in before[-1].snapshot
        ]
    else:
        if model.by == "time" and not run.allow_approximate:
            raise RefusedError("kinds_allow_approximate_restatement")
        table.history = [
            Version(version.values, version.valid_from, reopened(version.valid_to, since))
            for version in table.history
            if version.valid_from < since
        ]
    table.batches = before


def reopened(valid_to: datetime | None, since: datetime) -> datetime | None:
    return None if valid_to is not None and valid_to >= since else valid_to


def columns_of(history: Sequence[Version]) -> list[str]:
    return [column for version in history[:1] for column in version.values]


def add_column(table: Table, columns: Mapping[str, Any]) -> None:
    """What a query gains is NULL in every row there is."""
    table.history = [
        Version({**columns, **version.values}, version.valid_from, version.valid_to) for version in table.history
    ]
