"""Crons: which values their fields have, when they tick on a wall clock, and the unit that follows from them."""

from __future__ import annotations

import functools
import itertools
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
import pytz
from croniter import CroniterBadDateError, croniter
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.unit import cron_reference
from tests.unit.macros import CompilerError, Macros
from tests.unit.reference_units import written

MACROS = Macros()
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def read(text: Any, name: str = "cron") -> dict[str, Any]:
    cron: dict[str, Any] = MACROS.read_cron("orders", name, text)
    return cron


def last_tick(cron: str, time_zone: str, instant: str) -> str:
    tick: str = MACROS.last_tick(read(cron), time_zone, instant)
    return tick


def unit_of(cron: str, week_start: str = "monday") -> str:
    name: str = MACROS.cron_unit("orders", "cron", read(cron), week_start)["name"]
    return name


# --- reading


@pytest.mark.parametrize(
    ("field", "minutes"),
    [
        ("7", [7]),
        ("07", [7]),
        ("9,3,9,6-8", [3, 6, 7, 8, 9]),
        ("5-5", [5]),
        ("*", list(range(60))),
        ("*/1", list(range(60))),
        ("*/20", [0, 20, 40]),
        ("*/43", [0, 43]),
        ("*/60", [0]),
        ("10-30/10", [10, 20, 30]),
        ("10-39/10", [10, 20, 30]),
        ("50/4", [50, 54, 58]),
        ("59/015", [59]),
        ("*,5", list(range(60))),
    ],
)
def test_a_field_is_a_list_of_values_ranges_and_steps(field: str, minutes: list[int]) -> None:
    assert read(f"{field} * * * *")["minutes"] == minutes


@pytest.mark.parametrize(
    ("field", "months"),
    [
        ("jan", [1]),
        ("DEC,Jun,2", [2, 6, 12]),
        ("feb-4", [2, 3, 4]),
        ("sep/2", [9, 11]),
        ("*/3", [1, 4, 7, 10]),
        ("jan-dec/5", [1, 6, 11]),
    ],
)
def test_months_have_names(field: str, months: list[int]) -> None:
    assert read(f"0 0 1 {field} *")["months"] == months


@pytest.mark.parametrize(
    ("field", "weekdays"),
    [
        ("0", [0]),
        ("7", [0]),
        ("0,7,sun", [0]),
        ("mon-fri", [1, 2, 3, 4, 5]),
        ("SAT,Sun", [0, 6]),
        ("0-7", [0, 1, 2, 3, 4, 5, 6]),
        ("5-7", [0, 5, 6]),
        ("fri-sun", [0, 5, 6]),
        ("5-0", [0, 5, 6]),
        ("mon-sun/2", [0, 1, 3, 5]),
        ("sun-sun", [0]),
        ("7-0", [0]),
        ("sun-tue", [0, 1, 2]),
        ("*/2", [0, 2, 4, 6]),
        # 7 is the largest value of the field
        ("3/2", [0, 3, 5]),
        ("mon/1", [0, 1, 2, 3, 4, 5, 6]),
        ("7/3", [0]),
    ],
)
def test_the_week_has_two_sundays_and_a_range_may_end_on_either(field: str, weekdays: list[int]) -> None:
    assert read(f"0 0 * * {field}")["weekdays"] == weekdays


@pytest.mark.parametrize(
    ("cron", "days_open", "weekdays_open"),
    [
        ("0 0 * * *", True, True),
        ("0 0 */1 * */1", True, True),
        ("0 0 13 * *", False, True),
        ("0 0 * * fri", True, False),
        ("0 0 13 * fri", False, False),
        ("0 0 */2 * *", False, True),
        ("0 0 1-31 * 0-6", False, False),
        ("0 0 *,1 * */01", False, False),
    ],
)
def test_a_day_field_is_open_by_its_text(cron: str, days_open: bool, weekdays_open: bool) -> None:
    assert (read(cron)["days_open"], read(cron)["weekdays_open"]) == (days_open, weekdays_open)


@pytest.mark.parametrize(
    ("alias", "cron"),
    [
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@quarterly", "0 0 1 1,4,7,10 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * sun"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
        ("@Daily", "0 0 * * *"),
        (" @HOURLY ", "0 * * * *"),
        ("  0   5\t* *  1 ", "0 5 * * mon"),
    ],
)
def test_an_alias_is_short_for_five_fields(alias: str, cron: str) -> None:
    assert read(alias) == {**read(cron), "text": alias}


