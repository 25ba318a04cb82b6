"""What a model's own conditions on the window let it read, and where that is too little.

A compiled query contains its window as sentinels, a comment and a literal. The analysis replaces them by calls that
represent the window's edges, so that it does not depend on the literals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sqlglot import exp

from dbt_kinds.analysis.catalogue import Relation, Timeseries
from dbt_kinds.analysis.join_predicates import Comparison, comparisons
from dbt_kinds.analysis.margins import DAY, Margin, read_iso
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import Input, Scope, SelectScope, scopes_below, sources_of
from dbt_kinds.analysis.terms import TIME, Shift, Term, Truncation, Variable, inputs_of
from dbt_kinds.analysis.time_offsets import Range, TimeOffset
from dbt_kinds.analysis.tree import clause, conjuncts, nodes_of, table_name
from dbt_kinds.analysis.units import granularity_unit, length_of, rounded_up

_LITERAL = r"(?:(?:timestamp|timestamp_ntz|date) )?(?:'[^']*'|-?[0-9]+(?:[.][0-9]+)?)"
_SENTINEL = re.compile(
    r"/\*kinds:(?:(start|end)_(dt|dtntz|date|ds|ts|tstz|epoch|millis|hour)|source_(start|end) (\{.*?\}))\*/ " + _LITERAL
)
# numbers are not compared with any time that could be read
_FORMS = {
    **dict.fromkeys(("date", "ds"), "date"),
    **dict.fromkeys(("dt", "dtntz", "ts", "tstz"), "instant"),
    **dict.fromkeys(("epoch", "millis", "hour"), "number"),
}
_CALL = "kinds_window_"


class Edge(NamedTuple):
    """A side of the window. `form` is `date`, of the first or last day inside; `instant`, the first or last one
    inside; `source`, the half-open bounds of what `window_of` reads; or `number`.
    """

    side: str
    form: str


_EDGES: dict[Variable, Edge] = {
    ("expression", repr(("call", f"{_CALL}{side}_{form}", [])), ()): Edge(side, form)
    for side in ("start", "end")
    for form in ("date", "instant", "source", "number")
}


class Narrow(NamedTuple):
    """A condition that cuts off rows; `of_window` if they are the window's own rows, not those around it."""

    condition: exp.Expr
    source: str
    of_window: bool


class _EdgeComparison(NamedTuple):
    """A condition's comparison of a time with an edge."""

    edge: Edge
    at: Term
    time: Term
    comparison: Comparison


def with_edges(sql: str) -> str:
    """The compiled query with calls in place of its window's sentinels; line numbers do not change."""

    def edge(found: re.Match[str]) -> str:
        if found[1]:
            return f"{_CALL}{found[1]}_{_FORMS[found[2]]}()"
        side, said = found[3], json.loads(found[4])
        margin = read_iso(said["before" if side == "start" else "after"]) or Margin()
        if said.get("unit", "none") != "none":
            margin = rounded_up(margin, granularity_unit(said["unit"], said.get("week_start", "monday")))
        sign = "-" if side == "start" else "+"
        return (
            f"({_CALL}{side}_source() {sign} INTERVAL '{margin.months}' MONTH "
            f"{sign} INTERVAL '{margin.micros}' MICROSECOND)"
        )

    return _SENTINEL.sub(edge, sql)


def narrow_reads(scope: SelectScope, ranges: Mapping[Variable, Range], kind: str, granularity: str) -> Iterator[Narrow]:
    """The conditions of a SELECT that cut off rows it needs, each with its source."""
    for condition in _conditions(scope):
        for found in _edge_comparisons(scope, condition):
            needed, source = ranges.get(found.time.variable), _source_of(scope, found.time.variable)
            if needed is None or source is None or found.edge.form == "number":
                continue
            for side in ("start", "end") if found.comparison.is_equal else (found.edge.side,):
                offset = needed.before if side == "start" else needed.after
                read = _read(found, side)
                is_endless = kind == "unbounded" and side == "start"
                if is_endless or not _covers(read, offset, granularity):
                    yield Narrow(condition, source, of_window=_is_negative(read))


def uncertain_reads(scope: Scope) -> Iterator[tuple[exp.Expr, str]]:
    """The conditions on the window that cannot be analyzed, each with a source it refers to, if any."""
    for below, condition in _conditions_below(scope):
        known = [
            found
            for found in _edge_comparisons(below, condition)
            if found.edge.form != "number" and _source_of(below, found.time.variable) is not None
        ]
        if len(list(_edge_calls(condition))) > len(known):
            yield condition, _spoken_of(below, condition)


def edges_in_values(scope: Scope, tree: exp.Expr) -> Iterator[exp.Expr]:
    """The edges used outside WHERE and ON, which make row values differ from batch to batch."""
    read = {id(call) for _, condition in _conditions_below(scope) for call in _edge_calls(condition)}
    for node in tree.walk():
        if _is_edge(node) and id(node) not in read:
            yield node


def implied_series(scope: Scope) -> dict[str, Relation]:
    """The look-ups that a condition on the window restricts, by their written names: what is read in slices has a
    time, whether or not it is declared.
    """
    found: dict[str, Relation] = {}
    for below, condition in _conditions_below(scope):
        for one in _edge_comparisons(below, condition):
            read, column = _column_of(below, one.time.variable)
            if read is not None and isinstance(read.node, exp.Table) and isinstance(read.node.this, exp.Identifier):
                name = table_name(read.node)
                relation = read.relation or Relation(name)
                found.setdefault(name, Relation(relation.address, relation.columns, Timeseries(column, column, "day")))
    return found


