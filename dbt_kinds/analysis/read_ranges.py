"""What a model's own conditions on the window let it read, and where that is less than it needs.

A compiled query says its window in sentinels, a comment and a literal. For the analysis they become calls that stand
for the window's edges, so that a condition is compared with what is needed whatever the literal happens to be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from sqlglot import exp

from dbt_kinds.analysis.margins import DAY, Margin, read_iso
from dbt_kinds.analysis.reaches import Range, Reach
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import Scope, SelectScope
from dbt_kinds.analysis.terms import TIME, Shift, Term, Truncation, Variable
from dbt_kinds.analysis.ties import comparisons
from dbt_kinds.analysis.tree import clause, conjuncts
from dbt_kinds.analysis.units import LENGTHS, granularity_unit, rounded_up

_LITERAL = r"(?:(?:timestamp|timestamp_ntz|date) )?(?:'[^']*'|-?[0-9]+(?:[.][0-9]+)?)"
_SENTINEL = re.compile(
    rf"/\*kinds:(?:(start|end)_(?:dt|dtntz|date|ds|ts|tstz)|source_(start|end) (\{{.*?\}}))\*/ {_LITERAL}"
)
_EDGES: dict[Variable, str] = {
    ("expression", repr(("call", f"kinds_window_{side}", [])), ()): side for side in ("start", "end")
}


def with_edges(sql: str) -> str:
    """The compiled query with calls instead of the sentinels of its window; lines stay where they are."""

    def edge(found: re.Match[str]) -> str:
        if found[1]:
            return f"kinds_window_{found[1]}()"
        said = json.loads(found[3])
        margin = read_iso(said["before" if found[2] == "start" else "after"]) or Margin()
        if said.get("unit", "none") != "none":
            margin = rounded_up(margin, granularity_unit(said["unit"], said.get("week_start", "monday")))
        sign = "-" if found[2] == "start" else "+"
        return (
            f"(kinds_window_{found[2]}() {sign} INTERVAL '{margin.months}' MONTH "
            f"{sign} INTERVAL '{margin.micros}' MICROSECOND)"
        )

    return _SENTINEL.sub(edge, sql)


def narrow_reads(
    scope: SelectScope, ranges: Mapping[Variable, Range], kind: str, granularity: str
) -> Iterator[tuple[exp.Expr, str]]:
    """The conditions of a SELECT that cut off rows it needs, each with the source that they are of."""
    conditions = [clause(scope.node, "where"), *(step.on for step in scope.joins)]
    for condition in (part for whole in conditions for part in conjuncts(whole)):
        for found in comparisons(reader_of(scope), condition):
            sides = [("start", found.lesser, found.greater)] if not found.is_equal else []
            sides += [("end", found.greater, found.lesser)] if not found.is_equal else []
            for side, edge, time in sides:
                needed = ranges.get(time.variable)
                source = _source_of(scope, time.variable)
                if _EDGES.get(edge.variable) != side or needed is None or source is None:
                    continue
                reach = needed.before if side == "start" else needed.after
                is_endless = kind == "unbounded" and side == "start"
                if is_endless or not _covers(_read(edge, time, side), reach, granularity):
                    yield condition, source


def _read(edge: Term, time: Term, side: str) -> Margin:
    """How far beyond the edge the condition lets values be."""
    margin = Margin()
    for operation in edge.operations:
        if isinstance(operation, Shift):
            margin = margin.plus(operation.by)
    for operation in time.operations:
        if isinstance(operation, Shift):
            margin = margin.plus(operation.by.negated())
    margin = margin.negated() if side == "start" else margin
    for operation in time.operations:
        length = LENGTHS[operation.unit].micros if isinstance(operation, Truncation) else 0
        if length:
            # the first value behind the edge is the next whole unit
            margin = Margin(margin.months, margin.micros // length * length)
    return margin


def _covers(read: Margin, needed: Reach | None, granularity: str) -> bool:
    if needed is None:
        return False
    wanted = needed.settled(granularity)
    if read.months >= wanted.months and read.micros >= wanted.micros:
        return True
    return read.months * 28 * DAY + read.micros >= wanted.months * 31 * DAY + wanted.micros


def _source_of(scope: Scope, variable: Variable) -> str | None:
    """The timeseries source whose time a variable is."""
    if not isinstance(scope, SelectScope) or variable[0] != "in" or variable[1] not in scope.inputs:
        return None
    read = scope.inputs[variable[1]]
    if read.query is not None:
        return _source_of(read.query, variable[2])
    if read.relation is None or read.relation.timeseries is None or variable[2] != TIME:
        return None
    return read.relation.address
