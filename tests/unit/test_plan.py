"""What a run loads: the conformance vectors, the errors, and any situation at all against a second planner."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from tests.unit import reference
from tests.unit.macros import CompilerError, Macros, node
from tests.unit.reference import CRON_UNITS, Interval, Model, Run, Unit, boundaries, written

VECTORS = json.loads((Path(__file__).parents[1] / "conformance" / "intervals.json").read_text())


def planned(
    options: dict[str, Any],
    recorded: list[Any] | None = None,
    *,
    full_refresh: bool = False,
    clock: datetime = datetime(2024, 1, 10, 8),
    **variables: Any,
) -> dict[str, Any]:
    """The plan of a model `orders`; variables are named without their prefix."""
    macros = Macros(variables={f"kinds_{name}": value for name, value in variables.items()}, clock=clock)
    model = macros.options(node(**{"time_column": "ordered_at", **options}))
    coverage = [[macros.parse_instant("orders", "recorded", at) for at in interval[:2]] for interval in recorded or []]
    settings = macros.run_settings("orders", full_refresh and not model["disable_restatement"])
    plan: dict[str, Any] = macros.plan_intervals(model, macros.merge_intervals(coverage), settings)
    return plan


def refusal_of(options: dict[str, Any], recorded: list[Any] | None = None, **run: Any) -> str:
    with pytest.raises(CompilerError) as refused:
        planned(options, recorded, **run)
    return str(refused.value)


def days(*numbers: int) -> list[list[str]]:
    """Intervals of January 2024: days(1, 4, 6, 7) is the 1st up to the 4th, and the 6th up to the 7th."""
    instants = [f"2024-01-{number:02}T00:00:00" for number in numbers]
    return [list(interval) for interval in zip(instants[::2], instants[1::2], strict=True)]


# --- the conformance vectors


def planned_vector(vector: dict[str, Any]) -> dict[str, Any]:
    return planned(vector["options"], vector["recorded"], **vector["vars"])


def is_not_supported_yet(vector: dict[str, Any]) -> bool:
    options = vector["options"]
    # a cron of another number of fields than five is and stays an error
    has_five_fields = len(str(options.get("cron", "@daily")).split()) == 5
    return has_five_fields or "cron_tz" in options or "auto_restatement_cron" in options


def vectors(*, supported: bool) -> Iterator[Any]:
    for vector in VECTORS:
        if is_not_supported_yet(vector) != supported:
            yield pytest.param(vector, id=vector["id"])


@pytest.mark.parametrize("vector", vectors(supported=True))
def test_a_run_loads_the_batches_of_the_vector(vector: dict[str, Any]) -> None:
    if "error" in vector["expect"]:
        with pytest.raises(CompilerError) as refused:
            planned_vector(vector)
        assert vector["expect"]["error"] in str(refused.value)
    else:
        assert planned_vector(vector)["batches"] == vector["expect"]["batches"]


@pytest.mark.parametrize("vector", vectors(supported=False))
def test_what_is_not_supported_yet_is_refused_and_never_ignored(vector: dict[str, Any]) -> None:
    with pytest.raises(CompilerError, match=r"^dbt_kinds: model orders: .*not supported yet"):
        planned_vector(vector)


# --- any situation


UNITS = [
    *("year", "quarter", "month", "week", "day", "hour", "half_hour", "quarter_hour", "five_minute"),
    *("2 years", "3 quarters", "5 months", "2 weeks", "5 days", "5 hours", "6 hours", "36 hours", "10 minutes"),
    *("25 minutes", "95 minutes"),
]
# close to the turn of a year, to leap days, to a Sunday and to the first unit of all counted grids
ORIGINS = [datetime(2023, 12, 31, 20), datetime(2024, 2, 27), datetime(2024, 8, 30), datetime(1969, 12, 30, 22)]
Place = tuple[int, timedelta]
OFF_THE_GRID = [timedelta(seconds=1), timedelta(minutes=5), timedelta(hours=1, seconds=-1), timedelta(hours=13)]


# an instant is drawn as a place on the grid of the unit, 60 units long, and a distance from there
def places(first: int, last: int, *, aligned: int) -> st.SearchStrategy[Place]:
    return st.tuples(st.integers(first, last), st.sampled_from([timedelta(0)] * aligned + OFF_THE_GRID))


def pairs(*, aligned: int) -> st.SearchStrategy[tuple[Place, Place]]:
    return st.tuples(places(0, 59, aligned=aligned), places(0, 59, aligned=aligned))


def either(*strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of these, with a chance for each time it is named; `one_of` forgets repetitions."""
    return st.sampled_from(strategies).flatmap(lambda strategy: strategy)


