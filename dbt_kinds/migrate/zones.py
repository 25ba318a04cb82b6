"""The time zone of a model's times: windows are in UTC, and a day of another zone ends earlier or later."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from sqlglot import exp

from dbt_kinds.codes import MigrateCode
from dbt_kinds.errors import Left, MigrationNote
from dbt_kinds.migrate.bounds import asks_now
from dbt_kinds.migrate.conversion import Conversion
from dbt_kinds.migrate.durations import holds_whole
from dbt_kinds.migrate.meaning import Meaning
from dbt_kinds.migrate.parents import Parents
from dbt_kinds.migrate.reading import Reading
from dbt_kinds.readers.dbt.rendering import Names

_ZONES: dict[type[exp.Expr], str] = {
    exp.AtTimeZone: "zone",
    exp.ConvertTimezone: "target_tz",
    exp.Date: "zone",
    exp.Datetime: "expression",
    exp.TimestampTrunc: "zone",
    exp.DateTrunc: "zone",
    exp.CurrentDate: "this",
    exp.CurrentDatetime: "this",
}
_SHIFTS = (exp.Sub, exp.DateSub, exp.TimestampSub, exp.DatetimeSub)
_ADDITIONS = (exp.DateAdd, exp.TimestampAdd, exp.DatetimeAdd, exp.TsOrDsAdd)
_UTC = frozenset({"utc", "gmt", "z", "+00:00", "etc/utc", "etc/gmt", "zulu", "universal"})


def set_zone(
    found: Conversion, reading: Reading, meaning: Meaning, select: exp.Select, unit: str, *, is_date: bool
) -> None:
    """Makes a model due when a day of its zone is over.

    Args:
        is_date: whether the filtered expression is a date, so that the zone of a date it is compared with is its own.

    Raises:
        Left (TimeColumnUnclear): its times are set back, and windows would be loaded before their rows are there.
    """
    assert meaning.expression is not None
    line = meaning.filter.line
    bounds = [other for comparison in meaning.replaced for other in comparison.others]
    if not is_date:
        # an instant since the beginning of a zone's day is an instant of UTC
        bounds = [
            other for other in bounds if not any(node.this is not None for node in other.find_all(exp.CurrentDate))
        ]
    zone = zone_of(meaning.expression, bounds, select, reading.names, reading.parents, line)
    if zone is None:
        if not found.options.get("lookback") and is_set_back(
            meaning.expression, select, reading.names, reading.parents
        ):
            raise Left(
                MigrateCode.TimeColumnUnclear,
                f"{meaning.written} is set back by a fixed time, so that a window of it is not over when it is in "
                "UTC; compare times "
                "in UTC, or set cron_tz by hand",
                line=line,
            )
        return
    places = reading.parents.lineage(meaning.expression, select, reading.names)
    if any(asks_now(place.expression) and zones_in(place.expression) for place in places):
        raise Left(
            MigrateCode.TimeColumnUnclear,
            f"{meaning.written} is the time at which a row was written, of {zone}; windows are in UTC: stamp it "
            "with current_timestamp() alone in the model that writes it, and rebuild that table",
            line=line,
        )
    if not is_west(zone):
        # its day ends before that of UTC, at which the window is due
        return
    if not holds_whole(unit, "day"):
        raise Left(
            MigrateCode.TimeColumnUnclear,
            f"the filtered times are those of {zone}, and an hour of it is not over when that of UTC is; compare "
            "times in UTC",
            line=line,
        )
    found.options["cron_tz"] = zone
    found.notes.append(
        MigrationNote(
            MigrateCode.TimesOfZone, f"{meaning.written} is taken for days of {zone}: one is due at midnight there"
        )
    )


def zone_of(
    expression: exp.Expr, bounds: list[exp.Expr], select: exp.Select, names: Names, parents: Parents, line: int
) -> str | None:
    """The zone that a filtered expression, or what it is compared with, is taken in; None for UTC.

    Raises:
        Left (TimeColumnUnclear): there are several, or one that is computed.
    """
    zones: set[str] = set()
    for place in parents.lineage(expression, select, names):
        zones |= zones_in(place.expression)
    for bound in bounds:
        zones |= zones_in(bound)
    if not zones:
        return None
    zone = zones.pop()
    if zones or not _is_zone(zone):
        named = ", ".join(sorted({zone, *zones} - {""})) or "a zone that is computed"
        raise Left(
            MigrateCode.TimeColumnUnclear,
            f"the filtered times are those of {named}, and windows are in UTC; compare times in UTC, or set cron_tz "
            "by hand",
            line=line,
        )
    return zone


def zones_in(expression: exp.Expr) -> set[str]:
    """The zones that an expression converts times to, other than UTC; '' for one that is no literal."""
    found = set()
    for node in expression.walk():
        part = node.args.get(_ZONES[type(node)]) if type(node) in _ZONES else None
        if part is None or (isinstance(node, exp.Datetime) and not isinstance(part, exp.Literal)):
            continue
        name = part.name if isinstance(part, exp.Literal) and part.is_string else ""
        if name.lower() not in _UTC:
            found.add(name)
    return found


def is_west(zone: str) -> bool:
    """Whether a day of a zone ends after that of UTC, at some time of the year."""
    year = [datetime(2024, month, 1, tzinfo=timezone.utc) for month in (1, 7)]
    return any((at.astimezone(ZoneInfo(zone)).utcoffset() or timedelta()) < timedelta() for at in year)


def is_set_back(expression: exp.Expr, select: exp.Select, names: Names, parents: Parents) -> bool:
    """Whether an expression shifts its times back by a fixed length, as a zone without a name does."""
    for place in parents.lineage(expression, select, names):
        for node in place.expression.walk():
            is_back = isinstance(node, _SHIFTS) and (
                not isinstance(node, exp.Sub) or isinstance(node.expression, exp.Interval)
            )
            added = node.expression if isinstance(node, _ADDITIONS) else None
            if is_back or (added is not None and added.find(exp.Neg) is not None):
                return True
    return False


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return bool(name)
