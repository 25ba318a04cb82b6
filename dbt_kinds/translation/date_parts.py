"""Parts of times and distances between them: fields, days of the week, unit boundaries."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.date_arithmetic import PARTS_OF_ONE_DAY
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.epochs import epoch
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import TEXTS, type_of
from dbt_kinds.translation.weeks import BOUNDARY_IS_SUNDAY, days_ahead, week_of_year, weeks_between

_SUNDAY_IS_0 = frozenset({"duckdb", "postgres", "redshift", "snowflake", "materialize", "risingwave"})
_COUNTS_BOUNDARIES = frozenset({"duckdb", "snowflake", "redshift", "bigquery", "tsql", "clickhouse"})
# its weeks begin on no day of the week
_WEEKS_HAVE_SEVEN_DAYS = frozenset({"duckdb"})
_MONTHS_END_WITH_MONTHS = frozenset({"bigquery", "oracle", "redshift", "snowflake"})
_WEEK_IS_ISO = TRINO_FAMILY | {"duckdb", "snowflake", "redshift"}
_FIELD_NAMES = (
    "YEAR Y YEARS YR YRS YEAROFWEEK QUARTER QTR MONTH MON MONS MONTHS WEEK W WEEKS DAY D DAYS DAYOFWEEK DOW "
    "DAYOFWEEK_ISO DOW_ISO DOY HOUR H HOURS HR HRS MINUTE M MIN MINS MINUTES SECOND S SEC SECONDS SECS"
)
_FIELDS = frozenset(_FIELD_NAMES.split())
# Snowflake's names for whole numbers of them
_EPOCH_IS_WHOLE = frozenset({"redshift", "snowflake"})
_EPOCHS = {
    "EPOCH": "UNIX_SECONDS",
    "EPOCH_SECOND": "UNIX_SECONDS",
    "EPOCH_SECONDS": "UNIX_SECONDS",
    "EPOCH_MILLISECOND": "UNIX_MILLIS",
    "EPOCH_MILLISECONDS": "UNIX_MILLIS",
    "EPOCH_MICROSECOND": "UNIX_MICROS",
    "EPOCH_MICROSECONDS": "UNIX_MICROS",
}
_DAYS_OF_ANY_MONTH = 28
_PARTS_OF_TIME = frozenset({"HOUR", "MINUTE", "SECOND", "MILLISECOND"})


@rewrites(exp.DayOfWeek)
def day_of_week(node: exp.DayOfWeek, dialect: str) -> exp.Expr:
    """`dayofweek(t)`; MySQL's and BigQuery's equal Spark's."""
    return _numbered_day(node.this, "DOW", dialect if dialect in _SUNDAY_IS_0 else "spark")


@rewrites(exp.DayOfWeekIso)
def iso_day_of_week(node: exp.DayOfWeekIso, dialect: str) -> exp.Expr:
    """`isodow(t)`."""
    return _numbered_day(node.this, "ISODOW", dialect)