@pytest.mark.parametrize(
    ("cron", "why"),
    [
        ("", "it has 0 fields, a cron has 5"),
        ("daily", "it has 1 fields, a cron has 5"),
        ("@reboot", "it has 1 fields, a cron has 5"),
        ("@daily @hourly", "it has 2 fields, a cron has 5"),
        ("0 0 * *", "it has 4 fields, a cron has 5"),
        ("0 0 5 * * *", "it has 6 fields, a cron has 5"),
        ("0 0 5 * * * 2024", "it has 7 fields, a cron has 5"),
        (5, "it has 1 fields, a cron has 5"),
        (0.5, "it has 1 fields, a cron has 5"),
        (True, "it has 1 fields, a cron has 5"),
        ({"hour": 5}, "it has 2 fields, a cron has 5"),
        (["*", "*", "*", "*", "*"], "'['*'' is no minute"),
        ("60 0 * * *", "minute 60 is not between 0 and 59"),
        ("0 24 * * *", "hour 24 is not between 0 and 23"),
        ("0 0-24 * * *", "hour 24 is not between 0 and 23"),
        ("0 24/2 * * *", "hour 24 is not between 0 and 23"),
        ("0 0 0 * *", "day of month 0 is not between 1 and 31"),
        ("0 0 1,32 * *", "day of month 32 is not between 1 and 31"),
        ("0 0 1 0 *", "month 0 is not between 1 and 12"),
        ("0 0 1 13 *", "month 13 is not between 1 and 12"),
        ("0 0 * * 8", "day of week 8 is not between 0 and 7"),
        ("0 0 1 x *", "'x' is no month"),
        ("0 0 1 JANUARY *", "'JANUARY' is no month"),
        ("0 0 1 mon *", "'mon' is no month"),
        ("0 0 * * jan", "'jan' is no day of week"),
        ("jan 0 * * *", "'jan' is no minute"),
        ("0 five * * *", "'five' is no hour"),
        ("0 -5 * * *", "'-5' is no hour"),
        ("0 5- * * *", "'5-' is no hour"),
        ("0 1-2-3 * * *", "'1-2-3' is no hour"),
        ("0 *-5 * * *", "'*' is no hour"),
        ("0 ** * * *", "'**' is no hour"),
        ("0 1.5 * * *", "'1.5' is no hour"),
        ("0 ٣ * * *", "'٣' is no hour"),
        ("0 1,,2 * * *", "'' is no hour"),
        ("0 1, * * *", "'' is no hour"),
        ("0 /2 * * *", "'' is no hour"),
        ("0 0 ? * *", "'?' is no day of month"),
        ("0 0 * * ?", "'?' is no day of week"),
        ("0 0 L * *", "'L' is no day of month"),
        ("0 0 15W * *", "'15W' is no day of month"),
        ("0 0 * * 5L", "'5L' is no day of week"),
        ("0 0 * * mon#6", "'mon#6' is none of the first five of a month, as in mon#2"),
        ("0 0 * * 1-3#2", "'1-3' is no day of week"),
        ("0 0 * * */2#2", "'*/2' is no day of week"),
        ("0 0 * * 8#2", "day of week 8 is not between 0 and 7"),
        ("0 0 1#2 * *", "'1#2' is no day of month"),
        ("0 0 5-2 * *", "range '5-2' runs backwards"),
        ("0 22-4 * * *", "range '22-4' runs backwards"),
        ("0 0 1 nov-feb *", "range 'nov-feb' runs backwards"),
        ("0 0 * * fri-mon", "range 'fri-mon' runs backwards"),
        ("0 0 * * 7-1", "range '7-1' runs backwards"),
        ("*/0 * * * *", "step '0' is not a whole number of 1 or more"),
        ("*/ * * * *", "step '' is not a whole number of 1 or more"),
        ("*/-1 * * * *", "step '-1' is not a whole number of 1 or more"),
        ("*/1.5 * * * *", "step '1.5' is not a whole number of 1 or more"),
        ("1-9/x * * * *", "step 'x' is not a whole number of 1 or more"),
        ("1/2/3 * * * *", "step '2/3' is not a whole number of 1 or more"),
        ("0 0 30 2 *", "it never fires"),
        ("0 0 30,31 feb */1", "it never fires"),
        ("0 0 31 2,4,6,9,11 *", "it never fires"),
    ],
)
def test_a_cron_that_cannot_be_read_says_why(cron: Any, why: str) -> None:
    with pytest.raises(CompilerError) as refused:
        read(cron)
    assert str(refused.value) == f"dbt_kinds: model orders: cron '{cron}' cannot be read: {why}"


