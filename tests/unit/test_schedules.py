"""Crons, units and durations as Python reads them: the macros read them in the same way, or refuse them in the same words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dbt_kinds.analysis.margins import Margin, read_iso
from dbt_kinds.analysis.units import is_multiple, length_of, nests
from dbt_kinds.errors import UnreadableScheduleError
from dbt_kinds.intervals.crons import Cron, cron_unit, read_cron, settings_unit, smallest_gap
from dbt_kinds.intervals.durations import read_duration
from dbt_kinds.intervals.units import NAMED_UNITS, Unit, read_unit
from tests.unit import reference_units
from tests.unit.macros import CompilerError, Macros, node
from tests.unit.test_cron import crons

MACROS = Macros()
MODEL = "dbt_kinds: model orders: "

ALIASES = [
    "@yearly",
    "@annually",
    "@quarterly",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
    "@Daily",
    " @WEEKLY ",
]
SCRAPS = [
    "",
    " ",
    "*",
    "/",
    "-",
    ",",
    "#",
    "?",
    "L",
    "W",
    "@",
    "0",
    "7",
    "60",
    "mon",
    "fri-sun",
    "*/5",
    "1-31",
    "٣",
    "\t",
]


def spoilt(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """A text, or one with a piece of it exchanged."""

    def exchange(text: str, at: float, length: int, scrap: str) -> str:
        place = int(at * (len(text) + 1))
        return text[:place] + scrap + text[place + length :]

    changed = st.builds(exchange, texts, st.floats(0, 0.999), st.integers(0, 2), st.sampled_from(SCRAPS))
    return st.one_of(texts, texts, changed)


BASES = [
    "year",
    "quarter",
    "month",
    "week",
    "day",
    "hour",
    "minute",
    "half_hour",
    "quarter_hour",
    "five_minute",
    "second",
]
UNITS = st.builds(
    lambda count, spaces, base, plural: f"{count}{spaces if count else ''}{base}{plural}",
    st.sampled_from(["", "", "", "0", "1", "2", "3", "5", "6", "10", "15", "30", "36", "060", "-1"]),
    st.sampled_from([" ", " ", "  ", ""]),
    st.sampled_from([*BASES, "Day", "HOUR"]),
    st.sampled_from(["", "", "s", "S"]),
)
ANY_CRON = st.one_of(spoilt(crons), spoilt(st.sampled_from(ALIASES)))
ANY_UNIT = st.one_of(spoilt(UNITS), st.sampled_from([5, 0.5, True, ["day"]]))
ANY_WEEK_START = st.sampled_from([None, "monday", "sunday", "Sunday", " sunday", "tuesday", 7])


def answer(read: Callable[[], Any]) -> Any:
    """What was read, or the words of the refusal."""
    try:
        return read()
    except CompilerError as refusal:
        assert str(refusal).startswith(MODEL)
        return str(refusal).removeprefix(MODEL)
    except UnreadableScheduleError as refusal:
        return str(refusal)


def fields_of(cron: Cron) -> dict[str, Any]:
    """As the macro has them."""
    values = {key: list(value) if isinstance(value, tuple) else value for key, value in cron._asdict().items()}
    return {**values, "nth_weekdays": [list(pair) for pair in cron.nth_weekdays]}


@given(ANY_CRON)
def test_a_cron_is_read_as_the_macros_read_it(text: str) -> None:
    assert answer(lambda: fields_of(read_cron(text))) == answer(lambda: dict(MACROS.read_cron("orders", "cron", text)))


@given(crons)
def test_the_smallest_gap_between_ticks_is_the_macros(text: str) -> None:
    try:
        cron = read_cron(text)
    except UnreadableScheduleError:
        return
    # what is longer is a year to both
    year = 365 * 24 * 60
    assert min(smallest_gap(cron), year) == min(MACROS._smallest_gap(MACROS.read_cron("orders", "cron", text)), year)


@given(
    st.one_of(st.none(), ANY_CRON),
    st.one_of(st.none(), ANY_UNIT),
    ANY_WEEK_START,
)
def test_a_models_unit_is_the_one_that_the_macros_plan_with(cron: Any, unit: Any, week_start: Any) -> None:
    written = {"cron": cron, "interval_unit": unit, "week_start": week_start, "time_column": "day"}

    def of_macros() -> Unit:
        options = MACROS.options(node(**written))
        return Unit(**options["unit"])

    assert answer(lambda: settings_unit(cron, unit, week_start)) == answer(of_macros)


ISO = st.builds(
    lambda parts, time: "P" + "".join(parts) + time,
    st.lists(st.sampled_from(["1Y", "2M", "1W", "3D", "10D"]), max_size=3),
    st.sampled_from(["", "T", "T1H", "T30M", "T1H5S", "T90S"]),
)


@given(st.one_of(spoilt(ISO), spoilt(ISO.map(str.lower))))
def test_a_duration_is_read_as_the_macros_read_it(text: str) -> None:
    expected = MACROS.read_duration(text)
    months, seconds = read_duration(text) or (None, None)
    assert expected == (None if months is None else {"months": months, "seconds": seconds})
    assert (read_iso(text) is None) == (expected is None)


@pytest.mark.parametrize(
    ("cron", "unit"),
    [
        ("0 0 1 */3 *", "quarter"),
        ("@quarterly", "quarter"),
        ("30 2 1-7 * 1", "day"),
        ("@Weekly", "week"),
        ("0 0 1,15 * *", "day"),
        ("30 6 * * mon", "week"),
        ("0 */6 * * *", "hour"),
        ("*/30 * * * *", "half_hour"),
        ("0 0 29 2 *", "year"),
        ("0 0 * 2 mon#5", "year"),
    ],
)
def test_the_unit_of_a_cron(cron: str, unit: str) -> None:
    assert cron_unit(read_cron(cron)).name == unit


# --- which units nest

COUNTED = st.one_of(
    st.builds("{} {}s".format, st.integers(2, 40), st.just("hour")),
    st.builds("{} {}s".format, st.integers(2, 10), st.sampled_from(["day", "month"])),
    st.builds("{} {}s".format, st.integers(2, 4), st.sampled_from(["week", "quarter", "year"])),
)
MINUTES = st.integers(1, 30).map(lambda fives: f"{5 * fives} minutes")
any_unit = st.builds(
    read_unit, st.one_of(st.sampled_from(NAMED_UNITS), COUNTED, MINUTES), st.sampled_from(["monday", "sunday"])
)


@functools.lru_cache(maxsize=4096)
def some_boundaries(unit: str) -> list[datetime]:
    """The first boundaries of a unit since 1970; those of years go beyond 2100, which has no leap day."""
    week_start = "sunday" if unit.endswith("(sunday)") else "monday"
    of = reference_units.Unit.read(unit.removesuffix("(sunday)"), week_start)
    months = {"year": 12, "quarter": 3, "month": 1}.get(of.base, 0) * of.count
    number = max(25, 12 * 150 // months) if months >= 12 else 25
    return list(islice(reference_units.boundaries(datetime(1970, 1, 1), of), number))


def is_on(at: datetime, unit: str) -> bool:
    week_start = "sunday" if unit.endswith("(sunday)") else "monday"
    return reference_units.is_boundary(at, reference_units.Unit.read(unit.removesuffix("(sunday)"), week_start))


@given(any_unit, any_unit)
@example(read_unit("9 hours", "monday"), read_unit("4 years", "monday"))
def test_a_unit_nests_in_another_if_it_has_all_its_boundaries(fine: Unit, coarse: Unit) -> None:
    assert nests(fine.name, coarse.name) == all(is_on(at, fine.name) for at in some_boundaries(coarse.name))


@given(any_unit, st.sampled_from([0, 0, 1, 3, 12]), st.integers(0, 3), st.integers(0, 60).map(lambda fives: 5 * fives))
def test_a_shift_by_a_multiple_leads_from_each_boundary_to_another(
    unit: Unit, months: int, days: int, minutes: int
) -> None:
    micros = timedelta(days=days, minutes=minutes) // timedelta(microseconds=1)

    def shifted(at: datetime) -> datetime:
        month = at.year * 12 + at.month - 1 + months
        return at.replace(year=month // 12, month=month % 12 + 1) + timedelta(microseconds=micros)

    starts = [at for at in some_boundaries(unit.name) if at.day <= 28]
    if is_multiple(Margin(months, micros), unit.name):
        assert all(is_on(shifted(at), unit.name) for at in starts)
    assert is_multiple(length_of(unit.name), unit.name)
