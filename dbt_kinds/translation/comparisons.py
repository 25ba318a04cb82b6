"""Greatest and least values, and comparisons with several values at once."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import unless_null, unless_one_is_null
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import type_of

# dialects whose LIKE has no escape unless one is named
_BACKSLASH_IS_PLAIN = TRINO_FAMILY | {"duckdb", "fabric", "snowflake", "tsql"}


@rewrites(exp.Greatest, exp.Least)
def greatest(node: exp.Greatest | exp.Least, dialect: str) -> exp.Expr:
    """`greatest(a, b)`: NULL if any argument is, in some dialects; Spark ignores NULL."""
    if node.args.get("ignore_nulls") is not False:
        return node
    return unless_one_is_null(node, [node.this, *node.expressions])


@rewrites(exp.ArgMax, exp.ArgMin)
def greatest_by(node: exp.ArgMax | exp.ArgMin, dialect: str) -> exp.Expr:
    """DuckDB ignores rows whose value is NULL, Spark those whose ordering value is."""
    if dialect != "duckdb" or node.args.get("count") is not None:
        return node
    return type(node)(this=node.this.copy(), expression=unless_null(node.this, node.expression.copy()))


@rewrites(exp.Max, exp.Min)
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


@rewrites(exp.ILike, exp.Like)
def any_like(node: exp.Like | exp.ILike, dialect: str) -> exp.Expr:
    """`text like any (array[…])`."""
    operand = node.expression
    values = operand.this.unnest() if isinstance(operand, exp.Any | exp.All) else None
    if isinstance(values, exp.Array):
        operand.set("this", exp.Tuple(expressions=values.expressions))
    if dialect in _BACKSLASH_IS_PLAIN and not isinstance(node.parent, exp.Escape):
        for pattern in operand.find_all(exp.Literal) if isinstance(operand, exp.Any | exp.All) else [operand]:
            if isinstance(pattern, exp.Literal) and "\\" in pattern.name:
                pattern.set("this", pattern.name.replace("\\", "\\\\"))
    return node


@rewrites(exp.EQ, dialects={"fabric", "mysql", "tsql"})
def equal(node: exp.EQ, dialect: str) -> exp.Expr:
    """`flag = 1` of a BIT, which Spark compares with a number only without ANSI mode."""
    number = node.expression
    if type_of(node.this) is exp.DType.BOOLEAN and isinstance(number, exp.Literal) and number.name in ("0", "1"):
        node.set("expression", exp.Boolean(this=number.name == "1"))
    return node


@rewrites(exp.NEQ)
def unequal(node: exp.NEQ, dialect: str) -> exp.Expr:
    """`x <> all (array[…])`."""
    operand = node.expression
    is_all = isinstance(operand, exp.All) or (isinstance(operand, exp.Anonymous) and operand.name.upper() == "ALL")
    values = (operand.this if isinstance(operand, exp.All) else operand.expressions[0]).unnest() if is_all else None
    if not isinstance(values, exp.Array):
        return node
    return exp.Not(this=exp.In(this=node.this.copy(), expressions=[value.copy() for value in values.expressions]))