NO_WINDOW = st.just((None, None))
A_WINDOW = pairs(aligned=40).map(sorted)
HALF_A_WINDOW = st.tuples(places(0, 59, aligned=8), st.none())
SITUATIONS = st.fixed_dictionaries(
    {
        "origin": st.sampled_from(ORIGINS),
        "cron": st.sampled_from(["@hourly", "@daily", *CRON_UNITS]),
        "interval_unit": st.sampled_from([None, None, None, *UNITS]),
        "week_start": st.sampled_from(["monday", "sunday"]),
        "start": either(st.none(), *[places(0, 10, aligned=4)] * 2),
        "end": either(*[st.none()] * 3, places(8, 59, aligned=40)),
        "lookback": st.sampled_from([0, 0, 1, 2, 5, 100]),
        "batch_size": st.none() | st.integers(1, 9),
        "allow_partials": st.booleans(),
        "disable_restatement": st.sampled_from([False, False, True]),
        "execution_time": places(8, 59, aligned=3),
        "window": either(*[NO_WINDOW] * 9, *[A_WINDOW] * 6, pairs(aligned=4), HALF_A_WINDOW),
        "run_batch_size": st.sampled_from([None, None, 1, 4]),
        "ignore_cron": st.booleans(),
        "full_refresh": st.sampled_from([False] * 5 + [True]),
        "recorded": st.lists(pairs(aligned=8), max_size=4),
    }
)


@functools.cache
def grid_of(unit: Unit, origin: datetime) -> list[datetime]:
    return list(itertools.islice(boundaries(origin, unit), 60))


def situation_of(drawn: dict[str, Any]) -> tuple[Model, Run, list[Interval]]:
    unit = Unit.read(drawn["interval_unit"] or CRON_UNITS[drawn["cron"]], drawn["week_start"])
    grid = grid_of(unit, drawn["origin"])

    def instant(place: Place | None) -> datetime | None:
        return grid[place[0]] + place[1] if place else None

    options = ("cron", "interval_unit", "week_start", "lookback", "batch_size", "allow_partials", "disable_restatement")
    model = Model(
        start=instant(drawn["start"]), end=instant(drawn["end"]), **{option: drawn[option] for option in options}
    )
    run = Run(
        execution_time=grid[drawn["execution_time"][0]] + drawn["execution_time"][1],
        start=instant(drawn["window"][0]),
        end=instant(drawn["window"][1]),
        batch_size=drawn["run_batch_size"],
        ignore_cron=drawn["ignore_cron"],
        full_refresh=drawn["full_refresh"],
    )
    bounds = [sorted(grid[place] + offset for place, offset in pair) for pair in drawn["recorded"]]
    return model, run, [(start, end) for start, end in bounds if start < end]


def as_options(model: Model) -> dict[str, Any]:
    options = {
        "cron": model.cron,
        "interval_unit": model.interval_unit,
        "week_start": model.week_start,
        "start": model.start and written(model.start),
        "end": model.end and written(model.end),
        "lookback": model.lookback,
        "batch_size": model.batch_size,
        "allow_partials": model.allow_partials,
        "disable_restatement": model.disable_restatement,
    }
    return {name: value for name, value in options.items() if value is not None}


def as_arguments(run: Run) -> dict[str, Any]:
    arguments = {
        "execution_time": written(run.execution_time),
        "start": run.start and written(run.start),
        "end": run.end and written(run.end),
        "batch_size": run.batch_size,
        "ignore_cron": run.ignore_cron,
        "full_refresh": run.full_refresh,
    }
    return {name: value for name, value in arguments.items() if value is not None}


def as_text(intervals: list[Interval]) -> list[list[str]]:
    return [[written(start), written(end)] for start, end in intervals]


