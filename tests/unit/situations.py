"""Situations a planner may meet, drawn by hypothesis: a model, a run, what the table and its parents hold."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from tests.unit.reference import Model, Run
from tests.unit.reference_loads import Load
from tests.unit.reference_units import Unit, boundaries
from tests.unit.reference_upstream import Margin, Parent

UNITS = [
    *("year", "quarter", "month", "week", "day", "hour", "half_hour", "quarter_hour", "five_minute"),
    *("2 years", "3 quarters", "5 months", "2 weeks", "5 days", "5 hours", "6 hours", "36 hours", "10 minutes"),
    *("25 minutes", "95 minutes"),
]
ALIASES = ["@yearly", "@annually", "@quarterly", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]
CRONS = [
    *("*/5 * * * *", "*/10 * * * *", "7,37 * * * *", "*/43 * * * *", "5 * * * *", "0 */6 * * *", "0 5 * * *"),
    *("30 7 * * *", "30 2 * * *", "15 1,3 * * *", "0 0 * * 1-5", "45 23 * * fri-sun", "30 6 * * mon", "0 0 * * 0"),
    *("0 0 1,15 * *", "0 12 13 * fri", "0 4 */2 * sat", "0 0 15 * *", "0 0 31 * *", "0 0 1 */2 *", "0 0 1 */3 *"),
    *("0 0 1 2-11/3 *", "0 9 29 feb *", "30 0 1 jan *"),
]
ZONES = ["America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Los_Angeles"]
# of pytz, which is what dbt hands to macros
LAST_YEAR_OF_CLOCK_CHANGES = 2037
DURATIONS = [
    *("PT0S", "PT0S", "PT0S", "PT1M30S", "PT30M", "PT5H", "P1D", "P1DT12H", "P14D"),
    *("P1M", "P3M", "P1Y2M", "P1M1D", "P2MT6H", "P1YT30M"),
]
GRAINS = [*["day"] * 4, *["none"] * 4, "hour", "five_minute", "week", "month", "quarter", "year", "2 weeks", "5 days"]
# close to the turn of a year, to leap days, to clock changes, to a Sunday and to the first unit of all counted grids
ORIGINS = [
    *(datetime(2023, 12, 31, 20), datetime(2024, 2, 27), datetime(2024, 3, 9, 22), datetime(2024, 8, 30)),
    *(datetime(2024, 10, 26, 20), datetime(1969, 12, 30, 22)),
]
OFF_THE_GRID = [timedelta(seconds=1), timedelta(minutes=5), timedelta(hours=1, seconds=-1), timedelta(hours=13)]

# an instant of the calendar is a place on the grid of the unit, 60 units long, and a distance from there; the moment at
# which something is recorded is a number, so that what a model and its parents load is often recorded at once
Place = tuple[int, timedelta]
FIRST_MOMENT = datetime(2024, 1, 1)


def places(first: int, last: int, *, aligned: int) -> st.SearchStrategy[Place]:
    return st.tuples(st.integers(first, last), st.sampled_from([timedelta(0)] * aligned + OFF_THE_GRID))


def stretches(*, aligned: int) -> st.SearchStrategy[tuple[Place, Place]]:
    """A place, and a later one; at times they are the other way round, where both are between two units."""
    lengths = st.integers(1, 40)
    return st.tuples(places(0, 50, aligned=aligned), lengths, places(0, 0, aligned=aligned)).map(
        lambda drawn: (drawn[0], (min(drawn[0][0] + drawn[1], 59), drawn[2][1]))
    )


def either(*strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of these, with a chance for each time it is named; `one_of` forgets repetitions."""
    return st.sampled_from(strategies).flatmap(lambda strategy: strategy)