def _conditions(scope: SelectScope) -> Iterator[exp.Expr]:
    """The conditions on the window that must hold for the rows a SELECT reads."""
    for whole in [clause(scope.node, "where"), *(step.on for step in scope.joins)]:
        for part in conjuncts(whole):
            if any(True for _ in _edge_calls(part)):
                yield part


def _conditions_below(scope: Scope) -> Iterator[tuple[SelectScope, exp.Expr]]:
    """The same for every SELECT of a query."""
    for below in scopes_below(scope):
        if isinstance(below, SelectScope):
            for condition in _conditions(below):
                yield below, condition


def _edge_calls(condition: exp.Expr) -> Iterator[exp.Expr]:
    return (node for node in nodes_of(condition) if _is_edge(node))


def _is_edge(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this).lower().startswith(_CALL)


def _edge_comparisons(scope: SelectScope, condition: exp.Expr) -> Iterator[_EdgeComparison]:
    """The comparisons of a condition that bound a time by the window's edge on that side."""
    for found in comparisons(reader_of(scope), condition):
        for side, at, time in (("start", found.lesser, found.greater), ("end", found.greater, found.lesser)):
            edge = _EDGES.get(at.variable)
            if edge is not None and (edge.side == side or found.is_equal) and time.variable not in _EDGES:
                yield _EdgeComparison(edge, at, time, found)


def _read(found: _EdgeComparison, side: str) -> Margin:
    """How far beyond a side of the window the condition admits values; negative if it ends before."""
    time = found.time
    margin = Margin()
    for operation in found.at.operations:
        if isinstance(operation, Shift):
            margin = margin.plus(operation.by)
    for operation in time.operations:
        if isinstance(operation, Shift):
            margin = margin.plus(operation.by.negated())
    margin = margin.plus(_inside(found, side))
    margin = margin.negated() if side == "start" else margin
    for operation in time.operations:
        length = length_of(operation.unit).micros if isinstance(operation, Truncation) else 0
        if length:
            # the first value after the edge is the next whole unit
            margin = Margin(margin.months, margin.micros // length * length)
    return margin


def _inside(found: _EdgeComparison, side: str) -> Margin:
    """How much later than the window's start, or earlier (negative) than its end, the edge itself begins or ends."""
    edge, time, is_strict = found.edge, found.time, found.comparison.is_strict
    if found.comparison.is_equal and edge.side != side:
        # one value of several
        return Margin(0, DAY if side == "start" else -DAY)
    cuts = [operation.unit for operation in found.at.operations if isinstance(operation, Truncation)]
    form = "date" if "day" in cuts and edge.form == "instant" else edge.form
    is_date = time.kind == "date"
    if side == "start":
        if not is_strict:
            return Margin()
        return Margin(0, DAY if is_date else 1)
    coarse = [length_of(unit) for unit in cuts if unit != "day"]
    if coarse:
        return coarse[-1].negated()
    if form == "date":
        return Margin(0, -DAY) if is_strict or time.kind == "timestamp" else Margin()
    return Margin(0, -1) if form == "instant" and is_strict and not is_date else Margin()


def _is_negative(margin: Margin) -> bool:
    return margin.months < 0 or margin.micros < 0


def _covers(read: Margin, needed: TimeOffset | None, granularity: str) -> bool:
    if needed is None:
        return False
    wanted = needed.settled(granularity)
    if read.months >= wanted.months and read.micros >= wanted.micros:
        return True
    return read.months * 28 * DAY + read.micros >= wanted.months * 31 * DAY + wanted.micros


def _source_of(scope: Scope, variable: Variable) -> str | None:
    """The timeseries source whose time a variable is."""
    read, of = _origin(scope, variable)
    if read is None or read.relation is None or read.relation.timeseries is None or of != TIME:
        return None
    return read.relation.address


def _column_of(scope: Scope, variable: Variable) -> tuple[Input | None, str]:
    """The look-up whose column a variable is, and the column's name."""
    read, of = _origin(scope, variable)
    is_lookup = read is not None and (read.relation is None or read.relation.timeseries is None)
    return (read, str(of[1])) if is_lookup and of[0] == "column" else (None, "")


def _origin(scope: Scope, variable: Variable) -> tuple[Input | None, Variable]:
    """The origin of a variable below all CTEs and subqueries, and what it is there."""
    if not isinstance(scope, SelectScope) or variable[0] != "in" or variable[1] not in scope.inputs:
        return None, variable
    read = scope.inputs[variable[1]]
    return _origin(read.query, variable[2]) if read.query is not None else (read, variable[2])


def _spoken_of(scope: SelectScope, condition: exp.Expr) -> str:
    """The address of a source, or else of a look-up, that a condition or its SELECT reads; empty if there is none."""
    terms = [reader_of(scope).term(node) for node in nodes_of(condition) if isinstance(node, exp.Column)]
    names = [name for term in terms for name in sorted(inputs_of(term.variable))]
    reads = [scope.inputs[name] for name in [*names, *scope.inputs] if name in scope.inputs]
    sources = [source for read in reads for source in sorted(sources_of(read))]
    lookups = [read.relation.address for read in reads if read.relation is not None]
    return next(iter([*sources, *lookups]), "")
