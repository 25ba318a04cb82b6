"""Aggregates that build a list or a string from a group's values.

Spark's COLLECT_LIST drops NULLs, accepts no ORDER BY, and returns an empty list without rows; Spark 3.5 has no LISTAGG.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from dbt_kinds.translation.calls import call, unless_null
from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites

# wrappers of an aggregate that belong to it
_AROUND = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.Window)
# for these a row with NULL is one that is not there
_LEAVE_NULL_OUT = (
    *(exp.Avg, exp.Count, exp.CountIf, exp.LogicalAnd, exp.LogicalOr, exp.Max, exp.Median, exp.Min, exp.Stddev),
    *(exp.StddevPop, exp.StddevSamp, exp.Sum, exp.Variance, exp.VariancePop),
)
# BigQuery's tables store no NULL for arrays
_EMPTY_LIST_OF_NOTHING = frozenset({"bigquery", "clickhouse", "snowflake"})
_EMPTY_TEXT_OF_NOTHING = frozenset({"snowflake"})
# compiler.md refuses it of the others
_TEXTS_IN_ANY_ORDER = frozenset({"duckdb"})


@dataclass
class _Aggregate:
    """The parts of an aggregate of values."""

    node: exp.Expr
    value: exp.Expr
    order: list[exp.Ordered] = field(default_factory=list)
    limit: exp.Expr | None = None
    is_distinct: bool = False
    ignores_nulls: bool = False
    where: exp.Expr | None = None
    window: exp.Window | None = None

    def over(self, name: str, value: exp.Expr) -> exp.Expr:
        """A different aggregate over the same rows."""
        made: exp.Expr = call(name, value)
        if self.where is not None and self.window is not None:
            made = call(name, _where(value, self.where))
        elif self.where is not None:
            made = exp.Filter(this=made, expression=self.where.copy())
        if self.window is not None:
            window = self.window.copy()
            window.set("this", made)
            return window
        return made


def only_where(node: exp.Filter) -> exp.Expr:
    """An aggregate of rows that fulfil a condition, for a window, where Spark has no FILTER.

    Raises:
        NotInSpark: NULL counts in it.
    """
    aggregate = node.this.copy()
    if isinstance(aggregate, exp.GroupConcat | exp.ArrayAgg):
        return node
    if not isinstance(aggregate, _LEAVE_NULL_OUT):
        message = f"FILTER of {aggregate.key.upper()} in a window has no counterpart in Spark; write CASE WHEN in it"
        raise NotInSpark(message, node)
    value = aggregate.this
    if isinstance(value, exp.Distinct):
        value = value.expressions[0]
    value.replace(_where(exp.Literal.number(1) if isinstance(value, exp.Star) else value, node.expression))
    return aggregate


def _where(value: exp.Expr, condition: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition.this.copy(), true=value.copy())])


@rewrites(exp.WithinGroup)
def most_frequent(node: exp.WithinGroup, dialect: str) -> exp.Expr:
    """`mode() within group (order by x)`."""
    if not isinstance(node.this, exp.Mode):
        return node
    return exp.Mode(this=node.expression.expressions[0].this.copy())


def listed(node: exp.Expr, dialect: str) -> exp.Expr:
    """The node, or the replacement for a list or string aggregate with its wrappers.

    Raises:
        NotInSpark: Spark cannot produce that order.
    """
    if isinstance(node.parent, _AROUND) and node.parent.this is node:
        # its wrappers are visited next
        return node
    inner = node
    while isinstance(inner, _AROUND):
        inner = inner.this
    if isinstance(inner, exp.GroupConcat):
        return _text(_taken_apart(node, inner), inner, dialect)
    if isinstance(inner, exp.ArrayAgg):
        return _list(_taken_apart(node, inner), inner, dialect)
    return node


def _taken_apart(node: exp.Expr, inner: exp.Expr) -> _Aggregate:
    found = _Aggregate(node, inner.this)
    if isinstance(found.value, exp.Limit):
        found.limit, found.value = found.value.expression, found.value.this
    if isinstance(found.value, exp.Order):
        found.order, found.value = found.value.expressions, found.value.this
    if isinstance(found.value, exp.Distinct):
        found.is_distinct, found.value = True, found.value.expressions[0]
    around = node
    while around is not inner:
        if isinstance(around, exp.Filter):
            found.where = around.expression
        elif isinstance(around, exp.WithinGroup):
            found.order = around.expression.expressions
        elif isinstance(around, exp.IgnoreNulls):
            found.ignores_nulls = True
        elif isinstance(around, exp.Window):
            found.window = around
        around = around.this
    return found


def _list(found: _Aggregate, aggregate: exp.Expr, dialect: str) -> exp.Expr:
    """Values are in structs, which may hold NULL, together with their sort keys."""
    leaves_nulls_out = found.ignores_nulls or bool(aggregate.args.get("nulls_excluded")) or is_spark(dialect)
    collect = "COLLECT_SET" if found.is_distinct else "COLLECT_LIST"
    if found.is_distinct and not found.order and not is_spark(dialect):
        # the order of a set is arbitrary; this one is deterministic
        found.order = [exp.Ordered(this=found.value.copy(), nulls_first=False)]
    # without NULLs, values need no struct for sorting
    is_plain = leaves_nulls_out and all(key.this == found.value for key in found.order)
    made = found.over(collect, found.value if is_plain else _struct(found, leaves_nulls_out=leaves_nulls_out))
    if found.order:
        made = _sorted(made, is_descending=_is_descending(found))
    if not is_plain:
        made = exp.Dot(this=made, expression=exp.to_identifier("value"))
    if found.limit is not None:
        made = call("SLICE", made, exp.Literal.number(1), found.limit)
    if dialect not in _EMPTY_LIST_OF_NOTHING and not is_spark(dialect) and _may_have_no_rows(found):
        made = call("NULLIF", made, exp.Array())
    return made


def _struct(found: _Aggregate, *, leaves_nulls_out: bool) -> exp.Expr:
    fields: list[exp.Expr] = []
    for number, key in enumerate(found.order, 1):
        # SORT_ARRAY sorts NULL first
        puts_least_first = bool(key.args.get("nulls_first")) != bool(key.args.get("desc"))
        if not puts_least_first:
            fields.append(exp.alias_(exp.Is(this=key.this.copy(), expression=exp.null()), f"key_{number}_is_null"))
        fields.append(exp.alias_(key.this.copy(), f"key_{number}"))
    made: exp.Expr = exp.Anonymous(this="STRUCT", expressions=[*fields, exp.alias_(found.value.copy(), "value")])
    return unless_null(found.value, made) if leaves_nulls_out else made


def _sorted(values: exp.Expr, *, is_descending: bool) -> exp.Expr:
    return call("SORT_ARRAY", values, *([exp.false()] if is_descending else []))


def _is_descending(found: _Aggregate) -> bool:
    directions = {bool(key.args.get("desc")) for key in found.order}
    if len(directions) > 1:
        raise NotInSpark("a list ordered in two directions has no counterpart in Spark; order it in one", found.node)
    if found.is_distinct and any(key.this != found.value for key in found.order):
        message = "distinct values ordered by something else have no counterpart in Spark; order them by themselves"
        raise NotInSpark(message, found.node)
    return directions.pop()


def _may_have_no_rows(found: _Aggregate) -> bool:
    select = found.node.find_ancestor(exp.Select)
    is_of_groups = found.window is not None or (select is not None and select.args.get("group") is not None)
    return found.where is not None or not is_of_groups


def _text(found: _Aggregate, aggregate: exp.Expr, dialect: str) -> exp.Expr:
    """A sorted list of strings: without ORDER BY any order is allowed, and this one is deterministic; a window has
    its own.
    """
    is_by_values = all(key.this == found.value for key in found.order[:1]) and len(found.order) < 2
    if not is_by_values and dialect not in _TEXTS_IN_ANY_ORDER:
        message = "LISTAGG ordered by something else than its values has no counterpart in Spark 3.5"
        raise NotInSpark(message, found.node)
    if is_by_values:
        is_descending = bool(found.order and found.order[0].args.get("desc"))
        collected = found.over("COLLECT_SET" if found.is_distinct else "COLLECT_LIST", found.value)
        is_in_order = not found.order and found.window is not None and found.window.args.get("order") is not None
        ordered = collected if is_in_order else _sorted(collected, is_descending=is_descending)
    else:
        # strings are in structs, together with their sort keys
        listed = _sorted(
            found.over("COLLECT_LIST", _struct(found, leaves_nulls_out=True)), is_descending=_is_descending(found)
        )
        ordered = exp.Dot(this=listed, expression=exp.to_identifier("value"))
    if found.limit is not None:
        ordered = call("SLICE", ordered, exp.Literal.number(1), found.limit)
    separator = aggregate.args.get("separator")
    made = call("ARRAY_JOIN", ordered, separator or exp.Literal.string("," if separator is None else ""))
    if dialect in _EMPTY_TEXT_OF_NOTHING or is_spark(dialect):
        return made
    has_values = exp.GT(this=found.over("COUNT", found.value), expression=exp.Literal.number(0))
    return exp.If(this=has_values, true=made, false=exp.null())
