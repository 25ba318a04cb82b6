"""The arithmetic below the planner: sets of intervals, grids of units, instants in text, the fold of the store."""

from __future__ import annotations

import itertools
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.macros import CompilerError, Macros
from tests.unit.reference_units import Unit, boundaries, is_boundary, last_boundary, next_boundary, written

MACROS = Macros()
some_examples = settings(max_examples=settings().max_examples // 10)


# --- sets of intervals, against sets of integers


def members(intervals: list[Any]) -> set[int]:
    return {number for start, end in intervals for number in range(start, end)}


def as_intervals(numbers: set[int]) -> list[list[int]]:
    """The one way to write a set: sorted, neither touching nor overlapping nor empty."""
    starts = sorted(number for number in numbers if number - 1 not in numbers)
    ends = sorted(number + 1 for number in numbers if number + 1 not in numbers)
    return [list(interval) for interval in zip(starts, ends, strict=True)]


number_sets = st.sets(st.integers(-3, 24))
any_intervals = st.lists(st.tuples(st.integers(-3, 24), st.integers(-3, 24)).map(list), max_size=8)


@some_examples
@given(any_intervals)
def test_merging_keeps_every_member_and_leaves_the_shortest_list(intervals: list[list[int]]) -> None:
    assert MACROS.merge_intervals(intervals) == as_intervals(members(intervals))


@some_examples
@given(number_sets, number_sets)
def test_subtracting_leaves_what_is_in_the_first_set_only(numbers: set[int], taken: set[int]) -> None:
    assert MACROS.subtract_intervals(as_intervals(numbers), as_intervals(taken)) == as_intervals(numbers - taken)


@some_examples
@given(number_sets, number_sets)
def test_intersecting_leaves_what_is_in_both_sets(numbers: set[int], others: set[int]) -> None:
    assert MACROS.intersect_intervals(as_intervals(numbers), as_intervals(others)) == as_intervals(numbers & others)


def test_interval_sets_take_instants_as_well() -> None:
    january = [["2024-01-01T00:00:00", "2024-02-01T00:00:00"]]
    a_day = [["2024-01-03T00:00:00", "2024-01-04T00:00:00"]]
    rest = [["2024-01-01T00:00:00", "2024-01-03T00:00:00"], ["2024-01-04T00:00:00", "2024-02-01T00:00:00"]]
    assert MACROS.subtract_intervals(january, a_day) == rest
    assert MACROS.merge_intervals(rest + a_day) == january


def test_what_is_given_is_never_changed() -> None:
    given_intervals = [[1, 4], [3, 6]]
    MACROS.merge_intervals(given_intervals)
    MACROS.subtract_intervals(given_intervals, [[2, 5]])
    assert given_intervals == [[1, 4], [3, 6]]


# --- units

UNIT_NAMES = [
    *("year", "quarter", "month", "week", "day", "hour", "half_hour", "quarter_hour", "five_minute"),
    *("2 years", "10 years", "3 quarters", "5 months", "12 months", "2 weeks", "5 days", "7 days"),
    *("5 hours", "6 hours", "25 hours", "10 minutes", "35 minutes", "60 minutes", "1440 minutes"),
]
UNITS = [(name, week_start) for name in UNIT_NAMES for week_start in ("monday", "sunday")]
# around the origin of all grids, a leap day, the turn of a century that has none, and today
WALKS_START = [datetime(1969, 11, 30), datetime(1970, 1, 1), datetime(2024, 2, 27), datetime(2099, 12, 27, 5, 5)]


@pytest.mark.parametrize(("name", "week_start"), UNITS)
def test_units_are_numbered_one_by_one_along_the_calendar(name: str, week_start: str) -> None:
    unit, grid = MACROS.interval_unit("orders", name, week_start), Unit.read(name, week_start)
    for start in WALKS_START:
        walk = list(itertools.islice(boundaries(start, grid), 40))
        first = MACROS.unit_index(written(walk[0]), unit)
        for index, at in enumerate(walk, start=first):
            assert MACROS.unit_index(written(at), unit) == index
            assert MACROS.unit_index(written(at - timedelta(seconds=1)), unit) == index - 1
            assert MACROS.unit_start(index, unit) == written(at)


@some_examples
@given(
    st.sampled_from(UNITS),
    st.datetimes(datetime(1955, 1, 1), datetime(2060, 1, 1)).map(lambda at: at.replace(microsecond=0)),
)
def test_floor_and_ceiling_are_the_boundaries_around_an_instant(unit: tuple[str, str], at: datetime) -> None:
    grid, of_macros = Unit.read(*unit), MACROS.interval_unit("orders", *unit)
    floor, ceiling = last_boundary(at, grid), next_boundary(at, grid)
    assert MACROS.floor_to_unit(written(at), of_macros) == written(floor)
    assert MACROS.ceil_to_unit(written(at), of_macros) == written(at if is_boundary(at, grid) else ceiling)
    assert MACROS.unit_index_after(written(ceiling), of_macros) == MACROS.unit_index(written(floor), of_macros) + 1


@pytest.mark.parametrize(
    ("unit", "at", "start"),
    [
        ("year", "2024-12-31T23:59:59", "2024-01-01T00:00:00"),
        ("quarter", "2024-06-30T23:59:59", "2024-04-01T00:00:00"),
        ("month", "2024-02-29T12:00:00", "2024-02-01T00:00:00"),
        ("week", "2024-01-07T23:59:59", "2024-01-01T00:00:00"),
        ("day", "2024-01-07T23:59:59", "2024-01-07T00:00:00"),
        ("hour", "2024-01-07T23:59:59", "2024-01-07T23:00:00"),
        ("half_hour", "2024-01-07T23:59:59", "2024-01-07T23:30:00"),
        ("quarter_hour", "2024-01-07T23:44:59", "2024-01-07T23:30:00"),
        ("five_minute", "2024-01-07T23:44:59", "2024-01-07T23:40:00"),
        ("3 years", "2024-06-01T00:00:00", "2024-01-01T00:00:00"),
        ("4 years", "2024-06-01T00:00:00", "2022-01-01T00:00:00"),
        ("2 quarters", "2024-06-01T00:00:00", "2024-01-01T00:00:00"),
        ("5 months", "1970-06-01T00:00:00", "1970-06-01T00:00:00"),
        ("5 months", "1970-12-31T00:00:00", "1970-11-01T00:00:00"),
        ("2 weeks", "1970-01-18T23:59:59", "1970-01-05T00:00:00"),
        ("2 weeks", "1970-01-19T00:00:00", "1970-01-19T00:00:00"),
        ("2 weeks", "1970-01-04T23:59:59", "1969-12-22T00:00:00"),
        ("5 days", "1970-01-31T00:00:00", "1970-01-31T00:00:00"),
        ("5 days", "1970-02-04T23:59:59", "1970-01-31T00:00:00"),
        ("5 hours", "1970-01-02T00:00:00", "1970-01-01T20:00:00"),
        ("5 hours", "1970-01-02T01:00:00", "1970-01-02T01:00:00"),
        ("25 minutes", "1970-01-01T01:00:00", "1970-01-01T00:50:00"),
    ],
)
def test_a_unit_begins_at(unit: str, at: str, start: str) -> None:
    assert MACROS.floor_to_unit(at, MACROS.interval_unit("orders", unit)) == start


@pytest.mark.parametrize(
    ("unit", "at", "start"),
    [
        ("week", "2024-01-06T23:59:59", "2023-12-31T00:00:00"),
        ("week", "2024-01-07T00:00:00", "2024-01-07T00:00:00"),
        ("2 weeks", "1970-01-17T23:59:59", "1970-01-04T00:00:00"),
        ("2 weeks", "1970-01-18T00:00:00", "1970-01-18T00:00:00"),
        ("7 days", "1970-01-07T23:59:59", "1970-01-01T00:00:00"),
        ("month", "2024-01-07T00:00:00", "2024-01-01T00:00:00"),
    ],
)
def test_weeks_alone_can_begin_on_sunday(unit: str, at: str, start: str) -> None:
    assert MACROS.floor_to_unit(at, MACROS.interval_unit("orders", unit, "sunday")) == start


@pytest.mark.parametrize(
    ("text", "week_start", "name"),
    [
        ("year", "monday", "year"),
        ("years", "monday", "year"),
        ("1 year", "monday", "year"),
        ("2 year", "monday", "2 years"),
        ("Quarter", "monday", "quarter"),
        ("2 QUARTERS", "monday", "2 quarters"),
        ("1 months", "monday", "month"),
        ("week", "monday", "week"),
        ("week", "sunday", "week(sunday)"),
        ("1 week", "sunday", "week(sunday)"),
        ("2 weeks", "monday", "2 weeks"),
        ("1 day", "sunday", "day"),
        ("  6   hours ", "monday", "6 hours"),
        ("half_hour", "monday", "half_hour"),
        ("30 minutes", "monday", "half_hour"),
        ("15 minutes", "monday", "quarter_hour"),
        ("5 minutes", "monday", "five_minute"),
        ("10 minutes", "monday", "10 minutes"),
        ("FIVE_MINUTE", "monday", "five_minute"),
    ],
)
def test_units_have_one_name(text: str, week_start: str, name: str) -> None:
    assert MACROS.interval_unit("orders", text, week_start)["name"] == name


@pytest.mark.parametrize(
    "text",
    [
        *("", "fortnight", "decade", "second", "30 seconds", "minute", "minutes", "1 minute", "7 minutes"),
        *("0 days", "-1 days", "1.5 days", "one day", "days 2", "2 half_hours", "1 day 2 hours", "dayss", "2days", 5),
    ],
)
def test_other_units_are_refused(text: Any) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.interval_unit("orders", text)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: interval_unit '{text}' is not a unit; write year, quarter, month, week, day, hour, "
        "half_hour, quarter_hour, five_minute or a count such as '6 hours' (minutes in steps of five)"
    )