@given(SITUATIONS)
def test_the_plan_is_that_of_a_second_planner(drawn: dict[str, Any]) -> None:
    model, run, recorded = situation_of(drawn)
    options, arguments = as_options(model), as_arguments(run)
    refusals = reference.refusals(model, run, recorded)
    if refusals:
        event("refused")
        assert refusal_of(options, as_text(recorded), **arguments).removeprefix("dbt_kinds: model orders: ") in refusals
        return

    expected = reference.plan(model, run, recorded)
    event(re.sub(r"\d[-T:\d]*", "n", expected.reason))
    assert planned(options, as_text(recorded), **arguments) == {
        "model": "model.shop.orders",
        "relation": "shop.orders",
        "kind": "incremental_by_time_range",
        "execution_time": written(run.execution_time),
        "start": expected.start and written(expected.start),
        "end": expected.end and written(expected.end),
        "cron": model.cron,
        "unit": model.unit.name,
        "recorded": as_text(expected.recorded),
        "missing": as_text(expected.missing),
        "lookback": as_text(expected.lookback),
        "restated": as_text(expected.restated),
        "batches": as_text(expected.batches),
        "reason": expected.reason,
    }


# --- the plan as people read it


def test_a_plan_has_exactly_the_documented_keys() -> None:
    keys = "model relation kind execution_time start end cron unit recorded missing lookback restated batches reason"
    assert set(planned({"start": "2024-01-01"})) == set(keys.split())


def test_the_execution_time_is_the_start_of_the_invocation_in_whole_seconds() -> None:
    plan = planned({"start": "2024-01-01"}, clock=datetime(2024, 1, 3, 7, 8, 9, 987654))
    assert plan["execution_time"] == "2024-01-03T07:08:09"
    assert plan["batches"] == days(1, 3)


def test_a_given_execution_time_wins_over_the_clock() -> None:
    plan = planned({"start": "2024-01-01"}, execution_time="2024-01-03 01:30+02:00")
    assert plan["execution_time"] == "2024-01-02T23:30:00"
    assert plan["batches"] == days(1, 2)


def test_the_chosen_units_are_told_apart_by_why_they_are_chosen() -> None:
    plan = planned({"start": "2024-01-01", "lookback": 2}, days(1, 3, 4, 10))
    assert plan["missing"] == days(3, 4)
    assert plan["lookback"] == days(1, 3)
    assert plan["restated"] == []
    assert plan["batches"] == days(1, 4)


def test_all_coverage_is_told_even_what_lies_outside() -> None:
    plan = planned({"start": "2024-01-05", "end": "2024-01-07"}, days(1, 2, 2, 3, 6, 20))
    assert plan["recorded"] == days(1, 3, 6, 20)
    assert (plan["start"], plan["end"]) == ("2024-01-05T00:00:00", "2024-01-07T00:00:00")


def test_a_window_without_rest_has_neither_start_nor_end() -> None:
    plan = planned({"start": "2024-01-05"}, start="2024-01-01", end="2024-01-03")
    assert (plan["start"], plan["end"], plan["batches"]) == (None, None, [])


JANUARY = {"start": "2024-01-01"}
PROTECTED = {**JANUARY, "disable_restatement": True}


@pytest.mark.parametrize(
    ("reason", "options", "recorded", "run"),
    [
        ("first load", JANUARY, [], {}),
        ("up to date until 2024-01-10T00:00:00", JANUARY, days(1, 10), {}),
        ("up to date until 2024-01-05T00:00:00", {**JANUARY, "end": "2024-01-05"}, days(1, 5), {}),
        ("nothing is due: the first unit begins at 2024-02-01T00:00:00", {"start": "2024-02-01"}, [], {}),
        ("nothing is due: the first unit begins at 2024-01-10T00:00:00", {"start": "2024-01-10"}, [], {}),
        ("3 missing", JANUARY, days(1, 7), {}),
        ("3 missing, 2 looked back", {**JANUARY, "lookback": 2}, days(1, 7), {}),
        ("1 missing", {**JANUARY, "lookback": 2}, days(2, 10), {}),
        ("9 missing", JANUARY, days(20, 22), {}),
        ("window: 4 missing, 0 recorded", JANUARY, [], {"start": "2024-01-02", "end": "2024-01-06"}),
        ("window: 1 missing, 3 recorded", JANUARY, days(1, 5), {"start": "2024-01-02", "end": "2024-01-06"}),
        ("window: 0 missing, 4 recorded", JANUARY, days(1, 10), {"start": "2024-01-02", "end": "2024-01-06"}),
        (
            "window: 1 missing, 3 recorded, 3 protected",
            PROTECTED,
            days(1, 5),
            {"start": "2024-01-02", "end": "2024-01-06"},
        ),
        ("window: 4 missing, 0 recorded", PROTECTED, [], {"start": "2024-01-02", "end": "2024-01-06"}),
        (
            "window lies outside 2024-01-01T00:00:00 to 2024-01-10T00:00:00",
            JANUARY,
            [],
            {"start": "2024-01-20", "end": "2024-01-22"},
        ),
        (
            "window lies outside 2024-01-05T00:00:00 to 2024-01-08T00:00:00",
            {"start": "2024-01-05", "end": "2024-01-08"},
            [],
            {"start": "2024-01-01", "end": "2024-01-05"},
        ),
        ("full refresh", JANUARY, days(1, 7), {"full_refresh": True}),
        ("3 missing", PROTECTED, days(1, 7), {"full_refresh": True}),
    ],
)
def test_the_reason_says_why(reason: str, options: dict[str, Any], recorded: list[Any], run: dict[str, Any]) -> None:
    assert planned(options, recorded, **run)["reason"] == reason


