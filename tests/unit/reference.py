"""A second planner, written from the specification's text alone.

It is slow and simple on purpose, and shares no method with the macros: a unit is a pair of datetimes found by walking
the calendar, never a number; a set is a list that is searched; lookback takes one step back at a time. Its units are in
`reference_units.py`, what a table holds in `reference_loads.py`, what a unit reads of others in `reference_upstream.py`.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tests.unit import cron_reference
from tests.unit.reference_loads import Load, coverage_of, is_covered, latest_loads
from tests.unit.reference_units import (
    Interval,
    Unit,
    contiguous,
    first_boundary_from,
    is_boundary,
    last_boundary,
    next_boundary,
    units_between,
    written,
)
from tests.unit.reference_upstream import Parent, parents_behind_which


@dataclass(frozen=True)
class Model:
    kind: str = "incremental_by_time_range"
    cron: str = "@daily"
    cron_tz: str = "UTC"
    interval_unit: str | None = None
    week_start: str = "monday"
    start: datetime | None = None
    end: datetime | None = None
    lookback: int = 0
    batch_size: int | None = None
    allow_partials: bool = False
    disable_restatement: bool = False
    auto_restatement_cron: str | None = None
    auto_restatement_intervals: int | None = None
    on_query_change: str = "forward"

    @property
    def unit(self) -> Unit:
        return Unit.read(self.interval_unit or inferred_unit(self.cron), self.week_start)


@dataclass(frozen=True)
class Run:
    execution_time: datetime
    start: datetime | None = None
    end: datetime | None = None
    batch_size: int | None = None
    ignore_cron: bool = False
    full_refresh: bool = False
    query_hash: str | None = None
    allow_full_restatement: bool = False


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
    start_anew: bool = False


@dataclass
class Again:
    """The recorded units that an ordinary run does again, each for one reason; parents by the units behind them."""

    rebuilt: list[Interval] = field(default_factory=list)
    looked_back: list[Interval] = field(default_factory=list)
    automatic: list[Interval] = field(default_factory=list)
    upstream: dict[Interval, list[str]] = field(default_factory=dict)


def refusals(model: Model, run: Run, loads: Sequence[Load]) -> list[str]:
    """Every reason not to plan at all; which of several is told is not specified."""
    unit, found = model.unit, []
    full_refresh = is_full_refresh(model, run)
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
    if not model.start and not loads and not (run.start and run.end):
        found.append("no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end")
    if model.on_query_change == "error" and loads and not full_refresh:
        latest = max(loads, key=lambda load: load.recorded_at)
        if is_of_another_query(latest, run):
            found.append(
                "the query has changed since the last load; "
                "run with --full-refresh, or set on_query_change to forward or rebuild"
            )
    if (
        not found
        and run.start
        and not run.allow_full_restatement
        and plan(model, run, loads).reason.startswith("full restatement")
    ):
        found.append(
            f"restating {model.kind} rebuilds the whole table from {written(last_boundary(coverage_of(loads)[0][0], unit))}; "
            "pass kinds_allow_full_restatement: true, or drop kinds_start and kinds_end"
        )
    return found


def plan(model: Model, run: Run, loads: Sequence[Load], parents: Sequence[Parent] = ()) -> Plan:
    """What a run loads. Only for a run that is not refused."""
    unit, window = model.unit, (run.start, run.end)
    is_window = run.start is not None
    full_refresh = is_full_refresh(model, run)
    upper = upper_bound(model, run)
    coverage = coverage_of(loads)
    not_compared = not full_refresh and loads and model.on_query_change != "forward" and run.query_hash is None
    addition = ", query not compared" if not_compared else ""

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
            outside = f"window lies outside {written(first)} to {written(upper)}"
            return Plan(None, None, coverage, outside + addition)
        return Plan(
            first,
            upper,
            coverage,
            f"nothing is due: the first unit begins at {written(first)}" + addition,
            start_anew=full_refresh,
        )

    expected = units_between(looked_from, looked_until, unit)
    missing = [a_unit for a_unit in expected if not is_covered(a_unit, loads)]
    done = [a_unit for a_unit in expected if a_unit not in missing]
    looked_back: list[Interval] = []
    restated: list[Interval] = []
    if full_refresh:
        restated, reason = done, "full refresh"
    elif is_window:
        reason = f"window: {len(missing)} missing, {len(done)} recorded"
        if not model.disable_restatement:
            restated = done
        elif done:
            reason += f", {len(done)} protected"
    else:
        again = done_again(model, run, expected, missing, loads, parents)
        looked_back = again.looked_back
        restated = sorted([*again.rebuilt, *again.automatic, *again.upstream])
        reason = ordinary_reason(missing, again) if loads else "first load"
        reason = reason or f"up to date until {written(looked_until)}"

    rebuilds = is_whole_table_rebuilt(model, is_window, restated, [] if full_refresh or is_window else again.rebuilt)
    if rebuilds and not full_refresh:
        looked_from, looked_until = last_boundary(coverage[0][0], unit), upper
        expected = units_between(looked_from, looked_until, unit)
        missing = [a_unit for a_unit in expected if not is_covered(a_unit, loads)]
        looked_back, restated = [], [a_unit for a_unit in expected if a_unit not in missing]
        reason = "full restatement" if is_window else ordinary_reason(missing, Again(rebuilt=restated))
    chosen = [a_unit for a_unit in expected if a_unit in missing or a_unit in looked_back or a_unit in restated]
    batches = contiguous(chosen, at_most=run.batch_size or model.batch_size)
    if model.kind == "incremental_unmanaged" and not rebuilds and not full_refresh:
        return Plan(
            looked_from, looked_until, coverage, reason + addition,
            missing=without(contiguous(missing), coverage), batches=without(batches, coverage),
        )  # fmt: skip
    return Plan(
        start=looked_from,
        end=looked_until,
        recorded=coverage,
        reason=reason + addition,
        missing=contiguous(missing),
        lookback=contiguous(looked_back),
        restated=contiguous(restated),
        batches=batches,
        start_anew=rebuilds or full_refresh,
    )


def is_whole_table_rebuilt(model: Model, is_window: bool, restated: list[Interval], rebuilt: list[Interval]) -> bool:
    """Rows that do not tell their unit cannot be taken back, so any restatement is one of everything."""
    return model.kind != "incremental_by_time_range" and bool(restated if is_window else rebuilt)


def without(intervals: list[Interval], coverage: list[Interval]) -> list[Interval]:
    """What of intervals is not covered: each cut at every bound of the coverage, and the covered pieces left out."""
    bounds = sorted({bound for interval in coverage for bound in interval})
    pieces = []
    for start, end in intervals:
        cuts = [start, *(bound for bound in bounds if start < bound < end), end]
        pieces += [
            (low, high)
            for low, high in itertools.pairwise(cuts)
            if not any(covered[0] <= low and high <= covered[1] for covered in coverage)
        ]
    return pieces


def is_full_refresh(model: Model, run: Run) -> bool:
    return run.full_refresh and not model.disable_restatement


def upper_bound(model: Model, run: Run) -> datetime:
    upper = run.execution_time
    if not run.ignore_cron and run.start is None:
        upper = last_tick(model.cron, model.cron_tz, upper)
    if model.end and model.end < upper:
        upper = model.end
    return upper if model.allow_partials else last_boundary(upper, model.unit)


def done_again(
    model: Model,
    run: Run,
    expected: list[Interval],
    missing: list[Interval],
    loads: Sequence[Load],
    parents: Sequence[Parent],
) -> Again:
    """What another query loaded is as good as missing; of the other reasons the first counts."""
    again = Again()
    if model.on_query_change == "rebuild" and not model.disable_restatement:
        again.rebuilt = [
            a_unit
            for a_unit in expected
            if a_unit not in missing and any(is_of_another_query(load, run) for load in latest_loads(a_unit, loads))
        ]
    anew = [*missing, *again.rebuilt]
    again.looked_back = units_looked_back_on(expected, anew, model.lookback)
    if model.disable_restatement:
        return again
    recent = units_of_automatic_restatement(model, expected)
    for a_unit in expected:
        # of a unit that the clock cuts short all recorded rows are as old as what they were computed from
        a_whole = (a_unit[0], next_boundary(a_unit[0], model.unit))
        if a_unit not in anew and a_unit not in again.looked_back:
            if a_unit in recent and is_due(latest_loads(a_unit, loads), model, run):
                again.automatic.append(a_unit)
            elif names := parents_behind_which(a_whole, loads, parents):
                again.upstream[a_unit] = names
    return again


def is_of_another_query(load: Load, run: Run) -> bool:
    return load.model_hash is not None and run.query_hash is not None and load.model_hash != run.query_hash


def is_due(of_a_unit: list[Load], model: Model, run: Run) -> bool:
    """Whether the cron of automatic restatement ticked since a unit, or a part of it, was loaded."""
    assert model.auto_restatement_cron is not None
    tick = last_tick(model.auto_restatement_cron, model.cron_tz, run.execution_time)
    return any(load.execution_time < tick for load in of_a_unit)


def units_of_automatic_restatement(model: Model, expected: list[Interval]) -> list[Interval]:
    """The last whole units before the upper bound; a unit that it cuts short is none."""
    if not model.auto_restatement_cron:
        return []
    whole = [a_unit for a_unit in expected if is_boundary(a_unit[1], model.unit)]
    return whole[-model.auto_restatement_intervals :] if model.auto_restatement_intervals else whole


def units_looked_back_on(expected: list[Interval], anew: list[Interval], lookback: int) -> list[Interval]:
    found = set()
    for position, a_unit in enumerate(expected):
        if a_unit in anew:
            for step in range(1, lookback + 1):
                if position - step >= 0 and expected[position - step] not in anew:
                    found.add(expected[position - step])
    return sorted(found)


def ordinary_reason(missing: list[Interval], again: Again) -> str:
    """The parts that are not zero; without any an empty text."""
    parents = ", ".join(sorted({name for names in again.upstream.values() for name in names}))
    parts = {
        "{} missing": len(missing),
        "{} looked back": len(again.looked_back),
        "automatic restatement of {}": len(again.automatic),
        "query changed: {} to rebuild": len(again.rebuilt),
        f"upstream changed: {{}} to reprocess ({parents})": len(again.upstream),
    }
    return ", ".join(part.format(count) for part, count in parts.items() if count)


@functools.cache
def last_tick(expression: str, zone: str, at: datetime) -> datetime:
    return cron_reference.last_tick(expression, zone, at)


@functools.cache
def inferred_unit(expression: str) -> str:
    return cron_reference.cron_unit(expression)