def test_the_message_names_the_option() -> None:
    with pytest.raises(CompilerError, match=r"model orders: auto_restatement_cron '@never' cannot be read: it has 1 "):
        read("@never", name="auto_restatement_cron")


# --- time zones


@pytest.mark.parametrize(
    "name", ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+5", "EST5EDT", "Asia/Calcutta"]
)
def test_a_time_zone_is_an_iana_name(name: str) -> None:
    assert MACROS.check_time_zone("orders", name) == name


@pytest.mark.parametrize(
    "name", ["", "CEST", "Berlin", "Europe/Bielefeld", "+02:00", "europe/berlin", "../UTC", 2, None, ["UTC"]]
)
def test_anything_else_is_no_time_zone(name: Any) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.check_time_zone("orders", name)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: cron_tz '{name}' is not a time zone name; write one such as Europe/Berlin"
    )


# --- ticks


@pytest.mark.parametrize(
    ("cron", "instant", "tick"),
    [
        # a tick at the very instant counts
        ("@hourly", "2024-05-16T07:59:59", "2024-05-16T07:00:00"),
        ("@hourly", "2024-05-16T07:00:00", "2024-05-16T07:00:00"),
        ("@hourly", "2024-05-16T06:59:59", "2024-05-16T06:00:00"),
        ("@daily", "2024-01-01T00:00:00", "2024-01-01T00:00:00"),
        ("0 5 * * *", "2024-01-06T04:59:59", "2024-01-05T05:00:00"),
        ("*/43 * * * *", "2024-01-01T00:42:00", "2024-01-01T00:00:00"),
        ("*/43 * * * *", "2024-01-01T00:00:00", "2024-01-01T00:00:00"),
        ("5,35 8-17 * * 1-5", "2024-05-20T08:04:00", "2024-05-17T17:35:00"),
        ("5,35 8-17 * * 1-5", "2024-05-20T09:20:00", "2024-05-20T09:05:00"),
        ("5,35 8-17 * * 1-5", "2024-05-20T09:04:00", "2024-05-20T08:35:00"),
        ("@weekly", "2024-01-06T23:59:59", "2023-12-31T00:00:00"),
        ("@monthly", "2024-03-31T23:59:59", "2024-03-01T00:00:00"),
        ("@quarterly", "2024-03-31T23:59:59", "2024-01-01T00:00:00"),
        ("@yearly", "2024-12-31T23:59:59", "2024-01-01T00:00:00"),
        # months that are too short are passed over
        ("0 0 31 * *", "2024-07-30T00:00:00", "2024-05-31T00:00:00"),
        ("0 0 30 */2 *", "2024-03-15T00:00:00", "2024-01-30T00:00:00"),
        ("0 0 29 2 *", "2024-02-28T23:59:59", "2020-02-29T00:00:00"),
        ("0 0 29 2 *", "1904-02-28T23:59:59", "1896-02-29T00:00:00"),
        # the first Wednesday, and fifth ones where a month has one
        ("0 0 * * 3#1", "2024-05-07T12:00:00", "2024-05-01T00:00:00"),
        ("0 0 * * wed#1", "2024-05-01T00:00:00", "2024-05-01T00:00:00"),
        ("0 0 * * wed#1", "2024-04-30T23:59:59", "2024-04-03T00:00:00"),
        ("0 0 * * fri#5", "2024-05-30T00:00:00", "2024-03-29T00:00:00"),
        ("0 0 * * 7#2,fri#5", "2024-05-30T00:00:00", "2024-05-12T00:00:00"),
        ("0 0 * 2 thu#5", "2024-02-28T00:00:00", "1996-02-29T00:00:00"),
        ("0 0 * 2 mon#5", "1931-05-01T00:00:00", "1904-02-29T00:00:00"),
        ("0 0 15 * mon#1", "2024-05-20T00:00:00", "2024-05-15T00:00:00"),
        # with neither day field open a day matches when either does
        ("0 0 13 * fri", "2024-09-12T12:00:00", "2024-09-06T00:00:00"),
        ("0 0 13 * fri", "2024-10-13T12:00:00", "2024-10-13T00:00:00"),
        ("0 0 13 2 fri", "2024-12-01T00:00:00", "2024-02-23T00:00:00"),
        ("0 0 30 2 fri", "2024-12-01T00:00:00", "2024-02-23T00:00:00"),
        ("0 0 * * fri", "2024-10-13T12:00:00", "2024-10-11T00:00:00"),
        ("0 0 */1 * fri", "2024-10-13T12:00:00", "2024-10-11T00:00:00"),
        ("0 0 1-31 * fri", "2024-10-13T12:00:00", "2024-10-13T00:00:00"),
        ("0 0 13 * */1", "2024-10-12T12:00:00", "2024-09-13T00:00:00"),
        ("0 0 13 * 0-6", "2024-10-12T12:00:00", "2024-10-12T00:00:00"),
    ],
)
def test_the_last_tick_in_utc(cron: str, instant: str, tick: str) -> None:
    assert last_tick(cron, "UTC", instant) == tick


