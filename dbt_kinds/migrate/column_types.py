"""Which time variable fits an expression, by its type in a cast or in declared properties, or by its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.migrate.bounds import truncation
from dbt_kinds.migrate.epochs import counted, number_used
from dbt_kinds.migrate.other_models import use_elsewhere
from dbt_kinds.migrate.parents import Parents, Place
from dbt_kinds.migrate.trace import equated
from dbt_kinds.readers.dbt.rendering import Names

TIME_NAME = re.compile(
    r"(?:.*(?:_at|time|timestamp|_?ts|_?tstamp|_?dttm|_on_ts|_at_utc|_ts_utc|_time_utc)|createdat|updatedat"
    # Fivetran's own column, a timestamp in every warehouse it writes
    r"|_fivetran_synced)"
)
DATE_NAME = re.compile(r".*(?:date|day|(?:^|_)dt)")
_NAMED: tuple[tuple[re.Pattern[str], str], ...] = ((TIME_NAME, "dt"), (DATE_NAME, "date"))
_DATE_WORDS = frozenset({"date", "day", "dt"})
_TYPES: tuple[tuple[str, str], ...] = (
    ("timestamp_ntz", "dtntz"),
    ("timestampntz", "dtntz"),
    ("timestamp", "dt"),
    ("datetime", "dt"),
    ("date", "date"),
)
_INTEGER = re.compile(r"(?:big|small)?int(?:eger|64)?\b|long\b|number\b|numeric\b|decimal\b", re.IGNORECASE)
_TIMES = (
    exp.Timestamp,
    exp.Datetime,
    exp.TsOrDsToTimestamp,
    exp.UnixToTime,
    exp.StrToTime,
    exp.CurrentTimestamp,
    exp.CurrentTimestampLTZ,
)
_MADE_TEXTS = (
    exp.TimeToStr,
    exp.UnixToStr,
    exp.Concat,
    exp.DPipe,
    exp.Substring,
    exp.JSONExtractScalar,
    exp.RegexpExtract,
    exp.Trim,
    exp.Lower,
    exp.Upper,
)
_TEXTS = ("string", "varchar", "char", "text", "nvarchar")


def suffix_of_type(written: str, column: str = "") -> str | None:
    """`date` for a date type, `dt` for a timestamp type, `ds` for text in a column of that name, None for others."""
    lower = written.lower().strip()
    if column.lower() == "ds" and lower.startswith(_TEXTS):
        return "ds"
    return next((suffix for start, suffix in _TYPES if lower.startswith(start)), None)


def unknown_type(written: str, declared: str | None) -> str:
    """What to do about a column whose type is not known, or declared as one that may hold a time in several ways."""
    if declared is None:
        return (
            f"nothing says whether {written} is a date or a timestamp; declare its data_type in the properties of the "
            "table it comes from, or cast it"
        )
    if _INTEGER.match(declared):
        return (
            f"{written} is declared as {declared}, and nothing says what it counts; write the filter by hand, between "
            "start_epoch() and end_epoch() for seconds since 1970, or with millis"
        )
    advice = "declare its data_type if it is a date or a timestamp, or " if declared.endswith("description") else ""
    return (
        f"{written} is declared as {declared}, which does not say how it holds a time; {advice}write the filter by "
        "hand, between start_ds() and end_ds() for text such as 2024-01-31, or with ts, epoch or millis"
    )


@dataclass(frozen=True)
class Type:
    """What is known of an expression's type.

    Attributes:
        suffix: that of the time variables it may be compared with; None if it is not a time, or unknown.
        is_known: whether a cast or a declaration says so.
        declared: the declared type that says so.
    """

    suffix: str | None
    is_known: bool = False
    declared: str | None = None


_UNKNOWN = Type(None)


def type_of(expression: exp.Expr, select: exp.Select, names: Names, parents: Parents) -> Type:
    """The type of an expression of a select, from casts and declarations, in the models it comes from, too."""
    return _told(Place(expression, select, names), parents, depth=0)


def suffix_by_name(expression: exp.Expr, *, against_date: bool) -> str | None:
    """The suffix for a column of which only the name is known.

    Args:
        against_date: whether the model compares it with a date, which decides for names that contain a word for a date.
    """
    expression = _value_of(expression)
    if not isinstance(expression, exp.Column):
        return None
    name = expression.name.lower()
    if name == "ds":
        return "ds"
    for pattern, suffix in _NAMED:
        if pattern.fullmatch(name):
            return suffix
    return "date" if against_date and _DATE_WORDS & set(name.split("_")) else None


def suffix_of(
    expression: exp.Expr, written: str, select: exp.Select, names: Names, parents: Parents, own: Mapping[str, str], *,
    against_date: bool, against_instant: bool, against_written_time: bool = False, line: int, model: str | None = None,
    unknown: tuple[str, list[MigrationNote]] | None = None,
) -> tuple[str, list[MigrationNote]]:  # fmt: skip
    """The suffix of the time variables for a filtered expression, with a note if only its name says so.

    Args:
        own: the types that are declared of the model's own columns.
        model: the name of the model with the filter.
        unknown: what a column is compared by if nothing says its type.

    Raises:
        Left (UnknownColumnType): nothing says it.
    """
    found = type_of(expression, select, names, parents)
    if not found.is_known and isinstance(expression, exp.Column) and expression.name.lower() in own:
        declared = own[expression.name.lower()]
        found = Type(suffix_of_type(declared, expression.name), is_known=True, declared=declared)
    for other in equated(select, expression) if not found.is_known else ():
        # the expression it is joined with has the same type
        joined = type_of(other, select, names, parents)
        found = joined if joined.suffix is not None else found
    suffix = found.suffix
    number = counted(expression)
    if suffix is None and number is not None and (not found.is_known or _INTEGER.match(found.declared or "")):
        what = "milliseconds" if number == "millis" else "seconds"
        return number, [
            MigrationNote(MigrateCode.TypeFromName, f"{written} is taken for {what} since 1970 by its name")
        ]
    used = number_used(select, expression) if suffix is None and not found.is_known else None
    if used is not None:
        shown = " ".join(used[0].sql(parents.dialect).split())[:80]
        if used[1] is None:
            raise Left(
                MigrateCode.UnknownColumnType,
                f"the query calculates with {written}, as in `{shown}`, so that it is a number, and nothing says what "
                "it counts; write the filter by hand, with start_epoch() for seconds since 1970 or start_millis()",
                line=line,
            )
        what = "milliseconds" if used[1] == "millis" else "seconds"
        return used[1], [
            MigrationNote(MigrateCode.TypeFromName, f"{written} is taken for {what} since 1970, as in `{shown}`")
        ]
    if suffix is None and (not found.is_known or _INTEGER.match(found.declared or "")):
        elsewhere = use_elsewhere(expression, select, names, parents, model)
        if elsewhere is not None:
            what = "milliseconds" if elsewhere.unit == "millis" else "seconds"
            note = f"{written} is taken for {what} since 1970, as {elsewhere.model} does in `{elsewhere.written}`"
            return elsewhere.unit, [MigrationNote(MigrateCode.TypeFromName, note)]
    if suffix is None and not found.is_known:
        suffix = suffix_by_name(expression, against_date=against_date)
        if suffix == "date" and against_written_time:
            # of a timestamp, a date would leave out the last day
            suffix = "dt"
        if suffix is not None and suffix != "ds":
            kind = "a date" if suffix == "date" else "a timestamp"
            note = (
                f"{written} is taken for {kind} by its name alone; if it holds text or a number, declare its data_type"
            )
            return suffix, [MigrationNote(MigrateCode.TypeFromName, note)]
    if suffix is None and not found.is_known and against_instant and isinstance(expression, exp.Column):
        # whatever is compared with a timestamp is compared with that of the window in the same way
        note = f"{written} is compared with timestamps, as before; if it holds text or a number, declare its data_type"
        return "dt", [MigrationNote(MigrateCode.TypeFromName, note)]
    if suffix is not None:
        return suffix, []
    if not isinstance(expression, exp.Column):
        raise Left(
            MigrateCode.UnknownColumnType,
            f"nothing says whether {written} is a date or a timestamp; cast it to one of them, or filter the column "
            "that it is made of",
            line=line,
        )
    if unknown is not None:
        return unknown
    raise Left(MigrateCode.UnknownColumnType, unknown_type(written, found.declared), line=line)


def _value_of(expression: exp.Expr) -> exp.Expr:
    """The only value that an expression has if it is not NULL: `ts` for `case when ts = '1900-01-01' then null else ts
    end`; itself for any other.
    """
    while True:
        values = {expression}
        if isinstance(expression, exp.Paren | exp.Nullif):
            values = {expression.this}
        elif isinstance(expression, exp.If):
            values = {expression.args["true"], expression.args.get("false") or exp.null()}
        elif isinstance(expression, exp.Case):
            branches = [branch.args["true"] for branch in expression.args["ifs"]]
            values = {*branches, expression.args.get("default") or exp.null()}
        values -= {exp.null()}
        if len(values) != 1 or expression in values:
            return expression
        expression = values.pop()


def _told(place: Place, parents: Parents, depth: int) -> Type:
    if depth > 20:
        return _UNKNOWN
    expression = _value_of(place.expression)
    if isinstance(expression, exp.Paren | exp.Coalesce | exp.Max | exp.Min | exp.AtTimeZone | exp.ConvertTimezone):
        inner = expression.args.get("timestamp") or expression.this
        found = _told(Place(inner, place.select, place.names), parents, depth + 1)
        is_zoned = isinstance(expression, exp.AtTimeZone | exp.ConvertTimezone)
        return found if found.is_known or not is_zoned else Type("dt", is_known=True)
    truncated = truncation(expression)
    if truncated is not None or isinstance(expression, exp.Date):
        if not isinstance(expression, exp.DateTrunc):
            is_date = isinstance(expression, exp.Cast | exp.Date | exp.TsOrDsToDate | exp.Anonymous)
            return Type("date" if is_date else "dt", is_known=True)
        # Spark's trunc returns dates; elsewhere date_trunc keeps the type of its argument
        assert truncated is not None
        inner = _told(Place(truncated[0], place.select, place.names), parents, depth + 1)
        return inner if inner.suffix is not None else Type("dt", is_known=True)
    if isinstance(expression, exp.Cast):
        written = expression.to.sql()
        return Type(suffix_of_type(written), is_known=True, declared=written.lower())
    if isinstance(expression, _TIMES):
        return Type("dt", is_known=True)
    if isinstance(expression, exp.CurrentDate | exp.DateFromParts):
        return Type("date", is_known=True)
    if isinstance(expression, _MADE_TEXTS):
        return Type(None, is_known=True, declared="text")
    if not isinstance(expression, exp.Column):
        return _UNKNOWN
    for origin in parents.origins(expression, place.select, place.names):
        if isinstance(origin, str):
            return Type(suffix_of_type(origin, expression.name), is_known=True, declared=origin)
        found = _told(origin, parents, depth + 1)
        if found.is_known:
            return found
    return _UNKNOWN
