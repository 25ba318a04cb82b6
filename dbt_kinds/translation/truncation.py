"""Truncation of times: Spark's TRUNC and DATE_TRUNC return NULL for unknown units."""

from __future__ import annotations

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import TRINO_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.renamed import from_template
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.value_types import DECIMALS, DOUBLES, INTEGERS, TIMES, type_of
from dbt_kinds.translation.weeks import begin_of_week, days_ahead
from dbt_kinds.translation.zones import in_zone, of_zone

_UNITS_OF_DATES = ("YEAR", "QUARTER", "MONTH")
_UNITS = frozenset({*_UNITS_OF_DATES, "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"})
_SPELT = {
    "YYYY": "YEAR",
    "YY": "YEAR",
    "MM": "MONTH",
    "MON": "MONTH",
    "DD": "DAY",
}
# a date remains one in these; Spark's DATE_TRUNC makes a time of it
KEEPS_DATES = TRINO_FAMILY | {"fabric", "snowflake", "tsql"}
_LAST_DAYS = {
    "QUARTER": "LAST_DAY(ADD_MONTHS(TRUNC({0}, 'QUARTER'), 2))",
    "YEAR": "MAKE_DATE(YEAR({0}), 12, 31)",
}
# in these dialects TRUNC accepts times, too
_TRUNCATES_TIMES = frozenset({"redshift", "snowflake", "oracle"})


@rewrites(exp.DateTrunc, exp.DatetimeTrunc, exp.TimestampTrunc)
def truncated(node: exp.DateTrunc | exp.TimestampTrunc | exp.DatetimeTrunc, dialect: str) -> exp.Expr:
    """`date_trunc(unit, time)`, under any name, also with a time zone.

    Raises:
        NotInSpark: the unit is unknown to Spark.
    """
    unit, zone = node.args.get("unit"), node.args.get("zone")
    is_date = isinstance(node, exp.DateTrunc) and dialect != "duckdb"
    is_date = is_date or (type_of(node.this) is exp.DType.DATE and dialect in KEEPS_DATES)
    ahead = days_ahead(unit, dialect)
    if ahead is not None:
        time = node.this if zone is None else in_zone(node.this, zone)
        begin = begin_of_week(time, ahead, is_date=is_date and zone is None)
        return begin if zone is None else of_zone(begin, zone)
    if not isinstance(unit, exp.Var | exp.Literal):
        return node
    name = unit.name.upper()
    name = _SPELT.get(name, name if name in _UNITS else name.removesuffix("S"))
    if name not in _UNITS:
        raise NotInSpark(f"truncation to {unit.name.upper()} of {dialect} has no counterpart in Spark", node)
    if zone is not None:
        return of_zone(call("DATE_TRUNC", exp.Literal.string(name), in_zone(node.this, zone)), zone)
    if is_date and name in _UNITS_OF_DATES:
        if isinstance(node, exp.DateTrunc):
            node.set("unit", exp.Literal.string(name))
            return node
        return call("TRUNC", node.this, exp.Literal.string(name))
    if is_date and name == "DAY":
        return exp.TsOrDsToDate(this=node.this)
    return exp.TimestampTrunc(this=node.this, unit=exp.var(name))


@rewrites(exp.LastDay)
def last_day(node: exp.LastDay, dialect: str) -> exp.Expr:
    """`last_day(t, unit)`, of a month by default.

    Raises:
        NotInSpark: the unit is unknown.
    """
    unit = node.args.get("unit")
    if unit is None or unit.name.upper() == "MONTH":
        return call("LAST_DAY", node.this)
    ahead = days_ahead(unit, dialect)
    if ahead is not None:
        begin = begin_of_week(node.this, ahead, is_date=True)
        return call("DATE_ADD", begin, exp.Literal.number(6))
    template = _LAST_DAYS.get(unit.name.upper())
    if template is None:
        raise NotInSpark(f"LAST_DAY of {unit.name.upper()} of {dialect} has no counterpart in Spark", node)
    return from_template(template, node.this)


def cut_to(number: exp.Expr, digits: exp.Expr) -> exp.Expr:
    """A number without the digits behind these, which Spark rounds up or down."""
    if not isinstance(digits.unnest(), exp.Literal | exp.Neg):
        raise NotInSpark("TRUNC to digits that are no literal has no counterpart in Spark; write floor()", digits)
    is_double = type_of(number) in DOUBLES
    # Spark's CEIL and FLOOR to digits take decimals
    exact = exp.cast(number.copy(), "decimal(30, 15)", dialect="spark") if is_double else number
    made = from_template("IF({0} < 0, CEIL({1}, {2}), FLOOR({1}, {2}))", number, exact, digits)
    return exp.cast(made, "double") if is_double else made


@rewrites(exp.Trunc)
def cut_off(node: exp.Trunc, dialect: str) -> exp.Expr:
    """`trunc(x)` for a number, or for a time.

    Raises:
        NotInSpark: it may be either.
    """
    kind = type_of(node.this)
    digits = node.args.get("decimals")
    if digits is not None:
        return cut_to(node.this, digits)
    if dialect not in _TRUNCATES_TIMES:
        return node
    if kind in TIMES or kind is exp.DType.DATE:
        return call("TO_DATE", node.this)
    if kind in INTEGERS | DECIMALS | DOUBLES:
        return node
    message = "TRUNC of what may be a number or a time; declare the column's type, or write CAST(x AS DATE)"
    raise NotInSpark(message, node)
