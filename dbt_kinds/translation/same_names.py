"""Functions that sqlglot passes on under a name with a different meaning in Spark, rewritten to keep their meaning.

Each was compared between DuckDB and Spark 3.5.9 (tests/functional/test_dialects.py); other dialects follow their
documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from dbt_kinds.translation.arrays import (
    combined,
    concatenated,
    contains,
    contains_all,
    distinct,
    end_of_list,
    joined,
    overlap,
    position,
    repeated,
    reversed_list,
)
from dbt_kinds.translation.calls import call
from dbt_kinds.translation.comparisons import any_like, greatest, greatest_by, several, unequal
from dbt_kinds.translation.data_types import sized
from dbt_kinds.translation.dialects import TRINO_FAMILY, is_spark
from dbt_kinds.translation.digests import based_on_64, converted, decoded, digest, encoded, hexadecimal, text_digest
from dbt_kinds.translation.epochs import epoch_seconds, of_epoch
from dbt_kinds.translation.globs import glob
from dbt_kinds.translation.list_aggregates import most_frequent
from dbt_kinds.translation.made_rows import cast_series, exploded_series, numbered
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.numbers import infinite, not_a_number
from dbt_kinds.translation.parts_of_times import (
    boundaries,
    date_part,
    day_name,
    day_of_week,
    days,
    field,
    iso_day_of_week,
    month_name,
    months_between,
    months_later,
    week,
    weekday,
    whole_units,
    year_of_week,
)
from dbt_kinds.translation.patterns import (
    extracted,
    found_at,
    matches,
    matches_any_case,
    matches_whole,
    replaced,
)
from dbt_kinds.translation.percentiles import percentile_cont, percentile_disc, quantile
from dbt_kinds.translation.renamed import from_template, renamed
from dbt_kinds.translation.subscripts import array_size, array_slice, element, list_slice, subscript
from dbt_kinds.translation.texts import (
    capitalized,
    character,
    concatenation,
    left,
    length,
    right,
    split,
    split_part,
    stuffed,
    substring,
)
from dbt_kinds.translation.time_formats import read, read_or_null, written
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
    """The node, or one with the same meaning in Spark.

    Raises:
        NotInSpark: Spark has no equivalent.
    """
    meant = _as_meant(node, dialect)
    is_inside = isinstance(node.parent, exp.Binary | exp.Cast | exp.Neg | exp.Not | exp.Dot)
    return exp.paren(meant) if meant is not node and is_inside and isinstance(meant, exp.Binary) else meant


def _as_meant(node: exp.Expr, dialect: str) -> exp.Expr:
    if is_spark(dialect):
        return node
    write = _BY_NAME.get(node.name.upper(), renamed) if isinstance(node, exp.Anonymous) else _BY_TYPE.get(type(node))
    return write(node, dialect) if write is not None else node


def _logarithm(node: exp.Log, dialect: str) -> exp.Expr:
    base, number = node.this, node.args.get("expression")
    if number is None:
        return call("LOG10", base) if dialect in _LOG_IS_DECIMAL else node
    return call("LOG10", number) if base.is_number and base.name == "10" else node


def _cast(node: exp.Cast, dialect: str) -> exp.Expr:
    """In Spark JSON is a string, and TO_JSON only accepts structs."""
    if isinstance(node.this, exp.ExplodingGenerateSeries):
        return cast_series(node)
    if node.to.is_type(exp.DType.TIME, exp.DType.TIMETZ):
        return _time_of_day(node, dialect)
    if not node.to.is_type(exp.DType.JSON, exp.DType.JSONB):
        made = sized(node, dialect)
        return made if made is not node else rounded(node, dialect)
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent
    is_plain = node.to.is_type(exp.DType.JSON) and type_of(node.this) in TEXTS
    return node.this if is_plain or isinstance(holder, exp.JSONExtract | exp.JSONExtractScalar) else node


def _date_series(node: exp.GenerateDateArray, dialect: str) -> exp.Expr:
    """Spark creates a sequence from dates, not strings."""
    for bound in ("start", "end"):
        if node.args[bound].is_string:
            node.set(bound, exp.cast(node.args[bound], "date"))
    return node


def _random(node: exp.Rand, dialect: str) -> exp.Expr:
    """`random(n)` in Trino is an integer; Spark's argument is a seed."""
    if node.this is not None and dialect in TRINO_FAMILY:
        raise NotInSpark("RANDOM(n) has no counterpart in Spark; write floor(rand() * n)", node)
    return node


def _number_text(node: exp.NumberToStr, dialect: str) -> exp.Expr:
    if dialect == "tsql":
        raise NotInSpark("FORMAT of a number of tsql has no counterpart in Spark; write format_number()", node)
    return node