@pytest.mark.parametrize(
    ("cron", "time_zone", "instant", "tick"),
    [
        ("0 6 * * *", "Europe/Berlin", "2024-01-15T05:00:00", "2024-01-15T05:00:00"),
        ("0 6 * * *", "Europe/Berlin", "2024-07-15T03:59:59", "2024-07-14T04:00:00"),
        ("0 0 1 * *", "Pacific/Auckland", "2024-05-31T12:00:00", "2024-05-31T12:00:00"),
        ("0 0 * * mon", "America/New_York", "2024-05-20T03:59:59", "2024-05-13T04:00:00"),
        ("@yearly", "America/New_York", "2024-07-01T00:00:00", "2024-01-01T05:00:00"),
        ("0 0 1 7 *", "America/New_York", "2024-02-01T00:00:00", "2023-07-01T04:00:00"),
        ("0 12 * * *", "Etc/GMT+5", "2024-05-20T17:00:00", "2024-05-20T17:00:00"),
    ],
)
def test_the_fields_describe_the_wall_clock_of_a_zone(cron: str, time_zone: str, instant: str, tick: str) -> None:
    assert last_tick(cron, time_zone, instant) == tick


@pytest.mark.parametrize(
    ("cron", "time_zone", "ticks"),
    [
        pytest.param(
            *("30 2 * * *", "America/New_York"),
            ["2024-03-09T07:30:00", "2024-03-10T07:30:00", "2024-03-11T06:30:00"],
            id="a skipped time ticks at 03:30",
        ),
        pytest.param(
            *("30 1 * * *", "America/New_York"),
            ["2024-11-02T05:30:00", "2024-11-03T05:30:00", "2024-11-03T06:30:00", "2024-11-04T06:30:00"],
            id="a time that happens twice is two ticks",
        ),
        pytest.param(
            *("15,45 1 * * *", "America/New_York"),
            ["2024-11-03T05:15:00", "2024-11-03T05:45:00", "2024-11-03T06:15:00", "2024-11-03T06:45:00"],
            id="01:15 comes after 01:45",
        ),
        pytest.param(
            *("0,40 2,3 * * *", "America/New_York"),
            ["2024-03-10T07:00:00", "2024-03-10T07:40:00", "2024-03-11T06:00:00"],
            id="02:40 comes after 03:00, at the same time as 03:40",
        ),
        pytest.param(
            *("30 1 * * *", "Europe/Dublin"),
            ["2024-03-30T01:30:00", "2024-03-31T01:30:00", "2024-04-01T00:30:00"],
            id="Dublin leaves its winter time, which tz calls the daylight saving one",
        ),
        pytest.param(
            *("30 1 * * *", "Europe/Dublin"),
            ["2024-10-26T00:30:00", "2024-10-27T00:30:00", "2024-10-27T01:30:00", "2024-10-28T01:30:00"],
            id="Dublin goes back to it",
        ),
        pytest.param(
            *("15 2 * * *", "Australia/Lord_Howe"),
            ["2024-10-04T15:45:00", "2024-10-05T15:45:00", "2024-10-06T15:15:00"],
            id="half an hour forward",
        ),
        pytest.param(
            *("45 1 * * *", "Australia/Lord_Howe"),
            ["2024-04-05T14:45:00", "2024-04-06T14:45:00", "2024-04-06T15:15:00", "2024-04-07T15:15:00"],
            id="half an hour back",
        ),
        pytest.param(
            *("0 12 * * *", "Pacific/Apia"),
            ["2011-12-29T22:00:00", "2011-12-30T22:00:00", "2011-12-31T22:00:00"],
            id="the noon that Samoa skipped falls on the next",
        ),
        pytest.param(
            *("0 12 30 * *", "Pacific/Apia"),
            ["2011-11-30T22:00:00", "2011-12-30T22:00:00", "2012-01-29T22:00:00"],
            id="and ticks by itself",
        ),
        pytest.param(
            *("5 0 * * *", "Asia/Kathmandu"),
            ["1985-12-30T18:35:00", "1985-12-31T18:35:00", "1986-01-01T18:20:00"],
            id="a new standard offset, a quarter of an hour ahead",
        ),
        pytest.param(
            *("45 23 * * *", "Asia/Pyongyang"),
            ["2015-08-13T14:45:00", "2015-08-14T14:45:00", "2015-08-14T15:15:00", "2015-08-15T15:15:00"],
            id="a new standard offset, half an hour behind",
        ),
    ],
)
def test_the_clock_is_changed(cron: str, time_zone: str, ticks: list[str]) -> None:
    for before, tick in itertools.pairwise(ticks):
        a_second_earlier = written(datetime.fromisoformat(tick) - timedelta(seconds=1))
        assert last_tick(cron, time_zone, a_second_earlier) == before
        assert last_tick(cron, time_zone, tick) == tick


