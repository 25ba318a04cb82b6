"""Weeks that begin on another day than Monday, on which Spark's begin, and those that are not counted as ISO does."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.value_types import type_of

_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
# what T-SQL calls a week begins on Sunday, and so do the boundaries that Redshift counts
BEGINS_SUNDAY = frozenset({"bigquery", "fabric", "mysql", "tsql"})
BOUNDARY_IS_SUNDAY = BEGINS_SUNDAY | {"redshift"}
# the first Sunday begins week 1 in some, the week of January 1 is week 1 in others
_FROM_FIRST_SUNDAY = "(DAYOFYEAR({0}) + 7 - DAYOFWEEK({0})) DIV 7"
_FROM_FIRST_DAY = "(DAYOFYEAR({0}) + 13 - DAYOFWEEK({0})) DIV 7"
_WEEK_OF_YEAR = {
    "bigquery": _FROM_FIRST_SUNDAY,
    "fabric": _FROM_FIRST_DAY,
    "mysql": _FROM_FIRST_SUNDAY,
    "tsql": _FROM_FIRST_DAY,
}


def days_ahead(unit: exp.Expr | None, dialect: str, sundays: frozenset[str] = BEGINS_SUNDAY) -> int | None:
    """How many days later a time must be for its week to begin on a Monday; None if the unit is no week.

    Args:
        sundays: the dialects whose plain WEEK begins on Sunday.
    """
    if isinstance(unit, exp.WeekStart):
        day = unit.this.name.upper()
        return (len(_DAYS) - _DAYS.index(day)) % len(_DAYS) if day in _DAYS else None
    name = unit.name.upper() if isinstance(unit, exp.Var | exp.Literal) else ""
    if name in ("ISOWEEK", "ISO_WEEK"):
        return 0
    return None if name.removesuffix("S") != "WEEK" else int(dialect in sundays)


def begin_of_week(time: exp.Expr, ahead: int, *, is_date: bool) -> exp.Expr:
    """The begin of a time's week, as a date or as a time."""
    days = f"INTERVAL '{ahead}' DAY"
    if not ahead:
        made = from_template("TRUNC({0}, 'WEEK')" if is_date else "DATE_TRUNC('WEEK', {0})", time)
    elif is_date:
        made = from_template(f"DATE_ADD(TRUNC(DATE_ADD({{0}}, {ahead}), 'WEEK'), -{ahead})", time)
    else:
        made = from_template(f"DATE_TRUNC('WEEK', {{0}} + {days}) - {days}", time)
    if is_date:
        made.type = exp.DataType(this=exp.DType.DATE)
    return made


def weeks_between(later: exp.Expr, earlier: exp.Expr, ahead: int) -> exp.Expr:
    """The number of times that a week begins between two times."""
    begins = (call("TRUNC", _later(time, ahead), exp.Literal.string("WEEK")) for time in (later, earlier))
    return from_template("DATEDIFF({0}, {1}) DIV 7", *begins)


def week_of_year(time: exp.Expr, dialect: str) -> exp.Expr | None:
    """The number of a time's week; None where weeks are counted as ISO does."""
    template = _WEEK_OF_YEAR.get(dialect)
    return None if template is None else from_template(template, time)


def _later(time: exp.Expr, days: int) -> exp.Expr:
    if days:
        return call("DATE_ADD", time, exp.Literal.number(days))
    return time if type_of(time) is exp.DType.DATE else call("TO_DATE", time)
