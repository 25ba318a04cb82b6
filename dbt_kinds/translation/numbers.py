"""NaN and infinite numbers."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites


@rewrites(exp.IsNan)
def not_a_number(node: exp.IsNan, dialect: str) -> exp.Expr:
    """`isnan(x)` is NULL for NULL, in Spark false."""
    return from_template("IF({0} IS NULL, NULL, ISNAN({0}))", node.this)


@rewrites(exp.IsInf)
def infinite(node: exp.IsInf, dialect: str) -> exp.Expr:
    """`isinf(x)`."""
    return from_template("ABS({0}) = DOUBLE('Infinity')", node.this)
