"""Recorded units that an ordinary run loads again by itself: on a schedule, and because the query is another one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.unit.planning import days, load, planned, refusal_of
from tests.unit.reference_loads import Load

JANUARY = {"start": "2024-01-01"}
NOW = datetime(2024, 1, 10, 8)
UP_TO_DATE = "up to date until 2024-01-10T00:00:00"


def daily(first: int, last: int, **facts: Any) -> list[Load]:
    """A load for each day from the first up to the last, by a run at five past midnight."""
    return [
        load(f"2024-01-{day:02}", f"2024-01-{day + 1:02}", f"2024-01-{day + 1:02}T00:05:00", **facts)
        for day in range(first, last)
    ]


def again(first: int, last: int, execution_time: str, **facts: Any) -> Load:
    """One load of several days, later than those of `daily`."""
    return load(f"2024-01-{first:02}", f"2024-01-{last:02}", execution_time, **facts)


# --- automatic restatement

AT_SIX = {**JANUARY, "auto_restatement_cron": "0 6 * * *", "auto_restatement_intervals": 3}


@pytest.mark.parametrize(
    ("loads", "restated"),
    [
        pytest.param(daily(1, 10), days(7, 10), id="the last three are older than the tick"),
        pytest.param([*daily(1, 10), again(7, 10, "2024-01-10T06:01:00")], [], id="they were reloaded after it"),
        pytest.param([*daily(1, 10), again(7, 10, "2024-01-10T06:00:00")], [], id="they were reloaded at that instant"),
        pytest.param([*daily(1, 10), again(7, 10, "2024-01-10T05:59:59")], days(7, 10), id="a second too early"),
        pytest.param([*daily(1, 10), again(7, 8, "2024-01-10T06:01:00")], days(8, 10), id="a run that died half way"),
        pytest.param([*daily(1, 10), again(8, 9, "2024-01-10T07:00:00")], days(7, 8, 9, 10), id="a window since"),
        pytest.param([*daily(1, 10), again(1, 7, "2024-01-10T07:00:00")], days(7, 10), id="others were reloaded"),
    ],
)
def test_only_recent_units_older_than_the_last_tick_are_restated(loads: list[Load], restated: list[Any]) -> None:
    plan = planned(AT_SIX, loads, clock=NOW)
    assert (plan["missing"], plan["restated"], plan["batches"]) == ([], restated, restated)


@pytest.mark.parametrize(
    ("options", "clock", "restated"),
    [
        pytest.param({}, datetime(2024, 1, 10, 5, 59, 59), days(7, 9), id="before the tick, that of yesterday counts"),
        pytest.param({}, datetime(2024, 1, 10, 6), days(7, 10), id="a tick at this very instant"),
        pytest.param({"auto_restatement_cron": "0 0 1 * *"}, NOW, [], id="no tick since"),
        pytest.param({"auto_restatement_cron": "0 0 8 * *"}, NOW, [], id="a tick before all recent loads"),
        pytest.param({"auto_restatement_intervals": None}, NOW, days(1, 10), id="without a number all from start"),
        pytest.param({"auto_restatement_intervals": 100}, NOW, days(1, 10), id="never before start"),
        pytest.param({"end": "2024-01-05"}, NOW, days(2, 5), id="the last before the end"),
        pytest.param({"cron_tz": "Europe/Berlin"}, datetime(2024, 1, 10, 5), days(6, 9), id="06:00 in Berlin"),
        pytest.param({"cron_tz": "America/New_York"}, NOW, days(7, 9), id="not yet 06:00 in New York"),
    ],
)
def test_the_schedule_and_the_number_of_automatic_restatement(
    options: dict[str, Any], clock: datetime, restated: list[Any]
) -> None:
    assert planned({**AT_SIX, **options}, daily(1, 10), clock=clock)["restated"] == restated


def test_a_unit_is_as_old_as_its_oldest_part() -> None:
    monthly = {"start": "2023-11-01", "cron": "@monthly", "auto_restatement_cron": "@daily"}
    parts = [
        load("2023-11-01", "2023-12-01", "2024-01-10T00:05:00"),
        load("2023-12-01", "2023-12-31", "2024-01-10T00:05:00"),
        load("2023-12-31", "2024-01-01", "2024-01-01T00:05:00"),
    ]
    assert planned(monthly, parts, clock=NOW)["restated"] == [["2023-12-01T00:00:00", "2024-01-01T00:00:00"]]


def test_missing_units_are_loaded_along_and_count_among_the_last() -> None:
    plan = planned(AT_SIX, daily(1, 9), clock=NOW)
    assert (plan["missing"], plan["restated"], plan["batches"]) == (days(9, 10), days(7, 9), days(7, 10))
    assert plan["reason"] == "1 missing, automatic restatement of 2"


def test_a_unit_that_is_looked_back_on_is_not_counted_again() -> None:
    plan = planned({**AT_SIX, "lookback": 1}, daily(1, 9), clock=NOW)
    assert (plan["missing"], plan["lookback"], plan["restated"]) == (days(9, 10), days(8, 9), days(7, 8))
    assert plan["reason"] == "1 missing, 1 looked back, automatic restatement of 1"


def test_a_unit_that_is_cut_short_is_not_whole() -> None:
    options = {**AT_SIX, "allow_partials": True, "auto_restatement_cron": "* * * * *"}
    loads = [*daily(1, 10), load("2024-01-10", "2024-01-10T08:00:00", "2024-01-10T07:00:00")]
    plan = planned(options, loads, clock=NOW, ignore_cron=True)
    assert (plan["missing"], plan["restated"]) == ([], days(7, 10))


@pytest.mark.parametrize(
    ("options", "run", "restated", "reason"),
    [
        ({"disable_restatement": True}, {}, [], UP_TO_DATE),
        ({}, {"start": "2024-01-02", "end": "2024-01-03"}, days(2, 3), "window: 0 missing, 1 recorded"),
        ({}, {"full_refresh": True}, days(1, 10), "full refresh"),
    ],
)
def test_automatic_restatement_is_for_ordinary_runs_of_models_that_may_be_restated(
    options: dict[str, Any], run: dict[str, Any], restated: list[Any], reason: str
) -> None:
    plan = planned({**AT_SIX, **options}, daily(1, 10), clock=NOW, **run)
    assert (plan["restated"], plan["reason"]) == (restated, reason)


# --- the query is another one

REBUILD = {**JANUARY, "on_query_change": "rebuild"}
STOP = {**JANUARY, "on_query_change": "error"}
CHANGED = (
    "dbt_kinds: model orders: the query has changed since the last load; "
    "run with --full-refresh, or set on_query_change to forward or rebuild"
)


def test_by_default_another_query_changes_nothing() -> None:
    assert planned(JANUARY, daily(1, 10, model_hash="old"), query_hash="new")["reason"] == UP_TO_DATE


@pytest.mark.parametrize(
    ("loads", "restated", "reason"),
    [
        pytest.param(daily(1, 10, model_hash="new"), [], UP_TO_DATE, id="the same query"),
        pytest.param(daily(1, 10, model_hash="old"), days(1, 10), "query changed: 9 to rebuild", id="another query"),
        pytest.param(daily(1, 10), [], UP_TO_DATE, id="a load without a hash matches every query"),
        pytest.param(
            [*daily(1, 10, model_hash="old"), again(1, 5, "2024-01-10T07:00:00", model_hash="new")],
            days(5, 10),
            "query changed: 5 to rebuild",
            id="a rebuild that was cut short goes on",
        ),
        pytest.param(
            [*daily(1, 6, model_hash="old"), *daily(6, 10, model_hash="new")],
            days(1, 6),
            "query changed: 5 to rebuild",
            id="units that were loaded since are left alone",
        ),
        pytest.param(
            [*daily(1, 10, model_hash="new"), load("2024-01-03T12:00", "2024-01-03T13:00", "2024-01-10", model_hash="old")],
            days(3, 4),
            "query changed: 1 to rebuild",
            id="a unit is rebuilt when a part of it is of another query",
        ),
        pytest.param(
            daily(1, 8, model_hash="old"), days(1, 8), "2 missing, query changed: 7 to rebuild", id="missing ones come along"
        ),
    ],
)  # fmt: skip
def test_a_rebuild_takes_the_units_that_another_query_loaded(
    loads: list[Load], restated: list[Any], reason: str
) -> None:
    plan = planned(REBUILD, loads, query_hash="new", clock=NOW)
    assert (plan["restated"], plan["reason"]) == (restated, reason)


def test_the_units_before_rebuilt_ones_are_looked_back_on() -> None:
    loads = [*daily(1, 6, model_hash="new"), *daily(6, 8, model_hash="old"), *daily(8, 10, model_hash="new")]
    plan = planned({**REBUILD, "lookback": 2}, loads, query_hash="new", clock=NOW)
    assert (plan["missing"], plan["lookback"], plan["restated"]) == ([], days(4, 6), days(6, 8))
    assert plan["batches"] == days(4, 8)
    assert plan["reason"] == "2 looked back, query changed: 2 to rebuild"


def test_a_unit_of_another_query_is_rebuilt_and_neither_looked_back_on_nor_due() -> None:
    options = {**REBUILD, "lookback": 1, "auto_restatement_cron": "@daily", "auto_restatement_intervals": 4}
    loads = [*daily(1, 8, model_hash="new"), *daily(8, 9, model_hash="old")]
    plan = planned(options, loads, query_hash="new", clock=NOW)
    assert (plan["missing"], plan["lookback"], plan["restated"]) == (days(9, 10), days(7, 8), days(6, 7, 8, 9))
    assert plan["reason"] == "1 missing, 1 looked back, automatic restatement of 1, query changed: 1 to rebuild"


@pytest.mark.parametrize(
    ("options", "run", "restated", "reason"),
    [
        ({"disable_restatement": True}, {}, [], UP_TO_DATE),
        ({}, {"start": "2024-01-02", "end": "2024-01-03"}, days(2, 3), "window: 0 missing, 1 recorded"),
        ({}, {"full_refresh": True}, days(1, 10), "full refresh"),
    ],
)
def test_a_rebuild_is_for_ordinary_runs_of_models_that_may_be_restated(
    options: dict[str, Any], run: dict[str, Any], restated: list[Any], reason: str
) -> None:
    plan = planned({**REBUILD, **options}, daily(1, 10, model_hash="old"), query_hash="new", clock=NOW, **run)
    assert (plan["restated"], plan["reason"]) == (restated, reason)


@pytest.mark.parametrize("run", [{}, {"start": "2024-01-02", "end": "2024-01-03"}, {"ignore_cron": True}])
@pytest.mark.parametrize("options", [{}, {"disable_restatement": True}, {"end": "2024-01-05"}])
def test_a_model_can_stop_while_its_latest_load_is_of_another_query(
    options: dict[str, Any], run: dict[str, Any]
) -> None:
    assert refusal_of({**STOP, **options}, daily(1, 10, model_hash="old"), query_hash="new", **run) == CHANGED


@pytest.mark.parametrize(
    "loads",
    [
        pytest.param([], id="nothing was loaded"),
        pytest.param(daily(1, 10, model_hash="new"), id="the same query"),
        pytest.param(daily(1, 10), id="no hash"),
        pytest.param(
            [*daily(1, 10, model_hash="old"), again(2, 3, "2024-01-10T07:00:00", model_hash="new")], id="older loads"
        ),
        pytest.param(
            [*daily(1, 10, model_hash="old"), again(2, 3, "2024-01-10T07:00:00")], id="recorded by hand since"
        ),
    ],
)
def test_a_model_goes_on_while_its_latest_load_is_of_this_query(loads: list[Load]) -> None:
    assert planned(STOP, loads, query_hash="new", clock=NOW)["restated"] == []


def test_a_full_refresh_accepts_another_query() -> None:
    plan = planned(STOP, daily(1, 10, model_hash="old"), query_hash="new", full_refresh=True)
    assert (plan["restated"], plan["reason"]) == (days(1, 10), "full refresh")


@pytest.mark.parametrize(
    ("options", "recorded", "run", "reason"),
    [
        (REBUILD, days(1, 10), {}, f"{UP_TO_DATE}, query not compared"),
        (STOP, days(1, 9), {}, "1 missing, query not compared"),
        (
            REBUILD,
            days(1, 10),
            {"start": "2024-01-02", "end": "2024-01-03"},
            "window: 0 missing, 1 recorded, query not compared",
        ),
        (REBUILD, [], {}, "first load"),
        (STOP, days(1, 10), {"full_refresh": True}, "full refresh"),
        (JANUARY, days(1, 10), {}, UP_TO_DATE),
    ],
)
def test_a_plan_says_when_it_does_not_know_the_query(
    options: dict[str, Any], recorded: list[Any], run: dict[str, Any], reason: str
) -> None:
    assert planned(options, recorded, query_hash=None, **run)["reason"] == reason
