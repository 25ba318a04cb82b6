"""Operators whose meaning depends on types: `/`, `-` on dates, casts to integers, AT TIME ZONE."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.remarks import Remark
from dbt_kinds.translation.value_types import (
    DECIMALS,
    DOUBLES,
    INTEGERS,
    WITHOUT_ZONE,
    settle_types,
    type_of,
)
from dbt_kinds.translation.zones import spelt_zone

_DAYS_BETWEEN_DATES = frozenset({"duckdb", "postgres", "redshift", "snowflake"})
_HALVES_OF_DECIMALS = frozenset({"duckdb", "postgres", "redshift", "snowflake", "bigquery"})
_HALVES_TO_EVEN = frozenset({"duckdb", "postgres"})
_ZONE_GOES_BOTH_WAYS = frozenset({"duckdb", "postgres", "redshift"})


def doubts(tree: exp.Expr, dialect: str) -> Iterator[Remark]:
    """The operators of a tree, as parsed, that are kept although their meaning may differ."""
    if is_spark(dialect):
        return
    settle_types(tree)
    for node in tree.walk():
        if isinstance(node, exp.Div) and _is_doubtful_quotient(node):
            if isinstance(node.parent, exp.Div) and _is_doubtful_quotient(node.parent):
                continue
            message = f"{_said(node, dialect)} is cut to an integer by {dialect} if both are integers, not by Spark"
            yield Remark("type", f"{message}; cast one to double, or write floor()", node)
        elif isinstance(node, exp.Sub) and dialect in _DAYS_BETWEEN_DATES and _is_doubtful_difference(node):
            message = f"{_said(node, dialect)} is a number of days in {dialect} if both are dates, an interval in Spark"
            yield Remark("type", f"{message}; cast both to date", node)
        elif isinstance(node, exp.AtTimeZone) and _is_doubtful_zone(node, dialect):
            message = f"{_said(node, dialect)} is written for an instant; without a zone it goes the other way"
            yield Remark("type", f"{message}; cast it to timestamp or timestamptz", node)


def quotient(node: exp.Div, dialect: str) -> exp.Expr:
    """`7 / 2` is 3 in some dialects."""
    is_whole = node.args.get("typed") and _types(node) <= INTEGERS
    return exp.IntDiv(this=node.this, expression=node.expression) if is_whole else node


def whole_quotient(node: exp.IntDiv, dialect: str) -> exp.Expr:
    """`a // b`, which in Spark only accepts integers.

    Raises:
        NotInSpark: one has a fraction.
    """
    if _types(node) & (DECIMALS | DOUBLES) and dialect == "duckdb":
        raise NotInSpark("// of a number with a fraction has no counterpart in Spark; write floor(a / b)", node)
    return node


def difference(node: exp.Sub, dialect: str) -> exp.Expr:
    """The difference of dates is a number of days; in Spark it is an interval."""
    if dialect not in _DAYS_BETWEEN_DATES or not _are_dates(node, dialect):
        return node
    days = call("DATEDIFF", node.this, node.expression)
    days.type = exp.DataType(this=exp.DType.INT)
    return days


def rounded(node: exp.Cast, dialect: str) -> exp.Expr:
    """A cast to an integer rounds in these dialects, a double half to even in some; Spark truncates."""
    kind = type_of(node.this)
    if dialect not in _HALVES_OF_DECIMALS or node.to.this not in INTEGERS or kind not in DECIMALS | DOUBLES:
        return node
    to_even = kind in DOUBLES and dialect in _HALVES_TO_EVEN
    value = call("BROUND" if to_even else "ROUND", node.this.unnest())
    node.set("this", value)
    return node


def at_time_zone(node: exp.AtTimeZone, dialect: str) -> exp.Expr:
    """A time without a zone becomes an instant, and vice versa; one of unknown type is taken to be an instant."""
    zone = spelt_zone(node.args["zone"])
    goes_back = dialect in _ZONE_GOES_BOTH_WAYS and type_of(node.this) in WITHOUT_ZONE
    name = "TO_UTC_TIMESTAMP" if goes_back else "FROM_UTC_TIMESTAMP"
    return call(name, node.this, zone)


def _types(node: exp.Expr) -> set[exp.DType | None]:
    return {type_of(node.this), type_of(node.expression)}


def _are_dates(node: exp.Sub, dialect: str) -> bool:
    """Beside a date, Postgres reads a string literal as a date, and only dates differ by an integer."""
    types = _types(node)
    if types == {exp.DType.DATE, None}:
        return _is_cast_to_integer(node)
    may_be_text = dialect in ("postgres", "redshift") and exp.DType.DATE in types
    sides = (node.this, node.expression)
    return all(type_of(side) is exp.DType.DATE or (may_be_text and side.is_string) for side in sides)


def _is_cast_to_integer(node: exp.Expr) -> bool:
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return isinstance(parent, exp.Cast) and parent.to.this in INTEGERS


def _is_doubtful_quotient(node: exp.Div) -> bool:
    return bool(node.args.get("typed")) and None in _types(node) and _types(node) <= INTEGERS | {None}


def _is_doubtful_difference(node: exp.Sub) -> bool:
    """A date minus a possible date; two unknown values are not reported, because they are usually numbers."""
    return _types(node) == {exp.DType.DATE, None} and not _is_cast_to_integer(node)


def _is_doubtful_zone(node: exp.AtTimeZone, dialect: str) -> bool:
    kind, zone = type_of(node.this), spelt_zone(node.args["zone"])
    if dialect not in _ZONE_GOES_BOTH_WAYS or zone.name in ("UTC", "Etc/UTC", "GMT"):
        return False
    return kind is None or (kind is exp.DType.TIMESTAMPLTZ and dialect != "duckdb")


def _said(node: exp.Expr, dialect: str) -> str:
    text = node.sql(dialect=dialect, comments=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
