"""Greatest and least values, and comparisons with several values at once."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import unless_null
from dbt_kinds.translation.not_in_spark import NotInSpark


def greatest(node: exp.Greatest | exp.Least, dialect: str) -> exp.Expr:
    """`greatest(a, b)`: NULL if any argument is, in some dialects; Spark ignores NULL."""
    if node.args.get("ignore_nulls") is not False:
        return node
    values = [value for value in (node.this, *node.expressions) if not isinstance(value, exp.Literal)]
    if not values:
        return node
    is_null = exp.or_(*(value.copy().is_(exp.null()) for value in values), copy=False)
    return exp.If(this=is_null, true=exp.null(), false=node.copy())


def greatest_by(node: exp.ArgMax | exp.ArgMin, dialect: str) -> exp.Expr:
    """DuckDB ignores rows whose value is NULL, Spark those whose ordering value is."""
    if dialect != "duckdb" or node.args.get("count") is not None:
        return node
    return type(node)(this=node.this.copy(), expression=unless_null(node.this, node.expression.copy()))


def several(node: exp.Max | exp.Min, dialect: str) -> exp.Expr:
    """`max(x, n)`: a list of the n greatest; sqlglot takes it to be the greatest of two values, as in SQLite.

    Raises:
        NotInSpark: Spark has no such aggregate.
    """
    if node.expressions and dialect != "sqlite":
        raise NotInSpark(
            f"{node.sql_name()} of several values has no counterpart in Spark; write slice(sort_array(…))", node
        )
    return node


def any_like(node: exp.Like | exp.ILike, dialect: str) -> exp.Expr:
    """`text like any (array[…])`."""
    operand = node.expression
    values = operand.this.unnest() if isinstance(operand, exp.Any | exp.All) else None
    if isinstance(values, exp.Array):
        operand.set("this", exp.Tuple(expressions=values.expressions))
    return node


def unequal(node: exp.NEQ, dialect: str) -> exp.Expr:
    """`x <> all (array[…])`."""
    operand = node.expression
    is_all = isinstance(operand, exp.All) or (isinstance(operand, exp.Anonymous) and operand.name.upper() == "ALL")
    values = (operand.this if isinstance(operand, exp.All) else operand.expressions[0]).unnest() if is_all else None
    if not isinstance(values, exp.Array):
        return node
    return exp.Not(this=exp.In(this=node.this.copy(), expressions=[value.copy() for value in values.expressions]))
