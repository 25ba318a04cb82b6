"""Where a scope's partition value is fixed: by a window's keys, by GROUP BY, or by a condition that equates columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from dbt_kinds.analysis.expressions import read_integer
from dbt_kinds.analysis.join_predicates import JoinPredicate
from dbt_kinds.analysis.resolution import reader_of
from dbt_kinds.analysis.scopes import SelectScope
from dbt_kinds.analysis.terms import Term, is_fixed_by
from dbt_kinds.analysis.tree import nodes_of, without_parentheses

# contradictory conditions, a = b and a = b - 1, would loop forever
_MOST_OF_A_VARIABLE = 4
_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def equal_terms(partition: Term | None, predicates: Iterable[JoinPredicate]) -> list[Term]:
    """The partition value and every term that equals it wherever it is not NULL."""
    if partition is None:
        return []
    found, predicates = [partition], [predicate for predicate in predicates if predicate.is_equal]
    for value in found:
        for predicate in predicates:
            sides = (
                (predicate.lesser, predicate.greater, predicate.binds_lesser),
                (predicate.greater, predicate.lesser, predicate.binds_greater),
            )
            for side, other, is_bound in sides:
                length = len(side.operations)
                if is_bound and side.variable == value.variable and side.operations == value.operations[:length]:
                    rest = Term(
                        value.variable, value.operations[length:], value.kind if value.operations[length:] else None
                    )
                    reached = rest.after(other)
                    known = [term.same for term in found if term.variable == reached.variable]
                    if reached.same not in known and len(known) < _MOST_OF_A_VARIABLE:
                        found.append(reached)
    return found


def is_aligned(keys: Sequence[Term], values: Iterable[Term]) -> bool:
    """Whether rows with equal keys share one partition value."""
    return any(is_fixed_by(keys, value) for value in values)


def is_aggregating(select: exp.Expr) -> bool:
    """Whether a SELECT aggregates rows."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return any(_is_aggregate(node) for part in select.expressions for node in nodes_of(part))


def group_keys(scope: SelectScope) -> list[Term]:
    """The GROUP BY keys of every row of the result, with ordinals, aliases and ALL resolved; for grouping sets, the
    keys common to all of them.
    """
    group = scope.node.args.get("group")
    if group is None:
        return []
    if group.args.get("all"):
        plain = [part for part in scope.node.expressions if not _has_aggregate(part)]
        return [reader_of(scope).term(part) for part in plain]
    # GROUP BY a, b GROUPING SETS (…): the sets decide, and the keys before them only name their columns
    sets = group.args.get("grouping_sets") or []
    keys = [] if sets or _has_subsets(group) else group.expressions
    return [term for key in [*keys, *sets] for term in _common_keys(scope, key)]


def has_grouping_sets(group: exp.Expr) -> bool:
    """Whether a GROUP BY has ROLLUP, CUBE or GROUPING SETS, among its keys or after them."""
    return (
        bool(group.args.get("grouping_sets"))
        or _has_subsets(group)
        or any(isinstance(key, _SETS) for key in group.expressions)
    )


def _has_subsets(group: exp.Expr) -> bool:
    """Whether WITH ROLLUP or WITH CUBE follows the keys of a GROUP BY, and so leaves out each of them once."""
    return bool(group.args.get("rollup") or group.args.get("cube"))


def _common_keys(scope: SelectScope, key: exp.Expr) -> list[Term]:
    """The keys that all sets of one element of GROUP BY have; ROLLUP and CUBE also have the empty set."""
    if isinstance(key, exp.GroupingSets):
        sets = [[term for member in _members(part) for term in _common_keys(scope, member)] for part in key.expressions]
        return [term for term in sets[0] if all(term.same in {other.same for other in part} for part in sets)]
    return [] if isinstance(key, _SETS) else [_key(scope, key)]


def _key(scope: SelectScope, key: exp.Expr) -> Term:
    ordinal = read_integer(key)
    if ordinal is not None and 0 < ordinal <= len(scope.outputs):
        return scope.outputs[ordinal - 1].term
    return reader_of(scope, aliases=True).term(key)


def _members(part: exp.Expr) -> list[exp.Expr]:
    inner = without_parentheses(part)
    return list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]


def _has_aggregate(part: exp.Expr) -> bool:
    return any(_is_aggregate(node) for node in nodes_of(part))


_UNKNOWN_TO_SQLGLOT = frozenset(
    [
        "bit_and",
        "bit_or",
        "bit_xor",
        "bool_and",
        "bool_or",
        "every",
        "some",
        "any",
        "count_if",
        "first",
        "last",
        "first_value",
        "last_value",
        "kurtosis",
        "skewness",
        "max_by",
        "min_by",
        "mode",
        "percentile",
        "histogram_numeric",
        "regr_count",
        "regr_slope",
        "regr_r2",
        "collect_list",
        "collect_set",
        "try_sum",
        "try_avg",
        "listagg",
        "string_agg",
        "approx_percentile",
        "count_min_sketch",
        "hll_sketch_agg",
        "hll_union_agg",
    ]
)


def _is_aggregate(node: exp.Expr) -> bool:
    is_named = isinstance(node, exp.Anonymous) and str(node.this).lower() in _UNKNOWN_TO_SQLGLOT
    if not is_named and not isinstance(node, exp.AggFunc):
        return False
    over = node.parent
    while isinstance(over, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        over = over.parent
    return not isinstance(over, exp.Window) or over.args.get("this") is None
