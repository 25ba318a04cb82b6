"""Functions that sqlglot passes on under a name that means something else in Spark, written as they are meant.

Every one was compared with DuckDB on Spark 3.5.9 (tests/functional/test_dialects.py); other dialects go by their pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from dbt_kinds.readers.sqlmesh.dialects import is_spark
from dbt_kinds.readers.sqlmesh.translation.calls import call
from dbt_kinds.readers.sqlmesh.translation.epochs import epoch, epoch_seconds, of_epoch
from dbt_kinds.readers.sqlmesh.translation.lists import most_frequent
from dbt_kinds.readers.sqlmesh.translation.made_rows import cast_series, exploded_series, numbered
from dbt_kinds.readers.sqlmesh.translation.not_in_spark import NotInSpark
from dbt_kinds.readers.sqlmesh.translation.patterns import extracted, matches, matches_any_case, matches_whole
from dbt_kinds.readers.sqlmesh.translation.percentiles import percentile_cont, percentile_disc, quantile
from dbt_kinds.readers.sqlmesh.translation.subscripts import array_size, array_slice, length, list_slice, subscript
from dbt_kinds.readers.sqlmesh.translation.texts import capitalized, left, right, split, substring
from dbt_kinds.readers.sqlmesh.translation.time_formats import read, written
from dbt_kinds.readers.sqlmesh.translation.truncation import cut_off, truncated
from dbt_kinds.readers.sqlmesh.translation.typed_operators import (
    at_time_zone,
    difference,
    quotient,
    rounded,
    whole_quotient,
)
from dbt_kinds.readers.sqlmesh.translation.value_types import DOUBLES, TEXTS, type_of
from dbt_kinds.readers.sqlmesh.translation.zones import in_zone, of_zone

_SUNDAY_IS_0 = frozenset({"duckdb", "postgres", "redshift", "snowflake", "materialize", "risingwave"})
_SUNDAY_IS_7 = frozenset({"trino", "presto", "athena"})
_COUNTS_BOUNDARIES = frozenset({"duckdb", "snowflake", "redshift", "bigquery", "tsql", "clickhouse"})
_WEEK_BEGINS_MONDAY = frozenset({"duckdb", "snowflake", "clickhouse"})
_WEEK_OF_YEAR_IS_NOT_ISO = frozenset({"bigquery", "tsql"})
_LOG_IS_DECIMAL = frozenset({"duckdb", "postgres", "redshift"})
_REPLACES_FIRST = frozenset({"duckdb", "postgres"})
_REFERS_BY_BACKSLASH = frozenset({"duckdb", "postgres", "bigquery", "snowflake"})
_FIELD_NAMES = (
    "YEAR Y YEARS YR YRS YEAROFWEEK QUARTER QTR MONTH MON MONS MONTHS WEEK W WEEKS DAY D DAYS DAYOFWEEK DOW "
    "DAYOFWEEK_ISO DOW_ISO DOY HOUR H HOURS HR HRS MINUTE M MIN MINS MINUTES SECOND S SEC SECONDS SECS"
)
_FIELDS = frozenset(_FIELD_NAMES.split())
_ZEROS = re.compile(r"[FMSGLDPRI0,.\s]*0[FMSGLDPRI0,.\s]*")
_PARTS_OF_TIME = frozenset({"HOUR", "MINUTE", "SECOND", "MILLISECOND"})


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
    if isinstance(node, exp.Anonymous) and node.name.upper() == "DATE_PART" and len(node.expressions) == 2:
        part, value = node.expressions
        if isinstance(part, exp.Literal) and part.is_string:
            return _field(exp.Extract(this=exp.var(part.name), expression=value), dialect)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "WEEKDAY" and dialect == "duckdb":
        return _day_of_week(node.expressions[0], "DOW", dialect)
    if isinstance(node, exp.Extract):
        return _field(node, dialect)
    if isinstance(node, exp.DayOfWeek):
        return _day_of_week(node.this, "DOW", dialect if dialect in _SUNDAY_IS_0 else "spark")
    if isinstance(node, exp.DayOfWeekIso):
        return _day_of_week(node.this, "ISODOW", dialect)
    if isinstance(node, exp.DateDiff | exp.DatetimeDiff | exp.TsOrDsDiff) and dialect in _COUNTS_BOUNDARIES:
        return _boundaries(node, dialect)
    if isinstance(node, exp.Log):
        return _logarithm(node, dialect)
    if isinstance(node, exp.RegexpReplace):
        return _replaced(node, dialect)
    if isinstance(node, exp.Format) and dialect == "duckdb":
        raise NotInSpark("FORMAT of duckdb has no counterpart in Spark; write printf()", node)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "LIST_SLICE" and dialect == "duckdb":
        return list_slice(node)
    if isinstance(node, exp.Anonymous) and node.name.upper() in ("DATE_SUB", "DATESUB") and dialect == "duckdb":
        return _whole_units(node)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "TIMEZONE" and len(node.expressions) == 2:
        return at_time_zone(exp.AtTimeZone(this=node.expressions[1], zone=node.expressions[0]), dialect)
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.Mode):
        return most_frequent(node)
    write = _WRITERS.get(type(node))
    return write(node, dialect) if write is not None else node


def _field(node: exp.Extract, dialect: str) -> exp.Expr:
    """`extract(field from x)`; each field is known, and means the same, or is another expression."""
    name, value = node.name.upper(), node.expression
    if name == "EPOCH":
        return epoch(value)
    if name == "DATE":
        return call("TO_DATE", value)
    if name in ("DOW", "DAYOFWEEK", "WEEKDAY", "DAY_OF_WEEK", "ISODOW", "DAYOFWEEKISO", "DAYOFWEEK_ISO", "DOW_ISO"):
        return _day_of_week(value, "ISODOW" if "ISO" in name else "DOW", dialect)
    if name in ("ISOYEAR", "YEAROFWEEKISO", "YEAR_OF_WEEK", "YOW"):
        return exp.Extract(this=exp.var("YEAROFWEEK"), expression=value)
    if name in ("ISOWEEK", "WEEKISO", "WEEK_ISO"):
        return exp.Extract(this=exp.var("WEEK"), expression=value)
    if name in ("DAYOFYEAR", "DAY_OF_YEAR"):
        return exp.Extract(this=exp.var("DOY"), expression=value)
    if name in ("SECOND", "SECONDS") and dialect != "postgres":
        # Spark's has the fraction
        return exp.Anonymous(this="SECOND", expressions=[value])
    if name not in _FIELDS or (name == "WEEK" and dialect in _WEEK_OF_YEAR_IS_NOT_ISO):
        raise NotInSpark(f"EXTRACT({name} …) of {dialect} has no counterpart in Spark", node)
    return node


def _day_of_week(value: exp.Expr, field: str, dialect: str) -> exp.Expr:
    """Spark counts from Sunday, 1, in DAYOFWEEK, and from Monday, 0, in WEEKDAY."""
    if field == "ISODOW" or dialect in _SUNDAY_IS_7:
        return exp.Add(this=call("WEEKDAY", value), expression=exp.Literal.number(1))
    if dialect in _SUNDAY_IS_0:
        return exp.Sub(this=call("DAYOFWEEK", value), expression=exp.Literal.number(1))
    return call("DAYOFWEEK", value)


def _boundaries(node: exp.Expr, dialect: str) -> exp.Expr:
    """How many boundaries of a unit lie between two times; Spark's DATEDIFF(unit, …) counts units that have passed."""
    unit, later, earlier = node.args.get("unit"), node.this, node.expression
    if unit is not None and not isinstance(unit, exp.Var | exp.Literal):
        raise NotInSpark(f"the unit {unit.sql(dialect=dialect)} of a difference has no counterpart in Spark", node)
    name = unit.name.upper().removesuffix("S") if unit is not None else "DAY"
    if name == "DAY":
        return call("DATEDIFF", later, earlier)
    if name == "YEAR":
        return exp.Sub(this=call("YEAR", later), expression=call("YEAR", earlier))
    if name in ("QUARTER", "MONTH"):
        parts = [_in_years(12 if name == "MONTH" else 4, time) for time in (later, earlier)]
        return exp.Sub(
            this=exp.Sub(this=exp.Add(this=parts[0], expression=call(name, later)), expression=parts[1]),
            expression=call(name, earlier),
        )
    if name == "ISOWEEK" or (name == "WEEK" and dialect in _WEEK_BEGINS_MONDAY):
        days = call("DATEDIFF", _truncated("WEEK", later), _truncated("WEEK", earlier))
        return exp.cast(exp.Div(this=days, expression=exp.Literal.number(7)), "bigint")
    if name in _PARTS_OF_TIME:
        return call("DATEDIFF", exp.var(name), _truncated(name, earlier), _truncated(name, later))
    if name == "MICROSECOND":
        return call("DATEDIFF", exp.var(name), earlier, later)
    raise NotInSpark(f"a difference in {name} of {dialect} has no counterpart in Spark", node)


