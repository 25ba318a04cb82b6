"""Seconds since 1970, of times and of intervals."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.readers.sqlmesh.translation.not_in_spark import NotInSpark
from dbt_kinds.readers.sqlmesh.translation.value_types import INSTANTS, TIMES, type_of

_OF_DIFFERENCES = (exp.Avg, exp.Max, exp.Min, exp.Sum)
_MONTHS = re.compile(r"mon|year|quarter|decade|century", re.IGNORECASE)


def epoch(value: exp.Expr) -> exp.Expr:
    """`extract(epoch from value)`: Spark casts its TIMESTAMP only, no TIMESTAMP_NTZ, DATE or interval.

    A difference that is not known for one of times is taken for it; Spark refuses what is written of another.

    Raises:
        NotInSpark: the value is an interval of months, which the engines count as 30 days.
    """
    inner = value.unnest()
    kind = type_of(inner)
    if isinstance(inner, exp.Sub) and type_of(inner.expression) is not exp.DType.INTERVAL:
        return exp.paren(exp.Sub(this=epoch(inner.this), expression=epoch(inner.expression)))
    if isinstance(inner, _OF_DIFFERENCES) and isinstance(inner.this.unnest(), exp.Sub):
        return type(inner)(this=epoch(inner.this).unnest())
    if kind is exp.DType.INTERVAL:
        return _of_interval(inner)
    instant = value if kind in INSTANTS else exp.cast(value, "timestamp", dialect="spark")
    return exp.cast(instant, "double")


def _of_interval(interval: exp.Expr) -> exp.Expr:
    if any(_MONTHS.search(part.sql()) for part in interval.find_all(exp.Interval)):
        raise NotInSpark("EXTRACT(EPOCH …) of months has no counterpart in Spark; write them as days", interval)
    start = exp.Anonymous(this="TIMESTAMP_SECONDS", expressions=[exp.Literal.number(0)])
    return exp.cast(exp.Add(this=start, expression=interval.copy()), "double")


def epoch_seconds(node: exp.TimeToUnix, dialect: str) -> exp.Expr:
    """`epoch(x)` of DuckDB has a fraction."""
    return epoch(node.this) if dialect == "duckdb" else node


def epoch_milliseconds(node: exp.UnixToTime, dialect: str) -> exp.Expr:
    """`epoch_ms(x)` of DuckDB goes both ways."""
    if dialect != "duckdb" or type_of(node.this) not in TIMES:
        return node
    instant = exp.cast(node.this, "timestamp", dialect="spark")
    return exp.Anonymous(this="UNIX_MILLIS", expressions=[instant])
