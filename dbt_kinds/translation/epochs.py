"""Seconds since 1970, for times and intervals."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import SPARK_FAMILY, TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import INSTANTS, INTEGERS, TIMES, type_of

_OF_DIFFERENCES = (exp.Avg, exp.Max, exp.Min, exp.Sum)
_HAS_FRACTION = TRINO_FAMILY | {"duckdb"}
# Snowflake's, of which sqlglot knows some
_READ_NUMBERS = ("TO_DATE", "TO_TIMESTAMP", "TO_TIMESTAMP_LTZ", "TO_TIMESTAMP_NTZ", "TO_TIMESTAMP_TZ")
_MONTHS = re.compile(r"mon|year|quarter|decade|century", re.IGNORECASE)


def epoch(value: exp.Expr) -> exp.Expr:
    """`extract(epoch from value)`: Spark can only cast TIMESTAMP, not TIMESTAMP_NTZ, DATE or intervals.

    A difference of unknown type is taken to be one of times; Spark rejects the result for other types.

    Raises:
        NotInSpark: the value is an interval of months, which the engines count as 30 days.
    """
    inner = value.unnest()
    kind = type_of(inner)
    if isinstance(inner, exp.Sub) and type_of(inner.expression) is not exp.DType.INTERVAL:
        return exp.paren(from_template("(UNIX_MICROS({0}) - UNIX_MICROS({1})) / 1000000", *_instants(inner)))
    if isinstance(inner, _OF_DIFFERENCES) and isinstance(inner.this.unnest(), exp.Sub):
        return type(inner)(this=epoch(inner.this).unnest())
    if kind is exp.DType.INTERVAL:
        return _of_interval(inner)
    return exp.cast(_instant(value), "double")


def _instants(difference: exp.Sub) -> list[exp.Expr]:
    """Both sides, whose difference in doubles has wrong millionths."""
    return [_instant(side.unnest()) for side in (difference.this, difference.expression)]


def _instant(value: exp.Expr) -> exp.Expr:
    return value if type_of(value) in INSTANTS else exp.cast(value, "timestamp", dialect="spark")


def _of_interval(interval: exp.Expr) -> exp.Expr:
    if any(_MONTHS.search(part.sql()) for part in interval.find_all(exp.Interval)):
        raise NotInSpark("EXTRACT(EPOCH …) of months has no counterpart in Spark; write them as days", interval)
    start = exp.Anonymous(this="TIMESTAMP_SECONDS", expressions=[exp.Literal.number(0)])
    return exp.cast(exp.Add(this=start, expression=interval.copy()), "double")


@rewrites(exp.Extract, dialects=SPARK_FAMILY)
def epoch_of(node: exp.Extract, dialect: str) -> exp.Expr:
    """`extract(epoch from x)`, which Databricks has and Spark has not."""
    return epoch(node.expression) if node.name.upper() == "EPOCH" else node


@rewrites(exp.TimeToUnix)
def epoch_seconds(node: exp.TimeToUnix, dialect: str) -> exp.Expr:
    """`epoch(x)` of DuckDB and `to_unixtime(x)` of Trino, which include the fraction."""
    return epoch(node.this) if dialect in _HAS_FRACTION else node


@rewrites(exp.UnixToTime)
def of_epoch(node: exp.UnixToTime, dialect: str) -> exp.Expr:
    """The time for a number of seconds since 1970, also fractional; DuckDB's `epoch_ms(x)` converts in both directions.

    Spark's FROM_UNIXTIME returns a string, with whole seconds.
    """
    if dialect == "duckdb" and type_of(node.this) in TIMES:
        return call("UNIX_MILLIS", exp.cast(node.this, "timestamp", dialect="spark"))
    if any(value is not None for name, value in node.args.items() if name not in ("this", "zone", "target_type")):
        return node
    # an instant is the same in every zone
    return call("TIMESTAMP_SECONDS", _number(node.this))


@rewrites(*_READ_NUMBERS, dialects={"snowflake"})
def read_number(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`to_date('1700000000')`: a number, or a text of nothing but digits, is one of seconds since 1970."""
    value = node.expressions[0]
    is_number = type_of(value) in INTEGERS or (value.is_string and value.name.isdigit())
    if len(node.expressions) != 1 or not is_number:
        return node
    seconds = call("TIMESTAMP_SECONDS", _number(value))
    return exp.cast(seconds, "date") if node.name.upper() == "TO_DATE" else seconds


def _number(value: exp.Expr) -> exp.Expr:
    return exp.Literal.number(value.name) if value.is_string and value.name.isdigit() else value