def watched_ticks(cron: str, time_zone: str, start: datetime, end: datetime) -> list[datetime]:
    """Somebody looks at the wall clock once a minute; when it jumps ahead, also at one that did not, until they meet."""
    fields, clock = cron_reference.cron_of(cron), cron_reference.clock_of(time_zone)
    times, ticks = set(fields.times), []

    def shown(at: datetime) -> datetime:
        return at.replace(tzinfo=timezone.utc).astimezone(clock).replace(tzinfo=None, fold=0)

    at, jumped_at, gap = start, start, timedelta()
    while at < end:
        jump = shown(at) - shown(at - MINUTE) - MINUTE
        if jump > timedelta():
            jumped_at, gap = at, jump
        walls = [shown(at), shown(at) - gap] if at < jumped_at + gap else [shown(at)]
        if any(wall.time() in times and fields.is_on(wall.month, wall.day, wall.isoweekday() % 7) for wall in walls):
            ticks.append(at)
        at += MINUTE
    return ticks


@pytest.mark.parametrize(
    ("time_zone", "change"),
    [
        ("America/New_York", "2024-03-10T07:00:00"),
        ("America/New_York", "2024-11-03T06:00:00"),
        ("America/St_Johns", "1988-04-03T03:31:00"),
        ("Europe/Dublin", "2024-10-27T01:00:00"),
        ("Australia/Lord_Howe", "2024-10-05T15:30:00"),
        ("Australia/Lord_Howe", "2024-04-06T15:00:00"),
        ("Antarctica/Troll", "2024-03-31T01:00:00"),
        ("Pacific/Apia", "2011-12-30T10:00:00"),
        ("Asia/Pyongyang", "2015-08-14T15:00:00"),
    ],
)
@pytest.mark.parametrize(
    "cron", ["*/15 * * * *", "7,52 */2 * * *", "30 0-3 * * *", "0 23 30,31 * sun", "55 11,23 * * 5"]
)
def test_ticks_are_those_of_a_clock_that_is_watched(cron: str, time_zone: str, change: str) -> None:
    at, fields = datetime.fromisoformat(change), read(cron)
    for before, tick in itertools.pairwise(watched_ticks(cron, time_zone, at - DAY, at + 2 * DAY)):
        for instant, expected in [(tick - MINUTE / 60, before), (tick, tick)]:
            assert MACROS.last_tick(fields, time_zone, written(instant)) == written(expected)
            assert cron_reference.last_tick(cron, time_zone, instant) == expected


