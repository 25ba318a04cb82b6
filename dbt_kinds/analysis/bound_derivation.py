"""A single descent through a query: what every scope needs of its inputs, and what requires too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.analysis.alignment import equal_terms, is_aligned
from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.join_predicates import JoinPredicate, is_never_missing, predicates_of, relax
from dbt_kinds.analysis.read_ranges import Narrow, narrow_reads
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import Input, Scope, SelectScope, SetScope, Subquery
from dbt_kinds.analysis.terms import (
    TIME,
    Term,
    Truncation,
    Variable,
    inputs_of,
    inside,
    inside_variable,
    is_outer,
    within,
)
from dbt_kinds.analysis.time_offsets import WINDOW, Range, TimeOffset, backward, forward
from dbt_kinds.analysis.tree import clause, conjuncts
from dbt_kinds.analysis.units import length_order, nests
from dbt_kinds.analysis.windows import Frame, Window, windows_of


@dataclass(frozen=True)
class Need:
    """What is required of a scope: rows whose variables lie in ranges, by a partition value. `kind` is the worst
    bound class imposed by windows above it; `is_main` if the value is the model's own, not one tied to it.
    """

    ranges: Mapping[Variable, Range]
    partition: Term | None
    kind: str = "bounded"
    is_main: bool = False

    @property
    def key(self) -> object:
        """The identity of a need."""
        return frozenset(self.ranges.items()), self.partition, self.kind, self.is_main


@dataclass(frozen=True)
class Visit:
    """A scope as visited on the way down, with all terms that carry its partition value."""

    scope: Scope
    values: list[Term]
    windows: list[Window]
    is_main: bool


@dataclass
class Reading:
    """The descent. `met` is called for every scope that depends on time."""

    granularity: str
    met: Callable[[Visit], None]
    bounds: dict[str, Bound] = field(default_factory=dict)
    causes: dict[str, exp.Expr] = field(default_factory=dict)
    narrow: list[Narrow] = field(default_factory=list)
    _done: set[object] = field(default_factory=set)

    def read_model(self, scope: Scope, partition: Term | None) -> None:
        """Reads the outermost scope for a window of its partition values."""
        ranges = {}
        if partition is not None:
            ranges[partition.variable] = backward(WINDOW, partition.operations, self.granularity)
        self._read(scope, Need(ranges, partition, is_main=partition is not None), None)

    def _read(self, scope: Scope, need: Need, cause: exp.Expr | None) -> None:
        key = (id(scope), need.key)
        if key in self._done or not scope.sources:
            return
        self._done.add(key)
        if isinstance(scope, SetScope):
            self.met(Visit(scope, [need.partition] if need.partition is not None else [], [], need.is_main))
            for number, branch in enumerate(scope.branches):
                self._read(branch, self._branch_need(need, number), cause)
        elif isinstance(scope, SelectScope):
            self._select(scope, need, cause)

    def _branch_need(self, need: Need, number: int) -> Need:
        ranges: dict[Variable, Range] = {}
        for variable, range_ in need.ranges.items():
            if is_outer(variable):
                ranges[variable] = range_
            elif (term := _in_branch(Term(variable), number)) is not None:
                ranges[term.variable] = backward(range_, term.operations, self.granularity)
        partition = _in_branch(need.partition, number) if need.partition is not None else None
        return Need(ranges, partition, need.kind, need.is_main)

    def _select(self, scope: SelectScope, need: Need, cause: exp.Expr | None) -> None:
        partition = need.partition or self._correlated(scope, need)
        predicates = predicates_of(scope, partition)
        windows = list(windows_of(scope))
        values = equal_terms(partition, predicates)
        self.met(Visit(scope, values, windows, need.is_main))
        known = relax(need.ranges, predicates, self.granularity)
        starts, kind = [dict(need.ranges)], need.kind
        outer = {variable: range_ for variable, range_ in need.ranges.items() if is_outer(variable)}
        for window in windows:
            if is_aligned(window.keys, values):
                seen = self._same_value(partition, known)
            elif (frame := window.frame) is not None and window.is_bounded and not window.looks_too_far:
                # rows without a time share one frame, whatever their day; but not in the guarded form of LAG
                is_timed = window.is_guarded or is_never_missing(scope, frame.key.variable, partition)
                seen = self._framed(frame, known) if is_timed else None
            else:
                seen = None
            if seen is not None:
                # a condition from above on another column does not apply below a window
                starts.append(outer | seen)
                continue
            own = "not_derivable" if window.looks_too_far or window.is_bounded else "unbounded"
            if _grade(own) > _grade(kind):
                kind, cause = own, window.node
        ranges = _widest([relax(start, predicates, self.granularity) for start in starts], self.granularity)
        self.narrow += narrow_reads(scope, ranges, kind, self.granularity)
        for name, read in scope.inputs.items():
            if read.query is None:
                self._record(read, ranges.get(within(name, Term(TIME)).variable), kind, cause)
            elif read.is_opaque:
                self._read(read.query, Need({}, None, "not_derivable"), read.node)
            else:
                self._read(
                    read.query, self._input_need(name, read, ranges, predicates, partition, values, kind, need), cause
                )
        for subquery in scope.subqueries:
            if not isinstance(subquery.node, exp.Lateral):
                self._read(subquery.scope, self._subquery_need(scope, subquery, ranges, kind), cause)

    def _correlated(self, scope: SelectScope, need: Need) -> Term | None:
        """The term of a subquery that its own conditions tie to the outer query."""
        if not any(is_outer(variable) for variable in need.ranges):
            return None
        predicates = predicates_of(scope, None)
        return self._tied(predicates, relax(need.ranges, predicates, self.granularity), None)

    def _tied(self, predicates: list[JoinPredicate], ranges: Mapping[Variable, Range], name: str | None) -> Term | None:
        """A term that predicates bound on both sides, of one input or of the scope itself; equalities are preferred."""
        for predicate in sorted(predicates, key=lambda predicate: not predicate.is_equal):
            for term, other in ((predicate.lesser, predicate.greater), (predicate.greater, predicate.lesser)):
                of = inputs_of(term.variable)
                if name is None:
                    is_wanted = bool(of) and is_outer(other.variable)
                else:
                    is_wanted = of == {name} and inputs_of(other.variable) != {name}
                if is_wanted and not is_outer(term.variable) and _is_bounded(ranges.get(term.variable)):
                    return term
        return None

    def _same_value(self, partition: Term | None, known: Mapping[Variable, Range]) -> dict[Variable, Range] | None:
        """What an aligned window sees: all rows with the required partition values."""
        if partition is None or partition.variable not in known:
            return None
        value = forward(known[partition.variable], partition.operations, self.granularity)
        return {partition.variable: backward(value, partition.operations, self.granularity)}

    def _framed(self, frame: Frame, known: Mapping[Variable, Range]) -> dict[Variable, Range] | None:
        """What a bounded window sees: rows whose key is within the frame's distance of a required row."""
        key, range_ = frame.key, known.get(frame.key.variable)
        is_time = len(key.operations) <= 1 and all(
            isinstance(operation, Truncation) and nests(operation.unit, self.granularity)
            for operation in key.operations
        )
        if range_ is None or range_.before is None or range_.after is None or not is_time:
            return None
        value = forward(range_, key.operations, self.granularity)
        assert value.before is not None and value.after is not None
        wide = Range(
            value.before.further(frame.before, self.granularity), value.after.further(frame.after, self.granularity)
        )
        return {key.variable: backward(wide, key.operations, self.granularity)}

    def _input_need(
        self,
        name: str,
        read: Input,
        ranges: Mapping[Variable, Range],
        predicates: list[JoinPredicate],
        partition: Term | None,
        values: list[Term],
        kind: str,
        need: Need,
    ) -> Need:
        own: Term | None = inside(name, partition) if partition is not None else None
        is_main = need.is_main and own is not None
        if own is None:
            equal = [found for value in values if (found := inside(name, value)) is not None]
            tied = self._tied(predicates, ranges, name)
            own = equal[0] if equal else inside(name, tied) if tied is not None else None
        below = {
            variable: range_
            for outer, range_ in ranges.items()
            if (variable := inside_variable(name, outer)) is not None
        }
        if own is not None and own.variable not in below:
            lies = ranges.get(within(name, own).variable)
            below |= {own.variable: lies} if lies is not None else {}
        if read.is_lateral:
            below |= {("up", variable): range_ for variable, range_ in ranges.items()}
        return Need(below, own, kind, is_main)

    def _subquery_need(
        self, scope: SelectScope, subquery: Subquery, ranges: Mapping[Variable, Range], kind: str
    ) -> Need:
        below: dict[Variable, Range] = {("up", variable): range_ for variable, range_ in ranges.items()}
        membership = subquery.node.parent
        partition = None
        if isinstance(membership, exp.In) and _is_conjunct(scope, membership) and subquery.scope.outputs:
            compared, output = reader_of(scope).term(membership.this), subquery.scope.outputs[0].term
            if compared.variable in ranges:
                value = forward(ranges[compared.variable], compared.operations, self.granularity)
                below[output.variable] = backward(value, output.operations, self.granularity)
                partition = output
        return Need(below, partition, kind)

    def _record(self, read: Input, range_: Range | None, kind: str, cause: exp.Expr | None) -> None:
        relation = read.relation
        if relation is None or relation.timeseries is None:
            return
        bound = Bound(kind)
        if range_ is None or range_.after is None:
            bound, cause = Bound("not_derivable"), cause if kind == "not_derivable" else read.node
        elif range_.before is None:
            bound = bound.worst(Bound("unbounded"))
        elif kind == "bounded":
            before, after = (
                side.settled(self.granularity, relation.value_unit) for side in (range_.before, range_.after)
            )
            bound = Bound("bounded", before.clipped(), after.clipped())
        known = self.bounds.get(relation.address)
        self.bounds[relation.address] = bound.worst(known) if known is not None else bound
        if bound.kind == "not_derivable":
            self.causes.setdefault(relation.address, cause if cause is not None else read.node)


