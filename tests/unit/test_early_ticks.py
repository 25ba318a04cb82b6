"""Crons whose ticks come too early for their units: what is said of them, against a second reading of the rule."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit import cron_reference
from tests.unit.macros import Macros, node
from tests.unit.reference_units import DAY, Unit, last_boundary, next_boundary, written
from tests.unit.situations import ALIASES, CRONS, UNITS, ZONES

MACROS = Macros()
A_SECOND = timedelta(seconds=1)


def model(**options: Any) -> dict[str, Any]:
    read: dict[str, Any] = MACROS.options(node(time_column="ts", **options))
    return read


def said(instant: str, **options: Any) -> str | None:
    """What a model is told; none if its cron and its unit meet."""
    found = MACROS.early_ticks(model(**options), instant)
    return None if found is None else f"{found['is']}; {found['leads_to']}; {found['remedy']}"


WEEKLY = "the interval to 2024-01-08T00:00:00 waited for the tick at 2024-01-14T00:00:00; cron: '0 0 * * mon', or week_start: sunday"
BERLIN = "ticks before an interval of one day is complete; the interval to 2024-01-16T00:00:00 waited for the tick at 2024-01-16T23:00:00"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cron": "@weekly"}, f"cron '@weekly' ticks before an interval of one week is complete; {WEEKLY}"),
        ({"cron": "@weekly", "interval_unit": "2 weeks"}, f"cron '@weekly' ticks before an interval of 2 weeks is complete; {WEEKLY}"),
        ({"cron": "@daily", "cron_tz": "Europe/Berlin"}, f"cron '@daily' in Europe/Berlin {BERLIN}; cron_tz: UTC, or cron: '0 2 * * *'"),
        (
            {"cron": "0 0 28 * *"},
            "cron '0 0 28 * *' ticks before an interval of one month is complete; the interval to 2023-12-01T00:00:00 waited for the tick at "
            "2023-12-28T00:00:00; cron: '0 0 1 * *', or interval_unit: day",
        ),
    ],
)  # fmt: skip
def test_what_is_said_of_ticks_that_come_too_early(options: dict[str, Any], words: str) -> None:
    assert said("2024-01-17T12:00:00", **options) == words


WINTER, SUMMER = "2024-01-17T12:00:00", "2024-07-17T12:00:00"


@pytest.mark.parametrize(
    ("options", "winter", "summer"),
    [
        # on purpose: a unit that is complete is waited for, but not missed
        ({"cron": "30 7 * * *"}, None, None),
        ({"cron": "0 15 * * *"}, None, None),
        ({"cron": "0 0 15 * *"}, None, None),
        ({"cron": "30 6 * * mon"}, None, None),
        ({"cron": "0 0 * * thu"}, None, None),
        ({"cron": "@daily", "cron_tz": "America/New_York"}, None, None),
        ({"cron": "0 8 * * *", "cron_tz": "America/New_York"}, None, None),
        # several units a tick, several ticks a unit
        ({"cron": "0 3 * * mon", "interval_unit": "day"}, None, None),
        ({"cron": "0 0 * * 1-5"}, None, None),
        ({"cron": "@hourly", "interval_unit": "day"}, None, None),
        ({"cron": "45 * * * *", "interval_unit": "day"}, None, None),
        ({"cron": "0 9-17 * * *", "interval_unit": "day"}, None, None),
        ({"cron": "@weekly", "interval_unit": "month"}, None, None),
        ({"cron": "@daily", "interval_unit": "month", "cron_tz": "Europe/Berlin"}, None, None),
        # a part of a unit is loaded, and then the rest of it
        ({"cron": "@weekly", "allow_partials": True}, None, None),
        ({"cron": "@weekly", "week_start": "sunday"}, None, None),
        # too early
        ({"cron": "0 22 * * *"}, "cron: '0 0 * * *'", "cron: '0 0 * * *'"),
        ({"cron": "55 * * * *"}, "cron: '0 * * * *'", "cron: '0 * * * *'"),
        ({"cron": "0 23 * * mon", "interval_unit": "day"}, "cron: '0 0 * * *'", "cron: '0 0 * * *'"),
        ({"cron": "0 0 * * sat"}, "cron: '0 0 * * mon', or interval_unit: day", "cron: '0 0 * * mon', or interval_unit: day"),
        ({"cron": "@monthly", "cron_tz": "Europe/Berlin"}, "cron_tz: UTC, or cron: '0 2 1 * *'", "cron_tz: UTC, or cron: '0 2 1 * *'"),
        ({"cron": "@daily", "cron_tz": "Asia/Kolkata"}, "cron_tz: UTC, or cron: '30 5 * * *'", "cron_tz: UTC, or cron: '30 5 * * *'"),
        ({"cron": "@daily", "cron_tz": "Asia/Tokyo"}, "cron_tz: UTC, or cron: '0 9 * * *'", "cron_tz: UTC, or cron: '0 9 * * *'"),
        ({"cron": "@daily", "cron_tz": "Europe/London"}, None, "cron_tz: UTC, or cron: '0 1 * * *'"),
        ({"cron": "0 0 25 12 *"}, "cron: '0 0 1 1 *', or interval_unit: day", "cron: '0 0 1 1 *', or interval_unit: day"),
    ],
)  # fmt: skip
def test_which_crons_and_units_do_not_meet(options: dict[str, Any], winter: str | None, summer: str | None) -> None:
    for instant, remedy in ((WINTER, winter), (SUMMER, summer)):
        words = said(instant, **options)
        assert (None if words is None else words.split("; ")[-1]) == remedy


def test_a_kind_that_ignores_its_cron_waits_for_nothing() -> None:
    assert MACROS.early_ticks(MACROS.options(node(kind="full", cron="@weekly")), WINTER) is None


# --- the rule, read a second time


def wall_clock(at: datetime, zone: str) -> datetime:
    clock = cron_reference.clock_of(zone)
    return at.replace(tzinfo=timezone.utc).astimezone(clock).replace(tzinfo=None, fold=0)


def last_two_ticks(cron: str, zone: str, at: datetime) -> tuple[datetime, datetime]:
    last = cron_reference.last_tick(cron, zone, at)
    return cron_reference.last_tick(cron, zone, last - A_SECOND), last


def passed_over(cron: str, zone: str, unit: Unit, at: datetime) -> datetime | None:
    """The end of a unit that the last tick but one came too early for."""
    tick, next_tick = last_two_ticks(cron, zone, at)
    start, end = last_boundary(tick, unit), next_boundary(tick, unit)
    early, waits, length = end - tick, next_tick - end, end - start
    wall = wall_clock(tick, zone)
    is_midnight_there = last_boundary(wall, unit) == wall
    is_little = early < length / (2 if is_midnight_there else 3)
    is_long = waits > length / 4 and waits > early * (1 if is_midnight_there else 2)
    return end if is_little and is_long else None


crons = st.one_of(
    st.sampled_from(CRONS + ALIASES),
    st.builds("{} {} * * *".format, st.integers(0, 59), st.integers(0, 23)),
    st.builds("0 {} * * {}".format, st.integers(0, 23), st.integers(0, 7)),
    st.builds("0 {} {} * *".format, st.integers(0, 23), st.integers(1, 31)),
    st.builds("{} * * * *".format, st.integers(0, 59)),
)
# of these most do not meet their unit
early_crons = st.one_of(
    st.sampled_from(["@daily", "@weekly", "@monthly", "@yearly", "45 23 * * fri-sun", "0 0 31 * *"]),
    st.builds("{} {} * * *".format, st.integers(0, 59), st.integers(17, 23)),
    st.builds("0 {} * * {}".format, st.integers(0, 23), st.sampled_from(["sat", "sun"])),
    st.builds("0 {} {} * *".format, st.integers(0, 23), st.integers(22, 31)),
    st.builds("{} * * * *".format, st.integers(45, 59)),
)
zones = st.sampled_from(["UTC", "UTC", "Asia/Tokyo", "Europe/London", "Australia/Sydney", *ZONES])
units = st.sampled_from([None, None, *UNITS])
instants = st.datetimes(datetime(2000, 1, 1), datetime(2030, 1, 1)).map(lambda at: at.replace(microsecond=0))
week_starts = st.sampled_from(["monday", "sunday"])


def written_options(cron: str, zone: str, unit: str | None, week_start: str) -> dict[str, Any]:
    given = {"cron": cron, "cron_tz": zone, "week_start": week_start}
    return given if unit is None else given | {"interval_unit": unit}


def unit_of(cron: str, unit: str | None, week_start: str) -> Unit:
    return Unit.read(unit or cron_reference.cron_unit(cron), week_start)


@given(crons, zones, units, week_starts, instants)
def test_whether_they_meet_at_any_time(cron: str, zone: str, unit: str | None, week_start: str, at: datetime) -> None:
    found = MACROS.early_ticks(model(**written_options(cron, zone, unit, week_start)), written(at))
    expected = passed_over(cron, zone, unit_of(cron, unit, week_start), at)
    assert (expected is None) == (found is None)
    if expected is not None:
        tick = cron_reference.last_tick(cron, zone, at)
        assert found["leads_to"] == f"the interval to {written(expected)} waited for the tick at {written(tick)}"


@given(early_crons, zones, units, week_starts, instants)
def test_no_model_is_late_by_most_of_a_unit_without_a_word(
    cron: str, zone: str, unit: str | None, week_start: str, at: datetime
) -> None:
    """Whatever the rule is: a unit that a tick misses by a quarter of it, and that waits three quarters more."""
    grid = unit_of(cron, unit, week_start)
    missed_at, loaded_at = last_two_ticks(cron, zone, at)
    end = next_boundary(missed_at, grid)
    length = end - last_boundary(missed_at, grid)
    if end - missed_at < length / 4 and loaded_at - end > length * 3 / 4:
        assert said(written(at), **written_options(cron, zone, unit, week_start)) is not None


@given(early_crons, zones, units, week_starts, instants, st.integers(-180, 180))
def test_the_lines_that_are_offered_work(
    cron: str, zone: str, unit: str | None, week_start: str, at: datetime, later: int
) -> None:
    options = written_options(cron, zone, unit, week_start)
    found = MACROS.early_ticks(model(**options), written(at))
    lines = [] if found is None else found["remedy"].split(", or ")
    assert found is None or len(lines) in (1, 2)
    another_day = at.replace(month=6, day=15) + later * DAY
    for line in lines:
        option, value = re.fullmatch(r"(\w+): '?([^']*)'?", line).groups()  # type: ignore[union-attr]
        changed = options | {option: value}
        assert said(written(at), **changed) is None
        if option == "cron":
            # whatever the season
            assert said(written(another_day), **changed) is None
            assert model(**changed)["unit"] == model(**options)["unit"]