# --- ticks and units of any cron, against the reference and against croniter


def field_of(least: int, greatest: int, names: str = "") -> st.SearchStrategy[str]:
    """Any text of a field that is read; three items at most, since more of them soon say `*`."""
    numbers = [(str(number), number) for number in range(least, greatest + 1)]
    values = numbers + [(name, number) for number, name in enumerate(names.split(), start=least)]
    ranges = [f"{first}-{last}" for first, low in values for last, high in values if low <= high]
    if greatest == 7:
        ranges += [f"{first}-{last}" for first, low in values for last in ("0", "sun", "SUN") if low > 0]
    steps = st.sampled_from([1, 1, 2, 3, 5, 6, 7, 10, 15, 20, 43, 100]).map(lambda step: f"/{step}")
    item = st.one_of(
        st.sampled_from([value for value, _ in values]),
        st.sampled_from([value for value, _ in values]),
        st.sampled_from(ranges),
        st.builds(str.__add__, st.sampled_from(["*", *(value for value, _ in values), *ranges]), steps),
    )
    several = st.lists(item, min_size=2, max_size=3).map(",".join)
    return st.one_of(st.just("*"), item, item, several)


MINUTES, HOURS, DAYS = field_of(0, 59), field_of(0, 23), field_of(1, 31)
MONTHS = field_of(1, 12, "jan feb mar apr May jun jul aug sep oct Nov DEC")
WEEKDAYS = field_of(0, 7, "sun mon Tue wed thu FRI sat")
NTH = st.builds("{}#{}".format, st.sampled_from([*range(8), "sun", "Tue", "FRI"]), st.integers(1, 5))
NTH_WEEKDAYS = st.lists(st.one_of(NTH, NTH, st.sampled_from(["1", "sat"])), min_size=1, max_size=3).map(",".join)
WEEKDAYS = st.one_of(WEEKDAYS, WEEKDAYS, WEEKDAYS, NTH_WEEKDAYS)
crons = st.tuples(MINUTES, HOURS, DAYS, MONTHS, WEEKDAYS).map(" ".join)
daily_crons = st.builds("{} {} * * *".format, MINUTES, HOURS)
weekly_crons = st.builds("{} {} * * {}".format, MINUTES, HOURS, WEEKDAYS)

SINCE, UNTIL = datetime(1973, 1, 1), datetime(2037, 12, 31)  # before, pytz rounds offsets to minutes; it stops there
DISTANCES = st.one_of(st.integers(-7200, 7200), st.integers(-100 * 60, 100 * 60).map(lambda minutes: minutes * 60))


@functools.cache
def clock_changes() -> list[tuple[str, datetime]]:
    """Every change of every zone; of zones that change alike at one instant, the first."""
    found: dict[tuple[datetime, timedelta, timedelta], tuple[str, datetime]] = {}
    for name in pytz.all_timezones:
        zone: Any = pytz.timezone(name)
        offsets = [offset for offset, *_ in getattr(zone, "_transition_info", [])]
        changes = zip(getattr(zone, "_utc_transition_times", [])[1:], itertools.pairwise(offsets), strict=True)
        for at, (before, after) in changes:
            if before != after and SINCE < at < UNTIL:
                found.setdefault((at, before, after), (name, at))
    return list(found.values())


def read_unless_it_never_fires(cron: str) -> dict[str, Any] | None:
    """No other fault can be drawn."""
    try:
        return read(cron)
    except CompilerError as refused:
        assert str(refused) == f"dbt_kinds: model orders: cron '{cron}' cannot be read: it never fires"
        return None


@given(
    st.one_of(daily_crons, daily_crons, weekly_crons, crons),
    st.deferred(lambda: st.sampled_from(clock_changes())),
    DISTANCES,
)
def test_the_last_tick_around_any_change_of_a_clock(cron: str, changed: tuple[str, datetime], seconds: int) -> None:
    time_zone, change = changed
    fields, instant = read_unless_it_never_fires(cron), change + timedelta(seconds=seconds)
    assume(fields is not None)
    expected = cron_reference.last_tick(cron, time_zone, instant)
    assert MACROS.last_tick(fields, time_zone, written(instant)) == written(expected)


