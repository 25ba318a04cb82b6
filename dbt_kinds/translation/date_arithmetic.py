"""Dates plus and minus units of time."""

from __future__ import annotations

import re
from datetime import date, timedelta

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import is_spark
from dbt_kinds.translation.literals import whole
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import DECIMALS, DOUBLES, INTEGERS, type_of

_PARTS = re.compile(
    r"(?P<clock>\d+:\d+(:\d+(\.\d+)?)?)|(?P<minus>-)?(?P<number>\d+(\.\d+)?)\s*(?P<unit>[A-Za-z]+)|(?P<sign>[-+])"
)
# the arguments of MAKE_INTERVAL
_PLACES = ("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
# an interval of Spark's holds these, or the others
_OF_MONTHS = frozenset({"YEAR", "MONTH"})
_SECONDS = {"WEEK": 604800, "DAY": 86400, "HOUR": 3600, "MINUTE": 60}
_FRACTION = re.compile(r"\d*\.\d+")
_SHORT_UNITS = {"MON": "MONTH", "HR": "HOUR", "MIN": "MINUTE", "SEC": "SECOND"}
_NUMBERS_ARE_TIMES = frozenset({"fabric", "tsql"})
# by one of them as by one day
PARTS_OF_ONE_DAY = {"DAYOFYEAR": "DAY", "WEEKDAY": "DAY"}
_UNITS_OF_DATES = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_DATE_FUNCTIONS = (exp.CurrentDate, exp.Date, exp.LastDay, exp.TsOrDsToDate, exp.DateTrunc, exp.StrToDate)
_ADDITIONS: tuple[type[exp.Expr], ...] = (exp.DateAdd, exp.TimestampAdd, exp.DatetimeAdd, exp.TsOrDsAdd)
_SUBTRACTIONS: tuple[type[exp.Expr], ...] = (exp.DateSub, exp.TimestampSub, exp.DatetimeSub)


@rewrites(*_ADDITIONS, *_SUBTRACTIONS, also_in_spark=True)
def shifted(node: exp.Expr, dialect: str) -> exp.Expr:
    """`t + INTERVAL …`: Spark's DATE_ADD drops the time, and is only correct for dates."""
    subtracts = isinstance(node, _SUBTRACTIONS)
    if dialect in _NUMBERS_ARE_TIMES and (begin := _day(node.this)) is not None:
        node.set("this", begin)
    unit = node.args.get("unit")
    unit_name = (unit.name if isinstance(unit, exp.Expr) else str(unit or "DAY")).upper()
    amount = node.expression
    if isinstance(amount, exp.Interval):
        unit_name = amount.unit.name.upper() if amount.unit is not None else unit_name
        amount = amount.this
    if dialect in _NUMBERS_ARE_TIMES:
        unit_name = PARTS_OF_ONE_DAY.get(unit_name, unit_name)
        node.set("unit", exp.var(unit_name))
    amount = _whole_number(amount, node, dialect)
    if not is_spark(dialect) and node.this.is_string:
        # Spark's is a text
        node.set("this", exp.cast(node.this, "timestamp", dialect="spark"))
    if isinstance(node, exp.DateAdd | exp.DateSub | exp.TsOrDsAdd) and _is_date(node.this):
        if unit_name.removesuffix("S") in _UNITS_OF_DATES:
            if isinstance(node.expression, exp.Interval):
                node.set("expression", amount)
                node.set("unit", exp.var(unit_name.removesuffix("S")))
            return node
        # with hours a date becomes a timestamp
        node.set("this", exp.cast(node.this, "timestamp", dialect="spark"))
    number = amount.this if isinstance(amount, exp.Neg) else amount
    minus = isinstance(amount, exp.Neg) != subtracts
    if isinstance(number, exp.Literal) and number.this.lstrip("-").isdigit():
        unit_name, several = _interval_unit(unit_name)
        count = int(number.this) * several
        minus = minus != (count < 0)
        many: exp.Expr = exp.Interval(this=exp.Literal.string(str(abs(count))), unit=exp.var(unit_name))
    else:
        many = _many(number, unit_name)
    left = exp.paren(node.this) if isinstance(node.this, exp.Binary) else node.this
    result = (exp.Sub if minus else exp.Add)(this=left, expression=many)
    return exp.paren(result) if isinstance(node.parent, exp.Binary | exp.Cast | exp.Unary | exp.Dot) else result


def _whole_number(amount: exp.Expr, node: exp.Expr, dialect: str) -> exp.Expr:
    """A number of units, of which T-SQL cuts a fraction off.

    Raises:
        NotInSpark: another dialect rounds it, or takes a part of a unit.
    """
    if type_of(amount.unnest()) not in DECIMALS | DOUBLES or isinstance(node.expression, exp.Interval):
        return amount
    if dialect not in _NUMBERS_ARE_TIMES:
        raise NotInSpark("a fraction of a unit of time has no counterpart in Spark; write round() or floor()", node)
    number = amount.unnest()
    is_literal = isinstance(number, exp.Literal)
    whole = exp.Literal.number(int(float(number.name))) if is_literal else exp.cast(number.copy(), "int")
    node.set("expression", whole)
    return whole


def _day(node: exp.Expr) -> exp.Expr | None:
    """The time that T-SQL takes a number for: days from 1900 on, as in `dateadd(month, datediff(month, 0, t), 0)`."""
    inner = node.unnest()
    if type_of(inner) in INTEGERS and not any(isinstance(part, exp.Literal) for part in (inner, inner.this)):
        counted = call("DATE_ADD", exp.cast(exp.Literal.string("1900-01-01"), "date"), inner)
        return exp.cast(counted, "timestamp", dialect="spark")
    number = whole(inner)
    if number is None:
        return None
    day = date(1900, 1, 1) + timedelta(days=number)
    return exp.cast(exp.Literal.string(day.isoformat()), "timestamp", dialect="spark")


def days_later(node: exp.Add | exp.Sub) -> exp.Expr:
    """`t + 1` of T-SQL, a number of days."""
    number = node.expression.unnest()
    if isinstance(number, exp.Literal) and number.is_int:
        days: exp.Expr = exp.Interval(this=exp.Literal.string(number.name), unit=exp.var("DAY"))
    else:
        days = _many(number, "DAY")
    return type(node)(this=node.this.copy(), expression=days)


def _many(number: exp.Expr, unit: str) -> exp.Mul:
    """An interval with a number that is not a literal."""
    unit, several = _interval_unit(unit)
    one = exp.Interval(this=exp.Literal.string(str(several)), unit=exp.var(unit))
    return exp.Mul(this=exp.paren(number.copy()) if isinstance(number, exp.Binary) else number, expression=one)


def _interval_unit(unit: str) -> tuple[str, int]:
    """A unit of Spark's intervals, and how many of them the given unit is."""
    spark_units = {"QUARTER": ("MONTH", 3), "DECADE": ("YEAR", 10), "CENTURY": ("YEAR", 100)}
    return spark_units.get(unit, (unit, 1))


@rewrites(exp.Interval, also_in_spark=True)
def interval(node: exp.Interval, dialect: str) -> exp.Expr:
    """`INTERVAL (n) DAY`: Spark requires a literal, and multiplies it."""
    number = node.this.unnest() if node.this is not None else None
    if node.unit is None and isinstance(number, exp.Literal) and number.is_string:
        return _of_several_units(node, number.name)
    if node.unit is None and number is not None and not is_spark(dialect):
        # `INTERVAL (n || ' days')`
        return exp.cast(number, "interval")
    if number is None or not isinstance(node.unit, exp.Var) or isinstance(node.parent, (*_ADDITIONS, *_SUBTRACTIONS)):
        return node
    unit = node.unit.name.upper().removesuffix("S")
    if isinstance(number, exp.Literal):
        if _FRACTION.fullmatch(number.name) and unit in _SECONDS:
            # `interval '1.5 days'`
            seconds = float(number.name) * _SECONDS[unit]
            return exp.Interval(this=exp.Literal.string(f"{seconds:.12g}"), unit=exp.var("SECOND"))
        name, several = _interval_unit(unit)
        is_whole = number.name.isdigit()
        count = str(int(number.name) * several) if is_whole else number.name
        return exp.Interval(this=exp.Literal.string(count), unit=exp.var(name if is_whole else unit))
    is_negative = isinstance(number, exp.Neg) and isinstance(number.this, exp.Literal)
    many = _many(exp.paren(number) if is_negative else number, unit)
    return exp.paren(many) if isinstance(node.parent, exp.Binary) else many


def _is_date(node: exp.Expr) -> bool:
    if node.is_type(exp.DType.DATE):
        return True
    if isinstance(node, exp.Cast):
        return bool(node.to.is_type(exp.DType.DATE))
    if isinstance(node, exp.Paren):
        return _is_date(node.this)
    if isinstance(node, exp.TsOrDsAdd | exp.DateAdd | exp.DateSub):
        return _is_date(node.this)
    return isinstance(node, _DATE_FUNCTIONS) and not (isinstance(node, exp.DateTrunc) and not _is_date(node.this))


def _of_several_units(node: exp.Interval, text: str) -> exp.Expr:
    """`interval '1 month - 1 day'`, also `'01:30:00'`: Spark's literals hold months, or days and times."""
    counts: dict[str, float] = {}
    sign = 1
    for found in _PARTS.finditer(text.replace(",", " ")):
        if found["sign"] and not found["number"]:
            sign = -1 if found["sign"] == "-" else 1
            continue
        if found["clock"]:
            hours, minutes, seconds = (*found["clock"].split(":"), "0")[:3]
            parts = {"HOUR": float(hours), "MINUTE": float(minutes), "SECOND": float(seconds)}
        else:
            unit, several = _interval_unit(found["unit"].upper().removesuffix("S"))
            parts = {_SHORT_UNITS.get(unit, unit): float(found["number"]) * several}
        for unit, count in parts.items():
            if unit not in _PLACES:
                return node
            counts[unit] = counts.get(unit, 0) + sign * (-count if found["minus"] else count)
        sign = 1
    if not counts or _PARTS.sub("", text.replace(",", " ")).strip():
        return node
    if len(counts) == 1:
        ((unit, count),) = counts.items()
        made = exp.Interval(this=exp.Literal.string(f"{count:.12g}".lstrip("-")), unit=exp.var(unit))
        return made if count >= 0 else exp.paren(exp.Neg(this=made))
    if counts.keys() <= _OF_MONTHS or not counts.keys() & _OF_MONTHS:
        parts_of_text = (f"{count:.12g} {unit.lower()}" for unit, count in counts.items() if count)
        return exp.Interval(this=exp.Literal.string(" ".join(parts_of_text) or "0 days"))
    numbers = [counts.get(unit, 0) for unit in _PLACES]
    while not numbers[-1]:
        numbers.pop()
    literals = [exp.Literal.number(f"{abs(number):.12g}") for number in numbers]
    signed = [exp.Neg(this=one) if number < 0 else one for one, number in zip(literals, numbers, strict=True)]
    return exp.Anonymous(this="MAKE_INTERVAL", expressions=signed)