# --- instants

PLUS_TWO = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "instant"),
    [
        ("2024-01-31", "2024-01-31T00:00:00"),
        (" 2024-01-31 ", "2024-01-31T00:00:00"),
        ("2024-02-29", "2024-02-29T00:00:00"),
        ("1000-01-01", "1000-01-01T00:00:00"),
        ("1969-12-31T23:59:59", "1969-12-31T23:59:59"),
        ("2024-01-31 06:30", "2024-01-31T06:30:00"),
        ("2024-01-31T06:30:00", "2024-01-31T06:30:00"),
        ("2024-01-31 06:30:15", "2024-01-31T06:30:15"),
        ("2024-01-31T23:59:59.999999", "2024-01-31T23:59:59"),
        ("2024-01-31T23:59:59.9", "2024-01-31T23:59:59"),
        ("2024-01-31Z", "2024-01-31T00:00:00"),
        ("2024-01-31T06:30Z", "2024-01-31T06:30:00"),
        ("2024-01-31 06:30:15 Z", "2024-01-31T06:30:15"),
        ("2024-01-31T06:30+00:00", "2024-01-31T06:30:00"),
        ("2024-01-31T06:30+02:00", "2024-01-31T04:30:00"),
        ("2024-01-31T06:30:59.5-03:30", "2024-01-31T10:00:59"),
        ("2024-01-31+02:00", "2024-01-30T22:00:00"),
        ("2024-03-01 00:00:00 +05:45", "2024-02-29T18:15:00"),
        ("2024-12-31 23:00 -01:00", "2025-01-01T00:00:00"),
        (date(2024, 1, 31), "2024-01-31T00:00:00"),
        (datetime(2024, 1, 31, 6, 30), "2024-01-31T06:30:00"),
        (datetime(2024, 1, 31, 6, 30, 15, 999999), "2024-01-31T06:30:15"),
        (datetime(2024, 1, 31, 6, 30, tzinfo=timezone.utc), "2024-01-31T06:30:00"),
        (datetime(2024, 1, 31, 6, 30, tzinfo=PLUS_TWO), "2024-01-31T04:30:00"),
    ],
)
def test_an_instant_is_read(value: Any, instant: str) -> None:
    assert MACROS.parse_instant("orders", "start", value) == instant


