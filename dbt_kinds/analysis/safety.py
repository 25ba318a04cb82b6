"""The classifier: whether a model's query may run on a slice of time, and what rules that out.

The promise it guards is per-partition equivalence: for every partition value inside the processed window, the rows
written are those that a full rebuild, made now, would give for that value. Anything that cannot be proved is refused.
Follows smelt's page Incremental Models, and is more permissive where derived tables are concerned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dbt_kinds.analysis import advice
from dbt_kinds.analysis.alignment import group_keys, is_aggregating, is_aligned
from dbt_kinds.analysis.batches import BatchClass, Bound, batch_class
from dbt_kinds.analysis.bound_derivation import Reading, Visit
from dbt_kinds.analysis.catalogue import Catalogue
from dbt_kinds.analysis.determinism import nondeterministic_calls
from dbt_kinds.analysis.findings import Finding
from dbt_kinds.analysis.interval_literals import lacks_known_unit
from dbt_kinds.analysis.parsing import Query
from dbt_kinds.analysis.read_ranges import edges_in_values, implied_series, uncertain_reads
from dbt_kinds.analysis.resolution import build_scope, reader_of
from dbt_kinds.analysis.scopes import Scope, SelectScope, SetScope, scopes_below
from dbt_kinds.analysis.terms import Term, Truncation, determines
from dbt_kinds.analysis.units import granularity_unit, is_finer, nests
from dbt_kinds.codes import SAFETY_OVERRIDES, CheckCode
from dbt_kinds.errors import UnknownOverrideError


@dataclass(frozen=True)
class Slicing:
    """How a model is cut into partitions, and the checks its author has overridden."""

    partition_column: str
    event_time_column: str
    granularity: str
    week_start: str = "monday"
    unique_key: tuple[str, ...] = ()
    overrides: frozenset[str] = frozenset()

    @property
    def unit(self) -> str:
        """The granularity; weeks that begin on Sunday are a unit of their own."""
        return granularity_unit(self.granularity, self.week_start)


@dataclass(frozen=True)
class Verdict:
    """The classifier's verdict on a query. `bounds` maps the address of a source to its bound, if it could be
    derived.
    """

    findings: tuple[Finding, ...]
    overridden: tuple[str, ...]
    bounds: Mapping[str, Bound]
    batches: BatchClass | None

    @property
    def is_admitted(self) -> bool:
        """Whether nothing refuses it."""
        return all(finding.severity == "warning" for finding in self.findings)


def classify(query: Query, slicing: Slicing, catalogue: Catalogue) -> Verdict:
    """Classifies a rendered query. Raises UnknownOverrideError; every defect of the query itself is a finding."""
    _check_overrides(slicing)
    scope = build_scope(query.tree, catalogue)
    implied = implied_series(scope)
    if implied:
        catalogue = catalogue.with_relations(implied)
        scope = build_scope(query.tree, catalogue)
    search = _Search(query, slicing, catalogue)
    reading = Reading(slicing.unit, search.meet)
    partition = _partition_of(scope, slicing)
    reading.read_model(scope, partition)
    search.look_at_output(scope, partition)
    search.look_at_whole()
    search.look_at_window(scope)
    is_without_bounds = search.is_without_bounds
    if not is_without_bounds:
        search.look_at_bounds(reading)
    lifted = {code for code in CheckCode if code.override in slicing.overrides}
    findings = sorted(search.findings.values(), key=lambda finding: (finding.place, finding.reason))
    kept = tuple(finding for finding in findings if finding.code not in lifted)
    bounds = {} if is_without_bounds else dict(sorted(reading.bounds.items()))
    # only relations declared as timeseries can be read by time
    unsaid = {relation.address for relation in implied.values()}
    said = {address: bound for address, bound in bounds.items() if address not in unsaid}
    verdict = Verdict(
        kept, tuple(sorted(code.name for code in {found.code for found in findings} & lifted)), said, None
    )
    if not verdict.is_admitted:
        return verdict
    return Verdict(kept, verdict.overridden, said, batch_class(bounds, slicing.granularity))


def _check_overrides(slicing: Slicing) -> None:
    for override in sorted(slicing.overrides - set(SAFETY_OVERRIDES)):
        known = ", ".join(SAFETY_OVERRIDES)
        raise UnknownOverrideError(f"safety_overrides has no '{override}'; it knows {known}")


def _partition_of(scope: Scope, slicing: Slicing) -> Term | None:
    return scope.column(slicing.partition_column)


class _Search:
    """Collects findings, each construct once, however often it is read."""

    def __init__(self, query: Query, slicing: Slicing, catalogue: Catalogue) -> None:
        self.query, self.slicing, self.catalogue = query, slicing, catalogue
        self.findings: dict[object, Finding] = {}

    @property
    def is_without_bounds(self) -> bool:
        """Whether there is nothing from which bounds could be derived."""
        without = {
            CheckCode.partition_not_projected,
            CheckCode.partition_not_grouped,
            CheckCode.unknown_interval_unit,
        }
        return any(finding.code in without for finding in self.findings.values())

    def add(self, code: CheckCode, node: exp.Expr, message: str, source: str | None = None) -> None:
        self.findings.setdefault((code, id(node), source), Finding(code, message, self.query.place(node), source))

    def meet(self, visit: Visit) -> None:
        """Checks a scope that depends on time."""
        scope = visit.scope
        if isinstance(scope, SetScope):
            is_rowwise = isinstance(scope.node, exp.Union) and not scope.node.args.get("distinct")
            if not is_rowwise and not visit.values:
                message = advice.distinct(type(scope.node).__name__.upper(), self.slicing.partition_column)
                self.add(CheckCode.distinct, scope.node, message)
        elif isinstance(scope, SelectScope):
            self._select(scope, visit)

    def _select(self, scope: SelectScope, visit: Visit) -> None:
        column = self.slicing.partition_column
        for window in visit.windows:
            if not window.is_bounded and not is_aligned(window.keys, visit.values):
                self.add(CheckCode.window_functions, window.node, advice.window_functions(window, column))
        is_grouped = is_aligned(group_keys(scope), visit.values)
        having = scope.node.args.get("having")
        if having is not None and not is_grouped:
            self.add(CheckCode.having, having, advice.having(column))
        if visit.is_main and not is_grouped and is_aggregating(scope.node):
            place = scope.node.args.get("group") or scope.node.expressions[0]
            self.add(CheckCode.partition_not_grouped, place, advice.partition_not_grouped(column))
        distinct = scope.node.args.get("distinct")
        if distinct is not None and not self._is_distinct_aligned(scope, distinct, visit.values):
            self.add(CheckCode.distinct, distinct, advice.distinct("DISTINCT", column))
        for subquery in scope.subqueries:
            if subquery.scope.sources:
                parent = subquery.node.parent
                place = parent if isinstance(parent, (exp.In, exp.Exists)) else subquery.node
                self.add(CheckCode.subqueries, place, advice.SUBQUERIES)

    def _is_distinct_aligned(self, scope: SelectScope, distinct: exp.Expr, values: Sequence[Term]) -> bool:
        on = distinct.args.get("on")
        if on is None:
            return any(determines(output.term, value) for output in scope.outputs for value in values) or is_aligned(
                [output.term for output in scope.outputs], values
            )
        parts = on.expressions if isinstance(on, exp.Tuple) else [on]
        return is_aligned([reader_of(scope).term(part) for part in parts], values)

    def look_at_whole(self) -> None:
        """Finds what is forbidden anywhere, even where nothing depends on time."""
        tree = self.query.tree
        for limit in tree.find_all(exp.Limit, exp.Fetch, exp.Offset):
            self.add(CheckCode.limit, limit, advice.limit("OFFSET" if isinstance(limit, exp.Offset) else "LIMIT"))
        for call in nondeterministic_calls(tree):
            self.add(CheckCode.nondeterministic, call.node, advice.nondeterministic(call.name, call.replacement))
        for interval in tree.find_all(exp.Interval):
            if lacks_known_unit(interval):
                text = interval.sql(self.query.dialect)
                self.add(CheckCode.unknown_interval_unit, interval, advice.unknown_interval_unit(text))

    def look_at_window(self, scope: Scope) -> None:
        """Finds uses of the window's edges other than as a range on a time column."""
        for condition, address in uncertain_reads(scope):
            message = advice.uncertain_read(address.rpartition(".")[2])
            self.add(CheckCode.narrow_read, condition, message, address or None)
        for edge in edges_in_values(scope, self.query.tree):
            self.add(CheckCode.nondeterministic, edge, advice.WINDOW_IN_VALUE)

    def look_at_output(self, scope: Scope, partition: Term | None) -> None:
        """Checks that the configured names are columns, and that the granularity is not finer than the values."""
        slicing, place = self.slicing, _first_projection(self.query.tree)
        column = slicing.partition_column
        if partition is None:
            self.add(CheckCode.partition_not_projected, place, advice.partition_not_projected(column))
        if not self._is_named(scope, slicing.event_time_column):
            message = advice.event_time_not_referenced(slicing.event_time_column)
            self.add(CheckCode.event_time_not_referenced, place, message)
        for key in slicing.unique_key:
            if scope.column(key) is None:
                message = advice.unique_key_not_projected(key)
                finding = Finding(CheckCode.unique_key_not_projected, message, self.query.place(place))
                self.findings[("unique_key_not_projected", key)] = finding
        coarse = _yielded(partition) if partition is not None else None
        is_cut = partition is not None and partition.kind == "date" and not nests("day", slicing.unit)
        if coarse is not None and (is_cut or is_finer(slicing.unit, coarse)):
            self.add(CheckCode.granularity_too_fine, place, advice.granularity_too_fine(column, coarse))

    def _is_named(self, scope: Scope, name: str) -> bool:
        name = name.lower()
        if any(found.name.lower() == name for found in self.query.tree.find_all(exp.Identifier)):
            return True
        outputs = [output for below in scopes_below(scope) for output in below.outputs]
        if any(isinstance(output.node, exp.Star) and output.name == name for output in outputs):
            return True
        return any(below.is_open for below in scopes_below(scope) if isinstance(below, SelectScope))

    def look_at_bounds(self, reading: Reading) -> None:
        """One finding for every unbounded source, and for every condition that reads too little of one."""
        for condition, address, of_window in reading.narrow:
            leaf = address.rpartition(".")[2]
            message = advice.early_read(leaf) if of_window else advice.narrow_read(leaf)
            self.add(CheckCode.narrow_read, condition, message, address)
        for address, bound in sorted(reading.bounds.items()):
            if bound.kind == "not_derivable":
                cause, leaf = reading.causes[address], address.rpartition(".")[2]
                is_window = isinstance(cause, exp.Window)
                message = advice.not_derivable(leaf, self.slicing.partition_column, is_window=is_window)
                self.add(CheckCode.not_derivable, cause, message, address)


def _first_projection(tree: exp.Expr) -> exp.Expr:
    select = tree.find(exp.Select)
    return select.expressions[0] if select is not None and select.expressions else tree


def _yielded(partition: Term) -> str | None:
    """The unit that the partition value is truncated to: the coarsest over the branches of a set operation."""
    units = [operation.unit for operation in partition.operations if isinstance(operation, Truncation)]
    if units:
        return units[-1]
    if partition.variable[0] == "union":
        found = [unit for term in partition.variable[1] if (unit := _yielded(term)) is not None]
        return next((unit for unit in found if not any(is_finer(unit, other) for other in found)), None)
    return "day" if partition.kind == "date" else None