def _widest(found: list[dict[Variable, Range]], granularity: str) -> dict[Variable, Range]:
    """The range common to all alternatives that a value may be."""
    widest = found[0]
    for ranges in found[1:]:
        widest = {
            variable: Range(
                _wider(range_.before, ranges[variable].before, granularity),
                _wider(range_.after, ranges[variable].after, granularity),
            )
            for variable, range_ in widest.items()
            if variable in ranges
        }
    return widest


def _wider(one: TimeOffset | None, other: TimeOffset | None, granularity: str) -> TimeOffset | None:
    if one is None or other is None:
        return None
    grains = sorted({grain for grain in (one.grain, other.grain) if grain is not None}, key=length_order)
    if all(nests(grain, grains[-1]) for grain in grains):
        return TimeOffset(one.margin.largest(other.margin), grains[-1] if grains else None)
    return TimeOffset(one.settled(granularity).largest(other.settled(granularity)))


def _grade(kind: str) -> int:
    return ("bounded", "unbounded", "not_derivable").index(kind)


def _is_bounded(range_: Range | None) -> bool:
    return range_ is not None and range_.before is not None and range_.after is not None


def _is_conjunct(scope: SelectScope, node: exp.Expr) -> bool:
    conditions = [clause(scope.node, "where"), *(step.on for step in scope.joins)]
    return any(found is node for condition in conditions for found in conjuncts(condition))


def _in_branch(term: Term, number: int) -> Term | None:
    """A term of a set operation as seen by one of its branches."""
    kind = term.variable[0]
    if kind == "union":
        of: Term = term.variable[1][number]
        return term.after(of)
    if kind == "expression" and term.variable[2]:
        parts = [_in_branch(part, number) for part in term.variable[2]]
        found = tuple(part for part in parts if part is not None)
        if len(found) == len(parts):
            return term._replace(variable=("expression", term.variable[1], found))
    return None