# --- the record of an odd coverage


@pytest.mark.parametrize(
    ("recorded", "batches"),
    [
        pytest.param([["2024-01-01", "2024-01-05T12:00:00"]], days(5, 10), id="half of a day at the end"),
        pytest.param([["2024-01-01T00:00:01", "2024-01-10"]], days(1, 2), id="one second lacks"),
        pytest.param(
            [["2024-01-01", "2024-01-03T12:00:00"], ["2024-01-03T12:00:01", "2024-01-10"]],
            days(3, 4),
            id="one second lacks in the middle",
        ),
        pytest.param(
            [["2024-01-01", "2024-01-03T12:00:00"], ["2024-01-03T12:00:00", "2024-01-10"]], [], id="two halves touch"
        ),
    ],
)
def test_a_unit_covered_in_part_is_missing_as_a_whole(recorded: list[Any], batches: list[Any]) -> None:
    assert planned(JANUARY, recorded)["batches"] == batches


# --- allow_partials


@pytest.mark.parametrize(
    ("recorded", "run", "batches"),
    [
        ([], {}, [["2024-01-01T00:00:00", "2024-01-03T09:45:30"]]),
        (days(1, 3), {}, [["2024-01-03T00:00:00", "2024-01-03T09:45:30"]]),
        ([["2024-01-01", "2024-01-03T09:45:29"]], {}, [["2024-01-03T00:00:00", "2024-01-03T09:45:30"]]),
        ([["2024-01-01", "2024-01-03T09:45:30"]], {}, []),
        ([["2024-01-01", "2024-01-03T09:45:31"]], {}, []),
        (
            [],
            {"batch_size": 2},
            [["2024-01-01T00:00:00", "2024-01-03T00:00:00"], ["2024-01-03T00:00:00", "2024-01-03T09:45:30"]],
        ),
        (
            [],
            {"start": "2024-01-02 05:00", "end": "2024-01-02 07:00"},
            [["2024-01-02T00:00:00", "2024-01-02T07:00:00"]],
        ),
        ([], {"start": "2024-01-03 05:00", "end": "2024-01-04"}, [["2024-01-03T00:00:00", "2024-01-03T09:45:30"]]),
    ],
)
def test_a_partial_unit_is_loaded_from_its_beginning(
    recorded: list[Any], run: dict[str, Any], batches: list[Any]
) -> None:
    options = {**JANUARY, "allow_partials": True}
    plan = planned(options, recorded, clock=datetime(2024, 1, 3, 9, 45, 30), ignore_cron=True, **run)
    assert plan["batches"] == batches


def test_an_end_inside_a_unit_cuts_it_short() -> None:
    plan = planned({**JANUARY, "end": "2024-01-03 06:00", "allow_partials": True})
    assert plan["batches"] == [["2024-01-01T00:00:00", "2024-01-03T06:00:00"]]


# --- windows from dbt's own flags


def planned_by_flags(variables: dict[str, Any], **flags: Any) -> dict[str, Any]:
    macros = Macros(variables=variables, arguments={f"event_time_{name}": value for name, value in flags.items()})
    model = macros.options(node(time_column="ordered_at", start="2024-01-01"))
    plan: dict[str, Any] = macros.plan_intervals(model, [], macros.run_settings("orders"))
    return plan