@rewrites("WEEKDAY")
def weekday(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`weekday(t)` of DuckDB."""
    return _numbered_day(node.expressions[0], "DOW", dialect) if dialect == "duckdb" else node


@rewrites("DATE_PART")
def date_part(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """`date_part('field', t)`."""
    name = node.expressions[0] if len(node.expressions) == 2 else None
    if isinstance(name, exp.Array):
        raise NotInSpark("DATE_PART of several fields has no counterpart in Spark; write one for each", node)
    if not isinstance(name, exp.Literal) or not name.is_string:
        return node
    return field(exp.Extract(this=exp.var(name.name), expression=node.expressions[1]), dialect)


@rewrites(exp.Extract)
def field(node: exp.Extract, dialect: str) -> exp.Expr:
    """`extract(field from x)`; each field is known, and either means the same or is rewritten."""
    name, value = node.name.upper(), node.expression
    if name in ("HOUR", "HOURS", "YEAR", "YEARS") and isinstance(value.unnest(), exp.Interval):
        raise NotInSpark(f"the {name} of an interval that is written out is another one in Spark; write it", node)
    if name == "EPOCH" and dialect not in _EPOCH_IS_WHOLE:
        return epoch(value)
    if name in _EPOCHS:
        return call(_EPOCHS[name], exp.cast(value, "timestamp", dialect="spark"))
    if name == "DATE":
        return call("TO_DATE", value)
    if name in ("DOW", "DAYOFWEEK", "WEEKDAY", "DAY_OF_WEEK", "ISODOW", "DAYOFWEEKISO", "DAYOFWEEK_ISO", "DOW_ISO"):
        return _numbered_day(value, "ISODOW" if "ISO" in name else "DOW", dialect)
    if name in ("ISOYEAR", "YEAROFWEEKISO", "YEAR_OF_WEEK", "YOW"):
        return exp.Extract(this=exp.var("YEAROFWEEK"), expression=value)
    if name in ("ISOWEEK", "WEEKISO", "WEEK_ISO"):
        return exp.Extract(this=exp.var("WEEK"), expression=value)
    if name in ("DAYOFYEAR", "DAY_OF_YEAR"):
        return exp.Extract(this=exp.var("DOY"), expression=value)
    if name in ("SECOND", "SECONDS") and dialect != "postgres":
        # in Spark it includes the fraction
        return exp.Anonymous(this="SECOND", expressions=[value])
    if name in ("WEEK", "WK", "WW") and (numbered := week_of_year(value, dialect)) is not None:
        return numbered
    if name not in _FIELDS:
        raise NotInSpark(f"EXTRACT({name} …) of {dialect} has no counterpart in Spark", node)
    return node


def _numbered_day(value: exp.Expr, field: str, dialect: str) -> exp.Expr:
    """Spark's DAYOFWEEK counts from Sunday = 1, its WEEKDAY from Monday = 0."""
    if field == "ISODOW" or dialect in TRINO_FAMILY:
        return exp.Add(this=call("WEEKDAY", value), expression=exp.Literal.number(1))
    if dialect in _SUNDAY_IS_0:
        return exp.Sub(this=call("DAYOFWEEK", value), expression=exp.Literal.number(1))
    return call("DAYOFWEEK", value)


@rewrites(exp.DateDiff, exp.DatetimeDiff, exp.TsOrDsDiff)
def boundaries(node: exp.DateDiff | exp.DatetimeDiff | exp.TsOrDsDiff, dialect: str) -> exp.Expr:
    """The number of unit boundaries between two times; Spark's DATEDIFF(unit, …) counts elapsed units."""
    if dialect not in _COUNTS_BOUNDARIES:
        return node
    unit, later, earlier = node.args.get("unit"), node.this, node.expression
    ahead = days_ahead(unit, dialect, BOUNDARY_IS_SUNDAY)
    if ahead is not None and dialect in _WEEKS_HAVE_SEVEN_DAYS:
        return exp.IntDiv(this=call("DATEDIFF", later, earlier), expression=exp.Literal.number(7))
    if ahead is not None:
        return weeks_between(later, earlier, ahead)
    if unit is not None and not isinstance(unit, exp.Var | exp.Literal):
        raise NotInSpark(f"the unit {unit.sql(dialect=dialect)} of a difference has no counterpart in Spark", node)
    name = unit.name.upper().removesuffix("S") if unit is not None else "DAY"
    if PARTS_OF_ONE_DAY.get(name, name) == "DAY":
        return call("DATEDIFF", later, earlier)
    if name == "YEAR":
        return exp.Sub(this=call("YEAR", later), expression=call("YEAR", earlier))
    if name in ("QUARTER", "MONTH"):
        parts = [_in_years(12 if name == "MONTH" else 4, time) for time in (later, earlier)]
        return exp.Sub(
            this=exp.Sub(this=exp.Add(this=parts[0], expression=call(name, later)), expression=parts[1]),
            expression=call(name, earlier),
        )
    if name in _PARTS_OF_TIME:
        return call("DATEDIFF", exp.var(name), _truncated(name, earlier), _truncated(name, later))
    if name == "MICROSECOND":
        return call("DATEDIFF", exp.var(name), earlier, later)
    raise NotInSpark(f"a difference in {name} of {dialect} has no counterpart in Spark", node)


@rewrites("DATESUB", "DATE_SUB")
def whole_units(node: exp.Anonymous, dialect: str) -> exp.Expr:
    """The number of elapsed units between two times, as in Spark for weeks and shorter; months end differently."""
    if dialect != "duckdb":
        return node
    unit = node.expressions[0].name.upper().removesuffix("S") if node.expressions else ""
    if len(node.expressions) != 3 or unit not in (*_PARTS_OF_TIME, "MICROSECOND", "DAY", "WEEK"):
        raise NotInSpark(
            f"DATE_SUB('{unit.lower()}', …) of duckdb has no counterpart in Spark; write date_diff()", node
        )
    return call("DATEDIFF", exp.var(unit), *node.expressions[1:])


@rewrites(exp.AddMonths)
def months_later(node: exp.AddMonths, dialect: str) -> exp.Expr:
    """`add_months(t, n)`: for the last day of a month the result is the last day in some dialects."""
    time, number, kind = node.this, node.expression, type_of(node.this)
    keeps_end = node.args.get("preserve_end_of_month") or dialect in _MONTHS_END_WITH_MONTHS
    if kind is exp.DType.DATE:
        later: exp.Expr = call("ADD_MONTHS", time, number)
        last: exp.Expr = call("LAST_DAY", later)
    else:
        # Spark's ADD_MONTHS drops the time
        time = exp.cast(time, "timestamp", dialect="spark") if kind in TEXTS else time
        later = from_template("{0} + {1} * INTERVAL '1' MONTH", time, number)
        last = from_template("{0} + (LAST_DAY({0}) - TO_DATE({0}))", later)
    is_last_day = exp.EQ(this=call("TO_DATE", node.this), expression=call("LAST_DAY", node.this))
    return exp.If(this=is_last_day, true=last, false=later) if keeps_end else later


@rewrites(exp.PreviousDay)
def previous_day(node: exp.PreviousDay, dialect: str) -> exp.Expr:
    """`previous_day(t, day)`: the next one, a week and a day before."""
    return from_template("NEXT_DAY(DATE_ADD({0}, -8), {1})", node.this, node.expression)


@rewrites(exp.MonthsBetween)
def months_between(node: exp.MonthsBetween, dialect: str) -> exp.Expr:
    """`months_between(a, b)`, which Spark rounds to 8 digits by default."""
    if dialect == "snowflake" or node.args.get("roundoff") is not None:
        return node
    return call("MONTHS_BETWEEN", node.this, node.expression, exp.false())


@rewrites(exp.Week)
def week(node: exp.Week, dialect: str) -> exp.Expr:
    """`week(t)`, the ISO week in most dialects.

    Raises:
        NotInSpark: weeks are counted differently.
    """
    if node.args.get("mode") is None and (numbered := week_of_year(node.this, dialect)) is not None:
        return numbered
    if dialect not in _WEEK_IS_ISO or node.args.get("mode") is not None:
        raise NotInSpark(f"WEEK of {dialect} has no counterpart in Spark; write weekofyear() for the ISO week", node)
    return call("WEEKOFYEAR", node.this)


@rewrites(exp.YearOfWeek, exp.YearOfWeekIso)
def year_of_week(node: exp.YearOfWeek | exp.YearOfWeekIso, dialect: str) -> exp.Expr:
    """The year of a time's ISO week."""
    return exp.Extract(this=exp.var("YEAROFWEEK"), expression=node.this.copy())


@rewrites(exp.Dayname)
def day_name(node: exp.Dayname, dialect: str) -> exp.Expr:
    """`dayname(t)`, three letters in Snowflake."""
    return _written(node, "EEE" if dialect == "snowflake" or node.args.get("abbreviated") else "EEEE")


@rewrites(exp.Monthname)
def month_name(node: exp.Monthname, dialect: str) -> exp.Expr:
    """`monthname(t)`, three letters in Snowflake."""
    return _written(node, "MMM" if dialect == "snowflake" or node.args.get("abbreviated") else "MMMM")


@rewrites(exp.ToDays)
def days(node: exp.ToDays, dialect: str) -> exp.Expr:
    """`to_days(n)` in DuckDB is an interval.

    Raises:
        NotInSpark: in MySQL it is a day number.
    """
    if dialect != "duckdb":
        raise NotInSpark(f"TO_DAYS of {dialect} has no counterpart in Spark; write datediff()", node)
    one = exp.Interval(this=exp.Literal.string("1"), unit=exp.var("DAY"))
    number = exp.paren(node.this.copy()) if isinstance(node.this, exp.Binary) else node.this.copy()
    return exp.paren(exp.Mul(this=number, expression=one))


@rewrites(exp.TimestampFromParts, dialects={"fabric", "tsql"})
def time_of_parts(node: exp.TimestampFromParts, dialect: str) -> exp.Expr:
    """`datetimefromparts(year, month, day, hour, minute, second, milliseconds)`."""
    *parts, seconds = (node.args[part] for part in ("year", "month", "day", "hour", "min", "sec"))
    thousandths = node.args.get("milli")
    if thousandths is not None and thousandths.name != "0":
        seconds = from_template("CAST({0} + {1} / 1000 AS DECIMAL(16, 6))", seconds, thousandths)
    return call("MAKE_TIMESTAMP", *parts, seconds)


@rewrites(exp.DateFromParts, dialects={"snowflake"})
def date_of_parts(node: exp.DateFromParts, dialect: str) -> exp.Expr:
    """`date_from_parts(year, month, day)`: day 0 is the day before the first; Spark's is NULL."""
    year, month, day = (node.args[part] for part in ("year", "month", "day"))
    is_month = isinstance(month, exp.Month) or (month.is_int and 1 <= int(month.name) <= 12)
    if is_month and day.is_int and 1 <= int(day.name) <= _DAYS_OF_ANY_MONTH:
        return call("MAKE_DATE", year, month, day)
    return from_template("DATE_ADD(ADD_MONTHS(MAKE_DATE({0}, 1, 1), {1} - 1), {2} - 1)", year, month, day)


def _written(node: exp.Expr, pattern: str) -> exp.Expr:
    return call("DATE_FORMAT", node.this, exp.Literal.string(pattern))


def _in_years(parts: int, time: exp.Expr) -> exp.Expr:
    """The number of parts in the years before a time."""
    return exp.Mul(this=call("YEAR", time), expression=exp.Literal.number(parts))


def _truncated(unit: str, time: exp.Expr) -> exp.Expr:
    return call("DATE_TRUNC", exp.Literal.string(unit), time)