def loads(at_least: int, at_most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    a_load = st.fixed_dictionaries(
        {
            "bounds": either(st.just(EVERYTHING), *[stretches(aligned=8)] * 2),
            "moment": st.integers(0, 11),
            "took": st.sampled_from([None, 0, 0, 1, 2, 5]),
            "execution_time": places(0, 59, aligned=3),
            "model_hash": st.sampled_from([None, "this query", "this query", "another query"]),
        }
    )
    return st.lists(a_load, min_size=at_least, max_size=at_most, unique_by=lambda drawn: drawn["moment"])


EVERYTHING = ((0, timedelta(0)), (59, timedelta(days=1)))
NO_WINDOW = st.just((None, None))
A_WINDOW = stretches(aligned=40)
A_WINDOW_BACKWARDS = A_WINDOW.map(lambda window: window[::-1])
HALF_A_WINDOW = st.tuples(places(0, 59, aligned=8), st.none())
MARGINS = st.builds(
    Margin,
    before=st.sampled_from(DURATIONS),
    after=st.sampled_from(DURATIONS),
    unit=st.sampled_from(GRAINS),
    week_start=st.sampled_from(["monday", "sunday"]),
)
PARENTS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["customers", "payments", "shipments"]),
        "loads": loads(at_least=1, at_most=3),
        "margins": st.lists(MARGINS, max_size=2),
    }
)
KINDS = [*["incremental_by_time_range"] * 4, "incremental_by_unique_key", "incremental_unmanaged"]
SITUATIONS = st.fixed_dictionaries(
    {
        "origin": st.sampled_from(ORIGINS),
        "kind": st.sampled_from(KINDS),
        "cron": st.sampled_from([*["@hourly", "@daily", "*/10 * * * *"] * 3, *ALIASES, *CRONS]),
        "cron_tz": st.sampled_from([*["UTC"] * 5, *ZONES]),
        "interval_unit": st.sampled_from([*[None] * 15, *UNITS]),
        "week_start": st.sampled_from(["monday", "sunday"]),
        "start": either(st.none(), *[places(0, 10, aligned=4)] * 2),
        "end": either(*[st.none()] * 3, places(8, 59, aligned=40)),
        "lookback": st.sampled_from([0, 0, 1, 2, 5, 100]),
        "batch_size": st.none() | st.integers(1, 9),
        "allow_partials": st.booleans(),
        "disable_restatement": st.sampled_from([False] * 5 + [True]),
        "auto_restatement_cron": st.none() | st.sampled_from([*["@hourly", "@daily"] * 3, *ALIASES, *CRONS]),
        "auto_restatement_intervals": st.none() | st.integers(1, 40),
        "on_query_change": st.sampled_from([*["forward"] * 3, *["rebuild"] * 3, "error"]),
        "query_hash": st.sampled_from(["this query"] * 4 + [None]),
        "execution_time": places(8, 59, aligned=3),
        "window": either(*[NO_WINDOW] * 28, *[A_WINDOW] * 8, stretches(aligned=4), A_WINDOW_BACKWARDS, HALF_A_WINDOW),
        "run_batch_size": st.sampled_from([None, None, 1, 4]),
        "ignore_cron": st.booleans(),
        "full_refresh": st.sampled_from([False] * 7 + [True]),
        "allow_full_restatement": st.sampled_from([True] * 5 + [False]),
        "recorded": either(*[loads(at_least=1, at_most=5)] * 4, st.just([])),
        "parents": st.lists(PARENTS, max_size=3, unique_by=lambda drawn: drawn["name"]),
    }
)


@dataclass(frozen=True)
class Situation:
    model: Model
    run: Run
    loads: list[Load]
    parents: list[Parent]


@functools.cache
def grid_of(unit: Unit, origin: datetime) -> list[datetime]:
    return list(itertools.islice(boundaries(origin, unit), 60))


def situation_of(drawn: dict[str, Any]) -> Situation:
    options = {
        option: drawn[option]
        for option in (
            *("kind", "cron", "cron_tz", "interval_unit", "week_start", "lookback", "batch_size", "allow_partials"),
            *("disable_restatement", "auto_restatement_cron", "auto_restatement_intervals", "on_query_change"),
        )
    }
    if options["kind"] != "incremental_by_time_range":
        options |= {"auto_restatement_cron": None, "auto_restatement_intervals": None}
    if options["kind"] == "incremental_unmanaged":
        options |= {"lookback": 0, "batch_size": None}
    grid = grid_of(Model(**options).unit, drawn["origin"])
    if grid[-1].year > LAST_YEAR_OF_CLOCK_CHANGES:
        options["cron_tz"] = "UTC"

    def instant(place: Place | None) -> Any:
        return grid[place[0]] + place[1] if place else None

    def loads_of(given: list[dict[str, Any]]) -> list[Load]:
        found = []
        for one in given:
            start, end = sorted(instant(place) for place in one["bounds"])
            moment = FIRST_MOMENT + timedelta(microseconds=one["moment"])
            started = None if one["took"] is None else moment - timedelta(microseconds=one["took"])
            if start < end:
                found.append(Load(start, end, moment, instant(one["execution_time"]), started, one["model_hash"]))
        return found

    return Situation(
        Model(start=instant(drawn["start"]), end=instant(drawn["end"]), **options),
        Run(
            execution_time=instant(drawn["execution_time"]),
            start=instant(drawn["window"][0]),
            end=instant(drawn["window"][1]),
            batch_size=drawn["run_batch_size"],
            ignore_cron=drawn["ignore_cron"],
            full_refresh=drawn["full_refresh"],
            allow_full_restatement=drawn["allow_full_restatement"],
            query_hash=drawn["query_hash"],
        ),
        loads_of(drawn["recorded"]),
        # what only appends follows nobody
        []
        if options["kind"] == "incremental_unmanaged"
        else [Parent(one["name"], tuple(loads_of(one["loads"])), tuple(one["margins"])) for one in drawn["parents"]],
    )
