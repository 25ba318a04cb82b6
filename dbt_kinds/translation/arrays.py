"""Array functions that ignore NULL, or count, differently from Spark's."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.value_types import LISTS, type_of


def position(node: exp.ArrayPosition, dialect: str) -> exp.Expr:
    """The position of a value in a list: Spark counts from 1, and 0 means absent."""
    if dialect not in ("duckdb", "postgres", "snowflake"):
        return node
    found = call(
        "NULLIF", exp.ArrayPosition(this=node.this.copy(), expression=node.expression.copy()), exp.Literal.number(0)
    )
    return exp.Sub(this=found, expression=exp.Literal.number(1)) if node.args.get("zero_based") else found


def contains(node: exp.ArrayContains, dialect: str) -> exp.Expr:
    """Whether a list contains a value: for a list with NULLs Spark returns NULL if the value is absent."""
    if dialect != "duckdb":
        return node
    return call("ARRAY_CONTAINS", call("ARRAY_COMPACT", node.this), node.expression)


def overlap(node: exp.ArrayOverlaps, dialect: str) -> exp.Expr:
    """Whether two lists share a value."""
    return call("ARRAYS_OVERLAP", call("ARRAY_COMPACT", node.this), call("ARRAY_COMPACT", node.expression))


def contains_all(node: exp.ArrayContainsAll, dialect: str) -> exp.Expr:
    """`a @> b` of lists.

    Raises:
        NotInSpark: they may be JSON or ranges.
    """
    if dialect != "duckdb" and not {type_of(node.this), type_of(node.expression)} & LISTS:
        raise NotInSpark("@> of what is not known for a list has no counterpart in Spark", node)
    missing = call("ARRAY_EXCEPT", call("ARRAY_COMPACT", node.expression), node.this)
    return exp.EQ(this=call("SIZE", missing), expression=exp.Literal.number(0))


def concatenated(node: exp.ArrayConcat, dialect: str) -> exp.Expr:
    """Concatenates lists: DuckDB ignores NULL, whereas in Spark it makes the result NULL."""
    if dialect != "duckdb":
        return node
    lists = [exp.Coalesce(this=value.copy(), expressions=[exp.Array()]) for value in (node.this, *node.expressions)]
    return call("CONCAT", *lists)


def repeated(node: exp.Repeat, dialect: str) -> exp.Expr:
    """`repeat(value, n)` in Trino returns a list."""
    return call("ARRAY_REPEAT", node.this, node.args["times"]) if dialect in TRINO_FAMILY else node


def end_of_list(node: exp.ArrayFirst | exp.ArrayLast, dialect: str) -> exp.Expr:
    """The first or last value of a list, NULL for an empty one."""
    position = exp.Literal.number(1) if isinstance(node, exp.ArrayFirst) else exp.Literal.number(-1)
    return call("TRY_ELEMENT_AT", node.this, position)


def reversed_list(node: exp.ArrayReverse, dialect: str) -> exp.Expr:
    """A list in reverse order."""
    return call("REVERSE", node.this)


def distinct(node: exp.ArrayDistinct, dialect: str) -> exp.Expr:
    """DuckDB's version drops NULL."""
    return call("ARRAY_DISTINCT", call("ARRAY_COMPACT", node.this)) if dialect == "duckdb" else node


def joined(node: exp.ArrayToString, dialect: str) -> exp.Expr:
    """`array_to_string(list, separator)`: NULL is an empty string in Snowflake, and skipped in Spark."""
    if not node.args.get("null_is_empty"):
        return node
    return call("ARRAY_JOIN", node.this, node.expression, exp.Literal.string(""))


def combined(node: exp.ArrayExcept | exp.ArrayIntersect, dialect: str) -> exp.Expr:
    """The intersection or difference of two lists.

    Raises:
        NotInSpark: Snowflake respects duplicates.
    """
    if node.args.get("is_multiset"):
        raise NotInSpark(f"{node.sql_name()} of {dialect} keeps repetitions, Spark's does not", node)
    return node