def _rounded(node: exp.Round, dialect: str) -> exp.Expr:
    """Postgres rounds half of a double to even, half of a decimal up."""
    is_to_even = dialect == "postgres" and node.args.get("decimals") is None and type_of(node.this) in DOUBLES
    return call("BROUND", node.this) if is_to_even else node


def _local_timestamp(node: exp.Localtimestamp, dialect: str) -> exp.Expr:
    """Sessions are in UTC."""
    return exp.CurrentTimestamp()


def _format(node: exp.Format, dialect: str) -> exp.Expr:
    if dialect == "bigquery" and re.search(r"%[-+ #0-9.*]*[tTpP]", node.this.name):
        raise NotInSpark("%T and %t of FORMAT of bigquery have no counterpart in Spark", node)
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


def _formatted(node: exp.TimeToStr, dialect: str) -> exp.Expr:
    """`to_char(x, '999.99')` formats a number, which sqlglot takes to be a time."""
    pattern = node.args["format"]
    is_number = "9" in pattern.name or _ZEROS.fullmatch(pattern.name)
    if dialect in ("postgres", "redshift") and isinstance(pattern, exp.Literal) and is_number:
        message = (
            f"TO_CHAR of a number as '{pattern.name}' has no counterpart in Spark; write a cast, lpad() or round()"
        )
        raise NotInSpark(message, node)
    return written(node, dialect)


def _made_json(node: exp.JSONObject | exp.JSONArray, dialect: str) -> exp.Expr:
    raise NotInSpark(f"{node.key.upper()} of {dialect} has no counterpart in Spark; write to_json(struct(…))", node)


def _window(node: exp.Window, dialect: str) -> exp.Expr:
    """Spark does not count distinct values in a window, so they are collected."""
    distinct = node.this.this if isinstance(node.this, exp.Count) else None
    if not isinstance(distinct, exp.Distinct) or len(distinct.expressions) != 1:
        return node
    window = node.copy()
    window.set("this", call("COLLECT_SET", distinct.expressions[0]))
    return call("SIZE", window)


def _byte_length(node: exp.ByteLength, dialect: str) -> exp.Expr:
    return call("OCTET_LENGTH", node.this)


def _list_sum(node: exp.ArraySum, dialect: str) -> exp.Expr:
    """The sum of a list, ignoring NULLs; NULL for an empty one."""
    return from_template(
        "IF(SIZE(ARRAY_COMPACT({0})) > 0, AGGREGATE(ARRAY_COMPACT({0}), CAST(0 AS DOUBLE), (a, x) -> a + x), NULL)",
        node.this,
    )


def _session_user(node: exp.SessionUser, dialect: str) -> exp.Expr:
    """Spark 3.5 has only one user."""
    return call("CURRENT_USER")


def _any_value(node: exp.AnyValue, dialect: str) -> exp.Expr:
    """Any non-NULL value, if there is one: some dialects guarantee it, and all may return it."""
    if isinstance(node.parent, exp.IgnoreNulls | exp.RespectNulls) or not isinstance(node.this, exp.Expr):
        return node
    if isinstance(node.this, exp.HavingMax):
        name = "MAX_BY" if node.this.args.get("max") else "MIN_BY"
        return call(name, node.this.this, node.this.expression)
    return exp.IgnoreNulls(this=node.copy())


def _hypothetical(node: exp.Expr, dialect: str) -> exp.Expr:
    """`rank(x) within group (…)`."""
    if node.expressions:
        raise NotInSpark(f"{node.key.upper()} of a row that is not there has no counterpart in Spark; count rows", node)
    return node