def _whole_units(node: exp.Anonymous) -> exp.Expr:
    """How many units have passed between two times, as Spark counts them up to weeks; months end otherwise there."""
    unit = node.expressions[0].name.upper().removesuffix("S") if node.expressions else ""
    if len(node.expressions) != 3 or unit not in (*_PARTS_OF_TIME, "MICROSECOND", "DAY", "WEEK"):
        raise NotInSpark(
            f"DATE_SUB('{unit.lower()}', …) of duckdb has no counterpart in Spark; write date_diff()", node
        )
    return call("DATEDIFF", exp.var(unit), *node.expressions[1:])


def _in_years(parts: int, time: exp.Expr) -> exp.Expr:
    """How many parts of a year the years before a time have."""
    return exp.Mul(this=call("YEAR", time), expression=exp.Literal.number(parts))


def _truncated(unit: str, time: exp.Expr) -> exp.Expr:
    return call("DATE_TRUNC", exp.Literal.string(unit), time)


def _logarithm(node: exp.Log, dialect: str) -> exp.Expr:
    base, number = node.this, node.args.get("expression")
    if number is None:
        return call("LOG10", base) if dialect in _LOG_IS_DECIMAL else node
    return call("LOG10", number) if base.is_number and base.name == "10" else node


def _replaced(node: exp.RegexpReplace, dialect: str) -> exp.Expr:
    """Spark replaces every match, takes no flags, and refers to groups by `$1`."""
    pattern, replacement = node.expression, node.args.get("replacement")
    flags = node.args.get("modifiers")
    if flags is not None and not isinstance(flags, exp.Literal):
        raise NotInSpark("flags of REGEXP_REPLACE that are no literal have no counterpart in Spark", node)
    given = flags.name if flags is not None else ""
    occurrence, position = node.args.get("occurrence"), node.args.get("position")
    if set(given) - set("gimsc") or (occurrence is not None and occurrence.name != "0"):
        raise NotInSpark("this form of REGEXP_REPLACE has no counterpart in Spark; use the flags g and i only", node)
    is_text = isinstance(replacement, exp.Literal) and isinstance(pattern, exp.Literal)
    only_first = dialect in _REPLACES_FIRST and "g" not in given
    if only_first and not is_text:
        message = (
            "REGEXP_REPLACE of the first match only; write pattern and replacement as literals, or replace all with 'g'"
        )
        raise NotInSpark(message, node)
    if not is_text and set(given) & set("ims"):
        raise NotInSpark("REGEXP_REPLACE with flags needs pattern and replacement as literals", node)
    if not is_text or (not given and not only_first and dialect not in _REFERS_BY_BACKSLASH):
        return node
    assert replacement is not None
    found, put = pattern.name, replacement.name
    if dialect in _REFERS_BY_BACKSLASH:
        put = re.sub(r"\\(\d)", r"$\1", put.replace("$", r"\$"))
    if only_first:
        # the rest of the text is matched, too, and put back
        found = f"(?:{found})([\\s\\S]*)$"
        try:
            put += f"${re.compile(found).groups}"
        except re.error as error:
            raise NotInSpark(f"the pattern of REGEXP_REPLACE cannot be read: {error}", node) from error
    inline = "".join(flag for flag in given if flag in "ims")
    found = f"(?{inline}){found}" if inline else found
    texts = [exp.Literal.string(found), exp.Literal.string(put)]
    return call("REGEXP_REPLACE", node.this, *texts, *([position] if position is not None else []))


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


