"""Functions that take a time zone, for which Spark requires the registered spelling; 'utc' is not one."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import available_timezones

from sqlglot import exp

from dbt_kinds.translation.calls import call


def spelt_zone(zone: exp.Expr) -> exp.Expr:
    """The zone in its registered spelling; anything but a literal is unchanged."""
    if isinstance(zone, exp.Literal) and zone.is_string:
        return exp.Literal.string(_zones().get(zone.name.lower(), zone.name))
    return zone


def in_zone(instant: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """The wall clock time in the zone at an instant."""
    return call("FROM_UTC_TIMESTAMP", instant, spelt_zone(zone))


def of_zone(time: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """The instant at which a clock in the zone shows a time."""
    return call("TO_UTC_TIMESTAMP", time, spelt_zone(zone))


def current_date(node: exp.CurrentDate, dialect: str) -> exp.Expr:
    """The date in a zone; without one it is Spark's."""
    if node.this is None:
        return node
    return call("TO_DATE", in_zone(exp.CurrentTimestamp(), node.this))


def date_in_zone(node: exp.Date, dialect: str) -> exp.Expr:
    """`date(instant, zone)`."""
    zone = node.args.get("zone")
    return node if zone is None else call("TO_DATE", in_zone(node.this, zone))


def datetime_in_zone(node: exp.Datetime, dialect: str) -> exp.Expr:
    """`datetime(instant, zone)`."""
    return node if node.expression is None else in_zone(node.this, node.expression)


def timestamp_of_zone(node: exp.Timestamp, dialect: str) -> exp.Expr:
    """`timestamp(time, zone)`."""
    zone = node.args.get("zone")
    return node if zone is None else of_zone(exp.cast(node.this, "timestamp", dialect="spark"), zone)


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones()}
