"""Functions that sqlglot passes on under a name that means something else in Spark, written as they are meant.

Every one was compared with DuckDB on Spark 3.5.9 (tests/functional/test_dialects.py); other dialects go by their pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from dbt_kinds.translation.arrays import combined, distinct, joined, position
from dbt_kinds.translation.calls import call
from dbt_kinds.translation.comparisons import any_like, greatest, greatest_by, several, unequal
from dbt_kinds.translation.dialects import TRINO_FAMILY, is_spark
from dbt_kinds.translation.epochs import epoch_seconds, of_epoch
from dbt_kinds.translation.list_aggregates import most_frequent
from dbt_kinds.translation.made_rows import cast_series, exploded_series, numbered
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.parts_of_times import (
    boundaries,
    date_part,
    day_of_week,
    field,
    iso_day_of_week,
    months_later,
    weekday,
    whole_units,
)
from dbt_kinds.translation.patterns import (
    extracted,
    matches,
    matches_any_case,
    matches_whole,
    replaced,
)
from dbt_kinds.translation.percentiles import percentile_cont, percentile_disc, quantile
from dbt_kinds.translation.subscripts import array_size, array_slice, list_slice, subscript
from dbt_kinds.translation.texts import (
    capitalized,
    concatenation,
    left,
    length,
    right,
    split,
    split_part,
    substring,
)
from dbt_kinds.translation.time_formats import read, written
from dbt_kinds.translation.truncation import cut_off, truncated
from dbt_kinds.translation.typed_operators import (
    at_time_zone,
    difference,
    quotient,
    rounded,
    whole_quotient,
)
from dbt_kinds.translation.value_types import DOUBLES, TEXTS, type_of
from dbt_kinds.translation.zones import current_date, date_in_zone, datetime_in_zone, timestamp_of_zone

_LOG_IS_DECIMAL = frozenset({"duckdb", "postgres", "redshift"})
_ZEROS = re.compile(r"[FMSGLDPRI0,.\s]*0[FMSGLDPRI0,.\s]*")


def as_meant(node: exp.Expr, dialect: str) -> exp.Expr:
    """The node, or another one that means in Spark what it means in the dialect.

    Raises:
        NotInSpark: Spark has nothing that means it.
    """
    meant = _as_meant(node, dialect)
    is_inside = isinstance(node.parent, exp.Binary | exp.Cast | exp.Neg | exp.Not | exp.Dot)
    return exp.paren(meant) if meant is not node and is_inside and isinstance(meant, exp.Binary) else meant


def _as_meant(node: exp.Expr, dialect: str) -> exp.Expr:
    if is_spark(dialect):
        return node
    write = _BY_NAME.get(node.name.upper()) if isinstance(node, exp.Anonymous) else _BY_TYPE.get(type(node))
    return write(node, dialect) if write is not None else node


def _logarithm(node: exp.Log, dialect: str) -> exp.Expr:
    base, number = node.this, node.args.get("expression")
    if number is None:
        return call("LOG10", base) if dialect in _LOG_IS_DECIMAL else node
    return call("LOG10", number) if base.is_number and base.name == "10" else node


def _cast(node: exp.Cast, dialect: str) -> exp.Expr:
    """JSON is a text in Spark, whose TO_JSON takes structs only."""
    if isinstance(node.this, exp.ExplodingGenerateSeries):
        return cast_series(node)
    if node.to.is_type(exp.DType.TIME, exp.DType.TIMETZ):
        return _time_of_day(node, dialect)
    if not node.to.is_type(exp.DType.JSON, exp.DType.JSONB):
        return rounded(node, dialect)
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent
    is_plain = node.to.is_type(exp.DType.JSON) and type_of(node.this) in TEXTS
    return node.this if is_plain or isinstance(holder, exp.JSONExtract | exp.JSONExtractScalar) else node


def _date_series(node: exp.GenerateDateArray, dialect: str) -> exp.Expr:
    """Spark makes a sequence of dates, not of texts."""
    for bound in ("start", "end"):
        if node.args[bound].is_string:
            node.set(bound, exp.cast(node.args[bound], "date"))
    return node


def _random(node: exp.Rand, dialect: str) -> exp.Expr:
    """`random(n)` of Trino is an integer, Spark's argument a seed."""
    if node.this is not None and dialect in TRINO_FAMILY:
        raise NotInSpark("RANDOM(n) has no counterpart in Spark; write floor(rand() * n)", node)
    return node


def _number_text(node: exp.NumberToStr, dialect: str) -> exp.Expr:
    if dialect == "tsql":
        raise NotInSpark("FORMAT of a number of tsql has no counterpart in Spark; write format_number()", node)
    return node


def _rounded(node: exp.Round, dialect: str) -> exp.Expr:
    """Postgres rounds the half of a double to the even number, that of a decimal up."""
    is_to_even = dialect == "postgres" and node.args.get("decimals") is None and type_of(node.this) in DOUBLES
    return call("BROUND", node.this) if is_to_even else node


def _local_timestamp(node: exp.Localtimestamp, dialect: str) -> exp.Expr:
    """Sessions are in UTC."""
    return exp.CurrentTimestamp()