def test_event_time_flags_are_a_window() -> None:
    plan = planned_by_flags({}, start="2024-01-03", end=datetime(2024, 1, 5))
    assert plan["batches"] == days(3, 5)


def test_variables_win_over_event_time_flags() -> None:
    plan = planned_by_flags(
        {"kinds_start": "2024-01-06", "kinds_end": "2024-01-07"}, start="2024-01-03", end="2024-01-05"
    )
    assert plan["batches"] == days(6, 7)


def test_an_unreadable_event_time_flag_is_named() -> None:
    with pytest.raises(CompilerError, match="--event-time-start 'monday' is not a date"):
        planned_by_flags({}, start="monday", end="2024-01-05")


# --- errors


@pytest.mark.parametrize(
    ("message", "options", "run"),
    [
        ("no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end", {}, {}),
        (
            "no start: nothing is recorded; set the option start, or pass kinds_start and kinds_end",
            {},
            {"full_refresh": True},
        ),
        (
            "start '1.1.2024' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            {"start": "1.1.2024"},
            {},
        ),
        (
            "begin 'yesterday' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            {"begin": "yesterday"},
            {},
        ),
        (
            "end '2024-02-30' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            {**JANUARY, "end": "2024-02-30"},
            {},
        ),
        (
            "kinds_execution_time 'now' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            JANUARY,
            {"execution_time": "now"},
        ),
        (
            "kinds_end '-1 day' is not a date (YYYY-MM-DD) or a datetime (YYYY-MM-DD HH:MM:SS)",
            JANUARY,
            {"start": "2024-01-01", "end": "-1 day"},
        ),
        (
            "start 2024-01-02T00:00:00 is not before end 2024-01-02T00:00:00",
            {"start": "2024-01-02", "end": "2024-01-02"},
            {},
        ),
        (
            "kinds_start 2024-01-03T00:00:00 is not before kinds_end 2024-01-02T00:00:00",
            JANUARY,
            {"start": "2024-01-03", "end": "2024-01-02"},
        ),
        ("kinds_start and kinds_end go together; pass both", JANUARY, {"start": "2024-01-03"}),
        ("kinds_start and kinds_end go together; pass both", JANUARY, {"end": "2024-01-03"}),
        (
            "end 2024-01-03T06:00:00 is not a boundary of its interval unit; "
            "write 2024-01-03T00:00:00 or 2024-01-04T00:00:00, or set allow_partials: true",
            {**JANUARY, "end": "2024-01-03 06:00"},
            {},
        ),
        (
            "the window 2024-01-02T06:00:00 to 2024-01-04T00:00:00 is not aligned to its interval unit; "
            "the aligned window is 2024-01-02T00:00:00 to 2024-01-04T00:00:00",
            JANUARY,
            {"start": "2024-01-02 06:00", "end": "2024-01-04"},
        ),
        (
            "a full refresh takes no window; drop either --full-refresh or kinds_start and kinds_end",
            JANUARY,
            {"full_refresh": True, "start": "2024-01-02", "end": "2024-01-04"},
        ),
        ("lookback '-1' is not a whole number of 0 or more", {**JANUARY, "lookback": -1}, {}),
        ("lookback '1.5' is not a whole number of 0 or more", {**JANUARY, "lookback": 1.5}, {}),
        ("batch_size '0' is not a whole number of 1 or more", {**JANUARY, "batch_size": 0}, {}),
        ("batch_size 'day' is not a whole number of 1 or more", {**JANUARY, "batch_size": "day"}, {}),
        ("kinds_batch_size '0' is not a whole number of 1 or more", JANUARY, {"batch_size": 0}),
        (
            "interval_unit 'fortnight' is not a unit; write year, quarter, month, week, day, hour, half_hour, "
            "quarter_hour, five_minute or a count such as '6 hours' (minutes in steps of five)",
            {**JANUARY, "interval_unit": "fortnight"},
            {},
        ),
        ("week_start 'Friday' is neither monday nor sunday", {**JANUARY, "week_start": "Friday"}, {}),
        ("unknown option 'look_back'; did you mean 'lookback'?", {**JANUARY, "look_back": 2}, {}),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_write(
    message: str, options: dict[str, Any], run: dict[str, Any]
) -> None:
    assert refusal_of(options, **run) == f"dbt_kinds: model orders: {message}"
