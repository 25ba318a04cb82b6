"""What the uses and the name of a column say about its type."""

from __future__ import annotations

import re

from sqlglot import exp

from dbt_kinds.migrate.column_types import DATE_NAME, TIME_NAME

TEXT, NUMBER, TIME, LOCAL_TIME, DATE, FLAG = "varchar", "bigint", "timestamptz", "timestamp", "date", "boolean"
_BY_SUFFIX = {
    "dt": TIME,
    "tstz": TIME,
    "dtntz": LOCAL_TIME,
    "date": DATE,
    "ds": TEXT,
    "ts": TEXT,
    "epoch": NUMBER,
    "millis": NUMBER,
}
_TIMES = (
    exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc, exp.Extract, exp.DateDiff, exp.DateAdd, exp.DateSub,
    exp.TimestampAdd, exp.TimestampSub, exp.TimestampDiff, exp.TsOrDsToDate, exp.TsOrDsAdd, exp.TsOrDsDiff,
    exp.AtTimeZone, exp.TimeToStr, exp.Date, exp.Year, exp.Month, exp.Day, exp.DayOfWeek, exp.DatetimeDiff,
)  # fmt: skip
_TIME_TYPES = ("date", "timestamp", "timestamptz", "datetime")
_NUMBERS = (exp.Sum, exp.Avg, exp.Round, exp.Abs, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Floor, exp.Ceil)
_TEXTS = (
    exp.Lower,
    exp.Upper,
    exp.Trim,
    exp.Concat,
    exp.DPipe,
    exp.Like,
    exp.ILike,
    exp.Split,
    exp.RegexpLike,
    exp.Length,
    exp.Substring,
)
# whose result is one of the values that they are given
_PASSING = (
    exp.Paren,
    exp.Max,
    exp.Min,
    exp.First,
    exp.Last,
    exp.FirstValue,
    exp.LastValue,
    exp.AnyValue,
    exp.IgnoreNulls,
)
_COMPARED = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)
_FLAG_NAME = re.compile(r"(?:is|has|was)_.*")
_NUMBER_NAME = re.compile(r".*(?:amount|count|cnt|number|total|price|qty|quantity|value|sum|fee|balance)")
_WINDOW = re.compile(r"kinds_(?:start|end)_(\w+)")


def type_by_name(column: str) -> str:
    """The type that a name suggests."""
    if TIME_NAME.fullmatch(column):
        return TIME
    if DATE_NAME.fullmatch(column):
        return DATE
    if _FLAG_NAME.fullmatch(column):
        return FLAG
    return NUMBER if _NUMBER_NAME.fullmatch(column) else TEXT


def used_as(trees: list[exp.Query]) -> dict[str, str]:
    """Types by the name of a column, from what it is handed to or compared with; a window's bound says most."""
    weak: dict[str, str] = {}
    firm: dict[str, str] = {}
    strong: dict[str, str] = {}
    for tree in trees:
        for column in tree.find_all(exp.Column):
            name = column.name.lower()
            parent, beside = _handed_to(column)
            if isinstance(parent, _COMPARED):
                for other in parent.find_all(exp.Column, exp.Literal, exp.Cast, exp.Boolean):
                    window = _WINDOW.fullmatch(other.name.lower()) if isinstance(other, exp.Column) else None
                    if window is not None and window[1] in _BY_SUFFIX:
                        strong[name] = _BY_SUFFIX[window[1]]
                    elif isinstance(other, exp.Cast) and other.this is not column and other.is_type(*_TIME_TYPES):
                        # a text that is cast is no text
                        firm.setdefault(name, DATE if other.is_type("date") else TIME)
                    elif isinstance(other, exp.Column) and type_by_name(other.name.lower()) in (TIME, DATE):
                        # what equals a time is one
                        weak.setdefault(name, type_by_name(other.name.lower()))
                    elif isinstance(other, exp.Literal):
                        weak.setdefault(
                            name,
                            TEXT
                            if other.is_string and not TIME_NAME.fullmatch(name) and not DATE_NAME.fullmatch(name)
                            else type_by_name(name)
                            if other.is_string
                            else NUMBER,
                        )
                    elif isinstance(other, exp.Boolean):
                        weak.setdefault(name, FLAG)
            elif isinstance(parent, exp.And | exp.Or | exp.Not | exp.Where) or (
                isinstance(parent, exp.If) and parent.this is column
            ):
                weak.setdefault(name, FLAG)
            elif isinstance(parent, exp.Add | exp.Sub) and any(
                isinstance(side, exp.Interval) for side in (parent.this, parent.expression)
            ):
                weak.setdefault(name, TIME)
            elif isinstance(parent, _TIMES) or (isinstance(parent, exp.Cast) and parent.is_type(*_TIME_TYPES)):
                weak.setdefault(name, DATE if DATE_NAME.fullmatch(name) and not TIME_NAME.fullmatch(name) else TIME)
            elif isinstance(parent, exp.Cast) and _last_cast(parent).is_type(*exp.DataType.NUMERIC_TYPES):
                firm.setdefault(name, NUMBER)
            elif isinstance(parent, exp.Nullif | exp.Coalesce) and any(
                isinstance(one, exp.Literal) and not one.is_string for one in parent.iter_expressions()
            ):
                weak.setdefault(name, NUMBER)
            elif isinstance(parent, exp.Coalesce) and any(
                isinstance(one, exp.Boolean) for one in parent.iter_expressions()
            ):
                weak.setdefault(name, FLAG)
            elif beside is not None:
                weak.setdefault(name, beside)
            elif isinstance(parent, _NUMBERS):
                weak.setdefault(name, type_by_name(name) if type_by_name(name) in (TIME, DATE) else NUMBER)
            elif isinstance(parent, _TEXTS):
                weak.setdefault(name, TEXT)
    return weak | firm | strong


def _handed_to(column: exp.Expr) -> tuple[exp.Expr | None, str | None]:
    """What uses a column's value, also one that an aggregate or a CASE passes on, and the type of what a CASE gives
    instead, if that is a literal.
    """
    value, parent, beside = column, column.parent, None
    while parent is not None:
        is_result = isinstance(parent, exp.If) and parent.this is not value
        is_case = isinstance(parent, exp.Case) and parent.this is not value
        if not (isinstance(parent, _PASSING) or is_result or is_case):
            break
        if is_case:
            results = [one.args.get("true") for one in parent.args["ifs"]] + [parent.args.get("default")]
            literals = [one for one in results if isinstance(one, exp.Literal | exp.Boolean)]
            if literals:
                one = literals[0]
                beside = FLAG if isinstance(one, exp.Boolean) else TEXT if one.is_string else NUMBER
        value, parent = parent, parent.parent
    return parent, beside


def _last_cast(cast: exp.Cast) -> exp.Cast:
    """The last of casts in a row, as in `id::text::integer`."""
    while isinstance(cast.parent, exp.Cast):
        cast = cast.parent
    return cast