def _format(node: exp.Format, dialect: str) -> exp.Expr:
    if dialect == "duckdb":
        raise NotInSpark("FORMAT of duckdb has no counterpart in Spark; write printf()", node)
    return node


def _time_zone(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`timezone(zone, time)`."""
    if len(node.expressions) != 2:
        return node
    zone, time = node.expressions
    return at_time_zone(exp.AtTimeZone(this=time, zone=zone), dialect)


def _moment_of_samples(node: exp.Expr, dialect: str) -> exp.Expr:
    if dialect in ("duckdb", "snowflake"):
        raise NotInSpark(f"{node.key.upper()} of {dialect} is a sample's, Spark's the population's", node)
    return node


def _time_of_day(node: exp.Expr, dialect: str) -> exp.Expr:
    raise NotInSpark("Spark 3.5 has no times without a date; write date_format(t, 'HH:mm:ss')", node)


def _sha2(node: exp.SHA2, dialect: str) -> exp.Expr:
    """Spark wants to be told the length."""
    if node.args.get("length") is None:
        node.set("length", exp.Literal.number(256))
    return node


def _formatted(node: exp.TimeToStr, dialect: str) -> exp.Expr:
    """`to_char(x, '999.99')` is a number's, which sqlglot takes for a time's."""
    pattern = node.args["format"]
    is_number = "9" in pattern.name or _ZEROS.fullmatch(pattern.name)
    if dialect in ("postgres", "redshift") and isinstance(pattern, exp.Literal) and is_number:
        message = (
            f"TO_CHAR of a number as '{pattern.name}' has no counterpart in Spark; write a cast, lpad() or round()"
        )
        raise NotInSpark(message, node)
    return written(node, dialect)


_BY_TYPE: dict[type[exp.Expr], Callable[[Any, str], exp.Expr]] = {
    exp.Add: concatenation,
    exp.AddMonths: months_later,
    exp.ArgMax: greatest_by,
    exp.ArgMin: greatest_by,
    exp.ArrayDistinct: distinct,
    exp.ArrayExcept: combined,
    exp.ArrayIntersect: combined,
    exp.ArrayPosition: position,
    exp.ArraySize: array_size,
    exp.ArraySlice: array_slice,
    exp.ArrayToString: joined,
    exp.AtTimeZone: at_time_zone,
    exp.Bracket: subscript,
    exp.Cast: _cast,
    exp.CurrentDate: current_date,
    exp.Date: date_in_zone,
    exp.DateDiff: boundaries,
    exp.DateTrunc: truncated,
    exp.Datetime: datetime_in_zone,
    exp.DatetimeDiff: boundaries,
    exp.DatetimeTrunc: truncated,
    exp.DayOfWeek: day_of_week,
    exp.DayOfWeekIso: iso_day_of_week,
    exp.Div: quotient,
    exp.ExplodingGenerateSeries: exploded_series,
    exp.Extract: field,
    exp.Format: _format,
    exp.GenerateDateArray: _date_series,
    exp.Greatest: greatest,
    exp.ILike: any_like,
    exp.Initcap: capitalized,
    exp.IntDiv: whole_quotient,
    exp.Kurtosis: _moment_of_samples,
    exp.Least: greatest,
    exp.Left: left,
    exp.Length: length,
    exp.Like: any_like,
    exp.Localtimestamp: _local_timestamp,
    exp.Log: _logarithm,
    exp.Max: several,
    exp.Min: several,
    exp.NEQ: unequal,
    exp.NumberToStr: _number_text,
    exp.PercentileCont: percentile_cont,
    exp.PercentileDisc: percentile_disc,
    exp.Quantile: quantile,
    exp.Rand: _random,
    exp.RegexpExtract: extracted,
    exp.RegexpFullMatch: matches_whole,
    exp.RegexpILike: matches_any_case,
    exp.RegexpLike: matches,
    exp.RegexpReplace: replaced,
    exp.Right: right,
    exp.Round: _rounded,
    exp.SHA2: _sha2,
    exp.SimilarTo: matches_whole,
    exp.Skewness: _moment_of_samples,
    exp.SplitPart: split_part,
    exp.StrToDate: read,
    exp.StrToTime: read,
    exp.StringToArray: split,
    exp.Sub: difference,
    exp.Substring: substring,
    exp.TimeToStr: _formatted,
    exp.TimeToUnix: epoch_seconds,
    exp.Timestamp: timestamp_of_zone,
    exp.TimestampTrunc: truncated,
    exp.Trunc: cut_off,
    exp.TryCast: _cast,
    exp.TsOrDsDiff: boundaries,
    exp.TsOrDsToTime: _time_of_day,
    exp.UnixToTime: of_epoch,
    exp.Unnest: numbered,
    exp.WithinGroup: most_frequent,
}
# functions that sqlglot does not know
_BY_NAME: dict[str, Callable[[Any, str], exp.Expr]] = {
    "DATESUB": whole_units,
    "DATE_PART": date_part,
    "DATE_SUB": whole_units,
    "LIST_SLICE": list_slice,
    "TIMEZONE": _time_zone,
    "WEEKDAY": weekday,
}
