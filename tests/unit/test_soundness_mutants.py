"""That the trials of soundness would find a fault: each rule of the analysis, left out, makes slices differ."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlglot import exp

from dbt_kinds.analysis import bound_derivation, expressions, join_predicates, safety, time_offsets, tree, windows
from dbt_kinds.analysis.margins import NOTHING
from dbt_kinds.analysis.terms import Shift, Term
from dbt_kinds.analysis.time_offsets import TimeOffset
from dbt_kinds.codes import CheckCode
from tests.soundness.duckdb_engine import DuckDBEngine
from tests.soundness.trials import admitted_trials
from tests.sweep import rest, size

# so many trials find every mutant
EXAMPLES = 300
Patch = pytest.MonkeyPatch


def examples_until_a_difference(most: int = EXAMPLES) -> int | None:
    """How many trials it takes until slices are not what the whole is."""
    engine, trials = DuckDBEngine(), admitted_trials(0, data=1000, chunks=(1, 1, 2, 5))
    for number, trial in enumerate(itertools.islice(trials, most), 1):
        if engine.differences([trial]):
            return number
    return None


def what_a_query_makes_is_the_same_everywhere(patch: Patch) -> None:
    patch.setattr(expressions, "_is_of_its_own", lambda node: isinstance(node, exp.Query))


def frames_widen_nothing(patch: Patch) -> None:
    framed = bound_derivation.Reading._framed

    def narrow(self: Any, frame: windows.Frame, known: Any) -> Any:
        return framed(self, dataclasses.replace(frame, before=NOTHING, after=NOTHING), known)

    patch.setattr(bound_derivation.Reading, "_framed", narrow)


def frames_widen_backwards_only(patch: Patch) -> None:
    framed = bound_derivation.Reading._framed

    def narrow(self: Any, frame: windows.Frame, known: Any) -> Any:
        return framed(self, dataclasses.replace(frame, after=NOTHING), known)

    patch.setattr(bound_derivation.Reading, "_framed", narrow)


def frames_are_not_swapped_under_a_descending_order(patch: Patch) -> None:
    framed = windows._frame

    def unswapped(scope: Any, window: exp.Window) -> Any:
        frame, order = framed(scope, window), window.args.get("order")
        if frame is None or order is None or not order.expressions[0].args.get("desc"):
            return frame
        return dataclasses.replace(frame, before=frame.after, after=frame.before)

    patch.setattr(windows, "_frame", unswapped)


def frames_of_rows_are_read_as_lengths_of_time(patch: Patch) -> None:
    framed = windows._frame

    def as_range(scope: Any, window: exp.Window) -> Any:
        spec, order = window.args.get("spec"), window.args.get("order")
        if spec is None or (spec.args.get("kind") or "").upper() != "ROWS" or order is None:
            return framed(scope, window)
        day = exp.Interval(this=exp.Literal.string("1"), unit=exp.var("DAY"))
        one_day = spec.copy()
        one_day.args.update(
            {
                "kind": "RANGE",
                "start": day if one_day.args["start"] != "CURRENT ROW" else "CURRENT ROW",
                "end": day if one_day.args["end"] != "CURRENT ROW" else "CURRENT ROW",
            }
        )
        whole = exp.Window(this=exp.Null())
        by_time = order.copy()
        by_time.set("expressions", by_time.expressions[:1])
        # looked up where it stands, but not attached to the tree
        by_time.args["expressions"][0].args["this"] = order.expressions[0].this
        whole.args.update({**window.args, "spec": one_day, "order": by_time})
        return framed(scope, whole)

    patch.setattr(windows, "_frame", as_range)


def windows_over_windows_do_not_add_up(patch: Patch) -> None:
    patch.setattr(time_offsets, "_added", lambda margin, by: margin.largest(by))


def every_window_counts_as_aligned(patch: Patch) -> None:
    patch.setattr(bound_derivation, "is_aligned", lambda keys, values: True)
    patch.setattr(safety, "is_aligned", lambda keys, values: True)


def joins_on_a_range_of_time_widen_nothing(patch: Patch) -> None:
    found = join_predicates.predicates_of

    def without_shifts(term: Term) -> Term:
        return term._replace(operations=tuple(part for part in term.operations if not isinstance(part, Shift)))

    def unshifted(scope: Any, partition: Term | None) -> list[join_predicates.JoinPredicate]:
        return [
            dataclasses.replace(
                predicate, lesser=without_shifts(predicate.lesser), greater=without_shifts(predicate.greater)
            )
            for predicate in found(scope, partition)
        ]

    patch.setattr(bound_derivation, "predicates_of", unshifted)


def shifts_of_the_partition_column_widen_nothing(patch: Patch) -> None:
    patch.setattr(TimeOffset, "further", lambda self, by, granularity: self)


def truncations_widen_nothing(patch: Patch) -> None:
    patch.setattr(TimeOffset, "to_boundary", lambda self, unit, granularity: self)


def ties_hold_for_rows_that_an_outer_join_adds(patch: Patch) -> None:
    patch.setattr(join_predicates, "_satisfies", lambda step, term, present: True)


def rows_without_a_time_are_in_frames(patch: Patch) -> None:
    patch.setattr(bound_derivation, "is_never_missing", lambda scope, variable, partition: True)


def conditions_below_or_count(patch: Patch) -> None:
    found = tree.conjuncts

    def both(node: exp.Expr | None) -> Iterator[exp.Expr]:
        for part in found(node):
            if isinstance(part, exp.Or):
                yield from both(part.this)
                yield from both(part.expression)
            else:
                yield part

    patch.setattr(join_predicates, "conjuncts", both)


def a_limit_is_admitted(patch: Patch) -> None:
    add = safety._Search.add

    def silent(self: Any, found: CheckCode, *rest: Any, **more: Any) -> None:
        if found is not CheckCode.limit:
            add(self, found, *rest, **more)

    patch.setattr(safety._Search, "add", silent)


MUTANTS = (
    what_a_query_makes_is_the_same_everywhere,
    frames_widen_nothing,
    frames_widen_backwards_only,
    frames_are_not_swapped_under_a_descending_order,
    frames_of_rows_are_read_as_lengths_of_time,
    windows_over_windows_do_not_add_up,
    every_window_counts_as_aligned,
    joins_on_a_range_of_time_widen_nothing,
    shifts_of_the_partition_column_widen_nothing,
    truncations_widen_nothing,
    ties_hold_for_rows_that_an_outer_join_adds,
    rows_without_a_time_are_in_frames,
    conditions_below_or_count,
    a_limit_is_admitted,
)


# one of each of the modules that rules are in
KEPT = (
    what_a_query_makes_is_the_same_everywhere,
    frames_widen_nothing,
    frames_are_not_swapped_under_a_descending_order,
    joins_on_a_range_of_time_widen_nothing,
    truncations_widen_nothing,
    a_limit_is_admitted,
)


@pytest.mark.parametrize("mutant", rest(MUTANTS, *KEPT), ids=[mutant.__name__ for mutant in MUTANTS])
def test_a_rule_left_out_is_found(mutant: Callable[[Patch], None], monkeypatch: Patch) -> None:
    mutant(monkeypatch)
    assert examples_until_a_difference() is not None


@pytest.mark.sized
def test_with_every_rule_there_is_no_difference() -> None:
    assert examples_until_a_difference(size("KINDS_EXAMPLES", 100, full=3000)) is None
