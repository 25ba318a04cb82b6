"""Percentiles: Spark has exact ones in its own syntax, whereas sqlglot generates approximations."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import TEXTS, TIMES, type_of


@rewrites(exp.PercentileCont)
def percentile_cont(node: exp.PercentileCont, dialect: str) -> exp.Expr:
    """`percentile_cont(p) within group (…)`, and `percentile_cont(x, p)` of BigQuery and DuckDB."""
    if node.expression is None:
        for key in _keys(node):
            _refuse_times(node, key)
        return call("PERCENTILE_CONT", node.this)
    _refuse_times(node, node.this)
    return call("PERCENTILE", node.this, node.expression)


@rewrites(exp.Median)
def median(node: exp.Median, dialect: str) -> exp.Expr:
    """`median(x)`."""
    _refuse_times(node, node.this)
    return node


def _keys(node: exp.Expr) -> list[exp.Expr]:
    """What `within group (order by …)` orders by."""
    group = node.parent
    return [key.this for key in group.expression.expressions] if isinstance(group, exp.WithinGroup) else []


@rewrites(exp.PercentileDisc)
def percentile_disc(node: exp.PercentileDisc, dialect: str) -> exp.Expr:
    """`percentile_disc(p) within group (…)`, and `percentile_disc(x, p)`."""
    if node.expression is None:
        for key in _keys(node):
            _refuse_texts(node, key)
        return call("PERCENTILE_DISC", node.this)
    return _discrete(node, node.this, node.expression)


@rewrites(exp.Quantile)
def quantile(node: exp.Quantile, dialect: str) -> exp.Expr:
    """`quantile(x, p)`, which in DuckDB returns a value of the column."""
    return _discrete(node, node.this, node.args["quantile"]) if dialect == "duckdb" else node


def _discrete(node: exp.Expr, value: exp.Expr, position: exp.Expr) -> exp.Expr:
    _refuse_texts(node, value)
    if isinstance(position, exp.Array):
        raise NotInSpark("several discrete quantiles at once have no counterpart in Spark; write one for each", node)
    return exp.WithinGroup(
        this=call("PERCENTILE_DISC", position),
        expression=exp.Order(expressions=[exp.Ordered(this=value.copy(), nulls_first=True)]),
    )


def _refuse_times(node: exp.Expr, value: exp.Expr) -> None:
    if type_of(value) in TIMES | {exp.DType.DATE}:
        raise NotInSpark("a percentile of times has no counterpart in Spark; make numbers of them", node)


def _refuse_texts(node: exp.Expr, value: exp.Expr) -> None:
    _refuse_times(node, value)
    if type_of(value) in TEXTS:
        raise NotInSpark("a discrete quantile of texts has no counterpart in Spark, which makes numbers of them", node)