def _current_date(node: exp.CurrentDate, dialect: str) -> exp.Expr:
    """The date in a zone; without one it is Spark's."""
    if node.this is None:
        return node
    return call("TO_DATE", in_zone(exp.CurrentTimestamp(), node.this))


def _date(node: exp.Date, dialect: str) -> exp.Expr:
    """`date(instant, zone)`."""
    zone = node.args.get("zone")
    return node if zone is None else call("TO_DATE", in_zone(node.this, zone))


def _datetime(node: exp.Datetime, dialect: str) -> exp.Expr:
    """`datetime(instant, zone)`."""
    return node if node.expression is None else in_zone(node.this, node.expression)


def _timestamp(node: exp.Timestamp, dialect: str) -> exp.Expr:
    """`timestamp(time, zone)`."""
    zone = node.args.get("zone")
    return node if zone is None else of_zone(exp.cast(node.this, "timestamp", dialect="spark"), zone)


def _date_series(node: exp.GenerateDateArray, dialect: str) -> exp.Expr:
    """Spark makes a sequence of dates, not of texts."""
    for bound in ("start", "end"):
        if node.args[bound].is_string:
            node.set(bound, exp.cast(node.args[bound], "date"))
    return node


def _distinct(node: exp.ArrayDistinct, dialect: str) -> exp.Expr:
    """DuckDB's leaves NULL out."""
    return call("ARRAY_DISTINCT", call("ARRAY_COMPACT", node.this)) if dialect == "duckdb" else node