@pytest.mark.parametrize(
    "value",
    [
        *("", "today", "yesterday", "-3 days", "now", "None", "2024", "2024-01", "20240131", "2024-1-31", "24-01-31"),
        *("31.01.2024", "01/31/2024", "2024-01-31T", "2024-01-31 06", "2024-01-31T06:3", "2024-01-31  06:30"),
        *("2024-00-10", "2024-13-01", "2024-01-00", "2024-01-32", "2024-02-30", "2023-02-29", "0000-01-01"),
        *("2024-01-31T24:00", "2024-01-31T06:60", "2024-01-31T06:30:60", "2024-01-31 06:30:", "2024-01-31 06:30.5"),
        *("2024-01-31 06:30 UTC", "2024-01-31 06:30 Europe/Berlin", "2024-01-31T06:30+2", "2024-01-31T06:30+0200"),
        *("2024-01-31\n2024-02-01", "2024-01-31'; drop table orders", 20240131, 1706659200, 2024.5),
    ],
)
def test_anything_else_is_no_instant(value: Any) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.parse_instant("orders", "start", value)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: start '{value}' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)"
    )


@pytest.mark.parametrize("value", ["0001-01-01", "0999-12-31 23:59:59", "9999-12-31", "9999-02-28"])
def test_a_date_out_of_the_range_that_is_taken(value: str) -> None:
    with pytest.raises(CompilerError) as refused:
        MACROS.parse_instant("orders", "start", value)
    assert str(refused.value) == (
        f"dbt_kinds: model orders: start '{value}' is out of the range that is taken, 1000-01-01 to 9998-12-31; write a date within it, such as the day of the first row"
    )


