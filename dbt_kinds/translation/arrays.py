"""Functions of lists that pass over NULL, or count, otherwise than Spark's."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark


def position(node: exp.ArrayPosition, dialect: str) -> exp.Expr:
    """Where a list has a value: Spark counts from 1, and 0 is nowhere."""
    if dialect not in ("postgres", "snowflake"):
        return node
    found = call(
        "NULLIF", exp.ArrayPosition(this=node.this.copy(), expression=node.expression.copy()), exp.Literal.number(0)
    )
    return exp.Sub(this=found, expression=exp.Literal.number(1)) if node.args.get("zero_based") else found


def distinct(node: exp.ArrayDistinct, dialect: str) -> exp.Expr:
    """DuckDB's leaves NULL out."""
    return call("ARRAY_DISTINCT", call("ARRAY_COMPACT", node.this)) if dialect == "duckdb" else node


def joined(node: exp.ArrayToString, dialect: str) -> exp.Expr:
    """`array_to_string(list, separator)`: NULL is an empty text in Snowflake, and nothing in Spark."""
    if not node.args.get("null_is_empty"):
        return node
    return call("ARRAY_JOIN", node.this, node.expression, exp.Literal.string(""))


def combined(node: exp.ArrayExcept | exp.ArrayIntersect, dialect: str) -> exp.Expr:
    """What two lists share, or not.

    Raises:
        NotInSpark: a value counts as often as it is there, in Snowflake.
    """
    if node.args.get("is_multiset"):
        raise NotInSpark(f"{node.sql_name()} of {dialect} keeps repetitions, Spark's does not", node)
    return node
