"""`cumulative_aggregate`: whether the states of single partitions, combined, are the state of the whole.

One row a GROUP BY key holds the aggregates of all source partitions so far, so a run aggregates one partition alone and
combines the result with the table. Follows smelt's page Incremental Models, section cumulative aggregates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.analysis import advice
from dbt_kinds.analysis.alignment import group_keys, has_grouping_sets, is_aggregating, is_aligned
from dbt_kinds.analysis.batches import Bound
from dbt_kinds.analysis.catalogue import Catalogue, Relation
from dbt_kinds.analysis.determinism import nondeterministic_calls
from dbt_kinds.analysis.findings import Finding
from dbt_kinds.analysis.parsing import Query
from dbt_kinds.analysis.resolution import build_scope
from dbt_kinds.analysis.scopes import Input, JoinStep, Output, Scope, SelectScope, SetScope, scopes_below, united
from dbt_kinds.analysis.terms import TIME, Term, Truncation, determines, within
from dbt_kinds.analysis.tree import without_parentheses
from dbt_kinds.codes import CheckCode

# how two states of a partition combine into one
_COMBINERS: dict[type[exp.Expr], str] = {
    exp.Count: "add",
    exp.Sum: "add",
    exp.Min: "least",
    exp.Max: "greatest",
    exp.LogicalAnd: "and",
    exp.LogicalOr: "or",
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseXorAgg: "bit_xor",
}
_BY_NAME = {"every": "and", "bool_and": "and", "bool_or": "or", "some": "or", "any": "or"}


@dataclass(frozen=True)
class Cumulation:
    """The classifier's verdict on a cumulative query, and how to merge it if nothing rules that out."""

    findings: tuple[Finding, ...]
    driving_source: str | None = None
    unique_key: tuple[str, ...] = ()
    combine: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_admitted(self) -> bool:
        """Whether it may be merged partition by partition."""
        return not self.findings

    @property
    def bounds(self) -> dict[str, Bound]:
        """A partition's state only reads that partition of the driving source."""
        return {self.driving_source: Bound("bounded")} if self.driving_source is not None else {}


def classify_cumulative(query: Query, catalogue: Catalogue) -> Cumulation:
    """Classifies a rendered query; each defect is a finding, with the name of smelt's error as its code."""
    scope = build_scope(query.tree, catalogue)
    search = _Search(query)
    search.look_at_whole(scope)
    driving = search.driving_source(scope)
    keys = search.keys(scope)
    combine = search.combiners(scope, keys)
    if driving is not None:
        search.look_below(scope, driving, keys)
    findings = tuple(sorted(search.findings, key=lambda found: (found.place, found.code.name)))
    unique_key = tuple(output.name for output in keys)
    return Cumulation(findings, driving.address if driving is not None else None, unique_key, combine)


