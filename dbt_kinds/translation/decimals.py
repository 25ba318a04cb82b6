"""Decimals without a precision: their meaning depends on the dialect; in Spark it is DECIMAL(10, 0), which drops
fractions.

Precision and scale are from the engines' documentation.
"""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.not_in_spark import NotInSpark

_MOST_DIGITS = 38
_DEFAULTS = {
    "athena": (38, 0),
    "bigquery": (38, 9),
    "duckdb": (18, 3),
    "fabric": (18, 0),
    "presto": (38, 0),
    "redshift": (18, 0),
    "snowflake": (38, 0),
    "trino": (38, 0),
    "tsql": (18, 0),
}
# numbers of arbitrary size, which Spark also reads as this type from other systems
_UNBOUNDED = frozenset({"materialize", "oracle", "postgres", "risingwave", "sqlite"})
_WIDEST = (38, 18)


def unbounded_decimal(tree: exp.Expr, dialect: str) -> exp.DataType | None:
    """The first decimal of a tree that its dialect does not bound, or None."""
    return next((kind for kind in _decimals(tree) if _is_unbounded(kind, dialect)), None)


def unbounded_message(kind: exp.DataType, dialect: str) -> str:
    """The message about such a decimal."""
    name = "BIGNUMERIC" if kind.this == exp.DType.BIGDECIMAL else "NUMERIC"
    return (
        f"{name} of {dialect} is not held to 38 digits, as Spark's decimals are, and became DECIMAL(38, 18); write "
        f"{name}(precision, scale)"
    )


def bound_decimals(tree: exp.Expr, dialect: str) -> None:
    """Gives every decimal of a tree the precision and scale that it has in its dialect.

    Raises:
        NotInSpark: one has more than 38 digits.
    """
    for kind in _decimals(tree):
        given = _WIDEST if _is_unbounded(kind, dialect) else _DEFAULTS.get(dialect)
        if not kind.expressions and given is not None:
            kind.set("expressions", [exp.DataTypeParam(this=exp.Literal.number(digits)) for digits in given])
        digits = kind.expressions[0].name if kind.expressions else ""
        if digits.isdigit() and int(digits) > _MOST_DIGITS:
            raise NotInSpark(f"{kind.sql(dialect=dialect)} has more than the {_MOST_DIGITS} digits of Spark's", kind)
        kind.set("this", exp.DType.DECIMAL)


def _decimals(tree: exp.Expr) -> list[exp.DataType]:
    return [kind for kind in tree.find_all(exp.DataType) if kind.this in (exp.DType.DECIMAL, exp.DType.BIGDECIMAL)]


def _is_unbounded(kind: exp.DataType, dialect: str) -> bool:
    return not kind.expressions and (dialect in _UNBOUNDED or kind.this == exp.DType.BIGDECIMAL)
