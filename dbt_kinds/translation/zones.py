"""Functions that take a time zone, for which Spark requires the registered spelling; 'utc' is not one."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import available_timezones

from sqlglot import exp

from dbt_kinds.translation.calls import call
from dbt_kinds.translation.dialects import SPARK_FAMILY
from dbt_kinds.translation.not_in_spark import NotInSpark
from dbt_kinds.translation.rewrites import rewrites
from dbt_kinds.translation.windows_zones import WINDOWS_ZONES

_NAMED_BY_WINDOWS = " standard time"


def spelt_zone(zone: exp.Expr) -> exp.Expr:
    """The zone in its registered spelling; anything but a literal is unchanged.

    Raises:
        NotInSpark: it is a name of Windows' with no registered zone.
    """
    if not isinstance(zone, exp.Literal) or not zone.is_string:
        return zone
    if zone.name.lower().endswith(_NAMED_BY_WINDOWS) and zone.name.lower() not in _zones():
        raise NotInSpark(f"the time zone '{zone.name}' has no counterpart in Spark; write one as Europe/Berlin", zone)
    return exp.Literal.string(_zones().get(zone.name.lower(), zone.name))


def in_zone(instant: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """The wall clock time in the zone at an instant."""
    return call("FROM_UTC_TIMESTAMP", instant, spelt_zone(zone))


def of_zone(time: exp.Expr, zone: exp.Expr) -> exp.Expr:
    """The instant at which a clock in the zone shows a time."""
    return call("TO_UTC_TIMESTAMP", time, spelt_zone(zone))


@rewrites(exp.AtTimeZone, dialects=SPARK_FAMILY)
@rewrites(exp.FromTimeZone, also_in_spark=True)
def spelt(node: exp.AtTimeZone | exp.FromTimeZone, dialect: str) -> exp.Expr:
    """`t at time zone 'utc'`."""
    node.set("zone", spelt_zone(node.args["zone"]))
    return node


@rewrites(exp.ConvertTimezone, also_in_spark=True)
def both_spelt(node: exp.ConvertTimezone, dialect: str) -> exp.Expr:
    """`convert_timezone(from, to, t)`."""
    for part in ("source_tz", "target_tz"):
        if node.args.get(part) is not None:
            node.set(part, spelt_zone(node.args[part]))
    return node


@rewrites(exp.CurrentDate)
def current_date(node: exp.CurrentDate, dialect: str) -> exp.Expr:
    """The date in a zone; without one it is Spark's."""
    if node.this is None:
        return node
    return call("TO_DATE", in_zone(exp.CurrentTimestamp(), node.this))


@rewrites(exp.CurrentDatetime)
def current_datetime(node: exp.CurrentDatetime, dialect: str) -> exp.Expr:
    """The wall clock time in a zone; sessions are in UTC."""
    return exp.CurrentTimestamp() if node.this is None else in_zone(exp.CurrentTimestamp(), node.this)


@rewrites(exp.Date)
def date_in_zone(node: exp.Date, dialect: str) -> exp.Expr:
    """`date(instant, zone)`."""
    zone = node.args.get("zone")
    return node if zone is None else call("TO_DATE", in_zone(node.this, zone))


@rewrites(exp.Datetime)
def datetime_in_zone(node: exp.Datetime, dialect: str) -> exp.Expr:
    """`datetime(instant, zone)`."""
    return node if node.expression is None else in_zone(node.this, node.expression)


@rewrites(exp.Timestamp)
def timestamp_of_zone(node: exp.Timestamp, dialect: str) -> exp.Expr:
    """`timestamp(time, zone)`."""
    zone = node.args.get("zone")
    return node if zone is None else of_zone(exp.cast(node.this, "timestamp", dialect="spark"), zone)


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    registered = {name.lower(): name for name in available_timezones()}
    return registered | {name.lower(): zone for name, zone in WINDOWS_ZONES.items()}
