"""Times that are numbers: seconds or milliseconds since 1970, and the timestamps that are made of them."""

from __future__ import annotations

import re

from sqlglot import exp

_COUNTED = (
    (re.compile(r"(?:.*_)?(?:ms|millis|milliseconds|epoch_?millis|timestamp_?ms)"), "millis"),
    (re.compile(r"(?:.*_)?(?:epoch|unix|unixtime|unix_?timestamp|epoch_?seconds|unix_?seconds)"), "epoch"),
)
_SCALES = {"": "epoch", "0": "epoch", "3": "millis"}
_FUNCTIONS = {"timestamp_millis": "millis", "timestamp_seconds": "epoch", "from_unixtime": "epoch"}
# which read a text as well, but a number as seconds
_OF_NUMBERS = frozenset({"to_timestamp", "to_timestamp_ntz", "to_timestamp_ltz", "to_timestamp_tz"})
_ADDED = {"SECOND": "epoch", "MILLISECOND": "millis"}
_NUMBERS = frozenset({exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT, exp.DataType.Type.DECIMAL})


def number_unit(name: str) -> str | None:
    """What a column of numbers counts since 1970, by its name: `millis`, `epoch` for seconds, or unknown."""
    return next((unit for pattern, unit in _COUNTED if pattern.fullmatch(name.lower())), None)


def is_whole_number(kind: exp.DataType) -> bool:
    """Whether a type holds whole numbers."""
    return kind.this in exp.DataType.INTEGER_TYPES


def is_zero(node: exp.Expr) -> bool:
    """Whether an expression is the number 0."""
    return isinstance(node, exp.Literal) and not node.is_string and set(node.name) <= set("0.")


def counted(expression: exp.Expr) -> str | None:
    """What an expression counts since 1970, if it is a column of such a name, or that as a whole number."""
    inner = without_number_casts(expression)
    return number_unit(inner.name) if isinstance(inner, exp.Column) else None


def without_number_casts(node: exp.Expr) -> exp.Expr:
    """An expression without what makes a number of it: `cast(coalesce(ts, 0) as bigint)` is `ts`."""
    while True:
        is_cast = isinstance(node, exp.Cast) and (is_whole_number(node.to) or node.to.this in _NUMBERS)
        is_filled = isinstance(node, exp.Coalesce) and bool(node.expressions) and all(map(is_zero, node.expressions))
        if not is_cast and not is_filled and not isinstance(node, exp.Paren):
            return node
        node = node.this


def made_time(node: exp.Expr) -> tuple[exp.Expr, str] | None:
    """The number that a timestamp such as `from_unixtime(ms / 1000)` is made of, and what it counts."""
    unit: str | None = None
    inner: exp.Expr | None = None
    if isinstance(node, exp.UnixToTime):
        scale = node.args.get("scale")
        inner, unit = node.this, _SCALES.get(scale.name if scale is not None else "")
    elif isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        inner, unit = node.expressions[0], _FUNCTIONS.get(node.name.lower())
        if node.name.lower() in _OF_NUMBERS and without_number_casts(inner) is not inner:
            unit = "epoch"
    elif isinstance(node, exp.DateAdd | exp.TsOrDsAdd | exp.TimestampAdd) and _is_1970(node.this):
        inner, unit = node.expression, _ADDED.get(str(node.args.get("unit") or "").upper())
    elif isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEMPORAL_TYPES:
        made = node.this
        while isinstance(made, exp.Paren):
            made = made.this
        if isinstance(made, exp.UnixToStr):
            inner, unit = made.this, "epoch"
        elif isinstance(made, exp.Div):
            inner, unit = made, "epoch"
        else:
            return made_time(made)
    elif isinstance(node, exp.UnixToStr):
        inner, unit = node.this, "epoch"
    if inner is None or unit is None:
        return None
    inner = without_number_casts(inner)
    if isinstance(inner, exp.Div) and unit == "epoch":
        if not isinstance(inner.expression, exp.Literal) or float(inner.expression.name or 0) != 1000:
            return None
        inner, unit = without_number_casts(inner.this), "millis"
    return inner, unit


def _is_1970(node: exp.Expr) -> bool:
    """Whether an expression is the beginning of 1970."""
    while isinstance(node, exp.Cast):
        node = node.this
    return isinstance(node, exp.Literal) and node.is_string and node.name in ("1970-01-01", "1970-01-01 00:00:00")


def number_used(select: exp.Select, expression: exp.Expr) -> tuple[exp.Expr, str | None] | None:
    """What a select makes of a number: the expression that shows it is one, and what it counts since 1970 if that is
    a time; None for what it does not use as a number.
    """
    wanted = without_number_casts(expression)
    if not isinstance(wanted, exp.Column):
        return None
    calculated: exp.Expr | None = None
    for projection in select.expressions:
        for node in projection.walk():
            made = made_time(node)
            if made is not None and _is_same(made[0], wanted):
                return node, made[1]
            if isinstance(node, exp.Div | exp.Mul | exp.Mod) and (
                _is_same(node.this, wanted) or _is_same(node.expression, wanted)
            ):
                calculated = calculated or node
    return (calculated, None) if calculated is not None else None


def _is_same(node: exp.Expr, wanted: exp.Column) -> bool:
    column = without_number_casts(node)
    if not isinstance(column, exp.Column) or column.name.lower() != wanted.name.lower():
        return False
    return not column.table or not wanted.table or column.table.lower() == wanted.table.lower()