def test_an_end_that_means_none_is_left_out() -> None:
    with pytest.raises(CompilerError, match="1000-01-01 to 9998-12-31; leave it out if there is no end"):
        MACROS.parse_instant("orders", "end", "9999-12-31")


@pytest.mark.parametrize("text", ["99999999 days", "101 years", "405 quarters", "52597 weeks"])
def test_a_unit_is_not_longer_than_a_hundred_years(text: str) -> None:
    with pytest.raises(CompilerError, match=f"interval_unit '{text}' is longer than a hundred years"):
        MACROS.interval_unit("orders", text)


@some_examples
@given(st.datetimes(datetime(1001, 1, 1), datetime(9998, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_an_offset_is_converted_to_utc(local: datetime, minutes_ahead: int) -> None:
    zone = timezone(timedelta(minutes=minutes_ahead))
    utc = local.replace(tzinfo=zone, microsecond=0).astimezone(timezone.utc).replace(tzinfo=None)
    assert MACROS.parse_instant("orders", "start", local.replace(tzinfo=zone).isoformat()) == utc.isoformat()


# --- the store's events


def event_of(kind: str, start: int, end: int, recorded_at: int, model_hash: str = "") -> dict[str, Any]:
    at = datetime(2024, 1, 1) + timedelta(microseconds=recorded_at)
    return {
        "event": kind,
        "interval_start": start,
        "interval_end": end,
        "recorded_at": at.strftime("%Y-%m-%dT%H:%M:%S.%f"),
        "started_at": "",
        "execution_time": "2024-01-01T00:00:00",
        "model_hash": model_hash,
    }


bounds = st.tuples(st.integers(0, 20), st.integers(1, 9))
events = st.builds(
    lambda kind, bound, recorded_at, model_hash: event_of(kind, bound[0], sum(bound), recorded_at, model_hash),
    st.sampled_from(["loaded", "loaded", "invalidated"]),
    bounds,
    st.integers(0, 6),
    st.sampled_from("abcdef"),
)


def replayed(happened: list[dict[str, Any]]) -> dict[int, set[tuple[str, str]]]:
    """One moment after the other; at each, what is loaded first and what is invalidated then. Of loads of one moment any counts."""
    covered: dict[int, set[tuple[str, str]]] = {}
    for moment in sorted({event["recorded_at"] for event in happened}):
        at_once = [event for event in happened if event["recorded_at"] == moment]
        loaded: dict[int, set[tuple[str, str]]] = {}
        for event in at_once:
            for number in range(event["interval_start"], event["interval_end"]) if event["event"] == "loaded" else ():
                loaded.setdefault(number, set()).add((moment, event["model_hash"]))
        covered |= loaded
        for event in at_once:
            for number in (
                range(event["interval_start"], event["interval_end"]) if event["event"] == "invalidated" else ()
            ):
                covered.pop(number, None)
    return covered


@some_examples
@given(st.lists(events, max_size=10))
def test_what_is_loaded_is_what_a_replay_of_the_events_leaves(happened: list[dict[str, Any]]) -> None:
    expected, loads = replayed(happened), MACROS.fold_events(happened)
    assert MACROS.coverage_of(loads) == as_intervals(set(expected))
    for earlier, later in itertools.pairwise(loads):
        assert earlier["end"] <= later["start"]
    for load in loads:
        for number in range(load["start"], load["end"]):
            assert (load["recorded_at"], load["model_hash"]) in expected[number]


@pytest.mark.parametrize(
    ("happened", "loads"),
    [
        pytest.param([], [], id="nothing ever happened"),
        pytest.param([("loaded", 1, 3, 1), ("loaded", 3, 5, 2)], [(1, 3, 1), (3, 5, 2)], id="loads that touch stay two"),
        pytest.param([("loaded", 1, 5, 1), ("loaded", 2, 3, 2)], [(1, 2, 1), (2, 3, 2), (3, 5, 1)], id="a part again"),
        pytest.param([("loaded", 2, 3, 2), ("loaded", 1, 5, 1)], [(1, 2, 1), (2, 3, 2), (3, 5, 1)], id="another order"),
        pytest.param([("loaded", 2, 3, 1), ("loaded", 1, 5, 2)], [(1, 5, 2)], id="all of it again"),
        pytest.param([("loaded", 1, 5, 1), ("invalidated", 2, 3, 2)], [(1, 2, 1), (3, 5, 1)], id="a gap"),
        pytest.param([("invalidated", 2, 3, 2), ("loaded", 1, 5, 1)], [(1, 2, 1), (3, 5, 1)], id="told in another order"),
        pytest.param([("invalidated", 2, 3, 1), ("loaded", 1, 5, 2)], [(1, 5, 2)], id="loaded again"),
        pytest.param([("invalidated", 2, 3, 1), ("loaded", 1, 5, 1)], [(1, 2, 1), (3, 5, 1)], id="invalidated wins a tie"),
        pytest.param([("loaded", 1, 5, 1), ("invalidated", 2, 3, 1)], [(1, 2, 1), (3, 5, 1)], id="in either order"),
        pytest.param([("invalidated", 1, 9, 1)], [], id="nothing was there"),
    ],
)  # fmt: skip
def test_events_are_folded(happened: list[tuple[str, int, int, int]], loads: list[tuple[int, int, int]]) -> None:
    folded = MACROS.fold_events([event_of(*event) for event in happened])
    expected = [event_of("loaded", *load) for load in loads]
    assert [(load["start"], load["end"], load["recorded_at"]) for load in folded] == [
        (load["interval_start"], load["interval_end"], load["recorded_at"]) for load in expected
    ]
