"""Reads what a column is compared with: the newest value of the table, now, a variable or a fixed time.

The bound may be shifted and truncated.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt_kinds.migrate.asked_partition import is_newest_partition
from dbt_kinds.migrate.durations import NOTHING, Duration, coarser, duration, unit_name
from dbt_kinds.migrate.epochs import is_whole_number, is_zero, number_unit
from dbt_kinds.migrate.parts import terms
from dbt_kinds.readers.dbt.rendering import NAME, THIS, Names, with_plain_lengths

Base = Literal["latest", "now", "variable", "fixed"]

_TODAY = (exp.CurrentDate, exp.UtcDate)
_NOW = (
    *_TODAY,
    exp.CurrentTimestamp,
    exp.CurrentTimestampLTZ,
    exp.CurrentDatetime,
    exp.Localtimestamp,
    exp.UtcTimestamp,
    exp.Systimestamp,
)
# depend on the current time, and are no time that a column can be bounded by
_CLOCKS = (exp.CurrentTime, exp.Localtime, exp.UtcTime)
_TODAY_NAMES = frozenset({"current_date", "curdate", "today"})
_NOW_NAMES = frozenset(
    {
        "now",
        "getdate",
        "sysdate",
        "current_timestamp",
        "current_localtimestamp",
        "localtimestamp",
        "sysdatetime",
        "sysutcdatetime",
        "getutcdate",
        "transaction_timestamp",
        "clock_timestamp",
        "statement_timestamp",
        *_TODAY_NAMES,
    }
)
_BACK = (exp.DateSub, exp.TimestampSub, exp.DatetimeSub)
_FORTH = (exp.DateAdd, exp.TimestampAdd, exp.DatetimeAdd, exp.TsOrDsAdd)
_TRUNCATIONS = (exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc)
_DATES = (exp.Date, exp.TsOrDsToDate)
_SAME = (exp.Paren, exp.Timestamp, exp.Datetime, exp.TsOrDsToTimestamp, exp.TsOrDsToDatetime)
_FIXED = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.0+)?)?(?:Z| ?UTC|\+00(?::?00)?)?")
_MOST_DAYS = 10 * 366
# ClickHouse's names of arithmetic and of types
_MOVED = re.compile(r"(add|subtract)(second|minute|hour|day|week|month|quarter|year)s")
_LONG = re.compile(r"tointerval(second|minute|hour|day|week|month|quarter|year)")
_SAME_NAMES = frozenset({"todatetime", "todatetime64"})
_INTERVAL = re.compile(r"\s*([-+]?\d+(?:\.\d+)?)\s*([A-Za-z]+)?\s*")


@dataclass(frozen=True)
class Bound:
    """One side of a comparison.

    Attributes:
        column: the column of the model's own table, if the base is its newest value.
        column_unit: the unit to which that column was truncated before taking its maximum.
        shift: how far the bound is shifted back.
        truncated: the coarsest unit that the value was truncated to.
        variable: the variable's name, or the text of the fixed time.
        default_variables: variables whose defaults determine the shift.
        is_inclusive: whether an upper bound is itself selected.
        is_number: whether the column holds seconds or milliseconds since 1970.
        floor: what it is never before: a fixed time, or a variable.
        numbers: the columns of whose sum it is the newest value, with what they are multiplied by: a year and a month.
        partition: that it is the newest partition of the table, as its newest value or as its beginning.
        among: the conditions on the model's own table of whose rows it is the newest value, if it is not of all.
    """

    base: Base
    column: str | None = None
    column_unit: str | None = None
    shift: Duration = NOTHING
    truncated: str | None = None
    variable: str | None = None
    default_variables: tuple[str, ...] = ()
    is_inclusive: bool = False
    is_number: bool = False
    floor: Bound | None = None
    numbers: tuple[tuple[int, str], ...] = ()
    partition: Literal["value", "beginning"] | None = None
    among: tuple[exp.Expr, ...] = ()


def read_bound(node: exp.Expr, names: Names, dialect: str, *, may_be_of_part: bool = False) -> Bound | None:
    """Parses a bound; None for an expression that is not one.

    Args:
        may_be_of_part: whether the newest of some rows of the table will do, too.
    """
    found = _Reader(names, dialect).read(node)
    return found if found is None or may_be_of_part or not found.among else None


def is_of_part(condition: exp.Expr) -> bool:
    """Whether a condition compares a column with fixed values: `source = 'web'`."""
    if not isinstance(condition, exp.EQ | exp.In) or condition.args.get("query") or condition.args.get("unnest"):
        return False
    values = [condition.expression] if isinstance(condition, exp.EQ) else condition.expressions
    return isinstance(condition.this, exp.Column) and all(isinstance(value, exp.Literal) for value in values)


def asks_now(node: exp.Expr) -> bool:
    """Whether an expression depends on the current time."""
    return any(isinstance(inner, _CLOCKS) or now_of(inner) is not None for inner in node.walk())


def now_of(node: exp.Expr) -> Bound | None:
    """The current time or date, if that is what an expression is."""
    is_bare = (isinstance(node, exp.Anonymous) and not node.expressions) or (
        isinstance(node, exp.Column) and not node.table
    )
    name = node.name.lower() if is_bare else ""
    if not isinstance(node, _NOW) and name not in _NOW_NAMES:
        return None
    is_date = isinstance(node, _TODAY) or name in _TODAY_NAMES
    return Bound("now", truncated="day" if is_date else None)


def truncation(node: exp.Expr) -> tuple[exp.Expr, str] | None:
    """What an expression truncates and to which unit: `cast(ts as date)` and `date_trunc('day', ts)` to the day."""
    if isinstance(node, _TRUNCATIONS):
        unit = unit_name(node.args["unit"].name) if node.args.get("unit") is not None else None
        return (node.this, unit) if unit is not None and not node.args.get("zone") else None
    if isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DATE:
        return node.this, "day"
    if isinstance(node, _DATES) and not node.args.get("format") and not node.expressions and not node.args.get("zone"):
        return node.this, "day"
    if isinstance(node, exp.Anonymous) and node.name.lower() in ("to_date", "todate") and len(node.expressions) == 1:
        return node.expressions[0], "day"
    return None


class _Reader:
    def __init__(self, names: Names, dialect: str) -> None:
        self.names = names
        self.dialect = dialect
        self.used: list[str] = []

    def read(self, node: exp.Expr) -> Bound | None:
        self.used = []
        found = self._bound(self._with_units(node))
        return replace(found, default_variables=tuple(dict.fromkeys(self.used))) if found is not None else None

    def _with_units(self, node: exp.Expr) -> exp.Expr:
        """The expression with variables used as truncation units replaced by their defaults."""
        named = [
            found
            for found in node.find_all(*_TRUNCATIONS)
            if found.args.get("unit") is not None and found.args["unit"].name.lower() in self.names.variables
        ]
        if not named:
            return node
        node = node.copy()
        for found in node.find_all(*_TRUNCATIONS):
            name = found.args["unit"].name.lower()
            if name in self.names.variables:
                unit = str(self._value(name))
                # its weeks begin on Sunday, and the units of kinds on Monday
                is_sunday = self.dialect == "bigquery" and unit.lower() == "week"
                found.set("unit", exp.WeekStart(this=exp.var("sunday")) if is_sunday else exp.var(unit))
        return node

    def _bound(self, node: exp.Expr) -> Bound | None:
        base = self._base(node)
        if base is not None:
            return base
        if isinstance(node, _SAME) and node.this is not None and not node.args.get("zone"):
            return self._bound(node.this)
        if isinstance(node, exp.Anonymous) and node.name.lower() in _SAME_NAMES and len(node.expressions) == 1:
            return self._bound(node.expressions[0])
        truncated = truncation(node)
        if truncated is not None:
            inner = self._bound(truncated[0])
            return replace(inner, truncated=coarser(inner.truncated, truncated[1])) if inner is not None else None
        if isinstance(node, exp.Cast):
            inner = self._bound(node.this)
            if inner is not None and is_whole_number(node.to):
                return self._counted(inner)
            return inner if node.to.this in exp.DataType.TEMPORAL_TYPES else None
        if isinstance(node, exp.Coalesce):
            inner = self._bound(node.this)
            if inner is not None and node.expressions and all(map(is_zero, node.expressions)):
                return self._counted(inner)
            others = [self._bound(other) for other in node.expressions]
            is_plain = all(other is not None and other.base == "fixed" for other in others)
            return inner if inner is not None and is_plain else None
        if isinstance(node, exp.Greatest):
            # no time is before the first one
            all_parts = [node.this, *node.expressions]
            parts = [part for part in all_parts if not is_zero(part) and not self._is_beginning(part)]
            inner = self._bound(parts[0]) if len(parts) == 1 else self._over_floor(parts)
            return self._counted(inner) if inner is not None and any(map(is_zero, all_parts)) else inner
        return self._shifted(node)

    def _over_floor(self, parts: list[exp.Expr]) -> Bound | None:
        """A bound that moves, and is never before one that does not: `greatest('2024-01-01', current_date - 7)`."""
        found = [self._bound(part) for part in parts]
        moving = [bound for bound in found if bound is not None and bound.base in ("now", "latest")]
        floors = [
            bound
            for bound in found
            if bound is not None and bound.base in ("fixed", "variable") and bound.shift.is_zero
        ]
        return replace(moving[0], floor=floors[0]) if len(found) == 2 and len(moving) == len(floors) == 1 else None

    def _is_beginning(self, node: exp.Expr) -> bool:
        """Whether an expression is a fixed time before all data."""
        found = self._bound(node)
        return found is not None and found.base == "fixed" and str(found.variable) < "1971"

    def _counted(self, inner: Bound) -> Bound | None:
        """The newest value of a column of numbers, whose name says what it counts."""
        if inner.numbers:
            return inner
        is_told = inner.base == "latest" and inner.column is not None and number_unit(inner.column) is not None
        return replace(inner, is_number=True) if is_told else None

    def _base(self, node: exp.Expr) -> Bound | None:
        now = now_of(node)
        if now is not None:
            return now
        name = _name_of(node)
        if name == "_dbt_max_partition" and isinstance(node, exp.Column):
            # dbt-bigquery's own name for the newest partition of the table
            return Bound("latest", partition="value")
        if name is not None and name in self.names.variables:
            return Bound("variable", variable=self.names.variables[name])
        if name is not None and name in self.names.moments:
            back, is_day = self.names.moments[name]
            variable = self.names.variables.get(self.names.root(name))
            shift = Duration(seconds=round(back.total_seconds()))
            base: Base = "now" if variable is None else "variable"
            return Bound(base, shift=shift, truncated="day" if is_day else None, variable=variable)
        if name is not None and name in self.names.queries:
            try:
                return self._newest(sqlglot.parse_one(with_plain_lengths(self.names.queries[name]), read=self.dialect))
            except SqlglotError:
                return None
        if isinstance(node, exp.Literal) and node.is_string:
            fixed = _FIXED.fullmatch(node.name.strip())
            if fixed is None:
                return None
            return Bound(
                "fixed", variable=fixed[1] if not fixed[2] or set(fixed[2]) <= set("0:") else f"{fixed[1]} {fixed[2]}"
            )
        if isinstance(node, exp.Max):
            inner, unit = node.this, None
            while (found := truncation(inner)) is not None or isinstance(inner, exp.Cast | exp.Paren):
                inner, unit = (found[0], coarser(unit, found[1])) if found is not None else (inner.this, unit)
            if not isinstance(inner, exp.Column):
                return _newest_sum(inner)
            return Bound("latest", inner.name, unit, is_number=number_unit(inner.name) is not None)
        if isinstance(node, exp.Subquery):
            return self._newest(node.this)
        if isinstance(node, exp.Select):
            return self._newest(node)
        return None

    def _newest(self, query: exp.Expr) -> Bound | None:
        """Recognizes exactly `select max(column) from this`, or what asks for the newest partition."""
        if is_newest_partition(query, self.names):
            return Bound("latest", partition="beginning")
        allowed = {"kind", "expressions", "from_", "from", "where"}
        if not isinstance(query, exp.Select) or any(value for key, value in query.args.items() if key not in allowed):
            return None
        where = query.args.get("where")
        parts = [] if where is None else where.this.flatten() if isinstance(where.this, exp.And) else [where.this]
        among = tuple(part for part in parts if is_of_part(part) and not _is_always(part))
        conditions = [part for part in parts if not _is_always(part) and part not in among]
        if not all(map(_is_not_null, conditions)):
            return None
        tables = list(query.find_all(exp.Table))
        if len(query.expressions) != 1 or len(tables) != 1 or tables[0].name != THIS:
            return None
        found = self._bound(query.expressions[0].unalias())
        if found is not None and any(found.column != condition.this.this.name for condition in conditions):
            return None
        return replace(found, among=among) if found is not None and found.base == "latest" else None

    def _shifted(self, node: exp.Expr) -> Bound | None:
        if isinstance(node, exp.Sub | exp.Add):
            inner = self._bound(node.this)
            is_number = inner is not None and inner.is_number and not isinstance(node.expression, exp.Interval)
            shift = self._counted_length(node.expression, inner) if is_number else self._length(node.expression)
            sign = 1 if isinstance(node, exp.Sub) else -1
        elif isinstance(node, (*_BACK, *_FORTH)):
            inner = self._bound(node.this)
            unit = node.args.get("unit")
            count = self._number(node.expression)
            if isinstance(node.expression, exp.Interval):
                shift = self._length(node.expression)
            else:
                shift = duration(count, unit.name if unit is not None else "day") if count is not None else None
            sign = 1 if isinstance(node, _BACK) else -1
        elif isinstance(node, exp.AddMonths):
            inner = self._bound(node.this)
            count = self._number(node.expression)
            shift, sign = (duration(count, "month") if count is not None else None), -1
        elif (moved := _called(node, _MOVED, 2)) is not None:
            inner = self._bound(node.expressions[0])
            count = self._number(node.expressions[1])
            shift = duration(count, moved[2]) if count is not None else None
            sign = 1 if moved[1] == "subtract" else -1
        else:
            return None
        if inner is None or shift is None or inner.numbers:
            # the number before that of a January is none
            return None
        shift = Duration(sign * shift.months, sign * shift.seconds)
        return replace(inner, shift=inner.shift + shift)

    def _counted_length(self, node: exp.Expr, of: Bound | None) -> Duration | None:
        count = self._number(node)
        unit = number_unit(of.column) if of is not None and of.column is not None else None
        return Duration(seconds=math.ceil(count / (1000 if unit == "millis" else 1))) if count is not None else None

    def _length(self, node: exp.Expr) -> Duration | None:
        if isinstance(node, exp.Interval):
            unit = node.args.get("unit")
            if node.this is None:
                return None
            if isinstance(node.this, exp.Literal) and node.this.is_string:
                text = NAME.sub(lambda found: str(self._value(found[0])), node.this.name)
                found = _INTERVAL.fullmatch(text)
                if found is None or (found[2] is None) == (unit is None):
                    return None
                return duration(float(found[1]), found[2] or self._unit(unit))
            count = self._number(node.this)
            return duration(count, self._unit(unit)) if count is not None and unit is not None else None
        long = _called(node, _LONG, 1)
        if long is not None:
            count = self._number(node.expressions[0])
            return duration(count, long[1]) if count is not None else None
        count = self._number(node)
        # a date minus a number is that many days earlier; a larger one is no number of days
        return duration(count, "day") if count is not None and abs(count) <= _MOST_DAYS else None

    def _unit(self, unit: exp.Expr | None) -> str:
        name = unit.name if unit is not None else ""
        return str(self._value(name.lower())) if name.lower() in self.names.variables else name

    def _number(self, node: exp.Expr | None) -> float | None:
        if isinstance(node, exp.Paren | exp.Cast):
            return self._number(node.this)
        if isinstance(node, exp.Neg):
            inner = self._number(node.this)
            return -inner if inner is not None else None
        if isinstance(node, exp.Mul | exp.Add):
            left, right = self._number(node.this), self._number(node.expression)
            if left is None or right is None:
                return None
            return left * right if isinstance(node, exp.Mul) else left + right
        if isinstance(node, exp.Literal):
            try:
                return float(self._value(node.name))
            except (TypeError, ValueError):
                return None
        name = _name_of(node) if node is not None else None
        if name is None or name not in self.names.variables:
            return None
        try:
            return float(self._value(name))
        except (TypeError, ValueError):
            return None

    def _value(self, name: str) -> Any:
        """A name's value, if it is a variable with a default; else the name."""
        variable = self.names.variables.get(name)
        if variable is None:
            return name
        self.used.append(variable)
        value = self.names.defaults.get(name)
        return value if isinstance(value, str | int | float) and not isinstance(value, bool) else name