@given(
    crons,
    st.sampled_from(pytz.all_timezones),
    st.datetimes(SINCE, UNTIL).map(lambda at: at.replace(microsecond=0)),
)
def test_the_last_tick_at_any_time(cron: str, time_zone: str, instant: datetime) -> None:
    fields = read_unless_it_never_fires(cron)
    assume(fields is not None)
    expected = cron_reference.last_tick(cron, time_zone, instant)
    assert MACROS.last_tick(fields, time_zone, written(instant)) == written(expected)


def is_read_otherwise_by_croniter(cron: str) -> bool:
    """Where croniter 7 takes a field for another set of values, or for open; the specification deliberately does not."""
    fields = cron_reference.cron_of(cron)
    for field in (fields.minute, fields.hour, fields.day_of_month, fields.month, fields.day_of_week):
        for item in field.text.split(","):
            # mixed with others they are no cron there, and beside a day of the month both must match
            if "#" in item:
                if fields.day_of_month.text != "*" or not all("#" in other for other in field.text.split(",")):
                    return True
                continue
            body, slash, _ = item.partition("/")
            first, dash, last = body.partition("-")
            sunday = 7 if field is fields.day_of_week else 100
            # 5-5 is the whole hour there and 5 here; 0-7 runs from Sunday to the same one there
            if dash and field.number(first) % sunday == field.number(last) % sunday:
                return True
            # the weekdays of a/n end on Saturday there, and on the Sunday after it here: 7 is the largest value
            if slash and not dash and body != "*" and field is fields.day_of_week:
                return True
    # whether */1 and 1-31 are open hangs on the text of the other day field there, on their own text here
    return any(
        field.text != "*" and all(field.has(value) for value in range(1, field.high))
        for field in (fields.day_of_month, fields.day_of_week)
    )


@settings(max_examples=settings().max_examples * 2)
@given(crons, st.datetimes(SINCE, datetime(2099, 1, 1)).map(lambda at: at.replace(microsecond=0)))
def test_the_last_tick_is_the_one_of_croniter(cron: str, instant: datetime) -> None:
    assume(not is_read_otherwise_by_croniter(cron))
    try:
        # it looks for what lies before a minute
        expected = croniter(cron, instant.replace(second=0) + MINUTE).get_prev(datetime)
    except CroniterBadDateError:
        assert read_unless_it_never_fires(cron) is None
        return
    assert last_tick(cron, "UTC", written(instant)) == written(expected)


# --- units


@pytest.mark.parametrize(
    ("cron", "unit"),
    [
        ("@yearly", "year"),
        ("0 0 29 2 *", "year"),
        ("30 5 15 1 *", "year"),
        ("0 0 29 2,3 *", "month"),
        ("@quarterly", "quarter"),
        ("0 0 1 */3 *", "quarter"),
        ("0 0 1 2,5,8,11 *", "quarter"),
        ("0 0 1 1,7 *", "quarter"),
        ("0 0 30 1,4 *", "quarter"),
        ("0 0 31 1,4,7 *", "quarter"),
        ("0 0 29 */2 *", "month"),
        ("@monthly", "month"),
        ("0 0 15 * *", "month"),
        ("0 0 31 * *", "month"),
        ("0 0 1 */2 *", "month"),
        # 28 days within January, 337 until the next; but 2 from 30 April to 1 May
        ("0 0 1,29 1 *", "month"),
        ("0 0 1,30 4,5 *", "day"),
        ("0 0 1,15 * *", "day"),
        # 7 days, but not by the week
        ("0 0 1,8,15,22 2 *", "day"),
        ("0 0 30 2 mon", "day"),
        ("0 0 * * 3#1", "month"),
        ("0 0 * * mon#1,mon#2", "day"),
        ("0 0 * 1,4,7,10 fri#3", "month"),
        ("0 0 * 2 mon#5", "year"),
        ("0 0 15 * mon#1", "day"),
        ("@weekly", "week"),
        ("30 6 * * mon", "week"),
        ("0 0 */1 * mon", "week"),
        ("0 0 * * 1,mon,1-1", "week"),
        ("0 0 * * sun,7", "week"),
        ("0 0 * * */7", "week"),
        ("0 0 * 1 mon", "week"),
        ("0 0 1-31 * mon", "day"),
        ("0 0 * * mon,thu", "day"),
        ("0 0 * * 1-5", "day"),
        ("0 0 13 * fri", "day"),
        ("@daily", "day"),
        ("@midnight", "day"),
        ("30 7 * * *", "day"),
        ("0 0 */2 * *", "day"),
        ("@hourly", "hour"),
        ("0 */6 * * *", "hour"),
        ("0 0,12 * * *", "hour"),
        ("17 9-17 * * 1-5", "hour"),
        ("0 0,23 * * *", "hour"),
        ("0,30 * * * *", "half_hour"),
        ("0,40 * * * *", "quarter_hour"),
        ("*/43 * * * *", "quarter_hour"),
        ("*/15 * * * *", "quarter_hour"),
        ("*/10 * * * *", "five_minute"),
        ("*/5 * * * *", "five_minute"),
        ("*/5 0 29 2 *", "five_minute"),
    ],
)
def test_the_unit_is_the_longest_that_fits_between_two_ticks(cron: str, unit: str) -> None:
    assert unit_of(cron) == cron_reference.cron_unit(cron) == unit