def _position(node: exp.ArrayPosition, dialect: str) -> exp.Expr:
    """Where a list has a value: Spark counts from 1, and 0 is nowhere."""
    if dialect not in ("postgres", "snowflake"):
        return node
    found = call(
        "NULLIF", exp.ArrayPosition(this=node.this.copy(), expression=node.expression.copy()), exp.Literal.number(0)
    )
    return exp.Sub(this=found, expression=exp.Literal.number(1)) if node.args.get("zero_based") else found


def _rounded(node: exp.Round, dialect: str) -> exp.Expr:
    """Postgres rounds the half of a double to the even number, that of a decimal up."""
    is_to_even = dialect == "postgres" and node.args.get("decimals") is None and type_of(node.this) in DOUBLES
    return call("BROUND", node.this) if is_to_even else node


def _local_timestamp(node: exp.Localtimestamp, dialect: str) -> exp.Expr:
    """Sessions are in UTC."""
    return exp.CurrentTimestamp()


def _any_like(node: exp.Like | exp.ILike, dialect: str) -> exp.Expr:
    """`text like any (array[…])`."""
    several = node.expression
    values = several.this.unnest() if isinstance(several, exp.Any | exp.All) else None
    if isinstance(values, exp.Array):
        several.set("this", exp.Tuple(expressions=values.expressions))
    return node


def _unequal(node: exp.NEQ, dialect: str) -> exp.Expr:
    """`x <> all (array[…])`."""
    several = node.expression
    is_all = isinstance(several, exp.All) or (isinstance(several, exp.Anonymous) and several.name.upper() == "ALL")
    values = (several.this if isinstance(several, exp.All) else several.expressions[0]).unnest() if is_all else None
    if not isinstance(values, exp.Array):
        return node
    return exp.Not(this=exp.In(this=node.this.copy(), expressions=[value.copy() for value in values.expressions]))


def _greatest_by(node: exp.ArgMax | exp.ArgMin, dialect: str) -> exp.Expr:
    """DuckDB's passes over rows whose value is NULL, Spark's over those whose order is."""
    if dialect != "duckdb" or node.args.get("count") is not None:
        return node
    order = exp.Case(ifs=[exp.If(this=node.this.copy().is_(exp.null()).not_(), true=node.expression.copy())])
    return type(node)(this=node.this.copy(), expression=order)


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


_WRITERS: dict[type[exp.Expr], Callable[[Any, str], exp.Expr]] = {
    exp.ArgMax: _greatest_by,
    exp.ArgMin: _greatest_by,
    exp.ArrayDistinct: _distinct,
    exp.ArrayPosition: _position,
    exp.ArraySize: array_size,
    exp.ArraySlice: array_slice,
    exp.AtTimeZone: at_time_zone,
    exp.Bracket: subscript,
    exp.Cast: _cast,
    exp.CurrentDate: _current_date,
    exp.Date: _date,
    exp.DateTrunc: truncated,
    exp.Datetime: _datetime,
    exp.DatetimeTrunc: truncated,
    exp.Div: quotient,
    exp.ExplodingGenerateSeries: exploded_series,
    exp.GenerateDateArray: _date_series,
    exp.ILike: _any_like,
    exp.Initcap: capitalized,
    exp.IntDiv: whole_quotient,
    exp.Kurtosis: _moment_of_samples,
    exp.Left: left,
    exp.Length: length,
    exp.Like: _any_like,
    exp.Localtimestamp: _local_timestamp,
    exp.NEQ: _unequal,
    exp.PercentileCont: percentile_cont,
    exp.PercentileDisc: percentile_disc,
    exp.Quantile: quantile,
    exp.RegexpExtract: extracted,
    exp.RegexpFullMatch: matches_whole,
    exp.RegexpILike: matches_any_case,
    exp.RegexpLike: matches,
    exp.Right: right,
    exp.Round: _rounded,
    exp.SHA2: _sha2,
    exp.SimilarTo: matches_whole,
    exp.Skewness: _moment_of_samples,
    exp.StrToDate: read,
    exp.StrToTime: read,
    exp.StringToArray: split,
    exp.Sub: difference,
    exp.Substring: substring,
    exp.TimeToStr: _formatted,
    exp.TimeToUnix: epoch_seconds,
    exp.Timestamp: _timestamp,
    exp.TimestampTrunc: truncated,
    exp.Trunc: cut_off,
    exp.TryCast: _cast,
    exp.TsOrDsToTime: _time_of_day,
    exp.UnixToTime: of_epoch,
    exp.Unnest: numbered,
}