def _called(node: exp.Expr, names: re.Pattern[str], arguments: int) -> re.Match[str] | None:
    """How a call is named, if it is one of a function with such a name."""
    is_call = isinstance(node, exp.Anonymous) and len(node.expressions) == arguments
    return names.fullmatch(node.name.lower()) if is_call else None


def _newest_sum(made: exp.Expr) -> Bound | None:
    """The newest of a sum of columns, such as `100 * year + month`."""
    found = terms(made)
    if found is None or not all(isinstance(column, exp.Column) for _, column in found):
        return None
    return Bound("latest", numbers=tuple((times, column.name) for times, column in found))


def _is_always(condition: exp.Expr) -> bool:
    """Whether a condition is true of all rows: `1 = 1`."""
    is_one = isinstance(condition, exp.EQ) and isinstance(condition.this, exp.Literal)
    return (is_one and condition.this == condition.expression) or (
        isinstance(condition, exp.Boolean) and condition.this is True
    )


def _is_not_null(condition: exp.Expr) -> bool:
    """Whether a condition only leaves out what no maximum is of: `ts is not null`."""
    inner = condition.this if isinstance(condition, exp.Not) else None
    return isinstance(inner, exp.Is) and isinstance(inner.this, exp.Column) and isinstance(inner.expression, exp.Null)


def _name_of(node: exp.Expr) -> str | None:
    """The name that represents Jinja's output, quoted or not."""
    if isinstance(node, exp.Literal) and node.is_string:
        return node.name
    if isinstance(node, exp.Column) and not node.table:
        return node.name
    return None