def _element_at(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """DuckDB returns a list with the value, for a map."""
    if dialect == "duckdb":
        raise NotInSpark("ELEMENT_AT of duckdb makes a list of a map's value, Spark's the value; write map[key]", node)
    return node


_BY_TYPE: dict[type[exp.Expr], Callable[[Any, str], exp.Expr]] = {
    exp.Add: concatenation,
    exp.AddMonths: months_later,
    exp.AnyValue: _any_value,
    exp.ArgMax: greatest_by,
    exp.ArgMin: greatest_by,
    exp.ArrayConcat: concatenated,
    exp.ArrayContains: contains,
    exp.ArrayContainsAll: contains_all,
    exp.ArrayDistinct: distinct,
    exp.ArrayExcept: combined,
    exp.ArrayFirst: end_of_list,
    exp.ArrayIntersect: combined,
    exp.ArrayLast: end_of_list,
    exp.ArrayOverlaps: overlap,
    exp.ArrayPosition: position,
    exp.ArrayReverse: reversed_list,
    exp.ArraySize: array_size,
    exp.ArraySlice: array_slice,
    exp.ArraySum: _list_sum,
    exp.ArrayToString: joined,
    exp.AtTimeZone: at_time_zone,
    exp.Bracket: subscript,
    exp.ByteLength: _byte_length,
    exp.Cast: _cast,
    exp.Chr: character,
    exp.Convert: converted,
    exp.CurrentDate: current_date,
    exp.Date: date_in_zone,
    exp.DateDiff: boundaries,
    exp.DateTrunc: truncated,
    exp.Datetime: datetime_in_zone,
    exp.DatetimeDiff: boundaries,
    exp.DatetimeTrunc: truncated,
    exp.CumeDist: _hypothetical,
    exp.DayOfWeek: day_of_week,
    exp.DayOfWeekIso: iso_day_of_week,
    exp.Dayname: day_name,
    exp.Decode: decoded,
    exp.DenseRank: _hypothetical,
    exp.Div: quotient,
    exp.Encode: encoded,
    exp.ExplodingGenerateSeries: exploded_series,
    exp.Extract: field,
    exp.Format: _format,
    exp.GenerateDateArray: _date_series,
    exp.Glob: glob,
    exp.Greatest: greatest,
    exp.Hex: hexadecimal,
    exp.ILike: any_like,
    exp.Initcap: capitalized,
    exp.IntDiv: whole_quotient,
    exp.IsInf: infinite,
    exp.IsNan: not_a_number,
    exp.JSONArray: _made_json,
    exp.JSONObject: _made_json,
    exp.Kurtosis: _moment_of_samples,
    exp.Least: greatest,
    exp.Left: left,
    exp.Length: length,
    exp.Like: any_like,
    exp.Localtimestamp: _local_timestamp,
    exp.Log: _logarithm,
    exp.LowerHex: hexadecimal,
    exp.MD5: text_digest,
    exp.MD5Digest: digest,
    exp.Max: several,
    exp.Min: several,
    exp.MonthsBetween: months_between,
    exp.Monthname: month_name,
    exp.NEQ: unequal,
    exp.NumberToStr: _number_text,
    exp.PercentRank: _hypothetical,
    exp.PercentileCont: percentile_cont,
    exp.PercentileDisc: percentile_disc,
    exp.Quantile: quantile,
    exp.Rand: _random,
    exp.Rank: _hypothetical,
    exp.RegexpExtract: extracted,
    exp.RegexpFullMatch: matches_whole,
    exp.RegexpILike: matches_any_case,
    exp.RegexpInstr: found_at,
    exp.RegexpLike: matches,
    exp.RegexpReplace: replaced,
    exp.Repeat: repeated,
    exp.Right: right,
    exp.Round: _rounded,
    exp.SHA: text_digest,
    exp.SHA1Digest: digest,
    exp.SHA2: text_digest,
    exp.SHA2Digest: digest,
    exp.SessionUser: _session_user,
    exp.SimilarTo: matches_whole,
    exp.Skewness: _moment_of_samples,
    exp.SplitPart: split_part,
    exp.StrToDate: read,
    exp.StrToTime: read,
    exp.StringToArray: split,
    exp.Stuff: stuffed,
    exp.Sub: difference,
    exp.Substring: substring,
    exp.TimeToStr: _formatted,
    exp.TimeToUnix: epoch_seconds,
    exp.Timestamp: timestamp_of_zone,
    exp.TimestampTrunc: truncated,
    exp.Trunc: cut_off,
    exp.ToBase64: based_on_64,
    exp.ToDays: days,
    exp.TryCast: _cast,
    exp.TsOrDsDiff: boundaries,
    exp.TsOrDsToTime: _time_of_day,
    exp.UnixToTime: of_epoch,
    exp.Unnest: numbered,
    exp.Week: week,
    exp.Window: _window,
    exp.WithinGroup: most_frequent,
    exp.YearOfWeek: year_of_week,
    exp.YearOfWeekIso: year_of_week,
}
# functions unknown to sqlglot
_BY_NAME: dict[str, Callable[[Any, str], exp.Expr]] = {
    "DATESUB": whole_units,
    "DATE_PART": date_part,
    "DATE_SUB": whole_units,
    "ARRAY_EXTRACT": element,
    "ELEMENT_AT": _element_at,
    "LIST_ELEMENT": element,
    "LIST_EXTRACT": element,
    "LIST_SLICE": list_slice,
    "TIMEZONE": _time_zone,
    "TRY_STRPTIME": read_or_null,
    "WEEKDAY": weekday,
}
