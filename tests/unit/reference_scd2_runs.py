"""Runs of an SCD type 2 model, for the tests: which batches a run has, and what a restatement puts back, by the specification's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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


def plan(schedule: Schedule, run: Run, batches: Sequence[Batch]) -> Plan:
    """What a run does, given what is recorded; raises where it is refused."""
    if run.end and not run.start:
        raise RefusedError("kinds_end")
    if run.full_refresh:
        batches = []
    unit, upper = schedule.unit, upper_bound(schedule, run)
    first_load = not batches
    later = [batch for batch in batches if run.start and batch.instant >= run.start]
    is_reached = any(batch.instant < run.end for batch in later) if run.end else bool(later)
    restated_from = run.start if is_reached else None
    if restated_from:
        check_restatement(schedule, run, batches, restated_from)
        batches = [batch for batch in batches if batch.instant < restated_from]

    newest = max((batch.instant for batch in batches), default=None)
    units = missing_units(schedule, run, batches, later, restated_from, upper)
    if schedule.batch_size:
        windows = contiguous(units, at_most=schedule.batch_size)
    elif units:
        windows = [(units[0][0], units[-1][1])]
    elif run.ignore_cron and batches:
        windows = [(last_boundary(upper - unit.tick, unit), upper)]
    else:
        windows = []
    for window in windows:
        if newest and instant_of(schedule, run, window) < newest:
            raise RefusedError("older than the last recorded")
    if newest and schedule.start and last_boundary(schedule.start, unit) < min(batch.start for batch in batches):
        raise RefusedError("older than the last recorded")
    if newest and not schedule.batch_size and run.execution_time < newest and upper < max(b.end for b in batches):
        raise RefusedError("older than the last recorded")
    return Plan(windows, first_load, restated_from)


def upper_bound(schedule: Schedule, run: Run) -> datetime:
    upper = run.execution_time
    if not run.ignore_cron and run.start is None:
        upper = cron_reference.last_tick(schedule.cron, "UTC", upper)
    if schedule.end and schedule.end < upper:
        upper = schedule.end
    return last_boundary(upper, schedule.unit)


def missing_units(
    schedule: Schedule,
    run: Run,
    batches: Sequence[Batch],
    later: Sequence[Batch],
    restated_from: datetime | None,
    upper: datetime,
) -> list[tuple[datetime, datetime]]:
    unit = schedule.unit
    until = min(run.end, upper) if run.end else upper
    if restated_from:
        since = min(batch.start for batch in later)
        if schedule.batch_size:
            since = min(since, restated_from)
    elif run.start:
        since = run.start if not schedule.start else max(run.start, last_boundary(schedule.start, unit))
    elif batches:
        since = min(batch.start for batch in batches)
        if schedule.start:
            since = min(since, last_boundary(schedule.start, unit))
    elif schedule.start:
        since = last_boundary(schedule.start, unit)
    elif schedule.batch_size:
        raise RefusedError("no start")
    else:
        since = last_boundary(upper - unit.tick, unit)
    if run.start and not restated_from:
        for bound in (run.start, run.end or upper):
            if not is_boundary(bound, unit):
                raise RefusedError("not aligned")
    return [
        (low, high)
        for low, high in units_between(since, until, unit)
        if not any(batch.start <= low and high <= batch.end for batch in batches)
    ]


def check_restatement(schedule: Schedule, run: Run, batches: Sequence[Batch], restated_from: datetime) -> None:
    if schedule.disable_restatement:
        raise RefusedError("disable_restatement")
    if all(batch.instant >= restated_from for batch in batches):
        raise RefusedError("--full-refresh")
    if run.end and run.end < max(batch.end for batch in batches):
        raise RefusedError("kinds_end")


def carry_out(model: Model, schedule: Schedule, run: Run, table: Table, query: Query) -> None:
    """A whole run: the table and the store as they are after it; as they were where it is refused."""
    if run.full_refresh:
        table.batches = []
    planned = plan(schedule, run, table.batches)
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
