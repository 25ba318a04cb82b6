"""INTERVAL literals in all of Spark's styles."""

from __future__ import annotations

import re
from decimal import Decimal

from sqlglot import exp

from dbt_kinds.analysis.margins import Margin
from dbt_kinds.analysis.units import LENGTHS

UNITS = {unit: length for unit, length in LENGTHS.items() if unit != "quarter"}
_NUMBER = r"[+-]?\s*(?:\d+\.?\d*|\.\d+)"
_PART = re.compile(rf"\s*({_NUMBER})\s*([a-z]+)\s*")
_DAY_PARTS = ("day", "hour", "minute", "second")


def read_interval(node: exp.Expr | None) -> Margin | None:
    """The length of an INTERVAL literal, also negated, or of a sum of them; None for anything else."""
    if isinstance(node, exp.Paren):
        return read_interval(node.this)
    if isinstance(node, exp.Neg):
        inner = read_interval(node.this)
        return inner.negated() if inner is not None else None
    if isinstance(node, (exp.Add, exp.Sub)):
        left, right = read_interval(node.this), read_interval(node.expression)
        if left is None or right is None:
            return None
        return left.plus(right if isinstance(node, exp.Add) else right.negated())
    return _read_literal(node) if isinstance(node, exp.Interval) else None


def lacks_known_unit(node: exp.Interval) -> bool:
    """Whether an INTERVAL has no unit, or one that Spark lacks."""
    unit = node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return any(_unit_of(part.name) is None for part in (unit.this, unit.expression))
    if unit is not None:
        return _unit_of(unit.name) is None
    return not isinstance(node.this, exp.Literal) or _read_words(node.this.name) is None


def _read_literal(node: exp.Interval) -> Margin | None:
    value, unit = node.this, node.args.get("unit")
    sign = 1
    while isinstance(value, (exp.Neg, exp.Paren)):
        sign = -sign if isinstance(value, exp.Neg) else sign
        value = value.this
    if not isinstance(value, exp.Literal):
        return None
    text = value.name.strip()
    if isinstance(unit, exp.IntervalSpan):
        read = _read_span(text, unit.this.name, unit.expression.name)
    elif unit is not None:
        read = _read_words(f"{text} {unit.name}")
    else:
        read = _read_words(text)
    return read.negated() if read is not None and sign < 0 else read


def _read_words(text: str) -> Margin | None:
    text, total, at = text.strip().lower().removeprefix("interval "), Margin(), 0
    while at < len(text):
        part = _PART.match(text, at)
        unit = _unit_of(part[2]) if part else None
        length = _times(part[1], unit) if part and unit else None
        if part is None or length is None:
            return None
        total, at = total.plus(length), part.end()
    return total if at else None


def _read_span(text: str, first: str, last: str) -> Margin | None:
    begin, end = _unit_of(first), _unit_of(last)
    sign = -1 if text.startswith("-") else 1
    text = text.lstrip("+-").strip()
    if (begin, end) == ("year", "month"):
        found = re.fullmatch(r"(\d+)-(\d+)", text)
        return Margin(sign * (int(found[1]) * 12 + int(found[2]))) if found else None
    if begin not in _DAY_PARTS or end not in _DAY_PARTS:
        return None
    units = _DAY_PARTS[_DAY_PARTS.index(begin) : _DAY_PARTS.index(end) + 1]
    values = re.split(r"[ :]", text)
    total = Margin()
    if len(values) != len(units):
        return None
    for value, unit in zip(values, units, strict=True):
        length = _times(value, unit)
        if length is None:
            return None
        total = total.plus(length)
    return total if sign > 0 else total.negated()


def _times(number: str, unit: str) -> Margin | None:
    try:
        count = Decimal(number.replace(" ", ""))
    except ArithmeticError:
        return None
    length = UNITS[unit]
    months, micros = count * length.months, count * length.micros
    if months != int(months) or micros != int(micros):
        return None
    return Margin(int(months), int(micros))


def _unit_of(name: str) -> str | None:
    name = name.lower()
    return next((unit for unit in (name, name.removesuffix("s")) if unit in UNITS), None)