@pytest.mark.parametrize(
    ("days", "follow_each_other"),
    [
        ("* * *", True),
        ("* * mon,thu", False),
        ("* * sat,sun", True),
        ("* 2 sun,sat", True),
        ("*/2 * *", True),  # from the 31st to the 1st
        ("*/2 2 *", False),
        ("2-30/2 * *", False),
        ("1,28 2,3 *", True),
        ("1,29 feb-mar *", True),
        ("1,30 2,3 *", False),
        ("1,31 1,12 *", True),
        ("1,31 1,3 *", False),
        ("13 * fri", True),  # the 12th is one of them in some year
        ("1 jan fri", True),
        ("29 2 fri", True),  # and so is 28 February of some leap year
        ("30 2 fri", False),
        ("30 2 fri-sun", True),
    ],
)
def test_a_gap_over_midnight_counts_where_days_follow_each_other(days: str, follow_each_other: bool) -> None:
    assert unit_of(f"10,50 0,23 {days}") == ("quarter_hour" if follow_each_other else "half_hour")
    assert cron_reference.cron_unit(f"10,50 0,23 {days}") == ("quarter_hour" if follow_each_other else "half_hour")


def test_weeks_begin_when_week_start_says() -> None:
    assert unit_of("@weekly", "sunday") == "week(sunday)"
    assert unit_of("30 6 * * mon", "monday") == "week"
    assert unit_of("@daily", "sunday") == "day"


@pytest.mark.parametrize(
    "cron", ["* * * * *", "*/4 * * * *", "0,4 5 * * *", "*/7 * * * *", "0,59 * 29 2 *", "2,58 0,23 13 * fri"]
)
def test_no_unit_is_shorter_than_five_minutes(cron: str) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.cron_unit("orders", "auto_restatement_cron", read(cron), "monday")
    assert str(refused.value) == (
        f"dbt_kinds: model orders: auto_restatement_cron '{cron}' fires more often than every five minutes"
    )


# few times and few days, so that all units come up
SEVERAL_TIMES = [
    "0 0",
    "30 7",
    "0 */6",
    "0,30 *",
    "0,55 0,23",
    "58,2 0,23",
    "20,40 0,23",
    "*/5 9-17",
    "0 0,23",
    "*/4 *",
]
unit_crons = st.tuples(
    st.one_of(st.sampled_from(["0 0", "30 7", *SEVERAL_TIMES]), st.tuples(MINUTES, HOURS).map(" ".join)),
    DAYS,
    MONTHS,
    WEEKDAYS,
).map(" ".join)


@settings(max_examples=settings().max_examples // 4)
@given(unit_crons)
def test_the_unit_holds_for_every_year_there_is(cron: str) -> None:
    fields = read_unless_it_never_fires(cron)
    assume(fields is not None)
    expected = cron_reference.cron_unit(cron)
    if expected:
        assert MACROS.cron_unit("orders", "cron", fields, "monday")["name"] == expected
    else:
        with pytest.raises(CompilerError, match="fires more often than every five minutes"):
            MACROS.cron_unit("orders", "cron", fields, "monday")
