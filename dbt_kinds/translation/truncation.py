"""Truncation of times: Spark's TRUNC and DATE_TRUNC return NULL for unknown units."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import DECIMALS, DOUBLES, INTEGERS, TIMES, type_of
from dbt_kinds.translation.zones import in_zone, of_zone

_UNITS_OF_DATES = ("YEAR", "QUARTER", "MONTH", "WEEK")
_UNITS = frozenset({*_UNITS_OF_DATES, "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"})
_SPELT = {
    "ISOWEEK": "WEEK",
    "ISO_WEEK": "WEEK",
    "YYYY": "YEAR",
    "YY": "YEAR",
    "MM": "MONTH",
    "MON": "MONTH",
    "DD": "DAY",
}
_WEEK_BEGINS_SUNDAY = frozenset({"tsql", "mysql"})
# in these dialects TRUNC accepts times, too
_TRUNCATES_TIMES = frozenset({"redshift", "snowflake", "oracle"})


@rewrites(exp.DateTrunc, exp.DatetimeTrunc, exp.TimestampTrunc)
def truncated(node: exp.DateTrunc | exp.TimestampTrunc | exp.DatetimeTrunc, dialect: str) -> exp.Expr:
    """`date_trunc(unit, time)`, under any name, also with a time zone.

    Raises:
        NotInSpark: the unit is unknown to Spark.
    """
    unit, zone = node.args.get("unit"), node.args.get("zone")
    if not isinstance(unit, exp.Var | exp.Literal):
        return node
    name = unit.name.upper()
    name = _SPELT.get(name, name if name in _UNITS else name.removesuffix("S"))
    if name not in _UNITS or (name == "WEEK" == unit.name.upper() and dialect in _WEEK_BEGINS_SUNDAY):
        raise NotInSpark(f"truncation to {unit.name.upper()} of {dialect} has no counterpart in Spark", node)
    if zone is not None:
        return of_zone(call("DATE_TRUNC", exp.Literal.string(name), in_zone(node.this, zone)), zone)
    if isinstance(node, exp.DateTrunc) and name in _UNITS_OF_DATES:
        node.set("unit", exp.Literal.string(name))
        return node
    if isinstance(node, exp.DateTrunc) and name == "DAY":
        return exp.TsOrDsToDate(this=node.this)
    return exp.TimestampTrunc(this=node.this, unit=exp.var(name))


@rewrites(exp.Trunc)
def cut_off(node: exp.Trunc, dialect: str) -> exp.Expr:
    """`trunc(x)` for a number, or for a time.

    Raises:
        NotInSpark: it may be either.
    """
    kind = type_of(node.this)
    if node.args.get("decimals") is not None or dialect not in _TRUNCATES_TIMES:
        return node
    if kind in TIMES or kind is exp.DType.DATE:
        return call("TO_DATE", node.this)
    if kind in INTEGERS | DECIMALS | DOUBLES:
        return node
    message = "TRUNC of what may be a number or a time; declare the column's type, or write CAST(x AS DATE)"
    raise NotInSpark(message, node)
