"""Units of time that values are truncated to, and which of them nest."""

from __future__ import annotations

from dbt_kinds.analysis.margins import DAY, HOUR, MINUTE, SECOND, Margin

GRANULARITIES = ("hour", "day", "week", "month", "quarter", "year")

SUNDAY_WEEK = "week(sunday)"

LENGTHS = {
    "microsecond": Margin(0, 1),
    "millisecond": Margin(0, 1000),
    "second": Margin(0, SECOND),
    "minute": Margin(0, MINUTE),
    "hour": Margin(0, HOUR),
    "day": Margin(0, DAY),
    "week": Margin(0, 7 * DAY),
    SUNDAY_WEEK: Margin(0, 7 * DAY),
    "month": Margin(1),
    "quarter": Margin(3),
    "year": Margin(12),
}

# the units of Spark's date_trunc and trunc
TRUNCATIONS = {
    **{unit: unit for unit in LENGTHS if unit != SUNDAY_WEEK},
    **dict.fromkeys(("yyyy", "yy"), "year"),
    **dict.fromkeys(("mon", "mm"), "month"),
    "dd": "day",
}


def granularity_unit(granularity: str, week_start: str) -> str:
    """The unit of a granularity; weeks that begin on Sunday are a unit of their own."""
    return SUNDAY_WEEK if granularity == "week" and week_start == "sunday" else granularity


def nests(fine: str, coarse: str) -> bool:
    """Whether every boundary of the coarse unit is also a boundary of the fine unit."""
    if fine == coarse:
        return True
    fine_length, coarse_length = LENGTHS[fine], LENGTHS[coarse]
    if fine_length.months:
        return coarse_length.months > fine_length.months
    if fine_length.micros > DAY:
        return False
    return bool(coarse_length.months) or coarse_length.micros > fine_length.micros


def is_finer(fine: str, coarse: str) -> bool:
    """Whether one unit is shorter than another."""
    return length_order(fine) < length_order(coarse)


def length_order(unit: str) -> int:
    """A sort key that is larger for longer units."""
    return LENGTHS[unit].months * 31 * DAY + LENGTHS[unit].micros


def is_multiple(length: Margin, unit: str) -> bool:
    """Whether a shift by this length always leads from one boundary of the unit to another."""
    of = LENGTHS[unit]
    if of.months:
        return length.micros == 0 and length.months % of.months == 0
    if length.months and of.micros > DAY:
        return False
    return length.micros % of.micros == 0


def rounded_up(length: Margin, unit: str) -> Margin:
    """The length from a boundary of the unit, rounded up to end on one."""
    if is_multiple(length, unit):
        return length
    of = LENGTHS[unit]
    if of.months:
        whole = -(-length.months // of.months) * of.months
        return Margin(whole + (of.months if length.micros > 0 else 0), max(length.micros, 0))
    if length.months and of.micros > DAY:
        return length.plus(of)
    return Margin(length.months, -(-length.micros // of.micros) * of.micros)