class _Search:
    def __init__(self, query: Query) -> None:
        self.query = query
        self.findings: list[Finding] = []

    def add(self, code: CheckCode, node: exp.Expr, message: str) -> None:
        found = Finding(code, message, self.query.place(node))
        if found not in self.findings:
            self.findings.append(found)

    def look_at_whole(self, scope: Scope) -> None:
        """Finds constructs that are forbidden anywhere in the query."""
        for window in self.query.tree.find_all(exp.Window):
            self.add(CheckCode.CumulativeForbidsWindowFunctions, window, advice.CUMULATIVE_WINDOW)
        for call in nondeterministic_calls(self.query.tree):
            self.add(
                CheckCode.CumulativeForbidsNondeterministic, call.node, advice.cumulative_nondeterministic(call.name)
            )
        for limit in self.query.tree.find_all(exp.Limit, exp.Fetch, exp.Offset):
            self.add(CheckCode.limit, limit, advice.cumulative_clause("LIMIT"))
        for below in scopes_below(scope):
            for subquery in below.subqueries if isinstance(below, SelectScope) else []:
                if subquery.scope.sources:
                    self.add(CheckCode.subqueries, subquery.node, advice.CUMULATIVE_SUBQUERY)

    def driving_source(self, scope: Scope) -> Relation | None:
        """The one timeseries source, which supplies every aggregated row."""
        tree = self.query.tree
        relations = {found.address: found for found in _timeseries_read(scope)}
        if not relations:
            self.add(CheckCode.CumulativeNoDrivingSource, tree, advice.CUMULATIVE_NO_SOURCE)
            return None
        if len(relations) > 1:
            self.add(CheckCode.CumulativeMultipleDrivingSources, tree, advice.cumulative_sources(sorted(relations)))
            return None
        driving = next(iter(relations.values()))
        if _times_read(scope) > 1:
            self.add(CheckCode.CumulativeMultipleDrivingSources, tree, advice.cumulative_read_twice(driving.leaf))
        return driving

    def keys(self, scope: Scope) -> list[Output]:
        """The output columns that form the unique key."""
        group = scope.node.args.get("group") if isinstance(scope, SelectScope) else None
        if not isinstance(scope, SelectScope) or group is None:
            self.add(CheckCode.CumulativeRequiresGroupBy, self.query.tree, advice.CUMULATIVE_GROUP_BY)
            return []
        if has_grouping_sets(group):
            self.add(CheckCode.CumulativeRequiresGroupBy, group, advice.CUMULATIVE_GROUPING_SETS)
            return []
        terms = group_keys(scope)
        projected = {output.term.same for output in scope.outputs}
        if not terms or any(term.same not in projected for term in terms):
            self.add(CheckCode.CumulativeRequiresGroupBy, group, advice.CUMULATIVE_KEY_NOT_PROJECTED)
        wanted = {term.same for term in terms}
        return [output for output in scope.outputs if output.term.same in wanted]

    def combiners(self, scope: Scope, keys: list[Output]) -> dict[str, str]:
        """The combiner of every other output."""
        group = scope.node.args.get("group")
        if not isinstance(scope, SelectScope) or group is None or has_grouping_sets(group):
            return {}
        for code in (CheckCode.having, CheckCode.distinct):
            clause = scope.node.args.get(code.name)
            if clause is not None:
                self.add(code, clause, advice.cumulative_clause(code.name.upper()))
        forbidden = {id(call.node) for call in nondeterministic_calls(self.query.tree)}
        forbidden |= {id(window) for window in self.query.tree.find_all(exp.Window)}
        found = {}
        for output in scope.outputs:
            if any(output is key for key in keys):
                continue
            if output.node is not None and any(id(node) in forbidden for node in output.node.walk()):
                # already reported as a finding
                continue
            combiner = _combiner(output.node)
            if combiner is None or not output.name or not _is_named(output.node):
                text = output.node.sql(self.query.dialect) if output.node is not None else output.name
                place = output.node if output.node is not None else scope.node
                self.add(CheckCode.CumulativeUnknownAggregator, place, advice.cumulative_aggregator(text))
            else:
                found[output.name] = combiner
        return found

    def look_below(self, scope: Scope, driving: Relation, keys: list[Output]) -> None:
        """Checks that the aggregated rows come partition by partition."""
        if not isinstance(scope, SelectScope):
            return
        partition = self._partition(scope, driving, is_outermost=True)
        if partition is None:
            return
        series = driving.timeseries
        assert series is not None
        for key in keys:
            if determines(key.term, partition):
                message = advice.cumulative_partition(series.partition_column)
                self.add(CheckCode.CumulativeGroupByContainsPartitionColumn, scope.node.args["group"], message)

    def _partition(self, scope: Scope, driving: Relation, *, is_outermost: bool = False) -> Term | None:
        """The driving source's partition value in a scope, whether or not it is projected."""
        if isinstance(scope, SetScope):
            is_rowwise = isinstance(scope.node, exp.Union) and not scope.node.args.get("distinct")
            if not is_rowwise:
                self.add(CheckCode.distinct, scope.node, advice.cumulative_clause(type(scope.node).__name__.upper()))
            terms = [self._partition(branch, driving) for branch in scope.branches]
            for branch in scope.branches:
                if not branch.sources:
                    self.add(
                        CheckCode.CumulativeNoDrivingSource, branch.node, advice.cumulative_other_rows(driving.leaf)
                    )
            found = [term for term in terms if term is not None]
            return united(found) if len(found) == len(terms) else None
        if not isinstance(scope, SelectScope):
            return None
        partition = None
        for name, read in scope.inputs.items():
            if _is_timeseries(read):
                series = driving.timeseries
                assert series is not None
                partition = within(name, Term(TIME, (Truncation(series.unit),)))
            elif read.query is not None and read.query.sources:
                inner = self._partition(read.query, driving)
                partition = within(name, inner) if inner is not None else None
            else:
                continue
            if any(_adds_rows_without(step, name) for step in scope.joins):
                self.add(CheckCode.CumulativeNoDrivingSource, read.node, advice.cumulative_other_rows(driving.leaf))
        values = [partition] if partition is not None else []
        if not is_outermost and scope.sources:
            if is_aggregating(scope.node) and not is_aligned(group_keys(scope), values):
                place = scope.node.args.get("group") or scope.node.expressions[0]
                self.add(CheckCode.partition_not_grouped, place, advice.cumulative_below(driving.leaf))
            distinct = scope.node.args.get("distinct")
            if distinct is not None and not is_aligned([output.term for output in scope.outputs], values):
                self.add(CheckCode.distinct, distinct, advice.cumulative_clause("DISTINCT"))
        return partition


def _timeseries_read(scope: Scope) -> Iterator[Relation]:
    for below in scopes_below(scope):
        for read in below.inputs.values() if isinstance(below, SelectScope) else []:
            if _is_timeseries(read) and read.relation is not None:
                yield read.relation


def _is_timeseries(read: Input) -> bool:
    return read.query is None and read.relation is not None and read.relation.timeseries is not None


def _times_read(scope: Scope) -> int:
    """How often one row of the result may read the driving source; branches of a union do not add up."""
    if isinstance(scope, SetScope):
        return max(_times_read(branch) for branch in scope.branches)
    if not isinstance(scope, SelectScope):
        return 0
    return sum(
        _times_read(read.query) if read.query is not None else int(_is_timeseries(read))
        for read in scope.inputs.values()
    )


def _adds_rows_without(step: JoinStep, name: str) -> bool:
    """Whether a join produces rows without a row of the input, which every partition would produce again."""
    is_left, is_right = name in step.left, name in step.right
    if step.side == "LEFT":
        return is_right
    if step.side == "RIGHT":
        return is_left
    return step.side == "FULL" or (step.side in ("SEMI", "ANTI") and is_right)


def _combiner(node: exp.Expr | None) -> str | None:
    """The combiner of one aggregate call; None for anything else."""
    if node is None:
        return None
    call = without_parentheses(node)
    if isinstance(call, exp.Filter):
        call = call.this
    if isinstance(call, exp.Anonymous):
        return _BY_NAME.get(str(call.this).lower())
    if isinstance(call.args.get("this"), exp.Distinct):
        return None
    return _COMBINERS.get(type(call))


def _is_named(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Alias)
