"""Recorded units that are loaded again because an upstream model loaded what they read after they were computed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.unit.macros import Macros
from tests.unit.planning import days, load, planned
from tests.unit.reference_loads import Load
from tests.unit.reference_upstream import Margin, Parent

MACROS = Macros()
DAY = MACROS.interval_unit("", "day")
JANUARY = {"start": "2024-01-01"}
NOW = datetime(2024, 1, 10, 8)
UP_TO_DATE = "up to date until 2024-01-10T00:00:00"
# the model was loaded at seven
OURS = load("2024-01-01", "2024-01-10", "2024-01-10T07:00:00")
LATER, EARLIER = "2024-01-10T07:30:00", "2024-01-10T06:30:00"


def events(*loads: Load, margins: tuple[Margin, ...] = ()) -> Parent:
    return Parent("events", loads, margins)


def restated(parent: Parent, *ours: Load, **options: Any) -> list[list[str]]:
    plan = planned({**JANUARY, **options}, ours or [OURS], parents=[parent], clock=NOW)
    assert plan["missing"] == plan["lookback"] == []
    assert plan["batches"] == plan["restated"]
    intervals: list[list[str]] = plan["restated"]
    return intervals


# --- what counts as later


@pytest.mark.parametrize(
    ("loads", "expected"),
    [
        pytest.param([load("2024-01-03", "2024-01-05", LATER)], days(3, 5), id="reloaded since"),
        pytest.param([load("2024-01-03", "2024-01-05", EARLIER)], [], id="loaded before"),
        pytest.param([load("2024-01-03", "2024-01-05", "2024-01-10T07:00:00")], [], id="equal instants are not newer"),
        pytest.param(
            [load("2024-01-03", "2024-01-05", "2024-01-10T07:00:00.000001")], days(3, 5), id="by a microsecond"
        ),
        pytest.param(
            [load("2024-01-01", "2024-01-10", LATER)], days(1, 10), id="a first load after that of its reader"
        ),
        pytest.param([load("2024-01-12", "2024-01-14", LATER)], [], id="nothing that was read"),
        pytest.param(
            [load("2024-01-01", "2024-01-10", EARLIER), load("2024-01-04", "2024-01-05", LATER)],
            days(4, 5),
            id="a part of it since",
        ),
        pytest.param([], [], id="nothing is recorded of it"),
    ],
)
def test_units_are_reprocessed_that_read_what_was_loaded_since(loads: list[Load], expected: list[Any]) -> None:
    assert restated(events(*loads)) == expected


@pytest.mark.parametrize(
    ("recorded_at", "expected"),
    [("2024-01-10T06:44:59", []), ("2024-01-10T06:45:00", []), ("2024-01-10T06:45:01", days(3, 4))],
)
def test_what_was_loaded_while_a_unit_was_computed_may_not_have_been_read(
    recorded_at: str, expected: list[Any]
) -> None:
    ours = load("2024-01-01", "2024-01-10", "2024-01-10T07:00:00", started_at="2024-01-10T06:45:00")
    assert restated(events(load("2024-01-03", "2024-01-04", recorded_at)), ours) == expected


def test_a_unit_computed_in_parts_is_as_old_as_the_oldest() -> None:
    parts = [
        load("2024-01-01", "2024-01-03T12:00", "2024-01-10T07:00:00"),
        load("2024-01-03T12:00", "2024-01-10", "2024-01-10T07:45:00"),
    ]
    assert restated(events(load("2024-01-01", "2024-01-10", LATER)), *parts) == days(1, 4)


def test_a_unit_that_was_reprocessed_rests() -> None:
    since = load("2024-01-03", "2024-01-05", "2024-01-10T07:45:00")
    assert restated(events(load("2024-01-03", "2024-01-05", LATER)), OURS, since) == []


# --- a parent that was adopted


def event(name: str, interval: str, minute: int, *, source: str = "run") -> dict[str, Any]:
    """`event("loaded", "3-5", 7)` is a load of the 3rd and the 4th, recorded at 08:07."""
    ((start, end),) = days(*map(int, interval.split("-")))
    moment = f"2024-01-10T08:{minute:02}:00"
    return {"event": name, "interval_start": start, "interval_end": end, "recorded_at": moment, "source": source}


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        pytest.param([event("loaded", "1-10", 9, source="adopt")], [], id="adopted after its reader"),
        pytest.param([event("loaded", "1-10", 3, source="adopt")], [], id="adopted before its reader"),
        pytest.param(
            [event("loaded", "1-10", 3, source="adopt"), event("loaded", "4-5", 9)], days(4, 5), id="a late day of it"
        ),
        pytest.param(
            [event("loaded", "4-5", 7), event("loaded", "1-10", 9, source="adopt")],
            days(4, 5),
            id="adopted around a day that was loaded since",
        ),
        pytest.param(
            [
                event("loaded", "1-10", 2),
                event("loaded", "4-5", 7),
                event("invalidated", "1-10", 8),
                event("loaded", "1-10", 9, source="adopt"),
            ],
            days(1, 10),
            id="forgotten, and adopted in place of it",
        ),
        pytest.param(
            [event("loaded", "1-10", 2), event("invalidated", "1-10", 3), event("loaded", "1-10", 9, source="adopt")],
            [],
            id="forgotten before its reader was loaded",
        ),
    ],
)
def test_an_adoption_changes_nothing_of_a_parent(theirs: list[dict[str, Any]], expected: list[Any]) -> None:
    ours = MACROS.fold_events([event("loaded", "1-10", 5) | {"started_at": ""}])
    parent = {"loads": MACROS.followed_loads(theirs, MACROS.fold_events(theirs)), "margins": []}
    found = MACROS.upstream_changes(ours, parent, DAY)
    assert [[MACROS.unit_start(bound, DAY) for bound in units] for units in found] == expected


# --- units of other lengths


def test_every_unit_of_a_coarser_parent_that_was_reloaded_is_reprocessed() -> None:
    months = events(load("2023-12-01", "2024-01-01", EARLIER), load("2024-01-01", "2024-02-01", LATER))
    ours = load("2023-12-25", "2024-01-10", "2024-01-10T07:00:00")
    assert restated(months, ours, start="2023-12-25") == days(1, 10)


def test_a_reloaded_hour_of_a_finer_parent_reprocesses_the_day() -> None:
    hours = events(
        load("2024-01-01", "2024-01-10", EARLIER), load("2024-01-03T23:00", "2024-01-04T00:00", LATER),
        load("2024-01-06T23:00", "2024-01-07T01:00", LATER),
    )  # fmt: skip
    assert restated(hours) == days(3, 4, 6, 8)


def test_of_a_unit_that_is_cut_short_only_the_part_that_is_there_was_read() -> None:
    ours = load("2024-01-01", "2024-01-10T06:00", "2024-01-10T07:00:00")
    options = {"allow_partials": True, "end": "2024-01-10T06:00", "cron": "@hourly", "interval_unit": "day"}
    assert restated(events(load("2024-01-10T06:00", "2024-01-11", LATER)), ours, **options) == []
    assert restated(events(load("2024-01-10T05:00", "2024-01-10T06:00", LATER)), ours, **options) == [
        ["2024-01-10T00:00:00", "2024-01-10T06:00:00"]
    ]


@pytest.mark.parametrize(("reloaded", "is_read"), [("2024-01-11T05:00", True), ("2024-01-11T06:00", False)])
def test_a_margin_widens_only_the_part_that_is_there(reloaded: str, is_read: bool) -> None:
    ours = load("2024-01-01", "2024-01-10T06:00", "2024-01-10T07:00:00")
    options = {"allow_partials": True, "end": "2024-01-10T06:00", "cron": "@hourly", "interval_unit": "day"}
    parent = events(load(reloaded, "2024-01-11T07:00", LATER), margins=(Margin(after="P1D", unit="none"),))
    assert restated(parent, ours, **options) == ([["2024-01-10T00:00:00", "2024-01-10T06:00:00"]] if is_read else [])


# --- margins: what window_of reads beyond the unit

DAY_FIVE = load("2024-01-05", "2024-01-06", LATER)


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        pytest.param([Margin()], days(5, 6), id="no wider than the unit"),
        pytest.param([Margin(before="P1D")], days(5, 7), id="the day before is read"),
        pytest.param([Margin(after="P1D")], days(4, 6), id="the day after is read"),
        pytest.param([Margin(before="P2D", after="P1D")], days(4, 8), id="both"),
        pytest.param([Margin(before="PT30M")], days(5, 7), id="half an hour on a column of days reads a whole day"),
        pytest.param([Margin(before="PT30M", unit="none")], days(5, 7), id="half an hour of it is read"),
        pytest.param([Margin(before="P1DT12H")], days(5, 8), id="a day and a half reads two"),
        pytest.param(
            [Margin(before="P1D"), Margin(before="P3D", after="P1D")], days(4, 9), id="every window_of counts"
        ),
        pytest.param([Margin(before="P1D"), Margin(after="P1D")], days(4, 7), id="one looks back, one ahead"),
        pytest.param([Margin(unit="week")], days(1, 8), id="a column of weeks: from Monday the 1st"),
        pytest.param([Margin(unit="week", week_start="sunday")], days(1, 7), id="from Sunday, 31 December"),
        pytest.param([Margin(unit="week", before="P1D")], days(1, 9), id="Monday the 8th reads the week before"),
        pytest.param([Margin(unit="month")], days(1, 10), id="a column of months"),
        pytest.param([Margin(before="P1W")], days(5, 10), id="a week"),
    ],
)
def test_margins_widen_what_a_unit_reads(margins: list[Margin], expected: list[Any]) -> None:
    assert restated(events(DAY_FIVE, margins=tuple(margins))) == expected


def test_a_margin_of_instants_reads_no_whole_unit() -> None:
    ours = load("2024-01-01", "2024-01-02", "2024-01-10T07:00:00")
    parent = events(
        load("2024-01-01T10:00", "2024-01-01T10:30", LATER), margins=(Margin(before="PT30M", unit="none"),)
    )  # fmt: skip
    options = {"cron": "@hourly", "end": "2024-01-02"}
    assert restated(parent, ours, **options) == [["2024-01-01T10:00:00", "2024-01-01T11:00:00"]]
    parent = events(
        load("2024-01-01T10:30", "2024-01-01T11:00", LATER), margins=(Margin(before="PT30M", unit="none"),)
    )  # fmt: skip
    assert restated(parent, ours, **options) == [["2024-01-01T10:00:00", "2024-01-01T12:00:00"]]


MONTHS_OURS = load("2024-01-01", "2024-06-01", "2024-06-10T07:00:00")


@pytest.mark.parametrize(
    ("margin", "loaded", "first", "last"),
    [
        pytest.param(Margin(before="P1M"), "2024-02-29", "2024-02-29", "2024-03-31", id="the last day of a short month"),
        pytest.param(Margin(before="P1M"), "2024-03-15", "2024-03-15", "2024-04-15", id="a day in the middle"),
        pytest.param(Margin(after="P1M"), "2024-03-15", "2024-02-14", "2024-03-15", id="ahead, a day more"),
        pytest.param(Margin(before="P1M1D"), "2024-03-15", "2024-03-15", "2024-04-19", id="back, three days more"),
        pytest.param(Margin(after="P1M1D"), "2024-03-15", "2024-02-11", "2024-03-15", id="ahead, three days more"),
        pytest.param(Margin(before="P1M", unit="month"), "2024-03-15", "2024-03-01", "2024-04-30", id="whole months"),
    ],
)  # fmt: skip
def test_months_are_read_as_window_of_reads_them(margin: Margin, loaded: str, first: str, last: str) -> None:
    """The first and the last day that read a day of the parent."""
    since = load(loaded, f"{loaded}T23:59:59", "2024-06-10T07:30:00")
    options = {"start": "2024-01-01", "end": "2024-06-01", "batch_size": 1}
    plan = planned(options, [MONTHS_OURS], parents=[events(since, margins=(margin,))], clock=datetime(2024, 6, 10, 8))
    read_by = [start.removesuffix("T00:00:00") for start, _ in plan["batches"]]
    assert (read_by[0], read_by[-1]) == (first, last)


# --- several parents, and other reasons


def test_the_parents_that_changed_are_named_in_order() -> None:
    parents = [
        Parent("shipments", (load("2024-01-03", "2024-01-04", LATER),)),
        Parent("payments", (load("2024-01-01", "2024-01-10", EARLIER),)),
        Parent("customers", (load("2024-01-03", "2024-01-05", LATER),)),
    ]
    plan = planned(JANUARY, [OURS], parents=parents, clock=NOW)
    assert plan["restated"] == days(3, 5)
    assert plan["reason"] == "upstream changed: 2 to reprocess (customers, shipments)"


def test_a_parent_that_adds_no_unit_is_not_named() -> None:
    loads = [load("2024-01-01", "2024-01-08", "2024-01-10T07:00:00")]
    parents = [
        Parent("payments", (load("2024-01-02", "2024-01-03", LATER), load("2024-01-09", "2024-01-10", LATER))),
        Parent("shipments", (load("2024-01-07", "2024-01-10", LATER),)),
    ]
    plan = planned({**JANUARY, "lookback": 1}, loads, parents=parents, clock=NOW)
    assert (plan["missing"], plan["lookback"], plan["restated"]) == (days(8, 10), days(7, 8), days(2, 3))
    assert plan["reason"] == "2 missing, 1 looked back, upstream changed: 1 to reprocess (payments)"


def test_units_with_another_reason_are_not_counted_again() -> None:
    options = {**JANUARY, "on_query_change": "rebuild", "auto_restatement_cron": "0 6 * * *"}
    old = load("2024-01-01", "2024-01-03", "2024-01-10T07:00:00", model_hash="old")
    due = load("2024-01-03", "2024-01-06", "2024-01-10T07:00:00", model_hash="new", execution_time="2024-01-09")
    rest = load("2024-01-06", "2024-01-10", "2024-01-10T07:00:00", model_hash="new")
    parents = [events(load("2024-01-01", "2024-01-10", LATER))]
    plan = planned(options, [old, due, rest], parents=parents, query_hash="new", clock=NOW)
    assert plan["restated"] == days(1, 10)
    assert plan["reason"] == (
        "automatic restatement of 3, query changed: 2 to rebuild, upstream changed: 4 to reprocess (events)"
    )


@pytest.mark.parametrize(
    ("options", "run", "expected", "reason"),
    [
        ({"disable_restatement": True}, {}, [], UP_TO_DATE),
        ({}, {"start": "2024-01-02", "end": "2024-01-03"}, days(2, 3), "window: 0 missing, 1 recorded"),
        ({}, {"full_refresh": True}, days(1, 10), "full refresh"),
    ],
)
def test_parents_are_followed_by_ordinary_runs_of_models_that_may_be_restated(
    options: dict[str, Any], run: dict[str, Any], expected: list[Any], reason: str
) -> None:
    parents = [events(load("2024-01-03", "2024-01-05", LATER))]
    plan = planned({**JANUARY, **options}, [OURS], parents=parents, clock=NOW, **run)
    assert (plan["restated"], plan["reason"]) == (expected, reason)
